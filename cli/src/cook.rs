//! `bvtree cook`: mesh files in, a cooked tree for each mesh and kind out.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bvtree::cook::CookError;
use bvtree::mesh::MeshReport;
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use clap::Args;
use serde_json::Value;

use super::build_args::{BuildArgs, VolumeKinds};
use super::error::CliError;
use super::info::digest;
use super::input::{self, InputKind};
use super::output::{Format, Layout, Table};
use super::progress::Progress;
use super::timed::Timed;
use super::whole_file;

/// Build trees of meshes and write them as .bvt files
///
/// Writes DIR/STEM.KIND.bvt for each mesh (OBJ, STL, PLY, OFF or glTF) and each volume kind, STEM being the mesh's file name without its extension. Equal
/// meshes and options give equal bytes, whatever the machine and the number of threads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CookArgs {
    /// Mesh files
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Folder for the cooked files; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How the list of what was cooked is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Volume kinds: aabb, obb, sphere, several with commas between, or all
    #[arg(long, value_name = "KINDS", default_value = "obb", help_heading = "Build options")]
    volume: VolumeKinds,
    #[command(flatten)]
    build: BuildArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree cook gear.obj -o cooked
  bvtree cook *.obj -o cooked --volume all
  bvtree cook terrain.obj -o cooked --volume aabb --split median --leaf 4 --format json

Build seconds are from the mesh in memory to the tree ready to be queried,
without any reading or writing. What may surprise in a mesh (zero-area
triangles, open edges and the like) is noted on stderr; nothing is dropped.";

const COLUMNS: [&str; 16] = [
    "input",
    "output",
    "volume",
    "split",
    "triangles",
    "nodes",
    "leaves",
    "depth",
    "split_depth",
    "leaf_triangles_max",
    "bytes",
    "bytes_per_triangle",
    "parse_seconds",
    "build_seconds",
    "write_seconds",
    "mesh_digest",
];
const TEXT_COLUMNS: [&str; 9] = [
    "output",
    "triangles",
    "nodes",
    "depth",
    "leaf_triangles_max",
    "bytes",
    "bytes_per_triangle",
    "parse_seconds",
    "build_seconds",
];

pub fn run(args: &CookArgs, quiet: bool) -> Result<(), CliError> {
    let stems = distinct_stems(&args.inputs)?;
    fs::create_dir_all(&args.output)
        .map_err(|error| CliError::caused(format!("cannot make the folder {}", args.output.display()), &error))?;

    let mut table = Table::new(args.format, &COLUMNS, Layout::Columns(&TEXT_COLUMNS));
    let kinds = &args.volume.0;
    let mut progress = Progress::new(args.inputs.len() * kinds.len(), quiet, args.format);
    let mut any_failed = false;
    for (input, stem) in args.inputs.iter().zip(&stems) {
        if let Err(error) = cook(args, input, stem, quiet, &mut table, &mut progress) {
            progress.suspend(|| error.report_and_go_on())?;
            any_failed = true;
        }
        table.flush()?;
    }
    drop(progress);
    table.finish()?;
    if any_failed { Err(CliError::Reported) } else { Ok(()) }
}

/// Cooks one mesh, one kind after the other, so that only one tree is in memory at a time, and that in parts.
fn cook(
    args: &CookArgs,
    input: &Path,
    stem: &str,
    quiet: bool,
    table: &mut Table,
    progress: &mut Progress,
) -> Result<(), CliError> {
    if InputKind::of(input)? == InputKind::Cooked {
        return Err(CliError::new(format!("{} is a cooked tree already: expected a mesh", input.display())));
    }
    let (mesh, parse_time) = input::load_mesh(input)?;
    for &kind in &args.volume.0 {
        let output = args.output.join(file_name(stem, kind));
        let (tree, [build_time, write_time]) = cook_file(input, &mesh, &args.build.options(kind), &output)?;
        let bytes = fs::metadata(&output).map_err(|error| input::cannot_read(&output, &error))?.len();
        table.row(row(input, &output, &tree, bytes, [parse_time, build_time, write_time]))?;
        progress.advance(1, stem);
    }
    // Last, for allocators keep some of the memory that a report takes.
    if !quiet && let Some(note) = note(&mesh.report()) {
        progress.suspend(|| eprintln!("note: {}: {note}", input.display()));
    }
    Ok(())
}

fn file_name(stem: &str, kind: VolumeKind) -> String {
    format!("{stem}.{kind}.bvt")
}

/// Builds a tree straight into its file, and opens that: the tree, how long building it took, and how long the file.
fn cook_file(
    input: &Path,
    mesh: &Mesh,
    options: &BuildOptions,
    output: &Path,
) -> Result<(BvTree, [Duration; 2]), CliError> {
    let began = Instant::now();
    let built = whole_file::write_by(output, |file| {
        let mut writer = Timed::new(file);
        let began = Instant::now();
        BvTree::cook_to(mesh, options, &mut writer)?;
        Ok(began.elapsed() - writer.spent)
    })
    .map_err(|error| match error {
        CookError::Build(error) => CliError::caused(format!("cannot build a tree of {}", input.display()), &error),
        error => CliError::caused(format!("cannot write the tree to {}", output.display()), &error),
    })?;
    let tree = input::open_just_cooked(output)?;
    Ok((tree, [built, began.elapsed() - built]))
}

fn row(input: &Path, output: &Path, tree: &BvTree, bytes: u64, [parse, build, write]: [Duration; 3]) -> Vec<Value> {
    vec![
        input.display().to_string().into(),
        output.display().to_string().into(),
        tree.kind().name().into(),
        tree.options().split.name().into(),
        tree.triangle_count().into(),
        tree.node_count().into(),
        tree.leaf_count().into(),
        tree.depth().into(),
        tree.split_depth().into(),
        tree.leaf_triangles_max().into(),
        bytes.into(),
        (bytes as f64 / tree.triangle_count() as f64).into(),
        parse.as_secs_f64().into(),
        build.as_secs_f64().into(),
        write.as_secs_f64().into(),
        digest(tree.mesh_digest()),
    ]
}

/// The inputs' file names without extension: all different, for they name the outputs.
fn distinct_stems(inputs: &[PathBuf]) -> Result<Vec<String>, CliError> {
    let mut firsts: HashMap<String, &Path> = HashMap::new();
    let mut stems = Vec::new();
    for input in inputs {
        let stem = input.file_stem().ok_or_else(|| CliError::new(format!("{} is no file", input.display())))?;
        let stem = stem.to_string_lossy().into_owned();
        if let Some(first) = firsts.insert(stem.clone(), input) {
            let message =
                format!("{} and {} would both be cooked to {stem}.KIND.bvt", first.display(), input.display());
            return Err(CliError::new(message).hint("rename one, or cook them into different folders"));
        }
        stems.push(stem);
    }
    Ok(stems)
}

/// The counts that are not as in a clean mesh, if there are any.
fn note(report: &MeshReport) -> Option<String> {
    let counts = [
        (report.zero_area_triangles, "zero-area triangles"),
        (report.duplicate_triangles, "duplicate triangles"),
        (report.open_edges, "open edges"),
        (report.non_manifold_edges, "non-manifold edges"),
        (report.inconsistent_edges, "edges with inconsistent normals"),
    ];
    let found: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!found.is_empty()).then(|| found.join(", "))
}
