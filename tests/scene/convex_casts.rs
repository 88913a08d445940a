//! Convex shapes that are cast at bodies: by each body alone, and by samples of the path.

use bvtree::probe::CastOptions;
use bvtree::scene::{Body, Geometry, NO_FACE, Scene};
use bvtree::shape::{Aabb, Capsule, ConvexShape, Distance, Segment};
use bvtree::{Pose, Probe};
use nalgebra::{Matrix3, Point3, Vector3};

use super::shapes::shapes;
use super::{Random, tree, tree_of, trees};
use crate::solids::cuboid;

fn by(offset: &Vector3<f64>) -> Pose {
    Pose::from_translation(*offset).unwrap()
}

#[test]
fn casts_meet_what_each_tree_says() {
    let (mut random, mut probe) = (Random(31), Probe::new());
    let (trees, shapes) = (trees(), shapes());
    let mut scene = Scene::new();
    for i in 0..60 {
        let body = Body { groups: 1 << (i % 2), ..Body::moving(trees[i % trees.len()].clone(), random.pose(3.0)) };
        scene.add(body).unwrap();
    }
    let (mut met, mut missed) = (0, 0);
    for i in 0..300 {
        let mask = [u32::MAX, 1, 2][i % 3];
        let shape = &shapes[i % shapes.len()];
        let small = ConvexShape::cuboid(Vector3::new(0.05, 0.1, 0.02)).unwrap();
        let shape = if i.is_multiple_of(2) { &small } else { &**shape };
        let pose = random.pose(5.0);
        let way = if i % 7 == 0 { Vector3::zeros() } else { random.vector(4.0) };
        let options = CastOptions { tolerance: [0.0, 0.01][i % 2], ..CastOptions::default() };
        let mut expected: Option<f64> = None;
        for (_, body) in scene.bodies().filter(|(_, body)| body.groups & mask != 0) {
            let local = shape.transformed(&Pose::relative(&body.pose, &pose));
            let local_way = body.pose.rotation().transpose() * way;
            if let Some(hit) = probe.cast_convex(tree_of(body), &local, &local_way, &options) {
                expected = Some(expected.map_or(hit.time, |first| first.min(hit.time)));
            }
        }
        let found = scene.cast_convex(&mut probe, shape, &pose, &way, &options, mask);
        assert_eq!(found.map(|found| found.hit.time), expected);
        let Some(found) = found else {
            missed += 1;
            continue;
        };
        met += 1;
        assert!(scene.body(found.body).unwrap().groups & mask != 0 && (found.hit.normal.norm() - 1.0).abs() < 1e-9);
        if found.hit.time > 0.0 {
            let there = shape.transformed(&pose).transformed(&by(&(way * found.hit.time)));
            let point = ConvexShape::hull(&[found.hit.point]).unwrap();
            assert!(there.distance(&point) < 0.02, "{found:?}");
        }
    }
    assert!(met > 50 && missed > 50, "{met} {missed}");
}

/// Shapes at shapes, which may start in each other, with and without contacts at the start that the motion leaves.
#[test]
fn casts_meet_shapes_when_samples_do() {
    let (mut random, mut probe) = (Random(32), Probe::new());
    let onward = CastOptions { tolerance: 0.0, departing: false };
    let (mut met, mut missed, mut inside) = (0, 0, 0);
    for (i, fixed) in shapes().iter().enumerate() {
        for (j, moving) in shapes().iter().enumerate() {
            for k in 0..24 {
                let [at, from] = [random.pose(1.5), random.pose(2.5)];
                let mut scene = Scene::new();
                scene.add(Body::fixed(fixed.clone(), at)).unwrap();
                let [fixed, start] = [fixed.transformed(&at), moving.transformed(&from)];
                let target = fixed.center() - start.center();
                let way = if k % 2 == 0 { target * 2.0 + random.vector(1.0) } else { random.vector(3.0) };
                let gap = |time: f64| fixed.distance(&start.transformed(&by(&(way * time))));
                let hit = scene.cast_convex(&mut probe, moving, &from, &way, &CastOptions::default(), u32::MAX);
                let second = scene.cast_convex(&mut probe, moving, &from, &way, &onward, u32::MAX);
                let told = format!("{i} {j} {k} {hit:?}");
                let Some(hit) = hit.map(|found| found.hit) else {
                    missed += 1;
                    assert!((0..=40).all(|sample| gap(f64::from(sample) / 40.0) > 0.0), "{told}");
                    assert!(second.is_none(), "{told}");
                    continue;
                };
                assert!(hit.face == NO_FACE && (hit.normal.norm() - 1.0).abs() < 1e-9, "{told}");
                let meets = ConvexShape::hull(&[hit.point]).unwrap();
                assert!(fixed.distance(&meets) < 1e-5, "{told}");
                if gap(0.0) == 0.0 {
                    inside += 1;
                    assert_eq!(hit.time, 0.0);
                    // Out along the normal there is a way.
                    let depth = fixed.contact(&start, 0.0).unwrap().distance;
                    let out = start.transformed(&by(&(hit.normal * (1e-5 - depth))));
                    assert!(fixed.distance(&out) > 0.0, "{told}");
                    continue;
                }
                met += 1;
                assert_eq!(second.map(|second| second.hit), Some(hit), "{told}");
                let before = hit.time * (1.0 - 1e-6);
                assert!((0..40).all(|sample| gap(before * f64::from(sample) / 40.0) > 0.0), "{told}");
                let there = start.transformed(&by(&(way * hit.time)));
                assert!(fixed.distance(&there) < 1e-5 && there.distance(&meets) < 1e-5, "{told}");
                assert!(hit.normal.dot(&way) < 1e-6, "{told}");
            }
        }
    }
    assert!(met > 300 && missed > 300 && inside > 50, "{met} {missed} {inside}");
}

/// A box that stands on a table slides off it, and one that is let down meets it at once.
#[test]
fn contacts_at_the_start_may_be_left() {
    let mut scene = Scene::new();
    let table = ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.5)).unwrap();
    let standing = by(&Vector3::new(0.0, 0.0, 1.0));
    let moving = ConvexShape::cuboid(Vector3::repeat(0.5)).unwrap();
    let mut probe = Probe::new();
    for geometry in [Geometry::from(table), tree(&cuboid([2.0, 2.0, 1.0])).into()] {
        let body = scene.add(Body::fixed(geometry, Pose::identity())).unwrap();
        for (way, departing, meets) in [
            (0.25 * Vector3::x(), true, true),
            (0.25 * Vector3::x(), false, false),
            (Vector3::z(), false, false),
            (-Vector3::z(), false, true),
        ] {
            let options = CastOptions { tolerance: 0.0, departing };
            let hit = scene.cast_convex(&mut probe, &moving, &standing, &way, &options, u32::MAX);
            assert_eq!(
                hit.map(|found| (found.body, found.hit.time)),
                meets.then_some((body, 0.0)),
                "{way} {departing}"
            );
            assert!(hit.is_none_or(|found| (found.hit.normal - Vector3::z()).norm() < 1e-9), "{hit:?}");
        }
        scene.remove(body).unwrap();
    }
    let nowhere = Scene::new();
    let options = CastOptions::default();
    assert!(nowhere.cast_convex(&mut probe, &moving, &standing, &Vector3::x(), &options, u32::MAX).is_none());
}

/// A box meets boxes and triangles where the hull of its corners does, which is met by GJK, and capsules meet both
/// alike. Also on a grid, where faces and edges are parallel.
#[test]
fn boxes_meet_what_the_hulls_of_their_corners_meet() {
    let (mut random, mut probe, options) = (Random(33), Probe::new(), CastOptions::default());
    let quarter = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let soup = trees().swap_remove(0);
    let (mut met, mut missed) = (0, 0);
    for i in 0..4_000 {
        let is_on_grid = i % 2 == 0;
        let on_grid = |vector: Vector3<f64>| if is_on_grid { vector.map(|x| (4.0 * x).round() / 4.0) } else { vector };
        let mut half = || on_grid(random.vector(0.5)).abs();
        let [fixed, moving] = [half(), half()];
        let hull = |half: Vector3<f64>, scale: f64| {
            let corners = Aabb { lower: Point3::from(-half), upper: Point3::from(half) }.corners();
            ConvexShape::polytope(&corners.map(|corner| corner * scale)).unwrap()
        };
        let mut pose = || {
            let at = random.pose(1.5);
            let turn = if random.unit() < 0.5 { quarter } else { Matrix3::identity() };
            if is_on_grid { Pose::new(turn, on_grid(*at.translation())).unwrap() } else { at }
        };
        let [at, from] = [pose(), pose()];
        let way = on_grid(random.vector(3.0));
        let scene_of = |geometry: Geometry| {
            let mut scene = Scene::new();
            scene.add(Body::fixed(geometry, at)).unwrap();
            scene
        };
        let mut cast = |scene: &Scene, shape: &ConvexShape| {
            let hit = scene.cast_convex(&mut probe, shape, &from, &way, &options, u32::MAX)?.hit;
            Some((hit.time, hit.point, hit.normal))
        };
        let boxes = scene_of(ConvexShape::cuboid(fixed).unwrap().into());
        let hulls = scene_of(hull(fixed, 1.0).into());
        let mesh = scene_of(soup.clone().into());
        let own = ConvexShape::cuboid(moving).unwrap();
        let pairs = [(&boxes, &hulls), (&mesh, &mesh)].map(|(of_box, of_hull)| {
            let smaller = hull(moving, 1.0 - 1e-7);
            [cast(of_box, &own), cast(of_hull, &hull(moving, 1.0)), cast(of_hull, &smaller)]
        });
        let [start, end] = [0.0, 1.0]
            .map(|z| Point3::from(from.rotation() * Vector3::new(0.0, 0.0, z * moving.z) + from.translation()));
        let mut capsule = |scene: &Scene, radius: f64| {
            let capsule = Capsule { segment: Segment { start, end }, radius };
            let hit = scene.cast_capsule(&mut probe, &capsule, &way, &options, u32::MAX)?.hit;
            Some((hit.time, hit.contact.point, hit.contact.normal))
        };
        let of_capsules =
            [(&boxes, 1.0), (&hulls, 1.0), (&hulls, 1.0 - 1e-7)].map(|(scene, scale)| capsule(scene, moving.x * scale));
        for [of_box, of_hull, of_smaller] in [pairs[0], pairs[1], of_capsules] {
            let told = format!("{i} {of_box:?} {of_hull:?}");
            // What only grazes may be met or not.
            let Some((time, point, normal)) = of_box else {
                assert!(of_smaller.is_none(), "{told}");
                missed += 1;
                continue;
            };
            met += 1;
            let Some((expected, ..)) = of_hull else {
                assert!(of_smaller.is_none(), "{told}");
                continue;
            };
            assert!((time - expected).abs() * way.norm() < 1e-9 || of_smaller.is_none(), "{told}");
            assert!((normal.norm() - 1.0).abs() < 1e-9 && point.iter().all(|x| x.is_finite()), "{told}");
            assert!(time == 0.0 || normal.dot(&way) < 1e-9, "{told}");
        }
    }
    assert!(met > 1_000 && missed > 2_000, "{met} {missed}");
}
