//! How a tree is refitted, and what came of it.

use crate::enum_names::parsed_names;

/// What becomes of the axes of oriented boxes of several triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObbAxes {
    /// They stay what the builder chose: the quickest, for small deformations.
    Kept,
    /// They turn as the box's vertices do, seen from how those were when the tree was built.
    #[default]
    Turned,
    /// They become the eigenvectors of the covariance of the box's vertices.
    Refitted,
}

parsed_names!(ObbAxes, "OBB axes", Kept = "kept", Turned = "turned", Refitted = "refitted");

/// How a tree is refitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RefitOptions {
    /// Of no effect on other kinds than oriented boxes.
    pub obb_axes: ObbAxes,
    /// Builds the tree anew, by its own build options, when
    /// [`DeformingTree::cost_ratio`](super::DeformingTree::cost_ratio) exceeds this; never if `None`.
    pub rebuild_above: Option<f64>,
}

/// What a refit has done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Refitted {
    /// How many volumes were fitted again.
    pub volumes: usize,
    /// What [`DeformingTree::cost_ratio`](super::DeformingTree::cost_ratio) was before a rebuild, if there was one.
    pub cost_ratio: f64,
    /// Whether the tree was built anew.
    pub was_rebuilt: bool,
}
