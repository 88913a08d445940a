//! Trees of two small meshes on an integer grid, posed by quarter turns and whole steps, against all pairs of
//! triangles: everything is exact in f64, so answers must be equal.

use bvtree::query::FacePair;
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Preset, Query, VolumeKind};
use nalgebra::Vector3;

use super::grid::{mesh, rotation, small};

pub fn check(data: &[u8]) {
    let Some((&[choice, turns, x, y, z, first], points)) = data.split_first_chunk() else { return };
    let triangles: Vec<[[f32; 3]; 3]> = points
        .chunks_exact(9)
        .take(48)
        .map(|nine| std::array::from_fn(|i| std::array::from_fn(|j| f32::from(nine[3 * i + j] as i8 / 8))))
        .collect();
    let (a, b) = triangles.split_at(usize::from(first) % (triangles.len() + 1));
    let (a, b) = (mesh(a), mesh(b));
    let pose = Pose::new(rotation(turns), Vector3::new(small(x), small(y), small(z))).expect("a rotation");
    let (mut expected, mut nearest) = (Vec::new(), None::<f64>);
    for (face_a, a) in (0..).zip(a.iter()) {
        for (face_b, corners) in (0..).zip(b.triangles()) {
            let b = Triangle { vertices: corners.map(|corner| pose.transform(&b.vertices()[corner as usize])) };
            if a.intersects(&b) {
                expected.push(FacePair { face_a, face_b });
            }
            let distance = a.closest_points(&b).distance_sq.sqrt();
            nearest = Some(nearest.map_or(distance, |nearest| nearest.min(distance)));
        }
    }
    let kind = VolumeKind::ALL[usize::from(choice) % VolumeKind::ALL.len()];
    let preset = Preset::ALL[usize::from(choice / 3) % 3];
    let options = BuildOptions { max_leaf_triangles: 1 + u32::from(choice / 9 % 4), ..preset.options(kind) };
    let build = |mesh: &Mesh| BvTree::build(mesh, &options).expect("a tree");
    let (a, b) = (build(&a), build(&b));
    assert_eq!(a.validate().len() + b.validate().len(), 0);
    let mut query = Query::new();
    let found = query.intersecting_pairs(&a, &b, &pose);
    assert_eq!(found, expected);
    assert_eq!(query.intersects(&a, &b, &pose), !expected.is_empty());
    let distance = query.distance(&a, &b, &pose).map(|closest| closest.distance);
    match (distance, nearest) {
        (Some(distance), Some(nearest)) => {
            assert!((distance - nearest).abs() <= 1e-12 * nearest, "{distance} {nearest}")
        }
        (distance, nearest) => assert_eq!(distance, nearest),
    }
    let tolerance = small(z).abs();
    let within = query.within(&a, &b, &pose, tolerance).is_yes();
    // But for what rounding leaves open.
    if nearest.is_none_or(|nearest| (nearest - tolerance).abs() > 1e-9) {
        assert_eq!(within, nearest.is_some_and(|nearest| nearest <= tolerance));
    }
}
