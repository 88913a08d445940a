//! Volumes of one's own are measured as the library's are.

use bvtree::metrics::{Estimate, MeasuredVolume, MeshFacts, MetricsOptions, Tetrahedra, TreeMetrics, VolumeMetrics};
use bvtree::shape::{Aabb, Sphere};
use bvtree::{Mesh, VolumeKind};
use nalgebra::{Point3, Vector3};

use super::meshes::{build, ellipsoid};

/// Boxes as somebody else would write them.
pub(super) struct OwnBox(pub(super) Aabb);

impl MeasuredVolume for OwnBox {
    fn volume(&self) -> f64 {
        self.0.size().product()
    }

    fn surface_area(&self) -> f64 {
        let size = self.0.size();
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    fn aabb(&self) -> Aabb {
        self.0
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        (0..3).all(|k| (self.0.lower[k]..=self.0.upper[k]).contains(&point[k]))
    }

    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        let times = |k: usize| [self.0.lower[k], self.0.upper[k]].map(|end| (end - point[k]) / direction[k]);
        let first = (0..3).map(|k| times(k)[0].min(times(k)[1])).fold(f64::NEG_INFINITY, f64::max);
        let last = (0..3).map(|k| times(k)[0].max(times(k)[1])).fold(f64::INFINITY, f64::min);
        first <= last
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        let width = |k: usize| self.0.upper[k].min(other.0.upper[k]) - self.0.lower[k].max(other.0.lower[k]);
        Some((0..3).map(|k| width(k).max(0.0)).product())
    }
}

/// Spheres whose intersections nobody knows, with tetrahedra that fill them or not.
pub(super) struct OwnSphere {
    pub(super) sphere: Sphere,
    pub(super) tetrahedra: Option<Tetrahedra>,
}

impl MeasuredVolume for OwnSphere {
    fn volume(&self) -> f64 {
        self.sphere.volume()
    }

    fn surface_area(&self) -> f64 {
        self.sphere.surface_area()
    }

    fn aabb(&self) -> Aabb {
        let radius = Vector3::repeat(self.sphere.radius);
        Aabb { lower: self.sphere.center - radius, upper: self.sphere.center + radius }
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        (point - self.sphere.center).norm() <= self.sphere.radius
    }

    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        (self.sphere.center - point).cross(direction).norm() <= self.sphere.radius
    }

    fn tetrahedra(&self) -> Option<Tetrahedra> {
        self.tetrahedra.clone()
    }
}

fn seeded(seed: u64) -> MetricsOptions {
    MetricsOptions { seed, ..MetricsOptions::default() }
}

fn close(ours: Option<f64>, theirs: Option<f64>) {
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    assert!((ours - theirs).abs() <= 1e-5 * theirs.abs(), "{ours} {theirs}");
}

/// Within five standard errors, and what the rounding of stored boxes to f32 may do.
fn agree(ours: Option<Estimate>, theirs: Option<Estimate>) {
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    let error = ours.standard_error.hypot(theirs.standard_error);
    assert!((ours.value - theirs.value).abs() <= 5.0 * error + 1e-3 * theirs.value, "{ours:?} {theirs:?}");
}

#[test]
fn boxes_have_the_figures_of_the_library_s_boxes() {
    for mesh in [ellipsoid([3.0, 2.0, 1.0], 20, 12), Mesh::load_obj("data/gear.obj").unwrap()] {
        let (tree, facts) = (build(&mesh, VolumeKind::Aabb), MeshFacts::new(&mesh));
        let ours = VolumeMetrics::new(&tree, &facts, |points| OwnBox(Aabb::from_points(points)));
        let theirs = TreeMetrics::new(&tree, &facts);
        assert_eq!(ours.tightness.levels.len(), theirs.tightness.levels.len());
        let levels = ours.tightness.levels.iter().zip(&theirs.tightness.levels);
        for (ours, theirs) in levels.chain([(&ours.tightness.total, &theirs.tightness.total)]) {
            assert_eq!(ours.volumes, theirs.volumes);
            close(ours.volume_ratio, theirs.volume_ratio);
            close(ours.area_ratio, theirs.area_ratio);
            close(ours.sah_cost, theirs.sah_cost);
            assert_eq!(ours.sibling_overlap.is_some(), theirs.sibling_overlap.is_some());
        }
        let overlap =
            [&ours.tightness, &theirs.tightness].map(|tightness| tightness.levels[2].sibling_overlap.unwrap());
        assert!((overlap[0] - overlap[1]).abs() < 1e-4, "{overlap:?}");
        for (ours, theirs) in ours.rays.levels.iter().zip(&theirs.rays.levels) {
            agree(ours.epo, theirs.epo);
            agree(ours.lcv, theirs.lcv);
            agree(ours.line_tests, theirs.line_tests);
        }
        agree(Some(ours.outside.unwrap().total), Some(theirs.outside.unwrap().total));
    }
}

#[test]
fn what_is_not_known_has_no_figure() {
    let mesh = ellipsoid([3.0, 2.0, 1.0], 20, 12);
    let (tree, facts) = (build(&mesh, VolumeKind::Obb), MeshFacts::new(&mesh));
    let sphere = |points: &[Point3<f64>]| {
        let center = Aabb::from_points(points).center();
        let radius = points.iter().map(|p| (p - center).norm()).fold(0.0, f64::max);
        OwnSphere { sphere: Sphere { center, radius }, tetrahedra: None }
    };
    let ours = VolumeMetrics::with_options(&tree, &facts, &seeded(3), sphere);
    assert!(ours.tightness.levels.iter().all(|level| level.sibling_overlap.is_none()));
    assert!(ours.hausdorff.is_none() && ours.total().hausdorff.max.is_none());
    let volumes = tree.nodes().len();
    assert_eq!((ours.tightness.total.volumes, tree.node_count()), (volumes, volumes));
    // A sphere of radius 3 around a solid of volume 4/3 pi 6, which its mesh falls short of.
    let root = ours.tightness.levels[0];
    assert!((27.0 / 6.0..1.2 * 27.0 / 6.0).contains(&root.mesh_volume_ratio.unwrap()), "{root:?}");
    let outside = ours.outside.as_ref().unwrap().levels[0];
    assert!((outside.value - (root.mesh_volume_ratio.unwrap() - 1.0)).abs() < 5.0 * outside.standard_error.max(1e-9));
    assert!(ours.rays.levels[0].epo.unwrap().value == 0.0 && ours.rays.total.epo.unwrap().value > 0.0);
    assert_ne!(ours, VolumeMetrics::with_options(&tree, &facts, &seeded(4), sphere));
}
