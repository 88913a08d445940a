//! Points that are inside both solids, and how far B may move before they prove nothing.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::numeric::error_bounds::{depth_rounding, stretch};
use crate::pose::Pose;
use crate::probe::{Containment, Probe};
use crate::simd::SimdLevel;
use crate::traversal::QueryStats;
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// A point that is inside A and the translated B.
#[derive(Clone, Copy)]
pub(super) struct InnerPoint {
    /// The point, in A's frame.
    point: Point3<f64>,
    /// The translation of B, in A's frame.
    translation: Vector3<f64>,
    /// The interiors overlap after any translation that differs by less: the point's depth in A plus that in B, without
    /// the rounding.
    pub(super) radius: f64,
}

/// The two solids.
pub(super) struct Solids<'a> {
    trees: [&'a BvTree; 2],
    pose: Pose,
    /// The inverse of the pose's rotation.
    back: Matrix3<f64>,
    /// The factor by which the pose may lengthen a vector.
    stretch: f64,
    /// Triangles that were the closest to the last point.
    near: [Triangle; 2],
    /// A bound of the rounding of a depth.
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

/// The number of steps from a point that is known to be inside nearby, and from any other.
const STEPS: [usize; 2] = [6, 16];

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
            rounding: depth_rounding(coordinates),
            probe: Probe::with_simd(level),
            stats: QueryStats::default(),
        }
    }
}

impl Solids<'_> {
    pub(super) fn stats(&self) -> QueryStats {
        self.stats
    }

    /// The point of greatest radius that is found from some points.
    pub(super) fn deepest(
        &mut self,
        starts: &[Point3<f64>],
        translation: Vector3<f64>,
        need: f64,
    ) -> Option<InnerPoint> {
        let mut best: Option<InnerPoint> = None;
        for start in starts {
            let found = self.ascend(*start, translation, need, STEPS[1]);
            best = [best, found].into_iter().flatten().max_by(|p, q| p.radius.total_cmp(&q.radius));
            if best.is_some_and(|best| best.radius > need) {
                break;
            }
        }
        best
    }

    /// A point inside both solids after a translation of B, sought from one that was inside after another translation.
    /// The search ends early at a radius of more than `need`.
    pub(super) fn inner_point(
        &mut self,
        translation: &Vector3<f64>,
        from: &InnerPoint,
        need: f64,
    ) -> Option<InnerPoint> {
        let start = from.point + 0.5 * (translation - from.translation);
        self.ascend(start, *translation, need, STEPS[0])
    }

    /// Moves a point to where the sum of its depths is greater, by Polyak's steps along the gradient.
    fn ascend(
        &mut self,
        mut point: Point3<f64>,
        translation: Vector3<f64>,
        need: f64,
        steps: usize,
    ) -> Option<InnerPoint> {
        let mut best: Option<InnerPoint> = None;
        let aim = 1.05 * need;
        for _ in 0..steps {
            let [a, b] = self.depths(&point, &translation);
            let sum = a.depth + b.depth;
            if a.depth.min(b.depth) < 0.0 {
                // Into both, along the shortest way as far as the closest points tell.
                let outside = [a, b].map(|side| (-side.depth).max(0.0) + self.rounding);
                point += a.inward * outside[0] + b.inward * outside[1];
                continue;
            }
            let radius = sum - 2.0 * self.rounding;
            if radius > best.map_or(0.0, |best| best.radius) {
                best = Some(InnerPoint { point, translation, radius });
                if radius > need {
                    break;
                }
            }
            let gradient = a.inward + b.inward;
            let slope_sq = gradient.norm_squared();
            if slope_sq < 1e-4 {
                break;
            }
            let step = ((aim - sum) / slope_sq).min(aim / slope_sq.sqrt());
            point += gradient * step;
        }
        best
    }

    /// The signed depths of a point in both solids, those in A's unit.
    fn depths(&mut self, point: &Point3<f64>, translation: &Vector3<f64>) -> [Depth; 2] {
        let a = self.depth(0, point);
        let mut b = self.depth(1, &self.pose.inverse_transform(&self.back, &(point - translation)));
        b.inward = self.pose.rotation() * b.inward;
        b.depth *= if b.depth > 0.0 { self.stretch.recip() } else { self.stretch };
        [a, b]
    }

    /// The signed depth of a point of a solid's own frame in it.
    fn depth(&mut self, side: usize, point: &Point3<f64>) -> Depth {
        let tree = self.trees[side];
        let (triangle, distance) = self.probe.closest_triangle(tree, point, self.near[side]);
        self.stats += self.probe.stats();
        self.near[side] = triangle;
        if distance <= self.rounding {
            let inward = -triangle.scaled_normal().try_normalize(0.0).unwrap_or_default();
            return Depth { depth: 0.0, inward };
        }
        let outward = (triangle.closest_point(point) - point) / distance;
        let is_inside = self.probe.contains(tree, point) == Containment::Inside;
        self.stats += self.probe.stats();
        if is_inside { Depth { depth: distance, inward: -outward } } else { Depth { depth: -distance, inward: outward } }
    }
}
