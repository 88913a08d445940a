//! `bvtree export`: a tree's volumes at a level, with the mesh, as a 3D model.

mod glb;
mod model;
mod obj;

use std::path::{Path, PathBuf};

use bvtree::VolumeKind;
use bvtree::tree::NodeInfo;
use clap::Args;

use super::error::CliError;
use super::palette::shades;
use super::solid::{Solid, cut};
use super::tree_args::TreeArgs;
use super::up_axis::Up;
use super::whole_file;
use model::{Model, Part};

/// Write the volumes of a tree's level, with the mesh, as a 3D model
///
/// A level holds the tree's volumes so far below the root, and the leaves that end further up, so that it always covers
/// the mesh. Each volume is an object of its own, named `KIND LEVEL.NUMBER` and coloured. TREE is a cooked tree (.bvt)
/// or a mesh (OBJ, STL, PLY, OFF or glTF), of which a tree is built in memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// A cooked tree or a mesh
    tree: PathBuf,
    /// The model to write: .glb (glTF 2.0) or .obj (with a .mtl beside it); `-` for .glb on stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The level: 0 for the root's volume, each level dividing by up to eight
    #[arg(long, value_name = "N", default_value_t = 2)]
    depth: u32,
    /// The mesh's axis that points up; glTF has y there, to which the model is turned
    #[arg(long, value_enum, default_value_t = Up::Z)]
    up: Up,
    /// Leave the mesh out
    #[arg(long)]
    no_mesh: bool,
    #[command(flatten)]
    trees: TreeArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree export cooked/gear.obb.bvt --depth 3 -o gear.glb
  bvtree export gear.obj --volume sphere --depth 2 -o spheres.obj

.glb opens in Blender (File, Import, glTF 2.0), in web viewers and in Windows'
3D Viewer; .obj in nearly everything, in the mesh's own coordinates.";

pub fn run(args: &ExportArgs, quiet: bool) -> Result<(), CliError> {
    let to_stdout = whole_file::is_stdout(&args.output);
    let write = match args.output.extension().map(|extension| extension.to_ascii_lowercase()) {
        _ if to_stdout => glb::files,
        Some(extension) if extension == "glb" => glb::files,
        Some(extension) if extension == "obj" => obj::files,
        _ => {
            let message = format!("{}: no model format has that name", args.output.display());
            return Err(CliError::new(message).hint("name the output .glb or .obj"));
        }
    };
    if !to_stdout {
        whole_file::check(&args.output, &[&args.tree])?;
    }
    let tree = args.trees.open(&args.tree)?;
    if tree.triangle_count() == 0 {
        return Err(CliError::new(format!("{} has no triangles: there is nothing to export", args.tree.display())));
    }
    let depth = args.depth.min(tree.depth());
    if depth < args.depth && !quiet {
        eprintln!("note: the tree has levels 0 to {depth}: level {depth} is written");
    }
    let mesh = (!args.no_mesh).then(|| tree.to_mesh()).transpose();
    let mesh = mesh.map_err(|error| CliError::caused(format!("cannot read {}", args.tree.display()), &error))?;
    let kind = tree.kind();
    let model = Model {
        name: stem(&args.tree),
        up: args.up,
        mesh,
        kind,
        volumes: parts(&tree.nodes().collect::<Vec<_>>(), depth, kind),
        colours: shades(kind).to_vec(),
    };
    for (path, content) in write(&model, &args.output)? {
        whole_file::write(&path, "the model", &content)?;
    }
    if !quiet {
        let volumes = model.volumes.len();
        eprintln!("wrote {}: level {depth} of {}, {volumes} volumes", args.output.display(), args.tree.display());
    }
    Ok(())
}

fn parts(nodes: &[NodeInfo], depth: u32, kind: VolumeKind) -> Vec<Part> {
    let cut = cut(nodes, depth).enumerate();
    cut.map(|(number, (_, node))| Part {
        name: format!("{kind} {}.{number}", node.level),
        solid: Solid::new(&node.volume),
        triangles: node.triangles,
        colour: number % super::palette::SHADES,
    })
    .collect()
}

/// The file's name without folder and extensions.
pub fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let kinds = VolumeKind::ALL.map(VolumeKind::name);
    match stem.rsplit_once('.') {
        Some((mesh, kind)) if kinds.contains(&kind) => mesh.to_owned(),
        _ => stem.into_owned(),
    }
}
