//! Contact manifolds of convex shapes whose contacts are known, and of random ones across gaps and a little deep.

use std::collections::BTreeSet;

use bvtree::probe::Containment;
use bvtree::query::ContactManifold;
use bvtree::scene::NO_FACE;
use bvtree::shape::{ConvexShape, Distance};
use bvtree::{BvTree, Mesh, Pose, Probe, Query, VolumeKind};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::contact_manifolds::{MARGIN, at, convex, cuboid, floor, unit_cube};
use crate::oracle::Rules;
use crate::oracle::poses::rotations;

/// What holds for all manifolds of a mesh and a shape.
fn check(mesh: &Mesh, shape: &ConvexShape, found: &[ContactManifold], tolerance: f64) {
    let mut ids = BTreeSet::new();
    for manifold in found {
        assert!((manifold.normal.norm() - 1.0).abs() < 1e-12 && (1..=4).contains(&manifold.points.len()));
        assert!(manifold.points.is_sorted_by(|p, q| p.depth >= q.depth));
        for point in &manifold.points {
            assert!(point.depth.abs() <= MARGIN && ids.insert(point.id), "{manifold:?}");
            let across = point.on_b - point.on_a;
            assert!((across.dot(&manifold.normal) + point.depth).abs() <= 0.02 * point.depth.abs() + 1e-9, "{point:?}");
            let triangle = mesh.triangle(point.faces.face_a);
            assert!((triangle.closest_point(&point.on_a) - point.on_a).norm() < 1e-5, "{point:?}");
            let as_shape = ConvexShape::sphere(0.0).unwrap();
            let at = as_shape.transformed(&Pose::from_translation(point.on_b.coords).unwrap());
            assert!(shape.distance(&at) < tolerance && point.faces.face_b == NO_FACE, "{point:?}");
        }
    }
}

fn manifolds(mesh: &Mesh, shape: &ConvexShape) -> Vec<ContactManifold> {
    let tree = Rules::FINEST.tree(mesh, VolumeKind::Obb);
    let found = Probe::new().convex_contact_manifolds(&tree, shape, MARGIN);
    check(mesh, shape, &found, 0.006);
    let other = Rules::FINEST.tree(mesh, VolumeKind::Sphere);
    assert_eq!(Probe::new().convex_contact_manifolds(&other, shape, MARGIN), found);
    found
}

fn cube() -> ConvexShape {
    ConvexShape::cuboid(Vector3::repeat(0.5)).unwrap()
}

fn turned(axis: Vector3<f64>, angle: f64, translation: Vector3<f64>) -> Pose {
    let rotation = Rotation3::from_scaled_axis(axis.normalize() * angle).into_inner();
    Pose::new(rotation, translation).unwrap()
}

/// The points of the only manifold, whose normal is up.
fn standing(mesh: &Mesh, shape: &ConvexShape) -> Vec<(Point3<f64>, f64)> {
    let found = manifolds(mesh, shape);
    let [manifold] = &found[..] else { panic!("{shape:?}: {found:?}") };
    assert!((manifold.normal - Vector3::z()).norm() < 1e-9, "{manifold:?}");
    manifold.points.iter().map(|point| (point.on_b, point.depth)).collect()
}

#[test]
fn shapes_stand_on_fine_floors() {
    let cone = ConvexShape::cone(0.5, 0.3).unwrap();
    let cylinder = ConvexShape::cylinder(0.5, 0.3).unwrap();
    let rounded = ConvexShape::cuboid(Vector3::repeat(0.4)).unwrap().rounded(0.1).unwrap();
    for cells in [1, 3, 16] {
        for depth in [0.01, 0.0, -0.01] {
            let place = Vector3::new(0.31, 0.22, 0.5 - depth);
            let spin = turned(Vector3::z(), 0.4, place);
            for (shape, count, apart) in
                [(cube(), 4, 1.0), (rounded.clone(), 4, 0.8), (cylinder.clone(), 4, 0.4), (cone.clone(), 4, 0.4)]
            {
                let points = standing(&floor(cells), &shape.transformed(&spin));
                assert_eq!(points.len(), count, "{shape:?}");
                for (i, (p, found)) in points.iter().enumerate() {
                    assert!((found - depth).abs() < 1e-9, "{shape:?} {points:?}");
                    assert!(points[..i].iter().all(|(q, _)| (p - q).norm() > apart - 1e-3), "{shape:?} {points:?}");
                }
            }
            let ball = ConvexShape::sphere(0.5).unwrap().transformed(&spin);
            let [(point, found)] = standing(&floor(cells), &ball)[..] else { panic!("one point") };
            assert!((found - depth).abs() < 1e-12 && (point - Point3::new(0.31, 0.22, -depth)).norm() < 1e-9);

            let lying = turned(Vector3::new(1.0, 0.3, 0.0), std::f64::consts::FRAC_PI_2, place);
            let capsule = ConvexShape::capsule(0.7, 0.5).unwrap().transformed(&lying);
            let [first, second] = standing(&floor(cells), &capsule)[..] else { panic!("two points") };
            assert!((first.1 - depth).abs() < 1e-9 && (second.1 - depth).abs() < 1e-9);
            assert!(((first.0 - second.0).norm() - 1.4).abs() < 1e-9);

            // Across an edge of the coarsest floor, and over one of its triangles only.
            for place in [place, Vector3::new(1.5, -2.0, place.z)] {
                let lying = turned(Vector3::new(1.0, 0.3, 0.0), std::f64::consts::FRAC_PI_2, place);
                let can = ConvexShape::cylinder(0.7, 0.5).unwrap().transformed(&lying);
                let points = standing(&floor(cells), &can);
                let deepest: Vec<_> = points.iter().filter(|(_, found)| (found - depth).abs() < 1e-9).collect();
                assert!(deepest.len() == 2 && points[0].1 - depth < 1e-9, "{points:?}");
                assert!(((deepest[0].0 - deepest[1].0).norm() - 1.4).abs() < 1e-6, "{points:?}");
            }
        }
    }
    // On its side a cone touches along a line.
    let tilt = 0.3f64.atan2(1.0);
    let side = turned(Vector3::y(), std::f64::consts::FRAC_PI_2 + tilt, Vector3::zeros());
    let lowest = -cone.transformed(&side).aabb().lower.z;
    for (cells, x, y) in [(5, 0.2, 0.1), (1, 1.5, -2.0)] {
        let place = Pose::from_translation(Vector3::new(x, y, lowest - 0.004)).unwrap();
        let points = standing(&floor(cells), &cone.transformed(&side).transformed(&place));
        assert!(points.iter().filter(|(_, depth)| (depth - 0.004).abs() < 1e-6).count() >= 2, "{points:?}");
    }
}

/// A can lies in a gutter of two triangles and touches each along a line.
#[test]
fn cans_lie_in_gutters() {
    // Its sides are not steep by a fraction of a turn at which the polygon that stands for the can has a corner anyway.
    let corners = [[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, -5.0, 3.5], [0.0, 5.0, 3.5]].map(Point3::from).to_vec();
    let gutter = Mesh::from_arrays(corners, vec![[0, 1, 3], [1, 0, 2]]).unwrap();
    let can = ConvexShape::cylinder(0.7, 0.5).unwrap();
    let normals = [Vector3::new(0.0, 0.7, 1.0), Vector3::new(0.0, -0.7, 1.0)].map(|normal| normal.normalize());
    for depths in [[0.01, 0.004], [0.004, 0.01], [0.0, -0.01], [-0.003, 0.002]] {
        let [left, right] = depths.map(|depth| 0.5 - depth);
        let [sine, cosine] = [normals[0].y, normals[0].z];
        let place = Vector3::new(0.3, (left - right) / (2.0 * sine), (left + right) / (2.0 * cosine));
        let found = manifolds(&gutter, &can.transformed(&turned(Vector3::y(), std::f64::consts::FRAC_PI_2, place)));
        for (depth, normal) in depths.into_iter().zip(normals) {
            let of_side = found.iter().find(|manifold| (manifold.normal - normal).norm() < 1e-9);
            let points = &of_side.unwrap_or_else(|| panic!("{depths:?} {found:?}")).points;
            let exact = points.iter().filter(|point| (point.depth - depth).abs() < 1e-9).count();
            assert!(exact == 2 && points[0].depth < depth + 1e-9, "{depth} {found:?}");
        }
    }
}

/// As the mesh of a box does.
#[test]
fn a_box_touches_as_its_mesh() {
    let half_diagonal = 0.5_f64.sqrt();
    let quarter = std::f64::consts::FRAC_PI_4;
    let corner = Rotation3::rotation_between(&Vector3::repeat(1.0), &-Vector3::z()).unwrap().into_inner();
    let poses = [
        at(0.3, 0.2, 0.49),
        at(3.8, 3.7, 0.505),
        turned(Vector3::y(), 0.01, Vector3::new(0.0, 0.1, 0.5)),
        turned(Vector3::x(), quarter, Vector3::new(0.1, 0.2, half_diagonal - 0.003)),
        Pose::new(corner, Vector3::new(0.1, 0.2, 0.75_f64.sqrt() - 0.003)).unwrap(),
        turned(Vector3::z(), quarter, Vector3::new(4.0 + half_diagonal - 0.002, 0.0, -0.5)),
        at(4.49, 0.3, 0.494),
    ];
    for (i, pose) in poses.iter().enumerate() {
        let (floor, box_mesh) = (floor(3), unit_cube(1));
        let found = manifolds(&floor, &cube().transformed(pose));
        let [a, b] = [&floor, &box_mesh].map(|mesh| Rules::FINEST.tree(mesh, VolumeKind::Obb));
        let expected = Query::new().contact_manifolds(&a, &b, pose, MARGIN);
        assert_eq!(found.len(), expected.len(), "{i}: {found:#?}\n{expected:#?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.normal - expected.normal).norm() < 1e-5, "{i}: {found:#?}\n{expected:#?}");
            assert_eq!(found.points.len(), expected.points.len(), "{i}: {found:#?}\n{expected:#?}");
            assert!((found.points[0].depth - expected.points[0].depth).abs() < 1e-6);
        }
    }
}

#[test]
fn nothing_catches_on_edges_inside_a_floor() {
    let tree = Rules::FINEST.tree(&floor(40), VolumeKind::Obb);
    let mut probe = Probe::new();
    let lying = turned(Vector3::new(1.0, 0.2, 0.0), std::f64::consts::FRAC_PI_2, Vector3::zeros());
    let shapes = [
        (cube(), 4),
        (ConvexShape::sphere(0.5).unwrap(), 1),
        (ConvexShape::capsule(0.7, 0.5).unwrap().transformed(&lying), 2),
        (ConvexShape::cylinder(0.7, 0.5).unwrap().transformed(&lying), 2),
        (ConvexShape::cylinder(0.5, 0.4).unwrap(), 4),
    ];
    for (shape, least) in shapes {
        for i in 0..100 {
            let pose = at(-1.0 + 0.02 * f64::from(i), 0.014 * f64::from(i), 0.4987);
            let found = probe.convex_contact_manifolds(&tree, &shape.transformed(&pose), MARGIN);
            // Edges that are flat to a ten-thousandth may count.
            assert!(found.iter().all(|manifold| (manifold.normal - Vector3::z()).norm() < 1e-4), "{i}: {found:?}");
            assert!(found.len() == 1 && found[0].points.len() >= least, "{i}: {found:?}");
        }
    }
}

#[test]
fn ids_of_shapes_stay_while_the_same_features_touch() {
    let tree = Rules::FINEST.tree(&floor(1), VolumeKind::Obb);
    let mut probe = Probe::new();
    let rolled = |angle: f64| turned(Vector3::y(), angle, Vector3::zeros());
    let lying = turned(Vector3::x(), std::f64::consts::FRAC_PI_2, Vector3::zeros());
    let can = ConvexShape::cylinder(0.7, 0.5).unwrap();
    let pairs = [
        // Slides and turns.
        [
            cube().transformed(&turned(Vector3::z(), 0.1, Vector3::new(1.5, -2.0, 0.499))),
            cube().transformed(&turned(Vector3::z(), 0.11, Vector3::new(1.49, -2.01, 0.4992))),
        ],
        // Rolls.
        [
            can.transformed(&lying).transformed(&at(1.5, -2.0, 0.499)),
            can.transformed(&lying).transformed(&rolled(0.2)).transformed(&at(1.6, -2.0, 0.499)),
        ],
    ];
    for [first, second] in pairs {
        let mut ids = |shape: &ConvexShape| -> BTreeSet<u64> {
            let found = probe.convex_contact_manifolds(&tree, shape, MARGIN);
            let points = &found[0].points;
            points.iter().filter(|point| point.depth > points[0].depth - 1e-6).map(|point| point.id).collect()
        };
        let known = ids(&first);
        assert!(known.len() >= 2);
        assert_eq!(known, ids(&second));
    }
}

#[test]
fn what_is_far_or_empty_has_no_manifolds() {
    let tree = Rules::FINEST.tree(&floor(1), VolumeKind::Obb);
    let mut probe = Probe::new();
    let above = cube().transformed(&at(0.0, 0.0, 0.6));
    for margin in [-1.0, f64::NAN, 0.0, 0.05] {
        assert_eq!(probe.convex_contact_manifolds(&tree, &above, margin), []);
        assert_eq!(above.contact_manifolds(&cube().transformed(&at(0.0, 0.0, -0.5)), margin), []);
    }
    assert_eq!(probe.convex_contact_manifolds(&BvTree::default(), &above, 1.0), []);
    assert_eq!(probe.convex_contact_manifolds(&tree, &cube().transformed(&at(0.0, 0.0, 0.5)), 0.0).len(), 1);
}

fn shape() -> impl Strategy<Value = ConvexShape> {
    let sizes = prop::array::uniform3(0.2f64..1.0);
    let points = prop::collection::vec(prop::array::uniform3(-1f64..1.0), 4..12);
    (0..6usize, sizes, points, prop::sample::select(vec![0.0, 0.2])).prop_map(|(kind, sizes, points, rounding)| {
        crate::probe::convex::shapes(kind, sizes, &points).rounded(rounding).unwrap()
    })
}

/// The shape moved along a direction until its distance from something is about `gap`; negative is deep.
fn near(shape: &ConvexShape, direction: Vector3<f64>, gap: f64, distance: impl Fn(&ConvexShape) -> f64) -> ConvexShape {
    let moved = |length: f64| shape.transformed(&Pose::from_translation(direction * length).unwrap());
    let (mut close, mut far) = (0.0, 6.0);
    for _ in 0..40 {
        let middle = 0.5 * (close + far);
        if distance(&moved(middle)) <= gap { close = middle } else { far = middle }
    }
    moved(far)
}

proptest! {
    #![proptest_config(cases(200, 3000))]

    /// Across a gap, the deepest point is that of the closest points.
    #[test]
    fn convex_shapes_are_as_far_from_meshes_as_their_distance(
        mesh in convex(),
        shape in shape(),
        rotation in rotations(),
        direction in prop::array::uniform3(-1.0f64..1.0),
        gap in 0.001..0.9 * MARGIN,
    ) {
        let tree = Rules::FINEST.tree(&mesh, VolumeKind::Obb);
        let direction = Vector3::from(direction).try_normalize(1e-3).unwrap_or(Vector3::x());
        let shape = shape.transformed(&Pose::new(rotation, Vector3::zeros()).unwrap());
        let distance = |shape: &ConvexShape| {
            Probe::new().closest_to_convex(&tree, shape, f64::INFINITY).unwrap().distance
        };
        let shape = near(&shape, direction, gap, distance);
        let distance = distance(&shape);
        prop_assume!(distance > 0.0 && distance <= MARGIN);
        // Inside the mesh it is as near to the surface, from behind.
        prop_assume!(Probe::new().contains(&tree, &shape.center()) == Containment::Outside);
        let found = manifolds(&mesh, &shape);
        prop_assert!(!found.is_empty());
        let deepest = found[0].points[0].depth;
        prop_assert!((deepest + distance).abs() < 2e-4 * MARGIN, "{deepest} at a distance of {distance}");
    }

    /// Across a gap as above, from both sides; and if they overlap, one direction is that of the depth.
    #[test]
    fn two_convex_shapes_have_a_manifold_where_they_are_nearest(
        [a, b] in [shape(), shape()],
        rotation in rotations(),
        direction in prop::array::uniform3(-1.0f64..1.0),
        gap in -0.9 * MARGIN..0.9 * MARGIN,
    ) {
        let direction = Vector3::from(direction).try_normalize(1e-3).unwrap_or(Vector3::x());
        let b = b.transformed(&Pose::new(rotation, Vector3::zeros()).unwrap());
        let b = near(&b, direction, gap, |b| a.contact(b, f64::INFINITY).unwrap().distance);
        let contact = a.contact(&b, f64::INFINITY).unwrap();
        prop_assume!(contact.distance.abs() <= 0.95 * MARGIN);
        let found = a.contact_manifolds(&b, MARGIN);
        prop_assert!(!found.is_empty(), "{contact:?}");
        let back = b.contact_manifolds(&a, MARGIN);
        prop_assert_eq!(found.len(), back.len());
        if contact.distance > 0.0 {
            let deepest = found[0].points[0].depth;
            prop_assert!((deepest + contact.distance).abs() < 2e-4 * MARGIN, "{contact:?} {found:?}");
            prop_assert!((deepest - back[0].points[0].depth).abs() < 1e-6);
        } else {
            // Polygons stand for discs, and contacts of about the same direction are in one manifold.
            let is_along = |manifold: &ContactManifold| {
                let depth = manifold.points[0].depth;
                manifold.normal.dot(&contact.normal) > 0.96 && depth >= -contact.distance - 0.05 * MARGIN
            };
            prop_assert!(found.iter().any(is_along), "{contact:?} {found:?}");
        }
    }
}

/// A tall box on a narrow one: the corners of the narrow one.
#[test]
fn shapes_stand_on_shapes() {
    let below = ConvexShape::cuboid(Vector3::new(0.2, 0.3, 0.5)).unwrap();
    let above = ConvexShape::cylinder(0.5, 1.0).unwrap().transformed(&at(0.0, 0.0, 0.995));
    let found = below.contact_manifolds(&above, MARGIN);
    let [manifold] = &found[..] else { panic!("{found:?}") };
    assert!((manifold.normal - Vector3::z()).norm() < 1e-9);
    let corners: BTreeSet<[i32; 2]> =
        manifold.points.iter().map(|point| [point.on_a.x, point.on_a.y].map(|x| (x * 10.0).round() as i32)).collect();
    assert_eq!(corners, BTreeSet::from([[-2, -3], [-2, 3], [2, -3], [2, 3]]));
    assert!(manifold.points.iter().all(|point| (point.depth - 0.005).abs() < 1e-12));
}

/// Cubes of a mesh with a step: a can in the corner leans on both.
#[test]
fn a_can_in_a_corner_leans_on_floor_and_wall() {
    let room = [cuboid([-1.0, -1.0, -1.0], [4.0, 4.0, 0.0], 3), cuboid([-1.0, -1.0, 0.0], [0.0, 4.0, 4.0], 2)];
    let triangles: Vec<[Point3<f32>; 3]> = room
        .iter()
        .flat_map(|mesh| mesh.triangles().iter().map(|face| face.map(|i| mesh.vertices()[i as usize])))
        .collect();
    let can = ConvexShape::cylinder(0.5, 0.3).unwrap().transformed(&at(0.297, 1.5, 0.498));
    let found = manifolds(&crate::oracle::meshes::unconnected(&triangles), &can);
    assert!(found.len() == 2 && (found[0].normal - Vector3::x()).norm() < 1e-9, "{found:?}");
    assert!((found[0].points[0].depth - 0.003).abs() < 1e-6 && (found[1].normal - Vector3::z()).norm() < 1e-9);
    assert!((found[1].points[0].depth - 0.002).abs() < 1e-9 && found[1].points.len() == 4, "{found:?}");
}

/// A sphere that is a hundred million times as large as a triangle touches it across its inside.
#[test]
fn large_spheres_touch_small_triangles() {
    let corners = [[-15.0, -8.0, -15.0], [15.0, -8.0, 15.0], [0.0, 8.0, 0.0]];
    let corners = corners.map(|corner: [f32; 3]| Point3::from(corner.map(|x| x / 1024.0)));
    let mesh = Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let tree = Rules::FINEST.tree(&mesh, VolumeKind::Obb);
    let towards = Vector3::new(-1.0, 0.0, 1.0).normalize();
    for radius in [1.0, 1e3, 1e6, 6.4e6] {
        let pose = Pose::from_translation(towards * radius).unwrap();
        let sphere = ConvexShape::sphere(radius).unwrap().transformed(&pose);
        let found = Probe::new().convex_contact_manifolds(&tree, &sphere, 0.001);
        let [manifold] = &found[..] else { panic!("{radius}: {found:?}") };
        // Its rim is about as deep as its inside.
        assert!(
            (manifold.normal - towards).norm() < 2e-2 && manifold.points[0].depth.abs() < 1e-6,
            "{radius}: {found:?}"
        );
    }
}

/// A sphere touches an edge that is a hundred million times as long as its radius.
#[test]
fn spheres_touch_long_edges() {
    for (length, gap, margin) in [(1e3, 1e-3, 0.01), (1e6, 0.0, 1e-5), (1e8, 1e-3, 0.01)] {
        let roof = [[-1.0, 0.0, 0.0], [0.875, 0.0, 0.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]];
        let corners = roof.map(|corner| Point3::from(corner.map(|x: f32| x * length)));
        let mesh = Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2], [1, 0, 3]]).unwrap();
        let tree = Rules::FINEST.tree(&mesh, VolumeKind::Obb);
        let sphere = ConvexShape::sphere(1.0).unwrap().transformed(&at(0.25, 0.0, 1.0 + gap));
        let found = Probe::new().convex_contact_manifolds(&tree, &sphere, margin);
        let [manifold] = &found[..] else { panic!("{length}: {found:?}") };
        assert!((manifold.normal - Vector3::z()).norm() < 1e-6, "{length}: {found:?}");
        assert!((manifold.points[0].depth + gap).abs() < 1e-6, "{length}: {found:?}");
    }
}

/// With an infinite margin, all that a large margin finds is found.
#[test]
fn margins_may_be_infinite() {
    let tree = Rules::FINEST.tree(&floor(1), VolumeKind::Obb);
    let hull = [[0.5, 0.1, 0.5], [-0.4, 0.4, 0.5], [-0.3, -0.5, 0.5], [0.0, 0.1, -0.5]].map(Point3::from);
    let shapes = [
        cube(),
        ConvexShape::sphere(0.5).unwrap(),
        ConvexShape::capsule(0.3, 0.2).unwrap(),
        ConvexShape::hull(&hull).unwrap(),
        ConvexShape::cylinder(0.5, 0.3).unwrap(),
    ];
    let below = cube().transformed(&at(0.0, 0.0, -0.5));
    for shape in shapes {
        let above = shape.transformed(&at(0.31, 0.22, 1.0));
        let find = |margin: f64| {
            let on_mesh = Probe::new().convex_contact_manifolds(&tree, &above, margin);
            (on_mesh, below.contact_manifolds(&above, margin))
        };
        let (on_mesh, on_shape) = find(f64::INFINITY);
        for found in [&on_mesh, &on_shape] {
            let is_on_top = |manifold: &ContactManifold| {
                (manifold.normal - Vector3::z()).norm() < 1e-9
                    && manifold.points.iter().any(|p| (p.depth + 0.5).abs() < 1e-9)
            };
            assert!(found.iter().any(is_on_top), "{shape:?}: {found:?}");
        }
        // These margins reach all features, and are used as they are.
        assert_eq!((&on_mesh, &on_shape), (&find(13.0).0, &find(5.5).1), "{shape:?}");
        assert_eq!((on_mesh, on_shape), find(1e6), "{shape:?}");
        assert_eq!(Probe::new().convex_contact_manifolds(&BvTree::default(), &above, f64::INFINITY), []);
    }
}
