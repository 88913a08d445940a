//! The nodes of a tree, and the mesh back from it.

use bvtree::shape::ClosestPoint;
use bvtree::tree::NodeInfo;
use bvtree::{BuildOptions, BvTree, Mesh, Volume, VolumeKind};

fn nodes(tree: &BvTree) -> Vec<NodeInfo> {
    assert_eq!(tree.nodes().len(), tree.node_count());
    tree.nodes().collect()
}

#[test]
fn the_mesh_comes_back_triangle_by_triangle() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/crate.obj")).unwrap();
    for kind in VolumeKind::ALL {
        let options = BuildOptions { max_leaf_triangles: 3, ..BuildOptions::obbtree_rules(kind) };
        let tree = BvTree::build(&mesh, &options).unwrap();
        let back = tree.to_mesh().unwrap();
        assert_eq!((back.triangles().len(), back.groups()), (mesh.triangles().len(), mesh.groups()));
        for face in 0..mesh.triangles().len() as u32 {
            assert_eq!(back.triangle(face), mesh.triangle(face));
            assert_eq!(back.polygon(face), mesh.polygon(face));
            assert_eq!(tree.triangle(face), Some(mesh.triangle(face)));
        }
        assert_eq!(tree.triangle(mesh.triangles().len() as u32), None);
        assert_eq!(BvTree::build(&back, &options).unwrap().nodes().collect::<Vec<_>>(), nodes(&tree));
    }
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    let tree = BvTree::build(&empty, &BuildOptions::default()).unwrap();
    assert_eq!(tree.to_mesh().unwrap(), empty);
}

#[test]
fn the_triangles_below_a_node_stand_together() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/nonmanifold.obj")).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let nodes = nodes(&tree);
    assert_eq!((nodes[0].first_triangle, nodes[0].triangles), (0, mesh.triangles().len()));
    let mut next: Vec<usize> = nodes.iter().map(|node| node.first_triangle).collect();
    for node in &nodes {
        if let Some(parent) = node.parent {
            assert_eq!(node.first_triangle, next[parent]);
            next[parent] += node.triangles;
        }
        // Up to the rounding of coordinates back from the unit that volumes are stored in.
        let slack = 1e-6 * mesh.aabb().size().norm();
        for &face in &tree.faces()[node.first_triangle..][..node.triangles] {
            for vertex in mesh.triangle(face).vertices {
                let Volume::Obb(obb) = node.volume else { unreachable!("the default kind") };
                let nearest = obb.closest_point(&vertex);
                assert!((nearest - vertex).norm() <= slack);
            }
        }
    }
    for (node, end) in nodes.iter().zip(next).filter(|(node, _)| !node.is_leaf()) {
        assert_eq!(end, node.first_triangle + node.triangles);
    }
}
