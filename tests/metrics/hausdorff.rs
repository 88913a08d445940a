//! Distances from volumes to triangles against cases worked by hand, against sampling, and against theory.

use std::path::PathBuf;

use bvtree::metrics::{HausdorffError, HausdorffTolerance, Interval, MeshFacts, NoSlope};
use bvtree::shape::{KDop, Sphere};
use bvtree::tree::NodeInfo;
use bvtree::{BuildOptions, BvTree, Mesh, Volume, VolumeKind};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::meshes::{box_mesh, build, ellipsoid, mesh, sheet, turned, union};
use crate::cases::cases;
use crate::dataset_folder::dataset;

fn measured(mesh: &Mesh, kind: VolumeKind) -> (BvTree, HausdorffError) {
    let tree = build(mesh, kind);
    let error = HausdorffError::new(&tree, &MeshFacts::new(mesh));
    (tree, error)
}

/// Within the interval, which is no wider than the default tolerance allows.
fn assert_encloses(interval: Option<Interval>, expected: f64) {
    let Interval { lower, upper } = interval.unwrap();
    let slack = 1e-5 * expected;
    assert!(lower <= expected + slack && expected <= upper + slack, "{expected} in {interval:?}");
    assert!(upper <= lower + (0.01 * lower).max(0.001) + slack, "{interval:?}");
}

#[test]
fn a_triangle_by_hand() {
    let triangle = mesh(&[[0., 0., 1.], [3., 0., 1.], [0., 4., 1.]], &[[0, 1, 2]]);
    // The box's fourth corner above the hypotenuse.
    let (_, boxes) = measured(&triangle, VolumeKind::Aabb);
    assert_encloses(boxes.levels[0].max, 2.4 / 5.0);
    assert_eq!((boxes.total, boxes.levels.len()), (boxes.levels[0], 1));
    // The ball about the hypotenuse.
    let (_, balls) = measured(&triangle, VolumeKind::Sphere);
    assert_encloses(balls.total.mean, 0.5);
    // Its diameter is the mesh's: the box reaches 0.48 of it from the triangle.
    assert!(boxes.curve.iter().all(|point| point.nodes == (point.error >= 0.48).then_some(1)));
    assert!(boxes.curve.iter().all(|point| point.nodes == point.nodes_lower));
    assert_eq!(boxes.slope, Err(NoSlope::Coarse));
}

/// Nothing but rounding to f32 was found, and nothing but the tolerance remains.
fn is_exact(error: Option<Interval>) -> bool {
    error.is_some_and(|Interval { lower, upper }| lower < 1e-5 && upper < 0.001 + 1e-5)
}

#[test]
fn boxes_that_fit_exactly_have_no_error() {
    for kind in [VolumeKind::Aabb, VolumeKind::Obb] {
        // The root of a flat square, and all volumes of boxes that are segments or points.
        let (_, square) = measured(&sheet(4, |_, _| 1.0), kind);
        assert!(is_exact(square.levels[0].max), "{kind} {square:?}");
        assert!(square.curve.iter().all(|point| point.nodes == Some(1)));
        assert_eq!(square.slope, Err(NoSlope::Exact));
        let lines = mesh(&[[1., 2., 3.], [5., 2., 3.], [5., 9., 3.]], &[[0, 1, 1], [1, 2, 1], [2, 2, 2]]);
        let (_, lines) = measured(&lines, kind);
        assert!(is_exact(lines.levels.last().unwrap().max), "{kind} {lines:?}");
    }
}

#[test]
fn the_middle_of_a_cube_is_farthest_from_it() {
    let cube = box_mesh([4.0; 3], [6.0; 3]);
    for kind in VolumeKind::ALL {
        let (_, error) = measured(&cube, kind);
        assert_encloses(error.levels[0].max, 0.5 / 3f64.sqrt());
        assert_encloses(error.levels[0].mean, 0.5 / 3f64.sqrt());
    }
}

#[test]
fn no_triangles_no_error() {
    let (_, error) = measured(&mesh(&[], &[]), VolumeKind::Obb);
    assert!(
        error.levels.is_empty()
            && error.slope == Err(NoSlope::Empty)
            && error.total.max.is_none()
            && error.total.mean.is_none()
    );
    assert!(error.curve.iter().all(|point| point.nodes.is_none()));
}

/// The largest distance from points of a grid in the volume to the mesh, and how far a point of the volume is from the
/// grid.
fn sampled(volume: &Volume, mesh: &Mesh, steps: u32) -> (f64, f64) {
    let (center, axes, half_extents) = match *volume {
        Volume::Aabb(aabb) => (aabb.center(), nalgebra::Matrix3::identity(), aabb.half_extents()),
        Volume::Obb(obb) => (obb.center, obb.axes, obb.half_extents),
        Volume::Sphere(Sphere { center, radius }) => (center, nalgebra::Matrix3::identity(), Vector3::repeat(radius)),
        Volume::KDop(kdop) => (kdop.center(), nalgebra::Matrix3::identity(), kdop.aabb().half_extents()),
    };
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(steps) - 1.0;
    let points = (0..(steps + 1).pow(3)).map(|i| {
        let n = steps + 1;
        center + axes * Vector3::new(at(i % n), at(i / n % n), at(i / n / n)).component_mul(&half_extents)
    });
    let distance = |point: &Point3<f64>| {
        let triangles = (0..mesh.triangles().len() as u32).map(|t| mesh.triangle(t));
        triangles.map(|t| (t.closest_point(point) - point).norm()).fold(f64::INFINITY, f64::min)
    };
    // A box's grid is in the box, though rounding may deny it where the box is flat.
    let is_inside = |point: &Point3<f64>| !matches!(volume, Volume::Sphere(_)) || volume.contains(point);
    let inside = |point: Point3<f64>| if let Volume::KDop(kdop) = volume { projected(kdop, point) } else { point };
    let greatest = points.map(inside).filter(is_inside).map(|point| distance(&point)).fold(0.0, f64::max);
    (greatest, 2.0 * half_extents.norm() / f64::from(steps))
}

/// A point of a k-DOP, no farther from any other point of it than the given one: projected on each plane in turn.
fn projected(kdop: &KDop, mut point: Point3<f64>) -> Point3<f64> {
    for _ in 0..40 {
        for (k, direction) in KDop::DIRECTIONS.map(Vector3::from).iter().enumerate() {
            let offset = direction.dot(&point.coords);
            let excess = offset - offset.clamp(kdop.lower[k], kdop.upper[k]);
            point -= direction * (excess / direction.norm_squared());
        }
    }
    point
}

proptest! {
    #![proptest_config(cases(32, 128))]

    /// No sample is above the interval, and none near the farthest point far below it.
    #[test]
    fn roots_reach_as_far_as_sampled(
        points in prop::collection::vec(prop::array::uniform3(-4i8..=4), 3..30),
        flat in any::<bool>(),
    ) {
        let vertices: Vec<[f32; 3]> =
            points.iter().map(|&[x, y, z]| [x, y, if flat { x / 2 } else { z }].map(f32::from)).collect();
        let triangles: Vec<_> = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = mesh(&vertices, &triangles);
        for kind in VolumeKind::ALL {
            let (tree, error) = measured(&mesh, kind);
            let root = tree.nodes().next().unwrap().volume;
            let [lower, upper] = {
                let Interval { lower, upper } = error.levels[0].max.unwrap();
                [lower, upper].map(|distance| distance * root.diameter())
            };
            let (sampled, spacing) = sampled(&root, &mesh, 10);
            prop_assert!(sampled <= upper * (1.0 + 1e-12), "{}: {} and {}", kind, upper, sampled);
            prop_assert!(lower <= sampled + spacing, "{}: {} and {}", kind, lower, sampled);
            let width = (0.01 * lower).max(0.001 * root.diameter()) * (1.0 + 1e-9);
            prop_assert!(lower <= upper && upper <= lower + width, "{}: {} to {}", kind, lower, upper);
        }
    }
}

/// Gottschalk 2000: a box that becomes flat as it becomes small needs fewer.
#[test]
fn oriented_boxes_converge_faster_on_a_smooth_surface() {
    let tilt = Rotation3::from_euler_angles(0.5, -0.4, 0.3).into_inner();
    let bowl = turned(&sheet(64, |x, y| 0.3 * (x * x + y * y)), &tilt);
    let [aabb, obb, sphere] =
        [VolumeKind::Aabb, VolumeKind::Obb, VolumeKind::Sphere].map(|kind| measured(&bowl, kind).1);
    let slope = |error: &HausdorffError| error.slope.unwrap().value;
    assert!(slope(&obb) < 1.3, "{:?}", obb.curve);
    assert!(slope(&aabb) > 1.6 && slope(&sphere) > 1.6, "{:?} {:?}", aabb.curve, sphere.curve);
    for error in [&aabb, &obb, &sphere] {
        let nodes: Vec<_> = error.curve.iter().map(|point| point.nodes.unwrap_or(usize::MAX)).collect();
        assert!(nodes.is_sorted(), "{nodes:?}");
    }
    for (obb, aabb) in obb.curve.iter().zip(&aabb.curve).filter(|(point, _)| point.error < 0.05) {
        assert!(aabb.nodes.is_none_or(|nodes| obb.nodes.unwrap() < nodes), "{obb:?} {aabb:?}");
    }
}

#[test]
fn a_turn_changes_nothing_for_the_roots_of_oriented_boxes_and_balls() {
    let mesh = ellipsoid([3.0, 2.0, 1.0], 14, 9);
    let turned = turned(&mesh, &Rotation3::from_euler_angles(1.0, 0.2, -2.0).into_inner());
    for kind in [VolumeKind::Obb, VolumeKind::Sphere] {
        let [before, after] = [&mesh, &turned].map(|mesh| measured(mesh, kind).1.levels[0].max.unwrap());
        // The fits of boxes depend a little on the frame.
        let slack = if kind == VolumeKind::Obb { 0.03 } else { 1e-5 };
        let is_same = before.lower < after.upper + slack && after.lower < before.upper + slack;
        assert!(is_same, "{kind}: {before:?} and {after:?}");
    }
    assert!((MeshFacts::new(&mesh).diameter - MeshFacts::new(&turned).diameter).abs() < 1e-5);
}

/// A plane grating: so many square openings along each axis, seven wide, with bars of width one between and around
/// them.
fn grating(openings: u32) -> Mesh {
    let lines: Vec<f32> = (0..=openings).flat_map(|bar| [8 * bar, 8 * bar + 1]).map(|line| line as f32).collect();
    let count = lines.len() as u32;
    let vertices: Vec<[f32; 3]> = lines.iter().flat_map(|&x| lines.iter().map(move |&y| [x, y, 0.0])).collect();
    let squares = (0..count - 1).flat_map(|i| (0..count - 1).map(move |j| [i, j]));
    let bars = squares.filter(|[i, j]| i % 2 == 0 || j % 2 == 0).map(|[i, j]| i * count + j);
    let triangles: Vec<_> =
        bars.flat_map(|at| [[at, at + count, at + count + 1], [at, at + count + 1, at + 1]]).collect();
    mesh(&vertices, &triangles)
}

/// The middles of all openings are equally far, and no point that halving boxes reaches is near one.
#[test]
fn openings_of_a_grating_are_found() {
    let openings = 8;
    let grating = grating(openings);
    let diameter = MeshFacts::new(&grating).diameter;
    for kind in [VolumeKind::Aabb, VolumeKind::Obb, VolumeKind::KDop] {
        let (tree, error) = measured(&grating, kind);
        let root = tree.nodes().next().unwrap().volume.diameter();
        assert_encloses(error.levels[0].max, 3.5 / root);
        for point in &error.curve {
            let is_one = point.error * diameter >= 3.5;
            assert_eq!(point.nodes == Some(1), is_one, "{kind} {point:?}");
            assert_eq!(point.nodes, point.nodes_lower, "{kind}");
            // A volume with the middles of two sides of an opening reaches half way to its middle, so each bar has one.
            let bars = 2 * (openings as usize + 1);
            let spans = point.error * diameter >= 1.75;
            assert!(spans || point.nodes.is_none_or(|nodes| nodes >= bars), "{kind} {point:?}");
        }
    }
    // The points above and below the middle are farthest.
    assert_encloses(measured(&grating, VolumeKind::Sphere).1.levels[0].max, 0.5);
}

/// With a thousand openings, whose middles are equally far, no search is cut short: of a flat volume no cells overlap.
#[test]
fn a_thousand_openings_are_no_reason_to_stop() {
    let grating = grating(32);
    for kind in [VolumeKind::Obb, VolumeKind::KDop] {
        let (tree, error) = measured(&grating, kind);
        let root = tree.nodes().next().unwrap().volume.diameter();
        assert_encloses(error.levels[0].max, 3.5 / root);
        let Interval { lower, upper } = error.levels[0].max.unwrap();
        assert!(upper - lower <= 0.00101 && error.total.cut_short == 0, "{kind} {error:?}");
        assert!(error.curve.iter().all(|point| point.nodes == point.nodes_lower), "{kind} {error:?}");
    }
}

/// The curve of flat boxes by a closed form. The distance from the bars is the lesser of the distances along either
/// axis from the nearest bar, so the greatest in a rectangle is the lesser of the greatest along its sides.
#[test]
fn gratings_need_as_many_volumes_as_a_closed_form_says() {
    let from_bar = |t: f64| (t.rem_euclid(8.0) - 1.0).min(8.0 - t.rem_euclid(8.0)).max(0.0);
    let greatest = |lower: f64, upper: f64| {
        let has_middle = ((lower - 4.5) / 8.0).ceil() <= ((upper - 4.5) / 8.0).floor();
        if has_middle { 3.5 } else { from_bar(lower).max(from_bar(upper)) }
    };
    let grating = grating(32);
    let tree = build(&grating, VolumeKind::Aabb);
    let facts = MeshFacts::new(&grating);
    let farthest = |volume: &Volume| {
        let aabb = volume.aabb();
        [0, 1].map(|k| greatest(aabb.lower[k], aabb.upper[k])).into_iter().fold(f64::INFINITY, f64::min)
    };
    let nodes: Vec<_> = tree.nodes().collect();
    for point in HausdorffError::new(&tree, &facts).curve {
        let needed = needed(&nodes, point.error * facts.diameter, |index| farthest(&nodes[index].volume));
        assert_eq!([point.nodes, point.nodes_lower], [needed; 2], "{point:?}");
    }
}

/// As narrow as the tolerance, and nested.
#[test]
fn intervals_narrow_with_the_tolerance() {
    let mesh = ellipsoid([3.0, 2.0, 1.0], 14, 9);
    let facts = MeshFacts::new(&mesh);
    for kind in VolumeKind::ALL {
        let tree = build(&mesh, kind);
        let [wide, narrow] = [0.05, 1e-4].map(|relative| {
            let tolerance = HausdorffTolerance { relative, absolute: 0.0, ..HausdorffTolerance::default() };
            let error = HausdorffError::with_tolerance(&tree, &facts, &tolerance).levels[0].max.unwrap();
            assert!(error.upper <= error.lower * (1.0 + relative) + 1e-12, "{kind} {error:?}");
            error
        });
        assert!(wide.lower <= narrow.upper && narrow.lower <= wide.upper, "{kind}: {wide:?} and {narrow:?}");
        // A search that ends at once still tells the truth.
        let cut_short = HausdorffTolerance { max_regions: 0, ..HausdorffTolerance::default() };
        let short = HausdorffError::with_tolerance(&tree, &facts, &cut_short);
        let interval = short.levels[0].max.unwrap();
        assert!(short.levels[0].cut_short == 1 && short.total.cut_short <= tree.node_count(), "{kind} {short:?}");
        assert!(interval.lower <= narrow.upper && narrow.lower <= interval.upper, "{kind}: {interval:?} {narrow:?}");
        for (short, full) in short.curve.iter().zip(HausdorffError::new(&tree, &facts).curve) {
            let most = |nodes: Option<usize>| nodes.unwrap_or(usize::MAX);
            assert!(most(short.nodes_lower) <= most(full.nodes) && most(full.nodes_lower) <= most(short.nodes));
        }
    }
}

/// The least number of nodes whose volumes are within a distance and that cover all leaves; `None` if a leaf is not.
fn needed(nodes: &[NodeInfo], allowed: f64, distance: impl Fn(usize) -> f64) -> Option<usize> {
    let mut children = vec![Vec::new(); nodes.len()];
    for (child, node) in nodes.iter().enumerate() {
        node.parent.into_iter().for_each(|parent| children[parent].push(child));
    }
    let (mut front, mut within) = (vec![0], 0);
    while let Some(index) = front.pop() {
        if distance(index) <= allowed {
            within += 1;
        } else if nodes[index].is_leaf() {
            return None;
        } else {
            front.extend(&children[index]);
        }
    }
    Some(within)
}

/// The numbers of volumes of the curve against samples of every volume: their distances are at most the true ones, and
/// with the spacing of the samples at least.
#[test]
fn curves_agree_with_samples() {
    let mesh = union(&[ellipsoid([3.0, 2.0, 1.0], 8, 5), box_mesh([2.0, 2.0, 2.0], [3.0, 4.0, 3.0])]);
    let facts = MeshFacts::new(&mesh);
    for kind in VolumeKind::ALL {
        let (tree, error) = measured(&mesh, kind);
        let nodes: Vec<_> = tree.nodes().collect();
        let sampled: Vec<_> = nodes.iter().map(|node| sampled(&node.volume, &mesh, 8)).collect();
        for point in &error.curve {
            let allowed = point.error * facts.diameter;
            let or_most = |count: Option<usize>| count.unwrap_or(usize::MAX);
            let least = or_most(needed(&nodes, allowed, |index| sampled[index].0 * (1.0 - 1e-12)));
            let most = or_most(needed(&nodes, allowed, |index| sampled[index].0 + sampled[index].1));
            assert!(least <= or_most(point.nodes), "{kind}: {least} and {point:?}");
            assert!(or_most(point.nodes_lower) <= most, "{kind}: {most} and {point:?}");
        }
    }
}

/// What an independent search found for the dataset's meshes and for the gear, as trees of the default options.
#[test]
fn as_many_volumes_as_are_needed() {
    let gear = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/gear.obj");
    let suzanne = dataset().map(|folder| folder.join("meshes/suzanne.obj"));
    let cases = [
        (Some(gear), VolumeKind::Obb, 0.05, 346),
        (suzanne.clone(), VolumeKind::Aabb, 0.2, 42),
        (suzanne, VolumeKind::Obb, 0.2, 36),
    ];
    for (path, kind, error, least) in cases {
        let Some(path) = path else { continue };
        let mesh = Mesh::load_obj(&path).unwrap();
        let tree = BvTree::build(&mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap();
        let curve = HausdorffError::new(&tree, &MeshFacts::new(&mesh)).curve;
        let point = curve.iter().find(|point| point.error == error).unwrap();
        assert!(point.nodes.is_some_and(|nodes| nodes >= least), "{kind} {point:?}");
        assert_eq!(point.nodes, point.nodes_lower, "{kind}");
    }
}
