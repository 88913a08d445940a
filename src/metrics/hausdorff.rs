//! How far a tree's volumes reach from the mesh, and how many volumes it takes to stay near it.

use nalgebra::Point3;

use super::farthest::{DistanceField, farthest};
use super::hierarchy::{Hierarchy, is_cut_at};
use super::mesh_facts::MeshFacts;
use super::slope::log_log_slope;
use crate::parallel;
use crate::probe::Probe;
use crate::tree::{BvTree, NodeInfo};
use crate::volume::NodeRef;
use crate::volume::Volume;

/// One-sided Hausdorff distances from volumes to the geometry: how far a point of a volume can be from the triangles,
/// the measure of tightness in Gottschalk, "Collision queries using oriented bounding boxes" (thesis, 2000).
///
/// The distance is the largest, over the points of the volume, of the least distance to the triangles. For a leaf of
/// one triangle it is exact up to rounding. Else it is found by branch and bound, from below: the distance of an actual
/// point, and no point's is larger by more than 1/32 of the volume's diameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffError {
    /// Of the tree cut at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<TightnessError>,
    /// Of all stored volumes.
    pub total: TightnessError,
    /// How many volumes keep within given errors, for each of [`ERRORS`](Self::ERRORS).
    pub curve: Vec<CurvePoint>,
    /// How fast the volumes become more: `nodes ~ error^-slope`, by least squares of the logarithms over the points of
    /// the curve with more than one volume. A smooth surface has 1 for volumes that become flat as they become small
    /// and 2 for those that keep their shape (Gottschalk 2000). `None` for fewer than three such points.
    pub slope: Option<f64>,
}

/// Volumes' Hausdorff distances to the triangles below them, each over the volume's diameter. `None` without volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TightnessError {
    /// The largest.
    pub max: Option<f64>,
    /// The mean, every volume counted once.
    pub mean: Option<f64>,
}

/// A point of the curve of errors against volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// The error: a distance over [`MeshFacts::diameter`].
    pub error: f64,
    /// How many volumes it takes to cover the mesh without a point farther than that from it: from the root down, a
    /// node whose volume reaches farther from the whole mesh gives way to its children. `None` where a leaf reaches
    /// farther.
    pub nodes: Option<usize>,
}

impl HausdorffError {
    /// The errors of the curve.
    pub const ERRORS: [f64; 9] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];

    /// Measures a tree against the facts of the mesh that it was built from.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        Self::with_hierarchy(tree, facts, &Hierarchy::new(tree))
    }

    pub(super) fn with_hierarchy(tree: &BvTree, facts: &MeshFacts, hierarchy: &Hierarchy) -> Self {
        let nodes = &hierarchy.nodes;
        let smallest = SMALLEST * nodes.first().map_or(0.0, |root| root.volume.diameter());
        let errors: Vec<f64> =
            parallel::map_with(nodes, Probe::new, |probe, node| tightness_error(tree, node, smallest, probe));
        let of = |is_in: &dyn Fn(&NodeInfo) -> bool| {
            let members = nodes.iter().zip(&errors).filter(|(node, _)| is_in(node));
            let (mut count, mut sum, mut max) = (0, 0.0, 0.0_f64);
            for (_, error) in members {
                (count, sum, max) = (count + 1, sum + error, max.max(*error));
            }
            let some = |value: f64| (count > 0).then_some(value);
            TightnessError { max: some(max), mean: some((sum / f64::from(count.max(1))).min(max)) }
        };
        let levels = (0..hierarchy.levels()).map(|level| of(&|node| is_cut_at(node, level))).collect();
        let curve = curve(tree, facts, hierarchy);
        let bent = curve.iter().filter_map(|point| Some((point.error, point.nodes.filter(|&nodes| nodes > 1)? as f64)));
        Self { levels, total: of(&|_| true), slope: log_log_slope(bent).map(|slope| 0.0 - slope), curve }
    }
}

/// Volumes smaller than this part of the root's fit exactly: what they are larger than their triangles is rounding.
const SMALLEST: f64 = 1e-6;

/// What a search may miss, over the volume's diameter.
const TOLERANCE: f64 = 1.0 / 32.0;

/// Distances from the triangles below a node.
struct Below<'a> {
    tree: &'a BvTree,
    node: NodeRef,
    probe: &'a mut Probe,
}

impl DistanceField for Below<'_> {
    fn nearest(&mut self, point: &Point3<f64>, at_most: f64, enough: f64) -> (Point3<f64>, f64) {
        // Rounding must not make the nearest triangle be missed.
        let reach = at_most * (1.0 + 1e-9);
        let closest = self.probe.closest_point_below(self.tree, self.node, point, reach, enough);
        closest.map_or((*point, at_most), |closest| (closest.point, closest.distance))
    }
}

fn tightness_error(tree: &BvTree, node: &NodeInfo, smallest: f64, probe: &mut Probe) -> f64 {
    let diameter = node.volume.diameter();
    if diameter <= smallest {
        return 0.0;
    }
    reach(tree, node, node.below, probe) / diameter
}

/// How far a node's volume reaches from the triangles below some node.
fn reach(tree: &BvTree, node: &NodeInfo, below: NodeRef, probe: &mut Probe) -> f64 {
    let mut field = Below { tree, node: below, probe };
    if node.triangles == 1 && below == node.below {
        return reach_of_one(&node.volume, &mut field);
    }
    farthest(&node.volume, TOLERANCE * node.volume.diameter(), &mut field)
}

/// Of a single triangle, which is convex, the farthest point is a corner of a box or a k-DOP, and in a sphere opposite to where the
/// triangle is nearest to the centre.
fn reach_of_one(volume: &Volume, triangle: &mut Below<'_>) -> f64 {
    let mut distance = |point: &Point3<f64>| triangle.nearest(point, f64::INFINITY, -1.0).1;
    let mut farthest = |corners: &[Point3<f64>]| corners.iter().map(&mut distance).fold(0.0, f64::max);
    match volume {
        Volume::Aabb(aabb) => farthest(&aabb.corners()),
        Volume::Obb(obb) => farthest(&obb.corners()),
        Volume::KDop(kdop) => farthest(&kdop.corners()),
        Volume::Sphere(sphere) => sphere.radius + distance(&sphere.center),
    }
}

/// For each of the errors, the largest first.
fn curve(tree: &BvTree, facts: &MeshFacts, hierarchy: &Hierarchy) -> Vec<CurvePoint> {
    let measure = |nodes: Vec<usize>| -> Vec<(usize, f64)> {
        let reach_of =
            |probe: &mut Probe, &index: &usize| (index, reach(tree, &hierarchy.nodes[index], NodeRef::ROOT, probe));
        parallel::map_with(&nodes, Probe::new, reach_of)
    };
    let mut front = measure(Vec::from_iter((!hierarchy.nodes.is_empty()).then_some(0)));
    let mut is_within_reach = !front.is_empty();
    let mut curve = Vec::with_capacity(HausdorffError::ERRORS.len());
    for error in HausdorffError::ERRORS {
        let allowed = error * facts.diameter;
        while is_within_reach {
            let (near, far): (Vec<_>, Vec<_>) = front.iter().copied().partition(|&(_, reach)| reach <= allowed);
            if far.is_empty() {
                break;
            }
            is_within_reach = far.iter().all(|&(index, _)| !hierarchy.nodes[index].is_leaf());
            if is_within_reach {
                front = near;
                front.extend(measure(far.iter().flat_map(|&(index, _)| hierarchy.children(index)).collect()));
            }
        }
        curve.push(CurvePoint { error, nodes: is_within_reach.then_some(front.len()) });
    }
    curve
}
