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
use crate::enum_names::names;
use crate::numeric::error_bounds::{NEGLIGIBLE_DIAMETER, NEGLIGIBLE_EXTENT};
use crate::parallel;
use crate::probe::Probe;
use crate::tree::{BvTree, NodeInfo};
pub use curve::CurvePoint;
use curve::curve;
pub use interval::Interval;
use search::{Found, Goal, Target, farthest};

/// One-sided Hausdorff distances from volumes to triangles, the measure of tightness in Gottschalk, "Collision queries
/// using oriented bounding boxes" (thesis, 2000): the greatest distance of a point of the volume, on its surface or
/// inside, from the closest triangle.
///
/// Every distance is a proven interval, from a branch and bound over parts of the volume. A [`HausdorffTolerance`] sets
/// the intervals' width.
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
    /// Growth of the number of volumes: `nodes ~ error^-slope`, fitted by least squares of the logarithms over the
    /// points of the curve with more than one volume; of equal numbers at the end of the curve, where volumes fit
    /// exactly, only the first is used. On smooth surfaces the slope is 1 for volumes that flatten as they shrink and 2
    /// for those that keep their shape (Gottschalk 2000).
    pub slope: Result<Estimate, NoSlope>,
}

/// Why there is no [`HausdorffError::slope`]: fewer than three points of the curve show how the number of volumes
/// grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NoSlope {
    /// There are no volumes.
    Empty,
    /// A few volumes are enough for every error, even the smallest.
    Exact,
    /// The leaves reach too far: no set of volumes is within the smaller errors.
    Coarse,
}

names!(NoSlope, Empty = "no volumes", Exact = "few volumes fit within every error", Coarse = "leaves reach too far");

/// One-sided Hausdorff distances from volumes to the triangles below them, relative to the volumes' diameters. `None`
/// without volumes. A volume counts as exact if its diameter is at most a millionth of the root's diameter, or a
/// billionth of the largest coordinate: its error is mostly rounding to f32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TightnessError {
    /// Maximum over volumes.
    pub max: Option<Interval>,
    /// Mean over volumes.
    pub mean: Option<Interval>,
    /// Number of volumes whose search was cut short by [`HausdorffTolerance::max_regions`]: their intervals are proven,
    /// but wider than the tolerance.
    pub cut_short: usize,
}

/// The required width of the intervals of Hausdorff distances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffTolerance {
    /// The greatest width of a volume's interval, as a fraction of its lower bound. 0.01 by default.
    pub relative: f64,
    /// The greatest width of a volume's interval, as a fraction of the volume's diameter. The larger of the widths by
    /// `relative` and by `absolute` is allowed. 0.001 by default.
    pub absolute: f64,
    /// How near both ends of a volume's interval must be to an error of the curve that lies between them, as a fraction
    /// of that error. 0.001 by default.
    pub curve: f64,
    /// The number of parts of a volume that a search may examine before it stops with the interval found so far; each
    /// part takes some microseconds and about a kilobyte. 100,000 by default.
    pub max_regions: usize,
}

impl Default for HausdorffTolerance {
    fn default() -> Self {
        Self { relative: 0.01, absolute: 0.001, curve: 0.001, max_regions: 100_000 }
    }
}

impl HausdorffError {
    /// The errors of the curve, relative to [`MeshFacts::diameter`].
    pub const ERRORS: [f64; 18] = [
        0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.0015, 0.001, 0.0007,
        0.0005,
    ];

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
                return Found::default();
            }
            let goal = Goal::Distance { width: tolerance.absolute * diameter, part: tolerance.relative };
            let found = farthest(&node.volume, Target::below(tree, node), goal, tolerance, probe);
            // The triangles are in the volume.
            Found { interval: found.interval.map(|distance| (distance / diameter).min(1.0)), ..found }
        };
        let errors: Vec<Found> = parallel::map_with(nodes, Probe::new, error);
        let of = |is_in: &dyn Fn(&NodeInfo<V>) -> bool| {
            let found = || nodes.iter().zip(&errors).filter(|(node, _)| is_in(node)).map(|(_, found)| found);
            let members = || found().map(|found| &found.interval);
            let cut_short = found().filter(|found| found.is_cut_short).count();
            TightnessError { max: Interval::max(members()), mean: Interval::mean(members()), cut_short }
        };
        let levels = (0..hierarchy.levels()).map(|level| of(&|node| is_cut_at(node, level))).collect();
        let curve = curve(tree, facts, hierarchy, tolerance);
        Self { levels, total: of(&|_| true), slope: slope(&curve, nodes.is_empty()), curve }
    }
}

/// The exponent by which the number of volumes grows as the error shrinks.
fn slope(curve: &[CurvePoint], is_empty: bool) -> Result<Estimate, NoSlope> {
    let mut points: Vec<(f64, usize)> = curve.iter().filter_map(|point| Some((point.error, point.nodes?))).collect();
    let is_coarse = points.len() < curve.len();
    let is_plateau = |points: &[(f64, usize)]| matches!(points, [.., (_, before), (_, last)] if before == last);
    while !is_coarse && is_plateau(&points) {
        points.pop();
    }
    let growing = points.into_iter().filter(|&(_, nodes)| nodes > 1).map(|(error, nodes)| (error, nodes as f64));
    let slope = log_log_slope(growing).map(|slope| Estimate { value: 0.0 - slope.value, ..slope });
    slope.ok_or(match (is_empty, is_coarse) {
        (true, _) => NoSlope::Empty,
        (_, true) => NoSlope::Coarse,
        (_, false) => NoSlope::Exact,
    })
}
