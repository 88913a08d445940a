//! Planes between a volume of one tree and eight of the other, whatever their kinds: volumes are treated as boxes with
//! rounded edges.

use nalgebra::Vector3;

use super::{MAX_TURN, Plane};
use crate::numeric::error_bounds::PLANE_RADIUS_ROUNDING;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, difference, dot_fused, lane_of, negative, norm, normalized, splatted};
use crate::volume::bounding_volume::BoundingVolume;
use crate::volume::for_kind;
use crate::volume::frame::RelativeFrame;
use crate::volume::node::{Node, WIDTH};

/// A child of a node and all children of the other tree's node, each in its own frame.
#[derive(Clone, Copy)]
pub(crate) struct OneAgainstEight<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    /// The lane of the single child for its tree, `None` for the other tree.
    pub(crate) lane: [Option<usize>; 2],
}

impl OneAgainstEight<'_> {
    /// Approximates the shortest vectors between the single volume and the eight.
    #[inline(always)]
    pub(crate) fn separations<S: Simd>(&self, s: S, to: &RelativeFrame) -> Separations<S> {
        let a = RoundBoxes::of(s, &self.nodes[0], self.lane[0]);
        let b = RoundBoxes::of(s, &self.nodes[1], self.lane[1]);
        // The method is that of alternating projections (Cheney and Goldstein, "Proximity maps for convex sets", 1959).
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

/// Eight pairs of volumes, and approximations of the shortest vectors between them.
pub(crate) struct Separations<S: Simd> {
    a: RoundBoxes<S>,
    b: RoundBoxes<S>,
    /// The vectors' directions from A to B in A's frame, of at most unit length.
    axes: [[f32; 8]; 3],
    lengths: [f32; 8],
}

impl<S: Simd> Separations<S> {
    /// Finds a plane for the nearest pair among `lanes`, and removes from `lanes` that pair and all pairs that the
    /// plane keeps at least as far apart. Returns the plane and the lanes that it keeps farther apart than `distance`,
    /// in the unit of A's frame; [`Plane::NONE`] and no lanes if no plane was found for the nearest pair.
    #[inline(always)]
    pub(crate) fn plane(&self, s: S, to: &RelativeFrame, lanes: &mut u8, distance: f32) -> (Plane, u8) {
        let nearest = least(*lanes, &self.lengths);
        let own = 1 << nearest;
        // No plane separates volumes by more than the distance between two of their points.
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
        let radii = s.mul_sub(s.add(off, flat), s.splat(to.unit * PLANE_RADIUS_ROUNDING), behind);
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
        // One margin is for rounding here, and one for rounding when the gap is evaluated.
        Projections { n, m, against, supports, gaps: s.sub(s.splat(along - 2.0 * to.margin), supports) }
    }
}

/// Eight pairs projected on an axis: the sums of A's supports along it and B's against it, and the gaps.
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

/// The lane of the least value among the lanes of a mask. Precondition: the mask is not 0.
#[inline(always)]
fn least(lanes: u8, values: &[f32; 8]) -> usize {
    let mut least = lanes.trailing_zeros() as usize & 7;
    for lane in 0..WIDTH {
        least = if lanes >> lane & 1 != 0 && values[lane] < values[least] { lane } else { least };
    }
    least
}

/// The greatest value among the lanes of a mask.
#[inline(always)]
fn greatest<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(f32::NEG_INFINITY)));
    let max = |x: f32, y: f32| if x > y { x } else { y };
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}

/// A support point stays on the same side of a box, at any direction within [`MAX_TURN`], if the direction's component
/// along the box's axis is greater than this.
const SHARP: f32 = MAX_TURN * 1.001;

/// Eight boxes with rounded edges, one per lane: a sphere is a box without extent that is rounded by its radius.
#[derive(Clone, Copy)]
pub(crate) struct RoundBoxes<S: Simd> {
    pub(in crate::volume) centers: Vector8<S>,
    /// The first, second and third axes of the boxes.
    pub(in crate::volume) axes: [Vector8<S>; 3],
    pub(in crate::volume) half_extents: Vector8<S>,
    /// The radius by which edges are rounded.
    pub(in crate::volume) rounding: S::F32x8,
}

impl<S: Simd> RoundBoxes<S> {
    /// Boxes around a node's children, or around one of them in all lanes; lanes past the children are unspecified.
    #[inline(always)]
    fn of(s: S, node: &Node<'_>, lane: Option<usize>) -> Self {
        for_kind!(node.kind(), V => V::round_boxes(s, node, lane))
    }

    /// Boxes along the coordinate axes.
    #[inline(always)]
    pub(in crate::volume) fn aligned(
        s: S,
        centers: [S::F32x8; 3],
        half_extents: [S::F32x8; 3],
        rounding: S::F32x8,
    ) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        Self { centers, axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]], half_extents, rounding }
    }

    /// The boxes' supports along vectors of at most unit length, relative to the origin, up to rounding.
    #[inline(always)]
    fn support(&self, s: S, along: &Vector8<S>) -> S::F32x8 {
        let mut support = s.add(self.rounding, dot_fused(s, &self.centers, along));
        for k in 0..3 {
            let along = dot_fused(s, &self.axes[k], along);
            support = s.mul_add(self.half_extents[k], s.abs(along), support);
        }
        support
    }

    /// The box of a lane, without rounded edges.
    #[inline(always)]
    fn lane(&self, s: S, lane: usize) -> OneBox {
        let [x, y, z] = &self.axes;
        OneBox {
            center: lane_of(s, &self.centers, lane).into(),
            axes: [lane_of(s, x, lane).into(), lane_of(s, y, lane).into(), lane_of(s, z, lane).into()],
            half_extents: lane_of(s, &self.half_extents, lane),
        }
    }

    /// Support points of the boxes along unit vectors, without rounded edges. The second value is a factor: for vectors
    /// that differ by at most [`MAX_TURN`], the box's support exceeds the point's projection by at most the length of
    /// the difference times this factor.
    #[inline(always)]
    fn support_points(&self, s: S, along: &Vector8<S>) -> (Vector8<S>, S::F32x8) {
        let zero = s.splat(0.0);
        let (mut points, mut flat_sq) = (self.centers, zero);
        for k in 0..3 {
            let axis = &self.axes[k];
            let (along, most) = (dot_fused(s, axis, along), self.half_extents[k]);
            let end = s.select(s.gt(along, zero), most, s.sub(zero, most));
            let is_sharp = s.gt(s.abs(along), s.splat(SHARP));
            let end = s.select(is_sharp, end, zero);
            let flat = s.select(is_sharp, zero, most);
            flat_sq = s.mul_add(flat, flat, flat_sq);
            for x in 0..3 {
                points[x] = s.mul_add(axis[x], end, points[x]);
            }
        }
        (points, s.sqrt(flat_sq))
    }

    /// The boxes' points nearest to the given ones, without rounded edges and up to rounding errors.
    #[inline(always)]
    fn nearest(&self, s: S, points: &Vector8<S>) -> Vector8<S> {
        let mut nearest = self.centers;
        let from_center = difference(s, points, &self.centers);
        for k in 0..3 {
            let axis = &self.axes[k];
            let most = self.half_extents[k];
            let along = s.max(s.min(dot_fused(s, axis, &from_center), most), s.sub(s.splat(0.0), most));
            for x in 0..3 {
                nearest[x] = s.mul_add(axis[x], along, nearest[x]);
            }
        }
        nearest
    }
}

/// A box, given by its centre, unit axes and half extents along the axes.
struct OneBox {
    center: Vector3<f32>,
    axes: [Vector3<f32>; 3],
    half_extents: [f32; 3],
}

impl OneBox {
    /// The box in another frame.
    #[inline(always)]
    fn transformed(&self, to: &RelativeFrame) -> Self {
        let rotate = |v: &Vector3<f32>| Vector3::from(to.rotation.map(|r| r[0] * v.x + r[1] * v.y + r[2] * v.z));
        Self {
            center: rotate(&self.center) * to.unit + Vector3::from(to.translation),
            axes: self.axes.each_ref().map(rotate),
            half_extents: self.half_extents.map(|h| h * to.unit),
        }
    }

    /// The gaps to another box along this box's axes, as a vector that is no longer than the distance.
    #[inline(always)]
    fn gap_to(&self, other: &OneBox) -> Vector3<f32> {
        let between = other.center - self.center;
        let mut gaps = Vector3::zeros();
        for (axis, half_extent) in self.axes.iter().zip(self.half_extents) {
            let along = axis.dot(&between);
            let radius = (0..3).map(|k| other.half_extents[k] * axis.dot(&other.axes[k]).abs()).sum::<f32>();
            gaps += axis * (along.abs() - half_extent - radius).max(0.0).copysign(along);
        }
        gaps
    }
}

/// The axis along which two boxes are farthest apart, among those that bound distances (`PackedObb::lower_bounds_sq`):
/// the gap vectors of either box, and the cross products of edges. The returned vector's length is at most about 1.
#[inline(always)]
fn best_axis<S: Simd>(s: S, a: &OneBox, b: &OneBox) -> Vector3<f32> {
    let between = b.center - a.center;
    // Two groups of eight axes, coordinate by coordinate.
    let mut axes = [[0.0_f32; 3 * WIDTH]; 2];
    let mut set = |index: usize, axis: Vector3<f32>| {
        let length = axis.norm().max(1e-4).copysign(axis.dot(&between));
        (0..3).for_each(|x| axes[index / WIDTH][x * WIDTH + index % WIDTH] = axis[x] / length);
    };
    set(0, a.gap_to(b));
    set(1, b.gap_to(a));
    for i in 0..3 {
        for j in 0..3 {
            set(2 + 3 * i + j, a.axes[i].cross(&b.axes[j]));
        }
    }
    let mut best = (f32::NEG_INFINITY, Vector3::zeros());
    for axes in &axes {
        let n: [S::F32x8; 3] = s.load_rows(&axes.map(f32::to_bits), WIDTH, WIDTH);
        let mut gap = dot_fused(s, &n, &splatted(s, between.into()));
        for side in [a, b] {
            for k in 0..3 {
                let along = dot_fused(s, &n, &splatted(s, side.axes[k].into()));
                gap = s.sub(gap, s.mul(s.splat(side.half_extents[k]), s.abs(along)));
            }
        }
        for (lane, &gap) in s.to_array(gap).iter().enumerate() {
            if gap > best.0 {
                best = (gap, Vector3::new(axes[lane], axes[WIDTH + lane], axes[2 * WIDTH + lane]));
            }
        }
    }
    best.1
}
