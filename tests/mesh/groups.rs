//! Meshes split by their groups.

use bvtree::mesh::Mesh;
use nalgebra::Vector3;
use proptest::prelude::*;

use super::point;

const TEXT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\ng a\nf 1 2 3 4\ng b\nf 4 3 2\ng a\nf 2 3 4\n";

fn faces(mesh: &Mesh) -> Vec<(u32, Option<&str>)> {
    let face = |face| (mesh.polygon(face), mesh.group_of(face).map(|group| group.name.as_str()));
    (0..mesh.triangles().len() as u32).map(face).collect()
}

#[test]
fn a_mesh_splits_into_its_groups() {
    let mesh = Mesh::read_obj(TEXT.as_bytes()).unwrap();
    let parts = mesh.split_by_group();
    assert_eq!(parts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["", "a", "b"]);
    assert_eq!(faces(&parts[0].1), [(0, None)]);
    assert_eq!(faces(&parts[1].1), [(1, Some("a")), (1, Some("a")), (3, Some("a"))]);
    assert_eq!((parts[2].1.vertices().len(), parts[2].1.triangles()), (3, &[[2, 1, 0]][..]));
    assert!(parts.iter().map(|(_, part)| part.iter().count()).eq([1, 3, 1]));
    assert_eq!(parts[1].1.triangle(2), mesh.triangle(4));
}

#[test]
fn groups_are_left_out() {
    let mesh = Mesh::read_obj(TEXT.as_bytes()).unwrap();
    assert_eq!(faces(&mesh.retain_groups(|name| name == "b")), [(0, None), (2, Some("b"))]);
    assert_eq!(mesh.retain_groups(|_| true).iter().collect::<Vec<_>>(), mesh.iter().collect::<Vec<_>>());
    assert_eq!(Mesh::from_arrays(vec![], vec![]).unwrap().split_by_group(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On whole numbers, cross products are exact.
    #[test]
    fn zero_area_triangles_are_left_out_and_polygons_stay(
        corners in prop::collection::vec(prop::array::uniform3(-2i8..3), 3..40)
    ) {
        let vertices: Vec<_> = corners.iter().map(|p| point(p[0].into(), p[1].into(), p[2].into())).collect();
        let triangles: Vec<[u32; 3]> = (0..vertices.len() as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
        let mesh = Mesh::from_arrays(vertices, triangles).unwrap();
        let cleaned = mesh.without_zero_area_triangles();
        let has_area = |face: &u32| mesh.triangle(*face).scaled_normal() != Vector3::zeros();
        let expected: Vec<u32> = (0..mesh.triangles().len() as u32).filter(has_area).collect();
        let kept: Vec<u32> = (0..cleaned.triangles().len() as u32).map(|face| cleaned.polygon(face)).collect();
        prop_assert_eq!(&kept, &expected);
        for (face, source) in (0..).zip(expected) {
            prop_assert_eq!(cleaned.triangle(face), mesh.triangle(source));
        }
    }
}

#[test]
fn names_have_numbers() {
    let mesh = Mesh::read_obj(TEXT.as_bytes()).unwrap();
    let groups = mesh.group_ids();
    assert_eq!((groups.names, groups.ids), (["", "a", "b"].map(str::to_owned).to_vec(), vec![0, 1, 1, 2, 1]));
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    assert_eq!(empty.group_ids(), bvtree::mesh::GroupIds::default());
}
