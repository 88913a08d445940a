//! How trees are to be built, as options of every command that builds them.

use std::str::FromStr;

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::{BuildOptions, Preset, SplitRule, VolumeKind};
use clap::Args;

/// The build options but for the volume kind, of which a command may allow one or several.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Build options")]
pub struct BuildArgs {
    /// The described rules: mean split, covariance boxes, Ritter's spheres (quicker to build, slower to query)
    #[arg(long, conflicts_with_all = ["split", "obb_fit", "sphere_fit"])]
    described: bool,
    /// Where nodes are split: mean, midpoint or median of the longest axis, or sah (surface area heuristic)
    #[arg(long, value_name = "RULE", default_value_t = BuildOptions::default().split)]
    split: SplitRule,
    /// How oriented boxes are fitted: tight, vertex-covariance, surface-covariance, hull-covariance, dito-14,
    /// minimum-volume, best-volume, best-area or axis-aligned
    #[arg(long, value_name = "FIT", default_value_t = BuildOptions::default().obb_fit)]
    obb_fit: ObbFit,
    /// How spheres are fitted: smallest-ball, ritter, epos-6, epos-14, epos-26, epos-98 or aabb-center
    #[arg(long, value_name = "FIT", default_value_t = BuildOptions::default().sphere_fit)]
    sphere_fit: SphereFit,
    /// Splits between the root and any leaf, at most [default: no limit]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Triangles per leaf, at most (more only where they can't be split)
    #[arg(long, value_name = "N", default_value_t = BuildOptions::default().max_leaf_triangles,
        value_parser = clap::value_parser!(u32).range(1..))]
    leaf: u32,
}

impl BuildArgs {
    pub fn options(&self, volume: VolumeKind) -> BuildOptions {
        let rules = if self.described {
            BuildOptions::described(volume)
        } else {
            let Self { split, obb_fit, sphere_fit, .. } = *self;
            BuildOptions { volume, split, obb_fit, sphere_fit, ..BuildOptions::default() }
        };
        BuildOptions {
            max_depth: self.max_depth.unwrap_or(BuildOptions::default().max_depth),
            max_leaf_triangles: self.leaf,
            ..rules
        }
    }
}

/// Several volume kinds, in the order given: `obb,aabb`, or `all`.
#[derive(Clone, Debug)]
pub struct VolumeKinds(pub Vec<VolumeKind>);

impl FromStr for VolumeKinds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        several(text, &VolumeKind::ALL).map(Self)
    }
}

/// Several presets, in the order given: `fast,tight`, or `all`.
#[derive(Clone, Debug)]
pub struct Presets(pub Vec<Preset>);

impl FromStr for Presets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        several(text, &Preset::ALL).map(Self)
    }
}

/// Names with commas between, each taken once, or `all`.
fn several<T: FromStr<Err = String> + Clone + PartialEq>(text: &str, all: &[T]) -> Result<Vec<T>, String> {
    if text == "all" {
        return Ok(all.to_vec());
    }
    let mut chosen = Vec::new();
    for name in text.split(',') {
        let item = name.trim().parse().map_err(|error| format!("{error}, several with commas between, or all"))?;
        if !chosen.contains(&item) {
            chosen.push(item);
        }
    }
    Ok(chosen)
}
