//! Build options for those who don't want to choose each of them.

use std::fmt;
use std::str::FromStr;

use super::options::{BuildOptions, Builder, Collapse, SplitRule};
use crate::fit::{ObbFit, SphereFit};
use crate::volume::VolumeKind;

/// A trade-off between the time of a build and the time of queries.
///
/// Any field of [`Preset::options`] may be changed afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The described rules, for meshes that change often: see [`BuildOptions::described`]. Nodes are split at the mean and
    /// volumes are fitted in a pass or two, so nothing builds faster.
    Fast,
    /// The default of [`BuildOptions`]: splits by surface area and fits of small area, for about twice
    /// the build time.
    #[default]
    Balanced,
    /// The least volume at every level, for meshes that are cooked once; takes several times as long to build.
    ///
    /// * Splits judge areas by the kind's own volume ([`SplitRule::SahOfKind`]), not by axis-aligned boxes.
    /// * A volume is fitted to every node of the binary tree - boxes of least volume, exact smallest balls - and only those
    ///   are kept that make the least total volume over all levels, with the fewest levels ([`Collapse::LeastVolume`]).
    /// * Up to four triangles share a leaf where that takes no more volume than leaves of their own.
    /// * Tree rotations, four passes; but not for oriented boxes: there they make fewer volume tests, but not at every
    ///   level less volume.
    Tight,
}

impl Preset {
    /// Every preset, the quickest to build first.
    pub const ALL: [Preset; 3] = [Preset::Fast, Preset::Balanced, Preset::Tight];

    /// The lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Fast => "fast",
            Preset::Balanced => "balanced",
            Preset::Tight => "tight",
        }
    }

    /// The options it stands for.
    pub fn options(self, volume: VolumeKind) -> BuildOptions {
        match self {
            Preset::Fast => BuildOptions::described(volume),
            Preset::Balanced => BuildOptions { volume, ..BuildOptions::default() },
            Preset::Tight => BuildOptions {
                volume,
                builder: Builder::TopDown,
                split: SplitRule::SahOfKind,
                optimise: if volume == VolumeKind::Obb { 0 } else { 4 },
                collapse: Collapse::LeastVolume,
                obb_fit: ObbFit::TightVolume,
                sphere_fit: SphereFit::SmallestBall,
                max_leaf_triangles: 4,
                ..BuildOptions::default()
            },
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .ok_or_else(|| format!("unknown preset '{name}': expected fast, balanced or tight"))
    }
}
