//! Oriented boxes, eight at once, against a ray, a point or a box.

use super::box_pair::distance_sq_to_box;
use super::node::Node;
use super::obb::Obb8;
use super::paired8::Paired8;
use super::probe::{LocalBox, LocalRay, Probed8, slabs};
use crate::simd::Simd;

impl Probed8 for Obb8 {
    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let rows: [S::F32x8; 15] = node.rows(s);
        distance_sq_to_box(s, centers_along_axes(s, &rows, point), [rows[12], rows[13], rows[14]])
    }

    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let rows: [S::F32x8; 15] = node.rows(s);
        let t = centers_along_axes(s, &rows, &ray.start);
        let direction = ray.direction.map(|x| s.splat(x));
        let one = s.splat(1.0);
        let reciprocal = along_axes(s, &rows, direction).map(|x| s.div(one, x));
        let (apart, entry) = slabs(s, t, reciprocal, [rows[12], rows[13], rows[14]], ray, within);
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let coordinates = std::array::from_fn(|x| {
            let [a, b, c] = query.axes[x];
            [a, b, c, query.center[x]]
        });
        Self { coordinates, half_extents: query.half_extents }.overlaps(s, node, query.margin).0
    }
}

/// The boxes' centres seen from a point, along the boxes' own axes.
#[inline(always)]
fn centers_along_axes<S: Simd>(s: S, rows: &[S::F32x8; 15], point: &[f32; 3]) -> [S::F32x8; 3] {
    along_axes(s, rows, std::array::from_fn(|x| s.sub(rows[4 * x + 3], s.splat(point[x]))))
}

#[inline(always)]
fn along_axes<S: Simd>(s: S, rows: &[S::F32x8; 15], [x, y, z]: [S::F32x8; 3]) -> [S::F32x8; 3] {
    std::array::from_fn(|k| s.mul_add(rows[8 + k], z, s.mul_add(rows[4 + k], y, s.mul(rows[k], x))))
}
