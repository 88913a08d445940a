//! What the caller chooses about a build.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::fit::{ObbFit, SphereFit};
use crate::volume::VolumeKind;

/// Where the splitting plane stands along the chosen axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// At the mean of the triangles' centroids.
    Mean,
    /// At the middle of the volume.
    Midpoint,
    /// At the median of the triangles' centroids.
    Median,
    /// Where the surface area heuristic's cost is least among 15 planes, across any axis not much shorter than the
    /// longest (Goldsmith and Salmon 1987; binned as in Wald 2007).
    Sah,
}

impl SplitRule {
    /// Every rule.
    pub const ALL: [SplitRule; 4] = [SplitRule::Mean, SplitRule::Midpoint, SplitRule::Median, SplitRule::Sah];

    /// The lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SplitRule::Mean => "mean",
            SplitRule::Midpoint => "midpoint",
            SplitRule::Median => "median",
            SplitRule::Sah => "sah",
        }
    }
}

impl fmt::Display for SplitRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SplitRule {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| format!("unknown split rule '{name}': expected mean, midpoint, median or sah"))
    }
}

/// How a tree is built.
///
/// [`BuildOptions::described`] are the plain rules; the default takes longer to build and answers faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// The kind of volume.
    pub volume: VolumeKind,
    /// Where nodes are split along their longest axis (the second or third where the first separates nothing).
    pub split: SplitRule,
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
            volume: VolumeKind::Obb,
            split: SplitRule::Sah,
            obb_fit: ObbFit::Tight,
            sphere_fit: SphereFit::SmallestBall,
            max_depth: u32::MAX,
            max_leaf_triangles: 1,
        }
    }
}

impl BuildOptions {
    /// The described rules: split at the mean along the longest axis, boxes along the vertices' covariance, Ritter's
    /// spheres.
    pub fn described(volume: VolumeKind) -> Self {
        Self {
            volume,
            split: SplitRule::Mean,
            obb_fit: ObbFit::VertexCovariance,
            sphere_fit: SphereFit::Ritter,
            ..Self::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.max_leaf_triangles == 0 { Err(BuildError::EmptyLeaves) } else { Ok(()) }
    }
}

/// Why a tree can't be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A leaf must be allowed to hold a triangle.
    #[error("max_leaf_triangles is 0: a leaf holds at least one triangle")]
    EmptyLeaves,
    /// The tree would have more volumes than a file can number.
    #[error("the tree would have {volumes} volumes: at most {limit} can be numbered; allow more triangles per leaf")]
    TooLarge {
        /// Volumes of the tree.
        volumes: usize,
        /// The most there can be.
        limit: usize,
    },
}
