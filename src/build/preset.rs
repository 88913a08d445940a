//! Build options for those who don't want to choose each of them.

use std::fmt;
use std::str::FromStr;

use super::options::BuildOptions;
use crate::volume::VolumeKind;

/// A trade-off between the time of a build and the time of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The described rules, for meshes that change often: see [`BuildOptions::described`].
    Fast,
    /// The default of [`BuildOptions`].
    #[default]
    Balanced,
    /// The tightest volumes, for meshes that are cooked once.
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
                obb_fit: crate::fit::ObbFit::BestVolume,
                sphere_fit: crate::fit::SphereFit::SmallestBall,
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
