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
/// Mesh B is rotated at random and moved along a random line towards the middle of A's box, from outside, until the
/// meshes touch. Poses are at given separations from the touching pose, measured along the line (the distance between
/// the meshes may be smaller). Lines on which the meshes do not touch are redrawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseSet {
    /// Distances from the touching pose, relative to the larger diagonal of the two boxes; negative if B is pushed into
    /// A.
    pub separations: Vec<f64>,
    /// Number of lines, which is the number of poses for each separation.
    pub approaches: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for PoseSet {
    /// Three separations and a shallow penetration, along 25 lines.
    fn default() -> Self {
        Self { separations: vec![0.05, 0.01, 0.001, -0.01], approaches: 25, seed: 0 }
    }
}

/// A pose of a [`PoseSet`].
#[derive(Clone, Debug, PartialEq)]
pub struct SeparatedPose {
    /// Distance from the touching pose along the line, relative to the larger diagonal of the two boxes; negative if B
    /// is pushed into A.
    pub separation: f64,
    /// Pose of B in A's frame.
    pub pose: Pose,
}

impl SeparatedPose {
    /// A label: `sep=0.01` for a separation, `pen=0.01` for a penetration, relative to the larger diagonal of the two
    /// boxes.
    pub fn label(&self) -> String {
        let kind = if self.separation < 0.0 { "pen" } else { "sep" };
        format!("{kind}={}", self.separation.abs())
    }
}

impl PoseSet {
    /// Computes the poses, ordered by separation as given, then by line. There are fewer poses if the meshes touch on
    /// too few of the lines drawn, and none if a mesh is empty or both are single points.
    ///
    /// Exact triangle tests decide whether meshes touch, so the poses are the same on every machine and for every tree
    /// of the meshes.
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

    /// Lines, and the positions on them at which the meshes first touch.
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

/// Maximum number of lines drawn for each of the [`PoseSet::approaches`], on average.
const MAX_DRAWS: usize = 8;

/// Number of positions tried along a line, from outside to the middle.
const STEPS: u32 = 32;

/// Number of bisections of the step in which the meshes begin to touch.
const BISECTIONS: u32 = 32;

/// A line along which the rotated mesh B approaches A.
struct Approach {
    rotation: UnitQuaternion<f64>,
    direction: UnitVector3<f64>,
    centers: [Point3<f64>; 2],
    /// Distance between the centers at which the spheres around the two boxes just touch.
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

    fn pose(&self, distance: f64) -> Pose {
        let [a, b] = self.centers;
        let translation = a.coords + self.direction.scale(distance) - self.rotation * b.coords;
        Pose::from(Isometry3::from_parts(Translation3::from(translation), self.rotation))
    }

    /// The smallest distance found at which the meshes, coming from outside, do not touch yet; `None` if they touch at
    /// none of the positions tried.
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
