//! Metrics of bounding volumes of the caller's own kinds.

use nalgebra::{Point3, Vector3};

use super::hierarchy::Hierarchy;
use super::measured::{Measured, Own};
use super::{
    ConvexPolytope, HausdorffError, LevelMetrics, MeshFacts, MetricsOptions, OutsideVolume, RayQuality, Tightness,
    level_metrics,
};
use crate::shape::convex_hull::distinct;
use crate::shape::{Aabb, ConvexShape, Overlaps};
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// A kind of bounding volume of your own. [`VolumeMetrics`] measures it at the nodes of a tree, by the formulas that
/// measure the library's kinds.
///
/// Volumes are convex and in mesh coordinates. Random points and lines are slow to draw for volumes that fill less than
/// a thousandth of their axis-aligned boxes.
pub trait MeasuredVolume: Sync {
    /// The volume, in cubed mesh units.
    fn volume(&self) -> f64;

    /// The area of the surface, in squared mesh units.
    fn surface_area(&self) -> f64;

    /// The axis-aligned box around the volume.
    fn aabb(&self) -> Aabb;

    /// Whether a point lies in the volume or on its surface.
    fn contains(&self, point: &Point3<f64>) -> bool;

    /// Whether the volume meets the line through `point` along the unit vector `direction`, infinite in both
    /// directions.
    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool;

    /// The volume of the intersection with another volume; `None` if it is not known, and then there is no
    /// [`LevelTightness::sibling_overlap`](super::LevelTightness::sibling_overlap).
    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        let _ = other;
        None
    }

    /// Tetrahedra that fill the volume; `None` if this kind of volume has none, and then there are no Hausdorff errors.
    /// A kind of volume returns them for all of its volumes or for none.
    ///
    /// The tetrahedra from one corner of a polytope to the triangles of its faces fill it exactly; they are degenerate
    /// for a polytope without a volume. A round volume is approximated, and [`Tetrahedra::deviation`] widens the
    /// intervals of the Hausdorff distances.
    fn tetrahedra(&self) -> Option<Tetrahedra> {
        None
    }

    /// The volume as a convex shape, by which two volumes are tested for overlap; `None` if there is none, and then
    /// [`volume_query_cost`](super::volume_query_cost) returns `None`. A kind of volume returns it for all of its
    /// volumes or for none.
    ///
    /// Unless implemented, it is the convex hull of [`tetrahedra`](Self::tetrahedra), rounded by their deviation.
    fn shape(&self) -> Option<ConvexShape> {
        let Tetrahedra { corners, deviation } = self.tetrahedra()?;
        ConvexShape::hull(corners.as_flattened()).and_then(|hull| hull.rounded(deviation)).ok()
    }
}

/// Convex shapes can be measured as volumes of your own: a capsule, for instance, is the hull of two points, rounded.
/// Curved or rounded shapes have no Hausdorff errors and no intersection volumes.
impl MeasuredVolume for ConvexShape {
    fn volume(&self) -> f64 {
        self.volume()
    }

    fn surface_area(&self) -> f64 {
        self.surface_area()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        self.contains(point)
    }

    /// Tests the part of the line that is near the shape.
    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        let aabb = self.aabb();
        let middle = point + direction * (aabb.center() - point).dot(direction);
        let reach = direction * aabb.size().norm();
        self.overlaps(&Triangle::new(middle - reach, middle + reach, middle + reach))
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        let [own, other] = [self, other].map(ConvexShape::corners);
        ConvexPolytope::hull(own?).intersection_volume(&ConvexPolytope::hull(other?))
    }

    fn tetrahedra(&self) -> Option<Tetrahedra> {
        ConvexPolytope::hull(self.corners()?).tetrahedra()
    }

    fn shape(&self) -> Option<ConvexShape> {
        Some(self.clone())
    }
}

/// A volume as a union of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tetrahedra {
    /// The corners of each tetrahedron, in mesh coordinates; empty for an empty volume.
    pub corners: Vec<[Point3<f64>; 4]>,
    /// An upper bound on the Hausdorff distance between the tetrahedra and the volume, in mesh units; 0 if the
    /// tetrahedra fill the volume exactly.
    pub deviation: f64,
}

impl Tetrahedra {
    /// The greatest distance between two corners of the tetrahedra; zero without tetrahedra.
    pub(super) fn diameter(&self) -> f64 {
        let points = distinct(self.corners.iter().flatten().copied().collect());
        let squares =
            points.iter().enumerate().flat_map(|(i, p)| points[..i].iter().map(move |q| (p - q).norm_squared()));
        squares.fold(0.0, f64::max).sqrt()
    }
}

/// Metrics of a tree whose volumes are replaced by volumes of your own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VolumeMetrics {
    /// How tightly the volumes fit the mesh: sums of their sizes (volume and area), and the surface area heuristic.
    pub tightness: Tightness,
    /// How much of the volumes lies outside the mesh; `None` without a [`MeshFacts::mesh_volume`], or if
    /// [`MetricsOptions::samples`] is 0.
    pub outside: Option<OutsideVolume>,
    /// Hausdorff distances from the volumes to the triangles; `None` for volumes without
    /// [`MeasuredVolume::tetrahedra`].
    pub hausdorff: Option<HausdorffError>,
    /// Metrics that predict the cost of rays.
    pub rays: RayQuality,
}

impl VolumeMetrics {
    /// Measures the volumes that `fit` returns for the nodes of a tree, with the default options. `fit` gets the
    /// corners of the triangles below a node, three for each triangle, so that vertices are repeated; the volume that
    /// it returns should enclose them.
    ///
    /// The nodes stay those of the tree, so the figures can be compared with the [`TreeMetrics`](super::TreeMetrics) of
    /// the same tree, and with those of other volumes of your own at its nodes. For an empty mesh, `fit` is not called.
    pub fn new<V: MeasuredVolume>(tree: &BvTree, facts: &MeshFacts, fit: impl FnMut(&[Point3<f64>]) -> V) -> Self {
        Self::with_options(tree, facts, &MetricsOptions::default(), fit)
    }

    /// Measures the volumes that `fit` returns, as [`VolumeMetrics::new`] does, with options.
    pub fn with_options<V: MeasuredVolume>(
        tree: &BvTree,
        facts: &MeshFacts,
        options: &MetricsOptions,
        mut fit: impl FnMut(&[Point3<f64>]) -> V,
    ) -> Self {
        Self::fitted(tree, facts, options, |points| Own::new(fit(points)))
    }

    pub(super) fn fitted<V: Measured>(
        tree: &BvTree,
        facts: &MeshFacts,
        options: &MetricsOptions,
        fit: impl FnMut(&[Point3<f64>]) -> V,
    ) -> Self {
        let hierarchy = Hierarchy::fitted(tree, fit);
        let has_distances = hierarchy.nodes.iter().all(|node| node.volume.points().is_some());
        let hausdorff = || HausdorffError::with_hierarchy(tree, facts, &hierarchy, &options.hausdorff);
        Self {
            tightness: Tightness::with_nodes(tree, facts, &hierarchy.nodes),
            outside: OutsideVolume::with_hierarchy(tree, facts, &hierarchy, options),
            hausdorff: has_distances.then(hausdorff),
            rays: RayQuality::with_hierarchy(tree, &hierarchy, options),
        }
    }

    /// Metrics of the tree cut at each level, as in [`TreeMetrics::levels`](super::TreeMetrics::levels).
    pub fn levels(&self) -> impl ExactSizeIterator<Item = LevelMetrics> + '_ {
        level_metrics(&self.tightness, self.outside.as_ref(), self.hausdorff.as_ref(), &self.rays)
    }

    /// Metrics of all volumes; ray metrics and the surface area heuristic are those of the whole tree.
    pub fn total(&self) -> LevelMetrics {
        LevelMetrics {
            tightness: self.tightness.total,
            outside: self.outside.as_ref().map(|outside| outside.total),
            hausdorff: self.hausdorff.as_ref().map_or_else(Default::default, |hausdorff| hausdorff.total),
            rays: self.rays.total,
        }
    }
}
