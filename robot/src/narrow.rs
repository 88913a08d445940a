//! Two parts at a pose: whether they are within a distance, and how far apart they are.

use bvtree::probe::Containment;
use bvtree::query::{DistanceOptions, Solid};
use bvtree::shape::{ConvexShape, Distance, Overlaps};
use bvtree::{BvTree, Pose, Probe, Query, SimdLevel};

use crate::body::{Convex, Part, Shape};

/// Scratch memory of questions about parts.
#[derive(Debug)]
pub struct Narrow {
    pub query: Query,
    probe: Probe,
}

impl Narrow {
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { query: Query::with_simd(level), probe: Probe::with_simd(level) }
    }

    /// Whether two parts are within a distance of each other, the second posed in the frame of the first; nothing is
    /// within a negative distance.
    pub fn is_within(&mut self, [a, b]: [&Part; 2], b_to_a: &Pose, distance: f64) -> bool {
        let limit = distance + (a.inflation + b.inflation);
        match (&a.shape, &b.shape) {
            (Shape::Tree { tree: tree_a, solid: solid_a }, Shape::Tree { tree: tree_b, solid: solid_b }) => {
                self.query.set_solids(*solid_a, *solid_b);
                if limit == 0.0 {
                    self.query.intersects(tree_a, tree_b, b_to_a)
                } else {
                    self.query.within(tree_a, tree_b, b_to_a, limit).is_yes()
                }
            }
            (Shape::Tree { tree, solid }, Shape::Convex(convex)) => {
                self.is_convex_within(tree, *solid, convex, b_to_a, limit)
            }
            (Shape::Convex(convex), Shape::Tree { tree, solid }) => {
                self.is_convex_within(tree, *solid, convex, &b_to_a.inverse(), limit)
            }
            (Shape::Convex(convex_a), Shape::Convex(convex_b)) => {
                let (shape_a, shape_b) = (&convex_a.shape, convex_b.shape.transformed(b_to_a));
                if limit == 0.0 { shape_a.overlaps(&shape_b) } else { shape_a.distance(&shape_b) <= limit }
            }
        }
    }

    fn is_convex_within(&mut self, tree: &BvTree, solid: Solid, convex: &Convex, pose: &Pose, limit: f64) -> bool {
        // Meshes around and inside the shape are tested eight triangles at a time, the shape itself one by one.
        self.query.set_solids(solid, Solid::IfClosed);
        if !self.query.within(tree, &convex.around, pose, limit + convex.rounding).is_yes() {
            return false;
        }
        if let Some(inside) = &convex.inside
            && self.query.within(tree, inside, pose, limit).is_yes()
        {
            return true;
        }
        let shape = convex.shape.transformed(pose);
        let is_near = if limit == 0.0 {
            self.probe.intersects_convex(tree, &shape)
        } else {
            self.probe.closest_to_convex(tree, &shape, limit).is_some()
        };
        is_near || self.is_center_inside(tree, solid, &shape)
    }

    /// The distance of two parts, 0 if they meet; `None` above the bound, or if one is empty.
    pub fn distance(&mut self, [a, b]: [&Part; 2], b_to_a: &Pose, upper_bound: f64) -> Option<f64> {
        let inflation = a.inflation + b.inflation;
        let limit = upper_bound + inflation;
        let distance = match (&a.shape, &b.shape) {
            (Shape::Tree { tree: tree_a, solid: solid_a }, Shape::Tree { tree: tree_b, solid: solid_b }) => {
                self.query.set_solids(*solid_a, *solid_b);
                let options = DistanceOptions { upper_bound: limit, ..DistanceOptions::default() };
                Some(self.query.distance_with(tree_a, tree_b, b_to_a, &options)?.distance)
            }
            (Shape::Tree { tree, solid }, Shape::Convex(convex)) => {
                self.convex_distance(tree, *solid, convex, b_to_a, limit)
            }
            (Shape::Convex(convex), Shape::Tree { tree, solid }) => {
                self.convex_distance(tree, *solid, convex, &b_to_a.inverse(), limit)
            }
            (Shape::Convex(convex_a), Shape::Convex(convex_b)) => {
                let distance = convex_a.shape.distance(&convex_b.shape.transformed(b_to_a));
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
