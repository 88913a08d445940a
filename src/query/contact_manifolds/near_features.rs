//! Which vertices, edges and faces of two sides may be in contact: eight of the second side's at once, in f32, with
//! room for its rounding. What is found is decided in f64 afterwards.

use nalgebra::{Point3, Vector3};

use super::surface::Surface;
use crate::numeric::error_bounds::{NEAR_FEATURE_ROUNDING, NEAR_FEATURE_ROUNDING_SQ};
use crate::simd::vectors::{dot_fused, splatted};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Pairs of features, by their indices on each side.
#[derive(Default)]
pub(super) struct NearFeatures {
    pub(super) face_vertex: Vec<[u32; 2]>,
    pub(super) vertex_face: Vec<[u32; 2]>,
    pub(super) edge_edge: Vec<[u32; 2]>,
    pub(super) vertex_edge: Vec<[u32; 2]>,
    pub(super) edge_vertex: Vec<[u32; 2]>,
    pub(super) vertex_vertex: Vec<[u32; 2]>,
}

impl NearFeatures {
    /// Finds the pairs of features of two surfaces whose gap or depth may be at most a margin. The second surface is
    /// inside a ball, given by its center and radius.
    pub(super) fn find(level: SimdLevel, surfaces: [&Surface; 2], ball: (Point3<f64>, f64), margin: f64) -> Self {
        let mut near = Self::default();
        let radius = surfaces[0].radius + surfaces[1].radius;
        let reach = ball.1 + radius + margin;
        let frame = Frame { origin: ball.0, scale: if reach > 0.0 { reach.recip() } else { 1.0 } };
        let rows = Rows::new(surfaces[1], &frame);
        let [radius, margin] = [radius, margin].map(|distance| (distance * frame.scale) as f32);
        dispatch(level, Find { a: surfaces[0], rows: &rows, frame: &frame, radius, margin, near: &mut near });
        near
    }
}

/// A frame in which whatever is near has coordinates of at most one.
struct Frame {
    origin: Point3<f64>,
    scale: f64,
}

impl Frame {
    fn point(&self, point: &Point3<f64>) -> Vector3<f64> {
        (point - self.origin) * self.scale
    }

    /// Whether a point or a line at this distance may be near.
    fn is_within(distance_sq: f64) -> bool {
        distance_sq <= 1.0 + f64::from(NEAR_FEATURE_ROUNDING)
    }
}

/// The features of one side, eight to a row: each field is eight numbers, as bits. What is missing in the last row is
/// NaN, and never near.
struct Rows {
    /// The coordinates, and the square of their length.
    vertices: Vec<u32>,
    /// The start, the unit direction, their cross product and their product, the length, and the start's square.
    edges: Vec<u32>,
    /// The normal, and the height.
    faces: Vec<u32>,
}

const VERTEX_FIELDS: usize = 4;
const EDGE_FIELDS: usize = 12;
const FACE_FIELDS: usize = 4;
const LANES: usize = 8;

/// Rows of `N` fields.
fn rows<const N: usize>(of: impl ExactSizeIterator<Item = [f64; N]>) -> Vec<u32> {
    let mut words = vec![f32::NAN.to_bits(); of.len().div_ceil(LANES) * LANES * N];
    for (i, fields) in of.enumerate() {
        let row = i / LANES * LANES * N + i % LANES;
        for (k, field) in fields.into_iter().enumerate() {
            words[row + k * LANES] = (field as f32).to_bits();
        }
    }
    words
}

impl Rows {
    fn new(surface: &Surface, frame: &Frame) -> Self {
        let point = |index: u32| frame.point(&surface.points[index as usize]);
        let vertices = rows::<VERTEX_FIELDS>(surface.vertices.iter().map(|vertex| {
            let p = point(vertex.point);
            [p.x, p.y, p.z, p.norm_squared()]
        }));
        let edges = rows::<EDGE_FIELDS>(surface.edges.iter().map(|edge| {
            let [p, q] = edge.ends.map(point);
            let length = (q - p).norm();
            let along = (q - p) / length;
            let moment = p.cross(&along);
            let (start, rest) = ([p.x, p.y, p.z], [p.dot(&along), length, p.norm_squared()]);
            let mut fields = [0.0; EDGE_FIELDS];
            fields[..3].copy_from_slice(&start);
            fields[3..6].copy_from_slice(along.as_slice());
            fields[6..9].copy_from_slice(moment.as_slice());
            fields[9..].copy_from_slice(&rest);
            fields
        }));
        let faces = rows::<FACE_FIELDS>(surface.faces.iter().map(|face| {
            let n = face.normal;
            [n.x, n.y, n.z, n.dot(&point(face.corners[0]))]
        }));
        Self { vertices, edges, faces }
    }
}

struct Find<'a> {
    a: &'a Surface,
    rows: &'a Rows,
    frame: &'a Frame,
    radius: f32,
    margin: f32,
    near: &'a mut NearFeatures,
}

/// Adds a pair for each bit of a row.
#[inline(always)]
fn push(pairs: &mut Vec<[u32; 2]>, a: usize, row: usize, mut bits: u8) {
    while bits != 0 {
        pairs.push([a as u32, (row * LANES) as u32 + bits.trailing_zeros()]);
        bits &= bits - 1;
    }
}

impl Task for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { a, rows, frame, radius, margin, near } = self;
        let reach = radius + margin;
        let limits = Limits {
            radius: s.splat(radius),
            margin: s.splat(margin + NEAR_FEATURE_ROUNDING),
            reach_sq: s.splat(reach * reach + NEAR_FEATURE_ROUNDING_SQ),
            bare_reach_sq: s.splat(reach * reach),
            rounding: s.splat(NEAR_FEATURE_ROUNDING),
            rounding_sq: s.splat(NEAR_FEATURE_ROUNDING_SQ),
        };
        let points: Vec<Vector3<f64>> = a.points.iter().map(|point| frame.point(point)).collect();
        for (i, vertex) in a.vertices.iter().enumerate() {
            let point = &points[vertex.point as usize];
            if Frame::is_within(point.norm_squared()) {
                vertex_near(s, rows, &limits, i, [point.x, point.y, point.z].map(|x| x as f32), near);
            }
        }
        for (i, edge) in a.edges.iter().enumerate() {
            let [p, q] = edge.ends.map(|end| points[end as usize]);
            let length = (q - p).norm();
            let along = (q - p) / length;
            let start = p.dot(&along);
            // The line's point nearest to the origin.
            let foot = p - along * start;
            let parts = [start, start + length];
            if Frame::is_within(foot.norm_squared()) && parts[0] <= MAX_PART && parts[1] >= -MAX_PART {
                let parts = parts.map(|part| part.clamp(-MAX_PART, MAX_PART) as f32);
                edge_near(s, rows, &limits, i, [foot, along].map(|v| [v.x, v.y, v.z].map(|x| x as f32)), parts, near);
            }
        }
        for (i, face) in a.faces.iter().enumerate() {
            let normal = face.normal;
            let height = normal.dot(&points[face.corners[0] as usize]);
            if height.abs() <= MAX_PART {
                face_near(s, rows, &limits, i, [normal.x, normal.y, normal.z].map(|x| x as f32), height as f32, near);
            }
        }
    }
}

/// A part of an edge's line, and a height of a face, beyond which nothing is near.
const MAX_PART: f64 = 1.5;

/// In all lanes.
struct Limits<S: Simd> {
    radius: S::F32x8,
    /// With room for rounding.
    margin: S::F32x8,
    /// The square of radius and margin, with room for rounding.
    reach_sq: S::F32x8,
    /// The same without.
    bare_reach_sq: S::F32x8,
    rounding: S::F32x8,
    rounding_sq: S::F32x8,
}

/// The words of rows of `N` fields, with their numbers. They are loaded outside of closures, which are not compiled for
/// the level.
fn numbered<const N: usize>(words: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    words.chunks_exact(LANES * N).enumerate()
}

/// The pairs of a vertex of the first side.
#[inline(always)]
fn vertex_near<S: Simd>(s: S, rows: &Rows, limits: &Limits<S>, i: usize, point: [f32; 3], near: &mut NearFeatures) {
    let [x, y, z] = point;
    let square = s.splat(x * x + y * y + z * z);
    let (point, twice) = (splatted(s, point), splatted(s, point.map(|x| -2.0 * x)));
    for (row, words) in numbered::<FACE_FIELDS>(&rows.faces) {
        let [x, y, z, height] = s.load_rows(words, LANES, LANES);
        let gap = s.sub(dot_fused(s, &[x, y, z], &point), height);
        push(&mut near.vertex_face, i, row, s.bits(s.gt(limits.margin, s.abs(s.sub(gap, limits.radius)))));
    }
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices) {
        let [x, y, z, own] = s.load_rows(words, LANES, LANES);
        let distance_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        push(&mut near.vertex_vertex, i, row, s.bits(s.gt(limits.reach_sq, distance_sq)));
    }
    for (row, words) in numbered::<EDGE_FIELDS>(&rows.edges) {
        let [x, y, z, u, v, w, _, _, _, start, length, own] = s.load_rows(words, LANES, LANES);
        let part = s.sub(dot_fused(s, &[u, v, w], &point), start);
        let to_start_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        let distance_sq = s.sub(to_start_sq, s.mul(part, part));
        let beyond = s.max(s.sub(s.splat(0.0), part), s.sub(part, length));
        let is_within = s.bits(s.gt(limits.rounding, beyond));
        push(&mut near.vertex_edge, i, row, is_within & s.bits(s.gt(limits.reach_sq, distance_sq)));
    }
}

/// The pairs of an edge of the first side, by its line's point nearest to the origin, its direction, and where it
/// begins and ends on it.
#[inline(always)]
fn edge_near<S: Simd>(
    s: S,
    rows: &Rows,
    limits: &Limits<S>,
    i: usize,
    [foot, along]: [[f32; 3]; 2],
    parts: [f32; 2],
    near: &mut NearFeatures,
) {
    let cross = |[a, b, c]: [f32; 3], [x, y, z]: [f32; 3]| [b * z - c * y, c * x - a * z, a * y - b * x];
    let square = s.splat(foot[0] * foot[0] + foot[1] * foot[1] + foot[2] * foot[2]);
    let (moment, twice) = (splatted(s, cross(foot, along)), splatted(s, foot.map(|x| -2.0 * x)));
    let (foot, along) = (splatted(s, foot), splatted(s, along));
    let (first, last) = (s.splat(parts[0]), s.splat(parts[1]));
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices) {
        let [x, y, z, own] = s.load_rows(words, LANES, LANES);
        let part = dot_fused(s, &[x, y, z], &along);
        let to_foot_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        let distance_sq = s.sub(to_foot_sq, s.mul(part, part));
        let is_within = s.bits(s.gt(limits.rounding, s.max(s.sub(first, part), s.sub(part, last))));
        push(&mut near.edge_vertex, i, row, is_within & s.bits(s.gt(limits.reach_sq, distance_sq)));
    }
    for (row, words) in numbered::<EDGE_FIELDS>(&rows.edges) {
        let [x, y, z, u, v, w, m, n, o, start, length, _] = s.load_rows(words, LANES, LANES);
        // The lines' nearest points (Ericson, Real-Time Collision Detection, 5.1.8), times the sine's square; and their
        // distance by Plücker's coordinates, times the sine.
        let cosine = dot_fused(s, &[u, v, w], &along);
        let sine_sq = s.sub(s.splat(1.0), s.mul(cosine, cosine));
        let along_a = dot_fused(s, &[x, y, z], &along);
        let along_b = s.sub(start, dot_fused(s, &[u, v, w], &foot));
        let part_a = s.sub(along_a, s.mul(along_b, cosine));
        let part_b = s.sub(s.mul(along_a, cosine), along_b);
        let beyond_a = s.max(s.sub(s.mul(first, sine_sq), part_a), s.sub(part_a, s.mul(last, sine_sq)));
        let beyond_b = s.max(s.sub(s.splat(0.0), part_b), s.sub(part_b, s.mul(length, sine_sq)));
        let across = s.add(dot_fused(s, &[m, n, o], &along), dot_fused(s, &[u, v, w], &moment));
        let too_far = s.sub(s.mul(across, across), s.mul(limits.bare_reach_sq, sine_sq));
        let is_within = s.bits(s.gt(limits.rounding, s.max(beyond_a, beyond_b)));
        push(&mut near.edge_edge, i, row, is_within & s.bits(s.gt(limits.rounding_sq, too_far)));
    }
}

/// The pairs of a face of the first side, by its plane.
#[inline(always)]
fn face_near<S: Simd>(
    s: S,
    rows: &Rows,
    limits: &Limits<S>,
    i: usize,
    normal: [f32; 3],
    height: f32,
    near: &mut NearFeatures,
) {
    let (normal, height) = (splatted(s, normal), s.splat(height));
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices) {
        let [x, y, z, _] = s.load_rows(words, LANES, LANES);
        let gap = s.sub(dot_fused(s, &[x, y, z], &normal), height);
        push(&mut near.face_vertex, i, row, s.bits(s.gt(limits.margin, s.abs(s.sub(gap, limits.radius)))));
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::crossing;
    use super::super::surroundings::Surroundings;
    use super::*;
    use crate::pose::Pose;
    use crate::shape::ConvexShape;
    use crate::triangle::Triangle;

    /// Numbers from -1 to 1 that look random, of Knuth's linear congruential generator.
    fn numbers(count: usize) -> Vec<f64> {
        let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        let states = std::iter::successors(Some(31), next).skip(10).take(count);
        states.map(|x| (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0).collect()
    }

    /// Whatever is near in f64 is found, on all levels, far from the origin and for small sizes, too.
    #[test]
    fn nothing_near_is_missed() {
        let numbers = numbers(3000);
        let mut found = [0; 6];
        let cases = [(1.0, 0.0), (1e-3, 5.0), (1e4, 1e4)].into_iter().flat_map(|case| [(case, true), (case, false)]);
        for ((size, far), is_round) in cases {
            let to = Vector3::new(far, -far, 0.5 * far);
            let shape = if is_round {
                ConvexShape::cylinder(0.7 * size, 0.4 * size)
            } else {
                ConvexShape::cuboid(Vector3::new(0.7, 0.4, 0.5) * size)
            };
            let shape = shape.unwrap();
            let shape = shape.rounded(0.05 * size).unwrap().transformed(&Pose::from_translation(to).unwrap());
            let point = |p: &[f64]| Point3::from(to + Vector3::new(p[0], p[1], p[2]) * (1.3 * size));
            let triangle = |p: &[f64]| Triangle::new(point(p), point(&p[3..]), point(&p[6..]));
            let near: Vec<(Triangle, u32)> = numbers.chunks_exact(9).map(triangle).zip(0..).collect();
            let mesh = Surface::of_mesh(&near, &Surroundings::new(near.iter().map(|(triangle, _)| *triangle)));
            let core = Surface::of_core(&shape.contact_core(&[Vector3::x()]), 0.05 * size);
            let (radius, margin) = (0.05 * size, 0.1 * size);
            let is_near = |gap: f64| (gap - radius).abs() <= margin;
            let height = |surface: &Surface, face: u32, point: &Point3<f64>| {
                let face = &surface.faces[face as usize];
                (point - surface.points[face.corners[0] as usize]).dot(&face.normal)
            };
            let to_edge = |[p, q]: [Point3<f64>; 2], point: &Point3<f64>| {
                let part = (point - p).dot(&(q - p)) / (q - p).norm_squared();
                if (0.0..=1.0).contains(&part) { (p + (q - p) * part - point).norm() } else { f64::INFINITY }
            };
            let all = |a: usize, b: usize| (0..a as u32).flat_map(move |i| (0..b as u32).map(move |k| [i, k]));
            let within = radius + margin;
            let ball = shape.core_ball();
            // What is outside the ball may be near a face's plane only.
            let is_inside = |point: &Point3<f64>| (point - ball.0).norm() <= ball.1 + within;
            let vertex = |surface: &Surface, i: u32| surface.vertex(&surface.vertices[i as usize]);
            let ends = |surface: &Surface, i: u32| surface.ends(&surface.edges[i as usize]);
            let counts = |surface: &Surface| [surface.vertices.len(), surface.edges.len(), surface.faces.len()];
            let ([v, e, f], [w, g, h]) = (counts(&mesh), counts(&core));
            let expected: [Vec<[u32; 2]>; 6] = [
                all(f, w).filter(|&[i, k]| is_near(height(&mesh, i, &vertex(&core, k)))).collect(),
                all(v, h)
                    .filter(|&[i, k]| is_inside(&vertex(&mesh, i)) && is_near(height(&core, k, &vertex(&mesh, i))))
                    .collect(),
                all(e, g)
                    .filter(|&[i, k]| {
                        crossing(&ends(&mesh, i), &ends(&core, k)).is_some_and(|([p, q], _)| (q - p).norm() <= within)
                    })
                    .collect(),
                all(v, g).filter(|&[i, k]| to_edge(ends(&core, k), &vertex(&mesh, i)) <= within).collect(),
                all(e, w).filter(|&[i, k]| to_edge(ends(&mesh, i), &vertex(&core, k)) <= within).collect(),
                all(v, w).filter(|&[i, k]| (vertex(&mesh, i) - vertex(&core, k)).norm() <= within).collect(),
            ];
            for level in SimdLevel::available() {
                let near = NearFeatures::find(level, [&mesh, &core], ball, margin);
                let kinds = [
                    near.face_vertex,
                    near.vertex_face,
                    near.edge_edge,
                    near.vertex_edge,
                    near.edge_vertex,
                    near.vertex_vertex,
                ];
                for ((kind, expected), found) in kinds.iter().zip(&expected).zip(&mut found) {
                    assert!(expected.iter().all(|pair| kind.contains(pair)), "{level:?} {size}");
                    assert!(kind.len() <= 2 * expected.len() + 100, "{} for {}", kind.len(), expected.len());
                    *found += expected.len();
                }
            }
        }
        assert!(found.iter().all(|&found| found > 10), "{found:?}");
    }
}
