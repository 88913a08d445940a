//! Conversions to and from other crates' types.

#[cfg(feature = "glam")]
mod glam {
    use bvtree::Pose;
    use bvtree::pose::PoseError;
    use glam::{Affine3A, DAffine3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
    use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

    #[test]
    fn transforms_move_points_as_the_pose_does() {
        let pose = Pose::from(Isometry3::new(Vector3::new(1.0, -2.0, 3.5), Vector3::new(0.3, -0.4, 1.5)));
        let point = Point3::new(0.25_f32, -3.0, 7.5);
        let moved = pose.transform(&point);
        let there = [
            DAffine3::from(pose).transform_point3(DVec3::new(0.25, -3.0, 7.5)),
            DMat4::from(pose).transform_point3(DVec3::new(0.25, -3.0, 7.5)),
            Affine3A::from(pose).transform_point3(glam::Vec3::new(0.25, -3.0, 7.5)).as_dvec3(),
        ];
        for there in there {
            assert!((moved - Point3::from(there.to_array())).norm() < 1e-5);
        }
        assert_eq!(Pose::try_from(DAffine3::from(pose)), Ok(pose));
        assert_eq!(Pose::try_from(DMat4::from(pose)), Ok(pose));
        let rounded = [Pose::try_from(Mat4::from(pose)), Pose::try_from(Affine3A::from(pose))];
        assert!(rounded.iter().all(|back| (back.unwrap().rotation() - pose.rotation()).amax() < 1e-7));
    }

    #[test]
    fn quaternions_keep_what_is_exact() {
        let half = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
        let half_turn = DQuat::from_rotation_z(std::f64::consts::PI);
        let pose = Pose::try_from((half_turn, DVec3::new(1.0, 2.0, 3.0))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (half, Vector3::new(1.0, 2.0, 3.0)));
        let pose = Pose::try_from((Quat::from_rotation_z(std::f32::consts::PI), Vec3::X)).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (half, Vector3::x()));
        let pose = Pose::try_from((DQuat::from_rotation_x(3.0), DVec3::ZERO)).unwrap();
        let expected = Pose::from_axis_angle(&Vector3::x(), 3.0, Vector3::zeros()).unwrap();
        assert!((pose.rotation() - expected.rotation()).amax() < 1e-15 && pose.rotation()[(0, 0)] == 1.0);
        assert_eq!(Pose::try_from((DQuat::from_array([0.0; 4]), DVec3::ZERO)), Err(PoseError::ZeroLength));
        assert_eq!(Pose::try_from((Quat::NAN, Vec3::ZERO)), Err(PoseError::NotFinite));
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        assert!(Pose::try_from(Mat4::from_scale(glam::Vec3::splat(2.0))).is_err());
        assert_eq!(Pose::try_from(Mat4::from_scale(-glam::Vec3::ONE)), Err(PoseError::Mirrors));
        let mut projection = Mat4::IDENTITY;
        projection.z_axis.w = -1.0;
        assert_eq!(Pose::try_from(projection), Err(PoseError::NotAffine));
        assert_eq!(Pose::try_from(Mat4::NAN), Err(PoseError::NotAffine));
    }
}

#[cfg(feature = "mint")]
mod mint {
    use bvtree::Pose;
    use bvtree::pose::PoseError;
    use mint::{ColumnMatrix4, RowMatrix4};
    use nalgebra::{Isometry3, Matrix4, Vector3};

    #[test]
    fn matrices_come_back() {
        let isometry = Isometry3::new(Vector3::new(1.0, -2.0, 3.5), Vector3::new(0.3, -0.4, 1.5));
        let pose = Pose::from(isometry);
        let matrix = ColumnMatrix4::<f64>::from(pose);
        assert!((Matrix4::from(matrix) - isometry.to_homogeneous()).amax() < 1e-15);
        assert_eq!(Pose::try_from(matrix), Ok(pose));
        assert_eq!(Pose::try_from(RowMatrix4::from(matrix)), Ok(pose));
        let rounded = Pose::try_from(ColumnMatrix4::<f32>::from(pose)).unwrap();
        assert!((rounded.rotation() - pose.rotation()).amax() < 1e-7);
        assert_eq!(Pose::try_from(RowMatrix4::from(ColumnMatrix4::<f32>::from(pose))), Ok(rounded));
    }

    #[test]
    fn quaternions_keep_what_is_exact() {
        let quarter = nalgebra::Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
        let (sin, cos) = std::f64::consts::FRAC_PI_4.sin_cos();
        let rotation = mint::Quaternion::from([sin, 0.0, 0.0, cos]);
        let pose = Pose::try_from((rotation, mint::Vector3::from([1.0, 2.0, 3.0]))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (quarter, Vector3::new(1.0, 2.0, 3.0)));
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let rotation = mint::Quaternion::from([half.next_up(), 0.0, 0.0, half.next_down()]);
        let pose = Pose::try_from((rotation, mint::Vector3::from([1.0_f32, 2.0, 3.0]))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (quarter, Vector3::new(1.0, 2.0, 3.0)));
        let zero = mint::Quaternion::from([0.0; 4]);
        assert_eq!(Pose::try_from((zero, mint::Vector3::from([0.0_f64; 3]))), Err(PoseError::ZeroLength));
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        let projection: ColumnMatrix4<f64> = Matrix4::new_perspective(1.0, 1.0, 0.1, 9.0).into();
        assert_eq!(Pose::try_from(projection), Err(PoseError::NotAffine));
        let scaled: ColumnMatrix4<f32> = Matrix4::new_scaling(2.0).into();
        assert!(matches!(Pose::try_from(scaled), Err(PoseError::NotARotation { .. })));
    }
}

#[cfg(feature = "parry")]
mod parry {
    use bvtree::Pose;
    use bvtree::mesh::Mesh;
    use bvtree::pose::PoseError;
    use bvtree::shape::Aabb;
    use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
    use parry3d::bounding_volume::Aabb as ParryAabb;
    use parry3d::math::{Pose as ParryPose, Rotation, Vector};
    use parry3d::shape::{TriMesh, TriMeshBuilderError};
    use proptest::prelude::*;

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
                prop_assert!(f64::from(lower.next_up()) > ours.lower[k]);
                prop_assert!(f64::from(upper.next_down()) < ours.upper[k]);
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

#[cfg(feature = "tobj")]
mod tobj {
    use bvtree::mesh::{Mesh, MeshError};
    use tobj::Model;

    fn model(name: &str, positions: Vec<f32>, indices: Vec<u32>, face_arities: Vec<u32>) -> Model {
        Model { name: name.into(), mesh: tobj::Mesh { positions, indices, face_arities, ..Default::default() } }
    }

    #[test]
    fn models_follow_each_other() {
        let square = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let models = [
            model("square", square.clone(), vec![0, 1, 2, 3], vec![4]),
            model("line", square.clone(), vec![0, 1], vec![2]),
            model("half", square, vec![0, 1, 2], vec![]),
        ];
        let mesh = Mesh::from_tobj(&models).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [8, 9, 10]]);
        assert_eq!([0, 1, 2].map(|face| mesh.polygon(face)), [0, 0, 1]);
        let names: Vec<_> = mesh.groups().iter().map(|group| (group.name.as_str(), group.first_triangle)).collect();
        assert_eq!(names, [("square", 0), ("half", 2)]);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for (positions, indices, arities) in [
            (vec![0.0; 8], vec![0, 1, 1], vec![]),
            (vec![0.0; 9], vec![0, 1], vec![]),
            (vec![0.0; 9], vec![0, 1, 2], vec![4]),
            (vec![0.0; 9], vec![0, 1, 2], vec![0, 3]),
            (vec![0.0; 9], vec![0, 1, 2, 0], vec![3]),
        ] {
            let error = Mesh::from_tobj(&[model("", positions, indices, arities)]).unwrap_err();
            assert!(matches!(error, MeshError::Incomplete { .. }), "{error}");
        }
        let error = Mesh::from_tobj(&[model("", vec![0.0; 9], vec![0, 1, u32::MAX], vec![])]).unwrap_err();
        assert!(matches!(error, MeshError::IndexOutOfRange { .. }), "{error}");
        assert_eq!(Mesh::from_tobj(&[]).unwrap().triangles().len(), 0);
    }

    #[test]
    fn a_file_gives_the_triangles_that_this_crate_reads() {
        for name in ["nonmanifold", "gear", "crate"] {
            let path = format!("{}/data/{name}.obj", env!("CARGO_MANIFEST_DIR"));
            let ours = Mesh::load_obj(&path).unwrap();
            let (models, _) = tobj::load_obj(&path, &tobj::LoadOptions::default()).unwrap();
            let theirs = Mesh::from_tobj(&models).unwrap();
            assert!(ours.iter().eq(theirs.iter()), "{name}");
        }
    }
}
