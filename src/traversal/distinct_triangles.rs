//! The triangles of a large leaf without duplicates.

use std::ops::Range;

use crate::tree::View;

/// Two leaves with at least this many pairs of triangles are searched for duplicates; the search then takes a small
/// part of the time of testing all pairs.
pub(super) const LARGE: usize = 4096;

/// The triangles of a leaf without duplicates: of triangles with the same corners (bit for bit and in the same order),
/// only the first in the mesh. Equal triangles intersect the same triangles, at the same distances.
pub(super) struct DistinctTriangles {
    leaf_indices: [u32; Self::CAPACITY],
    count: usize,
}

impl DistinctTriangles {
    /// Maximum number of distinct triangles; in a leaf with more, the search for duplicates is not worth its time.
    const CAPACITY: usize = 32;

    /// The distinct triangles of a leaf; `None` if there are more than [`CAPACITY`](Self::CAPACITY).
    pub(super) fn of(view: &View<'_>, leaf: Range<usize>) -> Option<Self> {
        let bits = |leaf_index: usize| view.triangle(leaf_index).map(|corner| corner.coords.map(f32::to_bits));
        let mut distinct = Self { leaf_indices: [0; Self::CAPACITY], count: 0 };
        for leaf_index in leaf {
            let corners = bits(leaf_index);
            let known =
                distinct.leaf_indices[..distinct.count].iter_mut().find(|known| bits(**known as usize) == corners);
            match known {
                Some(known) if view.faces[leaf_index] < view.faces[*known as usize] => *known = leaf_index as u32,
                Some(_) => {}
                None => {
                    *distinct.leaf_indices.get_mut(distinct.count)? = leaf_index as u32;
                    distinct.count += 1;
                }
            }
        }
        Some(distinct)
    }

    /// The leaf indices of the distinct triangles.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + Clone {
        self.leaf_indices[..self.count].iter().map(|&leaf_index| leaf_index as usize)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::DistinctTriangles;
    use crate::tree::View;

    /// The distinct triangles of a leaf whose triangles are points with the given x coordinates.
    fn kept(corners: &[f32], faces: &[u32]) -> Option<Vec<usize>> {
        let vertices: Vec<_> = corners.iter().map(|&x| Point3::new(x, 0.0, 0.0)).collect();
        let corners: Vec<_> = (0..corners.len() as u32).map(|vertex| [vertex; 3]).collect();
        let view = View { nodes: &[], vertices: &vertices, corners: &corners, faces, polygons: &[] };
        DistinctTriangles::of(&view, 0..faces.len()).map(|distinct| distinct.iter().collect())
    }

    #[test]
    fn the_first_of_equal_triangles_is_kept() {
        assert_eq!(kept(&[1.0, 1.0, 2.0, 1.0, 2.0], &[3, 1, 0, 2, 4]), Some(vec![1, 2]));
        assert_eq!(kept(&[0.0, -0.0], &[0, 1]), Some(vec![0, 1]));
    }

    #[test]
    fn leaves_of_many_different_triangles_are_not_searched() {
        let corners: Vec<f32> = (0..33).map(|i| i as f32).collect();
        let faces: Vec<u32> = (0..33).collect();
        assert_eq!(kept(&corners[..32], &faces[..32]).map(|kept| kept.len()), Some(32));
        assert_eq!(kept(&corners, &faces), None);
    }
}
