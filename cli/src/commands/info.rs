//! `bvtree info`: describes cooked trees and meshes.

use std::fs;
use std::path::{Path, PathBuf};

use bvtree::cook::{FORMAT_VERSION, FileSections};
use bvtree::mesh::{GroupIds, ReadOptions};
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, Builder, BvTree, Mesh, VolumeKind};
use clap::Args;
use nalgebra::Point3;
use serde_json::{Map, Value};

use crate::error::CliError;
use crate::input;
use crate::input::InputKind;
use crate::output::{Format, Layout, Table, object};

/// Describe cooked trees and meshes
///
/// Prints the build options, counts, bounds and sizes of a cooked tree (.bvt), and the parts and defects of a mesh
/// (OBJ, STL, PLY, OFF or glTF). A tree and the mesh that it was cooked from have the same mesh digest, unless options
/// of `cook` changed the mesh.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    /// Cooked trees and meshes
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also check that every volume of a tree encloses all triangles below it
    #[arg(long)]
    verify: bool,
    /// Output format; CSV and JSON have the same keys for trees and meshes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bvtree info gear.obj
  bvtree info cooked/*.bvt --verify
  bvtree info cooked/gear.obb.bvt --format json

A cooked file is always checked for damage when it is opened; with --verify its tree is checked against its triangles.";

pub fn run(args: &InfoArgs) -> Result<(), CliError> {
    let mut table = Table::new(args.format, &COLUMNS, Layout::Paragraphs);
    let mut any_failed = false;
    for file in &args.files {
        match facts(file, args.verify) {
            Ok(facts) => table.row(facts)?,
            Err(error) => {
                error.report_and_go_on()?;
                any_failed = true;
            }
        }
        table.flush()?;
    }
    table.finish()?;
    if any_failed { Err(CliError::Reported) } else { Ok(()) }
}

/// The columns of all facts; some apply to trees only, some to meshes only.
const COLUMNS: [&str; 46] = [
    "file",
    "type",
    "triangles",
    "groups",
    "lower",
    "upper",
    "mesh_digest",
    "bytes",
    "bytes_per_triangle",
    "format_version",
    "encoding",
    "volume",
    "builder",
    "split",
    "rotation_passes",
    "collapse",
    "obb_fit",
    "sphere_fit",
    "max_depth",
    "max_leaf_triangles",
    "nodes",
    "leaves",
    "depth",
    "split_depth",
    "leaf_triangles_max",
    "nodes_bytes",
    "vertices_bytes",
    "corners_bytes",
    "faces_bytes",
    "polygons_bytes",
    "groups_bytes",
    "verified",
    "vertices",
    "distinct_vertices",
    "zero_area_triangles",
    "duplicate_triangles",
    "open_edges",
    "non_manifold_edges",
    "inconsistent_edges",
    "components",
    "closed",
    "edge_manifold",
    "geometry_digest",
    "origin",
    "group_names",
    "materials",
];

/// The facts of a file by column; null where a column does not apply.
fn facts(file: &Path, verify: bool) -> Result<Vec<Value>, CliError> {
    let mut facts = match InputKind::of(file)? {
        InputKind::Cooked => tree_facts(file, &input::open_cooked(file)?, verify)?,
        InputKind::Mesh => mesh_facts(&input::load_mesh(file, &ReadOptions::default())?),
    };
    facts.insert("file".into(), file.display().to_string().into());
    if !input::is_read_once(file) {
        facts.insert("bytes".into(), file_size(file)?.into());
    }
    Ok(COLUMNS.iter().map(|&column| facts.remove(column).unwrap_or(Value::Null)).collect())
}

fn tree_facts(file: &Path, tree: &BvTree, verify: bool) -> Result<Map<String, Value>, CliError> {
    if verify
        && let defects = tree.validate()
        && let Some(first) = defects.first()
    {
        let others =
            if defects.len() > 1 { format!(" (and {} more defects)", defects.len() - 1) } else { String::new() };
        return Err(CliError::new(format!("{} is not a sound tree: {first}{others}", file.display())));
    }
    let options = tree.options();
    let max_depth = (options.max_depth != BuildOptions::default().max_depth).then_some(options.max_depth);
    let sections = FileSections::read(file).map_err(|error| input::cannot_open(&error))?;
    let sizes = sections.sizes.map(|(section, bytes)| (format!("{section}_bytes"), Value::from(bytes)));
    let bytes = file_size(file)?;
    let bytes_per_triangle = (tree.triangle_count() > 0).then(|| bytes as f64 / tree.triangle_count() as f64);
    let facts = [
        ("type", "tree".into()),
        ("triangles", tree.triangle_count().into()),
        ("groups", tree.groups().len().into()),
        ("lower", corner(tree.bounds(), &tree.bounds().lower)),
        ("upper", corner(tree.bounds(), &tree.bounds().upper)),
        ("mesh_digest", digest(tree.mesh_digest())),
        ("origin", origin(tree.origin())),
        ("format_version", FORMAT_VERSION.into()),
        ("encoding", sections.encoding.name().into()),
        ("volume", tree.kind().name().into()),
        ("builder", options.builder.name().into()),
        ("split", (options.builder == Builder::TopDown).then(|| options.split.name()).into()),
        ("rotation_passes", options.rotation_passes.into()),
        ("collapse", options.collapse.name().into()),
        ("obb_fit", (tree.kind() == VolumeKind::Obb).then(|| options.obb_fit.name()).into()),
        ("sphere_fit", (tree.kind() == VolumeKind::Sphere).then(|| options.sphere_fit.name()).into()),
        ("max_depth", max_depth.into()),
        ("max_leaf_triangles", options.max_leaf_triangles.into()),
        ("nodes", tree.node_count().into()),
        ("leaves", tree.leaf_count().into()),
        ("depth", tree.depth().into()),
        ("split_depth", tree.split_depth().into()),
        ("leaf_triangles_max", tree.leaf_triangles_max().into()),
        ("bytes_per_triangle", bytes_per_triangle.into()),
        ("verified", verify.then_some(true).into()),
        ("group_names", distinct(&tree.group_ids())),
        ("materials", distinct(&tree.material_ids())),
    ];
    Ok(object(facts.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(sizes)))
}

fn mesh_facts(mesh: &Mesh) -> Map<String, Value> {
    let report = mesh.report();
    let bounds = mesh.aabb();
    let facts = [
        ("type", "mesh".into()),
        ("triangles", report.triangles.into()),
        ("groups", mesh.groups().len().into()),
        ("lower", corner(&bounds, &bounds.lower)),
        ("upper", corner(&bounds, &bounds.upper)),
        ("mesh_digest", digest(mesh.digest())),
        ("origin", origin(mesh.origin())),
        ("vertices", report.vertices.into()),
        ("distinct_vertices", report.distinct_vertices.into()),
        ("zero_area_triangles", report.zero_area_triangles.into()),
        ("duplicate_triangles", report.duplicate_triangles.into()),
        ("open_edges", report.open_edges.into()),
        ("non_manifold_edges", report.non_manifold_edges.into()),
        ("inconsistent_edges", report.inconsistent_edges.into()),
        ("components", report.components.into()),
        ("closed", report.is_closed().into()),
        ("edge_manifold", report.is_edge_manifold().into()),
        ("geometry_digest", digest(mesh.geometry_digest())),
        ("group_names", distinct(&mesh.group_ids())),
    ];
    object(facts)
}

/// The number of distinct names, not counting the empty one.
fn distinct(ids: &GroupIds) -> Value {
    ids.names.iter().filter(|name| !name.is_empty()).count().into()
}

fn file_size(file: &Path) -> Result<u64, CliError> {
    Ok(fs::metadata(file).map_err(|error| input::cannot_read(file, &error))?.len())
}

/// The x, y and z of a corner of a box; null if the box is empty.
fn corner(bounds: &Aabb, corner: &Point3<f64>) -> Value {
    if bounds.is_empty() { Value::Null } else { corner.iter().copied().collect() }
}

/// The mesh's origin in its source's frame; null if it is zero.
fn origin(origin: Point3<f64>) -> Value {
    if origin == Point3::origin() { Value::Null } else { origin.iter().copied().collect() }
}

/// The digest as 32 hexadecimal digits.
pub fn digest(digest: u128) -> Value {
    format!("{digest:032x}").into()
}
