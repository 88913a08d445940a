//! Computes when two moving shapes touch: `cargo run -p bvtree --example shapes_moving`.

use bvtree::shape::{Aabb, Sphere, TimeOfContact};
use nalgebra::{Point3, Vector3};

fn main() {
    moving();
}

/// Two shapes half a unit apart that approach at 3 units per second: they touch after a sixth of a second.
fn moving() {
    let closing = Vector3::new(-3.0, 0.0, 0.0);
    let cube = |x: f64| Aabb { lower: Point3::new(x, 0.0, 0.0), upper: Point3::new(x + 1.0, 1.0, 1.0) };
    println!("boxes overlap during {:?}", cube(0.0).contact_interval(&cube(1.5), &closing));
    let ball = |x: f64| Sphere { center: Point3::new(x, 0.0, 0.0), radius: 1.0 };
    println!("spheres meet at {:?}", ball(0.0).time_of_contact(&ball(2.5), &closing));
    println!(
        "but not within a second at a tenth of the speed: {:?}",
        ball(0.0).time_of_contact(&ball(2.5), &(closing * 0.1))
    );
}
