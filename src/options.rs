//! The caller's options of a build, which a cooked file records.

use crate::enum_names::parsed_names;
use crate::volume::VolumeKind;
use crate::volume::fit::{FitMethods, ObbFit, SphereFit};

/// Options of a build.
///
/// [`BuildOptions::obbtree_rules`] returns the classic rules of OBBTree. The default,
/// [`Preset::Balanced`](crate::Preset) for oriented boxes, takes longer to build and answers queries faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BuildOptions {
    /// The kind of volume.
    pub kind: VolumeKind,
    /// The builder of the binary tree.
    pub builder: Builder,
    /// The rule that places the plane at which a top-down build splits a node: across its longest axis, or the second
    /// or third longest if no plane across the longest separates the triangles. The surface area heuristic compares
    /// planes across several axes.
    pub split: SplitRule,
    /// Maximum number of passes of tree rotations over the binary tree (Kensler 2008). A pass that gains nothing is the
    /// last.
    #[doc(alias = "optimise")]
    pub rotation_passes: u32,
    /// The rule by which binary nodes become children of eight-wide ones.
    pub collapse: Collapse,
    /// The fit of oriented boxes; no effect on other kinds.
    pub obb_fit: ObbFit,
    /// The fit of spheres; no effect on other kinds.
    pub sphere_fit: SphereFit,
    /// Maximum number of splits between the root and any leaf; 0 makes the whole mesh one leaf.
    pub max_depth: u32,
    /// Maximum number of triangles of a leaf, at least 1. Nodes with more triangles are split, unless their triangles
    /// cannot be separated or `max_depth` is reached.
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
    /// The rules of OBBTree (Gottschalk, Lin and Manocha 1996, section 4): splits at the mean along the longest axis,
    /// boxes along the eigenvectors of the vertices' covariance, one triangle per leaf; for sphere trees, Ritter's
    /// spheres.
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

    /// The options of [`Preset::Fast`].
    pub fn fast(kind: VolumeKind) -> Self {
        Preset::Fast.options(kind)
    }

    /// The options of [`Preset::Balanced`].
    pub fn balanced(kind: VolumeKind) -> Self {
        Preset::Balanced.options(kind)
    }

    /// The options of [`Preset::Tight`].
    pub fn tight(kind: VolumeKind) -> Self {
        Preset::Tight.options(kind)
    }

    pub(crate) fn fit_methods(&self) -> FitMethods {
        FitMethods { obb: self.obb_fit, sphere: self.sphere_fit }
    }
}

/// A trade-off between the time of a build and the time of queries.
///
/// Any field of the options that [`Preset::options`] returns may be changed afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// The rules of OBBTree, for meshes that change often: see [`BuildOptions::obbtree_rules`]. Nodes are split at the
    /// mean and volumes are fitted in one or two passes over the triangles, so no other preset builds faster.
    Fast,
    /// Splits by surface area and fits of small area, for about twice the build time: the default of [`BuildOptions`].
    /// Up to two triangles share a leaf, whose volume is hardly larger than that of a single triangle.
    #[default]
    Balanced,
    /// Volumes as small as possible at every level, for meshes that are cooked once; takes several times as long to
    /// build.
    ///
    /// * Splits for spheres try more axes and compare the areas of spheres ([`SplitRule::SahOwnVolumes`]).
    /// * Boxes of least volume, exact smallest spheres. Of the nodes of the binary tree only those are kept that give
    ///   the fewest levels and, among such trees, the least total volume over all levels ([`Collapse::LeastVolume`]).
    /// * Up to four triangles share a leaf where its volume is no larger than those of separate leaves together.
    /// * Up to four passes of tree rotations.
    Tight,
}

// From the fastest build to the slowest.
parsed_names!(Preset, "preset", Fast = "fast", Balanced = "balanced", Tight = "tight");

impl Preset {
    /// The options of the preset.
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

/// The rule that places the splitting plane of a top-down build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitRule {
    /// The mean of the triangles' centroids.
    Mean,
    /// The middle of the node's box.
    Midpoint,
    /// The median of the triangles' centroids.
    Median,
    /// The plane of least cost according to the surface area heuristic (Goldsmith and Salmon 1987; binned as in Wald
    /// 2007). Across each axis 15 planes are tried, or, in nodes of up to 16 triangles, all planes that separate
    /// centroids. Coordinate axes along which the node is shorter than 0.3 times its greatest length (0.7 times for
    /// spheres) are not tried. Areas are those of axis-aligned boxes, for every kind of volume.
    Sah,
    /// The rule of [`SplitRule::Sah`], but sphere trees compare the surface areas of spheres, and try the same axes as
    /// other trees.
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

/// The builder of the binary tree that is then collapsed into nodes of up to eight children.
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

/// The rule by which nodes of the binary tree become the children of an eight-wide node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collapse {
    /// Starts from the node's two children, and replaces the one of largest area by its own children until there are
    /// eight or all are leaves.
    #[default]
    LargestFirst,
    /// The nodes that give the least total volume over all levels, in a tree of the least height (Ylitie, Karras and
    /// Laine 2017, section 3.1, with volumes instead of areas). Volumes count three times as much as those one level
    /// above, so that every level matters. A node of few enough triangles becomes a leaf if its volume is no larger
    /// than those of the leaves below it together. k-DOPs are measured by the volumes of their axis-aligned boxes, and
    /// so are oriented boxes of nodes with too many triangles for a leaf.
    LeastVolume,
}

parsed_names!(Collapse, "collapse", LargestFirst = "largest-first", LeastVolume = "least-volume");
