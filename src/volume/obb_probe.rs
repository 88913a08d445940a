//! Oriented boxes, eight at once, against a ray, a point or a box.

use super::box_pair::distance_sq_to_box;
use super::node::Node;
use super::obb::PackedObb;
use super::obb_pair::{Boxes, axes};
use super::pair_tests::PairTests;
use super::probe_tests::{LocalBox, LocalRay, ProbeTests, slabs};
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, difference, dot_fused, splatted};

impl ProbeTests for PackedObb {
    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let rows: Boxes<S> = node.rows(s);
        distance_sq_to_box(s, along(s, &axes(s, &rows), &centers_from(s, &rows, point)), [rows[9], rows[10], rows[11]])
    }

    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let rows: Boxes<S> = node.rows(s);
        let axes = axes(s, &rows);
        let t = along(s, &axes, &centers_from(s, &rows, &ray.start));
        let one = s.splat(1.0);
        let [x, y, z] = along(s, &axes, &splatted(s, ray.direction));
        let reciprocal = [s.div(one, x), s.div(one, y), s.div(one, z)];
        let (apart, entry) = slabs(s, t, reciprocal, [rows[9], rows[10], rows[11]], ray, within);
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

/// The boxes' centres seen from a point.
#[inline(always)]
fn centers_from<S: Simd>(s: S, rows: &Boxes<S>, point: &[f32; 3]) -> Vector8<S> {
    difference(s, &[rows[2], rows[5], rows[8]], &splatted(s, *point))
}

#[inline(always)]
fn along<S: Simd>(s: S, axes: &[Vector8<S>; 3], vector: &Vector8<S>) -> Vector8<S> {
    [dot_fused(s, &axes[0], vector), dot_fused(s, &axes[1], vector), dot_fused(s, &axes[2], vector)]
}
