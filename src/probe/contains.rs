//! Point containment: inside, outside or on a mesh; the signed distance; the winding number.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::mesh::Watertightness;
use crate::shape::Aabb;
use crate::traversal::{OnRay, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, RayCrossing, Triangle};
use crate::volume::LocalRay;

/// Where a point is with respect to a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// Enclosed by the mesh and not on it.
    Inside,
    /// Neither enclosed by the mesh nor on it.
    Outside,
    /// On a triangle, exactly.
    OnSurface,
    /// The mesh is not closed, and the point is not on it.
    Undefined,
}

impl Probe {
    /// Which side of the mesh a point is on, exactly. Of a mesh that is oriented throughout, inside is where its
    /// winding number is not zero; of any other closed mesh it is by the even-odd rule: see [`Watertightness`]. The
    /// first question of this kind about a tree finds out which it is, and takes longer; see
    /// [`BvTree::watertightness`].
    ///
    /// An empty mesh has all points outside.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "inside")]
    pub fn contains(&mut self, tree: &BvTree, point: &Point3<f64>) -> Containment {
        self.stats = Default::default();
        let watertightness = tree.watertightness();
        let outside = if watertightness.is_closed() { Containment::Outside } else { Containment::Undefined };
        if !tree.bounds().contains(point) {
            return outside;
        }
        let direction = shortest_way_out(tree.bounds(), point);
        let exact = ExactRay::new(point, &direction);
        let local = LocalRay::new(&tree.meta().frame, point, &direction);
        let (Some(exact), Some(local)) = (exact, local) else {
            return outside;
        };
        let positions = [local.position_before(0.0), f32::INFINITY];
        let mut passages = Passages { exact, count: CrossingCount::default() };
        self.traverse(tree, OnRay { ray: local, positions }, &mut passages);
        passages.count.containment(watertightness)
    }

    /// The distance of a point from a closed mesh: negative inside, zero exactly on the surface. None if the mesh is
    /// empty or not closed, or the point is not finite.
    #[doc(alias = "SDF")]
    pub fn signed_distance(&mut self, tree: &BvTree, point: &Point3<f64>) -> Option<f64> {
        let containment = self.contains(tree, point);
        let ray_stats = self.stats;
        let sign = match containment {
            Containment::Inside => -1.0,
            Containment::Outside => 1.0,
            Containment::OnSurface => return tree.watertightness().is_closed().then_some(0.0),
            Containment::Undefined => return None,
        };
        let closest = self.closest_point(tree, point);
        self.stats += ray_stats;
        // A distance that rounds to zero keeps its sign.
        closest.map(|closest| sign * closest.distance.max(f64::MIN_POSITIVE))
    }
}

/// Along an axis: fewer volumes are in the way.
fn shortest_way_out(bounds: &Aabb, point: &Point3<f64>) -> Vector3<f64> {
    let (below, above) = (point - bounds.lower, bounds.upper - point);
    let (lower, upper) = (below.imin(), above.imin());
    if below[lower] < above[upper] { -Vector3::ith(lower, 1.0) } else { Vector3::ith(upper, 1.0) }
}

/// Where a point is, by how a ray from it passes all triangles of a mesh.
pub(crate) fn containment(passages: impl Iterator<Item = RayCrossing>, watertightness: Watertightness) -> Containment {
    let mut count = CrossingCount::default();
    for passage in passages {
        if count.add(passage).is_break() {
            break;
        }
    }
    count.containment(watertightness)
}

/// How a ray passes through triangles, summed up.
#[derive(Default)]
struct CrossingCount {
    winding: i64,
    count: u64,
    on_surface: bool,
}

impl CrossingCount {
    #[inline(always)]
    fn add(&mut self, passage: RayCrossing) -> ControlFlow<()> {
        match passage {
            RayCrossing::StartsOn => {
                self.on_surface = true;
                return ControlFlow::Break(());
            }
            RayCrossing::Out => (self.winding, self.count) = (self.winding + 1, self.count + 1),
            RayCrossing::In => (self.winding, self.count) = (self.winding - 1, self.count + 1),
            RayCrossing::None => {}
        }
        ControlFlow::Continue(())
    }

    fn containment(&self, watertightness: Watertightness) -> Containment {
        let inside = match watertightness {
            _ if self.on_surface => return Containment::OnSurface,
            Watertightness::Oriented => self.winding != 0,
            Watertightness::Unoriented => self.count % 2 == 1,
            Watertightness::Open => return Containment::Undefined,
        };
        if inside { Containment::Inside } else { Containment::Outside }
    }
}

struct Passages {
    exact: ExactRay,
    count: CrossingCount,
}

impl TriangleVisitor for Passages {
    fn visit(&mut self, triangle: &Triangle, _: u32) -> ControlFlow<(), f32> {
        self.count.add(self.exact.passage(triangle))?;
        ControlFlow::Continue(f32::INFINITY)
    }
}

/// How often the mesh winds around a point: the sum of the triangles' signed solid angles, divided by `4 pi`.
///
/// For a closed mesh with normals outward it is 1 inside and 0 outside, up to rounding in the order of `1e-16 n` for n
/// triangles; a mesh with holes or flaws gives fractions, and above one half is a sound notion of inside. Overlapping
/// triangles are counted each. For a point on the surface the value is unspecified: on a face between those of the two
/// sides, on an edge or at a vertex any partial sum.
///
/// The first question about a tree takes O(n log n) and keeps some 50 bytes per triangle; after that O(sqrt n) as a
/// rule.
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    tree.winding().number(&tree.view(), point)
}
