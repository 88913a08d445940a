//! The arguments of `bvtree cook`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bvtree::mesh::{GroupBy, MeshFormat, Origin, UpAxis};
use bvtree::{BuildOptions, Preset};
use clap::Args;

use crate::args::{BuildRules, VolumeKinds, parse_positive, parse_whole};
use crate::commands::cook::parts::Collision;
use crate::commands::cook::settings::{Settings, parse_origin, parse_scale, parse_size};
use crate::output::Format;

/// Build trees of meshes and write them as .bvt files
///
/// Writes DIR/STEM.KIND.bvt for each mesh (OBJ, STL, PLY, OFF or glTF) and each volume kind; STEM is the name of the
/// mesh file without its extension. Equal meshes and options give equal bytes on every machine and for any number of
/// threads. Meshes that have not changed since they were cooked with the same options are skipped.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CookArgs {
    /// Mesh files, folders (all meshes below them, whose folders are recreated below DIR), globs, or `-` for stdin
    #[arg(required_unless_present = "manifest", value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// TOML file that lists assets, with options for all of them and for each; options on the command line take
    /// precedence
    #[arg(short, long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Folder for the cooked files; created if missing [default with --manifest: the manifest's `output`]
    #[arg(short, long, value_name = "DIR", required_unless_present = "manifest")]
    pub output: Option<PathBuf>,
    /// Write NAME.EXTENSION.KIND.bvt, for folders that have both gear.obj and gear.stl
    #[arg(long)]
    keep_extensions: bool,
    /// Output format of the list of cooked files
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub runs: RunArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Volume kinds: aabb, obb, sphere, kdop, several separated by commas, or all [default: obb]
    #[arg(long, alias = "volume", value_name = "KINDS", help_heading = "Build options")]
    kind: Option<VolumeKinds>,
    /// Preset for all build options below; an option that is given overrides it. fast: the rules of OBBTree, fastest to
    /// build; balanced: faster queries; tight: least volume at every level, slow to build [default: balanced]
    #[arg(long, value_name = "PRESET", help_heading = "Build options")]
    preset: Option<Preset>,
    #[command(flatten)]
    rules: BuildRules,
    /// Cook an STL or PLY file in tiles, within about this much memory, if it would need more by the estimate of
    /// --max-memory. The tree gives the same answers; its bytes depend on SIZE, too. Temporary files next to the output
    /// take up to 60 bytes per triangle [default: whole meshes in memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Build options")]
    memory: Option<u64>,
    /// Write compact files, of about 10 bytes per triangle in place of 40 to 70, for downloads and packages. They give
    /// the same answers at the same speed, but take about half the time of a build to open, and memory of their own
    #[arg(long, help_heading = "Build options")]
    compact: bool,
}

/// The options that decide which assets are cooked, and how the run proceeds.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs")]
pub struct RunArgs {
    /// Cook all assets, including unchanged ones
    #[arg(long)]
    pub force: bool,
    /// Write nothing; list the stale assets, and exit with 1 if there are any
    #[arg(long, conflicts_with = "force")]
    pub check: bool,
    /// Write nothing; list the assets that would be cooked
    #[arg(long, conflicts_with = "check")]
    pub dry_run: bool,
    /// Remove cooked files whose inputs no longer exist or are no longer among the inputs, and those of an asset's
    /// earlier groups and kinds
    #[arg(long)]
    pub prune: bool,
    /// Stop at the first asset that fails [default: cook the others and list the failures at the end]
    #[arg(long)]
    pub fail_fast: bool,
    /// Number of assets to cook at once, at most 16 or four per core, whichever is greater [default: the number of
    /// threads]
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroUsize>)]
    pub jobs: Option<NonZeroUsize>,
    /// Memory for the assets that are cooked at once, as estimated from file sizes and triangle counts; an asset that
    /// needs more is refused [default: 2G; an asset that needs more is cooked alone]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<u64>,
    /// Write the dependencies of each cooked file, as make and ninja read them
    #[arg(long, value_name = "FILE")]
    pub depfile: Option<PathBuf>,
    /// Write the outcome for each asset as a line of JSON, with the defects of its mesh
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// The options for reading meshes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Format of the meshes: obj, stl, ply, off or gltf [default: detected from content and name]
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<MeshFormat>,
    /// Up axis of the files, x, y or z: meshes are rotated so that z points up [default: no rotation]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Factor that multiplies coordinates; 0.001 converts millimetres to metres
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale)]
    scale: Option<f64>,
    /// Point that becomes the origin of the mesh, after --up and --scale, for meshes far from zero; auto: the first
    /// vertex, rounded. The cooked file stores it in f64
    #[arg(long, value_name = "X,Y,Z|auto", value_parser = parse_origin, allow_hyphen_values = true)]
    origin: Option<Origin>,
    /// Whether to merge vertices with equal coordinates; answers do not depend on it [default: for STL only]
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    weld: Option<bool>,
    /// Source of groups: object (objects and groups of OBJ, solids of STL, nodes of glTF), material,
    /// or both, objects with their materials [default: object]
    #[arg(long, value_name = "WHAT")]
    group_by: Option<GroupBy>,
    /// Leave out groups whose names match the pattern (with * and ?); can be given several times
    #[arg(long, value_name = "PATTERN")]
    skip_groups: Vec<glob::Pattern>,
    /// Of groups and of files with levels of detail (names that end in _LOD0, _lod1), cook only level N
    #[arg(long, value_name = "N")]
    lod: Option<u32>,
    /// What to do with groups and files named as collision meshes (with the prefix UCX_, UBX_, UCP_ or USP_, or the
    /// suffix _col, -col or -colonly)
    #[arg(long, value_name = "WHAT")]
    collision: Option<Collision>,
    /// Leave out triangles without area; the other triangles keep their polygon numbers, but not their face numbers
    #[arg(long)]
    drop_zero_area: bool,
    /// Write a tree for each group, STEM.GROUP.KIND.bvt, instead of one tree
    #[arg(long, visible_alias = "split-groups")]
    by_group: bool,
    /// Refuse meshes with more triangles
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    max_triangles: Option<usize>,
    /// Refuse larger files; SIZE is in bytes, or has a suffix, as in 500M
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_bytes: Option<u64>,
}

impl CookArgs {
    /// The settings for assets from the command line.
    pub fn settings(&self) -> Settings {
        let (read, rules) = (&self.read, &self.rules);
        let mut settings = Settings {
            kind: self.kind.as_ref().map(|VolumeKinds(kinds)| kinds.clone()),
            preset: if rules.obbtree_rules { Some(Preset::Fast) } else { self.preset },
            builder: rules.builder,
            split: rules.split,
            rotation_passes: rules.rotation_passes,
            collapse: rules.collapse,
            obb_fit: rules.obb_fit,
            sphere_fit: rules.sphere_fit,
            max_depth: rules.max_depth,
            leaf: rules.leaf,
            input_format: read.input_format,
            scale: read.scale,
            up: read.up,
            origin: read.origin,
            weld: read.weld,
            group_by: read.group_by,
            skip_groups: (!read.skip_groups.is_empty()).then(|| read.skip_groups.clone()),
            lod: read.lod,
            collision: read.collision,
            drop_zero_area: read.drop_zero_area.then_some(true),
            by_group: read.by_group.then_some(true),
            keep_extensions: self.keep_extensions.then_some(true),
            compact: self.compact.then_some(true),
            max_triangles: read.max_triangles,
            max_bytes: read.max_bytes,
            memory: self.memory,
        };
        if rules.obbtree_rules {
            // All of these are set, so that they override a manifest's.
            let BuildOptions { builder, split, rotation_passes, collapse, obb_fit, sphere_fit, .. } =
                Preset::Fast.options(BuildOptions::default().kind);
            settings.builder = Some(builder);
            settings.split = Some(split);
            settings.rotation_passes = Some(rotation_passes);
            settings.collapse = Some(collapse);
            settings.obb_fit = Some(obb_fit);
            settings.sphere_fit = Some(sphere_fit);
        }
        settings
    }
}

const EXAMPLES: &str = "\
Examples:
  bvtree cook gear.obj -o cooked
  bvtree cook assets -o cooked --kind all
  bvtree cook 'parts/**/*.stl' -o cooked --scale 0.001 --check
  bvtree cook scan.ply -o cooked --memory 4G
  bvtree cook --manifest assets.toml --depfile cooked.d --report cooked.jsonl
  bvtree cook terrain.obj -o cooked --kind aabb --split median --leaf 4 --format json

A manifest has output = \"cooked\", [defaults], and an [[asset]] for each input
with input = \"props/*.glb\", folder = \"props\" (below the output) and any of
kind, preset, builder, split, rotation-passes, collapse, obb-fit, sphere-fit,
max-depth, leaf, input-format, up, scale, origin, weld, group-by, skip-groups,
lod, collision, drop-zero-area, by-group, keep-extensions, compact,
max-triangles, max-bytes, memory. Paths are relative to the manifest.

DIR/.bvtree-cook.jsonl records each asset with a digest of its input, its options
and the program's version. An asset is cooked again when the digest changes, or
when a cooked file is missing or modified.

Build seconds count from the mesh in memory to the tree ready for queries,
without reading or writing. Notes on stderr report unusual input, such as
zero-area triangles and open edges; no triangle is dropped unless asked for. If several meshes
are unusual, one note has the totals, and --report FILE has each mesh's counts.";
