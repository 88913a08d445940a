//! One-sided Hausdorff distances from volumes to the mesh, and the number of volumes for a given error.

mod cell;
mod curve;
mod flat;
mod interval;
mod mixture;
mod region;
mod search;

use super::hierarchy::{Hierarchy, is_cut_at};
use super::measured::Measured;
use super::slope::log_log_slope;
use super::{Estimate, MeshFacts};
use crate::numeric::error_bounds::{NEGLIGIBLE_DIAMETER, NEGLIGIBLE_EXTENT};
use crate::parallel;
use crate::probe::Probe;
use crate::tree::{BvTree, NodeInfo};
pub use curve::CurvePoint;
use curve::curve;
pub use interval::Interval;
use search::{Goal, Target, farthest};

/// One-sided Hausdorff distances from volumes to triangles, the measure of tightness in Gottschalk, "Collision queries
/// using oriented bounding boxes" (thesis, 2000): the greatest distance of a point of the volume, on its surface or
/// inside, from the closest triangle.
///
/// Every distance is a proven interval, from a branch and bound over parts of the volume. Its width is that of a
/// [`HausdorffTolerance`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffError {
    /// Errors of the tree cut at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<TightnessError>,
    /// Errors of all stored volumes.
    pub total: TightnessError,
    /// Number of volumes for each error of [`ERRORS`](Self::ERRORS).
    pub curve: Vec<CurvePoint>,
    /// Growth of the number of volumes: `nodes ~ error^-slope`, by least squares of the logarithms over the points of
    /// the curve with more than one volume. On smooth surfaces it is 1 for volumes that flatten as they shrink and 2
    /// for those that keep their shape (Gottschalk 2000). `None` for fewer than three such points.
    pub slope: Option<Estimate>,
}

/// Hausdorff distances of volumes to the triangles below them, relative to the volumes' diameters. `None` without
/// volumes. A volume smaller than a millionth of the root's, or than a billionth of its coordinates, counts as exact:
/// it is mostly rounding to f32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TightnessError {
    /// Maximum.
    pub max: Option<Interval>,
    /// Mean over volumes.
    pub mean: Option<Interval>,
}

/// How narrow the intervals of Hausdorff distances have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffTolerance {
    /// The greatest width of a volume's interval, as a part of its lower bound. 0.01 by default.
    pub relative: f64,
    /// The greatest width of a volume's interval, as a part of the volume's diameter. The larger of both widths counts.
    /// 0.001 by default.
    pub absolute: f64,
    /// The greatest width of the interval of a volume whose distance cannot be told from an error of the curve, as a
    /// part of that error. 0.001 by default.
    pub curve: f64,
    /// The number of parts of a volume that a search may examine before it returns the interval that it has; each takes
    /// some microseconds and about a kilobyte. 100,000 by default.
    pub max_regions: usize,
}

impl Default for HausdorffTolerance {
    fn default() -> Self {
        Self { relative: 0.01, absolute: 0.001, curve: 0.001, max_regions: 100_000 }
    }
}

impl HausdorffError {
    /// The errors of the curve.
    pub const ERRORS: [f64; 9] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];

    /// Measures a tree against the facts of its mesh, with the default tolerance.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        Self::with_tolerance(tree, facts, &HausdorffTolerance::default())
    }

    /// Measures a tree against the facts of its mesh.
    pub fn with_tolerance(tree: &BvTree, facts: &MeshFacts, tolerance: &HausdorffTolerance) -> Self {
        Self::with_hierarchy(tree, facts, &Hierarchy::new(tree), tolerance)
    }

    pub(super) fn with_hierarchy<V: Measured>(
        tree: &BvTree,
        facts: &MeshFacts,
        hierarchy: &Hierarchy<V>,
        tolerance: &HausdorffTolerance,
    ) -> Self {
        let nodes = &hierarchy.nodes;
        let smallest = nodes.first().map_or(0.0, |root| {
            let aabb = root.volume.aabb();
            let largest = aabb.lower.coords.amax().max(aabb.upper.coords.amax());
            (NEGLIGIBLE_DIAMETER * root.volume.diameter()).max(NEGLIGIBLE_EXTENT * largest)
        });
        let error = |probe: &mut Probe, node: &NodeInfo<V>| {
            let diameter = node.volume.diameter();
            if diameter <= smallest {
                return Interval::default();
            }
            let goal = Goal::Distance { width: tolerance.absolute * diameter, part: tolerance.relative };
            let distance = farthest(&node.volume, Target::below(tree, node), goal, tolerance, probe);
            // The triangles are in the volume.
            distance.map(|distance| (distance / diameter).min(1.0))
        };
        let errors: Vec<Interval> = parallel::map_with(nodes, Probe::new, error);
        let of = |is_in: &dyn Fn(&NodeInfo<V>) -> bool| {
            let members = || nodes.iter().zip(&errors).filter(|(node, _)| is_in(node)).map(|(_, error)| error);
            TightnessError { max: Interval::max(members()), mean: Interval::mean(members()) }
        };
        let levels = (0..hierarchy.levels()).map(|level| of(&|node| is_cut_at(node, level))).collect();
        let curve = curve(tree, facts, hierarchy, tolerance);
        let bent = curve.iter().filter_map(|point| Some((point.error, point.nodes.filter(|&nodes| nodes > 1)? as f64)));
        let slope = log_log_slope(bent).map(|slope| Estimate { value: 0.0 - slope.value, ..slope });
        Self { levels, total: of(&|_| true), slope, curve }
    }
}
