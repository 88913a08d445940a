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

/// The position of a point with respect to a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// The mesh encloses the point, which is not on the mesh.
    Inside,
    /// The mesh does not enclose the point, which is not on the mesh.
    Outside,
    /// The point lies exactly on a triangle.
    OnSurface,
    /// The mesh is not closed, and the point is not on it.
    Undefined,
}

/// The position of a point with respect to any mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RobustContainment {
    /// Inside, outside or on the surface.
    pub containment: Containment,
    /// The certainty of `containment`, from 0 to 1. It is 1 for closed meshes, for points on the surface and for points
    /// outside the bounding box.
    pub certainty: f64,
}

impl Probe {
    /// Whether a point is inside, outside or on the mesh, exactly.
    ///
    /// For a consistently oriented mesh, inside means a winding number other than zero; for any other closed mesh the
    /// even-odd rule applies (see [`Watertightness`]). The first query of this kind about a tree takes longer, because
    /// it computes [`BvTree::watertightness`]. All points are outside an empty mesh.
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
        self.crossings(tree, point, &direction).map_or(outside, |count| count.containment(watertightness))
    }

    /// The crossings of a ray; `None` if a coordinate is not finite.
    fn crossings(&mut self, tree: &BvTree, point: &Point3<f64>, direction: &Vector3<f64>) -> Option<CrossingCount> {
        let (exact, local) = (ExactRay::new(point, direction)?, LocalRay::new(&tree.meta().frame, point, direction)?);
        let start = local.position_before(0.0);
        let mut crossings = CrossingVisitor { exact, count: CrossingCount::default() };
        self.traverse(tree, OnRay { ray: local, start }, f32::INFINITY, &mut crossings);
        Some(crossings.count)
    }

    /// Whether a point is inside a mesh as it is, with holes, and how certain that is. For a closed mesh it is
    /// [`Probe::contains`], which is certain.
    ///
    /// The rule for an open mesh: nothing outside its bounding box is inside. If no two triangles traverse their common
    /// edge in the same direction, a point is inside if its [`winding_number`] is more than one half, or less than
    /// minus one half (Jacobson, Kavan and Sorkine-Hornung 2013). Otherwise orientation does not help, and most of 15
    /// rays decide, each by whether it crosses the mesh an odd number of times. The certainty is 0 at the threshold and
    /// 1 for winding numbers of 0 and 1 and for rays that agree.
    ///
    /// Holes that are small, seen from the point, don't change the result; near a hole it is a convention. Parts of an
    /// open mesh that overlap count once only if they are oriented alike.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "generalized winding number")]
    pub fn contains_robust(&mut self, tree: &BvTree, point: &Point3<f64>) -> RobustContainment {
        match self.contains(tree, point) {
            Containment::Undefined => self.containment_in_open(tree, point),
            containment => RobustContainment { containment, certainty: 1.0 },
        }
    }

    /// [`Probe::contains_robust`] of an open mesh, for a point that is not on it.
    pub(crate) fn containment_in_open(&mut self, tree: &BvTree, point: &Point3<f64>) -> RobustContainment {
        if !tree.bounds().contains(point) {
            return RobustContainment { containment: Containment::Outside, certainty: 1.0 };
        }
        let share = if tree.winding().is_oriented() {
            winding_number(tree, point).abs().min(1.0)
        } else {
            let is_odd = |direction| self.crossings(tree, point, &direction).is_some_and(|count| count.count % 2 == 1);
            let odd = spread_directions().map(is_odd).filter(|is_odd| *is_odd).count();
            odd as f64 / f64::from(RAYS)
        };
        let containment = if share > 0.5 { Containment::Inside } else { Containment::Outside };
        RobustContainment { containment, certainty: (2.0 * share - 1.0).abs() }
    }

    /// The signed distance of a point from a closed mesh: negative inside, zero exactly on the surface. `None` if the
    /// mesh is empty or not closed, or the point is not finite.
    #[doc(alias = "SDF")]
    #[doc(alias = "signed distance field")]
    pub fn signed_distance(&mut self, tree: &BvTree, point: &Point3<f64>) -> Option<f64> {
        let containment = self.contains(tree, point);
        let ray_stats = self.stats;
        let sign = match containment {
            Containment::Inside => -1.0,
            Containment::Outside => 1.0,
            Containment::OnSurface => return tree.watertightness().is_closed().then_some(0.0),
            Containment::Undefined => return None,
        };
        // The distance is that of the whole mesh, as is the sign.
        let closest = self.masked(None, |probe| probe.closest_point(tree, point));
        self.stats += ray_stats;
        // A distance that rounds to zero keeps its sign.
        closest.map(|closest| sign * closest.distance.max(f64::MIN_POSITIVE))
    }
}

/// The number of rays that vote whether a point is inside an open mesh.
const RAYS: u32 = 15;

/// Directions that are spread evenly over the sphere: a Fibonacci lattice.
fn spread_directions() -> impl Iterator<Item = Vector3<f64>> {
    (0..RAYS).map(|i| {
        let z = 1.0 - f64::from(2 * i + 1) / f64::from(RAYS);
        // The golden angle.
        let (sin, cos) = libm::sincos(f64::from(i) * 2.399_963_229_728_653);
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * cos, radius * sin, z)
    })
}

/// The axis direction of the shortest way out of the bounds. A ray along it meets few volumes.
fn shortest_way_out(bounds: &Aabb, point: &Point3<f64>) -> Vector3<f64> {
    let (below, above) = (point - bounds.lower, bounds.upper - point);
    let (lower, upper) = (below.imin(), above.imin());
    if below[lower] < above[upper] { -Vector3::ith(lower, 1.0) } else { Vector3::ith(upper, 1.0) }
}

/// The position of a point, from the crossings of a ray from it with all triangles of a mesh.
pub(crate) fn containment(
    mut crossings: impl Iterator<Item = RayCrossing>,
    watertightness: Watertightness,
) -> Containment {
    let mut count = CrossingCount::default();
    let _ = crossings.try_for_each(|crossing| count.add(crossing));
    count.containment(watertightness)
}

/// The crossings of a ray with triangles, summed up.
#[derive(Default)]
struct CrossingCount {
    winding: i64,
    count: u64,
    on_surface: bool,
}

impl CrossingCount {
    #[inline(always)]
    fn add(&mut self, crossing: RayCrossing) -> ControlFlow<()> {
        match crossing {
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

struct CrossingVisitor {
    exact: ExactRay,
    count: CrossingCount,
}

impl TriangleVisitor for CrossingVisitor {
    fn visit(&mut self, triangle: &Triangle, _: u32) -> ControlFlow<(), f32> {
        self.count.add(self.exact.crossing(triangle))?;
        ControlFlow::Continue(f32::INFINITY)
    }
}

/// The generalized winding number of the mesh around a point: the sum of the triangles' signed solid angles, divided by
/// `4 pi` (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding Numbers",
/// 2013).
///
/// For a closed mesh with outward normals it is 1 inside and 0 outside, up to a rounding error of about `1e-16 n` for n
/// triangles. A mesh with holes or defects gives fractions; values above one half are a robust notion of inside.
/// Overlapping triangles all count. For a point on the surface the value is unspecified: on a face it lies between the
/// values of the two sides, on an edge or a vertex it may be any partial sum.
///
/// The first call for a tree takes O(n log n) and keeps about 50 bytes per triangle; later calls usually take O(sqrt
/// n).
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    tree.winding().number(&tree.view(), point)
}
