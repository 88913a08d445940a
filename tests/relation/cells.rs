//! Solids of unit cells, whose relation is told by their sets of cells: an oracle for contact that is flush everywhere.

use bvtree::query::Relation::{self, *};
use bvtree::{Mesh, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Point3, Vector3};
use proptest::prelude::*;

use super::swapped;
use crate::cases::cases;
use crate::oracle::Rules;

/// Cells of a grid, filled or not.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) filled: Vec<[i32; 3]>,
}

impl Cells {
    /// Each cell as `size` cells along each axis, shifted.
    pub(crate) fn refined(&self, size: i32, shift: [i32; 3]) -> Self {
        let fine = |[x, y, z]: [i32; 3]| {
            (0..size.pow(3))
                .map(move |i| [x * size + i % size, y * size + i / size % size, z * size + i / (size * size)])
        };
        let moved = |cell: [i32; 3]| std::array::from_fn(|k| cell[k] + shift[k]);
        Self { filled: self.filled.iter().copied().flat_map(fine).map(moved).collect() }
    }

    /// The unit squares between filled cells and others: the axis across, and the cell above.
    pub(crate) fn squares(&self) -> Vec<(usize, [i32; 3])> {
        let is_filled = |cell: &[i32; 3]| self.filled.contains(cell);
        let mut squares = Vec::new();
        for &cell in &self.filled {
            for axis in 0..3 {
                for (neighbor, above) in [(-1, cell), (1, offset(cell, axis, 1))] {
                    if !is_filled(&offset(cell, axis, neighbor)) {
                        squares.push((axis, above));
                    }
                }
            }
        }
        squares
    }

    /// The surface, of squares with a side of `size`, by a map of space that takes integers to integers.
    pub(crate) fn mesh(&self, size: i32, map: &Matrix3<f64>) -> Mesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (axis, above) in self.squares() {
            let is_top = self.filled.contains(&offset(above, axis, -1));
            let first = vertices.len() as u32;
            for (u, v) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                let corner = offset(offset(above, (axis + 1) % 3, u), (axis + 2) % 3, v);
                let corner = map * Vector3::from(corner.map(|x| f64::from(x * size)));
                vertices.push(Point3::from(corner.map(|x| x as f32)));
            }
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| first + i);
            triangles.extend(if is_top { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
        Mesh::from_arrays(vertices, triangles).unwrap()
    }

    /// Whether some of the other's squares are inside and whether some are outside.
    fn sides(&self, other: &Cells) -> [bool; 2] {
        let mut sides = [false; 2];
        for (axis, above) in other.squares() {
            let filled = [above, offset(above, axis, -1)].map(|cell| self.filled.contains(&cell));
            sides[0] |= filled == [true; 2];
            sides[1] |= filled == [false; 2];
        }
        sides
    }

    fn touches(&self, other: &Cells) -> bool {
        let corners = |cells: &Cells| -> Vec<[i32; 3]> {
            let squares = cells.squares();
            let around =
                |axis: usize| [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v)| ((axis + 1) % 3, u, (axis + 2) % 3, v));
            squares
                .iter()
                .flat_map(|&(axis, cell)| around(axis).map(|(x, u, y, v)| offset(offset(cell, x, u), y, v)))
                .collect()
        };
        let of_other = corners(other);
        corners(self).iter().any(|corner| of_other.contains(corner))
    }

    fn relation(&self, other: &Cells) -> Relation {
        let ([b_in, b_out], [a_in, a_out]) = (self.sides(other), other.sides(self));
        match (a_in, b_in) {
            (false, false) if !self.touches(other) => Separate,
            (false, false) => Touching,
            (true, false) if !a_out => AInB,
            (false, true) if !b_out => BInA,
            _ => Crossing,
        }
    }
}

fn offset(mut cell: [i32; 3], axis: usize, by: i32) -> [i32; 3] {
    cell[axis] += by;
    cell
}

pub(crate) fn cells() -> impl Strategy<Value = Cells> {
    prop::collection::btree_set(prop::array::uniform3(0..3), 1..12)
        .prop_map(|cells| Cells { filled: cells.into_iter().collect() })
}

/// Integers to integers, upright or askew.
pub(crate) fn maps() -> impl Strategy<Value = Matrix3<f64>> {
    let askew = Matrix3::new(2.0, 1.0, 0.0, 0.0, 3.0, 1.0, 1.0, 0.0, 2.0);
    prop::sample::select(vec![Matrix3::identity(), askew, Matrix3::new(1.0, 5.0, 3.0, 0.0, 1.0, 7.0, 0.0, 0.0, 1.0)])
}

proptest! {
    #![proptest_config(cases(40, 3000))]

    /// Everything is flush: faces, edges and vertices lie on each other, and no interiors of triangles cross.
    #[test]
    fn solids_of_cells(
        (a, b) in (cells(), cells()),
        sizes in prop::sample::select(vec![[1, 1], [2, 1], [1, 2], [2, 3]]),
        shift in prop::array::uniform3(-4..6),
        map in maps(),
        kind in prop::sample::select(&VolumeKind::ALL),
    ) {
        let [fine_a, fine_b] = [a.refined(sizes[0], [0; 3]), b.refined(sizes[1], shift)];
        let [mesh_a, mesh_b] = [a.mesh(sizes[0], &map), b.mesh(sizes[1], &map)];
        let b_to_a = Pose::new(Matrix3::identity(), map * Vector3::from(shift.map(f64::from))).unwrap();
        let [tree_a, tree_b] = [&mesh_a, &mesh_b].map(|mesh| Rules::FINEST.tree(mesh, kind));
        let mut query = Query::new();
        let expected = fine_a.relation(&fine_b);
        prop_assert_eq!(query.relation(&tree_a, &tree_b, &b_to_a), expected);
        prop_assert_eq!(query.relation(&tree_b, &tree_a, &b_to_a.inverse()), swapped(expected));
    }
}
