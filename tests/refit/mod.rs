//! Refitted trees enclose their triangles and answer as trees that were built for them.

mod deformed;
mod hostile;
mod partly;
mod trees;

use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions};
use bvtree::tree::NodeInfo;
use bvtree::{BuildOptions, BvTree, Mesh, Preset, VolumeKind};
use nalgebra::Point3;

/// Ways to deform a mesh, by what they do to points in a box of size 2 about the origin.
#[derive(Clone, Copy, Debug)]
pub enum Deformation {
    Twist,
    Bend,
    Noise,
    Stretch,
}

impl Deformation {
    pub const ALL: [Self; 4] = [Self::Twist, Self::Bend, Self::Noise, Self::Stretch];

    /// So much of it, 1 for a lot.
    pub fn of(self, mesh: &Mesh, amount: f64) -> Vec<Point3<f32>> {
        let bounds = mesh.aabb();
        let (center, size) = (bounds.center(), 0.5 * bounds.size().amax().max(1e-30));
        let mut random = 1_u64;
        let mut shake = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 40) as f64 / (1 << 24) as f64 - 0.5
        };
        let moved = |vertex: &Point3<f32>| {
            let p = (vertex.map(f64::from) - center) / size;
            let q = match self {
                Self::Twist => {
                    let (sin, cos) = (2.0 * amount * p.z).sin_cos();
                    [cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z]
                }
                Self::Bend => {
                    let (sin, cos) = (amount * p.z).sin_cos();
                    let radius = 1.0 / amount - p.x;
                    [1.0 / amount - radius * cos, p.y, radius * sin]
                }
                Self::Noise => [p.x, p.y, p.z].map(|x| x + 0.1 * amount * shake()),
                Self::Stretch => [p.x * (1.0 + amount), p.y / (1.0 + amount), p.z],
            };
            (center + size * nalgebra::Vector3::from(q)).map(|x| x as f32)
        };
        mesh.vertices().iter().map(moved).collect()
    }
}

/// The mesh with other positions.
pub fn with_positions(mesh: &Mesh, positions: &[Point3<f32>]) -> Mesh {
    Mesh::from_arrays(positions.to_vec(), mesh.triangles().to_vec()).unwrap()
}

pub fn deforming(mesh: &Mesh, build: &BuildOptions, obb_axes: ObbAxes) -> DeformingTree {
    let tree = BvTree::build(mesh, build).unwrap();
    let options = RefitOptions { obb_axes, rebuild_above: None };
    DeformingTree::with_options(tree, mesh.clone(), options).unwrap()
}

/// The presets of all kinds, and leaves of many triangles.
pub fn builds() -> impl Iterator<Item = BuildOptions> {
    VolumeKind::ALL.into_iter().flat_map(|kind| {
        let many = BuildOptions { max_leaf_triangles: 5, max_depth: 6, ..BuildOptions::obbtree_rules(kind) };
        Preset::ALL.map(|preset| preset.options(kind)).into_iter().chain([many])
    })
}

pub fn nodes(tree: &BvTree) -> Vec<NodeInfo> {
    tree.nodes().collect()
}

/// A tree is sound, and holds the mesh.
pub fn assert_sound(tree: &BvTree, mesh: &Mesh, what: &str) {
    let defects = tree.validate();
    assert!(defects.is_empty(), "{what}: {:?}", &defects[..defects.len().min(3)]);
    assert_eq!(tree.bounds(), &mesh.aabb(), "{what}");
    for face in 0..mesh.triangles().len().min(50) as u32 {
        let place = tree.faces().iter().position(|&at| at == face).unwrap();
        assert!(place < tree.triangle_count());
    }
}
