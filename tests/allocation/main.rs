//! A warmed-up query or character allocates nothing.

#[path = "../oracle/mod.rs"]
#[allow(dead_code)]
mod oracle;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent, Surroundings};
use bvtree::probe::{CastOptions, Ray};
use bvtree::query::DistanceTracker;
use bvtree::refit::DeformingTree;
use bvtree::scene::{Body, Scene};
use bvtree::shape::{Capsule, ConvexShape, Distance, Overlaps, Segment};
use bvtree::{Character, Motion, Pose, Probe, Query, VolumeKind};
use nalgebra::{Isometry3, Point3, Vector3};

use oracle::{Rules, levels, meshes};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread asks of it.
struct Counting;

// SAFETY: every call is handed on to the system's allocator as it came; counting in a constant-initialised thread-local
// without a destructor does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller guarantees.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn a_warmed_up_query_allocates_nothing() {
    assert!(allocations(|| drop(std::hint::black_box(Box::new(1)))) > 0, "the counter counts");

    let torus = meshes::torus(20, 16);
    let poses = [
        Pose::identity(),
        Pose::from(Isometry3::new(Vector3::new(0.9, 0.1, 0.0), Vector3::new(0.5, 1.0, 0.0))),
        Pose::from(Isometry3::translation(9.0, 0.0, 0.0)),
    ];
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        for level in levels() {
            let mut query = Query::with_simd(level);
            let mut ask = || {
                let mut pairs = 0;
                for pose in &poses {
                    query.intersects(&tree, &tree, pose);
                    let count = |_| {
                        pairs += 1;
                        ControlFlow::Continue(())
                    };
                    query.for_each_intersecting_pair(&tree, &tree, pose, count);
                }
                query.for_each_self_pair(&tree, |_| ControlFlow::Continue(()));
                assert!(pairs > 0);
            };
            ask();
            assert_eq!(allocations(ask), 0, "{volume} trees, {level}");
        }
    }
}

#[test]
fn distances_motions_and_trackers_allocate_nothing() {
    let torus = meshes::torus(20, 16);
    let poses =
        [0.2, 3.0, 9.0].map(|x| Pose::from(Isometry3::new(Vector3::new(x, 0.1, 0.0), Vector3::new(0.5, 1.0, 0.0))));
    let motion = Motion::new(poses[2], poses[0]);
    let beside = Point3::new(0.3, 0.2, 0.1);
    for volume in VolumeKind::ALL {
        let tree = Arc::new(Rules::FINEST.tree(&torus, volume));
        for level in levels() {
            let (mut query, mut probe) = (Query::with_simd(level), Probe::with_simd(level));
            let mut tracker = DistanceTracker::new(&tree, &tree);
            let mut ask = || {
                let mut found = 0;
                for pose in &poses {
                    query.distance(&tree, &tree, pose).unwrap();
                    query.within(&tree, &tree, pose, 0.1);
                    tracker.distance(&mut query, pose).unwrap();
                    query.for_each_pair_within(&tree, &tree, pose, 0.01, |_| ControlFlow::Continue(()));
                    query.for_each_candidate(&tree, &tree, pose, |_| ControlFlow::Continue(()));
                    found += query.count_pairs(&tree, &tree, pose);
                }
                query.time_of_impact(&tree, &tree, &motion, 1e-6).unwrap();
                assert!(found > 0);
                let ray = Ray::new(Point3::new(9.0, 0.1, 0.05), Vector3::new(-1.0, 0.0, 0.0));
                probe.closest_hit(&tree, &ray, f64::INFINITY).unwrap();
                probe.closest_point(&tree, &beside).unwrap();
                probe.contains(&tree, &beside);
                probe.signed_distance(&tree, &beside);
                let segment = Segment { start: beside, end: beside + Vector3::new(0.0, 0.0, 0.2) };
                let capsule = Capsule { segment, radius: 0.1 };
                probe.cast_capsule(&tree, &capsule, &Vector3::new(5.0, 0.0, 0.0), &CastOptions::default());
                probe.for_each_capsule_contact(&tree, &capsule, 1.0, |_| ControlFlow::Continue(()));
            };
            ask();
            assert_eq!(allocations(ask), 0, "{volume} trees, {level}");
        }
    }
}

#[test]
fn questions_of_convex_shapes_allocate_nothing() {
    let torus = meshes::torus(20, 16);
    let corners: Vec<Point3<f64>> =
        (0..20).map(|i| Point3::new((0.3 * i as f64).cos(), (1.7 * i as f64).sin(), (0.9 * i as f64).cos())).collect();
    let kinds = [
        ConvexShape::cuboid(Vector3::new(0.3, 0.2, 0.1)),
        ConvexShape::sphere(0.3),
        ConvexShape::capsule(0.2, 0.1),
        ConvexShape::cylinder(0.2, 0.1),
        ConvexShape::cone(0.2, 0.1),
        ConvexShape::hull(&corners),
    ];
    let kinds = kinds.map(Result::unwrap);
    // At the tube's middle, at its side, far away.
    let poses =
        [1.0, 1.5, 9.0].map(|x| Pose::from(Isometry3::new(Vector3::new(x, 0.02, 0.01), Vector3::new(0.5, 1.0, 0.0))));
    let placed: Vec<ConvexShape> =
        poses.iter().flat_map(|pose| kinds.iter().map(|kind| kind.transformed(pose))).collect();
    let options = CastOptions::default();
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        let mut probe = Probe::new();
        let mut ask = || {
            let (mut touching, mut deep) = (0, 0);
            for shape in &placed {
                probe.intersects_convex(&tree, shape);
                probe.for_each_face_in_convex(&tree, shape, |_| ControlFlow::Continue(()));
                probe.closest_to_convex(&tree, shape, f64::INFINITY).unwrap();
                probe.cast_convex(&tree, shape, &Vector3::new(-9.0, 0.0, 0.0), &options);
                probe.for_each_convex_contact(&tree, shape, 0.1, |contact| {
                    touching += usize::from(contact.distance < 0.0);
                    ControlFlow::Continue(())
                });
                probe.closest_convex_contact(&tree, shape, f64::INFINITY).unwrap();
                for other in &placed {
                    let distance = shape.contact(other, f64::INFINITY).unwrap().distance;
                    deep += usize::from(distance < 0.0);
                    assert!(!shape.overlaps(other) || distance < 1e-5);
                    shape.closest_points(other);
                }
            }
            assert!(touching > 20 && deep > 100, "{touching} {deep}");
        };
        ask();
        assert_eq!(allocations(ask), 0, "{volume} trees");
    }
    // A placed shape takes memory for more corners than a cuboid's alone, when they are first needed.
    let place = |shapes: &[ConvexShape]| {
        let corner = |shape: &ConvexShape| shape.transformed(&poses[0]).support_point(&Vector3::x());
        allocations(|| shapes.iter().map(corner).for_each(|corner| _ = std::hint::black_box(corner)))
    };
    assert_eq!((place(&kinds[..5]), place(&kinds[5..])), (0, 1));
}

#[test]
fn a_warmed_up_character_allocates_nothing() {
    let floor = Rules::FINEST.tree(&meshes::flat_square(4), VolumeKind::Aabb);
    let mut scene = Scene::new();
    scene.add(Body::fixed(Arc::new(floor), Pose::identity())).unwrap();
    let start = Point3::new(1.5, 1.0, 0.5);
    let options = CharacterOptions { radius: 0.05, height: 0.2, skin: 0.002, ..CharacterOptions::default() };
    let mut character = Character::new(&options, start).unwrap();
    let mut walk = || {
        character.teleport(start).unwrap();
        let mut stood = 0;
        for i in 0..120 {
            let intent = Intent { walk: Vector3::new(0.1, 0.4, 0.0), jump: if i == 90 { 1.0 } else { 0.0 } };
            character.step(&Surroundings::new(&scene), &intent, 1.0 / 60.0).unwrap();
            stood += u32::from(character.ground().is_some());
        }
        assert!(stood > 0);
    };
    walk();
    assert_eq!(allocations(walk), 0);
}

#[test]
fn a_warmed_up_refit_allocates_nothing() {
    // More vertices than are one thread's work.
    let torus = meshes::torus(100, 60);
    let grown: Vec<_> = torus.vertices().iter().map(|p| p * 1.5).collect();
    let moved: Vec<_> = (0..).zip(grown.iter().copied()).take(50).collect();
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for volume in VolumeKind::ALL {
        let mut tree = DeformingTree::new(Rules::FINEST.tree(&torus, volume), torus.clone()).unwrap();
        let mut refit = || {
            tree.refit(&grown).unwrap();
            tree.refit(torus.vertices()).unwrap();
            tree.refit_moved(&moved).unwrap();
            tree.refit_moved(&moved[..20]).unwrap();
        };
        alone.install(|| {
            refit();
            assert_eq!(allocations(refit), 0, "{volume}");
        });
    }
}
