//! Meshes split by their groups.

use bvtree::mesh::Mesh;

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
