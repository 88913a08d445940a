//! Oriented boxes, and the separating-axis test of two of them (Gottschalk, Lin and Manocha, OBBTree, 1996, section 5).

use nalgebra::{Matrix3, Point, Point3, SMatrix, SVector, Vector3};

use super::{Aabb, ClosestPoint, Overlaps, Projection, Separation};
use crate::numeric::error_bounds::BOX_OVERLAP;

/// An oriented box, closed (a rectangle in the plane): `{ c + axes * x : |x_i| <= half_extents_i }`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb<const D: usize = 3> {
    /// The centre of the box.
    pub center: Point<f64, D>,
    /// The box's axes as columns, orthonormal.
    pub axes: SMatrix<f64, D, D>,
    /// Half the size along each axis, not negative.
    pub half_extents: SVector<f64, D>,
}

impl<const D: usize> Obb<D> {
    /// Whether `point` lies in the box or on its surface, up to rounding.
    #[inline]
    pub fn contains(&self, point: &Point<f64, D>) -> bool {
        self.in_box_frame().contains(&self.to_local(point))
    }

    /// `point` in the box's frame.
    #[inline]
    pub(super) fn to_local(self, point: &Point<f64, D>) -> Point<f64, D> {
        Point::from(self.axes.tr_mul(&(point - self.center)))
    }

    /// The world point with these coordinates in the box's frame.
    #[inline]
    pub(super) fn to_world(self, point: &Point<f64, D>) -> Point<f64, D> {
        self.center + self.axes * point.coords
    }

    /// This box in its own frame, where it is axis-aligned about the origin.
    #[inline]
    pub(super) fn in_box_frame(&self) -> Aabb<D> {
        Aabb { lower: Point::from(-self.half_extents), upper: Point::from(self.half_extents) }
    }
}

impl Obb {
    /// The volume.
    pub fn volume(&self) -> f64 {
        8.0 * self.half_extents.product()
    }

    /// The area of the six faces: both sides of a flat box.
    pub fn surface_area(&self) -> f64 {
        let h = self.half_extents;
        8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    }

    /// The eight corners; bit `k` of a corner's index selects the upper side on axis `k`.
    pub fn corners(&self) -> [Point3<f64>; 8] {
        self.in_box_frame().corners().map(|corner| self.to_world(&corner))
    }

    /// The box moved by `x -> rotation x + translation`.
    #[inline]
    pub fn transformed(&self, rotation: &Matrix3<f64>, translation: &Vector3<f64>) -> Obb {
        Obb {
            center: rotation * self.center + translation,
            axes: rotation * self.axes,
            half_extents: self.half_extents,
        }
    }
}

impl From<Aabb> for Obb {
    /// The same box. An empty box has no oriented form: the result is then meaningless, with a negative half extent.
    fn from(aabb: Aabb) -> Self {
        Self { center: aabb.center(), axes: Matrix3::identity(), half_extents: aabb.half_extents() }
    }
}

impl<const D: usize> ClosestPoint<D> for Obb<D> {
    /// Clamps each coordinate in the box's frame (Ericson, Real-Time Collision Detection, 2005, section 5.1.4).
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D> {
        let local = self.to_local(point);
        let closest = self.in_box_frame().closest_point(&local);
        if closest == local { *point } else { self.to_world(&closest) }
    }
}

impl Obb {
    /// The margin of [`Overlaps::overlaps`], relative to the sum of all six half extents.
    ///
    /// A smaller gap counts as touching; a wider one on a unit axis never does. Touching boxes are never called apart
    /// if both `axes` satisfy `max |axes^T axes - I| <= TOLERANCE / 32`, which is 7e-15; a rotation computed in f64 is
    /// closer.
    pub const TOLERANCE: f64 = BOX_OVERLAP;

    /// Whether the boxes overlap, with a custom margin in place of [`Obb::TOLERANCE`], likewise relative to the sum of
    /// all six half extents.
    ///
    /// Use it for axes that are not quite orthonormal: if both satisfy `max |axes^T axes - I| <= d <= 1e-3`, touching
    /// boxes are never called apart with a tolerance of `TOLERANCE + 16 d`.
    #[inline]
    pub fn overlaps_within(&self, other: &Obb, tolerance: f64) -> bool {
        let pair = BoxPair::new(self, other);
        let margin = tolerance * pair.extents_sum();
        let apart = |(distance, radius): (f64, f64)| distance.abs() > radius + margin;
        !((0..3).any(|i| apart(pair.on_first_face(i)))
            || (0..3).any(|j| apart(pair.on_second_face(j)))
            || (0..9).any(|edges| apart(pair.on_edges(edges / 3, edges % 3))))
    }

    /// The separating axis with the widest gap, or else the axis of least overlap and the penetration depth.
    ///
    /// The boxes are apart if and only if [`Overlaps::overlaps`] is false. Cross products of edges parallel within 1e-8
    /// radians are skipped in the search for the least overlap, which changes the depth by about 1e-8 of the boxes'
    /// sizes.
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
    /// Tests 15 separating axes with a margin of [`Obb::TOLERANCE`].
    #[inline]
    fn overlaps(&self, other: &Obb) -> bool {
        self.overlaps_within(other, Self::TOLERANCE)
    }
}

impl Overlaps<Aabb> for Obb {
    /// Treats the axis-aligned box as an oriented one.
    fn overlaps(&self, aabb: &Aabb) -> bool {
        !aabb.is_empty() && self.overlaps(&Obb::from(*aabb))
    }
}

impl Overlaps<Obb> for Aabb {
    fn overlaps(&self, obb: &Obb) -> bool {
        obb.overlaps(self)
    }
}

/// The second box in the first one's frame. Each axis gives the signed distance between the centres and the sum of the
/// boxes' half widths, both times the axis's length. Nothing is divided by that length: where edges are parallel and
/// their cross product is noise, the face normals already decide.
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

    /// The sum of all half extents. Overlapping boxes' centres are at most this far apart, so all rounding errors are
    /// relative to it.
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
