//! Mass properties of convex shapes, against closed forms, each other, and sums over points.

use std::f64::consts::PI;

use bvtree::Pose;
use bvtree::response::{MassError, MassProperties};
use bvtree::shape::ConvexShape;
use nalgebra::{Matrix3, Point3, Vector3};

use super::Random;

fn mass(shape: &ConvexShape) -> MassProperties {
    MassProperties::of_shape(shape).unwrap()
}

fn are_near(a: &MassProperties, b: &MassProperties, relative: f64) -> bool {
    let size = a.volume.cbrt();
    (a.volume - b.volume).abs() <= relative * a.volume
        && (a.center - b.center).norm() <= relative * size
        && (a.inertia - b.inertia).amax() <= relative * a.inertia.amax()
}

fn about_origin(volume: f64, diagonal: [f64; 3]) -> MassProperties {
    MassProperties {
        volume,
        center: Point3::origin(),
        inertia: Matrix3::from_diagonal(&(Vector3::from(diagonal) * volume)),
    }
}

#[test]
fn primitives_are_those_of_the_books() {
    let [x, y, z] = [1.0, 2.0, 4.0].map(|half: f64| half * half / 3.0);
    let cuboid = ConvexShape::cuboid(Vector3::new(1.0, 2.0, 4.0)).unwrap();
    assert!(are_near(&mass(&cuboid), &about_origin(64.0, [y + z, x + z, x + y]), 1e-14));
    let ball = ConvexShape::sphere(2.0).unwrap();
    assert!(are_near(&mass(&ball), &about_origin(32.0 / 3.0 * PI, [1.6; 3]), 1e-14));
    let cylinder = ConvexShape::cylinder(1.5, 2.0).unwrap();
    assert!(are_near(&mass(&cylinder), &about_origin(12.0 * PI, [1.75, 1.75, 2.0]), 1e-14));
    let cone = mass(&ConvexShape::cone(2.0, 1.0).unwrap());
    let expected = about_origin(4.0 / 3.0 * PI, [0.75, 0.75, 0.3]);
    assert!(are_near(&cone, &MassProperties { center: Point3::new(0.0, 0.0, -1.0), ..expected }, 1e-14));
    // A cylinder and two half balls, whose centres are 3/8 of the radius from their discs.
    let (half, r) = (1.5, 0.5);
    let capsule = ConvexShape::capsule(half, r).unwrap();
    let (side, ends) = (2.0 * half * PI * r * r, 4.0 / 3.0 * PI * r * r * r);
    let across = side * (r * r / 4.0 + half * half / 3.0) + ends * (0.4 * r * r + half * half + 0.75 * half * r);
    let along = side * r * r / 2.0 + ends * 0.4 * r * r;
    let volume = side + ends;
    let expected = about_origin(volume, [across / volume, across / volume, along / volume]);
    assert!(are_near(&mass(&capsule), &expected, 1e-13));
}

/// The integral of `x^2` over a rounded box is a sum over its box, its sides, its quarter cylinders and its corners.
#[test]
fn rounded_boxes_in_parts() {
    let random = &mut Random(61);
    for _ in 0..1000 {
        let r = random.within(0.1, 2.0);
        let half: [f64; 3] =
            std::array::from_fn(|_| if random.within(0.0, 1.0) < 0.25 { 0.0 } else { random.within(0.1, 3.0) });
        // The points of a quarter circle, or of an eighth of a ball, by their integrals of 1, x and x^2.
        let quarter = [PI * r.powi(2) / 4.0, r.powi(3) / 3.0, PI * r.powi(4) / 16.0];
        let eighth = [PI * r.powi(3) / 6.0, PI * r.powi(4) / 16.0, PI * r.powi(5) / 30.0];
        let square = |k: usize| {
            let [a, b, c] = [half[k], half[(k + 1) % 3], half[(k + 2) % 3]];
            let beyond = |[whole, first, second]: [f64; 3]| a * a * whole + 2.0 * a * first + second;
            let inside = a * a * a / 3.0;
            8.0 * (inside * (b * c + r * (b + c) + quarter[0])
                + b * c * beyond([r, r * r / 2.0, r * r * r / 3.0])
                + (b + c) * beyond(quarter)
                + beyond(eighth))
        };
        let [a, b, c] = half;
        let volume = 8.0 * (a * b * c + r * (a * b + b * c + c * a) + (a + b + c) * quarter[0] + eighth[0]);
        let [x, y, z] = [0, 1, 2].map(|k| square(k) / volume);
        let shape = ConvexShape::cuboid(Vector3::from(half)).unwrap().rounded(r).unwrap();
        let found = mass(&shape);
        assert!(are_near(&found, &about_origin(volume, [y + z, x + z, x + y]), 1e-12), "{half:?} {r} {found:?}");
    }
}

/// The mass properties of the points of a fine grid that are in a shape.
fn summed(shape: &ConvexShape) -> MassProperties {
    const STEPS: usize = if cfg!(debug_assertions) { 24 } else { 60 };
    let bounds = shape.aabb();
    let step = bounds.half_extents() * (2.0 / STEPS as f64);
    let (mut count, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for index in 0..STEPS.pow(3) {
        let at = Vector3::new((index % STEPS) as f64, (index / STEPS % STEPS) as f64, (index / STEPS / STEPS) as f64);
        let point = bounds.lower + step.component_mul(&at.add_scalar(0.5));
        if shape.contains(&point) {
            count += 1.0;
            first += point.coords;
            second += point.coords * point.coords.transpose();
        }
    }
    let center = first / count;
    let second = (second / count - center * center.transpose()) * (count * step.product());
    let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
    MassProperties { volume: count * step.product(), center: center.into(), inertia }
}

/// Rounded hulls of a few points, of all dimensions, and rounded cones, where a pose places them.
#[test]
fn any_shape_is_the_sum_of_its_points() {
    let random = &mut Random(62);
    for case in 0..if cfg!(debug_assertions) { 24 } else { 100 } {
        let radius = random.within(0.3, 1.0);
        let shape = if case % 3 == 0 {
            let [half_height, base] = [random.within(0.0, 2.0), random.within(0.0, 2.0)];
            ConvexShape::cone(half_height, base).unwrap()
        } else {
            let count = 1 + random.within(0.0, 9.0) as usize;
            let points: Vec<Point3<f64>> = (0..count).map(|_| (random.vector() * 2.0).into()).collect();
            ConvexShape::hull(&points).unwrap()
        };
        let turn = nalgebra::Rotation3::new(random.vector() * PI);
        let pose = Pose::new(turn.into(), random.vector() * 3.0).unwrap();
        let shape = shape.rounded(radius).unwrap().transformed(&pose);
        let found = mass(&shape);
        assert!((found.volume - shape.volume()).abs() < 1e-12 * found.volume, "{shape:?}");
        assert!(
            are_near(&found, &summed(&shape), if cfg!(debug_assertions) { 0.1 } else { 0.02 }),
            "{found:?} {shape:?}"
        );
    }
}

/// A cylinder is close to a prism of many sides, rounded or not.
#[test]
fn rounded_cylinders_are_close_to_rounded_prisms() {
    let corners: Vec<Point3<f64>> = (0..512)
        .flat_map(|i| {
            let angle = f64::from(i) * PI / 256.0;
            [-0.75, 0.75].map(|z| Point3::new(angle.cos(), angle.sin(), z))
        })
        .collect();
    let [prism, cylinder] = [ConvexShape::hull(&corners).unwrap(), ConvexShape::cylinder(0.75, 1.0).unwrap()];
    for radius in [0.0, 0.25, 2.0] {
        let [a, b] = [&prism, &cylinder].map(|shape| mass(&shape.clone().rounded(radius).unwrap()));
        assert!(are_near(&a, &b, 1e-4), "{a:?} {b:?}");
    }
}

#[test]
fn poses_turn_mass_properties() {
    let random = &mut Random(63);
    let shapes = [ConvexShape::cone(1.0, 0.5).unwrap(), ConvexShape::cuboid(Vector3::new(1.0, 0.5, 0.0)).unwrap()];
    for case in 0..200 {
        let shape = shapes[case % 2].clone().rounded(0.25).unwrap();
        let turn = nalgebra::Rotation3::new(random.vector() * PI);
        let pose = Pose::new(turn.into(), random.vector() * 1000.0).unwrap();
        let own = mass(&shape);
        let inertia = turn.matrix() * own.inertia * turn.matrix().transpose();
        let expected = MassProperties { center: turn * own.center + pose.translation(), inertia, ..own };
        assert!(are_near(&mass(&shape.transformed(&pose)), &expected, 1e-11));
    }
}

#[test]
fn flat_shapes_have_none() {
    let point = |x, y, z| Point3::new(x, y, z);
    let square = [point(0.0, 0.0, 0.0), point(1.0, 0.0, 0.0), point(0.0, 1.0, 0.0), point(1.0, 1.0, 0.0)];
    for shape in [ConvexShape::hull(&square), ConvexShape::hull(&square[..1]), ConvexShape::cylinder(0.0, 1.0)] {
        assert_eq!(MassProperties::of_shape(&shape.unwrap()), Err(MassError::NoVolume));
    }
}
