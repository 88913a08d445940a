//! Rays and points against triangles in integer arithmetic.

use bvtree::Mesh;
use nalgebra::Point3;

pub type P = [i64; 3];

type V = [i128; 3];

fn sub(a: P, b: P) -> V {
    std::array::from_fn(|k| i128::from(a[k]) - i128::from(b[k]))
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: V, b: V) -> i128 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// A mesh of the triangles, corner by corner, times `scale`.
pub fn mesh(triangles: &[[P; 3]], scale: f32) -> Mesh {
    let vertices = triangles.iter().flatten().map(|p| Point3::from(p.map(|x| x as f32 * scale))).collect();
    let corners = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::from_arrays(vertices, corners).unwrap()
}

pub fn on_triangle(p: P, triangle: [P; 3]) -> bool {
    let [a, b, c] = triangle;
    let normal = cross(sub(b, a), sub(c, a));
    let edges = [(a, b), (b, c), (c, a)];
    if normal == [0; 3] {
        return edges.iter().any(|&(a, b)| {
            let (along, way) = (sub(b, a), sub(p, a));
            let length_sq = dot(along, along);
            if length_sq == 0 {
                return p == a;
            }
            cross(along, way) == [0; 3] && (0..=length_sq).contains(&dot(along, way))
        });
    }
    dot(sub(p, a), normal) == 0 && edges.iter().all(|&(a, b)| dot(cross(sub(b, a), sub(p, a)), normal) >= 0)
}

/// The first time at which the ray meets the closed triangle.
pub fn first_time(origin: P, direction: P, triangle: [P; 3]) -> Option<f64> {
    if on_triangle(origin, triangle) {
        return Some(0.0);
    }
    let [a, b, c] = triangle;
    let d = direction.map(i128::from);
    let normal = cross(sub(b, a), sub(c, a));
    let edges = [(a, b), (b, c), (c, a)];
    let slope = dot(d, normal);
    if slope != 0 {
        // The point at time height / slope, times slope.
        let height = dot(sub(a, origin), normal);
        let inside = edges.iter().all(|&(a, b)| {
            let (edge, from_origin) = (sub(b, a), sub(origin, a));
            let way = std::array::from_fn(|k| from_origin[k] * slope + d[k] * height);
            dot(cross(edge, way), normal) * slope.signum() >= 0
        });
        return (inside && height * slope.signum() >= 0).then(|| height as f64 / slope as f64);
    }
    let mut times = Vec::new();
    for (a, b) in edges {
        let (way, edge) = (sub(a, origin), sub(b, a));
        if cross(way, d) == [0; 3] {
            times.push(dot(way, d) as f64 / dot(d, d) as f64);
        }
        let across = cross(d, edge);
        let across_sq = dot(across, across);
        if across_sq > 0 && dot(way, across) == 0 && (0..=across_sq).contains(&dot(cross(way, d), across)) {
            times.push(dot(cross(way, edge), across) as f64 / across_sq as f64);
        }
    }
    times.into_iter().filter(|&time| time >= 0.0).min_by(f64::total_cmp)
}
