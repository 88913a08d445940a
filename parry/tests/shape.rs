//! The shape by itself: rays, points, boxes, mass, scale.

use bvtree::{BvTree, Mesh};
use bvtree_parry::{EmptyTreeError, InternalEdges, TreeShape};
use nalgebra::Point3;
use parry3d::math::Vector;
use parry3d::query::{PointQuery, Ray, RayCast};
use parry3d::shape::{FeatureId, Shape};

use crate::support::{Level, Random, bumpy, soup};

#[test]
fn rays_are_those_of_brute_force() {
    let mut random = Random(1);
    let level = Level::new(&soup(&mut random), InternalEdges::default());
    let mut hits = 0;
    for _ in 0..2000 {
        let ray = Ray::new(random.vector(4.0), random.vector(2.0));
        let max = 1.5 + random.number();
        let of_triangle = |(face, triangle): (u32, parry3d::shape::Triangle)| {
            Some((face, triangle.cast_local_ray_and_get_normal(&ray, max, true)?))
        };
        let expected =
            level.triangles().filter_map(of_triangle).min_by(|a, b| a.1.time_of_impact.total_cmp(&b.1.time_of_impact));
        let found = level.tree.cast_local_ray_and_get_normal(&ray, max, true);
        assert_eq!(level.tree.intersects_local_ray(&ray, max), found.is_some());
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some((face, expected))) => {
                hits += 1;
                assert_eq!((found.subshape, found.feature), (face, expected.feature));
                assert!((found.time_of_impact - expected.time_of_impact).abs() < 1e-5, "{found:?} {expected:?}");
                assert!((found.normal - expected.normal).length() < 1e-5, "{found:?} {expected:?}");
            }
            (found, expected) => panic!("{found:?}, but {expected:?} by brute force"),
        }
    }
    assert!((150..1500).contains(&hits), "{hits} hits");
}

#[test]
fn points_are_those_of_brute_force() {
    let mut random = Random(2);
    let level = Level::new(&soup(&mut random), InternalEdges::default());
    for _ in 0..500 {
        let point = random.vector(4.0);
        let (expected, distance) = level
            .triangles()
            .map(|(_, triangle)| triangle.project_local_point(point, false))
            .map(|projection| (projection, (projection.point - point).length()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("there are triangles");
        let (found, feature) = level.tree.project_local_point_and_get_feature(point);
        assert!((found.point - expected.point).length() < 1e-5, "{found:?} {expected:?}");
        let triangle = level.trimesh.triangle(found.subshape);
        let (on_triangle, expected_feature) = triangle.project_local_point_and_get_feature(point);
        assert!((on_triangle.point - found.point).length() < 1e-5 && feature == expected_feature);
        assert!((level.tree.distance_to_local_point(point, true) - distance).abs() < 1e-5);
        assert!(level.tree.project_local_point_with_max_dist(point, true, distance * 1.001).is_some());
        assert!(level.tree.project_local_point_with_max_dist(point, true, distance * 0.999).is_none());
    }
    let corner = level.trimesh.vertices()[7];
    assert!(level.tree.project_local_point(corner, true).is_inside);
    let nowhere = level.tree.project_local_point_and_get_feature(Vector::new(f32::NAN, 0.0, 0.0));
    assert_eq!(nowhere.1, FeatureId::Unknown);
}

#[test]
fn box_sphere_and_normals_are_those_of_trimesh() {
    let level = Level::new(&bumpy(), InternalEdges::default());
    assert_eq!(level.tree.compute_local_aabb(), level.trimesh.local_aabb());
    let sphere = level.tree.compute_local_bounding_sphere();
    let farthest = level.trimesh.vertices().iter().map(|v| (*v - sphere.center).length()).fold(0.0, f32::max);
    assert!(farthest <= sphere.radius * 1.00001 && sphere.radius < farthest * 1.5);
    for (face, triangle) in level.triangles() {
        assert_eq!(level.tree.triangle(face), Some(triangle));
        let normal = level.tree.feature_normal_at_point(face, FeatureId::Face(0), triangle.a);
        assert_eq!(normal, triangle.normal());
    }
    assert_eq!(level.tree.triangle(level.trimesh.num_triangles() as u32), None);
}

#[test]
fn mass_is_that_of_trimesh_for_closed_meshes() {
    let solid = parry3d::shape::Cuboid::new(Vector::new(1.0, 2.0, 3.0)).to_trimesh();
    let corners = solid.0.iter().map(|v| Point3::new(v.x + 5.0, v.y, v.z)).collect();
    let closed = Level::new(&Mesh::from_arrays(corners, solid.1).expect("valid"), InternalEdges::default());
    let (found, expected) = (closed.tree.mass_properties(2.0), closed.trimesh.mass_properties(2.0));
    assert!((found.mass() - 96.0).abs() < 1e-3 && (expected.mass() - 96.0).abs() < 1e-3);
    assert!((found.local_com - expected.local_com).length() < 1e-5);
    let inertia = |mass: &parry3d::mass_properties::MassProperties| mass.reconstruct_inertia_matrix();
    let difference = inertia(&found) - inertia(&expected);
    assert!(difference.to_cols_array().iter().all(|x| x.abs() < 0.05), "{difference:?}");
    assert_eq!(closed.tree.mass_properties(0.0).mass(), 0.0);

    let open = Level::new(&bumpy(), InternalEdges::default());
    assert_eq!(open.tree.mass_properties(1.0).mass(), 0.0);
}

#[test]
fn scaled_shapes_keep_faces_and_orientation() {
    let level = Level::new(&bumpy(), InternalEdges::OneSided);
    let scale = Vector::new(2.0, -0.5, 1.0);
    let scaled = level.tree.scale_dyn(scale, 0).expect("nothing overflows");
    let scaled = scaled.as_shape::<TreeShape>().expect("it is a tree");
    assert_eq!(scaled.internal_edges(), InternalEdges::OneSided);
    for (face, triangle) in level.triangles() {
        let found = scaled.triangle(face).expect("as many faces");
        assert_eq!([found.a, found.c, found.b], triangle.vertices().map(|vertex| vertex * scale));
    }
    assert!(level.tree.scaled(Vector::splat(f32::MAX)).is_none());
}

#[test]
fn a_tree_without_triangles_is_no_shape() {
    assert_eq!(TreeShape::new(BvTree::default()).err(), Some(EmptyTreeError));
}
