//! Meshes to query: random, exact on a grid, and degenerate ones.

use bvtree::Mesh;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

/// A mesh of any kind below, at a scale and a place where f32 has few digits to spare.
pub fn any_mesh() -> impl Strategy<Value = Mesh> {
    let scale = prop_oneof![4 => Just(1.0), 1 => Just(1e-30), 1 => Just(1e30), 1 => Just(1e-20), 1 => Just(1e10)];
    let place = prop_oneof![4 => Just(0.0), 1 => Just(1e3), 1 => Just(1e6), 1 => Just(1e8)];
    let stretch = prop::array::uniform3(prop_oneof![6 => Just(1.0), 1 => Just(0.0), 1 => Just(1e-3), 1 => Just(1e-8)]);
    (small_mesh(), scale, place, stretch).prop_map(|(mesh, scale, place, stretch)| {
        moved(&mesh, |v| v.component_mul(&Vector3::from(stretch)).add_scalar(place) * scale)
    })
}

/// A soup, a grid mesh or a torus of unit size about the origin.
pub fn small_mesh() -> impl Strategy<Value = Mesh> {
    prop_oneof![soup(), grid(), (3u32..8, 3u32..8).prop_map(|(around, across)| torus(around, across))]
}

/// Up to 40 unconnected triangles of any size up to 1, some of them needles.
pub fn soup() -> impl Strategy<Value = Mesh> {
    let offset = || prop::array::uniform3(-1.0f32..1.0);
    let size = prop_oneof![Just(1.0f32), Just(0.1), Just(1e-3)];
    let triangle = (offset(), offset(), offset(), size).prop_map(|(center, u, v, size)| {
        let [p, u, v] = [center, u, v].map(Vector3::from);
        [p, p + u * size, p + v * size].map(Point3::from)
    });
    prop::collection::vec(triangle, 0..40).prop_map(|triangles| unconnected(&triangles))
}

/// Up to 40 triangles between the points of an integer grid: coplanar, sharing edges and vertices, repeated, and
/// zero-area.
pub fn grid() -> impl Strategy<Value = Mesh> {
    (1i8..5).prop_flat_map(|size| {
        let point = prop::array::uniform3(0..=size).prop_map(|p| Point3::from(p.map(f32::from)));
        prop::collection::vec(prop::array::uniform3(point), 0..40).prop_map(|triangles| unconnected(&triangles))
    })
}

/// A torus of `2 * around * across` triangles.
pub fn torus(around: u32, across: u32) -> Mesh {
    let turn = |i: u32, n: u32| (i as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
    let vertices = (0..around * across)
        .map(|i| {
            let ((sin_a, cos_a), (sin_c, cos_c)) = (turn(i / across, around), turn(i % across, across));
            let radius = 0.7 + 0.3 * cos_c;
            Point3::new(radius * cos_a, radius * sin_a, 0.3 * sin_c)
        })
        .collect();
    let at = |a: u32, c: u32| (a % around) * across + c % across;
    let quads = (0..around).flat_map(|a| (0..across).map(move |c| (a, c)));
    let triangles = quads
        .flat_map(|(a, c)| {
            let [p, q, r, s] = [at(a, c), at(a + 1, c), at(a + 1, c + 1), at(a, c + 1)];
            [[p, q, r], [p, r, s]]
        })
        .collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// A closed ball about the origin: `rings` bands between the poles, each of `segments` quadrangles or, at the poles,
/// triangles.
pub fn sphere(rings: u32, segments: u32, radius: f32) -> Mesh {
    let latitudes = (1..rings).map(|ring| (ring as f32 / rings as f32 * std::f32::consts::PI).sin_cos());
    let circle = |(sin, cos): (f32, f32)| {
        let turn = move |i: u32| (i as f32 / segments as f32 * std::f32::consts::TAU).sin_cos();
        (0..segments).map(move |i| Point3::new(sin * turn(i).1, sin * turn(i).0, cos) * radius)
    };
    let poles = [Point3::new(0.0, 0.0, radius), Point3::new(0.0, 0.0, -radius)];
    let vertices = poles.into_iter().chain(latitudes.flat_map(circle)).collect();
    let at = |ring: u32, i: u32| 2 + (ring - 1) * segments + i % segments;
    let mut triangles = Vec::new();
    for i in 0..segments {
        triangles.extend([[0, at(1, i), at(1, i + 1)], [1, at(rings - 1, i + 1), at(rings - 1, i)]]);
        for ring in 1..rings - 1 {
            let [p, q, r, s] = [at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// A square of `2 * cells * cells` triangles in the plane `z = 0`, from the origin to `(cells, cells, 0)`.
pub fn flat_square(cells: u32) -> Mesh {
    let side = cells + 1;
    let vertices = (0..side * side).map(|i| Point3::new((i % side) as f32, (i / side) as f32, 0.0)).collect();
    let triangles = (0..cells * cells)
        .flat_map(|i| {
            let p = i / cells * side + i % cells;
            [[p, p + 1, p + side], [p + side, p + 1, p + side + 1]]
        })
        .collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// `n` copies of a triangle, over the same vertices.
pub fn identical(n: usize) -> Mesh {
    Mesh::from_arrays(corner_triangle().to_vec(), vec![[0, 1, 2]; n]).unwrap()
}

/// `n` different triangles with one centroid, up to rounding.
pub fn concentric(n: u32) -> Mesh {
    let triangle = |i: u32| {
        let turn = |k: u32| {
            let (sin, cos) = (i as f32 * 0.37 + k as f32 * std::f32::consts::TAU / 3.0).sin_cos();
            Point3::new(cos, sin * (i as f32 * 0.11).cos(), sin * (i as f32 * 0.11).sin())
        };
        [turn(0), turn(1), turn(2)]
    };
    unconnected(&(0..n).map(triangle).collect::<Vec<_>>())
}

/// `n` zero-area triangles along a line, each a segment that touches the next.
pub fn collinear(n: u32) -> Mesh {
    let at = |i: u32| Point3::new(i as f32, 2.0 * i as f32, -(i as f32));
    unconnected(&(0..n).map(|i| [at(i), at(i + 1), at(i)]).collect::<Vec<_>>())
}

/// Triangles at powers of `2^step` along a diagonal, from `2^-120` to `2^120`: a mean or midpoint peels them off
/// singly.
pub fn exponential(step: usize) -> Mesh {
    let triangle = |i: i32| {
        let [a, b, c] = corner_triangle().map(|p| p * 2f32.powi(i));
        let shift = Vector3::repeat(2f32.powi(i + 1));
        [a + shift, b + shift, c + shift]
    };
    unconnected(&(-120..=120).step_by(step).map(triangle).collect::<Vec<_>>())
}

/// Like [`exponential`], with turning directions, so that oriented boxes turn too.
pub fn spiral(n: i32) -> Mesh {
    let triangle = |i: i32| {
        let (sin, cos) = (i as f32 * 2.4).sin_cos();
        let shift = Vector3::new(cos, sin, (i as f32 * 0.7).sin()) * 1.5f32.powi(i - n / 2);
        corner_triangle().map(|p| p * (shift.norm() * 0.1) + shift)
    };
    unconnected(&(0..n).map(triangle).collect::<Vec<_>>())
}

/// One point, as a triangle.
pub fn point_at(point: Point3<f32>) -> Mesh {
    unconnected(&[[point; 3]])
}

pub fn empty() -> Mesh {
    Mesh::from_arrays(vec![Point3::origin()], vec![]).unwrap()
}

/// The corners of the unit cube next to the origin.
pub fn corner_triangle() -> [Point3<f32>; 3] {
    [Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 0.0, 1.0)]
}

/// A mesh of triangles with vertices of their own.
pub fn unconnected(triangles: &[[Point3<f32>; 3]]) -> Mesh {
    let corners = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_arrays(triangles.concat(), corners).unwrap()
}

/// The mesh with its vertices moved in f64.
pub fn moved(mesh: &Mesh, by: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Mesh {
    let vertices = mesh.vertices().iter().map(|v| Point3::from(by(v.coords.cast()).cast::<f32>())).collect();
    Mesh::from_arrays(vertices, mesh.triangles().to_vec()).unwrap()
}

/// Scaled, then shifted.
pub fn placed(mesh: &Mesh, scale: f64, shift: Vector3<f64>) -> Mesh {
    moved(mesh, |v| v * scale + shift)
}
