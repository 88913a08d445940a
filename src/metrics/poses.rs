//! Reproducible poses of two meshes at prescribed separations.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, UnitVector3};

use super::random::Random;
use crate::pose::Pose;
use crate::query::Query;
use crate::shape::Aabb;
use crate::tree::BvTree;

/// A recipe for poses at prescribed separations, after the static benchmark of Trenkel, Weller and Zachmann, "A
/// Benchmarking Suite for Static Collision Detection Algorithms" (2007).
///
/// Mesh B is turned at random and brought along a random line towards the middle of A's box, from outside, until the
/// two touch; poses stand at given distances from there, measured along the line (the meshes' distance may be less).
/// Lines along which the meshes are never found to touch are drawn anew.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseSet {
    /// Distances from touching, over the larger diagonal of the two boxes; negative when pushed in further.
    pub separations: Vec<f64>,
    /// How many lines: poses per separation.
    pub approaches: usize,
    /// Start of the random numbers.
    pub seed: u64,
}

impl Default for PoseSet {
    /// Three separations and a shallow penetration, ten lines.
    fn default() -> Self {
        Self { separations: vec![0.05, 0.01, 0.001, -0.01], approaches: 10, seed: 0 }
    }
}

/// A pose of a [`PoseSet`].
#[derive(Clone, Debug, PartialEq)]
pub struct SeparatedPose {
    /// Distance from touching along the approach, over the larger diagonal.
    pub separation: f64,
    /// Where B stands in A's frame.
    pub pose: Pose,
}

impl SeparatedPose {
    /// `sep=0.01` at that separation, `pen=0.01` pushed in by as much: parts of the larger diagonal.
    pub fn label(&self) -> String {
        let kind = if self.separation < 0.0 { "pen" } else { "sep" };
        format!("{kind}={}", self.separation.abs())
    }
}

impl PoseSet {
    /// The poses, ordered by separation as given, then by line. Fewer, or none, where meshes hardly ever touch; none of
    /// meshes that are but a point each.
    ///
    /// The triangles' exact verdicts decide where meshes touch, so that the poses are the same on every machine, for
    /// trees of every kind and however they were built.
    pub fn poses(&self, a: &BvTree, b: &BvTree) -> Vec<SeparatedPose> {
        let diagonal = diagonal(a.bounds()).max(diagonal(b.bounds()));
        if diagonal == 0.0 {
            return Vec::new();
        }
        let touching = self.touching(a, b);
        let at = |separation: f64| {
            let distance = separation * diagonal;
            touching
                .iter()
                .map(move |(approach, touch)| SeparatedPose { separation, pose: approach.pose(touch + distance) })
        };
        self.separations.iter().flat_map(|&separation| at(separation)).collect()
    }

    /// Lines, and how far along them the meshes first touch.
    fn touching(&self, a: &BvTree, b: &BvTree) -> Vec<(Approach, f64)> {
        let mut random = Random::new(self.seed);
        let mut query = Query::new();
        let mut found = Vec::new();
        if a.bounds().is_empty() || b.bounds().is_empty() {
            return found;
        }
        for _ in 0..self.approaches.saturating_mul(MAX_DRAWS) {
            if found.len() == self.approaches {
                break;
            }
            let approach = Approach::new(a.bounds(), b.bounds(), &mut random);
            if let Some(touch) = approach.first_touch(a, b, &mut query) {
                found.push((approach, touch));
            }
        }
        found
    }
}

/// Lines drawn for each one wanted, at most.
const MAX_DRAWS: usize = 8;

/// Places tried along a line, from outside to the middle.
const STEPS: u32 = 32;

/// Halvings of the step in which the meshes begin to touch.
const BISECTIONS: u32 = 32;

/// The way of a turned mesh B towards A.
struct Approach {
    rotation: UnitQuaternion<f64>,
    direction: UnitVector3<f64>,
    /// The middles of both boxes.
    centers: [Point3<f64>; 2],
    /// Distance of the middles from which on the balls around the boxes are apart.
    apart: f64,
}

impl Approach {
    fn new(a: &Aabb, b: &Aabb, random: &mut Random) -> Self {
        Self {
            rotation: random.rotation(),
            direction: random.direction(),
            centers: [a.center(), b.center()],
            apart: 0.5 * (diagonal(a) + diagonal(b)),
        }
    }

    /// The pose with the middles of the boxes so far apart.
    fn pose(&self, distance: f64) -> Pose {
        let [a, b] = self.centers;
        let translation = a.coords + self.direction.scale(distance) - self.rotation * b.coords;
        Pose::from(Isometry3::from_parts(Translation3::from(translation), self.rotation))
    }

    /// The least distance found, coming from outside, at which the meshes do not touch yet.
    fn first_touch(&self, a: &BvTree, b: &BvTree, query: &mut Query) -> Option<f64> {
        let mut clear = self.apart;
        for step in (0..STEPS).rev() {
            let mut touching = self.apart * f64::from(step) / f64::from(STEPS);
            if !query.intersects(a, b, &self.pose(touching)) {
                clear = touching;
                continue;
            }
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (touching + clear);
                let side = if query.intersects(a, b, &self.pose(middle)) { &mut touching } else { &mut clear };
                *side = middle;
            }
            return Some(clear);
        }
        None
    }
}

fn diagonal(aabb: &Aabb) -> f64 {
    if aabb.is_empty() { 0.0 } else { aabb.size().norm() }
}
