//! Shows the tests between single shapes in 2D: `cargo run -p bvtree --example shapes2`.

use bvtree::shape::{Capsule, ClosestPoint, Distance, Overlaps, Segment};
use bvtree::shape2::{Aabb, Circle, ConvexPolygon, Obb, PolygonError, Sector};
use nalgebra::{Point2, Rotation2, UnitVector2, Vector2};

fn main() -> Result<(), PolygonError> {
    circles();
    sectors();
    polygons()
}

const SQUARE: Aabb = Aabb { lower: Point2::new(0.0, 0.0), upper: Point2::new(2.0, 2.0) };
const CIRCLE: Circle = Circle { center: Point2::new(5.0, 6.0), radius: 5.0 };

/// A square that stands on its corner.
fn diamond() -> Obb {
    let axes = Rotation2::new(45f64.to_radians()).into_inner();
    Obb { center: Point2::new(1.0, 1.0), axes, half_extents: Vector2::new(1.0, 1.0) }
}

fn circles() {
    assert!(CIRCLE.overlaps(&SQUARE), "they touch: 3, 4 and 5 are a right triangle");
    assert!(SQUARE.overlaps(&Aabb { lower: SQUARE.upper, upper: Point2::new(3.0, 3.0) }), "by the corner");
    println!("circle and diamond are {:.3} apart", diamond().distance(&CIRCLE));
    println!("circle and circle: {}", CIRCLE.overlaps(&Circle { center: Point2::origin(), radius: 2.0 }));
    let segment = Segment { start: Point2::new(-1.0, 0.0), end: Point2::new(0.0, 8.0) };
    println!("circle and segment: {}", CIRCLE.overlaps(&segment));
    let other = Segment { start: Point2::origin(), end: Point2::new(-2.0, 4.0) };
    println!("segment and segment cross or are nearest at {:?}", segment.closest_points(&other));
    println!("circle and capsule: {}", CIRCLE.overlaps(&Capsule { segment, radius: 1.0 }));
}

fn sectors() {
    let direction = UnitVector2::new_normalize(Vector2::new(-1.0, 0.0));
    for degrees in [30f64, 270.0] {
        let sector = Sector { center: Point2::new(5.0, 0.0), radius: 3.0, direction, angle: degrees.to_radians() };
        println!("sector of {degrees} degrees and circle are {:.3} apart", sector.distance(&CIRCLE));
        println!("its nearest point to (5, 2) is {:.3}", sector.closest_point(&Point2::new(5.0, 2.0)));
    }
}

fn polygons() -> Result<(), PolygonError> {
    let vertices = [Point2::new(1.5, 1.5), Point2::new(6.0, 1.0), Point2::new(5.0, 4.0)];
    let triangle = ConvexPolygon::new(&vertices)?;
    let corners = diamond().corners();
    println!("circle and triangle: {}", CIRCLE.overlaps(&triangle));
    println!("triangle and diamond: {:?}", triangle.separating_axis(&ConvexPolygon::new(&corners)?));
    println!("and they are nearest at {:?}", triangle.closest_points(&ConvexPolygon::new(&corners)?));
    let beside = Obb { center: Point2::new(3.5, 2.0), ..diamond() };
    println!("diamond and diamond: {:?}", diamond().separating_axis(&beside));
    Ok(())
}
