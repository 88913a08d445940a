//! Options that several commands share: how trees are built, and how answers are computed and written. Also parsers of
//! arguments.

use std::fmt::Display;
use std::io::IsTerminal;
use std::path::Path;
use std::str::FromStr;
use std::{env, io};

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::metrics::ReferenceVolume;
use bvtree::query::{FacePair, Solid};
use bvtree::{BuildOptions, Builder, BvTree, Collapse, Preset, SimdLevel, SplitRule, UnknownName, VolumeKind};
use clap::{Args, ValueEnum};

use crate::error::CliError;
use crate::output::Format;

/// The build options except the volume kind: some commands allow one kind, others several. Flatten this last, because
/// its heading applies to all options that follow.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Build options")]
pub struct BuildArgs {
    /// Preset for all build options below; an option that is given overrides it. fast: the rules of OBBTree, fastest to
    /// build; balanced: faster queries; tight: least volume at every level, slow to build
    #[arg(long, value_name = "PRESET", default_value_t)]
    preset: Preset,
    #[command(flatten)]
    rules: BuildRules,
}

/// Build options one by one: those given override a preset's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Build options")]
pub struct BuildRules {
    /// Use the rules of OBBTree: mean split, covariance boxes, Ritter's spheres; the same as --preset fast
    #[arg(long, alias = "described", 
        conflicts_with_all = ["preset", "builder", "split", "obb_fit", "sphere_fit", "rotation_passes", "collapse"])]
    pub obbtree_rules: bool,
    /// Builder of the binary tree: top-down, or ploc (bottom-up, by merging neighbors)
    #[arg(long, value_name = "BUILDER")]
    pub builder: Option<Builder>,
    /// Split rule of a top-down build: the mean, midpoint or median along the longest axis, or sah (the surface area
    /// heuristic) or sah-own-volumes (SAH with the areas of spheres if the tree is of spheres)
    #[arg(long, value_name = "RULE")]
    pub split: Option<SplitRule>,
    /// Maximum number of passes of tree rotations over the binary tree; 5 if given without a number
    #[arg(long, alias = "optimise", value_name = "PASSES", num_args = 0..=1, default_missing_value = "5",
        require_equals = true)]
    pub rotation_passes: Option<u32>,
    /// Rule for the siblings in a wide node: largest-first, or least-volume (summed over all levels; also determines
    /// the leaves)
    #[arg(long, value_name = "WAY")]
    pub collapse: Option<Collapse>,
    /// Fit of oriented boxes: tight, tight-volume, vertex-covariance, surface-covariance, hull-covariance, dito-14,
    /// minimum-volume, best-volume, best-area or axis-aligned
    #[arg(long, value_name = "FIT")]
    pub obb_fit: Option<ObbFit>,
    /// Fit of spheres: smallest-sphere, ritter, epos-6, epos-14, epos-26, epos-98 or aabb-center
    #[arg(long, value_name = "FIT")]
    pub sphere_fit: Option<SphereFit>,
    /// Maximum number of splits between the root and any leaf [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Maximum number of triangles per leaf; exceeded only where triangles cannot be split [default: 2; 1 with --preset
    /// fast, 4 with --preset tight]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub leaf: Option<u32>,
}

impl BuildArgs {
    pub fn options(&self, kind: VolumeKind) -> BuildOptions {
        self.rules.over(self.preset, kind)
    }
}

impl BuildRules {
    /// The preset's options, overridden by those given.
    pub fn over(&self, preset: Preset, kind: VolumeKind) -> BuildOptions {
        let preset = if self.obbtree_rules { Preset::Fast } else { preset }.options(kind);
        BuildOptions {
            kind,
            builder: self.builder.unwrap_or(preset.builder),
            split: self.split.unwrap_or(preset.split),
            rotation_passes: self.rotation_passes.unwrap_or(preset.rotation_passes),
            collapse: self.collapse.unwrap_or(preset.collapse),
            obb_fit: self.obb_fit.unwrap_or(preset.obb_fit),
            sphere_fit: self.sphere_fit.unwrap_or(preset.sphere_fit),
            max_depth: self.max_depth.unwrap_or(preset.max_depth),
            max_leaf_triangles: self.leaf.unwrap_or(preset.max_leaf_triangles),
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

/// Several kinds of reference volumes, which are measured but never stored, in the order given: `hull,kdop26`, or
/// `all`.
#[derive(Clone, Debug)]
pub struct ReferenceVolumes(pub Vec<ReferenceVolume>);

impl FromStr for ReferenceVolumes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        several(text, &ReferenceVolume::ALL).map(Self)
    }
}

/// Parses names separated by commas, or `all`. A repeated name counts once.
fn several<T: FromStr<Err: Display> + Clone + PartialEq>(text: &str, all: &[T]) -> Result<Vec<T>, String> {
    if text == "all" {
        return Ok(all.to_vec());
    }
    let mut chosen = Vec::new();
    for name in text.split(',') {
        let item = name.trim().parse().map_err(|error| format!("{error}, several separated by commas, or all"))?;
        if !chosen.contains(&item) {
            chosen.push(item);
        }
    }
    Ok(chosen)
}

#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// Output format of the rows [default: text on a terminal, else csv]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// SIMD level: portable (or off), simd128, avx2 or avx512 [default: $BVTREE_SIMD, else the best of the CPU]
    #[arg(long, value_name = "LEVEL")]
    simd: Option<SimdLevel>,
}

impl AnswerArgs {
    /// The requested format, or else text on a terminal and CSV elsewhere.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(if io::stdout().is_terminal() { Format::Text } else { Format::Csv })
    }

    /// The SIMD level that the argument or else the environment requests, or else the CPU's best.
    pub fn simd(&self) -> Result<SimdLevel, CliError> {
        chosen_simd(self.simd)
    }
}

#[derive(Debug, Args)]
pub struct SolidArgs {
    /// Whether the meshes are solid, so that a part inside one touches it, at distance 0: no (meshes are surfaces), yes
    /// (an open mesh is an error), if-closed (an open mesh is a surface) or robust (the winding number decides what is
    /// inside an open mesh or, if it is oriented inconsistently, most of 15 rays); or two of these, for A and for B.
    /// Lists of triangles and contacts are always about the surfaces
    #[arg(
        long = "solid",
        value_name = "CHOICE[,CHOICE]",
        value_delimiter = ',',
        hide_possible_values = true,
        default_value = "no"
    )]
    choices: Vec<SolidChoice>,
}

/// A value of `--solid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SolidChoice {
    No,
    Yes,
    #[value(alias = "if_closed")]
    IfClosed,
    Robust,
}

impl SolidArgs {
    /// The choices of `--solid` for A and B; an error if the choice for an open mesh is `yes`, or there are more than
    /// two.
    pub fn choose(&self, trees: [&BvTree; 2], paths: [&Path; 2]) -> Result<[Solid; 2], CliError> {
        let choices = match self.choices[..] {
            [both] => [both; 2],
            [a, b] => [a, b],
            _ => return Err(CliError::new("--solid: expected a choice for both meshes, or one for A and one for B")),
        };
        let mut solids = [Solid::No; 2];
        for (i, choice) in choices.into_iter().enumerate().filter(|(_, choice)| *choice != SolidChoice::No) {
            if choice == SolidChoice::Yes {
                require_closed(
                    trees[i],
                    paths[i],
                    "--solid if-closed takes open meshes as surfaces, --solid robust as solids",
                )?;
            }
            solids[i] = if choice == SolidChoice::Robust { Solid::Robust } else { Solid::IfClosed };
        }
        Ok(solids)
    }
}

/// Returns an error with a hint if the mesh is not closed.
pub fn require_closed(tree: &BvTree, path: &Path, hint: &str) -> Result<(), CliError> {
    if tree.watertightness().is_closed() {
        return Ok(());
    }
    let message = format!("{}: the mesh is not closed, so that nothing is inside it", path.display());
    Err(CliError::new(message).hint(format!("`bvtree info` shows its open edges; {hint}")))
}

/// The environment variable that is read where `--simd` is not given.
const VARIABLE: &str = "BVTREE_SIMD";

fn chosen_simd(argument: Option<SimdLevel>) -> Result<SimdLevel, CliError> {
    let asked = if argument.is_some() { argument } else { from_environment()? };
    match asked {
        None => Ok(SimdLevel::detect()),
        // A build may run other instructions in place of portable code, but every CPU has them.
        Some(level) if level.is_available() || level == SimdLevel::Portable => Ok(level),
        Some(level) => Err(CliError::new(format!("this CPU has no {level}"))
            .hint(format!("the default is its best, {}", SimdLevel::detect()))),
    }
}

fn from_environment() -> Result<Option<SimdLevel>, CliError> {
    let Some(name) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) else { return Ok(None) };
    let level: Result<_, UnknownName> = name.to_string_lossy().parse();
    level.map(Some).map_err(|error| CliError::new(format!("environment variable {VARIABLE}: {error}")))
}

/// Parses a positive whole number into a `NonZero` type.
pub fn parse_positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number, 1 or more".to_owned())
}

pub fn parse_whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

/// Two names separated by a comma.
#[derive(Clone, Debug)]
pub struct NamePair(pub [String; 2]);

impl FromStr for NamePair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (a, b) = text.split_once(',').ok_or("expected two names separated by a comma")?;
        Ok(Self([a, b].map(|name| name.trim().to_owned())))
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Up {
    Y,
    Z,
}

/// Which name of a triangle's group is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupNames {
    /// Objects, groups and nodes; of a tree that was cooked with --group-by material, materials
    Object,
    /// Materials; a cooked tree has them beside objects if it was cooked with --group-by both
    Material,
}

impl GroupNames {
    /// The name for a triangle; `None` if it has none.
    pub fn of(self, tree: &BvTree, face: u32) -> Option<&str> {
        let group = tree.group_of(face)?;
        match self {
            Self::Object => Some(&group.name),
            Self::Material => Some(&*group.material).filter(|name| !name.is_empty()),
        }
    }

    /// The names for the triangles of a pair.
    pub fn of_pair(self, [a, b]: [&BvTree; 2], faces: FacePair) -> [Option<&str>; 2] {
        [self.of(a, faces.face_a), self.of(b, faces.face_b)]
    }

    /// An error if materials are requested and no triangle has one.
    pub fn check<'a>(names: Option<Self>, trees: impl IntoIterator<Item = &'a BvTree>) -> Result<(), CliError> {
        let has_materials = |tree: &BvTree| tree.groups().iter().any(|group| !group.material.is_empty());
        if names != Some(Self::Material) || trees.into_iter().any(has_materials) {
            return Ok(());
        }
        let hint = "cook meshes with --group-by both; --groups alone names the materials of --group-by material";
        Err(CliError::new("--groups=material: no triangle has a material beside its group").hint(hint))
    }
}
