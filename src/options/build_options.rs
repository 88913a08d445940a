//! How a tree is built.

use super::rules::{Builder, Collapse, SplitRule};
use crate::volume::VolumeKind;
use crate::volume::fit::{FitMethods, ObbFit, SphereFit};

/// How a tree is built.
///
/// [`BuildOptions::obbtree_rules`] are the classic rules; the default, [`Preset::Balanced`](crate::Preset) for oriented
/// boxes, takes longer to build and answers faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BuildOptions {
    /// The kind of volume.
    pub kind: VolumeKind,
    /// How the binary tree is made.
    pub builder: Builder,
    /// Where a top-down build splits nodes along their longest axis (the second or third where the first separates
    /// nothing).
    pub split: SplitRule,
    /// Passes of tree rotations over the binary tree, at most; they end early when there is nothing left to gain
    /// (Kensler 2008).
    #[doc(alias = "optimise")]
    pub rotation_passes: u32,
    /// Which volumes stand side by side in the wide tree.
    pub collapse: Collapse,
    /// How oriented boxes are fitted; of no effect on other kinds.
    pub obb_fit: ObbFit,
    /// How spheres are fitted; of no effect on other kinds.
    pub sphere_fit: SphereFit,
    /// Splits between the root and any leaf, at most; 0 makes the whole mesh one leaf.
    pub max_depth: u32,
    /// Nodes with more triangles than this are split, as long as they can be; at least 1.
    pub max_leaf_triangles: u32,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            kind: VolumeKind::Obb,
            builder: Builder::TopDown,
            split: SplitRule::Sah,
            rotation_passes: 0,
            collapse: Collapse::LargestFirst,
            obb_fit: ObbFit::Tight,
            sphere_fit: SphereFit::SmallestSphere,
            max_depth: u32::MAX,
            max_leaf_triangles: 2,
        }
    }
}

impl BuildOptions {
    /// The rules of OBBTree (Gottschalk, Lin and Manocha 1996, section 4): split at the mean along the longest axis,
    /// boxes along the eigenvectors of the vertices' covariance, a triangle to a leaf; for spheres, Ritter's.
    #[doc(alias = "described")]
    pub fn obbtree_rules(kind: VolumeKind) -> Self {
        Self {
            kind,
            split: SplitRule::Mean,
            obb_fit: ObbFit::VertexCovariance,
            sphere_fit: SphereFit::Ritter,
            max_leaf_triangles: 1,
            ..Self::default()
        }
    }

    pub(crate) fn fit_methods(&self) -> FitMethods {
        FitMethods { obb: self.obb_fit, sphere: self.sphere_fit }
    }
}
