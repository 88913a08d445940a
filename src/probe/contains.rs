//! Point containment: inside, outside or on a mesh; the signed distance; the winding number.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::mesh::Watertightness;
use crate::shape::Aabb;
use crate::traversal::{OnRay, TriangleVisitor};
use crate::tree::{BvTree, Seal};
use crate::triangle::{ExactRay, RayCrossing, Triangle};
use crate::volume::LocalRay;

/// The position of a point with respect to a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// The point is inside the mesh, and not on its surface.
    Inside,
    /// The point is outside the mesh, and not on its surface.
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

/// The position of a point, and whether the certainty that was computed for it is one half or more.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) containment: Containment,
    pub(crate) is_sure: bool,
}

impl Probe {
    /// Whether a point is inside, outside or on the mesh, exactly.
    ///
    /// For a consistently oriented mesh, inside means a winding number other than zero; for any other closed mesh the
    /// even-odd rule applies (see [`Watertightness`]). Points off an open mesh are [`Containment::Undefined`]. The
    /// first query of this kind about a tree takes longer, because it computes [`BvTree::watertightness`]. All points
    /// are outside an empty mesh.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "inside")]
    pub fn contains(&mut self, tree: &BvTree, point: &Point3<f64>) -> Containment {
        self.stats = Default::default();
        let watertightness = tree.watertightness();
        let outside = if watertightness.is_closed() { Containment::Outside } else { Containment::Undefined };
        self.way_out(tree, point).map_or(outside, |way_out| way_out.count.containment(watertightness))
    }

    /// The crossings of a ray along the shortest way out of the bounds; `None` if the point is outside them.
    fn way_out(&mut self, tree: &BvTree, point: &Point3<f64>) -> Option<WayOut> {
        if !tree.bounds().contains(point) {
            return None;
        }
        let direction = shortest_way_out(tree.bounds(), point);
        self.crossings(tree, point, &direction).map(|count| WayOut { direction, count })
    }

    /// The crossings of a ray; `None` if a coordinate is not finite.
    fn crossings(&mut self, tree: &BvTree, point: &Point3<f64>, direction: &Vector3<f64>) -> Option<CrossingCount> {
        let (exact, local) = (ExactRay::new(point, direction)?, LocalRay::new(&tree.meta().frame, point, direction)?);
        let start = local.position_before(0.0);
        let mut crossings = CrossingVisitor { exact, count: CrossingCount::default() };
        self.traverse(tree, &OnRay { ray: local, start }, f32::INFINITY, &mut crossings);
        Some(crossings.count)
    }

    /// Whether a point is inside a mesh that may have holes, and how certain that is. For a closed mesh the result is
    /// that of [`Probe::contains`], with a certainty of 1.
    ///
    /// The rule for an open mesh: nothing outside its bounding box is inside. If no two triangles traverse their common
    /// edge in the same direction, a point is inside if its [`winding_number`] is more than one half, or less than
    /// minus one half (Jacobson, Kavan and Sorkine-Hornung 2013). Otherwise the orientation is of no use, and the
    /// majority of 15 rays decides: a ray that crosses the mesh an odd number of times votes for inside. The certainty
    /// is 0 at the threshold, and 1 for winding numbers that are 0, at least 1 or at most -1, and for rays that all
    /// agree.
    ///
    /// Holes that look small from the point don't change the result; near a hole, the result is a convention. Where
    /// winding numbers decide, overlapping parts of an open mesh count approximately as their union if they are
    /// oriented alike, and cancel if they are oriented oppositely. Where rays decide, points inside two parts are
    /// outside.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "generalized winding number")]
    pub fn contains_robust(&mut self, tree: &BvTree, point: &Point3<f64>) -> RobustContainment {
        self.stats = Default::default();
        let (way_out, watertightness) = (self.way_out(tree, point), tree.watertightness());
        let found = way_out.as_ref().map(|way_out| way_out.count.containment(watertightness));
        match found.unwrap_or(Containment::Outside) {
            Containment::Undefined => self.containment_in_open_by(tree, point, way_out, RAYS),
            containment => RobustContainment { containment, certainty: 1.0 },
        }
    }

    /// [`Probe::contains_robust`] without the certainty, which takes less time.
    pub(crate) fn robust_side(&mut self, tree: &BvTree, point: &Point3<f64>) -> Containment {
        self.likely_side(tree, point).containment
    }

    /// [`Probe::robust_side`], and whether its certainty is one half or more. Where rays vote, a majority ends the
    /// vote, and `is_sure` is about the rays cast until then; all rays together may be more or less certain.
    pub(crate) fn likely_side(&mut self, tree: &BvTree, point: &Point3<f64>) -> Side {
        self.stats = Default::default();
        let (way_out, watertightness) = (self.way_out(tree, point), tree.watertightness());
        let Some(WayOut { direction, count }) = &way_out else {
            return Side { containment: Containment::Outside, is_sure: true };
        };
        let containment = count.containment(watertightness);
        if containment != Containment::Undefined {
            return Side { containment, is_sure: true };
        }
        if let Some(number) = tree.winding().number_up_to_side(self.level, point, direction, count.winding) {
            let containment = if number > 0.5 { Containment::Inside } else { Containment::Outside };
            return Side { containment, is_sure: (number - 0.5).abs() >= 0.25 };
        }
        let found = self.containment_in_open_by(tree, point, way_out, RAYS / 2 + 1);
        Side { containment: found.containment, is_sure: found.certainty >= 0.5 }
    }

    /// [`Probe::robust_side`] of an open mesh by one ray; `None` if the point is not in the ball of `seal`, or is on
    /// the surface.
    pub(crate) fn sealed_side(&mut self, tree: &BvTree, point: &Point3<f64>, seal: &Seal) -> Option<Containment> {
        self.stats = Default::default();
        let direction = seal.direction_at(point)?;
        if !tree.bounds().contains(point) {
            return Some(Containment::Outside);
        }
        let count = self.crossings(tree, point, direction).filter(|count| !count.on_surface)?;
        Some(if seal.is_inside(count.winding) { Containment::Inside } else { Containment::Outside })
    }

    /// [`Probe::contains_robust`] of an open mesh, for a point that is not on it.
    pub(crate) fn containment_in_open(&mut self, tree: &BvTree, point: &Point3<f64>) -> RobustContainment {
        let way_out = self.way_out(tree, point);
        self.containment_in_open_by(tree, point, way_out, RAYS)
    }

    /// [`Probe::containment_in_open`], given the ray out of the bounds. The vote ends once `enough` rays agree, and the
    /// certainty is that of the rays cast until then.
    fn containment_in_open_by(
        &mut self,
        tree: &BvTree,
        point: &Point3<f64>,
        way_out: Option<WayOut>,
        enough: u32,
    ) -> RobustContainment {
        let Some(way_out) = way_out else {
            return RobustContainment { containment: Containment::Outside, certainty: 1.0 };
        };
        let share = if tree.winding().is_oriented() {
            let WayOut { direction, count } = way_out;
            let by_ray = |winding| tree.winding().number_by_ray(self.level, point, &direction, winding);
            let number = Some(count.winding).filter(|_| !count.on_surface).and_then(by_ray);
            number.unwrap_or_else(|| winding_number(tree, point)).abs().min(1.0)
        } else {
            let mut votes = [0; 2];
            for direction in spread_directions() {
                let is_odd = self.crossings(tree, point, &direction).is_some_and(|count| count.count % 2 == 1);
                votes[usize::from(is_odd)] += 1;
                if votes.contains(&enough) {
                    break;
                }
            }
            f64::from(votes[1]) / f64::from(votes[0] + votes[1])
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
        // The mask does not apply: the distance is that of the whole mesh, like the sign.
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

/// The axis direction of the shortest way out of the bounds. A ray along it meets few bounding volumes.
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

/// The shortest way out of a mesh's bounds, and what a ray along it crosses.
struct WayOut {
    direction: Vector3<f64>,
    count: CrossingCount,
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
/// triangles. A mesh with holes or defects gives fractions; values above one half are a robust notion of inside. All of
/// several overlapping triangles contribute. For a point on the surface the value is unspecified: on a face it lies
/// between the values of the two sides, on an edge or a vertex it may be any partial sum.
///
/// The first call for a tree takes O(n log n) and keeps about 50 bytes per triangle; later calls usually take O(sqrt
/// n).
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    tree.winding().number(&tree.view(), point)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::BuildOptions;
    use crate::mesh::Mesh;
    use crate::simd::SimdLevel;

    /// An octahedron without one face.
    fn open_octahedron() -> BvTree {
        let axis = |k: usize, sign: f32| Point3::from(Vector3::ith(k, sign));
        let vertices = (0..3).flat_map(|k| [axis(k, 1.0), axis(k, -1.0)]).collect();
        let faces = [[2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        BvTree::build(&Mesh::from_arrays(vertices, faces.to_vec()).unwrap(), &BuildOptions::default()).unwrap()
    }

    /// A tube of radius 1 from z = -2 to 2, open at both ends.
    fn open_tube() -> BvTree {
        const AROUND: u32 = 64;
        let angle = |i: u32| 2.0 * std::f32::consts::PI * i as f32 / AROUND as f32;
        let ring = |z: f32| (0..AROUND).map(move |i| Point3::new(angle(i).cos(), angle(i).sin(), z));
        let vertices = ring(-2.0).chain(ring(2.0)).collect();
        let quad = |i: u32| {
            let next = (i + 1) % AROUND;
            [[i, next, i + AROUND], [next, next + AROUND, i + AROUND]]
        };
        let faces = (0..AROUND).flat_map(quad).collect();
        BvTree::build(&Mesh::from_arrays(vertices, faces).unwrap(), &BuildOptions::default()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// A ray and the boundary give the winding number that the triangles have, also where the ray meets an edge.
        #[test]
        fn winding_numbers_by_a_ray(
            point in prop_oneof![
                prop::array::uniform3(-1.0..1.0f64),
                prop::array::uniform3((-4..=4i8).prop_map(|k| f64::from(k) / 4.0)),
            ],
            axis in 0..6usize,
        ) {
            let (tree, point) = (open_octahedron(), Point3::from(point));
            let direction = Vector3::ith(axis / 2, if axis % 2 == 0 { 1.0 } else { -1.0 });
            let count = Probe::new().crossings(&tree, &point, &direction).unwrap();
            let by_ray = |level| tree.winding().number_by_ray(level, &point, &direction, count.winding);
            if !count.on_surface && let Some(found) = by_ray(SimdLevel::detect()) {
                let expected = winding_number(&tree, &point);
                prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }

        /// Chains of the boundary's edges, most of them seen from afar, say what is inside.
        #[test]
        fn sides_by_a_ray(point in prop::array::uniform3(-2.5..2.5f64), axis in 0..6usize) {
            let (tree, point) = (open_tube(), Point3::from(point));
            let direction = Vector3::ith(axis / 2, if axis % 2 == 0 { 1.0 } else { -1.0 });
            let count = Probe::new().crossings(&tree, &point, &direction).unwrap();
            let up_to_side =
                |level| tree.winding().number_up_to_side(level, &point, &direction, count.winding).map(f64::to_bits);
            let exact =
                |level| tree.winding().number_by_ray(level, &point, &direction, count.winding).map(f64::to_bits);
            for level in SimdLevel::available() {
                prop_assert_eq!(up_to_side(level), up_to_side(SimdLevel::detect()), "{}", level);
                prop_assert_eq!(exact(level), exact(SimdLevel::detect()), "{}", level);
            }
            if let Some(found) = exact(SimdLevel::detect()).map(f64::from_bits).filter(|_| !count.on_surface) {
                let expected = winding_number(&tree, &point);
                prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            let number = up_to_side(SimdLevel::detect()).map(f64::from_bits);
            if let Some(found) = number.filter(|_| !count.on_surface) {
                let expected = winding_number(&tree, &point).abs();
                prop_assert!((found - expected).abs() < 0.05, "{found} {expected}");
                prop_assert_eq!(found > 0.5, expected > 0.5);
            }
        }

        /// In a ball that `WindingTree::seal` accepts, one ray decides as [`Probe::robust_side`] does.
        #[test]
        fn sealed_balls(
            center in prop::array::uniform3(-1.0..1.0f64),
            radius in 0.01..0.5f64,
            offsets in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 20),
        ) {
            let (tree, center, mut probe) = (open_octahedron(), Point3::from(center), Probe::new());
            if let Some(seal) = tree.winding().seal(SimdLevel::detect(), &tree.view(), tree.bounds(), &center, radius) {
                for point in offsets.into_iter().map(|offset| center + Vector3::from(offset) * radius) {
                    let is_off = probe.closest_point_within(&tree, &point, 1e-9).is_none();
                    if let Some(found) = probe.sealed_side(&tree, &point, &seal).filter(|_| is_off) {
                        prop_assert_eq!(found, probe.robust_side(&tree, &point));
                    }
                }
            }
        }
    }

    /// Balls inside, outside and across the surface can be sealed (see `WindingTree::seal`); a ball across the missing
    /// face cannot.
    #[test]
    fn balls_far_from_the_boundary_are_sealed() {
        let tree = open_octahedron();
        let seal = |at: [f64; 3], radius| {
            tree.winding().seal(SimdLevel::detect(), &tree.view(), tree.bounds(), &at.into(), radius)
        };
        assert!(seal([-0.3; 3], 0.1).is_some() && seal([-0.9; 3], 0.1).is_some() && seal([-0.2; 3], 0.02).is_some());
        assert!(seal([0.33; 3], 0.1).is_none());
    }
}
