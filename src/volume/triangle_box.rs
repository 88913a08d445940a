//! The flat box around a single triangle, brought into another tree's frame in f64.
//!
//! The box replaces the leaf's volume in tests against volumes that are much smaller than the leaf: a leaf's volume may
//! be thick, and the margin of a [`RelativeFrame`](super::RelativeFrame) grows with the larger mesh. The box is cut
//! down to the part near the other tree, so that its own margin does not grow with the mesh.

use nalgebra::{Matrix3, Point3, Vector3};

use super::PackedAnyBox;
use super::frame::Frame;
use crate::numeric::error_bounds::{TRIANGLE_BOX_ROUNDING, VOLUME_TEST_ROUNDING};
use crate::pose::Pose;

/// The map from one mesh's coordinates to the local coordinates of the other tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleFrame {
    matrix: Matrix3<f64>,
    shift: Vector3<f64>,
    /// The margin of a volume test, relative to the largest coordinate in the test.
    relative_margin: f64,
    /// A bound on how far rounding in f64 moves a point, in the other tree's unit.
    rounding: f64,
}

/// The box around the part of a triangle that may touch another tree's triangles, or be nearest to a point of one.
#[derive(Clone, Copy, Default)]
pub(crate) struct TriangleBox {
    pub(crate) volume: PackedAnyBox,
    /// The margin of volume tests with the box.
    pub(crate) margin: f32,
    /// A lower bound on the distance from the triangle to the other tree's triangles, in that tree's unit; negative if
    /// no distance is proved.
    pub(crate) gap: f32,
}

/// The radius, in local coordinates, of a sphere about a frame's origin that contains all the tree's triangles despite
/// rounding.
const TREE_RADIUS: f64 = 1.001;

impl TriangleFrame {
    /// The map from the mesh of a side (0 for A, 1 for B) to the other tree.
    pub(crate) fn new(side: usize, [a, b]: &[Frame; 2], b_to_a: &Pose) -> Self {
        let (rotation, translation) = (b_to_a.rotation(), b_to_a.translation());
        let far = a.origin.coords.amax() + b.origin.coords.amax() + translation.amax() + a.unit + b.unit;
        let (matrix, shift, unit) = if side == 0 {
            let back = rotation.transpose();
            (back, back * -(rotation * b.origin.coords + translation), b.unit)
        } else {
            (*rotation, translation - a.origin.coords, a.unit)
        };
        // The unit is a power of two, so its reciprocal is exact.
        let per_unit = 1.0 / unit;
        Self {
            matrix: matrix * per_unit,
            shift: shift * per_unit,
            relative_margin: VOLUME_TEST_ROUNDING + 16.0 * b_to_a.deviation(),
            rounding: TRIANGLE_BOX_ROUNDING * far * per_unit,
        }
    }

    /// A triangle's corners in the other tree's frame.
    pub(crate) fn local(&self, corners: [&Point3<f32>; 3]) -> [Vector3<f64>; 3] {
        corners.map(|corner| self.matrix * corner.coords.map(f64::from) + self.shift)
    }

    /// A lower bound on the distance from the triangle to the other tree's triangles, computed from the triangle's
    /// plane alone; negative if no distance is proved. It costs far less than the box.
    pub(crate) fn plane_gap(&self, [a, b, c]: &[Vector3<f64>; 3]) -> f32 {
        let (to_b, to_c) = (b - a, c - a);
        let normal = to_b.cross(&to_c);
        let lengths = [*a, to_b, to_c].map(|vector| vector.norm());
        // A bound on how far rounding moves the edges, and thereby the area and the triple product, each with its own
        // roundings.
        let moved = 2.0 * self.rounding + f64::EPSILON * (lengths[0] + lengths[1] + lengths[2]);
        let area_error = 2.0 * moved * (lengths[1] + lengths[2] + moved);
        let volume_error = 4.0 * moved * lengths[1] * lengths[2] + (lengths[0] + moved) * area_error;
        let distance = (normal.dot(a).abs() - volume_error) / (normal.norm() + area_error);
        (distance - TREE_RADIUS - (1.0 + distance) * self.relative_margin) as f32
    }

    /// The box around the part of a triangle within [`TREE_RADIUS`] of the triangle's point nearest to the tree's
    /// origin.
    ///
    /// No other part can be nearest to the tree: if two points are replaced by their nearest points on the triangle,
    /// they do not move apart, and the tree's triangles lie within that radius of the origin. A needle may be as far
    /// from the flat triangle that stands for it as its third corner is.
    pub(crate) fn around(&self, corners: &[Vector3<f64>; 3]) -> TriangleBox {
        let triangle = FlatTriangle::new(corners);
        let nearest = triangle.nearest_to_origin();
        let [x, y] = triangle.ranges_near(nearest);
        let middle = [0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])];
        let half_extents = Vector3::new(0.5 * (x[1] - x[0]).max(0.0), 0.5 * (y[1] - y[0]), 0.0);
        let center = triangle.point(middle);
        let scale = 1.0 + center.norm() + half_extents.norm();
        let margin = scale * self.relative_margin + self.rounding + triangle.off_plane;
        TriangleBox {
            volume: PackedAnyBox::new(&center, &Matrix3::from_columns(&triangle.axes), &half_extents),
            margin: if scale < 1e36 { margin as f32 + f32::MIN_POSITIVE } else { f32::INFINITY },
            gap: (triangle.point(nearest).norm() - TREE_RADIUS - margin) as f32,
        }
    }
}

/// A triangle in its plane: the corners are `(0, 0)`, `(length, 0)` and `apex`, whose second coordinate is its height.
struct FlatTriangle {
    corner: Vector3<f64>,
    /// Orthonormal axes: along the base, perpendicular to it in the plane, and the normal.
    axes: [Vector3<f64>; 3],
    length: f64,
    apex: [f64; 2],
    /// The projection of the tree's origin onto the plane.
    origin: [f64; 2],
    /// How far the third corner is from `apex`: more than rounding for a needle, whose plane is any through its base.
    off_plane: f64,
}

/// The height of a triangle, relative to its longest edge, below which any plane through that edge serves as its plane.
const LEAST_HEIGHT: f64 = 1e-10;

impl FlatTriangle {
    /// The base is the longest edge or, for a triangle larger than the tree, the edge beyond whose line the tree's
    /// origin is farthest.
    fn new(corners: &[Vector3<f64>; 3]) -> Self {
        let [a, b, c] = corners;
        let length_sq = [b - a, c - b, a - c].map(|edge| edge.norm_squared());
        let longest = if length_sq[0] >= length_sq[1] && length_sq[0] >= length_sq[2] {
            0
        } else {
            1 + usize::from(length_sq[2] > length_sq[1])
        };
        let triangle = Self::on_base(corners, longest);
        let (Self { length, apex: [x, height], origin: [u, v], .. }, edge) = (&triangle, longest);
        if *length < 2.0 * TREE_RADIUS || *height < LEAST_HEIGHT * length {
            return triangle;
        }
        let beyond_right = ((u - length) * height + v * (length - x)) / length_sq[(edge + 1) % 3].sqrt();
        let beyond_left = (v * x - u * height) / length_sq[(edge + 2) % 3].sqrt();
        if beyond_left.max(beyond_right) <= (-v).max(0.0) {
            triangle
        } else {
            Self::on_base(corners, (edge + if beyond_right > beyond_left { 1 } else { 2 }) % 3)
        }
    }

    fn on_base(corners: &[Vector3<f64>; 3], edge: usize) -> Self {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(edge + i) % 3]);
        let (base, side) = (b - a, c - a);
        let length = base.norm();
        let along = if length > f64::MIN_POSITIVE { base / length } else { Vector3::x() };
        let perpendicular = |edge: Vector3<f64>| {
            let across = edge - along * along.dot(&edge);
            // Orthogonalized again, because the remainder for a needle is mostly rounding.
            across - along * along.dot(&across)
        };
        let mut across = perpendicular(side);
        let mut height = across.norm();
        if height <= LEAST_HEIGHT * length || height < f64::MIN_POSITIVE {
            let mut axis = Vector3::zeros();
            axis[along.iamin()] = 1.0;
            across = perpendicular(axis);
            height = across.norm();
        }
        let across = across / height;
        let apex = [along.dot(&side), across.dot(&side).max(0.0)];
        Self {
            corner: a,
            axes: [along, across, along.cross(&across)],
            length,
            apex,
            origin: [-along.dot(&a), -across.dot(&a)],
            off_plane: (side - along * apex[0] - across * apex[1]).norm(),
        }
    }

    fn point(&self, [x, y]: [f64; 2]) -> Vector3<f64> {
        self.corner + self.axes[0] * x + self.axes[1] * y
    }

    /// The triangle's point nearest to the tree's origin.
    fn nearest_to_origin(&self) -> [f64; 2] {
        let corners = [[0.0, 0.0], [self.length, 0.0], self.apex];
        let (mut nearest, mut least_sq, mut is_inside) = (self.origin, f64::INFINITY, true);
        for i in 0..3 {
            let ([x, y], [next_x, next_y]) = (corners[i], corners[(i + 1) % 3]);
            let (edge, to_origin) = ([next_x - x, next_y - y], [self.origin[0] - x, self.origin[1] - y]);
            is_inside &= edge[0] * to_origin[1] > edge[1] * to_origin[0];
            let length_sq = edge[0] * edge[0] + edge[1] * edge[1];
            let t =
                ((edge[0] * to_origin[0] + edge[1] * to_origin[1]) / length_sq.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let offset = [to_origin[0] - t * edge[0], to_origin[1] - t * edge[1]];
            let distance_sq = offset[0] * offset[0] + offset[1] * offset[1];
            if distance_sq < least_sq {
                (nearest, least_sq) = ([x + t * edge[0], y + t * edge[1]], distance_sq);
            }
        }
        if is_inside { self.origin } else { nearest }
    }

    /// The ranges along the base and across it of the triangle's part within [`TREE_RADIUS`] of a point.
    fn ranges_near(&self, [x, y]: [f64; 2]) -> [[f64; 2]; 2] {
        let [apex, height] = self.apex;
        let (lower, upper) = ((y - TREE_RADIUS).max(0.0), (y + TREE_RADIUS).min(height));
        let per_height = if height > f64::MIN_POSITIVE { 1.0 / height } else { 0.0 };
        // The ends of the triangle's sections along the base.
        let left = |y: f64| apex * y * per_height;
        let right = |y: f64| self.length + (apex - self.length) * y * per_height;
        let first = left(lower).min(left(upper)).max(x - TREE_RADIUS);
        let last = right(lower).max(right(upper)).min(x + TREE_RADIUS);
        let upper = if last < apex {
            upper.min(height * last / apex)
        } else if first > apex {
            upper.min(height * (self.length - first) / (self.length - apex))
        } else {
            upper
        };
        [[first, last], [lower, upper.max(lower)]]
    }
}
