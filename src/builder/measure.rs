//! What the volumes of nodes measure, by which it is decided which nodes are kept.

use nalgebra::Vector3;

use crate::simd::SimdLevel;
use crate::volume::fit::{FitMethods, Primitive, box_along, triangle_box_axes};
use crate::volume::{BoundingVolume, Frame, MAX_FIELDS, PackedObb};

/// The measure (cubed length) of the volume that will be stored for the triangles, in the frame's unit.
pub(super) fn measure<V: BoundingVolume>(
    level: SimdLevel,
    primitives: &[Primitive],
    methods: FitMethods,
    frame: &Frame,
) -> f64 {
    stored::<V>(&V::fit(level, primitives, methods, frame))
}

/// Of the volume as it is stored.
fn stored<V: BoundingVolume>(fit: &V::Fit) -> f64 {
    let mut words = [0; MAX_FIELDS];
    V::pack(fit, &mut words);
    V::unpack(&words, &Frame::LOCAL).volume()
}

/// As [`measure`], of the oriented box around few triangles. A box that can't be as small as the leaves below, given
/// their measure, need not be the one that would be stored: it lies in the largest triangle's plane and along its
/// longest edge.
pub(super) fn measure_few(
    level: SimdLevel,
    primitives: &[Primitive],
    methods: FitMethods,
    frame: &Frame,
    leaves: f64,
) -> f64 {
    let (mut largest, mut area_sq) = (&primitives[0], 0.0);
    for primitive in primitives {
        let own_sq = scaled_normal(primitive).norm_squared();
        if own_sq > area_sq {
            (largest, area_sq) = (primitive, own_sq);
        }
    }
    // Of a tetrahedron, which takes a third of a box at most: times the height, six times its volume.
    let (normal, [corner, ..]) = (scaled_normal(largest), largest.points());
    let limit = 2.0 * leaves * frame.unit.powi(3);
    if !primitives.iter().flat_map(Primitive::points).any(|point| normal.dot(&(point - corner)).abs() > limit) {
        return measure::<PackedObb>(level, primitives, methods, frame);
    }
    let (axes, _) = triangle_box_axes::<true>(&largest.points());
    stored::<PackedObb>(&box_along(level, primitives, &axes, frame))
}

/// Twice as long as the triangle's area.
fn scaled_normal(primitive: &Primitive) -> Vector3<f64> {
    let [a, b, c] = primitive.points();
    (b - a).cross(&(c - a))
}
