//! Solids: what lies inside one collides with it, although no surfaces meet.

use super::Query;
use super::distance::{ClosestPair, DistanceOptions};
use crate::enum_names::parsed_names;
use crate::numeric::error_bounds::{POSE_STRETCH, body_rounding, displacement_bound};
use crate::pose::Pose;
use crate::tree::BvTree;

/// Whether a mesh is a surface or a solid; see [`Query::set_solids`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Solid {
    /// The mesh is a surface: what it encloses does not touch it. The default.
    #[default]
    No,
    /// The mesh is solid if it is closed ([`Watertightness`](crate::probe::Watertightness)), and a surface otherwise.
    IfClosed,
    /// The mesh is solid, closed or not. [`Probe::contains_robust`](crate::Probe::contains_robust) decides what is
    /// inside an open mesh, and [`Query::certainty`] returns how certain that is. [`Query::relation`] then treats
    /// open meshes as solids too, and [`Query::overlap_depth`] and [`Query::overlap_regions`] accept them.
    Robust,
}

parsed_names!(Solid, "choice of solids", No = "no", IfClosed = "if-closed" | "if_closed", Robust = "robust");

impl Solid {
    /// Whether this choice makes a mesh solid.
    pub(super) fn applies_to(self, tree: &BvTree) -> bool {
        match self {
            Self::No => false,
            Self::IfClosed => tree.watertightness().is_closed(),
            Self::Robust => true,
        }
    }
}

impl Query {
    /// Chooses whether A and B of later queries are surfaces (the default) or solids.
    ///
    /// A mesh with a component inside a solid collides with it: [`intersects`](Query::intersects) is true,
    /// [`within`](Query::within) is `Yes`, the [`distance`](Query::distance) (also a
    /// [`DistanceTracker`](super::DistanceTracker)'s) is 0, and the [`time_of_impact`](Query::time_of_impact) is 0.
    /// Both closest points are then the inner surface's point nearest to the outer surface. A component is a set of
    /// triangles connected by vertices; inside is what [`Probe::contains`](crate::Probe::contains) says. A component
    /// that touches nothing is inside an open mesh ([`Solid::Robust`]) if it is wholly within the bounding box, and its
    /// vertex with the least x is inside.
    ///
    /// Queries that list triangles or contacts are about the surfaces. [`relation`](Query::relation) and the depths
    /// always treat closed meshes as solids. Where surfaces meet, solids cost nothing. Otherwise, if the bounding boxes
    /// overlap, they cost a ray per component, and O(n log n) the first time for a tree.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, query::Solid};
    /// # use nalgebra::Point3;
    /// # let tree = |size: f32| {
    /// #     let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// #     let corners = corners.map(|p| Point3::from(p.map(|x: f32| (x - 0.25) * size))).to_vec();
    /// #     let mesh = Mesh::from_arrays(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    /// #     BvTree::build(&mesh, &BuildOptions::default()).unwrap()
    /// # };
    /// let (large, small) = (tree(2.0), tree(1.0));
    /// let mut query = Query::new();
    /// assert!(!query.intersects(&large, &small, &Pose::identity()));
    /// query.set_solids(Solid::IfClosed, Solid::IfClosed);
    /// assert!(query.intersects(&large, &small, &Pose::identity()));
    /// ```
    #[doc(alias = "containment")]
    #[doc(alias = "inside")]
    pub fn set_solids(&mut self, a: Solid, b: Solid) {
        self.solids = [a, b];
        self.uncertainty = 0.0;
    }

    /// Whether A and B are surfaces or solids, as set by [`Query::set_solids`].
    pub fn solids(&self) -> [Solid; 2] {
        self.solids
    }

    /// The certainty of the last query's decisions about what is inside an open mesh ([`Solid::Robust`]), from 0 to 1:
    /// the least certainty of the points that it classified. It is 1 if there were none, for example because both
    /// meshes are closed; for many poses it is the least of all that were tested. Queries to which
    /// solids make no difference leave it unchanged.
    pub fn certainty(&self) -> f64 {
        1.0 - self.uncertainty
    }

    /// Whether a mesh is solid and triangles of A or B are masked out. Then a mesh may come to be inside the other one
    /// although no surfaces meet, because what is inside is decided with whole meshes.
    pub(super) fn has_masked_solids(&self, trees: [&BvTree; 2]) -> bool {
        self.solids != [Solid::No; 2]
            && (0..2).any(|side| trees[side].layer_filter(self.masks[side]).is_some())
            && (0..2).any(|side| self.solids[side].applies_to(trees[side]))
    }

    /// Runs a query with whole meshes.
    pub(super) fn unmasked<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let masks = std::mem::take(&mut self.masks);
        let result = ask(self);
        self.masks = masks;
        result
    }

    /// The closest points of the surfaces of a solid and a mesh inside it; of the whole surfaces, if all triangles of
    /// one are masked out.
    pub(super) fn closest_of_nested(&mut self, trees: [&BvTree; 2], b_to_a: &Pose) -> Option<ClosestPair> {
        let options = DistanceOptions::default();
        let masked = self.surface_distance(trees, b_to_a, &options);
        masked.or_else(|| self.unmasked(|query| query.surface_distance(trees, b_to_a, &options)))
    }

    /// The mesh (0 for A, 1 for B) that has a component inside the other, solid mesh. `None` if there is none, or if
    /// the closest points of the surfaces show that the surfaces meet.
    #[inline]
    pub(super) fn inner_if_apart(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        surfaces: Option<&ClosestPair>,
    ) -> Option<usize> {
        let touch = surfaces.is_some_and(|closest| closest.distance == 0.0);
        self.uncertainty = 0.0;
        if touch { None } else { self.inner(trees, b_to_a, self.solids) }
    }

    /// The distance between solids, given the distance between their surfaces (`None` if it exceeds the upper bound)
    /// and the inner mesh, if any.
    #[inline]
    pub(super) fn solid_distance(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
        surfaces: Option<ClosestPair>,
        inner: Option<usize>,
    ) -> Option<ClosestPair> {
        let Some(inner) = inner else { return surfaces };
        let closest = surfaces.or_else(|| self.closest_of_nested(trees, b_to_a))?;
        (options.upper_bound.is_nan() || options.upper_bound >= 0.0).then(|| closest.inside(inner))
    }
}

impl ClosestPair {
    /// The closest points of a solid and a mesh inside it, at distance 0: both are the closest point of the inner mesh
    /// (0 for A, 1 for B).
    pub(crate) fn inside(self, inner: usize) -> Self {
        let point = [self.on_a, self.on_b][inner];
        Self { distance: 0.0, on_a: point, on_b: point, ..self }
    }
}

/// Remembers from pose to pose which of two meshes is inside the other, solid mesh.
///
/// A mesh inside a closed mesh stays inside until the surfaces meet, which they can't if B has moved by less than a
/// lower bound on their distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownInner {
    solids: [Solid; 2],
    b_to_a: Pose,
    /// A lower bound on the distance between the surfaces at `b_to_a`, in A's unit.
    gap: f64,
    inner: Option<usize>,
}

impl KnownInner {
    pub(super) fn new(
        solids: [Solid; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
        surfaces: Option<&ClosestPair>,
        inner: Option<usize>,
    ) -> Self {
        let gap = surfaces.map_or(options.upper_bound.max(0.0), |closest| {
            let error = options.absolute_tolerance.max(0.0);
            (closest.distance - error) / (1.0 + options.relative_tolerance.max(0.0))
        });
        Self { solids, b_to_a: *b_to_a, gap, inner }
    }

    /// The inner mesh at another pose, or `Some(None)` if neither is inside. `None` if that is not known, since the
    /// surfaces may have met on the way.
    pub(super) fn at(&self, solids: [Solid; 2], b_to_a: &Pose, [a, b]: [&BvTree; 2]) -> Option<Option<usize>> {
        // What is inside an open mesh may change through its holes.
        let is_sound = |solid, tree: &BvTree| solid != Solid::Robust || tree.watertightness().is_closed();
        if self.solids != solids || !is_sound(solids[0], a) || !is_sound(solids[1], b) {
            return None;
        }
        let rounding =
            [&self.b_to_a, b_to_a].map(|pose| body_rounding(pose, a.bounds()) + body_rounding(pose, b.bounds()));
        let moved = b_to_a.largest_displacement_from(&self.b_to_a, b.bounds());
        let moved = displacement_bound(moved, 3.0 * (rounding[0] + rounding[1]));
        (moved * POSE_STRETCH < self.gap).then_some(self.inner)
    }
}
