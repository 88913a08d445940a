//! Hulls and k-DOPs at the nodes of a tree: by hand, in their order of tightness, and against the library's kinds.

use bvtree::metrics::{
    ConvexPolytope, Estimate, Interval, MeasuredVolume, MeshFacts, MetricsOptions, ReferenceVolume, Tetrahedra,
    TreeMetrics, VolumeMetrics,
};
use bvtree::shape::{Aabb, Sphere};
use bvtree::{Mesh, VolumeKind};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::meshes::{assert_close, box_mesh, build, ellipsoid, mesh, sheet, turned, union};
use super::own_volume::OwnSphere;
use crate::cases::cases;

fn measured(kind: ReferenceVolume, mesh: &Mesh, nodes_of: VolumeKind) -> VolumeMetrics {
    kind.measure(&build(mesh, nodes_of), &MeshFacts::new(mesh), &MetricsOptions::default())
}

fn meet(ours: Option<Interval>, theirs: Option<Interval>) {
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    assert!(ours.lower <= theirs.upper + 1e-5 && theirs.lower <= ours.upper + 1e-5, "{ours:?} {theirs:?}");
    assert!(ours.upper <= ours.lower + (0.01 * ours.lower).max(0.001) + 1e-9, "{ours:?}");
}

fn agree(ours: Option<Estimate>, theirs: Option<Estimate>) {
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    let error = ours.standard_error.hypot(theirs.standard_error);
    assert!((ours.value - theirs.value).abs() <= 5.0 * error + 2e-3 * theirs.value, "{ours:?} {theirs:?}");
}

/// The figures of a polytope kind are those of a kind of the library, up to the rounding of stored volumes.
fn assert_same(ours: &VolumeMetrics, theirs: &TreeMetrics) {
    assert_eq!(ours.levels().len(), theirs.levels().len());
    for (ours, theirs) in ours.levels().zip(theirs.levels()).chain([(ours.total(), theirs.total())]) {
        let (of, by) = (ours.tightness, theirs.tightness);
        assert_eq!(of.volumes, by.volumes);
        assert_close(of.volume_ratio, by.volume_ratio.unwrap());
        assert_close(of.area_ratio, by.area_ratio.unwrap());
        assert_close(of.sah_cost, by.sah_cost.unwrap());
        let overlap = [of, by].map(|level| level.sibling_overlap.unwrap_or(0.0));
        assert!((overlap[0] - overlap[1]).abs() < 2e-5, "{overlap:?}");
        meet(ours.hausdorff.max, theirs.hausdorff.max);
        meet(ours.hausdorff.mean, theirs.hausdorff.mean);
        agree(ours.rays.epo, theirs.rays.epo);
        agree(ours.rays.lcv, theirs.rays.lcv);
        agree(ours.rays.line_tests, theirs.rays.line_tests);
        agree(ours.outside, theirs.outside);
    }
}

#[test]
fn polytopes_have_the_figures_of_the_library_s_volumes() {
    let rotation = Rotation3::from_euler_angles(0.3, 0.5, 0.7);
    for mesh in [ellipsoid([3.0, 2.0, 1.0], 16, 10), turned(&ellipsoid([3.0, 2.0, 1.0], 16, 10), rotation.matrix())] {
        let facts = MeshFacts::new(&mesh);
        let kdops = build(&mesh, VolumeKind::KDop);
        let ours = ReferenceVolume::KDop18.measure(&kdops, &facts, &MetricsOptions::default());
        assert_same(&ours, &TreeMetrics::new(&kdops, &facts));
        // Boxes as slabs and as hulls of their corners.
        let boxes = build(&mesh, VolumeKind::Aabb);
        let theirs = TreeMetrics::new(&boxes, &facts);
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let slabs = VolumeMetrics::new(&boxes, &facts, |points| ConvexPolytope::between_slabs(&axes, points));
        assert_same(&slabs, &theirs);
        let corners = |points: &[Point3<f64>]| ConvexPolytope::hull(&Aabb::from_points(points).corners());
        assert_same(&VolumeMetrics::new(&boxes, &facts, corners), &theirs);
    }
}

#[test]
fn the_hull_is_the_limit_of_convex_volumes() {
    let mesh = Mesh::load_obj("data/nonmanifold.obj").unwrap();
    let tree = build(&mesh, VolumeKind::Obb);
    let facts = MeshFacts::new(&mesh);
    let [hull, kdop14, kdop18, kdop26, shared, swept] =
        ReferenceVolume::ALL.map(|kind| kind.measure(&tree, &facts, &MetricsOptions::default()));
    assert_close(hull.tightness.levels[0].volume_ratio, 1.0);
    let stored = TreeMetrics::new(&tree, &facts);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let boxes = VolumeMetrics::new(&tree, &facts, |points| ConvexPolytope::between_slabs(&axes, points));
    for level in 0..hull.tightness.levels.len() {
        let volume = |metrics: &VolumeMetrics| metrics.tightness.levels[level].volume_ratio.unwrap();
        let area = |metrics: &VolumeMetrics| metrics.tightness.levels[level].area_ratio.unwrap();
        for figure in [&volume as &dyn Fn(&VolumeMetrics) -> f64, &area] {
            let order = [&hull, &kdop26, &kdop18, &boxes].map(figure);
            assert!(order.is_sorted_by(|a, b| *a <= b * (1.0 + 1e-9) + 1e-9), "{order:?}");
            let order = [&hull, &kdop26, &kdop14, &boxes].map(figure);
            assert!(order.is_sorted_by(|a, b| *a <= b * (1.0 + 1e-9) + 1e-9), "{order:?}");
            for other in [&shared, &swept] {
                assert!(figure(&hull) <= figure(other) * (1.0 + 1e-9) + 1e-9);
            }
        }
        assert!(volume(&hull) <= stored.tightness.levels[level].volume_ratio.unwrap() * (1.0 + 1e-9));
    }
    assert!(hull.hausdorff.unwrap().total.mean.unwrap().lower <= stored.hausdorff.total.mean.unwrap().upper);
}

#[test]
fn a_box_turned_is_its_own_hull_and_shared_axes() {
    let rotation = Rotation3::from_euler_angles(0.3, 0.5, 0.7);
    let solid = turned(&box_mesh([-3.0, -2.0, -1.0], [3.0, 2.0, 1.0]), rotation.matrix());
    for kind in [ReferenceVolume::Hull, ReferenceVolume::SharedAxes] {
        let metrics = measured(kind, &solid, VolumeKind::Aabb);
        let root = metrics.levels().next().unwrap();
        let volume = root.tightness.mesh_volume_ratio.unwrap();
        assert!((1.0 - 1e-5..1.02).contains(&volume), "{kind} {volume}");
        // The middle of the box is 1 from its surface, and the diagonal twice the root of 14.
        let Interval { lower, upper } = root.hausdorff.max.unwrap();
        let expected = 0.5 / 14f64.sqrt();
        assert!(lower < 1.02 * expected && 0.98 * expected < upper, "{kind} {lower} {upper}");
    }
    // An octahedron is its own 14-DOP.
    let octahedron = ellipsoid([1.0, 1.0, 1.0], 4, 2);
    for kind in [ReferenceVolume::KDop14, ReferenceVolume::KDop26] {
        assert_close(measured(kind, &octahedron, VolumeKind::Obb).tightness.levels[0].volume_ratio, 1.0);
    }
    // Its 18-DOP is a rhombic dodecahedron, of volume 2.
    let rhombic = measured(ReferenceVolume::KDop18, &octahedron, VolumeKind::Obb);
    assert_close(rhombic.tightness.levels[0].volume_ratio, 1.5);
}

/// A plate as thin as a sheet, a rod and a ball, each turned, whose rectangle swept spheres are a rectangle, a capsule
/// and a sphere.
#[test]
fn rectangle_swept_spheres_around_plates_rods_and_balls() {
    let rotation = Rotation3::from_euler_angles(0.3, 0.5, 0.7);
    let root = |mesh: &Mesh| {
        let metrics =
            measured(ReferenceVolume::RectangleSweptSphere, &turned(mesh, rotation.matrix()), VolumeKind::Obb);
        assert!(metrics.hausdorff.is_none());
        metrics.tightness.levels[0]
    };
    let plate = root(&box_mesh([-3.0, -2.0, 0.0], [3.0, 2.0, 1e-4]));
    assert!((plate.area_ratio.unwrap() - 1.0).abs() < 1e-3, "{plate:?}");
    // Its ends are within the sphere about them whose radius is half the diagonal of the rod's square.
    let rod = root(&box_mesh([-50.0, -0.5, -0.5], [50.0, 0.5, 0.5]));
    let capsule = std::f64::consts::FRAC_PI_2;
    assert!((0.95 * capsule..1.02 * capsule).contains(&rod.mesh_volume_ratio.unwrap()), "{rod:?}");
    let ball = root(&ellipsoid([1.0; 3], 32, 24));
    assert!((1.0..1.03).contains(&ball.mesh_volume_ratio.unwrap()), "{ball:?}");
}

#[test]
fn flat_and_empty_volumes_have_figures() {
    let square = sheet(4, |_, _| 1.0);
    let lines = mesh(&[[1., 2., 3.], [5., 4., 4.], [5., 9., 3.]], &[[0, 1, 1], [1, 2, 1], [2, 2, 2]]);
    let empty = mesh(&[], &[]);
    for kind in ReferenceVolume::ALL {
        let of_square = measured(kind, &square, VolumeKind::Aabb);
        let root = of_square.levels().next().unwrap();
        assert!(root.tightness.volume_ratio.is_none() && root.tightness.area_ratio.unwrap() > 2.0 - 1e-6);
        if matches!(kind, ReferenceVolume::Hull) {
            assert_close(root.tightness.area_ratio, 2.0);
            assert!(of_square.hausdorff.as_ref().unwrap().total.max.unwrap().upper < 0.0011);
        }
        assert!(of_square.rays.total.line_tests.unwrap().value > 0.0);
        let of_lines = measured(kind, &lines, VolumeKind::Aabb);
        if matches!(kind, ReferenceVolume::Hull) {
            assert!(of_lines.hausdorff.unwrap().levels.last().unwrap().max.unwrap().upper < 0.0011);
        }
        assert_eq!(measured(kind, &empty, VolumeKind::Aabb).levels().len(), 0);
    }
}

/// A segment and a point contain their own points, and lines meet them only there.
#[test]
fn hulls_of_segments_and_points_are_no_larger_than_they_are() {
    for (from, to) in [([0.0; 3], [1.0; 3]), ([5.0, -3.0, 2.0], [5.0, 4.0, 2.0]), ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])] {
        let [from, to] = [from, to].map(Point3::from);
        let hull = ConvexPolytope::hull(&[to, from, to]);
        let across = (to - from).cross(&Vector3::new(0.3, 0.5, 0.7)).try_normalize(0.0).unwrap_or(Vector3::y());
        let along = (to - from).try_normalize(0.0).unwrap_or(Vector3::x());
        for part in [0.0, 0.3, 1.0] {
            let point = from + part * (to - from);
            assert!(hull.contains(&point) && !hull.contains(&(point + 1e-6 * across)));
            for direction in [across, along, Vector3::new(0.1, 0.2, -0.5)] {
                assert!(hull.meets_line(&(point - 3.0 * direction), &direction));
            }
            assert!(!hull.meets_line(&(point + 1e-6 * across), &along));
        }
        assert!(!hull.contains(&(to + 1e-6 * along)) && !hull.contains(&(from - 1e-6 * along)));
        let around =
            ConvexPolytope::hull(&[[-9.0; 3], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]].map(Point3::from));
        assert!(hull.intersection_volume(&around).unwrap() < 1e-9 && around.intersection_volume(&hull).unwrap() < 1e-9);
    }
    let empty = ConvexPolytope::hull(&[]);
    assert!(!empty.contains(&Point3::origin()) && !empty.meets_line(&Point3::origin(), &Vector3::x()));
}

/// A sphere with tetrahedra that fall short of it.
fn faceted(sphere: Sphere) -> OwnSphere {
    let facets = ellipsoid([1.0; 3], 24, 16);
    let corner = |vertex: u32| sphere.center + facets.vertices()[vertex as usize].coords.cast::<f64>() * sphere.radius;
    let corners = facets.triangles().iter().map(|&[a, b, c]| [sphere.center, corner(a), corner(b), corner(c)]);
    OwnSphere { sphere, tetrahedra: Some(Tetrahedra { corners: corners.collect(), deviation: 0.02 * sphere.radius }) }
}

#[test]
fn deviations_widen_intervals() {
    let solid = union(&[box_mesh([-3.0, -2.0, -1.0], [3.0, 2.0, 1.0]), box_mesh([4.0, 0.0, 0.0], [5.0, 1.0, 1.0])]);
    let (tree, facts) = (build(&solid, VolumeKind::Sphere), MeshFacts::new(&solid));
    let spheres: Vec<Sphere> = tree
        .nodes()
        .map(|node| match node.volume {
            bvtree::Volume::Sphere(sphere) => sphere,
            _ => unreachable!(),
        })
        .collect();
    let mut next = spheres.iter();
    let ours = VolumeMetrics::new(&tree, &facts, |_| faceted(*next.next().unwrap()));
    let theirs = TreeMetrics::new(&tree, &facts);
    for (ours, theirs) in ours.levels().zip(theirs.levels()) {
        let (ours, theirs) = (ours.hausdorff.max.unwrap(), theirs.hausdorff.max.unwrap());
        assert!(ours.lower <= theirs.upper && theirs.lower <= ours.upper, "{ours:?} {theirs:?}");
        assert!(ours.upper - ours.lower >= 0.019 && ours.upper - ours.lower < 0.06, "{ours:?}");
    }
}

fn in_unit_cube(shift: f64) -> impl Strategy<Value = Vec<Point3<f64>>> {
    prop::collection::vec((0.0..1.0, 0.0..1.0, 0.0..1.0), 12).prop_map(move |points| {
        points.into_iter().map(|(x, y, z)| Point3::new(shift + x, shift + y, shift + z)).collect()
    })
}

proptest! {
    #![proptest_config(cases(20, 100))]
    #[test]
    fn hulls_overlap_as_counting_says(a in in_unit_cube(0.0), b in in_unit_cube(0.3)) {
        let [a, b] = [a, b].map(|points| ConvexPolytope::hull(&points));
        let common = a.intersection_volume(&b).unwrap();
        prop_assert!((common - b.intersection_volume(&a).unwrap()).abs() < 1e-9);
        prop_assert!((a.intersection_volume(&a).unwrap() - a.volume()).abs() < 1e-9);
        const STEPS: usize = 40;
        let at = |i: usize| (i as f64 + 0.5) / STEPS as f64 * 1.3;
        let is_common = |&i: &usize| {
            let point = Point3::new(at(i % STEPS), at(i / STEPS % STEPS), at(i / STEPS / STEPS));
            a.contains(&point) && b.contains(&point)
        };
        let counted = (0..STEPS.pow(3)).filter(is_common).count() as f64 * (1.3 / STEPS as f64).powi(3);
        prop_assert!((common - counted).abs() < 5e-3, "{common} {counted}");
    }
}
