//! How deep convex shapes overlap: certified by their support functions along many directions, and in closed form.

use super::cases::{Convex, Random};
use super::convex::{Known, any_shape};
use super::triangle::triangle;
use crate::cases::repeated;
use bvtree::probe::ConvexContact;
use bvtree::shape::{ConvexShape, Distance, Overlaps, ShapeContact};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

fn pairs() -> usize {
    repeated(if cfg!(debug_assertions) { 720 } else { 14_400 })
}

/// How far B must move along a unit direction to leave A.
fn depth_along(a: &Known, b: &impl Convex<3>, direction: &Vector3<f64>) -> f64 {
    a.support(direction) + b.support(&-direction)
}

/// The least depth along directions that a search finds, from the given one and from many others.
fn least_depth(a: &Known, b: &impl Convex<3>, start: &Vector3<f64>, random: &mut Random) -> f64 {
    let mut best = (depth_along(a, b, start), *start);
    for round in 0..24 {
        let reach = 0.5f64.powi(round);
        for _ in 0..8 {
            let near = (best.1 + random.unit::<3>() * reach).normalize();
            for direction in [random.unit::<3>(), near] {
                let depth = depth_along(a, b, &direction);
                if depth < best.0 {
                    best = (depth, direction);
                }
            }
        }
    }
    best.0
}

fn moved(shape: &ConvexShape, displacement: Vector3<f64>) -> ConvexShape {
    shape.transformed(&Pose::from_translation(displacement).unwrap())
}

/// The contact lies on both surfaces, and its translation separates.
fn check_points(a: &Known, b: &Known, contact: &ShapeContact, tolerance: f64) {
    let ShapeContact { distance, on_a, on_b, normal } = *contact;
    assert!((normal.norm() - 1.0).abs() < 1e-12, "{contact:?}");
    assert!((on_b - on_a - normal * distance).norm() <= 1e-11, "{contact:?}\n{a:?}\n{b:?}");
    assert!(a.excess(&on_a).max(b.excess(&on_b)) <= tolerance, "{contact:?}\n{a:?}\n{b:?}");
    // A distance is known to rounding where points are known to its square root, and so are directions, less the
    // nearer.
    let tolerance = if distance > 0.0 { 1e-6_f64.max(1e-8 / distance) } else { 1e-11 };
    assert!((a.support(&normal) - on_a.coords.dot(&normal)).abs() <= tolerance, "{contact:?}\n{a:?}\n{b:?}");
    assert!((b.support(&-normal) + on_b.coords.dot(&normal)).abs() <= tolerance, "{contact:?}\n{a:?}\n{b:?}");
}

#[test]
fn depths_of_convex_shapes_are_certified() {
    let random = &mut Random(50);
    let mut deep = [0; 6];
    for case in 0..pairs() {
        let kind = case % 6;
        let (a, b) = (any_shape(random, kind as u64), any_shape(random, (case / 6 % 6) as u64));
        let has_discs = kind > 3 || case / 6 % 6 > 3;
        let tolerance = if has_discs { 1e-6 } else { 1e-8 };
        let contact = a.shape.contact(&b.shape, f64::INFINITY).unwrap();
        let overlaps = a.shape.overlaps(&b.shape);
        if contact.distance > 0.0 {
            // Overlaps of discs may be told too early, and those of other rounded shapes by roundings of the distance.
            let is_rounded = [&a, &b].iter().any(|known| known.shape.rounding_radius() > 0.0);
            let early = if has_discs { 1e-5 } else { 1e-13 };
            assert!(!overlaps || (has_discs || is_rounded) && contact.distance < early, "{contact:?}\n{a:?}\n{b:?}");
            let distance = a.shape.distance(&b.shape);
            assert!((contact.distance - distance).abs() <= 1e-13, "{distance} {contact:?}\n{a:?}\n{b:?}");
            assert_eq!(a.shape.contact(&b.shape, contact.distance * (1.0 - 1e-9)), None);
            assert_eq!(a.shape.contact(&b.shape, contact.distance), Some(contact));
        }
        check_points(&a, &b, &contact, tolerance);
        if !overlaps || contact.distance > 0.0 {
            continue;
        }
        deep[kind] += 1;
        let depth = -contact.distance;
        let along = depth_along(&a, &b, &contact.normal);
        // Where the cores almost touch, the direction is known less well than the distance.
        let radii = a.shape.rounding_radius() + b.shape.rounding_radius();
        let rounding = if (radii - depth).abs() < 1e-9 { 1e-8 } else { 1e-12 };
        assert!((along - depth).abs() <= rounding, "{depth} is {along} along {contact:?}\n{a:?}\n{b:?}");
        let least = least_depth(&a, &b, &contact.normal, random);
        assert!(least >= depth - if has_discs { 1e-6 } else { 1e-8 }, "{depth} but {least}: {contact:?}\n{a:?}\n{b:?}");
        // A hundredth of the depth is left, which is more than the roundings of the translation and of the depth, some
        // 1e-13, if the depth is not tiny.
        let inside = moved(&b.shape, contact.normal * (0.99 * depth));
        assert!(depth < 1e-10 || a.shape.overlaps(&inside), "{contact:?}\n{a:?}\n{b:?}");
        // Overlaps of discs may be told too early.
        let apart = moved(&b.shape, contact.normal * (depth + if has_discs { 1e-5 } else { 1e-9 }));
        assert!(!a.shape.overlaps(&apart), "{contact:?}\n{a:?}\n{b:?}");
        let swapped = b.shape.contact(&a.shape, 0.0).unwrap();
        assert!((swapped.distance + depth).abs() <= 1e-6, "{contact:?} {swapped:?}\n{a:?}\n{b:?}");
    }
    assert!(deep.iter().all(|&deep| deep > pairs() / 60), "{deep:?}");
}

/// A thin plate is turned by a billionth. So is the direction to it from a capsule, but the axis proves the same depth.
#[test]
fn the_points_of_a_contact_are_along_its_normal() {
    let capsule = [[-1.0, 3.0, -4.2509714838253325], [-1.0, 3.0, -1.7490285161746673]].map(Point3::from);
    let [near, far] = [[0.09160182145982709, 2.999999995049493], [1.908398178540173, 3.000000004950507]];
    let at = |[x, y]: [f64; 2], z: f64| Point3::new(x, y, z);
    let [low, high] = [-4.026587027863049, -1.9734129721369513];
    let plate = ConvexShape::hull(&[at(far, low), at(near, low), at(far, high), at(near, high)]).unwrap();
    let capsule = ConvexShape::hull(&capsule).unwrap().rounded(1.5394273951081447).unwrap();
    for (a, b) in [(&capsule, &plate), (&plate, &capsule)] {
        let ShapeContact { distance, on_a, on_b, normal } = a.contact(b, 0.0).unwrap();
        // The radius less the way from the capsule's axis to the plate.
        assert!((distance + 1.5394273951081447 - (near[0] + 1.0)).abs() < 1e-14, "{distance}");
        assert!((on_b - on_a - normal * distance).norm() <= 1e-11, "{on_a} {on_b} {normal}");
    }
}

/// Against triangles the axes are known; no direction that a search finds is shorter, and the points are on both.
#[test]
fn depths_below_triangles_are_certified() {
    let random = &mut Random(52);
    let mut deep = [0; 6];
    for case in 0..pairs() {
        let kind = case % 6;
        let known = any_shape(random, kind as u64);
        let [a, mut b, mut c] = triangle(random).vertices;
        // Edges along and across the axis of a cylinder or a cone.
        let axis = known.shape.obb().axes.column(2).into_owned();
        if random.one_in(4) {
            b = a + axis * random.size(2.0);
        }
        if random.one_in(4) {
            c = a + axis.cross(&random.unit()) * random.size(2.0);
        }
        let mesh = Mesh::from_arrays([a, b, c].map(|p| p.cast()).to_vec(), vec![[0, 1, 2]]).unwrap();
        let (tree, triangle) = (BvTree::build(&mesh, &BuildOptions::default()).unwrap(), mesh.triangle(0));
        let Some(contact) = Probe::new().closest_convex_contact(&tree, &known.shape, 0.0) else { continue };
        let ConvexContact { distance, on_shape, on_mesh, normal, .. } = contact;
        deep[kind] += 1;
        let along = depth_along(&known, &triangle, &-normal);
        // Where a core almost touches, the direction is known less well than the distance.
        let almost_touches = (known.shape.rounding_radius() + distance).abs() < 1e-9;
        let rounding = if almost_touches { 1e-8 } else { 1e-12 };
        assert!((along + distance).abs() <= rounding, "{along} {contact:?}\n{known:?}\n{triangle:?}");
        // The distance of a disc, below which a rounded one overlaps, is off by more.
        let tolerance = if kind > 3 && known.shape.rounding_radius() > 0.0 { 1e-6 } else { 1e-8 };
        let least = least_depth(&known, &triangle, &-normal, random);
        assert!(least >= -distance - tolerance, "{least} {contact:?}\n{known:?}\n{triangle:?}");
        assert!((on_shape - on_mesh - normal * distance).norm() <= 1e-11, "{contact:?}");
        let off = known.excess(&on_shape).max(triangle.excess(&on_mesh));
        assert!(off <= 1e-6, "{off} {contact:?}\n{known:?}\n{triangle:?}");
    }
    assert!(deep.iter().all(|&deep| deep > pairs() / 120), "{deep:?}");
}

/// The axis passes through a corner, along an edge but for some roundings, and is in the triangle's plane.
#[test]
fn a_capsule_along_an_edge_leaves_across_it() {
    let ends = [
        [-0.07376991283496256, 0.14882448921704874, 2.15355576594305],
        [0.07376991283496256, -0.14882448921704874, 1.84644423405695],
    ];
    let radius = 0.95054657370986;
    let capsule = ConvexShape::polytope(&ends.map(Point3::from)).unwrap().rounded(radius).unwrap();
    let corners = [[0.0, 0.0, 2.0], [0.18805487, -0.37938464, 1.6085544], [0.0, -2.998781, -0.4985893]];
    let mesh = Mesh::from_arrays(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let contact = Probe::new().closest_convex_contact(&tree, &capsule, 0.0).unwrap();
    assert!((contact.distance + radius).abs() < 1e-7, "{contact:?}");
}

/// Where a corner is on the rim, so is the contact, although a search along the rim ends beside it.
#[test]
fn a_corner_on_a_rim_is_the_contact() {
    let half_turn = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, -1.0));
    let pose = Pose::new(half_turn, Vector3::new(0.0, 3.0, -1.0)).unwrap();
    let cylinder =
        ConvexShape::cylinder(2.0, 1.0).unwrap().rounded(0.472_523_450_790_084_84).unwrap().transformed(&pose);
    let corners = [[1.0, 3.0, -3.0], [2.0, 3.0, -1.0], [2.223_871_2, -0.260_848_08, 2.493_250_6]];
    let [a, b, c] = corners.map(Point3::from);
    let mesh = Mesh::from_arrays([a, b, c].map(|p| p.cast()).to_vec(), vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let contact = Probe::new().closest_convex_contact(&tree, &cylinder, 0.0).unwrap();
    assert!((contact.on_mesh - a).norm() < 1e-7, "{contact:?}");
    assert!((contact.on_shape - Point3::new(1.472_523_450_790_084_8, 3.0, -3.0)).norm() < 1e-7, "{contact:?}");
}

/// From the point where the segment is nearest to the rim, the distance grows slowly one way and fast the other.
#[test]
fn a_segment_beside_a_rim_is_as_deep_as_the_rounding() {
    let axis = Vector3::new(-0.660_394_774_249_757, 0.669_759_578_982_774_6, 0.339_559_786_347_601_6);
    let rotation = Rotation3::rotation_between(&Vector3::z(), &axis).unwrap();
    let pose = Pose::new(*rotation.matrix(), Vector3::new(-1.0, 0.0, -3.0)).unwrap();
    let cylinder = ConvexShape::cylinder(0.421_937_625_381_611_67, 1.597_041_215_041_980_2).unwrap();
    let cylinder = cylinder.rounded(1.0).unwrap().transformed(&pose);
    let corners = [[2.0, -2.0, -3.0], [2.0, -2.0, -3.0], [-3.165_921_7, 2.679_110_3, 0.324_834_14]];
    let mesh = Mesh::from_arrays(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let contact = Probe::new().closest_convex_contact(&tree, &cylinder, 0.0).unwrap();
    // The rounding less the distance, found by bisection along the segment.
    assert!((contact.distance + 0.999_205_222_027_018_4).abs() < 1e-10, "{contact:?}");
}

/// A point on the axis is as near to all sides.
#[test]
fn a_point_on_the_axis_of_a_cylinder_leaves_sideways() {
    let cylinder = ConvexShape::cylinder(2.0, 0.25).unwrap();
    let mesh = Mesh::from_arrays(vec![Point3::new(0.0, 0.0, 0.5); 3], vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let contact = Probe::new().closest_convex_contact(&tree, &cylinder, 0.0).unwrap();
    assert!((contact.distance + 0.25).abs() < 1e-12, "{contact:?}");
}

/// The axis is in the triangle's plane and touches the corner in its middle.
#[test]
fn a_capsule_across_a_corner_touches_it_there() {
    let ends = [
        [1.011_073_423_628_788_2, -0.999_999_999_999_974_5, -2.0],
        [0.988_926_576_371_211_8, -1.000_000_000_000_025_5, -2.0],
    ];
    let radius = 0.856_299_461_055_051_8;
    let capsule = ConvexShape::polytope(&ends.map(Point3::from)).unwrap().rounded(radius).unwrap();
    let corners =
        [[2.606_014, 0.410_919_58, -1.917_896_6], [1.906_431_4, 0.410_919_58, -1.917_896_6], [1.0, -1.0, -2.0]];
    let mesh = Mesh::from_arrays(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let contact = Probe::new().closest_convex_contact(&tree, &capsule, 0.0).unwrap();
    assert!((contact.distance + radius).abs() < 1e-12, "{contact:?}");
    assert!((contact.on_mesh - Point3::new(1.0, -1.0, -2.0)).norm() < 1e-7, "{contact:?}");
}

/// The sphere's center is beside the end of a cylinder without a radius, nearer than its distance from the middle can
/// tell: the distance is along the normal of the axis.
#[test]
fn a_sphere_beside_the_end_of_a_segment() {
    let slope = 1.7e-9;
    let columns = [Vector3::new(1.0, slope, 0.0), Vector3::new(0.0, 0.0, -1.0), Vector3::new(-slope, 1.0, 0.0)];
    let pose = Pose::new(Matrix3::from_columns(&columns), Vector3::new(3.0, 1.0, 0.0)).unwrap();
    let segment = ConvexShape::cylinder(2.0, 0.0).unwrap().transformed(&pose);
    let sphere = moved(&ConvexShape::sphere(1.5).unwrap(), Vector3::new(3.0, 3.0, 0.0));
    let contact = sphere.contact(&segment, 0.0).unwrap();
    assert!((contact.distance - (2.0 * slope - 1.5)).abs() < 1e-12, "{contact:?}");
    assert!((contact.on_b - Point3::new(3.0 - 2.0 * slope, 3.0, 0.0)).norm() < 1e-12, "{contact:?}");
}

/// Grid shapes of all dimensions: the depth is the least along normals of faces and products of edges, by all points.
#[test]
fn depths_of_polytopes_on_a_grid_are_the_least_of_all_axes() {
    let random = &mut Random(51);
    let mut deep = 0;
    for _ in 0..pairs() / 4 {
        let [first, second] = [(); 2].map(|()| {
            let points: Vec<Point3<f64>> = (0..random.integer(1, 7)).map(|_| random.grid_point::<3>(3)).collect();
            if random.one_in(3) { points.iter().map(|p| Point3::new(p.x, p.y, 1.0)).collect() } else { points }
        });
        let [a, b] = [&first, &second].map(|points| ConvexShape::hull(points).unwrap());
        let contact = a.contact(&b, f64::INFINITY).unwrap();
        assert_eq!(contact.distance <= 0.0, a.overlaps(&b), "{first:?} {second:?}");
        if contact.distance > 0.0 {
            assert!((contact.distance - a.distance(&b)).abs() < 1e-13, "{first:?} {second:?}");
            continue;
        }
        let edges = |points: &[Point3<f64>]| -> Vec<Vector3<f64>> {
            let from = |p: Point3<f64>| points.iter().map(move |q| q - p);
            points.iter().flat_map(|p| from(*p)).collect()
        };
        let (edges_a, edges_b) = (edges(&first), edges(&second));
        let all: Vec<Vector3<f64>> = edges_a.iter().chain(&edges_b).copied().collect();
        let mut axes: Vec<Vector3<f64>> = all.iter().flat_map(|p| all.iter().map(|q| p.cross(q))).collect();
        // Across an edge, and along the axes, where all is flat.
        axes.extend(all.iter().flat_map(|edge| (0..3).map(|k| edge.cross(&Vector3::ith(k, 1.0)))));
        axes.extend((0..3).map(|k| Vector3::ith(k, 1.0)));
        let highest = |points: &[Point3<f64>], n: &Vector3<f64>| {
            points.iter().map(|p| p.coords.dot(n)).fold(f64::NEG_INFINITY, f64::max)
        };
        let depth = |n: Vector3<f64>| highest(&first, &n) + highest(&second, &-n);
        let units = axes.iter().filter_map(|axis| axis.try_normalize(0.0));
        let least = units.map(|n| depth(n).min(depth(-n))).fold(f64::INFINITY, f64::min);
        assert!((least + contact.distance).abs() < 1e-12, "{least} {contact:?} {first:?} {second:?}");
        deep += usize::from(least > 0.0);
    }
    assert!(deep > pairs() / 40, "{deep}");
}

#[test]
fn depths_in_closed_form() {
    let cube = ConvexShape::cuboid(Vector3::repeat(1.0)).unwrap();
    let at = |shape: ConvexShape, x: f64, y: f64, z: f64| moved(&shape, Vector3::new(x, y, z));
    let sphere = |radius| ConvexShape::sphere(radius).unwrap();
    let upright = |x: f64, z: f64| at(ConvexShape::cylinder(0.5, 0.25).unwrap(), x, 0.1, z);
    let cases = [
        (at(cube.clone(), 0.25, 0.5, 1.75), 0.25, Vector3::z()),
        (at(cube.clone().rounded(0.5).unwrap(), 2.25, 0.5, 0.0), 0.25, Vector3::x()),
        (at(sphere(0.5), 0.0, -1.25, 0.2), 0.25, -Vector3::y()),
        // The center is inside, and at last on the surface.
        (at(sphere(0.5), 0.0, -0.75, 0.2), 0.75, -Vector3::y()),
        (at(sphere(0.5), 0.0, -1.0, 0.2), 0.5, -Vector3::y()),
        (at(sphere(0.0), 0.0, 0.0, 0.875), 0.125, Vector3::z()),
        (at(ConvexShape::capsule(2.0, 0.25).unwrap(), 0.75, 0.0, 0.0), 0.5, Vector3::x()),
        (upright(0.0, 1.25), 0.25, Vector3::z()),
        (upright(1.125, 0.0), 0.125, Vector3::x()),
        (at(ConvexShape::cone(0.5, 0.25).unwrap(), 0.3, 0.2, -1.25), 0.25, -Vector3::z()),
    ];
    for (shape, depth, normal) in cases {
        let contact = cube.contact(&shape, 0.0).unwrap();
        assert!((contact.distance + depth).abs() < 1e-12, "{depth} {contact:?}");
        assert!((contact.normal - normal).norm() < 1e-7, "{normal} {contact:?}");
    }
    // Spheres about the same point leave each other in any direction.
    assert!((sphere(1.0).contact(&sphere(0.5), 0.0).unwrap().distance + 1.5).abs() < 1e-15);
    assert_eq!(cube.contact(&at(sphere(0.5), 0.0, 0.0, 2.0), 0.25), None);
    assert_eq!(cube.contact(&sphere(0.5), f64::NAN), None);
}
