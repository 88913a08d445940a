//! Points that are inside both solids, and the translations of B for which they prove an overlap.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::numeric::error_bounds::{depth_rounding, stretch};
use crate::pose::Pose;
use crate::probe::{Containment, Probe};
use crate::simd::SimdLevel;
use crate::traversal::QueryStats;
use crate::tree::BvTree;
use crate::triangle::Triangle;
use crate::volume::NodeRef;

/// A point that is inside A and the translated B.
#[derive(Clone, Copy)]
pub(super) struct InnerPoint {
    /// The point, in A's frame.
    point: Point3<f64>,
    /// The translation of B, in A's frame.
    translation: Vector3<f64>,
    /// The interiors overlap after every translation that differs from `translation` by less than the radius, which is
    /// the point's depth in A plus that in B, minus the rounding.
    pub(super) radius: f64,
}

impl InnerPoint {
    /// Whether the interiors overlap after every translation that differs from `center` by at most `radius`.
    pub(super) fn proves(&self, center: &Vector3<f64>, radius: f64) -> bool {
        let room = self.radius - radius;
        room > 0.0 && (self.translation - center).norm_squared() < room * room
    }
}

/// The two solids, and what is known of their surfaces near the last point.
pub(super) struct Solids<'a> {
    trees: [&'a BvTree; 2],
    pose: Pose,
    /// The inverse of the pose's rotation.
    back: Matrix3<f64>,
    /// The factor by which the pose may lengthen or shorten a vector.
    stretch: f64,
    /// The triangle of each solid that was closest to the last point, in the solid's own frame.
    near: [Triangle; 2],
    clear_spheres: [ClearSphere; 2],
    /// A bound on the rounding error of a depth.
    pub(super) rounding: f64,
    probe: Probe,
    stats: QueryStats,
}

/// A point's signed depth in a solid, and the direction in which it increases.
#[derive(Clone, Copy)]
struct Depth {
    depth: f64,
    inward: Vector3<f64>,
}

/// A sphere around the last point, which the surface of the solid does not enter.
#[derive(Clone, Copy)]
struct ClearSphere {
    center: Point3<f64>,
    radius: f64,
    is_inside: bool,
}

/// The target radius of an ascent, as a multiple of the radius that is needed: aiming a little higher takes fewer
/// steps.
pub(super) const MORE: f64 = 1.05;

/// The number of steps of an ascent from a point that may be on the surfaces; `FEW_STEPS` is for one that was inside
/// both solids after a similar translation.
const STEPS: usize = 10;
const FEW_STEPS: usize = 6;

/// The number of steps that may end outside before the steps become shorter.
const MAX_MISSED: usize = 4;

/// The number of successive steps without a deeper point after which an ascent ends.
const MAX_STALE: usize = 3;

impl<'a> Solids<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2], pose: &Pose, level: SimdLevel) -> Self {
        let extent = |tree: &BvTree| tree.bounds().lower.coords.amax().max(tree.bounds().upper.coords.amax());
        // No translation that is of interest is longer than the meshes are large.
        let coordinates = 3.0 * (extent(trees[0]) + extent(trees[1])) + pose.translation().amax();
        Self {
            trees,
            pose: *pose,
            back: pose.inverse_rotation(),
            stretch: stretch(pose.deviation()),
            near: trees.map(|tree| Triangle { vertices: tree.view().triangle(0).map(|vertex| vertex.map(f64::from)) }),
            clear_spheres: [ClearSphere { center: Point3::origin(), radius: 0.0, is_inside: false }; 2],
            rounding: depth_rounding(coordinates),
            probe: Probe::with_simd(level),
            stats: QueryStats::default(),
        }
    }
}

/// Returns the inner point of greater radius.
pub(super) fn deeper(p: Option<InnerPoint>, q: Option<InnerPoint>) -> Option<InnerPoint> {
    p.into_iter().chain(q).max_by(|p, q| p.radius.total_cmp(&q.radius))
}

impl Solids<'_> {
    pub(super) fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Whether a point is inside both solids after a translation, and off their surfaces by more than rounding.
    pub(super) fn overlap_at(&mut self, point: &Point3<f64>, translation: &Vector3<f64>) -> bool {
        self.depths(point, translation).iter().all(|side| side.depth > 0.0)
    }

    /// The deepest point that ascents from some points find after a translation of B, or the first one whose radius
    /// exceeds `need`. The ascents aim at the radius `aim`.
    pub(super) fn deepest(
        &mut self,
        starts: &[Point3<f64>],
        translation: Vector3<f64>,
        need: f64,
        aim: f64,
    ) -> Option<InnerPoint> {
        let mut best = None;
        for start in starts {
            best = deeper(best, self.ascend(*start, translation, [need, aim], STEPS));
            if best.is_some_and(|best| best.radius > need) {
                break;
            }
        }
        best
    }

    /// The inner point that an ascent finds after a translation. The ascent starts near `from`, which is inside both
    /// solids after another translation.
    pub(super) fn follow(&mut self, from: &InnerPoint, translation: Vector3<f64>, need: f64) -> Option<InnerPoint> {
        let start = from.point + 0.5 * (translation - from.translation);
        self.ascend(start, translation, [need, MORE * need], FEW_STEPS)
    }

    /// Moves a point by subgradient ascent until the sum of its depths in both solids, less rounding, exceeds `need`,
    /// with Polyak's step length for the target `aim`. Returns the best inner point on the way.
    fn ascend(
        &mut self,
        mut point: Point3<f64>,
        translation: Vector3<f64>,
        [need, mut aim]: [f64; 2],
        steps: usize,
    ) -> Option<InnerPoint> {
        let mut best: Option<InnerPoint> = None;
        let (mut missed, mut stale) = (0, 0);
        for _ in 0..steps {
            let [a, b] = self.depths(&point, &translation);
            let sum = a.depth + b.depth;
            if a.depth.min(b.depth) < 0.0 {
                // Step back into the solids that the point is outside of, past their closest points, and not along the
                // other inward direction, which may be the opposite.
                let past = 0.5 * self.rounding;
                let outside = [a, b].map(|side| if side.depth > 0.0 { 0.0 } else { past - side.depth });
                point += a.inward * outside[0] + b.inward * outside[1];
                missed += 1;
                if missed >= MAX_MISSED {
                    // The overlap is thinner than the steps are long.
                    aim *= 0.25;
                }
                continue;
            }
            let radius = sum - 2.0 * self.rounding;
            if radius > best.map_or(0.0, |best| best.radius) && self.is_inside_both([a, b], &point, &translation) {
                best = Some(InnerPoint { point, translation, radius });
                stale = 0;
                if radius > need {
                    break;
                }
            } else {
                stale += 1;
                if stale == MAX_STALE {
                    break;
                }
            }
            let gradient = a.inward + b.inward;
            let slope_sq = gradient.norm_squared();
            if slope_sq < 1e-4 {
                // Between opposite walls.
                break;
            }
            point += gradient * ((aim - sum) / slope_sq).min(aim / slope_sq.sqrt());
        }
        best
    }

    /// The signed depths of a point in A and in the translated B, in A's unit, and the directions in which they
    /// increase, in A's frame.
    fn depths(&mut self, point: &Point3<f64>, translation: &Vector3<f64>) -> [Depth; 2] {
        let [in_a, in_b] = self.local(point, translation);
        let (a, mut b) = (self.depth(0, &in_a), self.depth(1, &in_b));
        b.inward = self.pose.rotation() * b.inward;
        b.depth *= if b.depth > 0.0 { self.stretch.recip() } else { self.stretch };
        [a, b]
    }

    /// A point in the frame of each solid after a translation.
    fn local(&self, point: &Point3<f64>, translation: &Vector3<f64>) -> [Point3<f64>; 2] {
        [*point, self.pose.inverse_transform(&self.back, &(point - translation))]
    }

    /// Whether a point, which is not outside of either solid by its depths, is inside both. Where a depth is 0, the
    /// point may be on a triangle without area, far from the interior.
    fn is_inside_both(&mut self, depths: [Depth; 2], point: &Point3<f64>, translation: &Vector3<f64>) -> bool {
        let local = self.local(point, translation);
        (0..2).all(|side| depths[side].depth > 0.0 || self.contains(side, &local[side]))
    }

    fn contains(&mut self, side: usize, point: &Point3<f64>) -> bool {
        let containment = self.probe.contains(self.trees[side], point);
        self.stats += self.probe.stats();
        containment == Containment::Inside
    }

    /// The signed depth of a point in a solid, in the solid's own frame.
    fn depth(&mut self, side: usize, point: &Point3<f64>) -> Depth {
        let tree = self.trees[side];
        let (triangle, distance) = self.probe.closest_triangle(tree, NodeRef::ROOT, point, self.near[side], -1.0);
        self.stats += self.probe.stats();
        self.near[side] = triangle;
        if distance <= self.rounding {
            let inward = -triangle.unit_normal();
            return Depth { depth: 0.0, inward };
        }
        // All points of a sphere that the surface does not enter are on the same side of the surface.
        let sphere = self.clear_spheres[side];
        let is_inside = if (point - sphere.center).norm() < sphere.radius - self.rounding {
            sphere.is_inside
        } else {
            self.contains(side, point)
        };
        self.clear_spheres[side] = ClearSphere { center: *point, radius: distance, is_inside };
        let outward = (triangle.closest_point(point) - point) / distance;
        if is_inside {
            Depth { depth: distance, inward: -outward }
        } else {
            Depth { depth: -distance, inward: outward }
        }
    }
}
