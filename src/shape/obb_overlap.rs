//! Two oriented boxes by separating axes (Gottschalk, Lin and Manocha, OBBTree, 1996, section 5).
//!
//! Two boxes are apart exactly when their projections are on one of 15 axes: the three face normals of each, and the
//! nine cross products of an edge of one with an edge of the other. Parallel edges give a cross product that is only
//! rounding noise. Nothing is divided by its length: projections are compared as they are, with a margin that scales
//! with the boxes, and where edges are parallel the face normals already decide.

use nalgebra::{Matrix3, Vector3};

use super::separation::Projection;
use super::{Aabb, Obb, Overlaps, Separation};

impl Obb {
    /// The margin of [`Overlaps::overlaps`], relative to the sum of all six half extents.
    ///
    /// A gap below it counts as touching, a wider one on a unit axis never does. Boxes that touch are never called
    /// apart if both `axes` satisfy `max |axes^T axes - I| <= TOLERANCE / 32`, which is 7e-15; a rotation computed in
    /// f64 is closer than that.
    pub const TOLERANCE: f64 = f64::EPSILON * 1024.0;

    /// Whether the boxes overlap, with a margin of one's own in place of [`Obb::TOLERANCE`], relative to the half
    /// extents like it.
    ///
    /// For axes that are not quite orthonormal: if both satisfy `max |axes^T axes - I| <= d <= 1e-3`, then boxes that
    /// touch are never called apart with a tolerance of `TOLERANCE + 16 d`.
    #[inline]
    pub fn overlaps_within(&self, other: &Obb, tolerance: f64) -> bool {
        let pair = BoxPair::new(self, other);
        let margin = tolerance * pair.extents_sum();
        let apart = |(distance, radius): (f64, f64)| distance.abs() > radius + margin;
        !((0..3).any(|i| apart(pair.on_first_face(i)))
            || (0..3).any(|j| apart(pair.on_second_face(j)))
            || (0..9).any(|edges| apart(pair.on_edges(edges / 3, edges % 3))))
    }

    /// The best separating axis on a miss; the axis of least overlap and its depth on a hit.
    ///
    /// A miss exactly when [`Overlaps::overlaps`] is false. Cross products of edges that are parallel within 1e-8
    /// radians are passed over in the search for the least overlap, which moves the depth by about 1e-8 of the sizes.
    pub fn separating_axis(&self, other: &Obb) -> Separation {
        let pair = BoxPair::new(self, other);
        let margin = Self::TOLERANCE * pair.extents_sum();
        let projection = |axis, (distance, radius)| Projection { axis, distance, radius, margin };
        let first_faces = (0..3).map(|i| projection(self.axes.column(i).into_owned(), pair.on_first_face(i)));
        let second_faces = (0..3).map(|j| projection(other.axes.column(j).into_owned(), pair.on_second_face(j)));
        let edges = (0..9)
            .map(|edges| (edges / 3, edges % 3))
            .map(|(i, j)| projection(self.axes * pair.edge_axis_in_first(i, j), pair.on_edges(i, j)));
        Separation::of(first_faces.chain(second_faces).chain(edges))
    }
}

impl Overlaps for Obb {
    /// By 15 separating axes, with a margin of [`Obb::TOLERANCE`].
    #[inline]
    fn overlaps(&self, other: &Obb) -> bool {
        self.overlaps_within(other, Self::TOLERANCE)
    }
}

impl Overlaps<Aabb> for Obb {
    /// The axis-aligned box taken as an oriented one.
    fn overlaps(&self, aabb: &Aabb) -> bool {
        !aabb.is_empty() && self.overlaps(&Obb::from(*aabb))
    }
}

impl Overlaps<Obb> for Aabb {
    /// The same as with the arguments exchanged.
    fn overlaps(&self, obb: &Obb) -> bool {
        obb.overlaps(self)
    }
}

/// The second box in the first one's frame. Every axis yields the signed distance of the centres along it and the
/// radius, the sum of the boxes' half widths, both times the axis's length.
struct BoxPair {
    half_extents: (Vector3<f64>, Vector3<f64>),
    offset: Vector3<f64>,
    rotation: Matrix3<f64>,
    abs_rotation: Matrix3<f64>,
}

impl BoxPair {
    #[inline]
    fn new(first: &Obb, second: &Obb) -> Self {
        let rotation = first.axes.tr_mul(&second.axes);
        Self {
            half_extents: (first.half_extents, second.half_extents),
            offset: first.axes.tr_mul(&(second.center - first.center)),
            rotation,
            abs_rotation: rotation.abs(),
        }
    }

    /// Overlapping boxes' centres are no farther apart than this, so all rounding errors are in proportion to it.
    #[inline]
    fn extents_sum(&self) -> f64 {
        self.half_extents.0.sum() + self.half_extents.1.sum()
    }

    #[inline]
    fn on_first_face(&self, i: usize) -> (f64, f64) {
        let (a, b) = &self.half_extents;
        (self.offset[i], a[i] + self.abs_rotation.row(i).tr_dot(b))
    }

    #[inline]
    fn on_second_face(&self, j: usize) -> (f64, f64) {
        let (a, b) = &self.half_extents;
        (self.offset.dot(&self.rotation.column(j)), self.abs_rotation.column(j).dot(a) + b[j])
    }

    /// Edge `i` of the first box crossed with edge `j` of the second, in the first box's frame.
    #[inline]
    fn edge_axis_in_first(&self, i: usize, j: usize) -> Vector3<f64> {
        let (next, last) = ((i + 1) % 3, (i + 2) % 3);
        let mut axis = Vector3::zeros();
        axis[next] = -self.rotation[(last, j)];
        axis[last] = self.rotation[(next, j)];
        axis
    }

    #[inline]
    fn on_edges(&self, i: usize, j: usize) -> (f64, f64) {
        let (a, b) = &self.half_extents;
        let ((i1, i2), (j1, j2)) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3));
        let r = &self.abs_rotation;
        (
            self.offset[i2] * self.rotation[(i1, j)] - self.offset[i1] * self.rotation[(i2, j)],
            (a[i1] * r[(i2, j)] + a[i2] * r[(i1, j)]) + (b[j1] * r[(i, j2)] + b[j2] * r[(i, j1)]),
        )
    }
}
