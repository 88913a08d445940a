//! Patches: connected triangles of a short run in leaf order, so that a flood fill takes many triangles in one step.

use super::arrays::View;
use crate::mesh::{DisjointSets, PointTriangles};
use crate::shape::Aabb;

/// The triangles of a mesh in patches. Each patch is connected by points.
#[derive(Debug)]
pub(crate) struct Patches {
    /// The index of each run's first patch, followed by the number of patches.
    starts: Vec<u32>,
    patches: Vec<Patch>,
    neighbors: Vec<u32>,
}

/// Connected triangles of one run.
#[derive(Debug)]
pub(crate) struct Patch {
    /// The index of a word in a bit set of leaf indices. `triangles` holds the word's bits for the patch's triangles.
    pub(crate) word: u32,
    pub(crate) triangles: u64,
    /// The bounds of the triangles.
    pub(crate) bounds: Aabb,
    /// The number of neighbours of all patches up to this one; those of crowded patches are not counted.
    neighbors_end: u32,
    is_crowded: bool,
}

/// The number of consecutive triangles that are divided into patches; a divisor of 64. Runs of twice that length make
/// queries faster far from the other mesh, and slower next to it.
const RUN: usize = 16;

/// A patch is crowded if the numbers of triangles at the corners of its triangles add up to at least the first number,
/// or if it has at least the second number of neighbours. The neighbours of a crowded patch are not stored: many
/// patches may meet at one point.
const CROWDED: [usize; 2] = [1024, 32];

impl Patches {
    /// Divides the triangles of a mesh into patches.
    pub(super) fn new(view: &View<'_>, triangles: &PointTriangles) -> Self {
        let mut found = Self { starts: vec![0], patches: Vec::new(), neighbors: Vec::new() };
        let count = view.corners.len();
        for start in (0..count).step_by(RUN) {
            let run = start..count.min(start + RUN);
            let mut sets = DisjointSets::sharing(run.clone().map(|leaf| triangles.points(leaf)));
            let mut numbers = [0; RUN];
            for (i, leaf) in run.enumerate() {
                let lowest = sets.find(i as u32) as usize;
                if lowest == i {
                    numbers[i] = found.patches.len();
                    let (word, bounds) = ((leaf / 64) as u32, Aabb::empty());
                    found.patches.push(Patch { word, triangles: 0, bounds, neighbors_end: 0, is_crowded: false });
                }
                let patch = &mut found.patches[numbers[lowest]];
                patch.triangles |= 1 << (leaf % 64);
                view.triangle(leaf).into_iter().for_each(|vertex| patch.bounds.grow(&vertex.map(f64::from)));
            }
            found.starts.push(found.patches.len() as u32);
        }
        for number in 0..found.patches.len() {
            let points = found.patches[number].leaves().flat_map(|leaf| triangles.points(leaf as usize));
            let lists: Vec<&[u32]> = points.map(|point| triangles.at(point)).collect();
            let mut around: Vec<u32> = Vec::new();
            let mut is_crowded = lists.iter().map(|list| list.len()).sum::<usize>() >= CROWDED[0];
            if !is_crowded {
                around.extend(lists.into_iter().flatten().map(|&leaf| found.of(leaf)));
                around.sort_unstable();
                around.dedup();
                around.retain(|&patch| patch as usize != number);
                is_crowded = around.len() >= CROWDED[1];
            }
            if !is_crowded {
                found.neighbors.append(&mut around);
            }
            (found.patches[number].neighbors_end, found.patches[number].is_crowded) =
                (found.neighbors.len() as u32, is_crowded);
        }
        found
    }

    pub(crate) fn count(&self) -> usize {
        self.patches.len()
    }

    pub(crate) fn get(&self, patch: u32) -> &Patch {
        &self.patches[patch as usize]
    }

    /// The index of the patch that contains a triangle, given the triangle's leaf index.
    pub(crate) fn of(&self, leaf: u32) -> u32 {
        let (mut patch, bit) = (self.starts[leaf as usize / RUN], 1 << (leaf % 64));
        while self.patches[patch as usize].triangles & bit == 0 {
            patch += 1;
        }
        patch
    }

    /// The patches that share a point with `patch`; `None` if there are too many to be stored.
    pub(crate) fn neighbors(&self, patch: u32) -> Option<&[u32]> {
        if self.patches[patch as usize].is_crowded {
            return None;
        }
        let start = patch.checked_sub(1).map_or(0, |last| self.patches[last as usize].neighbors_end);
        Some(&self.neighbors[start as usize..self.patches[patch as usize].neighbors_end as usize])
    }
}

impl Patch {
    /// The leaf indices of the triangles.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = u32> + use<> {
        numbers_of(self.word, self.triangles)
    }
}

/// The elements of a bit set that are in its word of index `word`, given that word's bits.
pub(crate) fn numbers_of(word: u32, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(64 * word + bit)
    })
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::Mesh;
    use crate::{BuildOptions, BvTree};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Every triangle is in one patch; patches are connected, of one run, and have the right bounds and neighbours.
        #[test]
        fn patches_are_connected(
            triangles in prop::collection::vec(prop::array::uniform3(0..40u32), 1..150),
            points in prop::collection::vec(prop::array::uniform3(-2..2i8), 40),
        ) {
            let vertices = points.iter().map(|point| Point3::from(point.map(f32::from))).collect();
            let mesh = Mesh::from_arrays(vertices, triangles).unwrap();
            let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
            let (view, patches) = (tree.view(), tree.patches());
            let at = |leaf: u32| view.triangle(leaf as usize).map(|vertex| vertex.map(|x| (x + 0.0).to_bits()));
            let meet = |p: u32, q: u32| at(p).iter().any(|vertex| at(q).contains(vertex));
            let count = view.corners.len() as u32;
            let mut seen = 0;
            for number in 0..patches.count() as u32 {
                let patch = patches.get(number);
                let leaves: Vec<u32> = patch.leaves().collect();
                seen += leaves.len();
                prop_assert!(leaves.iter().all(|&leaf| patches.of(leaf) == number));
                prop_assert!(leaves.iter().all(|leaf| leaf / RUN as u32 == leaves[0] / RUN as u32));
                let mut reached = vec![leaves[0]];
                let mut next = 0;
                while let Some(&leaf) = reached.get(next) {
                    let more = leaves.iter().filter(|&&other| meet(leaf, other) && !reached.contains(&other));
                    let more: Vec<u32> = more.copied().collect();
                    reached.extend(more);
                    next += 1;
                }
                prop_assert_eq!(reached.len(), leaves.len());
                let vertices = leaves.iter().flat_map(|&leaf| view.triangle(leaf as usize));
                let vertices: Vec<Point3<f64>> = vertices.map(|vertex| vertex.map(f64::from)).collect();
                prop_assert_eq!(patch.bounds, Aabb::from_points(&vertices));
                let mut around: Vec<u32> = (0..count)
                    .filter(|&other| leaves.iter().any(|&leaf| meet(leaf, other)))
                    .map(|other| patches.of(other))
                    .filter(|&other| other != number)
                    .collect();
                around.sort_unstable();
                around.dedup();
                match patches.neighbors(number) {
                    Some(neighbors) => prop_assert_eq!(neighbors, &around[..]),
                    None => prop_assert!(around.len() >= CROWDED[1] || count as usize >= CROWDED[0] / (3 * RUN)),
                }
            }
            prop_assert_eq!(seen, count as usize);
        }
    }
}
