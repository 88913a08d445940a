//! How many volumes it takes to cover the mesh within an error.

use super::search::{Goal, Target, farthest};
use super::{HausdorffError, HausdorffTolerance, Interval};
use crate::metrics::MeshFacts;
use crate::metrics::hierarchy::Hierarchy;
use crate::metrics::measured::Measured;
use crate::parallel;
use crate::probe::Probe;
use crate::tree::BvTree;

/// A point of the curve that gives the number of volumes needed for each error.
///
/// Volumes of the tree cover the mesh within an error if none of their points is farther than that from the mesh. From
/// the root down, a node whose volume reaches farther is replaced by its children, so no smaller set of nodes covers
/// the mesh within the error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// The error, a distance relative to [`MeshFacts::diameter`].
    pub error: f64,
    /// Number of volumes that are proven to cover the mesh within the error, by the upper bounds of their distances.
    /// `None` if the upper bound of a leaf exceeds the error, or the tree is empty.
    pub nodes: Option<usize>,
    /// Least number of volumes that may be enough, by the lower bounds of their distances. It differs from `nodes` only
    /// where distances are within [`HausdorffTolerance::curve`] of the error, or searches were cut short. `None` if a
    /// leaf is proven to reach farther, or the tree is empty.
    pub nodes_lower: Option<usize>,
}

/// The points of the curve, in the order of [`HausdorffError::ERRORS`].
pub(super) fn curve<V: Measured>(
    tree: &BvTree,
    facts: &MeshFacts,
    hierarchy: &Hierarchy<V>,
    tolerance: &HausdorffTolerance,
) -> Vec<CurvePoint> {
    let unknown = Interval { lower: 0.0, upper: f64::INFINITY };
    let distances = vec![unknown; hierarchy.nodes.len()];
    let mut fronts = Fronts { tree, hierarchy, tolerance, distances };
    let root = || Some(Vec::from_iter((!hierarchy.nodes.is_empty()).then_some(0))).filter(|front| !front.is_empty());
    // The fronts by the upper and by the lower bounds.
    let mut by = [root(), root()];
    let upper: fn(Interval) -> f64 = |distance| distance.upper;
    let lower: fn(Interval) -> f64 = |distance| distance.lower;
    let point = |error: f64| {
        let allowed = error * facts.diameter;
        for (front, bound) in by.iter_mut().zip([upper, lower]) {
            *front = front.take().and_then(|nodes| fronts.refined(nodes, allowed, bound));
        }
        let [nodes, nodes_lower] = by.each_ref().map(|front| front.as_ref().map(Vec::len));
        CurvePoint { error, nodes, nodes_lower }
    };
    HausdorffError::ERRORS.into_iter().map(point).collect()
}

/// Refines sets of nodes that cover the mesh.
struct Fronts<'a, V> {
    tree: &'a BvTree,
    hierarchy: &'a Hierarchy<V>,
    tolerance: &'a HausdorffTolerance,
    /// The interval in which the one-sided Hausdorff distance from each node's volume to the mesh is known to lie.
    distances: Vec<Interval>,
}

impl<V: Measured> Fronts<'_, V> {
    /// Replaces nodes whose `bound` exceeds `allowed` by their children until no bound exceeds it; `None` if a leaf's
    /// bound does.
    fn refined(&mut self, mut front: Vec<usize>, allowed: f64, bound: impl Fn(Interval) -> f64) -> Option<Vec<usize>> {
        let mut within = Vec::with_capacity(front.len());
        while !front.is_empty() {
            self.decide(&front, allowed);
            let mut next = Vec::new();
            for index in front {
                if bound(self.distances[index]) <= allowed {
                    within.push(index);
                } else if self.hierarchy.nodes[index].is_leaf() {
                    return None;
                } else {
                    next.extend(self.hierarchy.children(index));
                }
            }
            front = next;
        }
        Some(within)
    }

    /// Narrows the interval of each node's distance to the mesh until it shows whether that distance is at most
    /// `allowed`, or until both ends of the interval are within the tolerance of `allowed`, unless the search is cut
    /// short.
    fn decide(&mut self, front: &[usize], allowed: f64) {
        let width = self.tolerance.curve * allowed;
        let is_open = |index: &&usize| {
            let Interval { lower, upper } = self.distances[**index];
            lower <= allowed && upper > allowed && (upper > allowed + width || lower < allowed - width)
        };
        let open: Vec<usize> = front.iter().filter(is_open).copied().collect();
        let goal = Goal::Decision { allowed, width };
        let measure = |probe: &mut Probe, &index: &usize| {
            let volume = &self.hierarchy.nodes[index].volume;
            farthest(volume, Target::all(self.tree), goal, self.tolerance, probe).interval
        };
        let found: Vec<Interval> = parallel::map_with(&open, Probe::new, measure);
        for (index, Interval { lower, upper }) in open.into_iter().zip(found) {
            let known = &mut self.distances[index];
            *known = Interval { lower: known.lower.max(lower), upper: known.upper.min(upper) };
        }
    }
}
