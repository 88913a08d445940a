//! Mesh files in every format: a sound mesh, or an error. The first byte picks the format and the options.

use std::path::Path;

use bvtree::Mesh;
use bvtree::mesh::{GroupBy, MeshFormat, Origin, ReadOptions, UpAxis};

pub fn check(data: &[u8]) {
    let Some((&choice, file)) = data.split_first() else { return };
    let name = ["a.obj", "a.stl", "a.ply", "a.off", "a.gltf", "a"][usize::from(choice) % 6];
    let options = match choice / 6 % 4 {
        0 => ReadOptions::default(),
        1 => ReadOptions { weld: Some(true), up: Some(UpAxis::Y), ..ReadOptions::default() },
        2 => ReadOptions { origin: Origin::FirstVertex, scale: 1e-3, ..ReadOptions::default() },
        _ => ReadOptions { group_by: GroupBy::Material, weld: Some(false), ..ReadOptions::default() },
    };
    // Files of buffers can't be named from here: there is no such folder.
    let path = Path::new("/nowhere/at/all").join(name);
    let Ok(import) = Mesh::read_with(file, &path, &options) else { return };
    let mesh = import.mesh;
    assert!(!mesh.triangles().is_empty());
    // As much as a file of this size can mean, but for shared parts of glTF.
    if MeshFormat::of(&path, file) != MeshFormat::Gltf {
        assert!(mesh.triangles().len() <= file.len() && mesh.vertices().len() <= file.len());
    }
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let polygons = (0..triangles.len() as u32).map(|face| mesh.polygon(face)).collect();
    let again = Mesh::from_parts(vertices, triangles, polygons, mesh.groups().to_vec()).expect("a sound mesh");
    assert_eq!(again.geometry_digest(), mesh.geometry_digest());
    if mesh.triangles().len() < 1000 {
        let parts = mesh.split_by_group();
        assert_eq!(parts.iter().map(|(_, part)| part.triangles().len()).sum::<usize>(), mesh.triangles().len());
    }
}
