//! The rules by which triangles are divided.

use crate::enum_names::parsed_names;

/// Where the splitting plane stands along the chosen axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitRule {
    /// At the mean of the triangles' centroids.
    Mean,
    /// At the middle of the volume.
    Midpoint,
    /// At the median of the triangles' centroids.
    Median,
    /// Where the surface area heuristic's cost is least among 15 planes, across any coordinate axis along which the
    /// node is at least 0.3 times as long as along the longest, for spheres 0.7 times (Goldsmith and Salmon 1987;
    /// binned as in Wald 2007). Areas are those of axis-aligned boxes, for every kind of volume.
    Sah,
    /// As [`SplitRule::Sah`], for spheres with the surface areas of spheres and across axes as for boxes.
    SahOwnVolumes,
}

parsed_names!(
    SplitRule,
    "split rule",
    Mean = "mean",
    Midpoint = "midpoint",
    Median = "median",
    Sah = "sah",
    SahOwnVolumes = "sah-own-volumes" | "sah-of-kind",
);

/// How the binary tree is made that is then collapsed into nodes of eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Builder {
    /// Nodes are split from the top, by the [`SplitRule`].
    #[default]
    TopDown,
    /// Triangles are merged from below, nearest neighbours along a Morton curve first (parallel locally-ordered
    /// clustering, Meister and Bittner 2018).
    Ploc,
}

parsed_names!(Builder, "builder", TopDown = "top-down", Ploc = "ploc");

/// Which nodes of the binary tree become the children of an eight-wide node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collapse {
    /// The node's two children, of which the one with the largest area is opened until there are eight.
    #[default]
    LargestFirst,
    /// Those that give the least total volume over all levels, in a tree of the least height; and nodes become leaves
    /// where that takes no more volume than their parts (Ylitie, Karras and Laine 2017, section 3.1, with volumes). For
    /// oriented boxes the volumes of inner nodes are those of axis-aligned boxes, which bound them.
    LeastVolume,
}

parsed_names!(Collapse, "collapse", LargestFirst = "largest-first", LeastVolume = "least-volume");
