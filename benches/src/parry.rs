//! parry3d-f64's two-tree traversal, `Bvh::leaf_pairs`, with bvtree's triangle test at the leaves: the fairest use of
//! it for two posed meshes. (Its own mesh-mesh queries don't descend two trees, and take 10 to 200 times as long.)

use std::ops::ControlFlow;

use bvtree::query::FacePair;
use bvtree::triangle::Triangle;
use bvtree::{Mesh, Pose};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::{Mat3, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};

/// A mesh with parry's tree of its triangles' boxes, built as parry builds it for a `TriMesh`.
pub struct ParryTree<'a> {
    mesh: &'a Mesh,
    triangles: Vec<Triangle>,
    bvh: Bvh,
}

impl<'a> ParryTree<'a> {
    pub fn build(mesh: &'a Mesh) -> Self {
        let triangles: Vec<Triangle> = (0..mesh.triangles().len()).map(|i| mesh.triangle(i as u32)).collect();
        let boxes = triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.vertices.map(|v| Vector::new(v.x, v.y, v.z));
            Aabb::new(a.min(b).min(c), a.max(b).max(c))
        });
        let bvh = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.enumerate());
        Self { mesh, triangles, bvh }
    }

    /// Whether any triangle of `self` touches any of `b`.
    pub fn intersects(&self, b: &ParryTree, b_to_a: &Pose) -> bool {
        self.for_each_intersecting_pair(b, b_to_a, |_| ControlFlow::Break(())).is_break()
    }

    /// How many pairs of triangles touch.
    pub fn count_pairs(&self, b: &ParryTree, b_to_a: &Pose) -> u64 {
        let mut count = 0;
        let _ = self.for_each_intersecting_pair(b, b_to_a, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    fn for_each_intersecting_pair(
        &self,
        b: &ParryTree,
        b_to_a: &Pose,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let test = BoxTest::new(b_to_a);
        for (face_a, face_b) in self.bvh.leaf_pairs(&b.bvh, |a, b| test.overlaps(a, b)) {
            let corners = b.mesh.triangles()[face_b as usize];
            let posed = corners.map(|corner| b_to_a.transform(&b.mesh.vertices()[corner as usize]));
            if self.triangles[face_a as usize].intersects(&Triangle { vertices: posed }) {
                visit(FacePair { face_a, face_b })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Separation of two boxes along the three axes of A's frame and the three of B's.
struct BoxTest {
    rotation: Mat3,
    transposed: Mat3,
    absolute: Mat3,
    absolute_transposed: Mat3,
    translation: Vector,
}

impl BoxTest {
    fn new(b_to_a: &Pose) -> Self {
        // Room for rounding, as other libraries leave it.
        const MARGIN: f64 = 1e-12;
        let rotation = Mat3::from_cols_slice(b_to_a.rotation().as_slice());
        let absolute = Mat3::from_cols_slice(b_to_a.rotation().map(|entry| entry.abs() + MARGIN).as_slice());
        let [x, y, z] = (*b_to_a.translation()).into();
        Self {
            rotation,
            transposed: rotation.transpose(),
            absolute,
            absolute_transposed: absolute.transpose(),
            translation: Vector::new(x, y, z),
        }
    }

    #[inline(always)]
    fn overlaps(&self, a: &BvhNode, b: &BvhNode) -> bool {
        let (half_a, half_b) = ((a.maxs() - a.mins()) * 0.5, (b.maxs() - b.mins()) * 0.5);
        let apart = self.rotation * b.center() + self.translation - a.center();
        apart.abs().cmple(half_a + self.absolute * half_b).all()
            && (self.transposed * apart).abs().cmple(half_b + self.absolute_transposed * half_a).all()
    }
}

/// parry3d's refit, in f32: every triangle's box put into its tree, then all boxes above.
pub struct ParryRefit {
    triangles: Vec<[u32; 3]>,
    bvh: parry3d::partitioning::Bvh,
}

impl ParryRefit {
    pub fn new(mesh: &Mesh) -> Self {
        let boxes = mesh.triangles().iter().map(|triangle| triangle_box(mesh.vertices(), triangle));
        let bvh =
            parry3d::partitioning::Bvh::from_iter(parry3d::partitioning::BvhBuildStrategy::Binned, boxes.enumerate());
        Self { triangles: mesh.triangles().to_vec(), bvh }
    }

    pub fn refit(&mut self, vertices: &[nalgebra::Point3<f32>]) {
        for (number, triangle) in (0..).zip(&self.triangles) {
            self.bvh.insert_or_update_partially(triangle_box(vertices, triangle), number, 0.0);
        }
        self.bvh.refit_without_opt();
    }
}

fn triangle_box(vertices: &[nalgebra::Point3<f32>], triangle: &[u32; 3]) -> parry3d::bounding_volume::Aabb {
    let [a, b, c] = triangle.map(|corner| {
        let p = &vertices[corner as usize];
        parry3d::math::Vector::new(p.x, p.y, p.z)
    });
    parry3d::bounding_volume::Aabb::new(a.min(b).min(c), a.max(b).max(c))
}
