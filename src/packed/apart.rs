//! How far a volume of one tree is from eight of the other, and planes that stand between them.

use super::planes::{Plane, ROUNDED_UP};
use super::round_boxes::{RoundBoxes, difference, normalized};
use super::{Node, ToFrame, Volume8, WIDTH, norm};
use crate::simd::Simd;

/// Children of a node of A and of one of B, each in its own frame: one of either, and eight of the other.
#[derive(Clone, Copy)]
pub(crate) struct Across<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    /// The one's.
    pub(crate) lane: [Option<usize>; 2],
}

impl Across<'_> {
    /// Finds the shortest ways from the one to the eight, nearly.
    #[inline(always)]
    pub(crate) fn apart<V: Volume8, S: Simd>(&self, s: S, to: &ToFrame) -> Apart<S> {
        let a = V::round_boxes(s, &self.nodes[0], self.lane[0]);
        let b = V::round_boxes(s, &self.nodes[1], self.lane[1]);
        // By projecting onto the one and the other in turn (Cheney and Goldstein, "Proximity maps for convex sets", 1959).
        let on_a = a.nearest(s, to.moved(s, b.centers));
        let on_b = to.moved(s, b.nearest(s, to.moved_back(s, on_a)));
        let way = difference(s, on_b, a.nearest(s, on_b));
        let [x, y, z] = normalized(s, way);
        let rounding = s.mul_add(b.rounding, s.splat(to.unit), a.rounding);
        Apart {
            axes: [s.to_array(x), s.to_array(y), s.to_array(z)],
            lengths: s.to_array(s.sub(norm(s, way), rounding)),
            a,
            b,
        }
    }
}

/// How eight pairs of volumes lie to each other.
pub(crate) struct Apart<S: Simd> {
    a: RoundBoxes<S>,
    b: RoundBoxes<S>,
    /// Of nearly the shortest ways from A's to B's, in A's frame: of at most unit length.
    axes: [[f32; 8]; 3],
    lengths: [f32; 8],
}

impl<S: Simd> Apart<S> {
    /// Takes the nearest of some lanes out of them, and such others as the same plane keeps no less far apart. Tells those
    /// that it keeps farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn plane(&self, s: S, to: &ToFrame, lanes: &mut u8, distance: f32) -> (Plane, u8) {
        let nearest = least(*lanes, &self.lengths);
        let n = self.axes.map(|x| x[nearest]);
        let m = turned_back(to, n);
        let unit = s.splat(to.unit);
        let support_b = self.b.support(s, [s.splat(-m[0]), s.splat(-m[1]), s.splat(-m[2])]);
        let reach = s.mul_add(support_b, unit, self.a.support(s, [s.splat(n[0]), s.splat(n[1]), s.splat(n[2])]));
        let along = n[0] * to.translation[0] + n[1] * to.translation[1] + n[2] * to.translation[2];
        // A margin for what is rounded here, and one for what will be when the gap is asked for.
        let gaps = s.sub(s.splat(along - 2.0 * to.margin), reach);
        let own = 1 << nearest;
        let nearer = s.bits(s.gt(s.splat(s.to_array(gaps)[nearest]), gaps));
        let taken = own | *lanes & !nearer;
        *lanes &= !taken;
        let kept = taken & s.bits(s.gt(gaps, s.splat(distance)));
        if kept == 0 {
            return (Plane::NONE, 0);
        }
        let centers = self.b.centers;
        let c = [mean(s, kept, centers[0]), mean(s, kept, centers[1]), mean(s, kept, centers[2])];
        let off = norm(s, difference(s, centers, [s.splat(c[0]), s.splat(c[1]), s.splat(c[2])]));
        let radius = greatest(s, kept, s.add(self.b.radii(s), off)) * to.unit * ROUNDED_UP;
        let [x, y, z] = c.map(|x| x * to.unit);
        let offset = greatest(s, kept, reach) + to.margin;
        (Plane([n[0], n[1], n[2], m[0], m[1], m[2], x, y, z, radius, offset]), kept)
    }
}

/// The place of the least among the lanes of a mask, which is not 0.
#[inline(always)]
fn least(lanes: u8, values: &[f32; 8]) -> usize {
    let mut least = lanes.trailing_zeros() as usize & 7;
    for lane in 0..WIDTH {
        least = if lanes >> lane & 1 != 0 && values[lane] < values[least] { lane } else { least };
    }
    least
}

/// A direction of A's frame in B's.
#[inline(always)]
fn turned_back(to: &ToFrame, n: [f32; 3]) -> [f32; 3] {
    let r = &to.rotation;
    let back = |j: usize| r[0][j] * n[0] + r[1][j] * n[1] + r[2][j] * n[2];
    [back(0), back(1), back(2)]
}

/// The mean of some lanes.
#[inline(always)]
fn mean<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(0.0)));
    (((a + b) + (c + d)) + ((e + f) + (g + h))) / lanes.count_ones() as f32
}

/// The greatest of some lanes.
#[inline(always)]
fn greatest<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(f32::NEG_INFINITY)));
    let max = |x: f32, y: f32| if x > y { x } else { y };
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}
