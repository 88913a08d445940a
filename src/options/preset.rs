//! Build options for those who don't want to choose each of them.

use super::build_options::BuildOptions;
use super::rules::{Builder, Collapse, SplitRule};
use crate::enum_names::parsed_names;
use crate::volume::VolumeKind;
use crate::volume::fit::{ObbFit, SphereFit};

/// A trade-off between the time of a build and the time of queries.
///
/// Any field of [`Preset::options`] may be changed afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// The rules of OBBTree, for meshes that change often: see [`BuildOptions::obbtree_rules`]. Nodes are split at the
    /// mean and volumes are fitted in a pass or two, so nothing builds faster.
    Fast,
    /// Splits by surface area and fits of small area, for about twice the build time: the default of [`BuildOptions`].
    /// Two triangles share a leaf: their volume is hardly larger than that of one.
    #[default]
    Balanced,
    /// The least volume at every level, for meshes that are cooked once; takes several times as long to build.
    ///
    /// * Splits for spheres try more axes and judge areas by spheres ([`SplitRule::SahOwnVolumes`]).
    /// * Boxes of least volume, exact smallest balls. Of the nodes of the binary tree only those are kept that make the
    ///   least total volume over all levels, with the fewest levels ([`Collapse::LeastVolume`]).
    /// * Up to four triangles share a leaf where that takes no more volume than leaves of their own.
    /// * Tree rotations, four passes.
    Tight,
}

// The quickest to build first.
parsed_names!(Preset, "preset", Fast = "fast", Balanced = "balanced", Tight = "tight");

impl Preset {
    /// The options it stands for.
    pub fn options(self, kind: VolumeKind) -> BuildOptions {
        match self {
            Preset::Fast => BuildOptions::obbtree_rules(kind),
            Preset::Balanced => BuildOptions { kind, ..BuildOptions::default() },
            Preset::Tight => BuildOptions {
                kind,
                builder: Builder::TopDown,
                split: SplitRule::SahOwnVolumes,
                rotation_passes: 4,
                collapse: Collapse::LeastVolume,
                obb_fit: ObbFit::TightVolume,
                sphere_fit: SphereFit::SmallestSphere,
                max_leaf_triangles: 4,
                ..BuildOptions::default()
            },
        }
    }
}
