//! How trees are to be built, as options of every command that builds them.

use bvtree::{BuildOptions, SplitRule, VolumeKind};
use clap::Args;

/// The build options but for the volume kind, of which a command may allow one or several.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Build options")]
pub struct BuildArgs {
    /// Where nodes are split along their longest axis: mean, midpoint or median
    #[arg(long, value_name = "RULE", default_value_t = BuildOptions::default().split)]
    split: SplitRule,
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
        BuildOptions {
            volume,
            split: self.split,
            max_depth: self.max_depth.unwrap_or(BuildOptions::default().max_depth),
            max_leaf_triangles: self.leaf,
        }
    }
}

/// Several volume kinds, in the order given: `obb,aabb`, or `all`.
#[derive(Clone, Debug)]
pub struct VolumeKinds(pub Vec<VolumeKind>);

impl std::str::FromStr for VolumeKinds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self(VolumeKind::ALL.to_vec()));
        }
        let mut kinds = Vec::new();
        for name in text.split(',') {
            let kind = name.trim().parse().map_err(|error| format!("{error}, several with commas between, or all"))?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(Self(kinds))
    }
}
