//! Meshes cooked in tiles: the file is an ordinary one, with the answers of the mesh in memory.

use std::fs;
use std::io::{self, Cursor};
use std::path::Path;

use bvtree::builder::BuildError;
use bvtree::cook::{CookError, MeshTile};
use bvtree::mesh::{LargeMesh, MeshError, ReadOptions};
use bvtree::probe::Ray;
use bvtree::{BuildOptions, Builder, BvTree, Mesh, Pose, Preset, Probe, Query, SplitRule, VolumeKind};
use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::direct::Small;
use super::{all_options, bytes_of, meshes};
use crate::oracle;

/// Enough for one tile.
const PLENTY: u64 = 1 << 30;

fn ply(mesh: &Mesh) -> Vec<u8> {
    let (vertices, faces) = (mesh.vertices(), mesh.triangles());
    let mut file = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        vertices.len(),
        faces.len()
    )
    .into_bytes();
    file.extend(vertices.iter().flat_map(|vertex| vertex.iter().flat_map(|x| x.to_le_bytes())));
    for face in faces {
        file.push(3);
        file.extend(face.iter().flat_map(|index| index.to_le_bytes()));
    }
    file
}

fn stl(mesh: &Mesh) -> Vec<u8> {
    let mut file = vec![0; 80];
    file.extend((mesh.triangles().len() as u32).to_le_bytes());
    for triangle in mesh.triangles() {
        file.extend([0; 12]);
        let corners = triangle.map(|index| mesh.vertices()[index as usize]);
        file.extend(corners.iter().flat_map(|corner| corner.iter().flat_map(|x| x.to_le_bytes())));
        file.extend([0; 2]);
    }
    file
}

/// Reads a file in a folder of its own, which has nothing else in it afterwards, with a mesh in memory to compare.
/// `memory` gets the least memory for it.
fn opened_within(
    name: &str,
    content: &[u8],
    memory: impl FnOnce(u64) -> u64,
) -> Result<(tempfile::TempDir, LargeMesh, Mesh), MeshError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let vertices = Mesh::open(&path).map_or(0, |mesh| mesh.vertices().len());
    let memory = memory(16 * vertices as u64 + 128 * 1024);
    let large = LargeMesh::open(&path, &ReadOptions::default(), folder.path(), memory)?;
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files have no names");
    Ok((folder, large, Mesh::open(&path)?))
}

/// Reads a file with the least memory, which gives tiles of 1024 triangles if all polygons are triangles.
fn opened(name: &str, content: &[u8]) -> Result<(tempfile::TempDir, LargeMesh, Mesh), MeshError> {
    opened_within(name, content, |least| least)
}

fn cooked(mesh: &LargeMesh, options: &BuildOptions) -> Result<(usize, Vec<u8>), CookError> {
    let mut file = Cursor::new(Vec::new());
    let (mut done, triangles) = (0, mesh.triangle_count());
    let tiles = mesh.cook_to(options, &mut file, |so_far, all| {
        assert!(so_far > done && all == triangles);
        done = so_far;
    })?;
    assert_eq!((done, file.position()), (triangles, file.get_ref().len() as u64));
    Ok((tiles, file.into_inner()))
}

/// A closed surface of 6,000 triangles whose order says nothing about their places.
fn shuffled_torus() -> Mesh {
    let torus = oracle::meshes::torus(60, 50);
    let count = torus.triangles().len();
    let triangles = (0..count).map(|i| torus.triangles()[i * 3571 % count]).collect();
    Mesh::from_arrays(torus.vertices().to_vec(), triangles).unwrap()
}

#[test]
fn one_tile_gives_the_bytes_of_the_mesh_in_memory() {
    let (_folder, large, mesh) = opened_within("a.ply", &ply(&oracle::meshes::torus(12, 9)), |_| PLENTY).unwrap();
    for options in all_options() {
        let (tiles, bytes) = cooked(&large, &options).unwrap();
        assert_eq!(tiles, 1);
        assert!(bytes == bytes_of(&BvTree::build(&mesh, &options).unwrap()), "{options:?}");
    }
}

fn some_options() -> impl Iterator<Item = BuildOptions> {
    VolumeKind::ALL.into_iter().flat_map(|kind| {
        let balanced = Preset::Balanced.options(kind);
        [
            balanced,
            Preset::Fast.options(kind),
            BuildOptions { builder: Builder::Ploc, rotation_passes: 2, ..balanced },
            BuildOptions { split: SplitRule::Midpoint, max_depth: 9, max_leaf_triangles: 5, ..balanced },
        ]
    })
}

#[test]
fn tiles_make_one_tree_of_the_mesh() {
    let torus = shuffled_torus();
    for (name, content) in [("a.ply", ply(&torus)), ("a.stl", stl(&torus))] {
        let (_folder, large, mesh) = opened(name, &content).unwrap();
        assert_eq!((large.triangle_count(), large.vertex_count()), (mesh.triangles().len(), mesh.vertices().len()));
        for options in some_options() {
            let (tiles, bytes) = cooked(&large, &options).unwrap();
            assert!(tiles >= 6);
            let tree = BvTree::from_bytes(&bytes).unwrap();
            assert_eq!(tree.validate_against(&mesh), [], "{options:?}");
            assert_eq!(*tree.options(), options);
        }
    }
}

/// As a file on the way from one machine to another.
fn sent(tree: &BvTree, compact: bool) -> BvTree {
    let mut file = Vec::new();
    if compact {
        tree.write_compact_to(&mut file).unwrap()
    } else {
        tree.write_to(&mut file).unwrap()
    }
    BvTree::from_bytes(&file).unwrap()
}

#[test]
fn trees_of_tiles_that_are_built_elsewhere_give_the_same_bytes() {
    let torus = shuffled_torus();
    for (name, content) in [("a.ply", ply(&torus)), ("a.stl", stl(&torus))] {
        for (options, compact) in some_options().zip([false, true].into_iter().cycle()) {
            let (folder, large, _) = opened(name, &content).unwrap();
            let (count, here) = cooked(&large, &options).unwrap();
            let divided = large.divide(&options).unwrap();
            assert_eq!(divided.tile_count(), count);
            // In any order, as they come from workers.
            let mut trees: Vec<BvTree> =
                (0..count).rev().map(|tile| sent(&divided.tile(tile).unwrap().build().unwrap(), compact)).collect();
            let (path, mut done) = (folder.path().join("tree.bvt"), 0);
            divided.cook(&path, |_| Ok(trees.pop().unwrap()), |so_far, _| done = so_far).unwrap();
            assert_eq!(done, divided.mesh().triangle_count());
            assert!(fs::read(&path).unwrap() == here, "{name} {options:?}");
        }
    }
}

#[test]
fn a_mesh_in_one_tile_is_built_elsewhere() {
    let (folder, large, mesh) = opened_within("a.ply", &ply(&oracle::meshes::torus(6, 5)), |_| PLENTY).unwrap();
    let divided = large.divide(&BuildOptions::default()).unwrap();
    assert_eq!(divided.tile_count(), 1);
    let path = folder.path().join("tree.bvt");
    divided.cook(&path, |tile| Ok(divided.tile(tile)?.build()?), |_, _| ()).unwrap();
    assert!(fs::read(&path).unwrap() == bytes_of(&BvTree::build(&mesh, &BuildOptions::default()).unwrap()));
}

#[test]
fn trees_of_other_tiles_are_refused() {
    let (folder, large, _) = opened("a.ply", &ply(&shuffled_torus())).unwrap();
    let divided = large.divide(&BuildOptions::default()).unwrap();
    let path = folder.path().join("tree.bvt");
    let refused = |change: &(dyn Fn(&mut MeshTile) + Sync)| {
        let build = |number: usize| {
            let mut tile = divided.tile(number)?;
            if number == 2 {
                change(&mut tile);
            }
            Ok(tile.build()?)
        };
        // `File`, with the path.
        let error = divided.cook(&path, build, |_, _| ()).unwrap_err().to_string();
        assert!(!path.exists());
        error.split_once(": ").unwrap().1.to_owned()
    };
    let with_other =
        |what| format!("the tree of tile 2 has other {what} than the tile: build it from the tile, with this version");
    assert_eq!(refused(&|tile| tile.options.max_leaf_triangles += 1), with_other("options or box"));
    assert_eq!(refused(&|tile| tile.options.kind = VolumeKind::Sphere), with_other("options or box"));
    assert_eq!(refused(&|tile| tile.whole.upper.x += 1.0), with_other("options or box"));
    assert_eq!(refused(&|tile| tile.mesh = divided.tile(1).unwrap().mesh), with_other("triangles"));
    let of = |tile: &MeshTile| (tile.mesh.vertices().to_vec(), tile.mesh.triangles().to_vec());
    let moved = |tile: &mut MeshTile| {
        let (mut vertices, triangles) = of(tile);
        vertices[7].x += 1e-6;
        tile.mesh = Mesh::from_arrays(vertices, triangles).unwrap();
    };
    let turned = |tile: &mut MeshTile| {
        let (vertices, mut triangles) = of(tile);
        triangles[5].rotate_left(1);
        tile.mesh = Mesh::from_arrays(vertices, triangles).unwrap();
    };
    let fewer = |tile: &mut MeshTile| {
        let (vertices, triangles) = of(tile);
        tile.mesh = Mesh::from_arrays(vertices, triangles[1..].to_vec()).unwrap();
    };
    assert_eq!(refused(&moved), with_other("triangles"));
    assert_eq!(refused(&turned), with_other("triangles"));
    assert_eq!(refused(&fewer), with_other("triangles"));
    assert_eq!(
        refused(&|tile| tile.options.max_leaf_triangles = 0),
        "max_leaf_triangles is 0: a leaf holds at least one triangle"
    );
}

#[test]
fn bytes_depend_on_no_number_of_threads() {
    let (_folder, large, _) = opened("a.ply", &ply(&shuffled_torus())).unwrap();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| cooked(&large, &BuildOptions::default()).unwrap().1)
    };
    assert!(on(1) == on(2));
}

#[test]
fn answers_are_those_of_brute_force() {
    let (_folder, large, mesh) = opened("a.stl", &stl(&shuffled_torus())).unwrap();
    let other = oracle::meshes::sphere(9, 14, 0.8);
    let turn = UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1);
    let apart = Pose::from_quaternion(&turn, Vector3::new(9.0, 4.0, -3.0)).unwrap();
    let touching = Pose::from_quaternion(&turn, Vector3::new(1.2, 0.4, 0.1)).unwrap();
    for kind in VolumeKind::ALL {
        let options = Preset::Balanced.options(kind);
        let tree = BvTree::from_bytes(&cooked(&large, &options).unwrap().1).unwrap();
        let in_memory = BvTree::build(&mesh, &options).unwrap();
        let small = BvTree::build(&other, &options).unwrap();
        let mut query = Query::new();
        let expected = oracle::intersecting_pairs(&mesh, &other, &touching);
        assert!(!expected.is_empty());
        assert_eq!(oracle::queried_pairs(&mut query, &tree, &small, &touching), expected);
        assert!(query.intersects(&tree, &small, &touching) && !query.intersects(&tree, &small, &apart));
        let distances = [&tree, &in_memory].map(|tree| query.distance(tree, &small, &apart).unwrap().distance);
        assert_eq!(distances[0], distances[1]);
        let (mut probe, mut hit_by_rays) = (Probe::new(), 0);
        for i in 0..40 {
            let origin = Point3::new(f64::from(i % 7) - 3.0, f64::from(i / 7) - 3.0, 5.0);
            let ray = Ray::new(origin, Vector3::new(0.1, f64::from(i) / 100.0, -1.0));
            let hits = [&tree, &in_memory].map(|tree| probe.closest_hit(tree, &ray, f64::INFINITY));
            assert_eq!(hits[0], hits[1], "{kind}");
            hit_by_rays += usize::from(hits[0].is_some());
        }
        assert!((1..40).contains(&hit_by_rays));
    }
}

#[test]
fn polygons_and_groups_are_kept() {
    let quads: String = (0..1500).map(|i| format!("4 {} {} {} {}\n", i, i + 1, i + 1502, i + 1501)).collect();
    let vertices: String = (0..3002).map(|i| format!("{} {} {}\n", i % 1501, i / 1501, (i * i) % 7)).collect();
    let quads = format!(
        "ply\nformat ascii 1.0\nelement vertex 3002\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1500\nproperty list uchar int vertex_indices\nend_header\n{vertices}{quads}"
    );
    let facet = |i: usize| {
        let x = i % 50;
        format!(
            "facet normal 0 0 1\nouter loop\nvertex {x} {i} 0\nvertex {x} {i} 1\nvertex 0 9 {i}\nendloop\nendfacet\n"
        )
    };
    let solids: String = ["left", "right"]
        .iter()
        .map(|name| format!("solid {name}\n{}endsolid\n", (0..1100).map(facet).collect::<String>()))
        .collect();
    for (name, content) in [("a.ply", quads), ("a.stl", solids)] {
        // With polygons, of 4 bytes each.
        let (_folder, large, mesh) = opened_within(name, content.as_bytes(), |least| least + 4 * 3000).unwrap();
        let (tiles, bytes) = cooked(&large, &BuildOptions::default()).unwrap();
        assert!(tiles > 1, "{name}");
        assert_eq!(BvTree::from_bytes(&bytes).unwrap().validate_against(&mesh), []);
        assert!(mesh.groups().len() == 2 || mesh.polygon(1) == 0);
    }
}

#[test]
fn welding_and_placement_are_those_of_the_mesh_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, weld) in [("a.ply", ply(&meshes::soup(90, 2)), true), ("a.stl", stl(&shuffled_torus()), false)]
    {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let origin = bvtree::mesh::Origin::FirstVertex;
        let options = ReadOptions { weld: Some(weld), scale: 2.0, origin, ..ReadOptions::default() };
        let large = LargeMesh::open(&path, &options, folder.path(), PLENTY).unwrap();
        let mesh = Mesh::open_with(&path, &options).unwrap().mesh;
        let bytes = cooked(&large, &BuildOptions::default()).unwrap().1;
        assert!(bytes == bytes_of(&BvTree::build(&mesh, &BuildOptions::default()).unwrap()), "{name}");
    }
}

#[test]
fn meshes_that_hardly_divide() {
    for mesh in [oracle::meshes::exponential(1), meshes::sheet(40, 0.0), oracle::meshes::collinear(2500)] {
        let (_folder, large, mesh) = opened("a.ply", &ply(&mesh)).unwrap();
        let bytes = cooked(&large, &BuildOptions::default()).unwrap().1;
        assert_eq!(BvTree::from_bytes(&bytes).unwrap().validate_against(&mesh), []);
    }
    let (_folder, large, _) = opened("a.ply", &ply(&oracle::meshes::identical(1100))).unwrap();
    let error = cooked(&large, &BuildOptions::default()).unwrap_err();
    assert!(matches!(error, CookError::Inseparable { triangles: 1100, allowed: 1024 }), "{error}");
    let flat = BuildOptions { max_depth: 0, ..BuildOptions::default() };
    let (_folder, large, _) = opened("a.ply", &ply(&shuffled_torus())).unwrap();
    let error = cooked(&large, &flat).unwrap_err();
    assert!(matches!(error, CookError::Inseparable { triangles: 6000, .. }), "{error}");
}

#[test]
fn damaged_files_name_the_place() {
    let torus = oracle::meshes::torus(6, 5);
    let complaint = |name: &str, content: &[u8]| match opened(name, content) {
        Err(MeshError::File { path, error }) => {
            assert_eq!(path.file_name().unwrap(), name);
            error.to_string()
        }
        other => panic!("{:?}", other.map(|(_, mesh, _)| mesh.triangle_count())),
    };
    let (good, triangles) = (ply(&torus), torus.triangles().len());
    let cut = complaint("a.ply", &good[..good.len() - 1]);
    assert!(cut.contains(&format!("face {} of {triangles}, found the end of the file", triangles - 1)), "{cut}");
    let mut wild = good.clone();
    let last = wild.len() - 4;
    wild[last..].copy_from_slice(&1_000_000u32.to_le_bytes());
    assert!(complaint("a.ply", &wild).contains(&format!("face {} of {triangles}: a vertex from 0 to", triangles - 1)));
    let good = stl(&torus);
    let cut = complaint("a.stl", &good[..good.len() - 60]);
    assert!(cut.contains(&format!("triangle {} of {triangles}, found the end of the file", triangles - 2)), "{cut}");
    assert_eq!(complaint("a.stl", b"solid\nendsolid\n"), "the STL file has no faces");
    let obj = complaint("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(obj, "OBJ files are read into memory as a whole: convert the mesh to STL or PLY");
    let missing = LargeMesh::open("missing.ply", &ReadOptions::default(), ".", PLENTY).unwrap_err();
    assert!(missing.to_string().starts_with("missing.ply: "));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    fs::write(&path, ply(&torus)).unwrap();
    let error =
        LargeMesh::open(&path, &ReadOptions::default(), Path::new("no/such/folder"), PLENTY).unwrap_err().to_string();
    assert!(error.contains("cannot create a temporary file in no/such/folder: "), "{error}");
}

#[test]
fn too_little_memory_and_senseless_options_are_errors() {
    let content = ply(&oracle::meshes::torus(6, 5));
    let inner = |error, expected: &Path| match error {
        CookError::File { path, error } if path == expected => *error,
        other => panic!("{other}"),
    };
    let (progress, options) = (|_, _| (), BuildOptions::default());
    let (folder, large, _) = opened_within("a.ply", &content, |least| least - 1).unwrap();
    let path = folder.path().join("tree.bvt");
    fs::write(&path, "before").unwrap();
    let error = inner(large.cook(&options, &path, progress).unwrap_err(), &path);
    assert!(matches!(error, CookError::Memory { needed, given } if needed == given + 1), "{error}");
    let (folder, large, _) = opened("a.ply", &content).unwrap();
    let other = folder.path().join("tree.bvt");
    let no_leaves = BuildOptions { max_leaf_triangles: 0, ..options };
    let error = inner(large.cook(&no_leaves, &other, progress).unwrap_err(), &other);
    assert!(matches!(error, CookError::Build(BuildError::EmptyLeaves)), "{error}");
    assert!(!other.exists() && fs::read(&path).unwrap() == b"before");
    large.cook(&options, &path, progress).unwrap();
    assert_eq!(BvTree::open(&path).unwrap().triangle_count(), 60);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // Before the whole file is read: 30 vertices of 16 bytes, or 24 where they are welded.
    for (name, content, needed) in [("a.ply", content, 480), ("a.stl", stl(&oracle::meshes::torus(6, 5)), 720)] {
        let error = opened_within(name, &content, |_| needed - 1).err().unwrap();
        let MeshError::File { error, .. } = error else { panic!("{error}") };
        assert!(matches!(*error, MeshError::BeyondMemory { allowed } if allowed == needed - 1), "{error}");
        opened_within(name, &content, |_| needed).unwrap();
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let (_folder, large, _) = opened("a.ply", &ply(&meshes::sheet(28, 1.0))).unwrap();
    let options = Preset::Fast.options(VolumeKind::Aabb);
    let length = cooked(&large, &options).unwrap().1.len();
    for room in [0, 400, 5000, length / 2, length - 1, length] {
        match large.cook_to(&options, Small(Cursor::default(), room), |_, _| ()) {
            Ok(tiles) => assert!(room == length && tiles > 1),
            Err(error) => {
                assert!(room < length);
                assert!(matches!(error, CookError::Io(error) if error.kind() == io::ErrorKind::StorageFull));
            }
        }
    }
}

/// A text STL file with these faces of a mesh in each solid.
fn solids(mesh: &Mesh, solids: &[(&str, std::ops::Range<usize>)]) -> Vec<u8> {
    let mut text = String::new();
    for (name, faces) in solids {
        text += &format!("solid {name}\n");
        for face in &mesh.triangles()[faces.clone()] {
            text += "facet normal 0 0 0\nouter loop\n";
            for vertex in face.map(|index| mesh.vertices()[index as usize]) {
                text += &format!("vertex {} {} {}\n", vertex.x, vertex.y, vertex.z);
            }
            text += "endloop\nendfacet\n";
        }
        text += &format!("endsolid {name}\n");
    }
    text.into_bytes()
}

/// Some triangles of the torus, as they are and with two equal or three collinear corners.
fn partly_flat() -> Mesh {
    let torus = shuffled_torus();
    let mut vertices = torus.vertices().to_vec();
    // Also a vertex that no triangle uses, and ends of a line.
    let first = vertices.len() as u32;
    vertices.extend([[9.0, 9.0, 9.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]].map(Point3::from));
    let flat = |(i, face): (usize, &[u32; 3])| match i % 7 {
        2 => [face[0], face[1], face[0]],
        5 => [first + 1, first + 2, first + 3],
        _ => *face,
    };
    Mesh::from_arrays(vertices, torus.triangles().iter().enumerate().map(flat).collect()).unwrap()
}

#[test]
fn parts_are_those_of_the_mesh_in_memory() {
    let mesh = partly_flat();
    let names = [("a", 0..1500), ("b_lod1", 1500..1501), ("a", 1501..3000), ("UCX_a", 3000..5800), ("c", 5800..6000)];
    let files = [("a.ply", ply(&mesh)), ("a.stl", stl(&mesh)), ("b.stl", solids(&mesh, &names))];
    let is_kept = |name: &str| name == "a" || name.starts_with("UCX");
    for (name, content) in files {
        for memory in [None, Some(PLENTY)] {
            let opened = || opened_within(name, &content, |least| memory.unwrap_or(least * 2)).unwrap();
            let (_folder, large, mesh) = opened();
            let without = large.retain_groups(is_kept).unwrap();
            let mesh_without = mesh.retain_groups(is_kept);
            let (_folder, again, _) = opened();
            let with_area = again.without_zero_area_triangles().unwrap();
            let (_folder, again, _) = opened();
            let both = again.retain_groups(is_kept).unwrap().without_zero_area_triangles().unwrap();
            let expected =
                [mesh_without.clone(), mesh.without_zero_area_triangles(), mesh_without.without_zero_area_triangles()];
            assert!(expected[1].triangles().len() < mesh.triangles().len() * 5 / 7 + 10);
            assert!(expected[0].triangles().len() < mesh.triangles().len() || name != "b.stl");
            for (large, expected) in [&without, &with_area, &both].into_iter().zip(&expected) {
                assert_eq!(large.groups(), expected.groups());
                assert_eq!(
                    (large.triangle_count(), large.vertex_count()),
                    (expected.triangles().len(), expected.vertices().len())
                );
                let options = BuildOptions::default();
                let (tiles, bytes) = cooked(large, &options).unwrap();
                let in_memory = bytes_of(&BvTree::build(expected, &options).unwrap());
                assert_eq!(BvTree::from_bytes(&bytes).unwrap().validate_against(expected), []);
                assert!((tiles == 1) == (bytes == in_memory), "{name}, {tiles} tiles");
                assert!(tiles == 1 || memory.is_none());
            }
        }
    }
    // Nothing is left.
    let (_folder, large, _) = opened("b.stl", &solids(&mesh, &names)).unwrap();
    assert_eq!(large.retain_groups(|_| false).unwrap().triangle_count(), 0);
}

/// The numbers of polygons that leaving out triangles needs are within the memory that was given, or refused.
#[test]
fn parts_are_kept_within_the_memory() {
    let content = ply(&partly_flat());
    let kept = 4 * partly_flat().without_zero_area_triangles().triangles().len() as u64;
    for (memory, suffices) in [(kept, true), (kept - 1, false)] {
        let opened = || opened_within("a.ply", &content, |least| least - 128 * 1024 + memory).unwrap();
        let (_folder, large, _) = opened();
        let left = large.without_zero_area_triangles();
        assert!(suffices == !matches!(left, Err(MeshError::BeyondMemory { .. })));
        assert_eq!(left.is_ok(), suffices);
    }
}

#[test]
fn threads_read_tiles_at_the_same_time() {
    let (_folder, large, _) = opened("a.ply", &ply(&oracle::meshes::torus(120, 60))).unwrap();
    let divided = large.divide(&BuildOptions::default()).unwrap();
    let tiles: Vec<MeshTile> = (0..divided.tile_count()).map(|number| divided.tile(number).unwrap()).collect();
    assert!(tiles.len() >= 10);
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (divided, tiles) = (&divided, &tiles);
            scope.spawn(move || {
                for number in (0..200 * tiles.len()).map(|i| (i + 3 * first) % tiles.len()) {
                    assert!(divided.tile(number).unwrap().mesh == tiles[number].mesh, "tile {number}");
                }
            });
        }
    });
}

#[test]
fn a_mesh_that_lost_all_triangles_has_the_bytes_of_an_empty_mesh() {
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    let flat = Mesh::from_slices(&[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], &[[0, 1, 2]]).unwrap();
    for options in some_options() {
        let expected = bytes_of(&BvTree::build(&empty, &options).unwrap());
        let (_folder, large, _) = opened("a.stl", &stl(&flat)).unwrap();
        let without = large.without_zero_area_triangles().unwrap();
        assert!(cooked(&without, &options).unwrap().1 == expected, "{options:?}");
        let (folder, large, _) = opened("a.stl", &solids(&flat, &[("a", 0..1)])).unwrap();
        let divided = large.retain_groups(|_| false).unwrap().divide(&options).unwrap();
        let path = folder.path().join("tree.bvt");
        divided.cook(&path, |tile| Ok(divided.tile(tile)?.build()?), |_, _| ()).unwrap();
        assert!(fs::read(&path).unwrap() == expected, "{options:?}");
    }
}

#[test]
fn signs_of_zeros_do_not_matter() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, -0.0], [0.0, 1.0, 0.0]];
    for turn in 0..6 {
        let mut corners = corners.map(|[x, y, z]: [f32; 3]| if turn < 3 { [x, y, z] } else { [x, y, -z] });
        corners.rotate_left(turn % 3);
        let (_folder, large, mesh) =
            opened("a.stl", &stl(&Mesh::from_slices(&corners, &[[0, 1, 2]]).unwrap())).unwrap();
        for options in some_options() {
            let bytes = cooked(&large, &options).unwrap().1;
            assert!(bytes == bytes_of(&BvTree::build(&mesh, &options).unwrap()), "{corners:?}, {options:?}");
            assert_eq!(BvTree::from_bytes(&bytes).unwrap().validate_against(&mesh), []);
        }
    }
}

#[test]
fn a_huge_polygon_needs_memory() {
    let corners = 10_000;
    let points: String = (0..30).map(|i| format!("{} {} 0\n", i, i * i)).collect();
    let polygon: String = (0..corners).map(|i| format!(" {}", i % 30)).collect();
    let file = format!(
        "ply\nformat ascii 1.0\nelement vertex 30\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list uint uint vertex_indices\nend_header\n{points}{corners}{polygon}\n"
    );
    let error = opened_within("a.ply", file.as_bytes(), |_| 500_000).err().unwrap();
    let MeshError::File { error, .. } = error else { panic!("{error}") };
    assert!(matches!(*error, MeshError::BeyondMemory { allowed: 500_000 }), "{error}");
    assert!(opened_within("a.ply", file.as_bytes(), |_| PLENTY).is_ok());
}
