//! Conversions to and from parry3d's types (feature `parry`). parry3d stores f32: vertices and triangles convert
//! without loss, boxes are rounded outward, and poses are rounded. A mesh's groups, polygons and origin are lost.
//!
//! ```
//! use bvtree::{Mesh, Pose};
//! use parry3d::shape::TriMesh;
//!
//! let mesh = Mesh::from_slices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
//! let shape = TriMesh::try_from(&mesh)?;
//! assert_eq!(Mesh::try_from(&shape)?, mesh);
//! let pose = Pose::try_from(parry3d::math::Pose::translation(1.0, 2.0, 3.0))?;
//! assert_eq!(pose.translation().z, 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nalgebra::{Point3, Rotation3, UnitQuaternion, Vector3};
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::shape::{TriMesh, TriMeshBuilderError};

use crate::mesh::{Mesh, MeshError};
use crate::numeric::error_bounds::QUATERNION_ROUNDING_F32;
use crate::pose::{Pose, PoseError};
use crate::shape::Aabb;

impl TryFrom<&Mesh> for TriMesh {
    type Error = TriMeshBuilderError;

    /// Converts vertices and triangles without loss or reordering: each triangle keeps its index. Groups, polygons and
    /// the origin are lost.
    ///
    /// # Errors
    /// Fails if the mesh is empty, because parry3d has no empty meshes.
    fn try_from(mesh: &Mesh) -> Result<Self, Self::Error> {
        let vertices = mesh.vertices().iter().map(|vertex| Vector::from(*vertex)).collect();
        TriMesh::new(vertices, mesh.triangles().to_vec())
    }
}

impl TryFrom<&TriMesh> for Mesh {
    type Error = MeshError;

    /// Converts vertices and triangles without loss or reordering. The mesh has no groups.
    ///
    /// # Errors
    /// Fails as [`Mesh::from_arrays`] does.
    fn try_from(shape: &TriMesh) -> Result<Self, Self::Error> {
        let vertices = shape.vertices().iter().map(|vertex| Point3::from(*vertex)).collect();
        Mesh::from_arrays(vertices, shape.indices().to_vec())
    }
}

impl From<ParryAabb> for Aabb {
    /// Converts to f64 without rounding.
    fn from(aabb: ParryAabb) -> Self {
        let widen = |corner: Vector| Point3::from(corner).cast();
        Self { lower: widen(aabb.mins), upper: widen(aabb.maxs) }
    }
}

impl From<Aabb> for ParryAabb {
    /// Rounds outward to f32; an empty box stays empty.
    fn from(aabb: Aabb) -> Self {
        Self { mins: aabb.lower.map(round_down).into(), maxs: aabb.upper.map(|x| -round_down(-x)).into() }
    }
}

/// The largest f32 that is at most `x`.
fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

impl TryFrom<ParryPose> for Pose {
    type Error = PoseError;

    /// Converts to f64. [Exact rotations](Pose#flush-contact) stay exact, up to f32 rounding of the quaternion.
    ///
    /// # Errors
    /// Fails if an entry is not finite or the quaternion is zero.
    fn try_from(pose: ParryPose) -> Result<Self, Self::Error> {
        let translation = Vector3::from(pose.translation).cast();
        Pose::from_rounded_quaternion(pose.rotation.to_array().map(f64::from), QUATERNION_ROUNDING_F32, translation)
    }
}

impl From<&Pose> for ParryPose {
    /// The pose rounded to f32; its matrix is taken to be an exact rotation.
    fn from(pose: &Pose) -> Self {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*pose.rotation()));
        let [i, j, k, w] = rotation.coords.cast::<f32>().into();
        let translation: Vector3<f32> = pose.translation().cast();
        ParryPose::from_parts(translation.into(), Rotation::from_xyzw(i, j, k, w).normalize())
    }
}
