//! Writes the meshes of `data/` and an assembly of them: `cargo run -p bvtree --example make_data [DIR]`.
//!
//! The meshes have no inputs, so the files are the same byte for byte in every run; `tests/data.rs` checks this.

mod assembly;
mod meshes;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let dir = env::args_os().nth(1).map_or_else(|| PathBuf::from("data"), PathBuf::from);
    fs::create_dir_all(&dir)?;
    for (name, mesh) in meshes::ALL {
        let path = dir.join(name).with_extension("obj");
        fs::write(&path, mesh().to_string())?;
        println!("{}", path.display());
    }
    let path = dir.join("assembly.json");
    fs::write(&path, assembly::manifest())?;
    println!("{}", path.display());
    Ok(())
}
