//! Meshes, shapes and poses that the tests share.

use bvtree::{BuildOptions, BvTree, Mesh};
use bvtree_parry::{InternalEdges, TreeShape};
use nalgebra::Point3;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::shape::{
    Ball, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, RoundShape, Shape, SharedShape, TriMesh,
    TriMeshFlags, Triangle,
};

/// The same mesh as a tree and as parry3d's `TriMesh`.
pub struct Level {
    pub tree: TreeShape,
    pub trimesh: TriMesh,
}

impl Level {
    pub fn new(mesh: &Mesh, edges: InternalEdges) -> Self {
        let flags = match edges {
            InternalEdges::Uncorrected => TriMeshFlags::empty(),
            InternalEdges::OneSided => TriMeshFlags::FIX_INTERNAL_EDGES,
            InternalEdges::TwoSided => TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED,
        };
        let tree = BvTree::build(mesh, &BuildOptions::default()).expect("the mesh is small");
        let tree = TreeShape::new(tree).expect("it has triangles").with_internal_edges(edges);
        let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let trimesh = TriMesh::with_flags(vertices, mesh.triangles().to_vec(), flags).expect("it has triangles");
        Self { tree, trimesh }
    }

    pub fn triangles(&self) -> impl Iterator<Item = (u32, Triangle)> + '_ {
        (0..).zip(self.trimesh.triangles())
    }
}

/// A square of `2 * half` per side with this many cells per side, at the heights of a function. Y is up.
pub fn terrain(half: f32, cells: u32, height: impl Fn(f32, f32) -> f32) -> Mesh {
    let at = |i: u32| half * (2.0 * i as f32 / cells as f32 - 1.0);
    let corners = (0..=cells).flat_map(|i| (0..=cells).map(move |k| (i, k)));
    let vertices = corners.map(|(i, k)| Point3::new(at(i), height(at(i), at(k)), at(k))).collect();
    let index = |i: u32, k: u32| i * (cells + 1) + k;
    let cell = |(i, k)| {
        let [a, b, c, d] = [index(i, k), index(i, k + 1), index(i + 1, k + 1), index(i + 1, k)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..cells).flat_map(|i| (0..cells).map(move |k| (i, k))).flat_map(cell).collect();
    Mesh::from_arrays(vertices, triangles).expect("all numbers are finite")
}

pub fn flat() -> Mesh {
    terrain(12.0, 24, |_, _| 0.0)
}

/// Bowls with 4 m from the centre of one to that of the next.
pub fn bumpy() -> Mesh {
    let wave = |x: f32| (x * std::f32::consts::FRAC_PI_2).cos();
    terrain(12.0, 48, |x, z| 0.6 - 0.3 * (wave(x) + wave(z)))
}

/// Random triangles anywhere, unlike those of a level.
pub fn soup(random: &mut Random) -> Mesh {
    let mut vertices = Vec::new();
    for _ in 0..120 {
        let center = random.vector(3.0);
        for _ in 0..3 {
            vertices.push(Point3::from((center + random.vector(1.0)).to_array()));
        }
    }
    Mesh::from_arrays(vertices, (0..120).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
        .expect("all numbers are finite")
}

/// One of each of parry3d's convex shapes, about half a metre large, and a compound.
pub fn shapes() -> Vec<(&'static str, SharedShape)> {
    let points =
        [[0.3, 0.0, 0.1], [-0.2, 0.1, 0.3], [-0.3, -0.1, -0.2], [0.2, 0.2, -0.3], [0.0, 0.35, 0.0], [0.1, -0.3, 0.0]];
    let hull = || {
        let hull = ConvexPolyhedron::from_convex_hull(&points.map(Vector::from));
        hull.expect("the points are not in a plane")
    };
    let cuboid = Cuboid::new(Vector::new(0.3, 0.2, 0.25));
    let (cylinder, cone) = (Cylinder::new(0.25, 0.2), Cone::new(0.3, 0.3));
    let dumbbell = [-0.3, 0.3].map(|x| (Pose::translation(x, 0.0, 0.0), SharedShape::ball(0.2)));
    let shared = |shape: Box<dyn Shape>| SharedShape(shape.into());
    vec![
        ("ball", shared(Box::new(Ball::new(0.3)))),
        ("cuboid", shared(Box::new(cuboid))),
        ("capsule", shared(Box::new(Capsule::new_x(0.3, 0.2)))),
        ("hull", shared(Box::new(hull()))),
        ("cylinder", shared(Box::new(cylinder))),
        ("cone", shared(Box::new(cone))),
        ("round cuboid", shared(Box::new(RoundShape { inner_shape: cuboid, border_radius: 0.05 }))),
        ("round cylinder", shared(Box::new(RoundShape { inner_shape: cylinder, border_radius: 0.05 }))),
        ("round cone", shared(Box::new(RoundShape { inner_shape: cone, border_radius: 0.05 }))),
        ("round hull", shared(Box::new(RoundShape { inner_shape: hull(), border_radius: 0.05 }))),
        ("compound", shared(Box::new(Compound::new(dumbbell.to_vec())))),
    ]
}

/// Pseudo-random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// A random number from -1 to less than 1.
    pub fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self, size: f32) -> Vector {
        Vector::new(self.number(), self.number(), self.number()) * size
    }

    pub fn pose(&mut self, size: f32) -> Pose {
        Pose::from_parts(self.vector(size), Rotation::from_scaled_axis(self.vector(3.0)))
    }
}
