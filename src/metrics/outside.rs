//! How much of a tree's volumes lies outside the mesh.

use nalgebra::Point3;

use super::estimate::Estimate;
use super::hierarchy::{Hierarchy, Nodes, is_cut_at};
use super::measured::Measured;
use super::random::{Random, choose};
use super::tightness::ratio;
use super::{MeshFacts, MetricsOptions};
use crate::parallel;
use crate::probe::{Containment, Probe};
use crate::tree::{BvTree, NodeInfo};

/// How much space in a tree's volumes lies outside a closed mesh, relative to the volume that the mesh encloses.
/// Queries search this space in vain. The estimate for a seed is the same on every machine.
///
/// A set of volumes is measured by the part of its *union* outside the mesh, so shared space counts once;
/// [`LevelTightness`](super::LevelTightness) has the sums of volumes. The estimator is that of Karp, Luby and Madras,
/// "Monte-Carlo approximation algorithms for enumeration problems" (1989): each of [`MetricsOptions::samples`] random
/// points for each level, spread in proportion to the volumes, counts `1 / k` if it is outside the mesh and in `k`
/// volumes; their mean times the sum of the volumes is the result.
///
/// Wang, Zhou, Snyder and others, "Variational sphere set approximation for solid objects" (2006), add up the outside
/// parts of all spheres instead, which is the same for disjoint ones.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OutsideVolume {
    /// Estimates of the tree cut at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<Estimate>,
    /// Estimate for the union of all stored volumes.
    pub total: Estimate,
}

impl OutsideVolume {
    /// Measures a tree, with the default options; `None` for a mesh without a [`MeshFacts::mesh_volume`].
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Option<Self> {
        Self::with_options(tree, facts, &MetricsOptions::default())
    }

    /// Measures a tree as [`OutsideVolume::new`] does, with the seed and the number of points in `options`; `None` also
    /// if that number is 0.
    pub fn with_options(tree: &BvTree, facts: &MeshFacts, options: &MetricsOptions) -> Option<Self> {
        Self::with_hierarchy(tree, facts, &Hierarchy::new(tree), options)
    }

    pub(super) fn with_hierarchy<V: Measured>(
        tree: &BvTree,
        facts: &MeshFacts,
        hierarchy: &Hierarchy<V>,
        options: &MetricsOptions,
    ) -> Option<Self> {
        let mesh_volume = facts.mesh_volume.filter(|_| options.samples > 0)?;
        let set =
            |is_in: &(dyn Fn(&NodeInfo<V>) -> bool + Sync)| estimate(tree, mesh_volume, hierarchy, options, is_in);
        let levels = (0..hierarchy.levels()).map(|level| set(&|node| is_cut_at(node, level)));
        Some(Self { levels: levels.collect(), total: set(&|_| true) })
    }
}

fn estimate<V: Measured>(
    tree: &BvTree,
    mesh_volume: f64,
    hierarchy: &Hierarchy<V>,
    options: &MetricsOptions,
    is_in: &(dyn Fn(&NodeInfo<V>) -> bool + Sync),
) -> Estimate {
    let members = || hierarchy.nodes.iter().filter(|node| is_in(node));
    let part = |probe: &mut Probe, point: &Point3<f64>| {
        if probe.contains(tree, point) != Containment::Outside {
            return 0.0;
        }
        let mut sharing: u32 = 0;
        let holds = |volume: &V| volume.contains(point);
        hierarchy.for_each(
            Nodes::All,
            |bounds| bounds.contains(point),
            holds,
            |_, node| sharing += u32::from(is_in(node)),
        );
        // Rounding may have put the point just outside its own volume.
        1.0 / f64::from(sharing.max(1))
    };
    let volume: f64 = members().map(|node| node.volume.volume()).sum();
    let scale = ratio(volume, mesh_volume).unwrap_or(0.0);
    let mut random = Random::new(options.seed);
    let chosen = choose(members(), |node| node.volume.volume(), options.samples, &mut random);
    let points: Vec<Point3<f64>> = chosen.iter().map(|node| node.volume.point_in(&mut random)).collect();
    let parts: Vec<f64> = parallel::map_with(&points, Probe::new, part);
    Estimate::mean(parts.iter().copied(), 1.0).scaled(scale)
}
