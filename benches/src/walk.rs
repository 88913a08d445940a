//! A walk cycle: limbs of an upright mesh swing to and fro.

use bvtree::Mesh;
use nalgebra::{Point3, Rotation3, Vector3};

/// Where the vertices of an upright mesh (z up) are at a time of its walk, in cycles.
pub fn step(mesh: &Mesh, time: f64) -> Vec<Point3<f32>> {
    let bounds = mesh.aabb();
    let (middle, half) = (bounds.center(), bounds.half_extents());
    // Left to right is where it is wider.
    let (side, ahead) = if half.x > half.y { (0, 1) } else { (1, 0) };
    let swing = (std::f64::consts::TAU * time).sin();
    let vertex = |vertex: &Point3<f32>| {
        let p = vertex.map(f64::from);
        let (height, aside) = ((p.z - middle.z) / half.z, (p[side] - middle[side]) / half[side]);
        let (hip, shoulder) = (middle.z - 0.1 * half.z, middle.z + 0.45 * half.z);
        let leg = smooth(-0.1 - height, 0.3) * smooth(aside.abs(), 0.1) * aside.signum();
        let arm = smooth(aside.abs() - 0.35, 0.3) * smooth(height + 0.1, 0.2) * aside.signum();
        let turned = |about: f64, angle: f64| {
            let axis = Vector3::ith(side, 1.0);
            let pivot = Point3::from([p.x, p.y, about]);
            let pivot = Point3::from([0, 1, 2].map(|k| if k == ahead { middle[k] } else { pivot[k] }));
            pivot + Rotation3::new(axis * angle) * (p - pivot)
        };
        let p = if leg == 0.0 { turned(shoulder, -0.6 * swing * arm) } else { turned(hip, 0.6 * swing * leg) };
        p.map(|x| x as f32)
    };
    mesh.vertices().iter().map(vertex).collect()
}

/// From 0 at 0 to 1 at the width.
fn smooth(x: f64, width: f64) -> f64 {
    let t = (x / width).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
