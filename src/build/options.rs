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
    /// As [`SplitRule::Sah`], with the surface areas of the tree's own kind of volume (for oriented boxes, along the
    /// covariance's axes of each side), and across any axis at least 0.3 times as long as the longest.
    SahOfKind,
}

impl SplitRule {
    /// Every rule.
    pub const ALL: [SplitRule; 5] =
        [SplitRule::Mean, SplitRule::Midpoint, SplitRule::Median, SplitRule::Sah, SplitRule::SahOfKind];

    /// The lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SplitRule::Mean => "mean",
            SplitRule::Midpoint => "midpoint",
            SplitRule::Median => "median",
            SplitRule::Sah => "sah",
            SplitRule::SahOfKind => "sah-of-kind",
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
            .ok_or_else(|| format!("unknown split rule '{name}': expected mean, midpoint, median, sah or sah-of-kind"))
    }
}

/// How the binary tree is made that is then collapsed into nodes of eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builder {
    /// Nodes are split from the top, by the [`SplitRule`].
    #[default]
    TopDown,
    /// Triangles are merged from below, nearest neighbours along a Morton curve first (parallel locally-ordered
    /// clustering, Meister and Bittner 2018).
    Ploc,
}

impl Builder {
    /// Every builder.
    pub const ALL: [Builder; 2] = [Builder::TopDown, Builder::Ploc];

    /// The lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Builder::TopDown => "top-down",
            Builder::Ploc => "ploc",
        }
    }
}

impl fmt::Display for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Builder {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|builder| builder.name() == name);
        found.ok_or_else(|| format!("unknown builder '{name}': expected top-down or ploc"))
    }
}

/// Which nodes of the binary tree become the children of an eight-wide node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collapse {
    /// The node's two children, of which the one with the largest area is opened until there are eight.
    #[default]
    LargestFirst,
    /// Those that give the least total volume over all levels, in a tree of the least height; and nodes become leaves
    /// where that takes no more volume than their parts (Ylitie, Karras and Laine 2017, section 3.1, with volumes).
    LeastVolume,
}

impl Collapse {
    /// Every way.
    pub const ALL: [Collapse; 2] = [Collapse::LargestFirst, Collapse::LeastVolume];

    /// The lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Collapse::LargestFirst => "largest-first",
            Collapse::LeastVolume => "least-volume",
        }
    }
}

impl fmt::Display for Collapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Collapse {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|collapse| collapse.name() == name);
        found.ok_or_else(|| format!("unknown collapse '{name}': expected largest-first or least-volume"))
    }
}

/// How a tree is built.
///
/// [`BuildOptions::described`] are the plain rules; the default takes longer to build and answers faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// The kind of volume.
    pub volume: VolumeKind,
    /// How the binary tree is made.
    pub builder: Builder,
    /// Where a top-down build splits nodes along their longest axis (the second or third where the first separates nothing).
    pub split: SplitRule,
    /// Passes of tree rotations over the binary tree, at most; they end early when there is nothing left to gain
    /// (Kensler 2008).
    pub optimise: u32,
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
            volume: VolumeKind::Obb,
            builder: Builder::TopDown,
            split: SplitRule::Sah,
            optimise: 0,
            collapse: Collapse::LargestFirst,
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
