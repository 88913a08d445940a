//! Compounds and pair filters: a scene created through C gives the same results as one created in Rust.

mod common;

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr::null;

use bvtree::query::Solid;
use bvtree::scene::{Body, Compound, Geometry, Part, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{Mesh, Motion, Pose, Probe, Query, VolumeKind};
use bvtree_capi::*;
use common::{made, tree, written};
use nalgebra::{Isometry3, Point3, Vector3};

/// Callback that appends a copy of each item to the vector in `user`.
unsafe extern "C" fn keep<T: Copy>(user: *mut c_void, item: *const T) -> i32 {
    // SAFETY: that is what it is called with.
    unsafe { (*user.cast::<Vec<T>>()).push(*item) };
    0
}

type Visit<T> = Option<unsafe extern "C" fn(*mut c_void, *const T) -> i32>;

fn all<T: Copy>(ask: impl FnOnce(Visit<T>, *mut c_void) -> BvtStatus) -> Vec<T> {
    let mut items: Vec<T> = Vec::new();
    assert_eq!(ask(Some(keep::<T>), (&raw mut items).cast()), BvtStatus::BVT_OK);
    items
}

fn pose(i: i32) -> Pose {
    let i = f64::from(i);
    Isometry3::new(Vector3::new(1.1, 0.4, 0.3) * i, Vector3::new(0.3, 2.1, 0.6) * i).into()
}

/// The same scene in Rust and through C: three bodies, made of a crate, a ball and both.
fn scenes() -> (Scene, Box<BvtScene>) {
    let mesh = Mesh::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/crate.obj")).unwrap();
    let (crate_tree, ball) = (tree(&mesh, VolumeKind::Obb), made(|out| bvt_convex_shape_sphere(0.4, out)));
    let part = |i: i32, is_tree: bool| BvtPart {
        tree: is_tree.then_some(&*crate_tree),
        shape: (!is_tree).then_some(&*ball),
        to_body: pose(i).into(),
    };
    let parts = [part(0, true), part(1, false), part(2, true)];
    // SAFETY: there are as many parts.
    let compound = made(|out| unsafe { bvt_compound_new(parts.as_ptr(), parts.len(), out) });
    let scene = made(|out| bvt_scene_new(0, out));
    let mut copy = Scene::new();
    let built = bvtree::BvTree::build(&mesh, &bvtree::BuildOptions::default()).unwrap();
    let (built, sphere) = (Geometry::from(std::sync::Arc::new(built)), ConvexShape::sphere(0.4).unwrap());
    let parts = [built.clone(), sphere.clone().into(), built.clone()].into_iter().zip(0..);
    let whole = Compound::new(parts.map(|(geometry, i)| Part { geometry, pose: pose(i) })).unwrap();
    let options = BvtBodyOptions { user: 7, solid: BvtSolid::BVT_SOLID_IF_CLOSED as u32, ..BvtBodyOptions::default() };
    // SAFETY: the options have their size.
    unsafe {
        let add = |out: Option<&mut MaybeUninit<u64>>| {
            bvt_scene_add_compound(Some(&scene), Some(&compound), Some(&pose(0).into()), &options, out)
        };
        assert_eq!(written(add), Some(0));
        let add = |out: Option<&mut MaybeUninit<u64>>| {
            bvt_scene_add_shape(Some(&scene), Some(&ball), Some(&pose(0).into()), null(), out)
        };
        let replaced = written(add).unwrap();
        assert_eq!(bvt_scene_set_pose(Some(&scene), replaced, Some(&pose(1).into())), BvtStatus::BVT_OK);
        assert_eq!(bvt_scene_set_compound(Some(&scene), replaced, Some(&compound)), BvtStatus::BVT_OK);
        let add = |out: Option<&mut MaybeUninit<u64>>| {
            bvt_scene_add(Some(&scene), Some(&crate_tree), Some(&pose(3).into()), null(), out)
        };
        assert_eq!(written(add), Some(2));
    }
    let whole = std::sync::Arc::new(whole);
    copy.add(Body { user: 7, is_solid: true, ..Body::moving(whole.clone(), pose(0)) }).unwrap();
    copy.add(Body::moving(whole, pose(1))).unwrap();
    copy.add(Body::moving(built, pose(3))).unwrap();
    (copy, scene)
}

#[test]
fn results_name_parts() {
    let (mut copy, scene) = scenes();
    let scene = Some(&*scene);
    assert_eq!(written(|out| bvt_scene_is_solid(scene, 0, out)), Some(true));
    assert_eq!(written(|out| bvt_scene_is_solid(scene, 1, out)), Some(false));
    // SAFETY: callbacks take what they are called with, in this and all other blocks of this test.
    let found: Vec<BvtNearPair> = all(|visit, user| unsafe { bvt_scene_for_each_pair_within(scene, 9.0, visit, user) });
    assert_eq!(found, copy.pairs_within(9.0).iter().map(BvtNearPair::from).collect::<Vec<_>>());
    assert!(found.len() == 3 && found.iter().any(|pair| pair.parts != [0, 0]), "{found:?}");
    let closest = written(|out| bvt_scene_closest_pair(scene, out));
    assert_eq!(closest, copy.closest_pair().map(BvtNearPair::from));
    // SAFETY: as above.
    let found: Vec<BvtBodyManifold> =
        all(|visit, user| unsafe { bvt_scene_for_each_contact_manifold(scene, 0.1, visit, user) });
    assert_eq!(found, copy.contact_manifolds(0.1).iter().map(BvtBodyManifold::from).collect::<Vec<_>>());
    // SAFETY: as above, and null options are the default.
    let found: Vec<BvtOverlappingPair> =
        all(|visit, user| unsafe { bvt_scene_for_each_overlap_depth(scene, 2, null(), visit, user) });
    let depths = copy.overlap_depths(Solid::IfClosed, &bvtree::query::DepthOptions::default());
    assert_eq!(found, depths.iter().map(BvtOverlappingPair::from).collect::<Vec<_>>());
    let motion = [BvtBodyMotion { body: 2, start: pose(5).into(), end: pose(0).into() }];
    // SAFETY: as above, and there is one motion.
    let impact = written(|out| unsafe { bvt_scene_first_impact(scene, motion.as_ptr(), 1, 1e-6, out) });
    let id = bvtree::scene::BodyId::from_bits(2);
    let first = copy.first_impact(&[(id, Motion::new(pose(5), pose(0)))], 1e-6).unwrap();
    assert_eq!(impact, first.map(BvtBodyImpact::from));
    assert!(impact.is_some());

    let probe = made(|out| bvt_probe_new(0, out));
    let mut own = Probe::new();
    let mut parts = [0; 2];
    for i in 0..40 {
        let turn = pose(7 * i);
        let from = Point3::from(turn.rotation() * Vector3::new(3.0, 0.0, 0.0) + turn.translation());
        let ray = bvtree::probe::Ray { origin: from, direction: -from.coords };
        let c_ray = BvtRay { origin: from.into(), direction: ray.direction.into() };
        let hit = written(|out| bvt_scene_closest_hit(scene, Some(&probe), Some(&c_ray), 9.0, u32::MAX, out));
        assert_eq!(hit, copy.closest_hit(&mut own, &ray, 9.0, u32::MAX).map(BvtBodyHit::from));
        parts[0] += hit.map_or(0, |hit| hit.part);
        let nearest =
            written(|out| bvt_scene_closest_point(scene, Some(&probe), Some(&from.into()), 1e9, u32::MAX, out));
        assert_eq!(nearest, copy.closest_point(&mut own, &from, 1e9, u32::MAX).map(BvtBodyPoint::from));
        parts[1] += nearest.map_or(0, |nearest| nearest.part);
    }
    assert!(parts.iter().all(|sum| *sum > 0), "{parts:?}");

    let (c_query, mut query) = (made(|out| bvt_query_new(0, out)), Query::new());
    let mesh = Mesh::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/crate.obj")).unwrap();
    let (c_tree, built) = (tree(&mesh, VolumeKind::Obb), bvtree::BvTree::build(&mesh, &Default::default()).unwrap());
    for i in 0..9 {
        let (at, ignored) = (BvtPose::from(pose(i)), (i % 2 == 0).then_some(i as u64 % 3));
        let near = written(|out| {
            let (query, tree) = (Some(&*c_query), Some(&*c_tree));
            bvt_scene_closest_body(scene, query, tree, Some(&at), 1e9, u32::MAX, ignored.as_ref(), out)
        });
        let ignored = ignored.map(bvtree::scene::BodyId::from_bits);
        let closest = copy.closest_body(&mut query, &built, &pose(i), 1e9, u32::MAX, ignored);
        assert_eq!(near, closest.map(BvtNearBody::from));
    }
}

unsafe extern "C" fn differ(user: *mut c_void, pair: *const BvtFilteredPair) -> i32 {
    // SAFETY: that is what it is called with.
    let (user, pair) = unsafe { (*user.cast::<u64>(), &*pair) };
    i32::from(pair.users[0] != user && pair.bodies.a < pair.bodies.b)
}

#[test]
fn a_filter_chooses_pairs() {
    let (_, scene) = scenes();
    let scene = Some(&*scene);
    let pairs = || -> Vec<[u64; 2]> {
        // SAFETY: the callback takes what it is called with.
        let found: Vec<BvtNearPair> =
            all(|visit, user| unsafe { bvt_scene_for_each_pair_within(scene, 9.0, visit, user) });
        found.iter().map(|pair| [pair.bodies.a, pair.bodies.b]).collect()
    };
    assert_eq!(pairs(), [[0, 1], [0, 2], [1, 2]]);
    let mut user = 7_u64;
    // SAFETY: the number outlives the scene's questions.
    unsafe {
        let status = bvt_scene_set_pair_filter(scene, Some(differ), (&raw mut user).cast());
        assert_eq!((status, pairs()), (BvtStatus::BVT_OK, vec![[1, 2]]));
        assert_eq!(bvt_scene_set_pair_filter(scene, None, std::ptr::null_mut()), BvtStatus::BVT_OK);
    }
    assert_eq!(pairs().len(), 3);
}

#[test]
fn what_is_refused() {
    let ball = made(|out| bvt_convex_shape_sphere(1.0, out));
    let part = BvtPart { tree: None, shape: Some(&ball), to_body: Pose::identity().into() };
    let make = |parts: &[BvtPart<'_>]| {
        let mut compound = MaybeUninit::uninit();
        // SAFETY: there are as many parts.
        let status = unsafe { bvt_compound_new(parts.as_ptr(), parts.len(), Some(&mut compound)) };
        if status == BvtStatus::BVT_OK {
            // SAFETY: it was made.
            bvt_compound_free(Some(unsafe { Box::from_raw(compound.assume_init()) }));
        }
        status
    };
    assert_eq!(make(&[]), BvtStatus::BVT_OK);
    assert_eq!(make(&[part, part]), BvtStatus::BVT_OK);
    assert_eq!(make(&[part, BvtPart { shape: None, ..part }]), BvtStatus::BVT_ERROR_ARGUMENT);
    let far = Pose::from_translation(Vector3::new(1e31, 0.0, 0.0)).unwrap();
    assert_eq!(make(&[BvtPart { to_body: far.into(), ..part }]), BvtStatus::BVT_ERROR_ARGUMENT);
    let mut mirrored = part;
    mirrored.to_body.rotation[0] = -1.0;
    assert_eq!(make(&[mirrored]), BvtStatus::BVT_ERROR_POSE);
}
