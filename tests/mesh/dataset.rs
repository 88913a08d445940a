//! The dataset's meshes, against `tobj` and against what is known of their defects.

use std::fs;
use std::path::{Path, PathBuf};

use bvtree::mesh::Mesh;
use nalgebra::Point3;

use crate::dataset_folder::dataset;

fn obj_files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "obj"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn the_dataset_reads_as_tobj_reads_it() {
    let Some(dataset) = dataset() else { return };
    for path in obj_files(&dataset.join("meshes")).into_iter().chain(obj_files(&dataset.join("raw"))) {
        let mesh = Mesh::load_obj(&path).unwrap();
        let options = tobj::LoadOptions { ignore_lines: true, ..Default::default() };
        let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
        let file = fs::read(&path).unwrap();
        let (models, _) = tobj::load_obj_buf(&mut file.as_slice(), &options, no_materials).unwrap();

        let mut corners = mesh.triangles().iter().flatten().map(|&index| mesh.vertices()[index as usize]);
        let (mut triangle, mut polygon) = (0, 0);
        for model in models {
            let positions: Vec<_> = model.mesh.positions.chunks_exact(3).map(Point3::from_slice).collect();
            let arities = model.mesh.face_arities.iter().copied();
            let arities = arities.chain(std::iter::repeat(3)).take(match model.mesh.face_arities.len() {
                0 => model.mesh.indices.len() / 3,
                polygons => polygons,
            });
            let mut indices = model.mesh.indices.iter().map(|&index| positions[index as usize]);
            for arity in arities {
                let face: Vec<_> = indices.by_ref().take(arity as usize).collect();
                for pair in face[1..].windows(2) {
                    let fan: Vec<_> = corners.by_ref().take(3).collect();
                    assert_eq!(fan, [face[0], pair[0], pair[1]], "{} {triangle}", path.display());
                    assert_eq!(mesh.polygon(triangle), polygon);
                    if model.name != "unnamed_object" {
                        assert_eq!(mesh.group_of(triangle).unwrap().name, model.name);
                    }
                    triangle += 1;
                }
                polygon += 1;
            }
            assert_eq!(indices.next(), None);
        }
        assert_eq!(mesh.triangles().len(), triangle as usize, "{}", path.display());
    }
}

#[test]
fn the_dataset_has_the_defects_its_readme_tells() {
    let Some(dataset) = dataset() else { return };
    for path in obj_files(&dataset.join("meshes")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let report = Mesh::load_obj(&path).unwrap().report();
        println!("{name}\n{report}\n");
        match name {
            "stanford-bunny" => assert_eq!(report.open_edges, 223),
            "beetle-alt" => assert_eq!(report.open_edges, 1136),
            _ => {}
        }
        let open = ["stanford-bunny", "beetle-alt", "suzanne", "teapot", "truck", "fcl-env", "fcl-rob"];
        assert_eq!(report.is_closed(), !open.contains(&name), "{name}");
        assert_eq!(report.is_edge_manifold(), !["suzanne", "truck", "fcl-rob"].contains(&name), "{name}");
        let components = [("teapot", 3), ("truck", 50), ("fcl-env", 85), ("fcl-rob", 4)];
        if let Some((_, components)) = components.iter().find(|(other, _)| *other == name) {
            assert_eq!(report.components, *components, "{name}");
        }
        assert_eq!(report.zero_area_triangles, 0, "{name}");
    }
}
