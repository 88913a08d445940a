//! Which vertices, edges and faces of two sides may be in contact: eight of the second side's at once, in f32, with
//! room for its rounding. What is found is decided in f64 afterwards.

use nalgebra::{Point3, Vector3};

use super::surface::Surface;
use crate::numeric::error_bounds::{FEATURE_COORDINATE_ROUNDING, NEAR_FEATURE_ROUNDING, NEAR_FEATURE_ROUNDING_SQ};
use crate::simd::vectors::{dot_fused, lane_of, splatted};
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
        let points = surfaces.map(|surface| surface.points.iter().map(|point| frame.point(point)).collect::<Vec<_>>());
        let reach = (radius + margin) * frame.scale + f64::from(NEAR_FEATURE_ROUNDING);
        let around = points.each_ref().map(|points| Bounds::of(points.iter()).grown(reach));
        let rows = Rows::new(surfaces[1], &points[1], &around[0]);
        let [radius, margin] = [radius, margin].map(|distance| (distance * frame.scale) as f32);
        let a = (surfaces[0], &points[0][..], &around[1]);
        // Crossings of edges may be anywhere within reach; vertices are in the ball.
        let max_part =
            if rows.edges.kept.is_empty() { ball.1 * frame.scale + FEATURE_COORDINATE_ROUNDING } else { MAX_PART };
        dispatch(level, Find { a, rows: &rows, radius, margin, max_part, near: &mut near });
        near.name_by(&rows);
        near
    }

    /// Replaces the numbers of the second side's features in the rows by their indices.
    fn name_by(&mut self, rows: &Rows) {
        let [vertices, edges, faces] = [&rows.vertices.kept, &rows.edges.kept, &rows.faces.kept];
        for (pairs, kept) in [
            (&mut self.face_vertex, vertices),
            (&mut self.edge_vertex, vertices),
            (&mut self.vertex_vertex, vertices),
            (&mut self.edge_edge, edges),
            (&mut self.vertex_edge, edges),
            (&mut self.vertex_face, faces),
        ] {
            pairs.iter_mut().for_each(|pair| pair[1] = kept[pair[1] as usize]);
        }
    }
}

/// A box along the axes of the frame.
struct Bounds {
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl Bounds {
    #[inline(always)]
    fn of<'a>(points: impl Iterator<Item = &'a Vector3<f64>>) -> Self {
        let none = Self { lower: Vector3::repeat(f64::INFINITY), upper: Vector3::repeat(f64::NEG_INFINITY) };
        points.fold(none, |Self { lower, upper }, p| Self { lower: lower.inf(p), upper: upper.sup(p) })
    }

    fn grown(self, by: f64) -> Self {
        Self { lower: self.lower.add_scalar(-by), upper: self.upper.add_scalar(by) }
    }

    /// Whether the box around some points meets this one.
    #[inline(always)]
    fn meets<'a>(&self, points: impl Iterator<Item = &'a Vector3<f64>>) -> bool {
        let Self { lower, upper } = Self::of(points);
        (0..3).all(|k| lower[k] <= self.upper[k] && upper[k] >= self.lower[k])
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

/// The features of one side that are in a box.
struct Rows {
    /// The coordinates, and the square of their length.
    vertices: Packed,
    /// The start, the unit direction, their cross product and their product, the length, and the start's square.
    edges: Packed,
    /// The normal, and the height.
    faces: Packed,
    /// Whether the side has faces and lies below the planes of all of them, as a convex one does.
    has_planes: bool,
}

/// Eight features to a row: each field is eight numbers, as bits. What is missing in the last row is NaN, and never
/// near.
struct Packed {
    words: Vec<u32>,
    /// The index of each feature.
    kept: Vec<u32>,
}

const VERTEX_FIELDS: usize = 4;
const EDGE_FIELDS: usize = 12;
const FACE_FIELDS: usize = 4;
const LANES: usize = 8;

/// Rows of `N` fields of the features that are kept.
fn packed<const N: usize>(kept: Vec<u32>, fields: impl Fn(usize) -> [f64; N]) -> Packed {
    let mut words = vec![f32::NAN.to_bits(); kept.len().div_ceil(LANES) * LANES * N];
    for (i, &feature) in kept.iter().enumerate() {
        let row = i / LANES * LANES * N + i % LANES;
        for (k, field) in fields(feature as usize).into_iter().enumerate() {
            words[row + k * LANES] = (field as f32).to_bits();
        }
    }
    Packed { words, kept }
}

impl Rows {
    fn new(surface: &Surface, points: &[Vector3<f64>], around: &Bounds) -> Self {
        let point = |index: u32| &points[index as usize];
        let kept = |count: usize, is_near: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..count as u32).filter(|&i| is_near(i as usize)).collect()
        };
        let is_near = |i: usize| around.meets(std::iter::once(point(surface.vertices[i].point)));
        let vertices = packed::<VERTEX_FIELDS>(kept(surface.vertices.len(), &is_near), |i| {
            let p = point(surface.vertices[i].point);
            [p.x, p.y, p.z, p.norm_squared()]
        });
        let is_near = |i: usize| around.meets(surface.edges[i].ends.iter().map(|end| point(*end)));
        let edges = packed::<EDGE_FIELDS>(kept(surface.edges.len(), &is_near), |i| {
            let [p, q] = surface.edges[i].ends.map(point);
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
        });
        let is_near = |i: usize| around.meets(surface.faces[i].corners.iter().map(|corner| point(*corner)));
        let faces = packed::<FACE_FIELDS>(kept(surface.faces.len(), &is_near), |i| {
            let face = &surface.faces[i];
            let n = face.normal;
            [n.x, n.y, n.z, n.dot(point(face.corners[0]))]
        });
        let is_below = |i: u32| {
            let face = &surface.faces[i as usize];
            let height = face.normal.dot(point(face.corners[0])) + FEATURE_COORDINATE_ROUNDING;
            points.iter().all(|point| point.dot(&face.normal) <= height)
        };
        let has_planes = !faces.kept.is_empty() && faces.kept.iter().all(|i| is_below(*i));
        Self { vertices, edges, faces, has_planes }
    }
}

/// Where a point of the first side is in relation to the planes of the second side's faces.
struct Standing {
    /// The greatest height above a plane.
    height: f32,
    /// The normal of that plane.
    normal: [f32; 3],
    /// The planes that it is beyond by more than the reach: a bit for each of the first 64.
    beyond: u64,
}

impl Standing {
    /// For a point about which nothing is known.
    const ANY: Self = Self { height: f32::NAN, normal: [0.0; 3], beyond: 0 };

    #[inline(always)]
    fn new<S: Simd>(s: S, rows: &Rows, limits: &Limits<S>, point: &Vector3<f64>) -> Self {
        // Farther away, rounding is greater.
        if point.amax() > MAX_PART {
            return Self::ANY;
        }
        let point = splatted(s, narrow(point));
        let mut beyond = 0;
        let (mut highest, mut normals) = (s.splat(f32::NEG_INFINITY), [s.splat(0.0); 3]);
        for (row, words) in numbered::<FACE_FIELDS>(&rows.faces.words) {
            let [x, y, z, height] = s.load_rows(words, LANES, LANES);
            let above = s.sub(dot_fused(s, &[x, y, z], &point), height);
            let is_beyond = s.bits(s.gt(above, limits.beyond));
            beyond |= if row < 8 { u64::from(is_beyond) << (8 * row) } else { 0 };
            let is_higher = s.gt(above, highest);
            highest = s.select(is_higher, above, highest);
            normals = [
                s.select(is_higher, x, normals[0]),
                s.select(is_higher, y, normals[1]),
                s.select(is_higher, z, normals[2]),
            ];
        }
        let heights = s.to_array(highest);
        let mut lane = 0;
        for k in 1..LANES {
            lane = if heights[k] > heights[lane] { k } else { lane };
        }
        Self { height: heights[lane], normal: lane_of(s, &normals, lane), beyond }
    }

    /// Whether what has corners that stand like this is beyond a plane, or deeper inside than a depth.
    fn is_away<'a>(mut corners: impl Iterator<Item = &'a Self> + Clone, depth: f32) -> bool {
        corners.clone().fold(u64::MAX, |beyond, corner| beyond & corner.beyond) != 0
            || corners.all(|corner| corner.height < -depth)
    }
}

struct Find<'a> {
    /// The first side, its points in the frame, and a box: what is outside the box is near nothing of the second side.
    a: (&'a Surface, &'a [Vector3<f64>], &'a Bounds),
    rows: &'a Rows,
    radius: f32,
    margin: f32,
    /// A part of an edge's line beyond which nothing of the second side is near.
    max_part: f64,
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
        let Self { a: (a, points, around), rows, radius, margin, max_part, near } = self;
        let (reach, least) = (radius + margin, (radius - margin).max(0.0));
        let limits = Limits {
            radius: s.splat(radius),
            margin: s.splat(margin + NEAR_FEATURE_ROUNDING),
            reach_sq: s.splat(reach * reach + NEAR_FEATURE_ROUNDING_SQ),
            bare_reach_sq: s.splat(reach * reach),
            least_sq: s.splat(least * least - NEAR_FEATURE_ROUNDING_SQ),
            bare_least_sq: s.splat(least * least),
            beyond: s.splat(reach + NEAR_FEATURE_ROUNDING),
            rounding: s.splat(NEAR_FEATURE_ROUNDING),
            rounding_sq: s.splat(NEAR_FEATURE_ROUNDING_SQ),
        };
        let mut standings: Vec<Standing> = Vec::new();
        if rows.has_planes {
            standings.reserve_exact(points.len());
            for point in points {
                standings.push(Standing::new(s, rows, &limits, point));
            }
        }
        let depth = reach + NEAR_FEATURE_ROUNDING;
        let is_away = |corners: &[u32]| {
            rows.has_planes && Standing::is_away(corners.iter().map(|corner| &standings[*corner as usize]), depth)
        };
        // The points of no face are deeper than this.
        let deepest = (radius - margin).min(-INSIDE) - NEAR_FEATURE_ROUNDING;
        for (i, vertex) in a.vertices.iter().enumerate() {
            let point = &points[vertex.point as usize];
            let standing = standings.get(vertex.point as usize).unwrap_or(&Standing::ANY);
            let is_away = standing.beyond != 0 || standing.height < deepest;
            if !is_away && Frame::is_within(point.norm_squared()) && around.meets(std::iter::once(point)) {
                vertex_near(s, rows, &limits, i, narrow(point), standing, near);
            }
        }
        for (i, edge) in a.edges.iter().enumerate() {
            let [p, q] = edge.ends.map(|end| &points[end as usize]);
            let along = q - p;
            let (length_sq, starts) = (along.norm_squared(), [p.dot(&along), q.dot(&along)]);
            let max_sq = max_part * max_part * length_sq;
            let is_past = |part: f64| part > 0.0 && part * part > max_sq;
            if is_past(starts[0]) || is_past(-starts[1]) || is_away(&edge.ends) || !around.meets([p, q].into_iter()) {
                continue;
            }
            let length = length_sq.sqrt();
            let along = along / length;
            let start = p.dot(&along);
            // The line's point nearest to the origin.
            let foot = p - along * start;
            let parts = [start, start + length];
            if Frame::is_within(foot.norm_squared()) {
                let parts = parts.map(|part| part.clamp(-MAX_PART, MAX_PART) as f32);
                edge_near(s, rows, &limits, i, [narrow(&foot), narrow(&along)], parts, near);
            }
        }
        for (i, face) in a.faces.iter().enumerate() {
            if is_away(&face.corners) {
                continue;
            }
            let height = face.normal.dot(&points[face.corners[0] as usize]);
            if height.abs() > MAX_PART {
                continue;
            }
            let corners = face.corners.iter().map(|corner| points[*corner as usize]);
            let center = corners.clone().sum::<Vector3<f64>>() / face.corners.len() as f64;
            let size_sq = corners.map(|corner| (corner - center).norm_squared()).fold(0.0, f64::max);
            // Around a face that is larger than all that matters, everything is.
            let is_wide = size_sq > MAX_PART * MAX_PART;
            let (center, size_sq) = if is_wide { (Vector3::zeros(), MAX_PART * MAX_PART) } else { (center, size_sq) };
            let ball = (narrow(&center), size_sq as f32 + reach * reach);
            face_near(s, rows, &limits, i, (narrow(&face.normal), height as f32), ball, near);
        }
    }
}

/// The coordinates in f32.
fn narrow(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x, vector.y, vector.z].map(|x| x as f32)
}

/// A part of an edge's line, and a height of a face, beyond which nothing is near.
const MAX_PART: f64 = 1.5;
/// The depth of a vertex below all faces from which on no vertex and no edge of a core ends towards it: some of its
/// corners are farther that way by at least as much, and that is more than [`FLAT_ANGLE`] of the core's size, twice the
/// unit at most.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
const INSIDE: f32 = 1e-3;

/// In all lanes.
struct Limits<S: Simd> {
    radius: S::F32x8,
    /// With room for rounding.
    margin: S::F32x8,
    /// The square of radius and margin, with room for rounding.
    reach_sq: S::F32x8,
    /// The same without.
    bare_reach_sq: S::F32x8,
    /// The square of the least distance of contacts outside the core, with room for rounding.
    least_sq: S::F32x8,
    /// The same without.
    bare_least_sq: S::F32x8,
    /// The height above a plane from which on nothing is near.
    beyond: S::F32x8,
    rounding: S::F32x8,
    rounding_sq: S::F32x8,
}

impl<S: Simd> Limits<S> {
    /// Whether squared distances may be those of contacts, as bits.
    #[inline(always)]
    fn are_within(&self, s: S, distance_sq: S::F32x8) -> u8 {
        s.bits(s.gt(self.reach_sq, distance_sq)) & s.bits(s.gt(distance_sq, self.least_sq))
    }
}

/// The words of rows of `N` fields, with their numbers. They are loaded outside of closures, which are not compiled for
/// the level.
fn numbered<const N: usize>(words: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    words.chunks_exact(LANES * N).enumerate()
}

/// The pairs of a vertex of the first side.
#[inline(always)]
fn vertex_near<S: Simd>(
    s: S,
    rows: &Rows,
    limits: &Limits<S>,
    i: usize,
    point: [f32; 3],
    standing: &Standing,
    near: &mut NearFeatures,
) {
    let [x, y, z] = point;
    let square = s.splat(x * x + y * y + z * z);
    let (point, twice) = (splatted(s, point), splatted(s, point.map(|x| -2.0 * x)));
    let (least_room, highest) = (s.splat(standing.height), splatted(s, standing.normal));
    for (row, words) in numbered::<FACE_FIELDS>(&rows.faces.words) {
        let [x, y, z, height] = s.load_rows(words, LANES, LANES);
        let gap = s.sub(dot_fused(s, &[x, y, z], &point), height);
        // The foot is in the core, below the plane that the vertex is highest above.
        let room = s.mul_add(gap, dot_fused(s, &[x, y, z], &highest), limits.rounding);
        let is_beside = s.bits(s.gt(least_room, room));
        push(&mut near.vertex_face, i, row, !is_beside & s.bits(s.gt(limits.margin, s.abs(s.sub(gap, limits.radius)))));
    }
    if standing.height < -INSIDE {
        return;
    }
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices.words) {
        let [x, y, z, own] = s.load_rows(words, LANES, LANES);
        let distance_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        push(&mut near.vertex_vertex, i, row, limits.are_within(s, distance_sq));
    }
    for (row, words) in numbered::<EDGE_FIELDS>(&rows.edges.words) {
        let [x, y, z, u, v, w, _, _, _, start, length, own] = s.load_rows(words, LANES, LANES);
        let part = s.sub(dot_fused(s, &[u, v, w], &point), start);
        let to_start_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        let distance_sq = s.sub(to_start_sq, s.mul(part, part));
        let beyond = s.max(s.sub(s.splat(0.0), part), s.sub(part, length));
        let is_within = s.bits(s.gt(limits.rounding, beyond));
        push(&mut near.vertex_edge, i, row, is_within & limits.are_within(s, distance_sq));
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
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices.words) {
        let [x, y, z, own] = s.load_rows(words, LANES, LANES);
        let part = dot_fused(s, &[x, y, z], &along);
        let to_foot_sq = s.add(dot_fused(s, &[x, y, z], &twice), s.add(own, square));
        let distance_sq = s.sub(to_foot_sq, s.mul(part, part));
        let is_within = s.bits(s.gt(limits.rounding, s.max(s.sub(first, part), s.sub(part, last))));
        push(&mut near.edge_vertex, i, row, is_within & limits.are_within(s, distance_sq));
    }
    for (row, words) in numbered::<EDGE_FIELDS>(&rows.edges.words) {
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
        let too_near = s.sub(s.mul(limits.bare_least_sq, sine_sq), s.mul(across, across));
        let is_near = s.bits(s.gt(limits.rounding_sq, s.max(too_far, too_near)));
        push(&mut near.edge_edge, i, row, is_within & is_near);
    }
}

/// The pairs of a face of the first side, by its plane's normal and height, and the center and squared radius of a ball
/// around what may be over it.
#[inline(always)]
fn face_near<S: Simd>(
    s: S,
    rows: &Rows,
    limits: &Limits<S>,
    i: usize,
    (normal, height): ([f32; 3], f32),
    (center, size_sq): ([f32; 3], f32),
    near: &mut NearFeatures,
) {
    let (normal, height) = (splatted(s, normal), s.splat(height));
    let twice = splatted(s, center.map(|x| -2.0 * x));
    let [x, y, z] = center;
    // The center may be a few units away.
    let room = s.splat(size_sq - (x * x + y * y + z * z) + 10.0 * NEAR_FEATURE_ROUNDING_SQ);
    for (row, words) in numbered::<VERTEX_FIELDS>(&rows.vertices.words) {
        let [x, y, z, own] = s.load_rows(words, LANES, LANES);
        let gap = s.sub(dot_fused(s, &[x, y, z], &normal), height);
        let is_beside = s.bits(s.gt(room, s.add(dot_fused(s, &[x, y, z], &twice), own)));
        push(&mut near.face_vertex, i, row, is_beside & s.bits(s.gt(limits.margin, s.abs(s.sub(gap, limits.radius)))));
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::crossing;
    use super::super::surroundings::Surroundings;
    use super::*;
    use crate::numeric::random_numbers;
    use crate::pose::Pose;
    use crate::shape::{ConvexShape, SurfaceBand};
    use crate::triangle::Triangle;

    /// Whatever is near in f64 is found, on all levels, far from the origin and for small sizes, too.
    #[test]
    fn nothing_near_is_missed() {
        let numbers = random_numbers(31, 3000);
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
            let around = Surroundings::new(near.iter().map(|(triangle, _)| *triangle));
            let mesh = Surface::of_mesh(&near, &around, &SurfaceBand::new(&shape, 0.1 * size));
            let core = Surface::of_core(&shape.contact_core(&[Vector3::x()]), 0.05 * size);
            let (radius, margin) = (0.05 * size, 0.1 * size);
            let is_near = |gap: f64| (gap - radius).abs() <= margin;
            // No vertex and no edge ends towards a point inside.
            let is_outside = |point: &Point3<f64>| {
                let heights =
                    core.faces.iter().map(|face| (point - core.points[face.corners[0] as usize]).dot(&face.normal));
                heights.fold(f64::NEG_INFINITY, f64::max) > -1e-4 * size
            };
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
            // What is outside the ball and the box may be near a face's plane only.
            let is_inside = |point: &Point3<f64>| {
                let half = shape.core_obb().half_extents.add_scalar(within);
                (point - ball.0).norm() <= ball.1 + within && (0..3).all(|k| (point - ball.0)[k].abs() <= half[k])
            };
            let vertex = |surface: &Surface, i: u32| surface.vertex(&surface.vertices[i as usize]);
            let ends = |surface: &Surface, i: u32| surface.ends(&surface.edges[i as usize]);
            let counts = |surface: &Surface| [surface.vertices.len(), surface.edges.len(), surface.faces.len()];
            let ([v, e, f], [w, g, h]) = (counts(&mesh), counts(&core));
            let expected: [Vec<[u32; 2]>; 6] = [
                all(f, w)
                    .filter(|&[i, k]| {
                        let (point, face) = (vertex(&core, k), &mesh.faces[i as usize]);
                        let gap = height(&mesh, i, &point);
                        is_near(gap) && mesh.is_over(face, &(point - face.normal * gap))
                    })
                    .collect(),
                all(v, h)
                    .filter(|&[i, k]| {
                        let (point, face) = (vertex(&mesh, i), &core.faces[k as usize]);
                        let gap = height(&core, k, &point);
                        is_inside(&point) && is_near(gap) && core.is_over(face, &(point - face.normal * gap))
                    })
                    .collect(),
                all(e, g)
                    .filter(|&[i, k]| {
                        crossing(&ends(&mesh, i), &ends(&core, k)).is_some_and(|([p, q], _)| is_near((q - p).norm()))
                    })
                    .collect(),
                all(v, g)
                    .filter(|&[i, k]| {
                        let vertex = vertex(&mesh, i);
                        is_near(to_edge(ends(&core, k), &vertex)) && is_outside(&vertex)
                    })
                    .collect(),
                all(e, w).filter(|&[i, k]| is_near(to_edge(ends(&mesh, i), &vertex(&core, k)))).collect(),
                all(v, w)
                    .filter(|&[i, k]| {
                        let vertex_a = vertex(&mesh, i);
                        is_near((vertex_a - vertex(&core, k)).norm()) && is_outside(&vertex_a)
                    })
                    .collect(),
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
                    // A ball around a face holds more than what is over it.
                    assert!(kind.len() <= 3 * expected.len() + 100, "{} for {}", kind.len(), expected.len());
                    *found += expected.len();
                }
            }
        }
        assert!(found.iter().all(|&found| found > 10), "{found:?}");
    }
}
