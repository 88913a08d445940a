//! Spheres, refitted.

use nalgebra::{Matrix3, Point3, Vector3};

use super::landmarks::Landmarks;
use super::leaf_corners::Corners;
use super::local_vertices::NEGLIGIBLE;
use super::obb::put;
use super::options::ObbAxes;
use super::parts::Part;
use super::pass::{AtRest, Below, Box32, Pass, Refit8, Told};
use super::positions::Positions;
use crate::simd::Simd;
use crate::simd::vectors::{difference, dot_unfused};
use crate::volume::fit;
use crate::volume::{FittedSphere, Frame, MAX_FIELDS, PackedSphere, PackedVolume, WIDTH};

/// Where the centre of a part's ball stood.
#[derive(Clone, Debug)]
pub(super) struct CenterAtRest {
    /// Seen from the middle of the landmarks, in their frame.
    offset: Vector3<f64>,
}

/// What rounding to f32 may add to a single triangle's radius, in the frame's unit and relative: 4e-8 along each axis,
/// as much for each difference, and a few roundings of the length.
const ROUNDING: f32 = 1e-6;

fn at_rest(
    words: &[u32],
    frame: &Frame,
    _: ObbAxes,
    vertices: &mut [u32],
    positions: &Positions<'_>,
) -> (Landmarks, CenterAtRest) {
    let center = frame.to_mesh(&Point3::from([0, 1, 2].map(|x| f64::from(f32::from_bits(words[x])))));
    let at = |vertex: u32| positions.point(vertex);
    let points: Vec<_> = vertices.iter().map(|&vertex| at(vertex)).collect();
    // The greatest spread comes first.
    let axes = fit::eigenvectors(&fit::covariance(&points, &fit::mean(&points)));
    let landmarks = Landmarks::new(vertices, at, &axes);
    let (middle, axes) = landmarks.frame_at_rest(positions);
    let offset = axes.unwrap_or_else(Matrix3::identity).tr_mul(&(center - middle));
    (landmarks, CenterAtRest { offset })
}

impl Refit8 for PackedSphere {
    type Below = Box32;
    type Rest = CenterAtRest;
    type Scratch = ();
    const SCRATCH: () = ();
    const AT_REST: Option<AtRest<CenterAtRest>> = Some(at_rest);

    #[inline(always)]
    fn node<S: Simd>(s: S, pass: &Pass<'_, Self>, number: usize, words: &mut [u32], below: &[Box32]) -> Told<Box32> {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut next, mut parts) = (number + 1, pass.parts.at_node(number).iter());
        let (mut corners, mut single) = (Corners::default(), [false; WIDTH]);
        for (lane, is_single) in single.iter_mut().enumerate().take(children) {
            let (bounds, is_clean) = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => {
                    if corners.put_leaf(pass, lane, first) {
                        *is_single = true;
                        continue;
                    }
                    (pass.leaf_box(first), false)
                }
                Below::Node { number: child } => {
                    let bounds = below[child - number - 1];
                    corners.put_box(lane, &bounds);
                    (bounds, pass.is_clean(child))
                }
            };
            if let Some(part) = parts.next()
                && !is_clean
            {
                let mut fields = [0; MAX_FIELDS];
                Self::pack(&about(s, pass, part, &bounds), &mut fields);
                put(words, children, lane, &fields);
            }
        }
        corners.fill(children);
        for (row, packed) in singles(s, &corners, &pass.frame).into_iter().enumerate() {
            let packed = s.to_array(packed);
            for lane in 0..WIDTH {
                if lane < children && single[lane] {
                    words[row * children + lane] = packed[lane].to_bits();
                }
            }
        }
        let (lower, upper) = corners.boxes(s);
        Told { below: corners.joined(s, &lower, &upper), areas: Self::areas(words, children) }
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        let mut areas = [0.0; WIDTH];
        for (area, &radius) in areas.iter_mut().zip(&words[3 * children..4 * children]) {
            *area = f32::from_bits(radius) * f32::from_bits(radius);
        }
        areas
    }
}

/// About the centre that turned with the landmarks, or about the middle of the vertices' box.
#[inline(always)]
fn about<S: Simd>(s: S, pass: &Pass<'_, PackedSphere>, part: &Part<CenterAtRest>, bounds: &Box32) -> FittedSphere {
    let (middle, frame) = part.landmarks.frame(s, &pass.positions);
    let turned = middle + frame.unwrap_or_else(Matrix3::identity) * part.rest.offset;
    let [lower, upper] = bounds.map(|end| Point3::from(end).map(f64::from));
    let centers = [turned, nalgebra::center(&lower, &upper)];
    let centers = centers.map(|center| FittedSphere::stored(&pass.frame.to_local(&center)));
    let points = pass.parts.points(part, &pass.positions);
    FittedSphere::smallest(&centers, points.farthest_sq(s, &pass.frame, &centers))
}

/// Rows of the smallest balls around triangles, up to rounding: centres and radii, which make up for it.
///
/// As [`fit::triangle_sphere_center`], eight at a time: the middle of the longest edge where that faces a right or
/// obtuse angle, else of the circumcircle.
#[inline(always)]
fn singles<S: Simd>(s: S, corners: &Corners, frame: &Frame) -> [S::F32x8; 4] {
    let [a, b, c] = corners.local(s, frame);
    let (bc, ca, ab) = (difference(s, &c, &b), difference(s, &a, &c), difference(s, &b, &a));
    let (bc, ca, ab) = (dot_unfused(s, &bc, &bc), dot_unfused(s, &ca, &ca), dot_unfused(s, &ab, &ab));
    // The apex faces the longest edge.
    let (not_a, not_b) = (s.gt(s.max(ca, ab), bc), s.gt(ab, ca));
    let (mut apex, mut p, mut q) = (a, b, c);
    for k in 0..3 {
        apex[k] = s.select(not_a, s.select(not_b, c[k], b[k]), a[k]);
        p[k] = s.select(not_a, s.select(not_b, a[k], c[k]), b[k]);
        q[k] = s.select(not_a, s.select(not_b, b[k], a[k]), c[k]);
    }
    let (u, v) = (difference(s, &p, &apex), difference(s, &q, &apex));
    let uv = dot_unfused(s, &u, &v);
    let (over_uu, over_vv) = (s.div(uv, dot_unfused(s, &u, &u)), s.div(uv, dot_unfused(s, &v, &v)));
    let (one, half) = (s.splat(1.0), s.splat(0.5));
    let sine_sq = s.sub(one, s.mul(over_uu, over_vv));
    let (is_acute, is_proper) = (s.gt(uv, s.splat(0.0)), s.gt(sine_sq, half));
    let per_sine_sq = s.div(half, sine_sq);
    let mut ball = [s.splat(0.0); 4];
    for k in 0..3 {
        let around = s.add(s.mul(u[k], s.sub(one, over_uu)), s.mul(v[k], s.sub(one, over_vv)));
        let around = s.add(apex[k], s.mul(around, per_sine_sq));
        let middle = s.mul(s.add(p[k], q[k]), half);
        let center = s.select(is_acute, s.select(is_proper, around, middle), middle);
        ball[k] = s.select(s.gt(s.abs(center), s.splat(NEGLIGIBLE)), center, s.splat(0.0));
    }
    let center = [ball[0], ball[1], ball[2]];
    let mut distance_sq = s.splat(0.0);
    for corner in [&a, &b, &c] {
        let offset = difference(s, corner, &center);
        distance_sq = s.max(dot_unfused(s, &offset, &offset), distance_sq);
    }
    ball[3] = s.add(s.mul(s.sqrt(distance_sq), s.splat(1.0 + ROUNDING)), s.splat(ROUNDING));
    ball
}
