//! The triangles of a surface that may have points inside the other mesh.

use nalgebra::center;

use super::surface::Surface;
use crate::mesh::PointTriangles;
use crate::probe::{Containment, Probe};
use crate::shape::Aabb;
use crate::tree::{Patches, numbers_of};
use crate::triangle::Triangle;

/// A triangle that may have points inside the other mesh.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// The triangle's leaf index.
    pub(super) leaf: u32,
    /// Whether the whole triangle is known to be inside the other mesh.
    pub(super) is_inside: bool,
    /// Whether each vertex is inside the other mesh, if known.
    pub(super) vertices: [Option<bool>; 3],
}

impl Candidate {
    /// A triangle that does not meet the other surface.
    pub(super) fn whole(leaf: u32, is_inside: bool) -> Self {
        Self { leaf, is_inside, vertices: [is_inside.then_some(true); 3] }
    }
}

/// The triangles of a surface that may have points inside the other mesh.
#[derive(Default)]
pub(super) struct Candidates {
    /// The triangles that meet the other surface.
    pub(super) crossing: Vec<Candidate>,
    /// The triangles that don't meet the other surface and are wholly inside the other mesh, or are not known to be:
    /// they are too near its surface to tell, or leave the bounds of an open mesh. In the order of their leaf indices.
    pub(super) inner: Vec<Candidate>,
}

/// Finds the triangles of a surface that may have points inside the other mesh.
///
/// Triangles that don't meet the other surface and are connected by vertices are all inside or all outside. A flood
/// fill visits all triangles that are inside, by whole patches where there are many. Outside, it visits only those at
/// the vertices of triangles that meet the other surface.
pub(super) fn candidates(surface: &Surface<'_>, marks: &mut Marks, probe: &mut Probe) -> Candidates {
    candidates_by(surface, marks, probe, FEW)
}

/// [`candidates`], which visits whole patches once it has visited `few` triangles one by one.
fn candidates_by(surface: &Surface<'_>, marks: &mut Marks, probe: &mut Probe, few: usize) -> Candidates {
    let triangles = surface.tree.point_triangles();
    marks.clear(surface.view().corners.len(), triangles.count());
    let bounds = (!surface.other.watertightness().is_closed()).then(|| *surface.other.bounds());
    let (unclear, to_visit, visited) = Default::default();
    let mut flood = Flood { surface, marks, probe, triangles, bounds, unclear, to_visit, visited, few };
    let touched = surface.touched();
    let mut points = Vec::with_capacity(2 * touched.len());
    for &leaf in &touched {
        flood.marks.blocked.insert(leaf);
        points.extend(triangles.points(leaf as usize).into_iter().filter(|&point| flood.marks.see(point)));
    }
    points.into_iter().for_each(|point| flood.classify_around(point));
    flood.add_untouched_components(&touched);
    let with_sides = |leaf| Candidate {
        leaf,
        is_inside: false,
        vertices: triangles.points(leaf as usize).map(|p| flood.marks.side(p)),
    };
    let crossing = touched.into_iter().map(with_sides).collect();
    let unclear = flood.unclear;
    let mut inner: Vec<Candidate> = marks.inside.take().map(|leaf| Candidate::whole(leaf, true)).collect();
    if !unclear.is_empty() {
        inner.extend(unclear.into_iter().map(|leaf| Candidate::whole(leaf, false)));
        inner.sort_unstable_by_key(|candidate| candidate.leaf);
    }
    Candidates { crossing, inner }
}

/// A set of numbers, with a bit for each. Only words that are not 0 are cleared.
#[derive(Debug, Default)]
struct Bits {
    words: Vec<u64>,
    /// The indices of the words that are not 0.
    marked: Vec<u32>,
}

impl Bits {
    /// Removes all numbers, and makes room for numbers below `count`.
    fn clear(&mut self, count: usize) {
        self.marked.drain(..).for_each(|word| self.words[word as usize] = 0);
        self.words.resize(self.words.len().max(count.div_ceil(64)), 0);
    }

    fn word(&self, word: u32) -> u64 {
        self.words[word as usize]
    }

    fn has(&self, number: u32) -> bool {
        self.word(number / 64) >> (number % 64) & 1 == 1
    }

    /// Adds a number; returns whether it is new.
    fn insert(&mut self, number: u32) -> bool {
        self.insert_in_word(number / 64, 1 << (number % 64)) != 0
    }

    /// Adds one or more bits of a word, and returns the new ones.
    fn insert_in_word(&mut self, word: u32, bits: u64) -> u64 {
        let known = &mut self.words[word as usize];
        if *known == 0 {
            self.marked.push(word);
        }
        let new = bits & !*known;
        *known |= bits;
        new
    }

    /// Removes and returns all numbers in order. Sorting the few words that are not 0 is faster than sorting numbers.
    fn take(&mut self) -> impl Iterator<Item = u32> {
        self.marked.sort_unstable();
        self.marked.drain(..).flat_map(|word| numbers_of(word, std::mem::take(&mut self.words[word as usize])))
    }
}

/// The classification of a surface's triangles and points, as far as it is known. The memory is kept from query to
/// query, and only marked entries are cleared, since most of a large mesh is far from the other.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The triangles that meet the other surface, and others that the flood fill must not visit again.
    blocked: Bits,
    /// The triangles that are wholly inside the other mesh.
    inside: Bits,
    /// The patches that are wholly inside the other mesh.
    patches: Bits,
    /// Whether each point is inside the other mesh; `None` if unknown.
    sides: Vec<Option<bool>>,
    marked_sides: Vec<u32>,
    /// One more than the position of each point in `known_nearest`; 0 if it is not there.
    nearest: Vec<u32>,
    /// Whether each point was seen in the current pass over triangles, which share points.
    is_seen: Vec<bool>,
    seen: Vec<u32>,
    /// Points, each with the closest triangle of the other mesh.
    known_nearest: Vec<(usize, Triangle)>,
}

impl Marks {
    fn clear(&mut self, triangles: usize, points: usize) {
        self.blocked.clear(triangles);
        self.inside.clear(triangles);
        // There are no more patches than triangles.
        self.patches.clear(triangles);
        self.forget_seen(points);
        self.marked_sides.drain(..).for_each(|point| self.sides[point as usize] = None);
        self.sides.resize(self.sides.len().max(points), None);
    }

    /// Forgets the closest triangles of the last query; `points` is the number of points.
    pub(super) fn forget_nearest(&mut self, points: usize) {
        self.known_nearest.drain(..).for_each(|(point, _)| self.nearest[point] = 0);
        self.nearest.resize(self.nearest.len().max(points), 0);
    }

    /// The triangle of the other mesh that is closest to a point, if known.
    pub(super) fn nearest(&self, point: usize) -> Option<Triangle> {
        let position = (self.nearest[point] as usize).checked_sub(1)?;
        Some(self.known_nearest[position].1)
    }

    pub(super) fn set_nearest(&mut self, point: usize, triangle: Triangle) {
        self.known_nearest.push((point, triangle));
        self.nearest[point] = self.known_nearest.len() as u32;
    }

    /// Unmarks all seen points, before a pass over triangles; `points` is the number of points.
    pub(super) fn forget_seen(&mut self, points: usize) {
        self.seen.drain(..).for_each(|point| self.is_seen[point as usize] = false);
        self.is_seen.resize(self.is_seen.len().max(points), false);
    }

    /// Marks a point as seen; returns whether it is seen for the first time.
    pub(super) fn see(&mut self, point: usize) -> bool {
        if self.is_seen[point] {
            return false;
        }
        self.is_seen[point] = true;
        self.seen.push(point as u32);
        true
    }

    /// Whether a point is inside the other mesh; `None` if unknown.
    pub(super) fn side(&self, point: usize) -> Option<bool> {
        self.sides[point]
    }

    /// Sets whether a point is inside the other mesh.
    pub(super) fn set_side(&mut self, point: usize, is_inside: bool) {
        if self.sides[point].replace(is_inside).is_none() {
            self.marked_sides.push(point as u32);
        }
    }
}

struct Flood<'a, 'b> {
    surface: &'b Surface<'a>,
    marks: &'b mut Marks,
    probe: &'b mut Probe,
    triangles: &'a PointTriangles,
    /// The bounds of the other mesh, if it is open: nothing outside the bounds is inside the mesh, even where no
    /// surface separates the two.
    bounds: Option<Aabb>,
    /// The triangles that don't meet the other surface and may have points inside, but are not known to be wholly
    /// inside: they are too near to tell, or leave the bounds of an open mesh.
    unclear: Vec<u32>,
    to_visit: ToVisit,
    /// The number of triangles that were visited one by one.
    visited: usize,
    /// The number of triangles that are visited one by one before whole patches are.
    few: usize,
}

/// The patches and points inside that the flood fill has reached and not visited yet.
#[derive(Default)]
struct ToVisit {
    patches: Vec<u32>,
    points: Vec<usize>,
}

/// The number of triangles that are visited one by one before whole patches are.
const FEW: usize = 256;

impl<'a> Flood<'a, '_> {
    /// The triangles in patches, which the tree computes when they are first needed.
    fn patches(&self) -> &'a Patches {
        self.surface.tree.patches()
    }

    /// Classifies the triangles at a point of a triangle that meets the other surface, and all triangles inside that
    /// are connected with them.
    fn classify_around(&mut self, point: usize) {
        let side = self.marks.side(point);
        // Beyond the bounds of an open mesh, triangles at a classified point may still be unclassified.
        if side == Some(true) || side.is_some() && self.bounds.is_none() {
            return;
        }
        for &leaf in self.triangles.at(point) {
            if self.is_known(leaf) {
                continue;
            }
            match self.side(leaf) {
                None => {
                    self.marks.blocked.insert(leaf);
                    self.unclear.push(leaf);
                }
                Some(false) => self.spread_outside(leaf),
                Some(true) => {
                    self.reach(leaf);
                    self.spread_inside();
                }
            }
        }
    }

    /// Whether a triangle meets the other surface or is classified.
    fn is_known(&self, leaf: u32) -> bool {
        self.marks.blocked.has(leaf) || self.marks.inside.has(leaf)
    }

    /// Visits a triangle outside and those that are connected with it by points of triangles that meet the other
    /// surface.
    fn spread_outside(&mut self, leaf: u32) {
        self.visit_outside(leaf);
        while let Some(point) = self.to_visit.points.pop() {
            for &leaf in self.triangles.at(point) {
                self.visit_outside(leaf);
            }
        }
    }

    fn visit_outside(&mut self, leaf: u32) {
        if self.marks.blocked.insert(leaf) {
            for point in self.triangles.points(leaf as usize) {
                if self.marks.is_seen[point] && self.marks.side(point).is_none() {
                    self.marks.set_side(point, false);
                    self.to_visit.points.push(point);
                }
            }
        }
    }

    /// Visits all triangles that are connected with the patches and points reached.
    fn spread_inside(&mut self) {
        loop {
            if let Some(patch) = self.to_visit.patches.pop() {
                self.visit_patch(patch);
            } else if let Some(point) = self.to_visit.points.pop() {
                for &leaf in self.triangles.at(point) {
                    if !self.is_known(leaf) {
                        self.reach(leaf);
                    }
                }
            } else {
                break;
            }
        }
    }

    /// Marks an unclassified triangle that the flood fill inside has reached: as inside, alone or with its whole patch,
    /// or as unclear if it has a point outside the bounds of an open mesh.
    fn reach(&mut self, leaf: u32) {
        self.visited += 1;
        if self.visited > self.few {
            let patch = self.patches().of(leaf);
            if self.is_whole(patch) {
                return self.reach_patch(patch);
            }
        }
        let mut ends = false;
        for (corner, point) in self.triangles.points(leaf as usize).into_iter().enumerate() {
            let side = self.marks.side(point).unwrap_or_else(|| {
                let is_in_bounds = self.is_in_bounds(leaf, corner);
                self.marks.set_side(point, is_in_bounds);
                if is_in_bounds {
                    self.to_visit.points.push(point);
                }
                is_in_bounds
            });
            ends |= !side;
        }
        if ends {
            self.marks.blocked.insert(leaf);
            self.unclear.push(leaf);
        } else {
            self.marks.inside.insert(leaf);
        }
    }

    /// Whether all triangles of a patch are on the same side: none meets the other surface or is too near to tell, and
    /// all are within the bounds of an open mesh.
    fn is_whole(&self, patch: u32) -> bool {
        if self.marks.patches.has(patch) {
            return true;
        }
        let of_patch = self.patches().get(patch);
        self.marks.blocked.word(of_patch.word) & of_patch.triangles == 0
            && self.bounds.as_ref().is_none_or(|bounds| self.surface.is_box_within(&of_patch.bounds, bounds))
    }

    fn reach_patch(&mut self, patch: u32) {
        if self.marks.patches.insert(patch) {
            self.to_visit.patches.push(patch);
        }
    }

    /// Visits a patch that is wholly inside the other mesh.
    fn visit_patch(&mut self, patch: u32) {
        let (patches, of_patch) = (self.patches(), self.patches().get(patch));
        self.marks.inside.insert_in_word(of_patch.word, of_patch.triangles);
        if let Some(neighbors) = patches.neighbors(patch)
            && neighbors.iter().all(|&neighbor| self.is_whole(neighbor))
        {
            return neighbors.iter().for_each(|&neighbor| self.reach_patch(neighbor));
        }
        for leaf in of_patch.leaves() {
            for point in self.triangles.points(leaf as usize) {
                if self.marks.side(point).is_none() {
                    self.marks.set_side(point, true);
                    self.to_visit.points.push(point);
                }
            }
        }
    }

    /// Whether a corner of a triangle is within the bounds of the other mesh; true if the other mesh is closed.
    fn is_in_bounds(&self, leaf: u32, corner: usize) -> bool {
        let vertex = || self.surface.vertex(leaf as usize, corner);
        self.bounds.as_ref().is_none_or(|bounds| bounds.contains(&vertex()))
    }

    /// Whether a triangle that doesn't meet the other surface is inside; `None` if it is too near to tell.
    fn side(&mut self, leaf: u32) -> Option<bool> {
        let [a, b, c] = self.surface.vertices(leaf as usize);
        let middle = center(&center(&a, &b), &c);
        let other = self.surface.other;
        let near = self.probe.closest_point_within(other, &middle, self.surface.rounding);
        near.is_none().then(|| self.probe.robust_side(other, &middle) == Containment::Inside)
    }

    /// Adds the components that don't meet the other surface and are inside.
    fn add_untouched_components(&mut self, touched: &[u32]) {
        let components = self.surface.tree.components();
        if components.count() == 1 && !touched.is_empty() {
            return;
        }
        let mut sides: Vec<Option<bool>> = vec![None; components.count()];
        touched.iter().for_each(|&leaf| sides[components.at(leaf as usize)] = Some(false));
        let mut are_any_inside = false;
        for (component, side) in sides.iter_mut().enumerate() {
            if side.is_none() {
                *side = self.side(components.first(component));
                are_any_inside |= *side != Some(false);
            }
        }
        if !are_any_inside {
            return;
        }
        for patch in 0..self.patches().count() as u32 {
            let of_patch = self.patches().get(patch);
            let mut leaves = of_patch.leaves().peekable();
            let side = leaves.peek().map_or(Some(false), |&leaf| sides[components.at(leaf as usize)]);
            match side {
                Some(false) => {}
                Some(true) if self.is_whole(patch) => {
                    self.marks.inside.insert_in_word(of_patch.word, of_patch.triangles);
                }
                _ => {
                    for leaf in leaves {
                        if side == Some(true) && (0..3).all(|corner| self.is_in_bounds(leaf, corner)) {
                            self.marks.inside.insert(leaf);
                        } else {
                            self.unclear.push(leaf);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use nalgebra::{Point3, Rotation3};
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::Mesh;
    use crate::pose::Pose;
    use crate::query::Query;
    use crate::traversal::PosedTrees;
    use crate::{BuildOptions, BvTree};

    /// A body of revolution: rings of points at a radius and a height, with a point at each end that is closed.
    fn turned(rings: &[[f64; 2]], columns: u32, ends: &[f64]) -> BvTree {
        let at = |radius: f64, column: u32, height: f64| {
            let angle = TAU * f64::from(column) / f64::from(columns);
            Point3::new(radius * angle.cos(), radius * angle.sin(), height).map(|x| x as f32)
        };
        let ring = |&[radius, height]: &[f64; 2]| (0..columns).map(move |column| at(radius, column, height));
        let mut vertices: Vec<Point3<f32>> = rings.iter().flat_map(ring).collect();
        let mut triangles = Vec::new();
        for column in 0..columns {
            let next = (column + 1) % columns;
            for row in (0..rings.len() as u32 - 1).map(|row| row * columns) {
                let [a, b, c, d] = [row + column, row + next, row + columns + next, row + columns + column];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
            let (end, last) = (rings.len() as u32 * columns, (rings.len() as u32 - 1) * columns);
            let caps = [[end, next, column], [end + 1, last + column, last + next]];
            triangles.extend(&caps[..ends.len()]);
        }
        vertices.extend(ends.iter().map(|&height| at(0.0, 0, height)));
        let mesh = Mesh::from_arrays(vertices, triangles).expect("indices of vertices");
        BvTree::build(&mesh, &BuildOptions::default()).expect("valid options")
    }

    /// A ball; without its upper end it is open.
    fn ball(ends: &[f64]) -> BvTree {
        let rings: Vec<[f64; 2]> = (1..24).map(|row| PI * f64::from(row) / 24.0).map(|a| [a.sin(), -a.cos()]).collect();
        turned(&rings, 40, ends)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        /// Visiting whole patches gives the same result as visiting triangles one by one, also where thousands of
        /// triangles meet at a point.
        #[test]
        fn patches_are_as_one_by_one(
            angles in prop::array::uniform2(prop::array::uniform3(-3.0..3.0f64)),
            translations in prop::array::uniform2(prop::array::uniform3(-1.2..1.2f64)),
        ) {
            let closed = ball(&[-1.0, 1.0]);
            let pairs = [[closed.clone(), ball(&[-1.0])], [closed, turned(&[[0.9, -0.5]], 2500, &[-0.5, 1.0])]];
            let (mut query, mut probe, mut marks) = (Query::new(), Probe::new(), Marks::default());
            for ([a, b], ([x, y, z], translation)) in pairs.iter().zip(angles.into_iter().zip(translations)) {
                let rotation = Rotation3::from_euler_angles(x, y, z).into_inner();
                let b_to_a = Pose::new(rotation, translation.into()).expect("a rotation");
                let trees = PosedTrees::new([a, b], &b_to_a);
                let contacts = query.leaf_contacts(&trees, usize::MAX).unwrap_or_default();
                for side in 0..2 {
                    let surface = Surface::new([a, b], &trees, side, &contacts);
                    let mut found = |few, marks: &mut Marks| {
                        let Candidates { crossing, inner } = candidates_by(&surface, marks, &mut probe, few);
                        let told = |of: Vec<Candidate>| -> Vec<_> {
                            of.into_iter().map(|found| (found.leaf, found.is_inside, found.vertices)).collect()
                        };
                        [told(crossing), told(inner)]
                    };
                    let [patches, one_by_one] = [found(0, &mut marks), found(usize::MAX, &mut Marks::default())];
                    prop_assert!(patches == one_by_one, "side {}", side);
                }
            }
        }
    }
}
