//! Which vertices, edges and faces of two sides may be in contact: eight of the first side's at once, in f32, with room
//! for its rounding. What is found is decided in f64 afterwards.

use nalgebra::{Point3, Vector3};

use super::candidates::MAX_SLOPE;
use super::surface::{AROUND, Edge, Surface};
use crate::numeric::error_bounds::{FEATURE_COORDINATE_ROUNDING, NEAR_FEATURE_ROUNDING, NEAR_FEATURE_ROUNDING_SQ};
use crate::simd::vectors::{Vector8, cross_fused, difference, dot_fused, negative, norm, splatted};
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
    /// inside a ball, given by its center and radius, and has few features.
    pub(super) fn find(level: SimdLevel, surfaces: [&Surface; 2], ball: (Point3<f64>, f64), margin: f64) -> Self {
        let mut near = Self::default();
        let radius = surfaces[0].radius + surfaces[1].radius;
        let reach = ball.1 + radius + margin;
        let frame = Frame { origin: ball.0, scale: if reach > 0.0 { reach.recip() } else { 1.0 } };
        let points = surfaces.map(|surface| surface.points.iter().map(|point| frame.point(point)).collect::<Vec<_>>());
        let reach = (radius + margin) * frame.scale + f64::from(NEAR_FEATURE_ROUNDING);
        let around = points.each_ref().map(|points| Bounds::of(points.iter()).grown(reach));
        let second = Second::new(surfaces[1], &points[1], &around[0]);
        let [radius, margin] = [radius, margin].map(|distance| (distance * frame.scale) as f32);
        // Crossings of edges may be anywhere within reach; vertices are in the ball.
        let max_part =
            if second.edges.is_empty() { ball.1 * frame.scale + FEATURE_COORDINATE_ROUNDING } else { MAX_PART };
        let first = First { surface: surfaces[0], points: &points[0], around: &around[1], max_part };
        dispatch(level, Find { first, second: &second, radius, margin, near: &mut near });
        near
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

/// The features of the second side that are in a box, with their indices.
struct Second {
    /// The coordinates, and the square of their length.
    vertices: Vec<(u32, [f32; 4])>,
    edges: Vec<(u32, SecondEdge)>,
    /// The normal, and the height.
    faces: Vec<(u32, [f32; 4])>,
    /// Whether the side has faces and lies below the planes of all of them, as a convex one does.
    has_planes: bool,
}

struct SecondEdge {
    start: [f32; 3],
    /// The unit direction.
    along: [f32; 3],
    /// The product of the two.
    moment: [f32; 3],
    /// Where the start is along the edge, the edge's length, and the start's square.
    rest: [f32; 3],
    beside: [[f32; 3]; 2],
}

impl Second {
    fn new(surface: &Surface, points: &[Vector3<f64>], around: &Bounds) -> Self {
        let point = |index: u32| &points[index as usize];
        let vertices = (0..).zip(&surface.vertices).filter_map(|(index, vertex)| {
            let p = point(vertex.point);
            around.meets([p].into_iter()).then(|| (index, [p.x, p.y, p.z, p.norm_squared()].map(|x| x as f32)))
        });
        let edges = (0..).zip(&surface.edges).filter_map(|(index, edge)| {
            let [p, q] = edge.ends.map(point);
            around.meets([p, q].into_iter()).then(|| {
                let length = (q - p).norm();
                let along = (q - p) / length;
                let rest = [p.dot(&along), length, p.norm_squared()].map(|x| x as f32);
                let [start, moment] = [narrow(p), narrow(&p.cross(&along))];
                let beside = beside(edge, points, &along);
                (index, SecondEdge { start, along: narrow(&along), moment, rest, beside })
            })
        });
        let faces = (0..).zip(&surface.faces).filter_map(|(index, face)| {
            let n = &face.normal;
            let height = n.dot(point(face.corners[0]));
            let is_near = around.meets(face.corners.iter().map(|corner| point(*corner)));
            is_near.then(|| (index, [n.x, n.y, n.z, height].map(|x| x as f32)))
        });
        let (vertices, edges, faces): (_, _, Vec<(u32, _)>) = (vertices.collect(), edges.collect(), faces.collect());
        let is_below = |(index, _): &(u32, [f32; 4])| {
            let face = &surface.faces[*index as usize];
            let height = face.normal.dot(point(face.corners[0])) + FEATURE_COORDINATE_ROUNDING;
            points.iter().all(|point| point.dot(&face.normal) <= height)
        };
        let has_planes = !faces.is_empty() && faces.iter().all(is_below);
        Self { vertices, edges, faces, has_planes }
    }
}

/// The directions into the faces at an edge, perpendicular to it, as far as the faces' corners are; zero where there is
/// none or it is not known well.
#[inline(always)]
fn beside(edge: &Edge, points: &[Vector3<f64>], along: &Vector3<f64>) -> [[f32; 3]; 2] {
    let start = &points[edge.ends[0] as usize];
    let [mut p, mut q] = [[0.0; 3]; 2];
    for (third, beside) in edge.beside.iter().zip([&mut p, &mut q]) {
        let offset = points[*third as usize] - start;
        let part = offset.dot(along);
        let size_sq = offset.norm_squared();
        if size_sq - part * part >= NOT_SLIVER_SQ * size_sq {
            *beside = narrow(&(offset - along * part));
        }
    }
    [p, q]
}

/// The square of the part of a triangle's size that its height is at least, so that [`FLAT_ANGLE`] of its size is
/// little beside its height.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
const NOT_SLIVER_SQ: f64 = 1e-4;

/// The sine of the angle by which a face rises along a direction for certain, so that the surface does not end at its
/// edge in that direction: a [`FLAT_ANGLE`] of a triangle's size.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
const RISING: f32 = 0.02;

/// Eight features to a row: each field is eight numbers, as bits. What is missing in the last row is NaN, and never
/// near.
struct Rows<const N: usize> {
    rows: Vec<[[u32; LANES]; N]>,
    /// The index of each feature.
    names: Vec<u32>,
}

impl<const N: usize> Rows<N> {
    fn with_capacity(features: usize) -> Self {
        Self { rows: Vec::with_capacity(features.div_ceil(LANES)), names: Vec::with_capacity(features) }
    }

    #[inline(always)]
    fn push(&mut self, name: usize, fields: &[f32; N]) {
        let lane = self.names.len() % LANES;
        if lane == 0 {
            self.rows.push([[f32::NAN.to_bits(); LANES]; N]);
        }
        if let Some(row) = self.rows.last_mut() {
            for (field, lanes) in fields.iter().zip(row) {
                lanes[lane] = field.to_bits();
            }
        }
        self.names.push(name as u32);
    }

    /// The words of the rows, and the names of their features. Rows are loaded outside of closures, which are not
    /// compiled for the level.
    fn iter(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        self.rows.iter().map(|row| row.as_flattened()).zip(self.names.chunks(LANES))
    }
}

const LANES: usize = 8;

/// Where a point of the first side is in relation to the planes of the second side's faces.
#[derive(Clone, Copy)]
struct Standing {
    /// The greatest height above a plane.
    height: f32,
    /// The normal of that plane.
    normal: [f32; 3],
    /// The planes that it is beyond by more than the reach: a bit for each of the first.
    beyond: u64,
}

impl Standing {
    /// For a point about which nothing is known.
    const ANY: Self = Self { height: f32::NAN, normal: [0.0; 3], beyond: 0 };

    /// As many planes have a bit in the whole numbers of f32.
    const PLANES: usize = 24;

    /// Those of some points.
    #[inline(always)]
    fn of<S: Simd>(s: S, faces: &[(u32, [f32; 4])], limits: &Limits<S>, points: &[Vector3<f64>]) -> Vec<Self> {
        let mut rows: Rows<3> = Rows::with_capacity(points.len());
        for (i, point) in points.iter().enumerate() {
            // Farther away, rounding is greater.
            let is_far = point.amax() > MAX_PART;
            rows.push(i, &if is_far { [f32::NAN; 3] } else { narrow(point) });
        }
        let mut standings = Vec::with_capacity(points.len());
        for (words, names) in rows.iter() {
            let point = s.load_rows(words, LANES, LANES);
            let (mut highest, mut normals) = (s.splat(f32::NEG_INFINITY), [s.splat(0.0); 3]);
            let mut beyond = [s.splat(0.0); 2];
            for (group, faces) in faces.chunks(Self::PLANES).enumerate() {
                let mut bit = 1.0;
                for (_, [x, y, z, height]) in faces {
                    let normal = splatted(s, [*x, *y, *z]);
                    let above = s.sub(dot_fused(s, &normal, &point), s.splat(*height));
                    let is_higher = s.gt(above, highest);
                    highest = s.select(is_higher, above, highest);
                    for k in 0..3 {
                        normals[k] = s.select(is_higher, normal[k], normals[k]);
                    }
                    if let Some(beyond) = beyond.get_mut(group) {
                        let is_beyond = s.gt(above, limits.beyond);
                        *beyond = s.add(*beyond, s.select(is_beyond, s.splat(bit), s.splat(0.0)));
                    }
                    bit *= 2.0;
                }
            }
            let heights = s.to_array(highest);
            let [x, y, z] = [s.to_array(normals[0]), s.to_array(normals[1]), s.to_array(normals[2])];
            let [low, high] = [s.to_array(beyond[0]), s.to_array(beyond[1])];
            for lane in 0..names.len() {
                standings.push(if heights[lane] == f32::NEG_INFINITY {
                    Self::ANY
                } else {
                    let beyond = u64::from(low[lane] as u32) | u64::from(high[lane] as u32) << Self::PLANES;
                    Self { height: heights[lane], normal: [x[lane], y[lane], z[lane]], beyond }
                });
            }
        }
        standings
    }

    /// Whether what has corners that stand like this is beyond a plane, or deeper inside than a depth.
    #[inline(always)]
    fn is_away<'a>(mut corners: impl Iterator<Item = &'a Self> + Clone, depth: f32) -> bool {
        corners.clone().fold(u64::MAX, |beyond, corner| beyond & corner.beyond) != 0
            || corners.all(|corner| corner.height < -depth)
    }
}

/// The first side.
struct First<'a> {
    surface: &'a Surface,
    /// Its points in the frame.
    points: &'a [Vector3<f64>],
    /// What is outside this box is near nothing of the second side.
    around: &'a Bounds,
    /// A part of an edge's line beyond which nothing of the second side is near.
    max_part: f64,
}

struct Find<'a> {
    first: First<'a>,
    second: &'a Second,
    radius: f32,
    margin: f32,
    near: &'a mut NearFeatures,
}

impl Task for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { first, second, radius, margin, near } = self;
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
        let standings =
            if second.has_planes { Standing::of(s, &second.faces, &limits, first.points) } else { Vec::new() };
        // The points of no face are deeper than this.
        let deepest = (radius - margin).min(-INSIDE) - NEAR_FEATURE_ROUNDING;
        vertices_near(s, second, &limits, &first.vertices(&standings, deepest), near);
        let depth = reach + NEAR_FEATURE_ROUNDING;
        edges_near(s, second, &limits, &first.edges(&standings, depth), near);
        faces_near(s, second, &limits, &first.faces(&standings, depth, reach * reach), near);
    }
}

/// The coordinates, the square of their length, and the greatest height above a face of the other side and that face's
/// normal; and the offsets to points around it.
const VERTEX_FIELDS: usize = 8 + 3 * AROUND;
/// The line's point nearest to the origin, the unit direction, their product, where the edge begins and ends along it,
/// the square of the first; and the two directions beside the edge.
const EDGE_FIELDS: usize = 18;
/// The normal and the height; and, of a ball around what may be over the face, the center and the squared radius less
/// the center's square.
const FACE_FIELDS: usize = 8;

impl First<'_> {
    /// The vertices that are not deeper than told, nor away.
    #[inline(always)]
    fn vertices(&self, standings: &[Standing], deepest: f32) -> Rows<VERTEX_FIELDS> {
        let mut rows = Rows::with_capacity(self.surface.vertices.len());
        for (i, vertex) in self.surface.vertices.iter().enumerate() {
            let point = &self.points[vertex.point as usize];
            let standing = standings.get(vertex.point as usize).unwrap_or(&Standing::ANY);
            let is_away = standing.beyond != 0 || standing.height < deepest;
            if !is_away && Frame::is_within(point.norm_squared()) && self.around.meets([point].into_iter()) {
                let ([x, y, z], [u, v, w]) = (narrow(point), standing.normal);
                let mut fields = [0.0; VERTEX_FIELDS];
                fields[..8].copy_from_slice(&[x, y, z, x * x + y * y + z * z, standing.height, u, v, w]);
                for (offset, around) in fields[8..].chunks_exact_mut(3).zip(&vertex.around) {
                    offset.copy_from_slice(&narrow(&(self.points[*around as usize] - point)));
                }
                rows.push(i, &fields);
            }
        }
        rows
    }

    /// The edges that are not all deeper than told, nor away.
    #[inline(always)]
    fn edges(&self, standings: &[Standing], depth: f32) -> Rows<EDGE_FIELDS> {
        let Self { surface, points, around, max_part } = self;
        let mut rows = Rows::with_capacity(surface.edges.len());
        for (i, edge) in surface.edges.iter().enumerate() {
            let [p, q] = edge.ends.map(|end| &points[end as usize]);
            let along = q - p;
            let (length_sq, starts) = (along.norm_squared(), [p.dot(&along), q.dot(&along)]);
            let max_sq = max_part * max_part * length_sq;
            let is_past = |part: f64| part > 0.0 && part * part > max_sq;
            let is_away = !standings.is_empty()
                && Standing::is_away(edge.ends.iter().map(|end| &standings[*end as usize]), depth);
            if is_past(starts[0]) || is_past(-starts[1]) || is_away || !around.meets([p, q].into_iter()) {
                continue;
            }
            let length = length_sq.sqrt();
            let along = along * length.recip();
            let start = p.dot(&along);
            // The line's point nearest to the origin.
            let foot = p - along * start;
            if !Frame::is_within(foot.norm_squared()) {
                continue;
            }
            let [first, last] = [start, start + length].map(|part| part.clamp(-MAX_PART, MAX_PART) as f32);
            let [[a, b, c], [d, e, f]] = beside(edge, points, &along);
            let ([x, y, z], [u, v, w]) = (narrow(&foot), narrow(&along));
            let [k, l, m] = [y * w - z * v, z * u - x * w, x * v - y * u];
            let square = x * x + y * y + z * z;
            rows.push(i, &[x, y, z, u, v, w, k, l, m, first, last, square, a, b, c, d, e, f]);
        }
        rows
    }

    /// The faces that are not all deeper than told, nor away, given the square of the reach of contacts.
    #[inline(always)]
    fn faces(&self, standings: &[Standing], depth: f32, reach_sq: f32) -> Rows<FACE_FIELDS> {
        let mut rows = Rows::with_capacity(self.surface.faces.len());
        for (i, face) in self.surface.faces.iter().enumerate() {
            let is_away = !standings.is_empty()
                && Standing::is_away(face.corners.iter().map(|corner| &standings[*corner as usize]), depth);
            let height = face.normal.dot(&self.points[face.corners[0] as usize]);
            if is_away || height.abs() > MAX_PART {
                continue;
            }
            let center = self.points[face.corners[0] as usize];
            let others = face.corners[1..].iter().map(|corner| self.points[*corner as usize]);
            let size_sq = others.map(|corner| (corner - center).norm_squared()).fold(0.0, f64::max);
            // Around a face that is larger than all that matters, everything is.
            let is_wide = size_sq > MAX_PART * MAX_PART;
            let (center, size_sq) = if is_wide { (Vector3::zeros(), MAX_PART * MAX_PART) } else { (center, size_sq) };
            let ([u, v, w], [x, y, z]) = (narrow(&face.normal), narrow(&center));
            // The center may be a few units away.
            let room = size_sq as f32 + reach_sq - (x * x + y * y + z * z) + 10.0 * NEAR_FEATURE_ROUNDING_SQ;
            rows.push(i, &[u, v, w, height as f32, x, y, z, room]);
        }
        rows
    }
}

/// Adds a pair for each bit of a row.
#[inline(always)]
fn push(pairs: &mut Vec<[u32; 2]>, names: &[u32], other: u32, mut bits: u8) {
    while bits != 0 {
        pairs.push([names[bits.trailing_zeros() as usize], other]);
        bits &= bits - 1;
    }
}

/// The coordinates in f32.
fn narrow(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
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

    /// What faces rise by along a direction of a length for certain, given the sine of the slope.
    #[inline(always)]
    fn slope(&self, s: S, sine: f32, length: S::F32x8) -> S::F32x8 {
        s.mul_add(s.splat(sine), length, self.rounding)
    }

    /// Whether gaps may be those of contacts across a face, as bits.
    #[inline(always)]
    fn are_gaps(&self, s: S, gap: S::F32x8) -> u8 {
        s.bits(s.gt(self.margin, s.abs(s.sub(gap, self.radius))))
    }
}

/// The pairs of the first side's vertices.
#[inline(always)]
fn vertices_near<S: Simd>(
    s: S,
    second: &Second,
    limits: &Limits<S>,
    rows: &Rows<VERTEX_FIELDS>,
    near: &mut NearFeatures,
) {
    for (words, names) in rows.iter() {
        let [x, y, z, square, least_room, u, v, w] = s.load_rows(words, LANES, LANES);
        let (point, highest) = ([x, y, z], [u, v, w]);
        for &(face, [x, y, z, height]) in &second.faces {
            let normal = splatted(s, [x, y, z]);
            let gap = s.sub(dot_fused(s, &normal, &point), s.splat(height));
            // The foot is in the core, below the plane that the vertex is highest above.
            let room = s.mul_add(gap, dot_fused(s, &normal, &highest), limits.rounding);
            let is_beside = s.bits(s.gt(least_room, room));
            let is_near = !is_beside & limits.are_gaps(s, gap);
            if is_near != 0 {
                // Directions that are about the same count.
                let slope = limits.slope(s, MAX_SLOPE as f32 + RISING, s.splat(1.0));
                let rise = rise(s, &around_of(s, words), &negative(s, &normal), slope);
                push(&mut near.vertex_face, names, face, is_near & !rise);
            }
        }
        let is_inside = s.bits(s.gt(s.splat(-INSIDE), least_room));
        if is_inside == u8::MAX {
            continue;
        }
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
            let distance_sq = s.add(dot_fused(s, &twice, &point), s.add(s.splat(own), square));
            let is_near = !is_inside & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let to_vertex = difference(s, &splatted(s, [x, y, z]), &point);
                let rise = rise(s, &around_of(s, words), &to_vertex, limits.slope(s, RISING, norm(s, &to_vertex)));
                push(&mut near.vertex_vertex, names, vertex, is_near & !rise);
            }
        }
        for (edge, other) in &second.edges {
            let ([x, y, z], [start, length, own]) = (other.start, other.rest);
            let along = splatted(s, other.along);
            let part = s.sub(dot_fused(s, &along, &point), s.splat(start));
            let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
            let to_start_sq = s.add(dot_fused(s, &twice, &point), s.add(s.splat(own), square));
            let distance_sq = s.sub(to_start_sq, s.mul(part, part));
            let beyond = s.max(s.sub(s.splat(0.0), part), s.sub(part, s.splat(length)));
            let is_within = s.bits(s.gt(limits.rounding, beyond));
            let is_near = !is_inside & is_within & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let to_point = difference(s, &point, &on_line(s, &splatted(s, other.start), &along, part));
                let slope = limits.slope(s, RISING, norm(s, &to_point));
                let rise =
                    other.rise(s, &to_point, slope) | rise(s, &around_of(s, words), &negative(s, &to_point), slope);
                push(&mut near.vertex_edge, names, *edge, is_near & !rise);
            }
        }
    }
}

/// The pairs of the first side's edges.
#[inline(always)]
fn edges_near<S: Simd>(s: S, second: &Second, limits: &Limits<S>, rows: &Rows<EDGE_FIELDS>, near: &mut NearFeatures) {
    for (words, names) in rows.iter() {
        let [x, y, z, u, v, w, k, l, m, first, last, square] = s.load_rows(words, LANES, LANES);
        let (foot, along, moment) = ([x, y, z], [u, v, w], [k, l, m]);
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let part = dot_fused(s, &splatted(s, [x, y, z]), &along);
            let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
            let to_foot_sq = s.add(dot_fused(s, &twice, &foot), s.add(s.splat(own), square));
            let distance_sq = s.sub(to_foot_sq, s.mul(part, part));
            let is_within = s.bits(s.gt(limits.rounding, s.max(s.sub(first, part), s.sub(part, last))));
            let is_near = is_within & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let vertex_at = splatted(s, [x, y, z]);
                let to_vertex = difference(s, &vertex_at, &on_line(s, &foot, &along, part));
                let rise = rise(s, &beside_of(s, words), &to_vertex, limits.slope(s, RISING, norm(s, &to_vertex)));
                push(&mut near.edge_vertex, names, vertex, is_near & !rise);
            }
        }
        for (edge, other) in &second.edges {
            // The lines' nearest points (Ericson, Real-Time Collision Detection, 5.1.8), times the sine's square; and
            // their distance by Plücker's coordinates, times the sine.
            let [start, length, _] = other.rest;
            let (other_along, length) = (splatted(s, other.along), s.splat(length));
            let cosine = dot_fused(s, &other_along, &along);
            let sine_sq = s.sub(s.splat(1.0), s.mul(cosine, cosine));
            let along_a = dot_fused(s, &splatted(s, other.start), &along);
            let along_b = s.sub(s.splat(start), dot_fused(s, &other_along, &foot));
            let part_a = s.sub(along_a, s.mul(along_b, cosine));
            let part_b = s.sub(s.mul(along_a, cosine), along_b);
            let beyond_a = s.max(s.sub(s.mul(first, sine_sq), part_a), s.sub(part_a, s.mul(last, sine_sq)));
            let beyond_b = s.max(s.sub(s.splat(0.0), part_b), s.sub(part_b, s.mul(length, sine_sq)));
            let across = s.add(dot_fused(s, &splatted(s, other.moment), &along), dot_fused(s, &other_along, &moment));
            let too_far = s.sub(s.mul(across, across), s.mul(limits.bare_reach_sq, sine_sq));
            let is_within = s.bits(s.gt(limits.rounding, s.max(beyond_a, beyond_b)));
            let too_near = s.sub(s.mul(limits.bare_least_sq, sine_sq), s.mul(across, across));
            let is_near = is_within & s.bits(s.gt(limits.rounding_sq, s.max(too_far, too_near)));
            if is_near != 0 {
                let across = cross_fused(s, &along, &other_along);
                let sine = s.sqrt(s.max(sine_sq, s.splat(0.0)));
                // Across edges, directions that are about the same count.
                let slope = limits.slope(s, MAX_SLOPE as f32 + RISING, sine);
                let (beside, against) = (beside_of(s, words), negative(s, &across));
                let rise = [
                    rise(s, &beside, &across, slope) | other.rise(s, &against, slope),
                    rise(s, &beside, &against, slope) | other.rise(s, &across, slope),
                ];
                push(&mut near.edge_edge, names, *edge, is_near & !(rise[0] & rise[1]));
            }
        }
    }
}

/// The points of lines, given by a point and a unit direction, at a distance along them.
#[inline(always)]
fn on_line<S: Simd>(s: S, start: &Vector8<S>, along: &Vector8<S>, part: S::F32x8) -> Vector8<S> {
    [s.mul_add(along[0], part, start[0]), s.mul_add(along[1], part, start[1]), s.mul_add(along[2], part, start[2])]
}

/// The directions beside eight edges of the first side.
#[inline(always)]
fn beside_of<S: Simd>(s: S, words: &[u32]) -> [Vector8<S>; 2] {
    let [a, b, c, d, e, f] = s.load_rows(&words[12 * LANES..], LANES, LANES);
    [[a, b, c], [d, e, f]]
}

/// The offsets to points around eight vertices of the first side.
#[inline(always)]
fn around_of<S: Simd>(s: S, words: &[u32]) -> [Vector8<S>; AROUND] {
    let mut around = [[s.splat(0.0); 3]; AROUND];
    for (k, offset) in around.iter_mut().enumerate() {
        *offset = s.load_rows(&words[(8 + 3 * k) * LANES..], LANES, LANES);
    }
    around
}

/// Whether one of some offsets rises along a direction, by more than a slope, as bits.
#[inline(always)]
fn rise<S: Simd, const N: usize>(s: S, offsets: &[Vector8<S>; N], direction: &Vector8<S>, slope: S::F32x8) -> u8 {
    let mut rise = 0;
    for offset in offsets {
        rise |= s.bits(s.gt(dot_fused(s, offset, direction), s.mul(norm(s, offset), slope)));
    }
    rise
}

impl SecondEdge {
    /// [`rise`].
    #[inline(always)]
    fn rise<S: Simd>(&self, s: S, direction: &Vector8<S>, slope: S::F32x8) -> u8 {
        rise(s, &[splatted(s, self.beside[0]), splatted(s, self.beside[1])], direction, slope)
    }
}

/// The pairs of the first side's faces.
#[inline(always)]
fn faces_near<S: Simd>(s: S, second: &Second, limits: &Limits<S>, rows: &Rows<FACE_FIELDS>, near: &mut NearFeatures) {
    for (words, names) in rows.iter() {
        let [u, v, w, height, x, y, z, room] = s.load_rows(words, LANES, LANES);
        let (normal, center) = ([u, v, w], [x, y, z]);
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let gap = s.sub(dot_fused(s, &splatted(s, [x, y, z]), &normal), height);
            let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
            let is_beside = s.bits(s.gt(room, s.add(dot_fused(s, &twice, &center), s.splat(own))));
            push(&mut near.face_vertex, names, vertex, is_beside & limits.are_gaps(s, gap));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::crossing;
    use super::super::feature_contacts::foot;
    use super::super::surroundings::{Height, Surroundings, height_along};
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
            let contact_core = shape.contact_core(&[Vector3::x()]);
            let core = Surface::of_core(&contact_core, 0.05 * size);
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
            let rises = |i: u32, direction: &Vector3<f64>| {
                let (edge, [start, _]) = (&mesh.edges[i as usize], ends(&mesh, i));
                let offsets = edge.beside.iter().map(|third| mesh.points[*third as usize] - start);
                height_along(offsets, direction) == Height::Above
            };
            let rises_at = |i: u32, direction: &Vector3<f64>| {
                let (around, point) = (&mesh.vertices[i as usize].around, vertex(&mesh, i));
                let offsets = around.iter().map(|around| mesh.points[*around as usize] - point);
                height_along(offsets, direction) == Height::Above
            };
            // Both surfaces end at the two edges along the direction, or nearly.
            let may_part = |i: u32, k: u32, direction: &Vector3<f64>| {
                !rises(i, direction) && contact_core.ends_near(&core.edges[k as usize].ends, &-direction, 0.985)
            };
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
                        is_inside(&point)
                            && is_near(gap)
                            && core.is_over(face, &(point - face.normal * gap))
                            && !rises_at(i, &-face.normal)
                    })
                    .collect(),
                all(e, g)
                    .filter(|&[i, k]| {
                        crossing(&ends(&mesh, i), &ends(&core, k)).is_some_and(|([p, q], line)| {
                            is_near((q - p).norm()) && (may_part(i, k, &line) || may_part(i, k, &-line))
                        })
                    })
                    .collect(),
                all(v, g)
                    .filter(|&[i, k]| {
                        let (vertex, edge) = (vertex(&mesh, i), &core.edges[k as usize]);
                        foot(&ends(&core, k), &vertex).is_some_and(|foot| {
                            let direction = (vertex - foot).normalize();
                            is_near((vertex - foot).norm())
                                && is_outside(&vertex)
                                && contact_core.ends_at(&edge.ends, &direction)
                                && !rises_at(i, &-direction)
                        })
                    })
                    .collect(),
                all(e, w)
                    .filter(|&[i, k]| {
                        let vertex = vertex(&core, k);
                        foot(&ends(&mesh, i), &vertex).is_some_and(|foot| {
                            let direction = (vertex - foot).normalize();
                            is_near((vertex - foot).norm()) && !rises(i, &direction)
                        })
                    })
                    .collect(),
                all(v, w)
                    .filter(|&[i, k]| {
                        let vertex_a = vertex(&mesh, i);
                        let offset = vertex(&core, k) - vertex_a;
                        is_near(offset.norm()) && is_outside(&vertex_a) && !rises_at(i, &offset.normalize())
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
