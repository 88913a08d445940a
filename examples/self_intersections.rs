//! Finds where meshes intersect themselves: `cargo run --release -p bvtree --example self_intersections [MESH...]`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bvtree::{BuildOptions, BvTree, Mesh, Query};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        paths = ["torus_knot.obj", "teapot.obj", "nonmanifold.obj"].map(|name| data.join(name)).into();
    }
    let mut query = Query::new();
    for path in paths {
        let mesh = Mesh::load_obj(&path)?;
        let tree = BvTree::build(&mesh, &BuildOptions::default())?;
        let pairs = query.self_pairs(&tree);
        println!("{}: {} intersecting pairs among {} triangles", path.display(), pairs.len(), tree.triangle_count());

        // The file's groups name the parts that intersect each other.
        let mut between = BTreeMap::new();
        for pair in &pairs {
            *between.entry([pair.face_a, pair.face_b].map(|face| group(&tree, face))).or_insert(0) += 1;
        }
        for ([a, b], count) in between {
            println!("  {a} and {b}: {count}");
        }
    }
    Ok(())
}

/// The name of the face's group.
fn group(tree: &BvTree, face: u32) -> &str {
    let until = tree.groups().partition_point(|group| group.first_triangle <= face);
    until.checked_sub(1).map_or("-", |group| &tree.groups()[group].name)
}
