//! Enclosed and outside volumes against cases worked by hand and against counting.

use std::f64::consts::PI;

use bvtree::metrics::{Estimate, MeshFacts, MetricsOptions, OutsideVolume, Tightness};
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use nalgebra::{Point3, Vector3};

use super::meshes::{assert_close, box_mesh, build, ellipsoid, mesh, reversed, sheet, union};

#[test]
fn enclosed_volumes_by_hand() {
    let volume = |mesh: &Mesh| MeshFacts::new(mesh).mesh_volume;
    let cube = box_mesh([4.0; 3], [6.0; 3]);
    assert_close(volume(&cube), 8.0);
    assert_close(volume(&reversed(&cube)), 8.0);
    let other = box_mesh([10.0; 3], [11.0; 3]);
    assert_close(volume(&union(&[cube.clone(), other])), 9.0);
    let inner = box_mesh([4.5; 3], [5.5; 3]);
    assert_close(volume(&union(&[cube.clone(), reversed(&inner)])), 7.0);
    // Wound around twice.
    assert_close(volume(&union(&[cube.clone(), inner])), 9.0);
    assert_eq!(volume(&union(&[cube.clone(), reversed(&cube)])), None);

    let mut triangles = cube.triangles().to_vec();
    triangles[0].swap(0, 1);
    assert_eq!(volume(&Mesh::from_arrays(cube.vertices().to_vec(), triangles.clone()).unwrap()), None);
    triangles.remove(0);
    assert_eq!(volume(&Mesh::from_arrays(cube.vertices().to_vec(), triangles).unwrap()), None);
    assert_eq!(volume(&mesh(&[], &[])), None);
    let flat = sheet(3, |_, _| 0.0);
    assert_eq!(volume(&union(&[flat.clone(), reversed(&flat)])), None);
}

/// Surfaces that enclose nothing, with volumes that rounding alone decides; and thin boxes, which enclose little.
#[test]
fn volumes_within_rounding_are_none() {
    for (around, rings) in [(3, 2), (7, 5), (40, 23), (120, 80)] {
        for scale in [1.0, 1e-20, 3e12] {
            let surface = ellipsoid([1.0, 0.37, 0.61].map(|x: f32| x * scale), around, rings);
            // The same surface inside out, in another order and from other corners.
            let mut back: Vec<_> = surface.triangles().iter().map(|&[a, b, c]| [c, b, a]).collect();
            back.reverse();
            let back = Mesh::from_arrays(surface.vertices().to_vec(), back).unwrap();
            assert_eq!(MeshFacts::new(&union(&[surface, back])).mesh_volume, None, "{around} {rings} {scale}");
        }
    }
    for thickness in [1e-3, 1e-5, 1e-6] {
        assert_close(
            MeshFacts::new(&box_mesh([0.0; 3], [1.0, 0.7, thickness])).mesh_volume,
            0.7 * f64::from(thickness),
        );
    }
}

fn assert_estimates(found: Estimate, expected: f64) {
    let allowed = 4.0 * found.standard_error + 1e-4;
    assert!((found.value - expected).abs() <= allowed, "{found:?} instead of {expected}");
}

#[test]
fn a_cube_has_nothing_outside_its_boxes_and_caps_outside_its_ball() {
    let cube = box_mesh([4.0; 3], [6.0; 3]);
    let facts = MeshFacts::new(&cube);
    let boxes = OutsideVolume::new(&build(&cube, VolumeKind::Aabb), &facts).unwrap();
    for level in boxes.levels.iter().chain([&boxes.total]) {
        assert!(level.value < 1e-3, "{level:?}");
    }
    assert!(OutsideVolume::new(&build(&cube, VolumeKind::Obb), &facts).unwrap().levels[0].value < 1e-3);
    let ball = 4.0 / 3.0 * PI * 3f64.sqrt().powi(3) / 8.0;
    let outside = OutsideVolume::new(&build(&cube, VolumeKind::Sphere), &facts).unwrap();
    assert_estimates(outside.levels[0], ball - 1.0);
    assert!(outside.levels[0].standard_error < ball / 64.0);
}

#[test]
fn open_and_flat_meshes_have_no_outside() {
    for mesh in [sheet(4, |x, _| x * x), sheet(4, |_, _| 0.0), mesh(&[], &[])] {
        let facts = MeshFacts::new(&mesh);
        assert_eq!((OutsideVolume::new(&build(&mesh, VolumeKind::Obb), &facts), facts.mesh_volume), (None, None));
        assert!(Tightness::new(&build(&mesh, VolumeKind::Obb), &facts).total.mesh_volume_ratio.is_none());
    }
}

/// The volume, over the mesh's, of evenly spread points that are in some volume of the tree cut at a level, and outside
/// a convex mesh.
fn counted(tree: &BvTree, mesh: &Mesh, level: u32, count: u32) -> f64 {
    let nodes: Vec<_> = tree.nodes().collect();
    let cut: Vec<_> = nodes.iter().filter(|n| n.level == level || n.level < level && n.is_leaf()).collect();
    let faces: Vec<_> = (0..mesh.triangles().len() as u32).map(|t| mesh.triangle(t)).collect();
    let is_outside = |point: &Point3<f64>| faces.iter().any(|f| f.scaled_normal().dot(&(point - f.vertices[0])) > 0.0);
    let size = 3.0 * (mesh.aabb().upper - mesh.aabb().lower).amax();
    // The sequence of Kronecker with the powers of the plastic number's like in three dimensions (Roberts 2018).
    let steps = Vector3::from_fn(|k, _| 1.220_744_084_605_759_5_f64.powi(-(k as i32) - 1));
    let points =
        (0..count).map(|i| mesh.aabb().center() + steps.map(|step| (f64::from(i) * step).fract() - 0.5) * size);
    let found = points.filter(|point| cut.iter().any(|node| node.volume.contains(point)) && is_outside(point)).count();
    found as f64 / f64::from(count) * size.powi(3) / MeshFacts::new(mesh).mesh_volume.unwrap()
}

#[test]
fn unions_are_as_counted() {
    let mesh = ellipsoid([1.0, 0.6, 0.4], 12, 6);
    let facts = MeshFacts::new(&mesh);
    for volume in VolumeKind::ALL {
        let tree = BvTree::build(&mesh, &BuildOptions { kind: volume, ..BuildOptions::default() }).unwrap();
        let outside = OutsideVolume::new(&tree, &facts).unwrap();
        let sums = Tightness::new(&tree, &facts);
        for (level, estimate) in (0..).zip(&outside.levels).take(3) {
            let counted = counted(&tree, &mesh, level, if cfg!(debug_assertions) { 100_000 } else { 300_000 });
            let allowed = 4.0 * estimate.standard_error + 0.05 * (1.0 + counted);
            assert!((estimate.value - counted).abs() < allowed, "{volume} {level}: {estimate:?} and {counted}");
            assert!(estimate.value <= sums.levels[level as usize].mesh_volume_ratio.unwrap());
        }
    }
}

/// Of a hundred seeds, 95 or so are within two standard errors of the true value.
#[test]
fn estimates_scatter_as_their_standard_errors_say() {
    let cube = box_mesh([4.0; 3], [6.0; 3]);
    let facts = MeshFacts::new(&cube);
    let tree = build(&cube, VolumeKind::Sphere);
    let expected = 4.0 / 3.0 * PI * 3f64.sqrt().powi(3) / 8.0 - 1.0;
    let off = |seed| {
        let options = MetricsOptions { seed, samples: 1024, ..MetricsOptions::default() };
        let Estimate { value, standard_error } =
            OutsideVolume::with_options(&tree, &facts, &options).unwrap().levels[0];
        (value - expected).abs() / standard_error
    };
    let off: Vec<f64> = (0..100).map(off).collect();
    assert!(off.iter().filter(|off| **off < 2.0).count() >= 90 && off.iter().all(|off| *off < 4.0), "{off:?}");
    assert!(off.windows(2).any(|pair| pair[0] != pair[1]), "every seed gives the same");
}
