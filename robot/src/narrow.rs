//! Two parts at a pose: whether they are within a distance, and how far apart they are.

use bvtree::probe::Containment;
use bvtree::query::{DistanceOptions, QueryStats, Solid};
use bvtree::shape::{ConvexShape, Distance, Overlaps};
use bvtree::{BvTree, Pose, Probe, Query, SimdLevel};

use crate::body::{Convex, Part, Shape};

/// The work of a query about two convex shapes, in the unit of [`Narrow::work`].
const CONVEX_PAIR_WORK: u64 = 20;

fn work(stats: QueryStats) -> u64 {
    stats.volume_tests + 4 * stats.triangle_tests
}

/// Scratch memory of queries about two parts.
#[derive(Debug)]
pub struct Narrow {
    pub query: Query,
    probe: Probe,
    /// The work of all queries since a caller set this field to 0; the unit is about the time of one volume test.
    pub work: u64,
}

impl Narrow {
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { query: Query::with_simd(level), probe: Probe::with_simd(level), work: 0 }
    }

    /// Whether two parts, at their poses in the world, are within a distance of each other; a negative distance reduces
    /// the parts' inflation, and the answer is no if the sum is negative. `expects_yes` is a guess at the answer that
    /// affects only the time.
    pub fn is_within(
        &mut self,
        [a, b]: [&Part; 2],
        [at_a, at_b]: [&Pose; 2],
        distance: f64,
        expects_yes: bool,
    ) -> bool {
        let limit = distance + (a.inflation + b.inflation);
        match (&a.shape, &b.shape) {
            (Shape::Tree { tree: tree_a, solid: solid_a }, Shape::Tree { tree: tree_b, solid: solid_b }) => {
                self.are_trees_within([tree_a, tree_b], [*solid_a, *solid_b], &Pose::relative(at_a, at_b), limit)
            }
            (Shape::Tree { tree, solid }, Shape::Convex(convex)) => {
                self.is_convex_within((tree, *solid), convex, &Pose::relative(at_a, at_b), limit, expects_yes)
            }
            (Shape::Convex(convex), Shape::Tree { tree, solid }) => {
                self.is_convex_within((tree, *solid), convex, &Pose::relative(at_b, at_a), limit, expects_yes)
            }
            (Shape::Convex(convex_a), Shape::Convex(convex_b)) => {
                self.work += CONVEX_PAIR_WORK;
                let (shape_a, shape_b) = (&convex_a.shape, convex_b.shape.transformed(&Pose::relative(at_a, at_b)));
                if limit == 0.0 { shape_a.overlaps(&shape_b) } else { shape_a.distance(&shape_b) <= limit }
            }
        }
    }

    fn are_trees_within(&mut self, [a, b]: [&BvTree; 2], solids: [Solid; 2], b_to_a: &Pose, limit: f64) -> bool {
        self.query.set_solids(solids[0], solids[1]);
        let are_within = if limit == 0.0 {
            self.query.intersects(a, b, b_to_a)
        } else {
            self.query.within(a, b, b_to_a, limit).is_yes()
        };
        self.work += work(self.query.stats());
        are_within
    }

    fn is_convex_within(
        &mut self,
        (tree, solid): (&BvTree, Solid),
        convex: &Convex,
        pose: &Pose,
        limit: f64,
        expects_yes: bool,
    ) -> bool {
        // Whether an open mesh has a body inside depends on the point that is tested: of a convex shape, that is its
        // center alone.
        let is_open = solid == Solid::Robust;
        let tree_solid = if is_open { Solid::No } else { solid };
        // Meshes around and inside the shape are tested eight triangles at a time, the shape itself one by one.
        let mut is_near =
            |mesh: &BvTree| self.are_trees_within([tree, mesh], [tree_solid, Solid::IfClosed], pose, limit);
        let inside = convex.inside.as_deref();
        if expects_yes && inside.is_some_and(&mut is_near) {
            return true;
        }
        if !is_near(&convex.around) {
            return is_open && limit >= 0.0 && self.is_center_inside(tree, solid, &convex.shape.transformed(pose));
        }
        if !expects_yes && inside.is_some_and(is_near) {
            return true;
        }
        let shape = convex.shape.transformed(pose);
        let is_near = if limit == 0.0 {
            self.probe.intersects_convex(tree, &shape)
        } else {
            self.probe.closest_to_convex(tree, &shape, limit).is_some()
        };
        self.work += work(self.probe.stats());
        is_near || self.is_center_inside(tree, solid, &shape)
    }

    /// The distance between two parts at their poses in the world, 0 if they meet; `None` if it is above the bound, or
    /// a part is empty.
    pub fn distance(&mut self, [a, b]: [&Part; 2], [at_a, at_b]: [&Pose; 2], upper_bound: f64) -> Option<f64> {
        let inflation = a.inflation + b.inflation;
        let limit = upper_bound + inflation;
        let distance = match (&a.shape, &b.shape) {
            (Shape::Tree { tree: tree_a, solid: solid_a }, Shape::Tree { tree: tree_b, solid: solid_b }) => {
                self.query.set_solids(*solid_a, *solid_b);
                let options = DistanceOptions { upper_bound: limit, ..DistanceOptions::default() };
                let closest = self.query.distance_with(tree_a, tree_b, &Pose::relative(at_a, at_b), &options);
                self.work += work(self.query.stats());
                Some(closest?.distance)
            }
            (Shape::Tree { tree, solid }, Shape::Convex(convex)) => {
                self.convex_distance(tree, *solid, convex, &Pose::relative(at_a, at_b), limit)
            }
            (Shape::Convex(convex), Shape::Tree { tree, solid }) => {
                self.convex_distance(tree, *solid, convex, &Pose::relative(at_b, at_a), limit)
            }
            (Shape::Convex(convex_a), Shape::Convex(convex_b)) => {
                self.work += CONVEX_PAIR_WORK;
                let distance = convex_a.shape.distance(&convex_b.shape.transformed(&Pose::relative(at_a, at_b)));
                Some(distance).filter(|&distance| distance <= limit)
            }
        };
        distance.map(|distance| (distance - inflation).max(0.0))
    }

    fn convex_distance(
        &mut self,
        tree: &BvTree,
        solid: Solid,
        convex: &Convex,
        pose: &Pose,
        limit: f64,
    ) -> Option<f64> {
        let shape = convex.shape.transformed(pose);
        let closest = self.probe.closest_to_convex(tree, &shape, limit).map(|closest| closest.distance);
        self.work += work(self.probe.stats());
        if closest != Some(0.0) && self.is_center_inside(tree, solid, &shape) {
            return Some(0.0);
        }
        closest
    }

    /// Whether a shape that touches no triangle is inside a mesh.
    fn is_center_inside(&mut self, tree: &BvTree, solid: Solid, convex: &ConvexShape) -> bool {
        let containment = match solid {
            Solid::IfClosed => self.probe.contains(tree, &convex.center()),
            Solid::Robust => self.probe.contains_robust(tree, &convex.center()).containment,
            _ => return false,
        };
        matches!(containment, Containment::Inside | Containment::OnSurface)
    }
}
