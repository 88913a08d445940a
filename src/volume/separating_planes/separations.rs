//! The separation of a volume of one tree and eight of the other, and planes that stand between them.

use super::plane::{MAX_TURN, Plane, ROUNDED_UP};
use super::round_boxes::RoundBoxes;
use super::separating_axis::best_axis;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, difference, lane_of, negative, norm, normalized, splatted};
use crate::volume::node::{Node, WIDTH};
use crate::volume::relative_frame::RelativeFrame;

/// Children of a node of A and of one of B, each in its own frame: a single one of either, and all eight of the other.
#[derive(Clone, Copy)]
pub(crate) struct OneAgainstEight<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    /// The single one's, on its side.
    pub(crate) lane: [Option<usize>; 2],
}

impl OneAgainstEight<'_> {
    /// Finds the shortest vectors between the single volume and the eight, nearly.
    #[inline(always)]
    pub(crate) fn separations<S: Simd>(&self, s: S, to: &RelativeFrame) -> Separations<S> {
        let a = RoundBoxes::of(s, &self.nodes[0], self.lane[0]);
        let b = RoundBoxes::of(s, &self.nodes[1], self.lane[1]);
        // By projecting onto the one and the other in turn (Cheney and Goldstein, "Proximity maps for convex sets",
        // 1959).
        let on_a = a.nearest(s, &to.transform(s, b.centers));
        let on_b = to.transform(s, b.nearest(s, &to.inverse_transform(s, on_a)));
        let separation = difference(s, &on_b, &a.nearest(s, &on_b));
        let [x, y, z] = normalized(s, &separation);
        let rounding = s.mul_add(b.rounding, s.splat(to.unit), a.rounding);
        Separations {
            axes: [s.to_array(x), s.to_array(y), s.to_array(z)],
            lengths: s.to_array(s.sub(norm(s, &separation), rounding)),
            a,
            b,
        }
    }
}

/// Eight pairs of volumes, and nearly the shortest vectors between them.
pub(crate) struct Separations<S: Simd> {
    a: RoundBoxes<S>,
    b: RoundBoxes<S>,
    /// The directions of those from A's to B's, in A's frame: of at most unit length.
    axes: [[f32; 8]; 3],
    lengths: [f32; 8],
}

impl<S: Simd> Separations<S> {
    /// Takes the nearest of some lanes out of them, and such others as the same plane keeps no less far apart. Tells
    /// those that it keeps farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn plane(&self, s: S, to: &RelativeFrame, lanes: &mut u8, distance: f32) -> (Plane, u8) {
        let nearest = least(*lanes, &self.lengths);
        let own = 1 << nearest;
        // No plane keeps them farther apart than points of theirs are.
        if self.lengths[nearest] <= distance {
            *lanes &= !own;
            return (Plane::NONE, 0);
        }
        let mut projections = self.project(s, to, self.axes.map(|x| x[nearest]));
        if projections.separated(s, distance) & own == 0 {
            projections = self.project(
                s,
                to,
                best_axis(s, &self.a.lane(s, nearest), &self.b.lane(s, nearest).transformed(to)).into(),
            );
        }
        let nearer = s.bits(s.gt(s.splat(s.to_array(projections.gaps)[nearest]), projections.gaps));
        let separated = projections.separated(s, distance) & *lanes & !nearer;
        if separated & own == 0 {
            *lanes &= !own;
            return (Plane::NONE, 0);
        }
        *lanes &= !separated;
        let (n, m, projected) = (projections.n, lane_of(s, &projections.m, nearest), projections.supports);
        let (points, flat) = self.b.support_points(s, &projections.against);
        let c = lane_of(s, &points, nearest);
        let off = norm(s, &difference(s, &points, &splatted(s, c)));
        let offset = s.to_array(projected)[nearest];
        let behind = s.mul(s.sub(s.splat(offset), projected), s.splat(1.0 / MAX_TURN));
        let radii = s.mul_sub(s.add(off, flat), s.splat(to.unit * ROUNDED_UP), behind);
        let radius = greatest(s, separated, radii).max(0.0);
        let [x, y, z] = c.map(|x| x * to.unit);
        (Plane([n[0], n[1], n[2], m[0], m[1], m[2], x, y, z, radius, offset + to.margin]), separated)
    }

    /// The eight pairs, projected on an axis of A's frame.
    #[inline(always)]
    fn project(&self, s: S, to: &RelativeFrame, n: [f32; 3]) -> Projections<S> {
        let m = to.inverse_rotate(s, splatted(s, n));
        let against = negative(s, &m);
        let unit = s.splat(to.unit);
        let support_b = self.b.support(s, &against);
        let supports = s.mul_add(support_b, unit, self.a.support(s, &splatted(s, n)));
        let along = n[0] * to.translation[0] + n[1] * to.translation[1] + n[2] * to.translation[2];
        // A margin for what is rounded here, and one for what will be when the gap is asked for.
        Projections { n, m, against, supports, gaps: s.sub(s.splat(along - 2.0 * to.margin), supports) }
    }
}

/// Eight pairs projected on an axis, in A's frame and in B's: the sums of their supports, A's along it and B's against
/// it, and the gaps that are left.
struct Projections<S: Simd> {
    n: [f32; 3],
    m: Vector8<S>,
    /// The negative of `m`.
    against: Vector8<S>,
    supports: S::F32x8,
    gaps: S::F32x8,
}

impl<S: Simd> Projections<S> {
    #[inline(always)]
    fn separated(&self, s: S, distance: f32) -> u8 {
        s.bits(s.gt(self.gaps, s.splat(distance)))
    }
}

/// The lane of the least among the lanes of a mask, which is not 0.
#[inline(always)]
fn least(lanes: u8, values: &[f32; 8]) -> usize {
    let mut least = lanes.trailing_zeros() as usize & 7;
    for lane in 0..WIDTH {
        least = if lanes >> lane & 1 != 0 && values[lane] < values[least] { lane } else { least };
    }
    least
}

/// The greatest of some lanes.
#[inline(always)]
fn greatest<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(f32::NEG_INFINITY)));
    let max = |x: f32, y: f32| if x > y { x } else { y };
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}
