//! Queries through C give the same results as in Rust, to the last bit.

mod common;

use std::ffi::{CStr, c_void};
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::null;
use std::sync::Arc;

use bvtree::probe::{CastOptions, Ray};
use bvtree::query::{DepthOptions, FacePair};
use bvtree::response::MassProperties;
use bvtree::scene::{Body, Scene};
use bvtree::shape::ConvexShape;
use bvtree::tree::Layers;
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe, Query, VolumeKind};
use bvtree_capi::*;
use common::{made, tree, written};
use nalgebra::{Isometry3, Point3, Vector3};

fn mesh(name: &str) -> Mesh {
    Mesh::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(name)).unwrap()
}

unsafe extern "C" fn keep_pair(user: *mut c_void, pair: *const BvtFacePair) -> i32 {
    // SAFETY: the callback is called with this vector and a pair.
    let (pairs, pair) = unsafe { (&mut *user.cast::<Vec<FacePair>>(), &*pair) };
    pairs.push(FacePair { face_a: pair.face_a, face_b: pair.face_b });
    0
}

fn poses(size: f64) -> impl Iterator<Item = Pose> {
    (0..8).map(move |i| {
        let turn = Vector3::new(0.3, 2.1, 0.6) * f64::from(i);
        Isometry3::new(Vector3::new(0.18, 0.06, 0.03) * (size * f64::from(i)), turn).into()
    })
}

#[test]
fn of_two_meshes() {
    let meshes = [mesh("gear.obj"), mesh("sword.obj")];
    let size = meshes[0].aabb().size().max();
    for kind in VolumeKind::ALL {
        let options = BuildOptions { kind, ..BuildOptions::default() };
        let [a, b] = meshes.each_ref().map(|mesh| BvTree::build(mesh, &options).unwrap());
        let [c_a, c_b] = meshes.each_ref().map(|mesh| tree(mesh, kind));
        let (c_a, c_b) = (Some(&*c_a), Some(&*c_b));
        let mut query = Query::new();
        let c_query = made(|out| bvt_query_new(0, out));
        let c_query = Some(&*c_query);
        let c_poses: Vec<BvtPose> = poses(size).map(BvtPose::from).collect();
        let mut many = vec![false; c_poses.len()];
        // SAFETY: there is room for as many answers as poses.
        let status = unsafe { bvt_intersects_many(c_a, c_b, c_poses.as_ptr(), c_poses.len(), many.as_mut_ptr()) };
        assert_eq!(status, BvtStatus::BVT_OK);
        // SAFETY: as above.
        let first = written(|out| unsafe { bvt_first_hit_many(c_a, c_b, c_poses.as_ptr(), c_poses.len(), out) });
        assert_eq!(first, many.iter().position(|hit| *hit));
        for ((pose, c_pose), many) in poses(size).zip(&c_poses).zip(many) {
            let hit = query.intersects(&a, &b, &pose);
            assert_eq!(
                (hit, hit),
                (written(|out| bvt_intersects(c_query, c_a, c_b, Some(c_pose), out)).unwrap(), many)
            );

            let mut pairs: Vec<FacePair> = Vec::new();
            let user = (&raw mut pairs).cast();
            // SAFETY: the callback takes this vector.
            let status =
                unsafe { bvt_for_each_intersecting_pair(c_query, c_a, c_b, Some(c_pose), Some(keep_pair), user) };
            assert_eq!(status, BvtStatus::BVT_OK);
            pairs.sort_unstable();
            assert_eq!(pairs, query.intersecting_pairs(&a, &b, &pose));

            // SAFETY: null options are the default.
            let closest = written(|out| unsafe { bvt_distance(c_query, c_a, c_b, Some(c_pose), null(), out) });
            assert_eq!(closest, query.distance(&a, &b, &pose).map(BvtClosestPair::from));
            let relation = written(|out| bvt_relation(c_query, c_a, c_b, Some(c_pose), out));
            assert_eq!(relation, Some(query.relation(&a, &b, &pose).into()));
            let penetration = written(|out| bvt_penetration(c_query, c_a, c_b, Some(c_pose), out));
            assert_eq!(penetration, query.penetration(&a, &b, &pose).map(BvtPenetration::from));
            // SAFETY: null options are the default.
            let overlap = written(|out| unsafe { bvt_overlap_depth(c_query, c_a, c_b, Some(c_pose), null(), out) });
            let options = DepthOptions::default();
            assert_eq!(overlap, query.overlap_depth(&a, &b, &pose, &options).ok().map(BvtOverlapDepth::from));
            let start: Pose = Isometry3::translation(5.0 * size, 0.0, 0.0).into();
            let (c_start, motion) = (BvtPose::from(start), Motion::new(start, pose));
            let impact = written(|out| bvt_time_of_impact(c_query, c_a, c_b, Some(&c_start), Some(c_pose), 1e-3, out));
            assert_eq!(impact, Some(query.time_of_impact(&a, &b, &motion, 1e-3).unwrap().into()));
        }
    }
}

#[test]
fn of_one_mesh() {
    let mesh = mesh("teapot.obj");
    let options = BuildOptions::default();
    let (rust, c) = (BvTree::build(&mesh, &options).unwrap(), tree(&mesh, options.kind));
    let (mut probe, c_probe) = (Probe::new(), made(|out| bvt_probe_new(0, out)));
    let (c, c_probe) = (Some(&*c), Some(&*c_probe));
    let bounds = mesh.aabb();
    for i in 0..200 {
        let part = |k: i32| f64::from((i * k) % 101) / 50.0 - 0.5;
        let at: Point3<f64> = bounds.lower + bounds.size().component_mul(&Vector3::new(part(7), part(31), part(57)));
        let ray = Ray { origin: at, direction: Vector3::new(part(3) - 0.5, part(11) - 0.5, part(23) - 0.49) };
        let c_ray = BvtRay { origin: at.into(), direction: ray.direction.into() };
        let hit = written(|out| bvt_closest_hit(c_probe, c, Some(&c_ray), f64::INFINITY, out));
        assert_eq!(hit, probe.closest_hit(&rust, &ray, f64::INFINITY).map(BvtRayHit::from));
        let c_at: [f64; 3] = at.into();
        let closest = written(|out| bvt_closest_point(c_probe, c, Some(&c_at), f64::INFINITY, out));
        assert_eq!(closest, probe.closest_point(&rust, &at).map(BvtClosestPoint::from));
        let containment = written(|out| bvt_contains(c_probe, c, Some(&c_at), out));
        assert_eq!(containment, Some(probe.contains(&rust, &at).into()));
    }
    let mut hits = 0;
    let ray = Ray { origin: bounds.lower, direction: bounds.size() };
    probe.for_each_hit(&rust, &ray, 1.0, |_| {
        hits += 1;
        ControlFlow::Continue(())
    });
    unsafe extern "C" fn count(user: *mut c_void, _: *const BvtRayHit) -> i32 {
        // SAFETY: that is what it is called with.
        unsafe { *user.cast::<u32>() += 1 };
        0
    }
    let (mut c_hits, c_ray) = (0_u32, BvtRay { origin: bounds.lower.into(), direction: bounds.size().into() });
    // SAFETY: the callback counts there.
    unsafe { bvt_for_each_hit(c_probe, c, Some(&c_ray), 1.0, Some(count), (&raw mut c_hits).cast()) };
    assert_eq!(c_hits, hits);
}

#[test]
fn of_convex_shapes() {
    let mesh = mesh("teapot.obj");
    let options = BuildOptions::default();
    let (rust, c) = (Arc::new(BvTree::build(&mesh, &options).unwrap()), tree(&mesh, options.kind));
    let (mut probe, c_probe) = (Probe::new(), made(|out| bvt_probe_new(0, out)));
    let (c, c_probe) = (Some(&*c), Some(&*c_probe));
    let size = mesh.aabb().size().max();
    let corners = [[0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.4], [-0.1, -0.2, -0.3]].map(|p| p.map(|x| x * size));
    let half_extents = [0.1 * size, 0.2 * size, 0.05 * size];
    let cuboid = ConvexShape::cuboid(half_extents.into()).unwrap();
    let c_cuboid = made(|out| bvt_convex_shape_cuboid(Some(&half_extents), out));
    let shapes = [
        (
            cuboid.clone().rounded(0.02 * size).unwrap(),
            made(|out| bvt_convex_shape_rounded(Some(&c_cuboid), 0.02 * size, out)),
        ),
        (cuboid, c_cuboid),
        (ConvexShape::sphere(0.1 * size).unwrap(), made(|out| bvt_convex_shape_sphere(0.1 * size, out))),
        (
            ConvexShape::capsule(0.2 * size, 0.1 * size).unwrap(),
            made(|out| bvt_convex_shape_capsule(0.2 * size, 0.1 * size, out)),
        ),
        (
            ConvexShape::cylinder(0.2 * size, 0.1 * size).unwrap(),
            made(|out| bvt_convex_shape_cylinder(0.2 * size, 0.1 * size, out)),
        ),
        (
            ConvexShape::cone(0.2 * size, 0.1 * size).unwrap(),
            made(|out| bvt_convex_shape_cone(0.2 * size, 0.1 * size, out)),
        ),
        (
            ConvexShape::hull(&corners.map(Point3::from)).unwrap(),
            // SAFETY: there are as many coordinates.
            made(|out| unsafe { bvt_convex_shape_hull(corners.as_ptr().cast(), corners.len(), out) }),
        ),
    ];
    for (shape, c_shape) in &shapes {
        let (mut scene, c_scene) = (Scene::new(), made(|out| bvt_scene_new(0, out)));
        scene.add(Body::fixed(rust.clone(), Pose::identity())).unwrap();
        // SAFETY: null options are the default, here and below.
        written(|out| unsafe { bvt_scene_add(Some(&c_scene), c, Some(&bvt_pose_identity()), null(), out) }).unwrap();
        let body = scene.add(Body::moving(shape.clone(), Pose::identity())).unwrap();
        let c_body = written(|out| unsafe {
            bvt_scene_add_shape(Some(&c_scene), Some(c_shape), Some(&bvt_pose_identity()), null(), out)
        });
        assert_eq!(c_body, Some(body.to_bits()));
        let mut met = 0;
        for pose in poses(size) {
            let (placed, c_pose) = (shape.transformed(&pose), BvtPose::from(pose));
            let (c_shape, c_pose) = (Some(&**c_shape), Some(&c_pose));
            let intersects = probe.intersects_convex(&rust, &placed);
            assert_eq!(written(|out| bvt_intersects_convex(c_probe, c, c_shape, c_pose, out)), Some(intersects));
            met += u32::from(intersects);
            let closest = written(|out| bvt_closest_to_convex(c_probe, c, c_shape, c_pose, f64::INFINITY, out));
            let expected = probe.closest_to_convex(&rust, &placed, f64::INFINITY);
            assert_eq!(closest, expected.map(BvtClosestToConvex::from));
            let along = [-size, 0.1 * size, 0.0];
            let hit = written(|out| unsafe { bvt_cast_convex(c_probe, c, c_shape, c_pose, Some(&along), null(), out) });
            let expected = probe.cast_convex(&rust, &placed, &along.into(), &CastOptions::default());
            assert_eq!(hit, expected.map(BvtConvexCastHit::from));
            let hit = written(|out| unsafe {
                bvt_scene_cast_convex(Some(&c_scene), c_probe, c_shape, c_pose, Some(&along), null(), u32::MAX, out)
            });
            let expected =
                scene.cast_convex(&mut probe, shape, &pose, &along.into(), &CastOptions::default(), u32::MAX);
            assert_eq!(hit, expected.map(BvtBodyConvexCastHit::from));
            check_contacts(c_probe.unwrap(), c.unwrap(), c_shape.unwrap(), c_pose.unwrap(), &rust, &placed, size);
            assert_eq!(written(|out| bvt_convex_shape_aabb(c_shape, c_pose, out)), Some(BvtAabb::from(&placed.aabb())));
            assert_eq!(written(|out| bvt_convex_shape_obb(c_shape, c_pose, out)), Some((&placed.obb()).into()));
            let support = written(|out| bvt_convex_shape_support_point(c_shape, Some(&along), out));
            assert_eq!(support, Some(shape.support_point(&along.into()).into()));
            let mass = written(|out| bvt_convex_shape_mass_properties(c_shape, out));
            assert_eq!(mass, MassProperties::of_shape(shape).ok().map(BvtMassProperties::from));
            let contains = written(|out| bvt_convex_shape_contains(c_shape, support.as_ref(), out));
            assert_eq!(contains, Some(shape.contains(&support.unwrap().into())));

            scene.set_pose(body, pose).unwrap();
            assert_eq!(bvt_scene_set_pose(Some(&c_scene), c_body.unwrap(), c_pose), BvtStatus::BVT_OK);
            let near = written(|out| bvt_scene_closest_pair(Some(&c_scene), out));
            assert_eq!(near.map(|near| near.faces.face_b), Some(BVT_NO_FACE));
            assert_eq!(near, scene.closest_pair().map(BvtNearPair::from));
        }
        assert!(0 < met && met < 8, "{shape:?} intersects {met} of 8 times");
    }
}

/// Contacts, manifolds and support points, as in Rust.
fn check_contacts(
    c_probe: &BvtProbe,
    c: &BvtTree,
    c_shape: &BvtConvexShape,
    c_pose: &BvtPose,
    rust: &BvTree,
    placed: &ConvexShape,
    size: f64,
) {
    let (c_probe, c, c_shape, c_pose) = (Some(c_probe), Some(c), Some(c_shape), Some(c_pose));
    let mut probe = Probe::new();
    let contact = written(|out| bvt_closest_convex_contact(c_probe, c, c_shape, c_pose, f64::INFINITY, out));
    let expected = probe.closest_convex_contact(rust, placed, f64::INFINITY);
    assert_eq!(contact, expected.map(BvtConvexContact::from));
    let (reach, mut counts) = (0.1 * size, [0_u32; 2]);
    let users: [*mut c_void; 2] = counts.each_mut().map(|count| std::ptr::from_mut(count).cast());
    // SAFETY: both count what they are given.
    unsafe {
        let status = bvt_for_each_convex_contact(c_probe, c, c_shape, c_pose, reach, Some(count_contact), users[0]);
        assert_eq!(status, BvtStatus::BVT_OK);
        let status =
            bvt_for_each_convex_contact_manifold(c_probe, c, c_shape, c_pose, reach, Some(count_manifold), users[1]);
        assert_eq!(status, BvtStatus::BVT_OK);
    }
    let mut contacts = 0;
    probe.for_each_convex_contact(rust, placed, reach, |_| {
        contacts += 1;
        ControlFlow::Continue(())
    });
    let manifolds = probe.convex_contact_manifolds(rust, placed, reach).len() as u32;
    assert_eq!(counts, [contacts, manifolds]);
    let direction = [0.1, -1.0, 0.3];
    let support = written(|out| bvt_support_point(c_probe, c, Some(&direction), out));
    assert_eq!(support, probe.support_point(rust, &direction.into()).map(BvtSupportPoint::from));

    let ball = ConvexShape::sphere(0.3 * size).unwrap();
    let c_ball = made(|out| bvt_convex_shape_sphere(0.3 * size, out));
    let contact = written(|out| bvt_convex_shape_contact(Some(&c_ball), c_shape, c_pose, f64::INFINITY, out));
    assert_eq!(contact, ball.contact(placed, f64::INFINITY).map(BvtShapeContact::from));
    let mut count = 0_u32;
    let user = (&raw mut count).cast();
    // SAFETY: as above.
    let status = unsafe {
        bvt_convex_shape_for_each_contact_manifold(Some(&c_ball), c_shape, c_pose, reach, Some(count_manifold), user)
    };
    assert_eq!((status, count), (BvtStatus::BVT_OK, ball.contact_manifolds(placed, reach).len() as u32));
}

unsafe extern "C" fn count_contact(user: *mut c_void, _: *const BvtConvexContact) -> i32 {
    // SAFETY: the user is a number.
    unsafe { *user.cast::<u32>() += 1 };
    0
}

unsafe extern "C" fn count_manifold(user: *mut c_void, _: *const BvtContactManifold) -> i32 {
    // SAFETY: the user is a number.
    unsafe { *user.cast::<u32>() += 1 };
    0
}

#[test]
fn every_status_has_its_name() {
    let known = (-19..=1).map(|status| bvt_status_name(status));
    // SAFETY: names are texts of the program.
    let names: Vec<_> = known.map(|name| unsafe { CStr::from_ptr(name) }.to_str().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("BVT_")), "{names:?}");
    let debug = [BvtStatus::BVT_ERROR_PANIC, BvtStatus::BVT_ERROR_IO, BvtStatus::BVT_OK].map(|s| format!("{s:?}"));
    assert_eq!(debug, [names[2], names[10], names[19]]);
}

#[test]
fn of_groups() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\ng floor\nf 1 2 3\ng wall\nf 1 2 4\ng floor\nf 2 3 4\n";
    let tree = BvTree::build(&Mesh::read_obj(text.as_bytes()).unwrap(), &BuildOptions::default()).unwrap();
    let tree = BvtTree::from(tree);
    let group = |face| written(|out| bvt_tree_group_of(Some(&tree), face, out));
    assert_eq!([0, 1, 2, 3, 4].map(group), [None, Some(0), Some(1), Some(2), None]);
    let mut ids = [9; 4];
    // SAFETY: there is space for as many.
    let distinct = written(|out| unsafe { bvt_tree_group_ids(Some(&tree), ids.as_mut_ptr(), 4, out) });
    assert_eq!((distinct, ids), (Some(3), [0, 1, 2, 1]));
    let options = BvtReadOptions { group_by: c"both".as_ptr(), ..BvtReadOptions::default() };
    let text = text.replace("g wall\n", "g wall\nusemtl oak\n");
    // SAFETY: the text and the options outlive the call.
    let mesh = made(|out| unsafe { bvt_mesh_read(text.as_ptr().cast(), text.len(), c"a.obj".as_ptr(), &options, out) });
    // SAFETY: options may be null.
    let tree = made(|out| unsafe { bvt_tree_build(Some(&mesh), std::ptr::null(), out) });
    // SAFETY: there is space for as many.
    let distinct = written(|out| unsafe { bvt_tree_material_ids(Some(&tree), ids.as_mut_ptr(), 4, out) });
    assert_eq!((distinct, ids), (Some(2), [0, 0, 1, 1]));
    let mut length = std::mem::MaybeUninit::uninit();
    let name = |group, length| written(|out| bvt_tree_group_material(Some(&tree), group, out, Some(length)));
    // SAFETY: the name lives as long as the tree, and a status without an error says that the length is written.
    let name = unsafe { std::slice::from_raw_parts(name(1, &mut length).unwrap().cast::<u8>(), length.assume_init()) };
    assert_eq!(name, b"oak");
}

#[test]
fn of_layers() {
    let mesh = mesh("gear.obj");
    let (a, c_a) = (BvTree::build(&mesh, &BuildOptions::default()).unwrap(), tree(&mesh, VolumeKind::Obb));
    let layers: Vec<u32> = (0..mesh.triangles().len() as u32).map(|face| 1 << (face % 3)).collect();
    let one_sided: Vec<u8> = (0..layers.len()).map(|face| u8::from(face % 5 == 0)).collect();
    a.set_layers(|face| Layers { bits: layers[face as usize], is_one_sided: face.is_multiple_of(5) }).unwrap();
    // SAFETY: there are as many layers and sides as told.
    let set = |count| unsafe { bvt_tree_set_layers(Some(&c_a), layers.as_ptr(), one_sided.as_ptr(), count) };
    assert_eq!(set(layers.len() - 1), BvtStatus::BVT_ERROR_ARGUMENT);
    assert_eq!(set(layers.len()), BvtStatus::BVT_OK);
    assert_eq!(set(layers.len()), BvtStatus::BVT_ERROR_ARGUMENT);
    let (c_probe, mut probe) = (made(|out| bvt_probe_new(0, out)), Probe::new());
    let (c_query, mut query) = (made(|out| bvt_query_new(0, out)), Query::new());
    let (center, size) = (mesh.aabb().center(), mesh.aabb().size().max());
    for mask in [None, Some(1), Some(6), Some(0)] {
        probe.set_mask(mask);
        query.set_masks(mask, None);
        assert_eq!(bvt_probe_set_mask(Some(&c_probe), mask.as_ref()), BvtStatus::BVT_OK);
        assert_eq!(bvt_query_set_masks(Some(&c_query), mask.as_ref(), None), BvtStatus::BVT_OK);
        for (i, pose) in poses(size).enumerate() {
            let direction = pose.rotation() * Vector3::new(1.0, 0.1 * i as f64, 0.3);
            let ray = Ray::new(center - direction * size, direction);
            let c_ray = BvtRay { origin: ray.origin.into(), direction: ray.direction.into() };
            let hit = written(|out| bvt_closest_hit(Some(&c_probe), Some(&c_a), Some(&c_ray), f64::INFINITY, out));
            let expected = probe.closest_hit(&a, &ray, f64::INFINITY).map(|hit| (hit.time, hit.face));
            assert_eq!(hit.map(|hit: BvtRayHit| (hit.time, hit.face)), expected);
            let c_pose = BvtPose::from(pose);
            let mut pairs: Vec<FacePair> = Vec::new();
            let (user, c_tree) = ((&raw mut pairs).cast(), Some(&*c_a));
            // SAFETY: the callback takes this vector.
            unsafe {
                bvt_for_each_intersecting_pair(Some(&c_query), c_tree, c_tree, Some(&c_pose), Some(keep_pair), user)
            };
            pairs.sort_unstable();
            assert_eq!(pairs, query.intersecting_pairs(&a, &a, &pose));
        }
    }
}
