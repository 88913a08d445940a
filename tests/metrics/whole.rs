//! What holds for all metrics of all trees.

use bvtree::metrics::{HausdorffError, LevelMetrics, MeshFacts, OutsideVolume, RayQuality, Tightness, TreeMetrics};
use bvtree::{Mesh, VolumeKind};
use nalgebra::Point3;

use super::meshes::{box_mesh, build, ellipsoid, mesh, sheet, union};
use crate::dataset_folder::dataset;

/// Every figure there is.
fn figures(row: &LevelMetrics) -> Vec<f64> {
    let LevelMetrics { tightness, outside, hausdorff, rays, .. } = row;
    let ratios = [tightness.volume_ratio, tightness.mesh_volume_ratio, tightness.area_ratio];
    let others = [tightness.sibling_overlap, tightness.sah_cost];
    let estimates = [*outside, rays.epo, rays.epo_reached, rays.lcv, rays.lcv_reached, rays.line_tests];
    assert!(estimates.iter().flatten().all(|estimate| estimate.standard_error.is_finite()), "{row:?}");
    let errors = [hausdorff.max, hausdorff.mean].into_iter().flatten().flat_map(|error| [error.lower, error.upper]);
    let estimates = estimates.into_iter().flatten().map(|estimate| estimate.value);
    ratios.into_iter().chain(others).flatten().chain(errors).chain(estimates).collect()
}

fn assert_sound(mesh: &Mesh, kind: VolumeKind) -> TreeMetrics {
    let facts = MeshFacts::new(mesh);
    let tree = build(mesh, kind);
    let metrics = TreeMetrics::new(&tree, &facts);
    assert!(facts.diameter.is_finite() && facts.mesh_volume.is_none_or(|volume| volume.is_finite() && volume > 0.0));
    let levels: Vec<LevelMetrics> = metrics.levels().collect();
    assert_eq!(levels.len(), metrics.tightness.levels.len());
    for row in levels.iter().chain([&metrics.total()]) {
        assert!(figures(row).iter().all(|figure| figure.is_finite() && *figure >= 0.0), "{kind} {row:?}");
        if let [Some(mean), Some(max)] = [row.hausdorff.mean, row.hausdorff.max] {
            assert!(mean.lower <= max.lower && mean.upper <= max.upper && max.lower <= 1.0, "{row:?}");
            let width = |lower: f64| 0.01 * lower + 0.001 + 1e-9;
            assert!([mean, max].iter().all(|error| error.lower <= error.upper), "{row:?}");
            assert!([mean, max].iter().all(|error| error.upper <= error.lower + width(error.lower)), "{row:?}");
        }
        assert_eq!(row.outside.is_some(), row.tightness.mesh_volume_ratio.is_some());
        if let (Some(outside), Some(sum)) = (row.outside, row.tightness.mesh_volume_ratio) {
            assert!(outside.value <= sum, "a union is no larger than the sum: {row:?}");
        }
    }
    let curve = &metrics.hausdorff.curve;
    assert!(
        curve.iter().all(|point| point.nodes_lower.is_none_or(|lower| point.nodes.is_none_or(|nodes| lower <= nodes)))
    );
    let nodes: Vec<_> = curve.iter().map(|point| point.nodes.unwrap_or(usize::MAX)).collect();
    assert!(nodes.is_sorted() && nodes.iter().all(|&n| n == usize::MAX || n <= tree.leaf_count()), "{nodes:?}");
    assert!(metrics.hausdorff.slope.ok().is_none_or(|slope| slope.value.is_finite() && slope.standard_error >= 0.0));
    metrics
}

#[test]
fn degenerate_meshes_give_finite_figures_or_none() {
    let tilted = |u: f32, v: f32| [0.3 * u - 0.7 * v, 0.9 * u + 0.1 * v, 0.5 * u + 0.45 * v];
    let point_sets: [Vec<[f32; 3]>; 6] = [
        vec![[1.0, 2.0, 3.0]; 30],
        (0..30u8).map(|i| [f32::from(i), 2.0 * f32::from(i), 0.0]).collect(),
        (0..30u8).map(|i| tilted(f32::from(i % 6), f32::from(i / 6))).collect(),
        (0..30u8).map(|i| [f32::from(i % 6), f32::from(i / 6), 1000.0]).collect(),
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        Vec::new(),
    ];
    for vertices in point_sets {
        for scale in [1.0, 1e-30, 1e30, 1e-44] {
            let vertices: Vec<_> = vertices.iter().map(|v| v.map(|x| x * scale)).collect();
            let triangles: Vec<_> = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            for kind in VolumeKind::ALL {
                assert_sound(&mesh(&vertices, &triangles), kind);
            }
        }
    }
}

/// Powers of two change no digit.
#[test]
fn solids_of_all_sizes_are_measured_alike() {
    for kind in VolumeKind::ALL {
        let [small, unit, large] = [-40, 0, 40].map(|power| {
            let scaled = [2.0, 1.0, 0.5].map(|semi_axis: f32| semi_axis * 2f32.powi(power));
            assert_sound(&ellipsoid(scaled, 12, 6), kind)
        });
        for other in [small, large] {
            for (row, other) in unit.levels().zip(other.levels()) {
                for (figure, other) in figures(&row).iter().zip(figures(&other)) {
                    assert!((figure - other).abs() <= 1e-9 * figure, "{kind}: {row:?} and {other:?}");
                }
            }
        }
    }
}

#[test]
fn the_parts_agree_with_the_whole() {
    let shapes = union(&[box_mesh([0.0; 3], [1.0, 2.0, 3.0]), ellipsoid([0.4, 0.4, 0.8], 10, 5)]);
    for mesh in [shapes, sheet(8, |x, y| x * x * y)] {
        let facts = MeshFacts::new(&mesh);
        for kind in VolumeKind::ALL {
            let tree = build(&mesh, kind);
            let whole = assert_sound(&mesh, kind);
            assert_eq!(whole.tightness, Tightness::new(&tree, &facts));
            assert_eq!(whole.outside, OutsideVolume::new(&tree, &facts));
            assert_eq!(whole.hausdorff, HausdorffError::new(&tree, &facts));
            assert_eq!(whole.rays, RayQuality::new(&tree));
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mesh = ellipsoid([1.0, 0.7, 0.5], 20, 10);
    let facts = MeshFacts::new(&mesh);
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| VolumeKind::ALL.map(|kind| TreeMetrics::new(&build(&mesh, kind), &facts)))
    });
    assert_eq!(one, three);
}

/// Quarter turns are exact, so that the turned mesh is congruent to the bit.
#[test]
fn a_quarter_turn_changes_little_of_balls_and_oriented_boxes() {
    let mesh = ellipsoid([1.0, 0.7, 0.45], 14, 9);
    let turned: Vec<Point3<f32>> = mesh.vertices().iter().map(|v| Point3::new(-v.y, v.x, v.z)).collect();
    let turned = Mesh::from_arrays(turned, mesh.triangles().to_vec()).unwrap();
    for kind in [VolumeKind::Obb, VolumeKind::Sphere] {
        let [before, after] = [&mesh, &turned].map(|mesh| assert_sound(mesh, kind).total());
        for (before, after) in figures(&before).iter().zip(figures(&after)) {
            assert!((before - after).abs() <= 0.1 * before, "{kind}: {before} and {after}");
        }
    }
}

#[test]
fn real_meshes_are_measured_soundly() {
    let Some(folder) = dataset().map(|dataset| dataset.join("meshes")) else { return };
    for name in ["fcl-rob", "spot"] {
        let mesh = Mesh::load_obj(folder.join(name).with_extension("obj")).unwrap();
        let facts = MeshFacts::new(&mesh);
        let is_closed = name == "spot";
        assert_eq!(facts.mesh_volume.is_some(), is_closed, "{name}");
        assert!(facts.mesh_volume.is_none_or(|volume| volume < facts.hull_volume.unwrap()), "{name} {facts:?}");
        for kind in VolumeKind::ALL {
            let metrics = assert_sound(&mesh, kind);
            let root = metrics.levels().next().unwrap();
            assert!(metrics.total().tightness.sah_cost < root.tightness.sah_cost, "{name} {kind}");
            assert!(metrics.total().rays.epo.unwrap().value < mesh.triangles().len() as f64, "{name} {kind}");
        }
    }
}
