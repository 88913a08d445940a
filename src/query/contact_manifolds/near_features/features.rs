//! The features of two surfaces as the kernels read them: those of the first eight to a row, those of the second one by
//! one.

use nalgebra::Vector3;

use super::super::surface::{AROUND, Edge, Surface};
use super::{Bounds, Frame, MAX_PART};
use crate::numeric::error_bounds::{FEATURE_COORDINATE_ROUNDING, NEAR_FEATURE_ROUNDING_SQ};
use crate::simd::Simd;
use crate::simd::vectors::{dot_fused, narrowed, splatted};

/// The features of the second surface that meet a box, with their indices.
pub(super) struct Second {
    /// The coordinates of each vertex, and the square of their length.
    pub(super) vertices: Vec<(u32, [f32; 4])>,
    pub(super) edges: Vec<(u32, SecondEdge)>,
    /// The normal of each face, and the height of its plane above the origin.
    pub(super) faces: Vec<(u32, [f32; 4])>,
    /// Whether the surface has faces that meet the box, and lies below the planes of all of them, as a convex surface
    /// does.
    pub(super) has_planes: bool,
}

pub(super) struct SecondEdge {
    pub(super) start: [f32; 3],
    /// The unit direction.
    pub(super) along: [f32; 3],
    /// The cross product of `start` and `along`.
    pub(super) moment: [f32; 3],
    /// The start's coordinate along the edge, the edge's length, and the start's squared distance from the origin.
    pub(super) rest: [f32; 3],
    pub(super) beside: [[f32; 3]; 2],
}

impl Second {
    pub(super) fn new(surface: &Surface, points: &[Vector3<f64>], around: &Bounds) -> Self {
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
                let [start, moment] = [narrowed(p), narrowed(&p.cross(&along))];
                let beside = beside(edge, points, &along);
                (index, SecondEdge { start, along: narrowed(&along), moment, rest, beside })
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

/// The offsets from an edge's line to the third corners of the faces at the edge; zero where there is no face, or where
/// the face is a sliver, for which the offset is not accurate.
#[inline(always)]
fn beside(edge: &Edge, points: &[Vector3<f64>], along: &Vector3<f64>) -> [[f32; 3]; 2] {
    let start = &points[edge.ends[0] as usize];
    let [mut p, mut q] = [[0.0; 3]; 2];
    for (third, beside) in edge.beside.iter().zip([&mut p, &mut q]) {
        let offset = points[*third as usize] - start;
        let part = offset.dot(along);
        let size_sq = offset.norm_squared();
        if size_sq - part * part >= NOT_SLIVER_SQ * size_sq {
            *beside = narrowed(&(offset - along * part));
        }
    }
    [p, q]
}

/// The square of the least ratio of a triangle's height to its size at which [`FLAT_ANGLE`] of its size is little
/// compared to its height.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
const NOT_SLIVER_SQ: f64 = 1e-4;

/// Features in rows of eight: each field of a row is eight numbers, as bits. Unused lanes of the last row are NaN,
/// which is never near.
pub(super) struct Rows<const N: usize> {
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

    /// The numbers of each row, as bits, and the indices of its features. Rows are loaded outside of closures, which
    /// are not compiled for the level.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        self.rows.iter().map(|row| row.as_flattened()).zip(self.names.chunks(LANES))
    }
}

pub(super) const LANES: usize = 8;

/// The heights of a point of the first surface above the planes of the second surface's faces.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// The greatest height of the point above a plane.
    height: f32,
    /// The normal of the plane above which the point is highest.
    normal: [f32; 3],
    /// The planes above which the point is higher than the reach of contacts: a bit for each of the first 48.
    beyond: u64,
}

impl Standing {
    /// The standing of a point about which nothing is known.
    const ANY: Self = Self { height: f32::NAN, normal: [0.0; 3], beyond: 0 };

    /// The number of planes that get a bit each in one f32, which is exact for integers of 24 bits.
    const PLANES: usize = 24;

    /// The [`Standing`] of each of some points. A point is beyond a plane if it is higher than `beyond_height` above
    /// it.
    #[inline(always)]
    pub(super) fn of<S: Simd>(
        s: S,
        faces: &[(u32, [f32; 4])],
        beyond_height: S::F32x8,
        points: &[Vector3<f64>],
    ) -> Vec<Self> {
        let mut rows: Rows<3> = Rows::with_capacity(points.len());
        for (i, point) in points.iter().enumerate() {
            // Farther away, rounding is greater.
            let is_far = point.amax() > MAX_PART;
            rows.push(i, &if is_far { [f32::NAN; 3] } else { narrowed(point) });
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
                        let is_beyond = s.gt(above, beyond_height);
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

    /// Whether all corners of a feature, given by their standings, are beyond the same plane, or all are deeper inside
    /// than `depth`.
    #[inline(always)]
    fn is_away<'a>(mut corners: impl Iterator<Item = &'a Self> + Clone, depth: f32) -> bool {
        corners.clone().fold(u64::MAX, |beyond, corner| beyond & corner.beyond) != 0
            || corners.all(|corner| corner.height < -depth)
    }
}

/// The first of the two surfaces whose nearby features are sought, and what rules out features that are near nothing on
/// the second.
pub(super) struct First<'a> {
    pub(super) surface: &'a Surface,
    /// The surface's points, in the coordinates of [`Frame`].
    pub(super) points: &'a [Vector3<f64>],
    /// A box; features outside the box are near nothing on the second surface.
    pub(super) around: &'a Bounds,
    /// The greatest coordinate along an edge's line, measured from its point nearest to the origin, at which anything
    /// on the second surface may be near.
    pub(super) max_part: f64,
}

/// The number of fields of a vertex: the coordinates, the square of their length, the greatest height above a face of
/// the second surface and that face's normal; and the offsets to points around the vertex.
pub(super) const VERTEX_FIELDS: usize = 8 + 3 * AROUND;
/// The number of fields of an edge: the line's point nearest to the origin, the unit direction, their cross product,
/// the coordinates along the line at which the edge begins and ends, the squared distance of the nearest point from the
/// origin; and the two offsets to points beside the edge.
pub(super) const EDGE_FIELDS: usize = 18;
/// The number of fields of a face: the normal and the height; and, of a ball around all points that may be over the
/// face, the center and the squared radius less the center's square.
pub(super) const FACE_FIELDS: usize = 8;

impl First<'_> {
    /// The vertices that may be near the second surface. Left out are those known to be lower than `deepest` (heights
    /// above that surface's face planes are negative inside), those higher above one of these planes than the reach of
    /// contacts, those outside the box `around`, and those too far from the origin.
    #[inline(always)]
    pub(super) fn vertices(&self, standings: &[Standing], deepest: f32) -> Rows<VERTEX_FIELDS> {
        let mut rows = Rows::with_capacity(self.surface.vertices.len());
        for (i, vertex) in self.surface.vertices.iter().enumerate() {
            let point = &self.points[vertex.point as usize];
            let standing = standings.get(vertex.point as usize).unwrap_or(&Standing::ANY);
            let is_away = standing.beyond != 0 || standing.height < deepest;
            if !is_away && Frame::is_within(point.norm_squared()) && self.around.meets([point].into_iter()) {
                let ([x, y, z], [u, v, w]) = (narrowed(point), standing.normal);
                let mut fields = [0.0; VERTEX_FIELDS];
                fields[..8].copy_from_slice(&[x, y, z, x * x + y * y + z * z, standing.height, u, v, w]);
                for (offset, around) in fields[8..].chunks_exact_mut(3).zip(&vertex.around) {
                    offset.copy_from_slice(&narrowed(&(self.points[*around as usize] - point)));
                }
                rows.push(i, &fields);
            }
        }
        rows
    }

    /// The edges that may be near the second surface. Left out are those wholly deeper inside than `depth`, those
    /// wholly higher above one of that surface's face planes than the reach of contacts, those outside the box
    /// `around`, and those too far from the origin.
    #[inline(always)]
    pub(super) fn edges(&self, standings: &[Standing], depth: f32) -> Rows<EDGE_FIELDS> {
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
            let ([x, y, z], [u, v, w]) = (narrowed(&foot), narrowed(&along));
            let [k, l, m] = [y * w - z * v, z * u - x * w, x * v - y * u];
            let square = x * x + y * y + z * z;
            rows.push(i, &[x, y, z, u, v, w, k, l, m, first, last, square, a, b, c, d, e, f]);
        }
        rows
    }

    /// The faces that may be near the second surface. Left out are those wholly deeper inside than `depth`, those
    /// wholly higher above one of that surface's face planes than the reach of contacts, and those whose plane is too
    /// far from the origin. `reach_sq` is the square of the reach of contacts.
    #[inline(always)]
    pub(super) fn faces(&self, standings: &[Standing], depth: f32, reach_sq: f32) -> Rows<FACE_FIELDS> {
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
            let ([u, v, w], [x, y, z]) = (narrowed(&face.normal), narrowed(&center));
            // The center may be a few units away.
            let room = size_sq as f32 + reach_sq - (x * x + y * y + z * z) + 10.0 * NEAR_FEATURE_ROUNDING_SQ;
            rows.push(i, &[u, v, w, height as f32, x, y, z, room]);
        }
        rows
    }
}
