//! Built trees have no defects, and the validator finds every defect that is put into one.

use bvtree::cook::CookError;
use bvtree::tree::TreeDefect;
use bvtree::{BvTree, Mesh, VolumeKind};
use bvtree_test_support::checks::cooked_files::seal;
use nalgebra::Point3;

use super::damage::section;
use super::meshes::{self, soup};
use super::{all_options, build, bytes_of};

#[test]
fn built_trees_are_sound() {
    for (name, mesh) in meshes::all(if cfg!(debug_assertions) { 200 } else { 3000 }) {
        for options in all_options() {
            let tree = BvTree::build(&mesh, &options).unwrap();
            assert_eq!(tree.validate_against(&mesh), [], "{name}, {options:?}");
            assert!(tree.split_depth() <= options.max_depth);
            assert!(tree.triangle_count() == 0 || tree.depth() < 40, "{name}, {options:?}: {}", tree.depth());
        }
    }
}

/// Changes a word of a section, seals the file and opens it.
fn changed(bytes: &[u8], part: usize, word: usize, change: impl Fn(u32) -> u32) -> Result<BvTree, CookError> {
    let mut bytes = bytes.to_vec();
    let at = section(&bytes, part).start + 4 * word;
    let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    bytes[at..at + 4].copy_from_slice(&change(old).to_le_bytes());
    seal(&mut bytes);
    BvTree::from_bytes(&bytes)
}

fn defect(opened: Result<BvTree, CookError>) -> TreeDefect {
    match opened {
        Err(CookError::Defect(defect)) => defect,
        other => panic!("expected a defect, got {other:?}"),
    }
}

const NODES: usize = 0;
const VERTICES: usize = 1;
const CORNERS: usize = 2;
const FACES: usize = 3;
const POLYGONS: usize = 4;

/// A float's bits, a little smaller.
fn shrunk(word: u32) -> u32 {
    (f32::from_bits(word) * 0.9).to_bits()
}

#[test]
fn a_shrunk_volume_is_found() {
    let mesh = soup(60, 3);
    // The first length of the root volume, a node of one volume, and of lane 0 of the node after it.
    for (kind, fields, length) in
        [(VolumeKind::Aabb, 7, 3), (VolumeKind::Obb, 13, 9), (VolumeKind::Sphere, 5, 3), (VolumeKind::KDop, 19, 9)]
    {
        let bytes = bytes_of(&build(&mesh, kind, 1));
        for (volume, word) in [(0, length), (1, fields + length * 8)] {
            let defects = changed(&bytes, NODES, word, shrunk).unwrap().validate();
            assert!(!defects.is_empty(), "{kind}, volume {volume}");
            for defect in defects {
                assert!(matches!(defect, TreeDefect::NotEnclosed { volume: found, .. } if found == volume), "{defect}");
            }
        }
    }
}

#[test]
fn skewed_axes_are_found() {
    let bytes = bytes_of(&build(&soup(60, 3), VolumeKind::Obb, 1));
    let defects = changed(&bytes, NODES, 0, |word| (f32::from_bits(word) + 0.001).to_bits()).unwrap().validate();
    assert!(matches!(defects[0], TreeDefect::Axes { volume: 0, deviation } if deviation > 1e-4), "{defects:?}");
}

#[test]
fn a_broken_structure_is_found_on_opening() {
    let tree = build(&soup(400, 3), VolumeKind::Aabb, 2);
    let bytes = bytes_of(&tree);
    let volumes = tree.node_count();
    // The reference of the root volume: a node of 8.
    let reference = 6;
    let found = |change: fn(u32) -> u32| defect(changed(&bytes, NODES, reference, change));
    assert!(matches!(found(|_| 0), TreeDefect::Children { volume: 0, found: 0, expected: 1, .. }), "a cycle");
    assert!(matches!(found(|word| word + 1), TreeDefect::Children { volume: 0, found: 2, expected: 1, .. }));
    assert!(matches!(found(|_| 1 << 31 | 7), TreeDefect::LeafStart { volume: 0, found: 7, expected: 0, .. }));
    let TreeDefect::VolumesLeftOver { reached: 1, volumes: left } = found(|_| 1 << 31) else { panic!("a leaf") };
    assert_eq!(left, volumes);
    let not_finite = defect(changed(&bytes, NODES, 0, |_| f32::NAN.to_bits()));
    assert_eq!(not_finite, TreeDefect::VolumeNotFinite { volume: 0 });
    let not_finite = defect(changed(&bytes, NODES, 7 + 8 * 2 + 5, |_| f32::INFINITY.to_bits()));
    assert_eq!(not_finite, TreeDefect::VolumeNotFinite { volume: 6 });
    let negative = defect(changed(&bytes, NODES, 7 + 8 * 4 + 3, |word| word | 1 << 31));
    assert_eq!(negative, TreeDefect::NegativeExtent { volume: 4 });
    let padding = defect(changed(&bytes, NODES, 7 * volumes + 3, |_| 1));
    assert_eq!(padding, TreeDefect::Padding { word: 7 * volumes + 3 });

    assert!(matches!(
        defect(changed(&bytes, VERTICES, 0, |_| f32::NAN.to_bits())),
        TreeDefect::VertexNotFinite { vertex: 0 }
    ));
    assert!(matches!(defect(changed(&bytes, VERTICES, 100, |_| 9f32.to_bits())), TreeDefect::Bounds));
    let corner = defect(changed(&bytes, CORNERS, 31, |_| 5000));
    assert_eq!(corner, TreeDefect::CornerOutOfRange { triangle: 10, index: 5000, vertices: 1200 });
    assert!(matches!(
        defect(changed(&bytes, CORNERS, 31, |word| word | 1 << 31)),
        TreeDefect::CornerOutOfRange { triangle: 10, .. }
    ));
    let order = defect(changed(&bytes, CORNERS, 5, |_| 6));
    assert_eq!(order, TreeDefect::VertexOrder { triangle: 1, index: 6, used: 5 });
    // Its last vertex is used by no triangle, and is inside or outside of the box of the others.
    let unused = defect(changed(&bytes, CORNERS, 3 * 400 - 1, |_| 1198));
    assert_eq!(unused, TreeDefect::UnusedVertices { used: 1199, vertices: 1200 });
    let last = 3 * 399;
    assert!(matches!(defect(changed(&bytes, CORNERS, last, |word| word & !(1 << 31))), TreeDefect::LeafEnd { .. }));
    let face = defect(changed(&bytes, FACES, 4, |_| 400));
    assert_eq!(face, TreeDefect::FaceOutOfRange { triangle: 4, face: 400, faces: 400 });
    let repeated = |word: u32| if word == 7 { 8 } else { 7 };
    assert!(matches!(defect(changed(&bytes, FACES, 4, repeated)), TreeDefect::FaceRepeated { face: 7 | 8, .. }));
}

#[test]
fn wrong_header_numbers_are_found_on_opening() {
    let bytes = bytes_of(&build(&soup(60, 3), VolumeKind::Sphere, 2));
    let changed = |offset: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[offset..offset + value.len()].copy_from_slice(value);
        seal(&mut bytes);
        BvTree::from_bytes(&bytes).unwrap_err()
    };
    let count = |offset, what| {
        let error = changed(offset, &1u32.to_le_bytes());
        assert!(matches!(error, CookError::Defect(TreeDefect::Count { what: found, .. }) if found == what), "{error}");
    };
    count(180, "depth");
    count(184, "number of leaves");
    count(188, "greatest number of triangles in a leaf");
    for (offset, value) in [(176, 1u32), (176, 60), (40, 2)] {
        let error = changed(offset, &value.to_le_bytes());
        assert!(matches!(error, CookError::Defect(TreeDefect::SplitDepth { .. })), "{error}");
    }
    for unit in [0.0, -1.0, 3.0, f64::NAN, f64::INFINITY, 2f64.powi(-20), 5e-324] {
        assert!(matches!(changed(88, &unit.to_le_bytes()), CookError::Defect(TreeDefect::Frame)), "{unit}");
    }
    assert!(matches!(changed(64, &9f64.to_le_bytes()), CookError::Defect(TreeDefect::Frame)));
    for (first, count, name) in [(64, 3, "origin of the frame"), (96, 6, "bounds")] {
        for at in (first..).step_by(8).take(count) {
            let error = changed(at, &(-0.0f64).to_le_bytes());
            assert!(
                matches!(error, CookError::Field { field, offset, .. } if field == name && offset == at),
                "{error}"
            );
        }
    }
    assert!(matches!(changed(96, &(-9f64).to_le_bytes()), CookError::Defect(TreeDefect::Bounds)));
    let choices = ["volume kind", "split rule", "box fit", "sphere fit", "builder", "collapse", "encoding"];
    for (offset, name) in (32..).zip(choices) {
        assert!(matches!(changed(offset, &[10]), CookError::Field { field, found: 10, .. } if field == name));
    }
    assert!(matches!(changed(44, &[0; 4]), CookError::Field { field: "max_leaf_triangles", found: 0, offset: 44, .. }));
    for offset in [160, 164, 168, 172] {
        assert!(matches!(changed(offset, &[0xff; 4]), CookError::Field { offset: found, .. } if found == offset));
    }
    for offset in [12, 39, 52, 63, 360, 383] {
        assert!(matches!(changed(offset, &[7]), CookError::NotZero { offset: found, found: 7 } if found == offset));
    }
    for number in [f64::NAN, f64::INFINITY, -0.0] {
        let error = changed(344, &number.to_le_bytes());
        assert!(matches!(error, CookError::Field { field: "mesh origin", offset: 344, .. }), "{error}");
    }
    for entry in 0..6 {
        for field in [0, 8] {
            let error = changed(192 + 24 * entry + field, &[0xff; 8]);
            assert!(matches!(error, CookError::Section { .. }), "{error}");
        }
    }
    // One volume, vertex, triangle more, and a group less.
    for (offset, value) in [(160, 4096u32), (164, 181), (168, 61)] {
        assert!(matches!(changed(offset, &value.to_le_bytes()), CookError::Section { .. }), "{offset}");
    }
    assert!(matches!(changed(172, &1u32.to_le_bytes()), CookError::Group { group: 1, .. }));
    assert!(matches!(changed(172, &3u32.to_le_bytes()), CookError::Group { group: 2, .. }));
    let groups = section(&bytes, 5).start;
    assert!(matches!(changed(groups + 4, &[0xff; 8]), CookError::Group { group: 0, .. }));
    assert!(
        matches!(changed(groups + 12, &[0xff]), CookError::Group { group: 0, problem, .. } if problem.contains("UTF-8"))
    );
    for first in [30u32, 60] {
        let error = changed(groups, &first.to_le_bytes());
        assert!(matches!(error, CookError::Defect(TreeDefect::GroupRange { group: 0 })), "{error}");
    }
}

/// What a file stores in another way is refused: a tree has one valid file.
#[test]
fn redundant_content_is_refused() {
    let [empty, polygons] = [
        Mesh::from_arrays(Vec::new(), Vec::new()).unwrap(),
        Mesh::from_parts(soup(60, 3).vertices().into(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 2], Vec::new()).unwrap(),
    ];
    let mut bytes = bytes_of(&build(&empty, VolumeKind::Aabb, 1));
    bytes[64..72].copy_from_slice(&1f64.to_le_bytes());
    seal(&mut bytes);
    assert_eq!(defect(BvTree::from_bytes(&bytes)), TreeDefect::Frame);
    let bytes = bytes_of(&build(&polygons, VolumeKind::Aabb, 1));
    assert_eq!(defect(changed(&bytes, POLYGONS, 1, |_| 1)), TreeDefect::PolygonsOfFaces);
    assert!(changed(&bytes, POLYGONS, 1, |_| 7).is_ok());
}

/// Alters a mesh's vertices, triangles and polygons.
type Change<'a> = &'a dyn Fn(&mut Vec<Point3<f32>>, &mut Vec<[u32; 3]>, &mut Vec<u32>);

#[test]
fn another_mesh_is_told_apart() {
    let mesh = soup(60, 3);
    let tree = build(&mesh, VolumeKind::Obb, 1);
    let [vertices, triangles] = [mesh.vertices().len(), mesh.triangles().len()];
    let with = |change: Change<'_>| {
        let (mut vertices, mut triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        let mut polygons = (0..60).map(|triangle| mesh.polygon(triangle)).collect();
        change(&mut vertices, &mut triangles, &mut polygons);
        let changed = Mesh::from_parts(vertices, triangles, polygons, mesh.groups().into()).unwrap();
        tree.validate_against(&changed)
    };
    assert_eq!(with(&|_, _, _| ()), []);
    assert_eq!(
        with(&|vertices, _, _| vertices[30].x = 0.25),
        [TreeDefect::MeshCoordinates { face: 10 }, TreeDefect::MeshDigest]
    );
    assert_eq!(with(&|_, triangles, _| triangles[10].swap(0, 1))[0], TreeDefect::MeshCoordinates { face: 10 });
    assert_eq!(with(&|_, _, polygons| polygons[10] = 1)[0], TreeDefect::MeshPolygon { face: 10 });
    assert_eq!(with(&|vertices, _, _| vertices.push(vertices[0])), [TreeDefect::MeshDigest]);
    let fewer = |_: &mut _, triangles: &mut Vec<_>, polygons: &mut Vec<_>| {
        triangles.pop();
        polygons.pop();
    };
    assert_eq!(with(&fewer), [TreeDefect::MeshTriangles { tree: 60, mesh: 59 }]);
    let ungrouped =
        Mesh::from_parts(mesh.vertices().into(), mesh.triangles().into(), (0..60).map(|i| i / 2).collect(), vec![])
            .unwrap();
    assert_eq!(tree.validate_against(&ungrouped), [TreeDefect::MeshGroups, TreeDefect::MeshDigest]);
    assert_eq!((vertices, triangles), (180, 60));
}
