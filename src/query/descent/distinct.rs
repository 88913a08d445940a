//! The triangles of a large leaf without their duplicates.

use std::ops::Range;

use crate::tree::View;

/// Pairs of two leaves' triangles from which on it takes little of the time that testing them would to look for
/// duplicates.
pub(super) const LARGE: usize = 4096;

/// Triangles of a leaf of which no two have the same corners, bit for bit and in the same order: of equal ones the
/// first in the mesh. Equal triangles have the same distance to any other, and the same verdict with it.
pub(super) struct Distinct {
    leaf_indices: [u32; Self::CAPACITY],
    count: usize,
}

impl Distinct {
    /// A leaf of more triangles that differ is not one of duplicates.
    const CAPACITY: usize = 32;

    /// Those of a leaf, if they are few.
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

    /// Their leaf indices.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + Clone {
        self.leaf_indices[..self.count].iter().map(|&leaf_index| leaf_index as usize)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::Distinct;
    use crate::tree::View;

    /// The triangles kept of a leaf of triangles with one corner each, which is given, and their faces.
    fn kept(corners: &[f32], faces: &[u32]) -> Option<Vec<usize>> {
        let vertices: Vec<_> = corners.iter().map(|&x| Point3::new(x, 0.0, 0.0)).collect();
        let corners: Vec<_> = (0..corners.len() as u32).map(|vertex| [vertex; 3]).collect();
        let view = View { nodes: &[], vertices: &vertices, corners: &corners, faces, polygons: &[] };
        Distinct::of(&view, 0..faces.len()).map(|distinct| distinct.iter().collect())
    }

    #[test]
    fn of_equal_triangles_the_first_in_the_mesh_is_kept() {
        assert_eq!(kept(&[1.0, 1.0, 2.0, 1.0, 2.0], &[3, 1, 0, 2, 4]), Some(vec![1, 2]));
        assert_eq!(kept(&[0.0, -0.0], &[0, 1]), Some(vec![0, 1]));
    }

    #[test]
    fn leaves_of_many_different_triangles_are_left_as_they_are() {
        let corners: Vec<f32> = (0..33).map(|i| i as f32).collect();
        let faces: Vec<u32> = (0..33).collect();
        assert_eq!(kept(&corners[..32], &faces[..32]).map(|kept| kept.len()), Some(32));
        assert_eq!(kept(&corners, &faces), None);
    }
}
