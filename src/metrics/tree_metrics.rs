//! All that is measured of one tree.

use super::hausdorff::{HausdorffError, TightnessError};
use super::hierarchy::Hierarchy;
use super::mesh_facts::MeshFacts;
use super::outside::{Estimate, OutsideVolume};
use super::ray_quality::{RayMetrics, RayQuality};
use super::tightness::{LevelTightness, Tightness};
use crate::tree::BvTree;

/// All that is measured of one tree; [`TreeMetrics::levels`] has it by level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TreeMetrics {
    /// Sums over the volumes.
    pub tightness: Tightness,
    /// Space outside the mesh; `None` for a mesh that encloses none.
    pub outside: Option<OutsideVolume>,
    /// How far volumes reach from the triangles.
    pub hausdorff: HausdorffError,
    /// What matters to rays.
    pub rays: RayQuality,
}

/// What is measured of a tree's volumes at one level, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelMetrics {
    /// Sums over the volumes.
    pub tightness: LevelTightness,
    /// Space outside the mesh, over the mesh's; `None` for a mesh that encloses none.
    pub outside: Option<Estimate>,
    /// How far volumes reach from the triangles.
    pub hausdorff: TightnessError,
    /// What matters to rays.
    pub rays: RayMetrics,
}

impl TreeMetrics {
    /// Measures a tree against the facts of the mesh that it was built from. Uses all threads of the rayon pool;
    /// figures don't depend on their number.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        let hierarchy = Hierarchy::new(tree);
        Self {
            tightness: Tightness::with_nodes(tree, facts, &hierarchy.nodes),
            outside: OutsideVolume::with_hierarchy(tree, facts, &hierarchy),
            hausdorff: HausdorffError::with_hierarchy(tree, facts, &hierarchy),
            rays: RayQuality::with_hierarchy(tree, &hierarchy),
        }
    }

    /// Of the tree cut at each level, the root's first. Empty for an empty mesh.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = LevelMetrics> + '_ {
        let outside = |level: usize| self.outside.as_ref().and_then(|outside| outside.levels.get(level).copied());
        self.tightness.levels.iter().zip(&self.hausdorff.levels).zip(&self.rays.levels).enumerate().map(
            move |(level, ((&tightness, &hausdorff), &rays))| LevelMetrics {
                tightness,
                outside: outside(level),
                hausdorff,
                rays,
            },
        )
    }

    /// Of all stored volumes; of the whole tree where a figure is a tree's.
    pub fn total(&self) -> LevelMetrics {
        LevelMetrics {
            tightness: self.tightness.total,
            outside: self.outside.as_ref().map(|outside| outside.total),
            hausdorff: self.hausdorff.total,
            rays: self.rays.total,
        }
    }
}
