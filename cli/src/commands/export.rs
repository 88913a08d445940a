//! `bvtree export`: a tree's volumes at a level, with the mesh, as a 3D model in glTF 2.0 or Wavefront OBJ.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use bvtree::tree::NodeInfo;
use bvtree::{Mesh, VolumeKind};
use clap::Args;
use serde_json::{Value, json};

use crate::args::Up;
use crate::atomic_write;
use crate::error::{CliError, printable};
use crate::glb_writer::{Arrays, material, scene};
use crate::input::TreeArgs;
use crate::solids::{Rgb, SHADES, Solid, UnitShape, cut, shades};

/// Write the volumes of one level of a tree, with the mesh, as a 3D model
///
/// A level consists of the volumes at that depth and the leaves above it, so that it always covers the mesh. Each
/// volume is a separate colored object named `KIND LEVEL.NUMBER`. TREE is a cooked tree (.bvt) or a mesh (OBJ, STL,
/// PLY, OFF or glTF), for which a tree is built in memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// A cooked tree or a mesh
    tree: PathBuf,
    /// The model to write: .glb (glTF 2.0) or .obj (with a .mtl beside it); `-` for .glb on stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The level: 0 is the volume of the root; each level divides volumes into up to eight
    #[arg(long, value_name = "N", default_value_t = 2)]
    depth: u32,
    /// Up axis of the mesh; a glTF model is rotated so that y points up, as glTF requires
    #[arg(long, value_enum, default_value_t = Up::Z, allow_hyphen_values = true)]
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
  bvtree export gear.obj --kind sphere --depth 2 -o spheres.obj

.glb opens in Blender (File, Import, glTF 2.0), in web viewers and in Windows'
3D Viewer; .obj in nearly everything, in the mesh's own coordinates. The
coordinates of a tree cooked with --origin are relative to that origin.";

pub fn run(args: &ExportArgs, quiet: bool) -> Result<(), CliError> {
    let to_stdout = atomic_write::is_stdout(&args.output);
    let mut outputs = vec![args.output.clone()];
    let write = match args.output.extension().map(|extension| extension.to_ascii_lowercase()) {
        _ if to_stdout => glb_files,
        Some(extension) if extension == "glb" => glb_files,
        Some(extension) if extension == "obj" => {
            outputs.push(library(&args.output));
            obj_files
        }
        _ => {
            let message = format!("{}: unknown model format", args.output.display());
            return Err(CliError::new(message).hint("name the output .glb or .obj"));
        }
    };
    if !to_stdout {
        atomic_write::check(&outputs.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &[&args.tree])?;
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
        atomic_write::write(&path, "the model", &content)?;
    }
    if !quiet {
        let volumes = model.volumes.len();
        let [output, tree] = [&args.output, &args.tree].map(|path| path.to_string_lossy());
        eprintln!("wrote {}: level {depth} of {}, {volumes} volumes", printable(&output), printable(&tree));
    }
    Ok(())
}

fn parts(nodes: &[NodeInfo], depth: u32, kind: VolumeKind) -> Vec<Part> {
    let cut = cut(nodes, depth).enumerate();
    cut.map(|(number, (_, node))| Part {
        name: format!("{kind} {}.{number}", node.level),
        solid: Solid::new(&node.volume),
        triangles: node.triangles,
        colour: number % SHADES,
    })
    .collect()
}

/// The file's name without folder, extension and volume kind.
pub fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let kinds = VolumeKind::ALL.map(VolumeKind::name);
    match stem.rsplit_once('.') {
        Some((mesh, kind)) if kinds.contains(&kind) => mesh.to_owned(),
        _ => stem.into_owned(),
    }
}

/// A level of a tree, and its mesh.
pub struct Model {
    pub name: String,
    pub up: Up,
    pub mesh: Option<Mesh>,
    pub kind: VolumeKind,
    pub volumes: Vec<Part>,
    pub colours: Vec<Rgb>,
}

/// A volume of the level.
pub struct Part {
    pub name: String,
    pub solid: Solid,
    /// The number of triangles below the volume.
    pub triangles: usize,
    /// The index of the volume's colour.
    pub colour: usize,
}

/// The files of an exported model, each with its path and content; the requested one is last.
pub type Files = Vec<(PathBuf, Vec<u8>)>;

/// The opacity of volumes.
const OPACITY: f64 = 0.3;
const MESH_COLOUR: Rgb = [0.72, 0.74, 0.78];

fn glb_files(model: &Model, output: &Path) -> Result<Files, CliError> {
    let mut arrays = Arrays::default();
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    let mut children = Vec::new();

    let mut materials: Vec<Value> =
        model.colours.iter().map(|&colour| material(model.kind.name(), colour, OPACITY)).collect();
    if let Some(mesh) = &model.mesh {
        let positions = arrays.positions(mesh.vertices().iter().copied());
        let indices = arrays.indices(mesh.triangles());
        materials.push(material("mesh", MESH_COLOUR, 1.0));
        children.push(nodes.len());
        nodes.push(json!({"name": "mesh", "mesh": meshes.len()}));
        meshes.push(surface("mesh", &json!({"POSITION": positions}), indices, materials.len() - 1));
    }
    let unit = UnitShape::of(model.kind);
    let positions = arrays.positions(unit.vertices.iter().map(|vertex| vertex.cast()));
    let indices = arrays.indices(&unit.triangles);
    let attributes = match model.kind {
        // A unit sphere's points are its normals. A cube has no normals, so viewers shade it flat.
        VolumeKind::Sphere => json!({"POSITION": positions, "NORMAL": positions}),
        VolumeKind::Aabb | VolumeKind::Obb | VolumeKind::KDop => json!({"POSITION": positions}),
    };
    let first_unit = meshes.len();
    meshes.extend((0..model.colours.len()).map(|colour| surface(model.kind.name(), &attributes, indices, colour)));
    let first_volume = nodes.len();
    nodes.extend(model.volumes.iter().map(|part| placed(part, first_unit)));
    children.push(nodes.len());
    let volumes: Vec<usize> = (first_volume..first_volume + model.volumes.len()).collect();
    nodes.push(json!({"name": "volumes", "children": volumes}));

    let root = json!({"name": model.name, "children": children});
    let bytes = scene(arrays, meshes, nodes, materials, root, model.up == Up::Z)?;
    Ok(vec![(PathBuf::from(output), bytes)])
}

fn placed(part: &Part, first_unit: usize) -> Value {
    let solid = &part.solid;
    let rotation = solid.rotation.as_ref().coords;
    json!({
        "name": part.name,
        "mesh": first_unit + part.colour,
        "translation": solid.center.coords.as_slice(),
        "rotation": rotation.as_slice(),
        "scale": solid.scale.as_slice(),
        "extras": {"triangles": part.triangles},
    })
}

fn surface(name: &str, attributes: &Value, indices: usize, material: usize) -> Value {
    json!({"name": name, "primitives": [{"attributes": attributes, "indices": indices, "material": material}]})
}

/// The file of an OBJ model's materials.
fn library(output: &Path) -> PathBuf {
    output.with_extension("mtl")
}

fn obj_files(model: &Model, output: &Path) -> Result<Files, CliError> {
    let library = library(output);
    let library_name = library.file_name().unwrap_or_default().to_string_lossy().replace(['\n', '\r'], "_");
    let objects = objects(model, &library_name).map_err(|error| CliError::caused("cannot write the model", &error))?;
    let materials = materials(model).map_err(|error| CliError::caused("cannot write the model", &error))?;
    Ok(vec![(library, materials.into_bytes()), (output.to_owned(), objects.into_bytes())])
}

fn objects(model: &Model, library: &str) -> Result<String, std::fmt::Error> {
    let mut obj = format!("# bvtree {}\nmtllib {library}\n", env!("CARGO_PKG_VERSION"));
    let mut first = 1;
    if let Some(mesh) = &model.mesh {
        writeln!(obj, "o mesh\nusemtl mesh")?;
        for vertex in mesh.vertices() {
            writeln!(obj, "v {} {} {}", vertex.x, vertex.y, vertex.z)?;
        }
        write_faces(&mut obj, mesh.triangles(), first)?;
        first += mesh.vertices().len();
    }
    let unit = UnitShape::of(model.kind);
    for part in &model.volumes {
        writeln!(obj, "o {}\nusemtl {}_{}", part.name.replace(' ', "_"), model.kind, part.colour)?;
        for vertex in &unit.vertices {
            let vertex = part.solid.place(vertex).cast::<f32>();
            writeln!(obj, "v {} {} {}", vertex.x, vertex.y, vertex.z)?;
        }
        writeln!(obj, "s {}", if model.kind == VolumeKind::Sphere { "1" } else { "off" })?;
        write_faces(&mut obj, &unit.triangles, first)?;
        first += unit.vertices.len();
    }
    Ok(obj)
}

fn write_faces(obj: &mut String, triangles: &[[u32; 3]], first: usize) -> std::fmt::Result {
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| first + index as usize);
        writeln!(obj, "f {a} {b} {c}")?;
    }
    Ok(())
}

fn materials(model: &Model) -> Result<String, std::fmt::Error> {
    let mut mtl = String::from("newmtl mesh\nKd 0.72 0.74 0.78\n");
    for (number, [red, green, blue]) in model.colours.iter().enumerate() {
        writeln!(mtl, "newmtl {}_{number}\nKd {red:.4} {green:.4} {blue:.4}\nd {OPACITY}", model.kind)?;
    }
    Ok(mtl)
}
