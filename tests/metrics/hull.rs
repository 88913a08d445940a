//! The hull's volume, against its definition.

use bvtree::metrics::MeshFacts;
use nalgebra::Point3;
use proptest::prelude::*;

use super::meshes::mesh;
use crate::cases::cases;

/// Volume of the convex hull by its definition: every plane through three points with all others on one side carries a
/// face, whose corners are put in order. Sides are told exactly.
fn volume_by_supporting_planes(points: &[Point3<f64>]) -> f64 {
    let side = |[a, b, c]: [Point3<f64>; 3], p: Point3<f64>| {
        let [a, b, c, p] = [a, b, c, p].map(|p| robust::Coord3D { x: p.x, y: p.y, z: p.z });
        robust::orient3d(a, b, c, p)
    };
    let mut faces_seen = std::collections::HashSet::new();
    let mut volume = 0.0;
    for (i, &a) in points.iter().enumerate() {
        for (j, &b) in points.iter().enumerate() {
            for &c in &points[i.max(j)..] {
                let plane = [a, b, c];
                if points.iter().any(|&p| side(plane, p) < 0.0) {
                    continue;
                }
                let on_plane: Vec<usize> = (0..points.len()).filter(|&p| side(plane, points[p]) == 0.0).collect();
                // All points lie "on" a plane through three in a row.
                if on_plane.len() == points.len() || !faces_seen.insert(on_plane.clone()) {
                    continue;
                }
                let face = on_plane.iter().map(|&p| points[p]).collect();
                let face = outline(face, (b - a).cross(&(c - a)).iamax());
                let cone = |p: Point3<f64>, q: Point3<f64>| {
                    let [p, q, r] = [p, q, face[0]].map(|corner| corner - points[0]);
                    p.cross(&q).dot(&r) / 6.0
                };
                volume += face.windows(2).map(|edge| cone(edge[0], edge[1])).sum::<f64>().abs();
            }
        }
    }
    volume
}

/// The corners, in order, of the hull of points in a plane that is seen along an axis (Andrew's monotone chain, 1979).
fn outline(mut points: Vec<Point3<f64>>, along: usize) -> Vec<Point3<f64>> {
    let seen = |p: Point3<f64>| robust::Coord { x: p[(along + 1) % 3], y: p[(along + 2) % 3] };
    points.sort_by(|&a, &b| {
        let (a, b) = (seen(a), seen(b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    let chain = |points: &mut dyn Iterator<Item = Point3<f64>>| {
        let mut chain: Vec<Point3<f64>> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && robust::orient2d(seen(a), seen(b), seen(p)) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let (lower, upper) = (chain(&mut points.iter().copied()), chain(&mut points.iter().rev().copied()));
    lower.into_iter().chain(upper).collect()
}

proptest! {
    #![proptest_config(cases(60, 800))]

    #[test]
    fn hulls_are_as_large_as_those_found_face_by_face(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![-2i8..=2, Just(0)]), 3..24),
        noise in prop_oneof![Just(0.0f32), Just(1e-6), Just(1e-3), Just(0.3)],
        thickness in prop_oneof![Just(0.0f32), Just(1.0), Just(1e-5)],
    ) {
        let vertices: Vec<[f32; 3]> = points
            .iter()
            .zip(0u16..)
            .map(|(&[x, y, z], i)| {
                let [x, y, z] = [x, y, z].map(f32::from);
                [x + noise * (f32::from(i) * 1.7).sin(), y + 0.5 * x, z * thickness + noise * f32::from(i % 3)]
            })
            .collect();
        let triangles: Vec<_> = (2..vertices.len() as u32).map(|i| [i - 2, i - 1, i]).collect();
        let mesh = mesh(&vertices, &triangles);
        let facts = MeshFacts::new(&mesh);
        prop_assert_eq!(facts.is_flat, facts.hull_volume.is_none());
        let points: Vec<Point3<f64>> = mesh.vertices().iter().map(|vertex| vertex.cast()).collect();
        let (hull, expected) = (facts.hull_volume.unwrap_or(0.0), volume_by_supporting_planes(&points));
        prop_assert!((hull - expected).abs() < 1e-9 || facts.is_flat, "{} instead of {}", hull, expected);
    }
}
