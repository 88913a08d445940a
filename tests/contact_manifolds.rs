//! Contact manifolds of solids whose contacts are known, and of convex solids across random gaps.

use std::collections::BTreeSet;

use bvtree::query::ContactManifold;
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::poses::rotations;
use crate::oracle::{Rules, meshes};

pub const MARGIN: f64 = 0.02;

/// A box from `lower` to `upper` whose faces are grids of `cells` by `cells` squares.
pub fn cuboid(lower: [f32; 3], upper: [f32; 3], cells: u16) -> Mesh {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for is_upper in [false, true] {
            let corner = |i: u16, k: u16| {
                let mut point = Point3::from(if is_upper { upper } else { lower });
                let part = |axis: usize, i: u16| {
                    let t = f32::from(i) / f32::from(cells);
                    lower[axis] * (1.0 - t) + upper[axis] * t
                };
                (point[u], point[v]) = (part(u, i), part(v, k));
                point
            };
            for i in 0..cells {
                for k in 0..cells {
                    let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
                    triangles.extend(if is_upper { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
                }
            }
        }
    }
    meshes::unconnected(&triangles)
}

fn manifolds(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Vec<ContactManifold> {
    let [a, b] = [a, b].map(|mesh| Rules::FINEST.tree(mesh, VolumeKind::Obb));
    let found = Query::new().contact_manifolds(&a, &b, b_to_a, MARGIN);
    check([&a, &b], b_to_a, &found);
    found
}

/// What holds for all manifolds.
fn check(trees: [&BvTree; 2], b_to_a: &Pose, found: &[ContactManifold]) {
    let meshes = trees.map(|tree| tree.to_mesh().unwrap());
    let mut ids = BTreeSet::new();
    for manifold in found {
        assert!((manifold.normal.norm() - 1.0).abs() < 1e-12 && (1..=4).contains(&manifold.points.len()));
        assert!(manifold.points.is_sorted_by(|p, q| p.depth >= q.depth));
        for point in &manifold.points {
            assert!(point.depth.abs() <= MARGIN && ids.insert(point.id), "{manifold:?}");
            let across = point.on_b - point.on_a;
            assert!((across.dot(&manifold.normal) + point.depth).abs() <= 0.02 * point.depth.abs() + 1e-9, "{point:?}");
            let face_a = meshes[0].triangle(point.faces.face_a);
            let mut face_b = meshes[1].triangle(point.faces.face_b);
            face_b.vertices = face_b.vertices.map(|v| b_to_a.transform(&v.map(|x| x as f32)));
            for (triangle, on) in [(face_a, point.on_a), (face_b, point.on_b)] {
                assert!((triangle.closest_point(&on) - on).norm() < 1e-5, "{on} is off {triangle:?}");
            }
        }
    }
}

pub fn floor(cells: u16) -> Mesh {
    cuboid([-4.0, -4.0, -1.0], [4.0, 4.0, 0.0], cells)
}

pub fn unit_cube(cells: u16) -> Mesh {
    cuboid([-0.5; 3], [0.5; 3], cells)
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Isometry3::translation(x, y, z).into()
}

/// However finely both are triangulated, and whether it sinks in or hovers.
#[test]
fn a_cube_stands_on_its_corners() {
    for (cells_floor, cells_cube) in [(1, 1), (1, 5), (7, 1), (16, 3)] {
        for depth in [0.01, 0.0, -0.01] {
            let found = manifolds(&floor(cells_floor), &unit_cube(cells_cube), &at(0.3, 0.2, 0.5 - depth));
            let [manifold] = &found[..] else { panic!("{cells_floor} {cells_cube} {depth}: {found:?}") };
            assert!((manifold.normal - Vector3::z()).norm() < 1e-9);
            let corners: BTreeSet<[i32; 2]> = manifold
                .points
                .iter()
                .map(|point| {
                    assert!((point.depth - depth).abs() < 1e-6);
                    [point.on_b.x - 0.3, point.on_b.y - 0.2].map(|x| (x * 1000.0).round() as i32)
                })
                .collect();
            assert_eq!(corners, BTreeSet::from([[-500, -500], [-500, 500], [500, -500], [500, 500]]));
        }
    }
}

/// Faces that are nearly parallel touch with all corners, of a cube or of the part that two cubes share.
#[test]
fn tilted_faces_keep_four_points() {
    for (cells, below, turn) in [(1, floor(3), 0.3), (3, floor(1), 0.3), (1, unit_cube(1), 0.7), (2, unit_cube(3), 0.7)]
    {
        let top = if below.aabb().upper.z > 0.25 { 0.5 } else { 0.0 };
        for tilt in [1e-9, 1e-5, 0.004, 0.01] {
            let tilted = Rotation3::from_axis_angle(&Vector3::y_axis(), tilt);
            let rotation = tilted * Rotation3::from_axis_angle(&Vector3::z_axis(), turn);
            let pose = Pose::new(rotation.into_inner(), Vector3::new(0.01, -0.02, top + 0.5)).unwrap();
            let found = manifolds(&below, &unit_cube(cells), &pose);
            let manifold = &found[0];
            assert_eq!(manifold.points.len(), 4, "{cells} {turn} {tilt}: {found:?}");
            assert!(manifold.normal.z > 0.999, "{manifold:?}");
            for point in &manifold.points {
                let height = tilted * Vector3::new(0.0, 0.0, -0.5);
                let bottom = height.z - (point.on_b.x - 0.01 - height.x) * tilt.tan() + top + 0.5;
                assert!((point.depth + bottom - top).abs() < 1e-4, "{point:?} is at {bottom}");
            }
        }
    }
}

#[test]
fn a_cube_in_a_corner_leans_on_three_sides() {
    let room = [
        cuboid([-1.0, -1.0, -1.0], [4.0, 4.0, 0.0], 3),
        cuboid([-1.0, -1.0, 0.0], [0.0, 4.0, 4.0], 2),
        cuboid([0.0, -1.0, 0.0], [4.0, 0.0, 4.0], 2),
    ];
    let triangles: Vec<[Point3<f32>; 3]> = room
        .iter()
        .flat_map(|mesh| mesh.triangles().iter().map(|face| face.map(|i| mesh.vertices()[i as usize])))
        .collect();
    let found = manifolds(&meshes::unconnected(&triangles), &unit_cube(1), &at(0.495, 0.497, 0.499));
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        let count = found.iter().filter(|manifold| (manifold.normal - axis).norm() < 1e-6).count();
        assert_eq!(count, 1, "{axis}: {found:?}");
    }
    assert!(found.iter().take(3).all(|manifold| manifold.points.len() == 4));
    assert!((found[0].points[0].depth - 0.005).abs() < 1e-6 && (found[0].normal - Vector3::x()).norm() < 1e-6);
}

#[test]
fn edges_and_corners_stand_on_two_points_and_one() {
    let half_diagonal = 0.5_f64.sqrt();
    let edge = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_4).into_inner();
    let down = Pose::new(edge, Vector3::new(0.1, 0.2, half_diagonal - 0.003)).unwrap();
    let found = manifolds(&floor(3), &unit_cube(2), &down);
    let [manifold] = &found[..] else { panic!("{found:?}") };
    assert!((manifold.normal - Vector3::z()).norm() < 1e-6 && manifold.points.len() == 2, "{manifold:?}");
    assert!(manifold.points.iter().all(|point| (point.depth - 0.003).abs() < 1e-6));
    assert!(((manifold.points[0].on_a - manifold.points[1].on_a).norm() - 1.0).abs() < 1e-6);

    let corner = Rotation3::rotation_between(&Vector3::repeat(1.0), &-Vector3::z()).unwrap().into_inner();
    let down = Pose::new(corner, Vector3::new(0.1, 0.2, 0.75_f64.sqrt() - 0.003)).unwrap();
    let found = manifolds(&floor(3), &unit_cube(1), &down);
    let [manifold] = &found[..] else { panic!("{found:?}") };
    assert!((manifold.normal - Vector3::z()).norm() < 1e-6 && manifold.points.len() == 1, "{manifold:?}");
    assert!((manifold.points[0].depth - 0.003).abs() < 1e-6);
}

/// Two roofs, one across the other upside down: one point where the ridges cross.
#[test]
fn ridges_cross_in_a_point() {
    let turned = |axis| Rotation3::from_axis_angle(&axis, std::f64::consts::FRAC_PI_4).into_inner();
    let half_diagonal = 0.5_f64.sqrt();
    let cube = unit_cube(1);
    let below = Pose::new(turned(Vector3::x_axis()), Vector3::zeros()).unwrap();
    let above = Pose::new(turned(Vector3::y_axis()), Vector3::new(0.1, 0.05, 2.0 * half_diagonal - 0.004)).unwrap();
    let found = manifolds(&cube, &cube, &Pose::relative(&below, &above));
    let [manifold] = &found[..] else { panic!("{found:?}") };
    let [point] = &manifold.points[..] else { panic!("{found:?}") };
    assert!((below.rotation() * manifold.normal - Vector3::z()).norm() < 1e-6);
    assert!((point.depth - 0.004).abs() < 1e-6);
    let place = Point3::from(below.rotation() * point.on_a.coords + below.translation());
    assert!((place.xy() - Point3::new(0.1, 0.0, 0.0).xy()).norm() < 1e-6, "{place}");
}

/// A small cube slides over the edges inside a fine floor, and no contact points sideways.
#[test]
fn edges_inside_a_floor_give_no_contact() {
    let [floor, cube] = [floor(40), unit_cube(1)].map(|mesh| Rules::FINEST.tree(&mesh, VolumeKind::Obb));
    let mut query = Query::new();
    let mut ids = BTreeSet::new();
    for i in 0..200 {
        let pose = at(-1.0 + 0.01 * f64::from(i), 0.007 * f64::from(i), 0.4987);
        let found = query.contact_manifolds(&floor, &cube, &pose, MARGIN);
        assert!(found.iter().all(|manifold| (manifold.normal - Vector3::z()).norm() < 1e-6), "{i}: {found:?}");
        assert!(found.len() == 1 && found[0].points.len() == 4, "{i}: {found:?}");
        ids.extend(found[0].points.iter().map(|point| point.id));
    }
    // The corners are the same, the triangles below them change.
    assert!(ids.len() > 40 && ids.len() < 700, "{}", ids.len());
}

#[test]
fn ids_stay_while_the_same_corners_touch() {
    let (floor, cube) = (floor(1), unit_cube(2));
    let ids = |pose: &Pose| -> BTreeSet<u64> {
        manifolds(&floor, &cube, pose)[0].points.iter().map(|point| point.id).collect()
    };
    let turn = |angle: f64| Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
    let first = ids(&Pose::new(turn(0.1), Vector3::new(1.5, -2.0, 0.499)).unwrap());
    let second = ids(&Pose::new(turn(0.11), Vector3::new(1.49, -2.01, 0.4992)).unwrap());
    assert_eq!(first.len(), 4);
    assert_eq!(first, second);
}

#[test]
fn what_is_far_empty_or_not_a_margin_has_none() {
    let [floor, cube] = [floor(1), unit_cube(1)].map(|mesh| Rules::FINEST.tree(&mesh, VolumeKind::Obb));
    let mut query = Query::new();
    for margin in [-1.0, f64::NAN, 0.0] {
        assert_eq!(query.contact_manifolds(&floor, &cube, &at(0.0, 0.0, 0.6), margin), []);
    }
    assert_eq!(query.contact_manifolds(&floor, &cube, &at(0.0, 0.0, 0.6), 0.05), []);
    assert_eq!(query.contact_manifolds(&BvTree::default(), &cube, &at(0.0, 0.0, 0.5), 1.0), []);
    // Exactly touching.
    assert_eq!(query.contact_manifolds(&floor, &cube, &at(0.0, 0.0, 0.5), 0.0).len(), 1);
}

pub fn convex() -> impl Strategy<Value = Mesh> {
    let sides = prop::array::uniform3(0.2f32..1.0);
    prop_oneof![
        (sides, 1..4_u16).prop_map(|(half, cells)| cuboid(half.map(|x| -x), half, cells)),
        (3..7_u32, 4..9_u32, 0.3f32..1.0).prop_map(|(rings, segments, radius)| meshes::sphere(rings, segments, radius)),
    ]
}

proptest! {
    #![proptest_config(cases(300, 3000))]

    /// Across a gap, the deepest point is that of the closest points, and it is the same seen from B.
    #[test]
    fn convex_solids_are_as_far_apart_as_their_distance(
        [a, b] in [convex(), convex()],
        rotation in rotations(),
        direction in prop::array::uniform3(-1.0f64..1.0),
        gap in 0.001..0.9 * MARGIN,
    ) {
        let [a, b] = [&a, &b].map(|mesh| Rules::FINEST.tree(mesh, VolumeKind::Obb));
        let direction = Vector3::from(direction).try_normalize(1e-3).unwrap_or(Vector3::x());
        let mut query = Query::new();
        let mut pose = Pose::new(rotation, direction * 5.0).unwrap();
        // Moves toward A by conservative advancement.
        for _ in 0..60 {
            let apart = query.distance(&a, &b, &pose).unwrap().distance;
            if apart <= gap {
                break;
            }
            pose = Pose::new(rotation, pose.translation() - direction * (apart - 0.9 * gap)).unwrap();
        }
        let distance = query.distance(&a, &b, &pose).unwrap().distance;
        prop_assume!(distance > 0.0 && distance <= MARGIN);
        let found = query.contact_manifolds(&a, &b, &pose, MARGIN);
        check([&a, &b], &pose, &found);
        prop_assert!(!found.is_empty());
        let deepest = found[0].points[0].depth;
        prop_assert!((deepest + distance).abs() < 1e-4 * MARGIN, "{deepest} at a distance of {distance}");
        let back = query.contact_manifolds(&b, &a, &pose.inverse(), MARGIN);
        prop_assert!((back[0].points[0].depth - deepest).abs() < 1e-5);
    }
}
