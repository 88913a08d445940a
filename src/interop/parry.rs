//! Conversions to and from parry3d's types, for people who use both (feature `parry`).
//!
//! parry3d computes in f32 here: a mesh converts without loss, boxes are rounded outward, poses are rounded.
//!
//! ```
//! use bvtree::{Mesh, Pose};
//! use parry3d::shape::TriMesh;
//!
//! let mesh = Mesh::from_arrays(vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into(), [0.0, 1.0, 0.0].into()], vec![[0, 1, 2]])?;
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

    /// The same vertices and triangles, in the same order: parry3d's triangle indices are our face numbers.
    ///
    /// # Errors
    /// If the mesh is empty, for parry3d has no empty meshes.
    fn try_from(mesh: &Mesh) -> Result<Self, Self::Error> {
        let vertices = mesh.vertices().iter().map(|vertex| Vector::from(*vertex)).collect();
        TriMesh::new(vertices, mesh.triangles().to_vec())
    }
}

impl TryFrom<&TriMesh> for Mesh {
    type Error = MeshError;

    /// The same vertices and triangles, in the same order, without groups.
    ///
    /// # Errors
    /// As [`Mesh::from_arrays`].
    fn try_from(shape: &TriMesh) -> Result<Self, Self::Error> {
        let vertices = shape.vertices().iter().map(|vertex| Point3::from(*vertex)).collect();
        Mesh::from_arrays(vertices, shape.indices().to_vec())
    }
}

impl From<ParryAabb> for Aabb {
    /// The same box, widened to f64 without loss.
    fn from(aabb: ParryAabb) -> Self {
        let widen = |corner: Vector| Point3::from(corner).cast();
        Self { lower: widen(aabb.mins), upper: widen(aabb.maxs) }
    }
}

impl From<Aabb> for ParryAabb {
    /// The smallest box of f32 coordinates that contains this one; an empty box stays empty.
    fn from(aabb: Aabb) -> Self {
        Self { mins: aabb.lower.map(round_down).into(), maxs: aabb.upper.map(|x| -round_down(-x)).into() }
    }
}

/// The greatest f32 that is not above `x`.
fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

impl TryFrom<ParryPose> for Pose {
    type Error = PoseError;

    /// The pose in f64. [What is exact](Pose#flush-contact) stays exact, to f32's rounding of the quaternion.
    ///
    /// # Errors
    /// If an entry is not finite or the quaternion is zero.
    fn try_from(pose: ParryPose) -> Result<Self, Self::Error> {
        let translation = Vector3::from(pose.translation).cast();
        Pose::from_rounded_quaternion(pose.rotation.to_array().map(f64::from), QUATERNION_ROUNDING_F32, translation)
    }
}

impl From<&Pose> for ParryPose {
    /// The pose rounded to f32, its matrix taken for the rotation it nearly is.
    fn from(pose: &Pose) -> Self {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*pose.rotation()));
        let [i, j, k, w] = rotation.coords.cast::<f32>().into();
        let translation: Vector3<f32> = pose.translation().cast();
        ParryPose::from_parts(translation.into(), Rotation::from_xyzw(i, j, k, w).normalize())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Translation3};
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = Point3<f64>> {
        let coordinate = || prop_oneof![-10.0..10.0, any::<f32>().prop_map(f64::from), proptest::num::f64::NORMAL];
        [coordinate(), coordinate(), coordinate()].prop_map(Point3::from)
    }

    fn pose() -> impl Strategy<Value = Pose> {
        let turn = [-4.0..4.0, -4.0..4.0, -4.0..4.0].prop_map(Vector3::from);
        (turn, [-9.0..9.0, -9.0..9.0, -9.0..9.0]).prop_map(|(turn, [x, y, z])| {
            Pose::from(Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_scaled_axis(turn)))
        })
    }

    #[test]
    fn a_mesh_comes_back_as_it_was() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/nonmanifold.obj");
        let mesh = Mesh::load_obj(path).expect("the mesh of the repository");
        let shape = TriMesh::try_from(&mesh).expect("it has triangles");
        assert_eq!(shape.num_triangles(), mesh.triangles().len());
        let back = Mesh::try_from(&shape).expect("it was a mesh before");
        assert_eq!((back.vertices(), back.triangles()), (mesh.vertices(), mesh.triangles()));
    }

    #[test]
    fn parry_has_no_empty_mesh() {
        let mesh = Mesh::from_arrays(Vec::new(), Vec::new()).expect("no triangles are a mesh");
        assert_eq!(TriMesh::try_from(&mesh).err(), Some(TriMeshBuilderError::EmptyIndices));
    }

    #[test]
    fn what_is_not_a_rotation_is_no_pose() {
        let zero = ParryPose::from_parts(Vector::ZERO, Rotation::from_xyzw(0.0, 0.0, 0.0, 0.0));
        assert_eq!(Pose::try_from(zero), Err(PoseError::ZeroLength));
        assert_eq!(Pose::try_from(ParryPose::translation(f32::INFINITY, 0.0, 0.0)), Err(PoseError::NotFinite));
    }

    #[test]
    fn half_turns_are_signs() {
        let turned = ParryPose::from_parts(Vector::ZERO, Rotation::from_rotation_y(std::f32::consts::PI));
        let half = nalgebra::Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, -1.0));
        assert_eq!(Pose::try_from(turned).map(|pose| *pose.rotation()), Ok(half));
    }

    #[test]
    fn an_empty_box_stays_empty() {
        let empty = ParryAabb::from(Aabb::empty());
        assert!(Aabb::from(empty).is_empty());
    }

    proptest! {
        #[test]
        fn boxes_grow_by_less_than_a_step(first in point(), second in point()) {
            let ours = Aabb::from_points([&first, &second]);
            let theirs = ParryAabb::from(ours);
            let back = Aabb::from(theirs);
            prop_assert_eq!(ours.union(&back), back);
            for k in 0..3 {
                let (lower, upper) = (theirs.mins.to_array()[k], theirs.maxs.to_array()[k]);
                prop_assert!(f64::from(lower.next_up()) > ours.lower[k] && f64::from(upper.next_down()) < ours.upper[k]);
            }
        }

        #[test]
        fn boxes_of_f32_coordinates_come_back(a in any::<[f32; 3]>(), b in any::<[f32; 3]>()) {
            let theirs = ParryAabb { mins: Vector::from(a).min(b.into()), maxs: Vector::from(a).max(b.into()) };
            prop_assert_eq!(ParryAabb::from(Aabb::from(theirs)), theirs);
        }

        #[test]
        fn poses_move_points_alike(pose in pose(), vertex in [-9.0f32..9.0, -9.0f32..9.0, -9.0f32..9.0]) {
            let theirs = ParryPose::from(&pose);
            let back = Pose::try_from(theirs).expect("a unit quaternion");
            let vertex = Point3::from(vertex);
            let moved = pose.transform(&vertex);
            let by_parry: Point3<f32> = theirs.transform_point(vertex.into()).into();
            prop_assert!((moved - by_parry.cast::<f64>()).norm() < 2e-5);
            prop_assert!((moved - back.transform(&vertex)).norm() < 1e-5);
            prop_assert!((back.rotation() - pose.rotation()).amax() < 1e-6);
            prop_assert!(back.deviation() < 1e-14);
        }
    }
}
