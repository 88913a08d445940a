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
    /// The plane at which a top-down build splits nodes along their longest axis, or the second or third if no plane
    /// across the longest separates the triangles.
    pub split: SplitRule,
    /// Maximum number of passes of tree rotations over the binary tree; they end early when nothing is gained (Kensler
    /// 2008).
    #[doc(alias = "optimise")]
    pub rotation_passes: u32,
    /// The rule by which binary nodes become children of wide ones.
    pub collapse: Collapse,
    /// The fit of oriented boxes; no effect on other kinds.
    pub obb_fit: ObbFit,
    /// The fit of spheres; no effect on other kinds.
    pub sphere_fit: SphereFit,
    /// Maximum number of splits between the root and any leaf; 0 makes the whole mesh one leaf.
    pub max_depth: u32,
    /// Maximum number of triangles of a leaf, at least 1. Nodes with more triangles are split if they can be.
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
/// Any field of [`Preset::options`] may be changed afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// The rules of OBBTree, for meshes that change often: see [`BuildOptions::obbtree_rules`]. Nodes are split at the
    /// mean and volumes are fitted in a pass or two, so no other preset builds faster.
    Fast,
    /// Splits by surface area and fits of small area, for about twice the build time: the default of [`BuildOptions`].
    /// Up to two triangles share a leaf, whose volume is hardly larger than that of one of them.
    #[default]
    Balanced,
    /// The least volume at every level, for meshes that are cooked once; takes several times as long to build.
    ///
    /// * Splits for spheres try more axes and judge areas by spheres ([`SplitRule::SahOwnVolumes`]).
    /// * Boxes of least volume, exact smallest spheres. Of the nodes of the binary tree only those are kept that make
    ///   the least total volume over all levels, with the fewest levels ([`Collapse::LeastVolume`]).
    /// * Up to four triangles share a leaf where that takes no more volume than leaves of their own.
    /// * Tree rotations, four passes.
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

/// The position of the splitting plane along the chosen axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitRule {
    /// The mean of the triangles' centroids.
    Mean,
    /// The middle of the node's box.
    Midpoint,
    /// The median of the triangles' centroids.
    Median,
    /// The least cost by the surface area heuristic among 15 planes, or among all that separate centroids in nodes of
    /// up to 16 triangles, across each coordinate axis along which the node is at least 0.3 times as long as along its
    /// longest axis, for spheres 0.7 times (Goldsmith and Salmon 1987; binned as in Wald 2007). Areas are those of
    /// axis-aligned boxes, for every kind of volume.
    Sah,
    /// The rule of [`SplitRule::Sah`], but sphere trees use the surface areas of spheres and the same axes as box
    /// trees.
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
    /// The node's two children at first; the one of largest area is replaced by its own children repeatedly, until
    /// there are eight.
    #[default]
    LargestFirst,
    /// The nodes that give the least total volume over all levels, in a tree of the least height; and nodes become
    /// leaves where that takes no more volume than the leaves below them (Ylitie, Karras and Laine 2017, section 3.1,
    /// with volumes). k-DOPs are measured by the volumes of their axis-aligned boxes, and so are oriented boxes of
    /// nodes with too many triangles for a leaf.
    LeastVolume,
}

parsed_names!(Collapse, "collapse", LargestFirst = "largest-first", LeastVolume = "least-volume");
