//! Cooks a mesh into a file, opens the file and prints what it holds:
//! `cargo run --release -p bvtree --example cook_and_open [MESH.obj]`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};

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
    let path = env::args_os().nth(1).map_or_else(|| PathBuf::from("data/gear.obj"), PathBuf::from);
    let mesh = Mesh::load_obj(&path)?;
    let report = mesh.report();
    println!("{}: {} vertices, {} triangles", path.display(), mesh.vertices().len(), mesh.triangles().len());
    println!("closed: {}, components: {}", report.is_closed(), report.components);

    let folder = tempfile::tempdir()?;
    for volume in VolumeKind::ALL {
        let built = BvTree::build(&mesh, &BuildOptions { kind: volume, ..BuildOptions::default() })?;
        let file = folder.path().join(format!("mesh.{volume}.bvt"));
        built.save(&file)?;

        // Later, in another program: the file is all that is needed.
        let tree = BvTree::open(&file)?;
        assert_eq!(tree.mesh_digest(), mesh.digest());
        assert!(tree.validate().is_empty());
        let bytes = fs::metadata(&file)?.len();
        println!(
            "{volume:>6}: {} nodes in {} levels, {} leaves, {bytes} bytes",
            tree.node_count(),
            tree.depth() + 1,
            tree.leaf_count()
        );
    }

    // A damaged file is an error, never a wrong answer.
    let file = folder.path().join("mesh.obb.bvt");
    let mut bytes = fs::read(&file)?;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes)?;
    let damage = BvTree::open(&file).expect_err("one bit is flipped");
    println!("with one bit flipped: {damage}");
    Ok(())
}
