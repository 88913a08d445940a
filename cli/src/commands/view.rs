//! `bvtree view`: a page that shows one tree, or two posed meshes and where they intersect, in 3D.

use std::path::{Path, PathBuf};

use bvtree::mesh::ReadOptions;
use bvtree::query::FacePair;
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use clap::Args;
use serde_json::{Value, json};

use crate::args::{BuildArgs, Up, VolumeKinds, parse_whole};
use crate::commands::export::stem;
use crate::error::{CliError, printable};
use crate::input::InputKind;
use crate::output::digits;
use crate::page::VIEW;
use crate::page::scene::{Limits, Part, palette, scene};
use crate::poses::{PoseArgs, Poses};
use crate::{atomic_write, input};

/// Write a page that shows a tree, or two posed meshes, in 3D
///
/// The page is one self-contained HTML file that any browser opens, also offline. For one tree it shows the mesh with
/// the volumes of any level; for two it shows A, and B at its pose, with the intersecting triangles highlighted. A and
/// B are cooked trees (.bvt) or meshes (OBJ, STL, PLY, OFF or glTF), for which trees are built in memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ViewArgs {
    /// The fixed tree or mesh
    a: PathBuf,
    /// The tree or mesh that is placed in A's frame by the pose
    b: Option<PathBuf>,
    /// The page to write, `-` for stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Pose of B, from a CSV file as for `query --poses`
    #[arg(long, value_name = "FILE", requires = "b", conflicts_with_all = ["translate", "rotate"])]
    poses: Option<PathBuf>,
    /// Row of the pose file, counted from 0
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, requires = "poses", default_value_t = 0)]
    row: usize,
    #[command(flatten)]
    pose: PoseArgs,
    /// Up axis [default: y for glTF, else z]
    #[arg(long, value_enum, allow_hyphen_values = true)]
    up: Option<Up>,
    /// Volume kinds to build trees of: aabb, obb, sphere, kdop, several separated by commas, or all [default: a cooked
    /// tree's, else all]
    #[arg(long, alias = "volume", value_name = "KINDS", help_heading = "Build options")]
    kind: Option<VolumeKinds>,
    #[command(flatten)]
    build: BuildArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree view gear.obj -o gear.html
  bvtree view cooked/gear.obb.bvt -o gear.html
  bvtree view gear.obj gear.obj --translate 40,0,0 --rotate 0,0,1,3 -o gears.html
  bvtree view gear.obb.bvt bolt.obb.bvt --poses poses.csv --row 7 -o contact.html

Meshes of more than 200,000 triangles are simplified for display, and levels
are shown up to 20,000 volumes in total; the page says so. Intersections are
computed with the original mesh.";

const LIMITS: Limits = Limits { triangles: 200_000, volumes: 20_000, highlighted: 100_000, owners: true };

/// The level that a page opens with.
const FIRST_LEVEL: u32 = 2;

/// A mesh with its trees.
struct Model {
    name: String,
    mesh: Mesh,
    trees: Vec<BvTree>,
}

pub fn run(args: &ViewArgs, quiet: bool) -> Result<(), CliError> {
    if !atomic_write::is_stdout(&args.output) {
        let inputs = std::iter::once(&args.a).chain(&args.b).chain(&args.poses).map(PathBuf::as_path);
        atomic_write::check(&[&args.output], &inputs.collect::<Vec<_>>())?;
    }
    let pose = pose(args)?;
    let (a, b) = open(args)?;
    let mut part_a = part(&a);
    let (title, summary, parts) = match &b {
        None => (a.name.clone(), json!([[format!("{} triangles", a.mesh.triangles().len()), ""]]), vec![part_a]),
        Some(b) => {
            let b = b.as_ref().unwrap_or(&a);
            // Poses are in the frames of the source files.
            let pose = pose.with_origins(&a.mesh.origin(), &b.mesh.origin());
            let mut part_b = part(b);
            part_b.pose(&pose);
            let summary = meet(&a, b, &pose, &mut part_a, &mut part_b);
            (format!("{} and {}", a.name, b.name), summary, vec![part_a, part_b])
        }
    };
    let data = json!({
        "title": title,
        "summary": summary,
        "palette": palette(),
        "start": start(&a, b.is_some()),
        "scene": scene(parts, args.up.unwrap_or_else(|| up_of(&args.a))),
    });
    let html = VIEW.html(&format!("{title} - bvtree"), &data);
    atomic_write::write(&args.output, "the page", html.as_bytes())?;
    if !quiet {
        eprintln!("wrote {}: {} kB", printable(&args.output.to_string_lossy()), html.len().div_ceil(1000));
    }
    Ok(())
}

/// The default up axis of a file, by its extension.
fn up_of(path: &Path) -> Up {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("gltf" | "glb") => Up::Y,
        _ => Up::Z,
    }
}

/// The initial view: two meshes are shown without volumes, which would hide where they meet.
fn start(a: &Model, two: bool) -> Value {
    let kind = a.trees.iter().map(|tree| tree.kind().name()).find(|&kind| kind == "obb");
    let looks = if two { json!({"look": "clear", "volumes": false}) } else { json!({}) };
    json!({"kind": kind, "level": FIRST_LEVEL, "looks": looks})
}

fn pose(args: &ViewArgs) -> Result<Pose, CliError> {
    let Some(path) = &args.poses else { return args.pose.pose() };
    let rows = Poses::read(path)?.rows;
    rows.get(args.row).map(|row| row.pose).ok_or_else(|| {
        let message = format!("{} has no row {}: there are {} poses", path.display(), args.row, rows.len());
        CliError::new(message).hint("rows are counted from 0")
    })
}

/// Opens A and, if it is given, B, which is `Some(None)` if its path is that of A. Both have trees of the same kinds.
fn open(args: &ViewArgs) -> Result<(Model, Option<Option<Model>>), CliError> {
    let Some(b) = &args.b else { return Ok((model(args, &args.a, None)?, None)) };
    if *b == args.a {
        return Ok((model(args, &args.a, None)?, Some(None)));
    }
    // The cooked tree is opened first, because the other is built to match it.
    if InputKind::of(&args.a)? == InputKind::Mesh && InputKind::of(b)? == InputKind::Cooked {
        let b = model(args, b, None)?;
        return Ok((model(args, &args.a, Some(kinds(&b)))?, Some(Some(b))));
    }
    let a = model(args, &args.a, None)?;
    let model_b = model(args, b, Some(kinds(&a)))?;
    if kinds(&a) != kinds(&model_b) {
        let message = format!("{} and {} hold trees of different kinds", args.a.display(), b.display());
        return Err(
            CliError::new(message).hint("the page shows both meshes' volumes of one kind at a time: cook both with it")
        );
    }
    Ok((a, Some(Some(model_b))))
}

fn kinds(model: &Model) -> Vec<VolumeKind> {
    model.trees.iter().map(BvTree::kind).collect()
}

/// Opens a cooked tree with its mesh, or builds trees of a mesh: of the requested kinds, or else the other model's
/// kinds, or else all kinds.
fn model(args: &ViewArgs, path: &Path, other: Option<Vec<VolumeKind>>) -> Result<Model, CliError> {
    let name = stem(path);
    let asked = args.kind.as_ref().map(|VolumeKinds(kinds)| kinds.clone());
    if InputKind::of(path)? == InputKind::Cooked {
        let only = match asked.as_deref() {
            None => None,
            Some(&[kind]) => Some(kind),
            Some(_) => {
                let message = format!("{} is a cooked tree: it has one kind of volume", path.display());
                return Err(CliError::new(message).hint("give the mesh, or leave --kind out"));
            }
        };
        let tree = input::open_cooked_of(path, only)?;
        if tree.triangle_count() == 0 {
            return Err(CliError::new(format!("{} has no triangles: there is nothing to view", path.display())));
        }
        let mesh = tree.to_mesh();
        let mesh = mesh.map_err(|error| CliError::caused(format!("cannot read {}", path.display()), &error))?;
        return Ok(Model { name, mesh, trees: vec![tree] });
    }
    let mesh = input::load_mesh(path, &ReadOptions::default())?;
    let kinds = asked.or(other).unwrap_or_else(|| VolumeKind::ALL.to_vec());
    let trees = kinds.iter().map(|&kind| input::build(path, &mesh, &args.build.options(kind)).map(|(tree, _)| tree));
    let trees = trees.collect::<Result<_, _>>()?;
    Ok(Model { name, mesh, trees })
}

fn part(model: &Model) -> Part {
    let mut part = Part::new(&model.name, &model.mesh, LIMITS);
    for tree in &model.trees {
        part.add_tree(tree, "");
    }
    part
}

/// Highlights the triangles that intersect and returns a summary of the contact.
fn meet(a: &Model, b: &Model, pose: &Pose, part_a: &mut Part, part_b: &mut Part) -> Value {
    let (Some(tree_a), Some(tree_b)) = (a.trees.first(), b.trees.first()) else { return json!([]) };
    let mut query = Query::new();
    let pairs: Vec<FacePair> = query.intersecting_pairs(tree_a, tree_b, pose);
    if pairs.is_empty() {
        let apart = query.distance(tree_a, tree_b, pose).map_or(f64::INFINITY, |answer| answer.distance);
        return json!([["No triangles touch: ", ""], [format!("{} apart", digits(apart)), "strong"], [".", ""]]);
    }
    let faces_a = distinct(pairs.iter().map(|pair| pair.face_a));
    let faces_b = distinct(pairs.iter().map(|pair| pair.face_b));
    part_a.highlight(&a.mesh, &faces_a);
    part_b.highlight(&b.mesh, &faces_b);
    let pairs = count(pairs.len(), "pair of triangles intersects", "pairs of triangles intersect");
    let [name_a, name_b] = if a.name == b.name { ["the first", "the second"] } else { [a.name.as_str(), &b.name] };
    let faces = format!(": {} of {name_a}'s and {} of {name_b}'s.", faces_a.len(), faces_b.len());
    json!([[pairs, "touching"], [faces, ""]])
}

fn distinct(faces: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut faces: Vec<u32> = faces.collect();
    faces.sort_unstable();
    faces.dedup();
    faces
}

fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
