//! Where several pairs of triangles touch at the same time: the same normal in whatever order the triangles are, and
//! the same pair in whatever order trees have them.

use bvtree::query::{FacePair, MotionContact, TimeOfImpact};
use bvtree::{BvTree, Mesh, Motion, Pose, Preset, Query, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use super::{TOLERANCE, posed};
use crate::oracle::meshes::{flat_square, moved, unconnected};
use crate::solids::cuboid;

/// The same triangles in an order of their own for each number, each from another corner on; as they are for 0.
fn shuffled(mesh: &Mesh, order: u32) -> Mesh {
    let mut triangles = mesh.triangles().to_vec();
    if order > 0 {
        let scattered =
            |&[p, q, r]: &[u32; 3]| ((p * 31 + q) * 31 + r).wrapping_mul(0x9e37_79b1 + 2 * order).rotate_left(9);
        triangles.sort_by_key(scattered);
        triangles.iter_mut().enumerate().for_each(|(i, triangle)| triangle.rotate_left((i + order as usize) % 3));
    }
    Mesh::from_arrays(mesh.vertices().to_vec(), triangles).unwrap()
}

fn trees(mesh: &Mesh) -> Vec<BvTree> {
    let presets = [Preset::Fast, Preset::Balanced, Preset::Tight];
    let kinds = [VolumeKind::Obb, VolumeKind::Aabb, VolumeKind::Sphere];
    let options = presets.into_iter().flat_map(|preset| kinds.map(|kind| preset.options(kind)));
    options.map(|options| BvTree::build(mesh, &options).unwrap()).collect()
}

fn contact(a: &BvTree, b: &BvTree, motion: &Motion, tolerance: f64) -> MotionContact {
    match Query::new().time_of_impact(a, b, motion, tolerance).unwrap() {
        TimeOfImpact::NoImpact => panic!("no contact: {motion:?}"),
        TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => contact,
    }
}

/// That the normal is the expected one, of either mesh as A.
fn check(a: &Mesh, b: &Mesh, motion: &Motion, normal: Vector3<f64>) {
    let back = Motion::new(inverse(motion.start()), inverse(motion.end()));
    // B's frame only moves straight if B does not turn.
    let turns = (motion.start().rotation() - motion.end().rotation()).amax() > 0.0;
    for order in 0..5 {
        let [trees_a, trees_b] = [a, b].map(|mesh| trees(&shuffled(mesh, order)));
        for tolerance in [0.0, TOLERANCE] {
            let told = contact(&trees_a[0], &trees_b[0], motion, tolerance);
            for (a, b) in trees_a.iter().zip(trees_b.iter().cycle().skip(1)) {
                let found = contact(a, b, motion, tolerance);
                assert!((found.normal - normal).amax() < 1e-9, "{found:?} {normal:?}");
                // Touching at the start, any face will do.
                assert!(found.time == 0.0 || found == told, "{found:?} {told:?}");
                if !turns {
                    let found = contact(b, a, &back, tolerance);
                    let normal = -(back.start().rotation() * normal);
                    assert!((found.normal - normal).amax() < 1e-9, "{found:?} {normal:?}");
                }
            }
        }
    }
}

fn inverse(pose: &Pose) -> Pose {
    let back = pose.rotation().transpose();
    Pose::new(back, -(back * pose.translation())).unwrap()
}

fn straight(from: [f64; 3], to: [f64; 3], turn: Vector3<f64>) -> Motion {
    let [start, end] = [from, to].map(|[x, y, z]| posed(x, y, z, turn));
    Motion::new(start, end)
}

const NO_TURN: Vector3<f64> = Vector3::new(0.0, 0.0, 0.0);

#[test]
fn cubes_that_touch_face_to_face() {
    let cube = cuboid([1.0; 3]);
    for aside in [[0.0, 0.0], [0.25, 0.125], [0.5, 0.0], [0.3, -0.7]] {
        let [y, z] = aside;
        for to in [[3.0, y, z], [-3.0, y, z], [1.0, 3.0, z]] {
            check(&cube, &cube, &straight([1.0, y, z], to, NO_TURN), Vector3::x());
        }
        check(&cube, &cube, &straight([2.5, y, z], [-1.0, y, z], NO_TURN), Vector3::x());
        check(&cube, &cube, &straight([2.5, y - 0.3, z + 0.4], [0.5, y, z], NO_TURN), Vector3::x());
    }
}

#[test]
fn turned_cubes_that_touch_up_to_rounding() {
    let cube = cuboid([1.0; 3]);
    for seed in 1..6 {
        let axis = Vector3::new(0.3, 0.5, -0.7) * f64::from(seed);
        let turn: Matrix3<f64> = Rotation3::new(axis).into_inner();
        let place = |x: f64| Pose::new(turn, turn * Vector3::new(x, 0.0, 0.0) + axis).unwrap();
        let from = |x: f64| Pose::relative(&place(0.0), &place(x));
        // One of the last bits more or less, and they don't touch at the start.
        for x in [1.0 - 1e-16, 1.0, 1.0 + 3e-16] {
            check(&cube, &cube, &Motion::new(from(x), from(0.5)), Vector3::x());
        }
        check(&cube, &cube, &Motion::new(from(3.0), from(0.5)), Vector3::x());
    }
}

#[test]
fn a_box_on_a_plane_of_triangles() {
    let plane = moved(&flat_square(8), |v| v - Vector3::new(4.0, 4.0, 0.0));
    let block = cuboid([2.0, 3.0, 1.0]);
    let turns = [0.0, 0.25, 1.0].map(|angle| Vector3::z() * angle);
    for turn in turns {
        for [x, y] in [[0.0, 0.0], [0.5, 0.3]] {
            check(&plane, &block, &straight([x, y, 0.5], [x, y, 2.0], turn), Vector3::z());
            check(&plane, &block, &straight([x, y, 3.0], [x, y, -1.0], turn), Vector3::z());
            check(&plane, &block, &straight([x, y, 3.0], [x + 1.0, y, 0.0], turn), Vector3::z());
        }
    }
    // It lands while it turns about the upright axis.
    let lands = Motion::new(posed(0.0, 0.0, 3.0, turns[0]), posed(0.1, 0.2, 0.0, turns[2]));
    check(&plane, &block, &lands, Vector3::z());
}

#[test]
fn corners_and_edges() {
    let cube = cuboid([1.0; 3]);
    let plane = moved(&flat_square(8), |v| v - Vector3::new(4.0, 4.0, 0.0));
    // On a corner in the plane: in a triangle, on the edge of two and on a corner of six.
    let up = Rotation3::rotation_between(&Vector3::new(-1.0, -1.0, -1.0), &-Vector3::z()).unwrap().scaled_axis();
    for [x, y] in [[0.2, 0.3], [0.5, 0.5], [0.0, 0.0]] {
        check(&plane, &cube, &straight([x, y, 3.0], [x, y, 0.0], up), Vector3::z());
    }
    // Edges across each other.
    let quarter = std::f64::consts::FRAC_PI_4;
    let a = moved(&cube, |v| Rotation3::from_axis_angle(&Vector3::y_axis(), quarter) * v);
    let across = Rotation3::from_axis_angle(&Vector3::x_axis(), quarter).scaled_axis();
    check(&a, &cube, &straight([0.1, 0.2, 3.0], [0.1, 0.2, 0.0], across), Vector3::z());
}

#[test]
fn two_walls_met_at_once() {
    // A block slides into the corner of two walls, which it meets with two faces at the same time.
    let wall = cuboid([1.0, 8.0, 4.0]);
    let other = moved(&cuboid([8.0, 1.0, 4.0]), |v| v + Vector3::new(4.5, -4.5, 0.0));
    let walls = joined(&wall, &other);
    let block = cuboid([1.0; 3]);
    let slides = straight([4.0, -1.0, 0.25], [0.0, -5.0, 0.25], NO_TURN);
    for order in 0..5 {
        let [trees_a, trees_b] = [&walls, &block].map(|mesh| trees(&shuffled(mesh, order)));
        for tolerance in [0.0, TOLERANCE] {
            let told = contact(&trees_a[0], &trees_b[0], &slides, tolerance);
            assert!(told.normal == Vector3::x() || told.normal == Vector3::y(), "{told:?}");
            for (a, b) in trees_a.iter().zip(trees_b.iter().cycle().skip(1)) {
                assert_eq!(contact(a, b, &slides, tolerance), told);
            }
        }
    }
}

fn joined(one: &Mesh, other: &Mesh) -> Mesh {
    let (mut vertices, mut triangles) = (one.vertices().to_vec(), one.triangles().to_vec());
    let first = vertices.len() as u32;
    vertices.extend(other.vertices());
    triangles.extend(other.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    Mesh::from_arrays(vertices, triangles).unwrap()
}

#[test]
fn a_box_sunk_into_the_plane_it_rests_on() {
    let plane = moved(&flat_square(8), |v| v - Vector3::new(4.0, 4.0, 0.0));
    let block = cuboid([2.0, 3.0, 1.0]);
    for sunk in [1e-9, 1e-5, 1e-2] {
        check(&plane, &block, &straight([0.3, 0.1, 0.5 - sunk], [0.3, 0.1, 2.0], Vector3::z() * 0.3), Vector3::z());
    }
}

/// Two triangles that turn into two others at the same time, at the end of a window of an eighth of a radian.
#[test]
fn ties_at_the_end_of_a_window() {
    let upright = |x: f32| [[x, 0.0, -0.5], [x + 1.0, 0.0, -0.5], [x, 0.0, 0.5]].map(Point3::from);
    let orders = [[upright(4.0), upright(5.5)], [upright(5.5), upright(4.0)]];
    let trees = orders.map(|order| trees(&unconnected(&order)).swap_remove(0));
    for step in 0..200 {
        let start = 1e-15 * f64::from(step) - 0.125;
        let turns =
            Motion::new(posed(0.0, 0.0, 0.0, Vector3::z() * start), posed(0.0, 0.0, 0.0, Vector3::z() * (start + 1.0)));
        for tree in &trees {
            let found = contact(tree, tree, &turns, 0.0);
            assert_eq!(found.faces, FacePair { face_a: 0, face_b: 0 }, "{step}: {found:?}");
        }
    }
}
