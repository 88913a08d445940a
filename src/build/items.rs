//! The triangles as builders move them: corners in place, so that passes stream.

use nalgebra::Point3;

use crate::mesh::Mesh;

/// A triangle and its index in the mesh.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) corners: [[f32; 3]; 3],
    pub(super) face: u32,
}

impl Item {
    pub(super) fn points(&self) -> [Point3<f64>; 3] {
        self.corners.map(|[x, y, z]| Point3::new(f64::from(x), f64::from(y), f64::from(z)))
    }

    /// Three times the centroid: splits compare it with three times the plane's offset.
    #[inline(always)]
    pub(super) fn corner_sum(&self) -> [f64; 3] {
        let [a, b, c] = self.corners;
        std::array::from_fn(|x| f64::from(a[x]) + f64::from(b[x]) + f64::from(c[x]))
    }
}

/// The mesh's triangles in file order.
pub(super) fn gather(mesh: &Mesh) -> Vec<Item> {
    let vertices = mesh.vertices();
    (0u32..)
        .zip(mesh.triangles())
        .map(|(face, corners)| Item { corners: corners.map(|v| vertices[v as usize].coords.into()), face })
        .collect()
}
