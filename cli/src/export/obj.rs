//! Wavefront OBJ: an object per volume, with colours in a material file beside it.

use std::fmt::Write;
use std::path::Path;

use bvtree::VolumeKind;

use super::model::{Files, Model};
use crate::error::CliError;
use crate::solid::UnitShape;

/// How much of what is behind a volume it hides.
const OPACITY: f64 = 0.3;

pub fn files(model: &Model, output: &Path) -> Result<Files, CliError> {
    let library = output.with_extension("mtl");
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
