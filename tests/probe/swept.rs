//! The oracle of moving capsules: when a point first comes within a radius of a triangle swept along a segment, by the
//! surface of that body: offset faces, cylinders around edges, balls around corners (Ericson, Real-Time Collision
//! Detection, 2005, sections 5.3 and 5.5.7). No search, no distance, no tree.

use bvtree::Mesh;
use bvtree::shape::Capsule;
use bvtree::triangle::Triangle;
use nalgebra::{Point3, Vector3};

/// The first time in 0 to 1 at which the capsule touches the mesh; infinite where it does not.
pub fn first_time(mesh: &Mesh, capsule: &Capsule, displacement: &Vector3<f64>) -> f64 {
    let faces = 0..mesh.triangles().len() as u32;
    faces.map(|face| first_time_of(&mesh.triangle(face), capsule, displacement)).fold(f64::INFINITY, f64::min)
}

pub fn overlaps(triangle: &Triangle, capsule: &Capsule) -> bool {
    let (start, end) = (capsule.segment.start, capsule.segment.end);
    triangle.distance_sq(&Triangle::new(start, end, end)).sqrt() <= capsule.radius
}

fn first_time_of(triangle: &Triangle, capsule: &Capsule, d: &Vector3<f64>) -> f64 {
    if overlaps(triangle, capsule) {
        return 0.0;
    }
    let (p, radius) = (capsule.segment.start, capsule.radius);
    let axis = capsule.segment.end - p;
    // The corners of the prism: those of the triangle, and those moved back along the axis.
    let near = triangle.vertices;
    let far = near.map(|v| v - axis);
    let mut faces = vec![near, far];
    let mut edges = Vec::new();
    for i in 0..3 {
        let j = (i + 1) % 3;
        faces.extend([[near[i], near[j], far[j]], [near[i], far[j], far[i]]]);
        edges.extend([[near[i], near[j]], [far[i], far[j]], [near[i], far[i]]]);
    }
    let mut first = f64::INFINITY;
    let mut offer = |time: f64| {
        if (0.0..=1.0).contains(&time) && time < first {
            first = time;
        }
    };
    for [a, b, c] in faces {
        let normal = (b - a).cross(&(c - a));
        if normal.norm() <= 1e-12 * (b - a).norm() * (c - a).norm() {
            continue;
        }
        let normal = normal.normalize();
        for side in [radius, -radius] {
            let time = (side - (p - a).dot(&normal)) / d.dot(&normal);
            let at = p + d * time;
            let inside = |from: Point3<f64>, to: Point3<f64>| (to - from).cross(&(at - from)).dot(&normal) >= 0.0;
            if inside(a, b) && inside(b, c) && inside(c, a) {
                offer(time);
            }
        }
    }
    for [a, b] in edges {
        let along = b - a;
        if along.norm() > 0.0 {
            let along_unit = along.normalize();
            let (across_p, across_d) = (reject(p - a, &along_unit), reject(*d, &along_unit));
            for time in roots(&across_p, &across_d, radius) {
                let place = (p + d * time - a).dot(&along) / along.norm_squared();
                if (0.0..=1.0).contains(&place) {
                    offer(time);
                }
            }
        }
    }
    near.iter().chain(&far).flat_map(|corner| roots(&(p - corner), d, radius)).for_each(offer);
    first
}

fn reject(v: Vector3<f64>, unit: &Vector3<f64>) -> Vector3<f64> {
    v - unit * v.dot(unit)
}

/// When `|p + d t| = radius`.
fn roots(p: &Vector3<f64>, d: &Vector3<f64>, radius: f64) -> Vec<f64> {
    let (a, b, c) = (d.norm_squared(), p.dot(d), p.norm_squared() - radius * radius);
    let discriminant = b * b - a * c;
    if a == 0.0 || discriminant < 0.0 {
        return Vec::new();
    }
    vec![(-b - discriminant.sqrt()) / a, (-b + discriminant.sqrt()) / a]
}
