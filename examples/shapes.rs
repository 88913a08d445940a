//! Shows the tests between single shapes in 3D: `cargo run -p bvtree --example shapes`.

use std::error::Error;

use bvtree::Pose;
use bvtree::shape::*;
use bvtree::triangle::Triangle;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    points();
    volumes();
    thin_shapes();
    convex_shapes()
}

const CUBE: Aabb = Aabb { lower: Point3::new(0.0, 0.0, 0.0), upper: Point3::new(2.0, 2.0, 2.0) };
const BALL: Sphere = Sphere { center: Point3::new(5.0, 6.0, 1.0), radius: 5.0 };

/// The cube rotated about z by 45 degrees: its farthest edge is at x = 2.41.
fn turned_cube() -> Obb {
    let axes = Rotation3::from_axis_angle(&Vector3::z_axis(), 45f64.to_radians()).into_inner();
    Obb { axes, ..CUBE.into() }
}

fn points() {
    let point = Point3::new(5.0, 1.0, 1.0);
    println!("the cube's nearest point to {point} is {}", CUBE.closest_point(&point));
    println!("the rotated cube is {:.3} away from it", turned_cube().distance(&point));
    assert!(BALL.contains(&point) && !CUBE.contains(&point) && !turned_cube().contains(&point));
    assert_eq!(BALL.distance(&Point3::new(12.0, 6.0, 1.0)), 2.0);
}

fn volumes() {
    assert!(BALL.overlaps(&CUBE), "they touch: 3, 4 and 5 are a right triangle");
    assert!(BALL.overlaps(&Sphere { center: Point3::new(5.0, 16.0, 1.0), radius: 5.0 }), "they touch");
    assert!(turned_cube().overlaps(&CUBE));
    println!("sphere and rotated cube are {:.3} apart", turned_cube().distance(&BALL));
    let rotation = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let moved = CUBE.transformed(&rotation, &Vector3::new(3.0, 1.0, 0.0));
    assert!(CUBE.overlaps(&moved));
    println!("the cube and the moved cube share {:?}", CUBE.intersection(&moved));
    let beside = Obb { center: Point3::new(4.0, 1.0, 1.0), ..turned_cube() };
    println!("side by side: {:?}", turned_cube().separating_axis(&beside));
}

fn thin_shapes() {
    let segment = Segment { start: Point3::new(4.0, 0.0, 4.0), end: Point3::new(4.0, 4.0, 1.0) };
    let capsule = Capsule { segment, radius: 1.75 };
    let triangle = Triangle { vertices: [segment.start, segment.end, Point3::new(9.0, 1.0, 1.0)] };
    let middle = BALL.center;
    println!("nearest to the sphere's centre: {}, {}", segment.closest_point(&middle), triangle.closest_point(&middle));
    assert!(BALL.overlaps(&segment) && BALL.overlaps(&capsule) && BALL.overlaps(&triangle));
    println!("segment and cube are nearest at {:?}", segment.closest_points(&CUBE));
    println!("segment and rotated cube are {:.3} apart", turned_cube().distance(&segment));
    println!(
        "triangle and cube, turned cube: {:.3}, {:.3}",
        CUBE.distance(&triangle),
        turned_cube().distance(&triangle)
    );
    println!(
        "capsule overlaps the cube: {}, the rotated cube: {}",
        capsule.overlaps(&CUBE),
        capsule.overlaps(&turned_cube())
    );
    assert!(capsule.contains(&Point3::new(5.0, 2.0, 3.0)));
}

fn convex_shapes() -> Result<(), Box<dyn Error>> {
    let pose = Pose::from_axis_angle(&Vector3::x(), 90f64.to_radians(), Vector3::new(0.0, 0.0, 1.0))?;
    let barrel = ConvexShape::cylinder(1.5, 1.0)?.transformed(&pose);
    let floor = Triangle::new(Point3::new(-9.0, -9.0, 0.0), Point3::new(9.0, -9.0, 0.0), Point3::new(0.0, 9.0, 0.0));
    assert!(barrel.overlaps(&floor), "a barrel of radius 1 lies on the floor");
    let cone = ConvexShape::cone(0.5, 0.5)?.transformed(&Pose::from_translation(Vector3::new(0.0, 0.0, 2.5))?);
    assert!((cone.distance(&floor) - 2.0).abs() < 1e-12);
    let sunk = cone.transformed(&Pose::from_translation(Vector3::new(0.0, 0.0, -0.25))?);
    let contact = barrel.contact(&sunk, 0.0).ok_or("the cone is in the barrel")?;
    assert!((contact.distance + 0.25).abs() < 1e-6 && contact.normal.z > 0.999, "a quarter deep");
    let hull = ConvexShape::hull(&turned_cube().corners())?.rounded(0.25)?;
    println!("the rounded cube is {:.3} from the floor", hull.distance(&floor));
    println!("and {:.3} from the cone", hull.distance(&cone));
    Ok(())
}
