//! Finds the vertices, edges and faces of two surfaces that may be in contact, by tests in f32 with room for rounding.
//! Each test takes eight features of the first surface. The pairs found are tested in f64 afterwards.

mod features;
mod kernels;

use nalgebra::{Point3, Vector3};

use super::surface::Surface;
use crate::numeric::error_bounds::{FEATURE_COORDINATE_ROUNDING, NEAR_FEATURE_ROUNDING, NEAR_FEATURE_ROUNDING_SQ};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use features::{First, Second, Standing};
use kernels::{INSIDE, Limits, edges_near, faces_near, vertices_near};

/// Pairs of features, one of each surface, by their indices.
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

    /// Whether a point or a line at this squared distance from the origin may be near.
    fn is_within(distance_sq: f64) -> bool {
        distance_sq <= 1.0 + f64::from(NEAR_FEATURE_ROUNDING)
    }
}

/// The greatest coordinate along an edge's line, and the greatest height of a face's plane, at which anything may be
/// near the other surface, in the unit of [`Frame`].
const MAX_PART: f64 = 1.5;

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
            if second.has_planes { Standing::of(s, &second.faces, limits.beyond, first.points) } else { Vec::new() };
        // No point of a vertex and face in contact is deeper than this.
        let deepest = (radius - margin).min(-INSIDE) - NEAR_FEATURE_ROUNDING;
        vertices_near(s, second, &limits, &first.vertices(&standings, deepest), near);
        let depth = reach + NEAR_FEATURE_ROUNDING;
        edges_near(s, second, &limits, &first.edges(&standings, depth), near);
        faces_near(s, second, &limits, &first.faces(&standings, depth, reach * reach), near);
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
