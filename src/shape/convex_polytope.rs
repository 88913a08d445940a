//! Convex hulls of points as cores of shapes. What many queries do not need is computed on first use: the moved
//! vertices, the facets and the edges.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::convex_hull::{facets, flat_hull};
use super::polytope_lanes::PolytopeLanes;
use crate::pose::Pose;
use crate::triangle::{Triangle, orient3d};

/// The convex hull of vertices.
#[derive(Clone)]
pub(super) struct Polytope {
    /// The vertices and facets before any pose moved the shape.
    topology: Arc<Topology>,
    /// Where poses moved the vertices; `None` if none did.
    moved: Option<Moved>,
    /// The surface of the moved polytope. Computed when first needed.
    surface: OnceLock<Surface>,
    /// The unit normals of the facets; none if the polytope is flat or one of them would be too inexact. Computed when
    /// first needed.
    normals: OnceLock<Vec<Vector3<f64>>>,
    /// The SIMD lanes of a solid polytope whose normals are known. Computed when first needed.
    lanes: OnceLock<Option<PolytopeLanes>>,
    /// Whether the polytope is known to be a cuboid along the axes of its box, or a flat one: a rectangle, a segment or
    /// a point.
    pub(super) is_cuboid: bool,
}

/// Vertices that a pose moves.
#[derive(Clone)]
struct Moved {
    /// The pose that moved the vertices of the topology; unused if several poses moved them.
    pose: Pose,
    /// The moved vertices. Computed when first needed, or immediately if several poses moved them.
    vertices: OnceLock<Vertices>,
}

pub(super) type Vertices = SmallVec<[Point3<f64>; 8]>;

/// The vertices of a polytope before any pose moved them, and the triangles of its surface as vertex indices.
#[derive(Debug)]
struct Topology {
    vertices: Vertices,
    /// Computed when first needed.
    facets: OnceLock<Facets>,
}

/// The triangles of a polytope's surface, as vertex indices.
#[derive(Debug)]
struct Facets {
    corners: Vec<[usize; 3]>,
    /// The facets on both sides of each edge of a solid polytope; empty for a flat one.
    edges: Vec<[usize; 2]>,
}

/// The triangles of a polytope's surface, by coordinates, or those that cover a flat polytope on one side.
#[derive(Clone, Debug)]
struct Surface {
    triangles: Vec<Triangle>,
    is_solid: bool,
}

fn posed(vertices: &[Point3<f64>], pose: &Pose) -> Vertices {
    vertices.iter().map(|vertex| pose.transform_point(vertex)).collect()
}

impl Surface {
    fn of(points: &[Point3<f64>]) -> Self {
        let solid = facets(points);
        if solid.is_empty() {
            return Self { triangles: flat_surface(points), is_solid: false };
        }
        let facet = |corners: [usize; 3]| Triangle { vertices: corners.map(|corner| points[corner]) };
        Self { triangles: solid.into_iter().map(facet).collect(), is_solid: true }
    }
}

/// The triangles that cover the hull of points in one plane on one side.
fn flat_surface(points: &[Point3<f64>]) -> Vec<Triangle> {
    match flat_hull(points)[..] {
        [] => Vec::new(),
        [p] => vec![Triangle::new(p, p, p)],
        [p, q] => vec![Triangle::new(p, q, q)],
        [p, ref rest @ ..] => rest.windows(2).map(|edge| Triangle::new(p, edge[0], edge[1])).collect(),
    }
}

impl Topology {
    fn facets(&self) -> &Facets {
        self.facets.get_or_init(|| {
            let corners = facets(&self.vertices);
            if !corners.is_empty() {
                let edges = hull_edges(&corners);
                return Facets { corners, edges };
            }
            // Zeros of both signs are the same coordinate.
            let key = |point: &Point3<f64>| point.map(|x| (x + 0.0).to_bits());
            let indices: HashMap<_, usize> = self.vertices.iter().map(key).zip(0..).collect();
            let index = |point: &Point3<f64>| indices.get(&key(point)).copied().unwrap_or(0);
            let triangles = flat_surface(&self.vertices);
            let mut corners: Vec<[usize; 3]> =
                triangles.iter().map(|triangle| triangle.vertices.each_ref().map(index)).collect();
            let backs: Vec<_> = corners.iter().map(|&[a, b, c]| [a, c, b]).filter(|[_, b, c]| b != c).collect();
            corners.extend(backs);
            Facets { corners, edges: Vec::new() }
        })
    }
}

/// The facets on both sides of each edge of the triangles of a polytope's surface.
fn hull_edges(facets: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let mut left = HashMap::new();
    let sides = |[a, b, c]: [usize; 3]| [(a, b), (b, c), (c, a)];
    for (facet, corners) in facets.iter().enumerate() {
        left.extend(sides(*corners).map(|side| (side, facet)));
    }
    let forward = facets.iter().enumerate().flat_map(|(facet, corners)| sides(*corners).map(|side| (side, facet)));
    let edge = |((a, b), facet)| {
        let other = (a < b).then(|| left.get(&(b, a)))??;
        Some([facet, *other])
    };
    forward.filter_map(edge).collect()
}

impl Polytope {
    /// The hull of vertices that no pose has moved.
    pub(super) fn new(vertices: Vertices, is_cuboid: bool) -> Self {
        Self::of(Arc::new(Topology { vertices, facets: OnceLock::new() }), None, is_cuboid)
    }

    #[inline(always)]
    fn of(topology: Arc<Topology>, moved: Option<Moved>, is_cuboid: bool) -> Self {
        Self { topology, moved, surface: OnceLock::new(), normals: OnceLock::new(), lanes: OnceLock::new(), is_cuboid }
    }

    #[inline]
    pub(super) fn vertices(&self) -> &[Point3<f64>] {
        match &self.moved {
            None => &self.topology.vertices,
            Some(Moved { pose, vertices }) => vertices.get_or_init(|| posed(&self.topology.vertices, pose)),
        }
    }

    pub(super) fn is_point(&self) -> bool {
        self.topology.vertices.len() == 1
    }

    /// Whether the polytope has at most two vertices, and so no inside.
    pub(super) fn is_thin(&self) -> bool {
        self.topology.vertices.len() <= 2
    }

    /// See [`ConvexShape::core_support`](super::ConvexShape::core_support).
    #[inline]
    pub(super) fn support(&self, direction: &Vector3<f64>, origin: &Point3<f64>) -> (Point3<f64>, f64) {
        let vertices = self.vertices();
        let mut farthest = (vertices[0], f64::NEG_INFINITY);
        for vertex in vertices {
            let height = (vertex - origin).dot(direction);
            if height > farthest.1 {
                farthest = (*vertex, height);
            }
        }
        farthest
    }

    pub(super) fn is_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// The polytope moved by a rigid pose. Precondition: no pose has moved it before.
    #[inline(always)]
    pub(super) fn moved_by(&self, pose: Pose) -> Self {
        Self::of(self.topology.clone(), Some(Moved { pose, vertices: OnceLock::new() }), self.is_cuboid)
    }

    /// The least and the largest dot product of a direction and a vertex relative to an origin.
    pub(super) fn reach(&self, direction: &Vector3<f64>, origin: &Point3<f64>) -> [f64; 2] {
        let heights = self.vertices().iter().map(|vertex| (vertex - origin).dot(direction));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[lowest, highest], height| {
            [lowest.min(height), highest.max(height)]
        })
    }

    /// The polytope moved by a pose. The result does not count as a cuboid if the pose is not rigid.
    pub(super) fn moved(&self, pose: &Pose, is_rigid: bool) -> Self {
        let vertices = match &self.moved {
            None => OnceLock::new(),
            Some(_) => OnceLock::from(posed(self.vertices(), pose)),
        };
        Self::of(self.topology.clone(), Some(Moved { pose: *pose, vertices }), self.is_cuboid && is_rigid)
    }

    /// The facets on both sides of each edge of a solid polytope, and the unit normals of its facets. Both are empty
    /// for a flat polytope; the normals are also empty if a facet is too thin for a normal.
    pub(super) fn edges_and_normals(&self) -> (&[[usize; 2]], &[Vector3<f64>]) {
        let Facets { corners, edges } = self.topology.facets();
        let normals = self.normals.get_or_init(|| {
            let normal = |&corners: &[usize; 3]| {
                let facet = Triangle { vertices: corners.map(|corner| self.vertices()[corner]) };
                facet.has_normal().then(|| facet.scaled_normal().normalize())
            };
            if edges.is_empty() {
                Vec::new()
            } else {
                corners.iter().map(normal).collect::<Option<_>>().unwrap_or_default()
            }
        });
        (edges, normals)
    }

    /// The facets, edges and vertices in SIMD lanes, to compare with triangles; `None` if
    /// [`Polytope::edges_and_normals`] has no normals. `center` is the shape's.
    pub(super) fn lanes(&self, center: &Point3<f64>) -> Option<&PolytopeLanes> {
        let lanes = || (!self.edges_and_normals().1.is_empty()).then(|| PolytopeLanes::new(self, center));
        self.lanes.get_or_init(lanes).as_ref()
    }

    fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| Surface::of(self.vertices()))
    }

    /// The triangles of the polytope's surface as vertex indices, which a pose does not change; for a flat polytope,
    /// those that cover it on both sides.
    pub(super) fn facets(&self) -> &[[usize; 3]] {
        &self.topology.facets().corners
    }

    /// The triangles of the surface; for a flat polytope, those that cover it on one side.
    pub(super) fn triangles(&self) -> &[Triangle] {
        &self.surface().triangles
    }

    /// The triangles of the surface; none for a flat polytope.
    pub(super) fn solid_triangles(&self) -> &[Triangle] {
        let Surface { triangles, is_solid } = self.surface();
        if *is_solid { triangles } else { &[] }
    }

    /// Whether a point is in the polytope or on its surface, exactly; false for a flat polytope.
    pub(super) fn is_inside(&self, point: &Point3<f64>) -> bool {
        let Surface { triangles, is_solid } = self.surface();
        let is_behind = |facet: &Triangle| {
            let [a, b, c] = &facet.vertices;
            orient3d(a, b, c, point) <= 0.0
        };
        *is_solid && triangles.iter().all(is_behind)
    }
}

impl fmt::Debug for Polytope {
    /// Prints the vertices, not what is computed from them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Polytope").field(&self.vertices()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facets by index are the surface's triangles, whether the polytope is solid or flat, and whatever the signs
    /// of zeros and the number of copies.
    #[test]
    fn facets_are_the_triangles_of_the_surface() {
        let solid: Vec<_> = (0..40).map(|i| (f64::from(i) * 2.4).sin_cos()).zip(0..).collect();
        let solid = solid.iter().map(|&((x, y), i)| [x * f64::from(i), y * f64::from(i), f64::from(i * i)]).collect();
        let flat = vec![[0.0, 0.0, 0.0], [2.0, -0.0, -0.0], [2.0, 2.0, 0.0], [1.0, 3.0, -0.0], [-0.0, 2.0, 0.0]];
        let line = vec![[0.0, 1.0, -0.0], [3.0, 1.0, 0.0]];
        for points in [solid, flat, line, vec![[-0.0, 0.0, 5.0]]] {
            for copies in [1, 2] {
                let vertices: Vec<_> = points.repeat(copies).into_iter().map(Point3::from).collect();
                let polytope = Polytope::new(vertices.clone().into(), false);
                let facets = polytope.facets().iter().map(|facet| facet.map(|corner| vertices[corner]));
                let triangles: Vec<_> = polytope.triangles().iter().map(|triangle| triangle.vertices).collect();
                assert!(facets.take(triangles.len()).eq(triangles), "{points:?}");
                let solid_triangles = polytope.solid_triangles().len();
                assert_eq!(3 * solid_triangles, 2 * polytope.edges_and_normals().0.len());
            }
        }
    }
}
