//! Two convex shapes: GJK between their cores, as against a triangle, and exact verdicts for two polytopes.

use nalgebra::{Point3, Vector3};

use super::convex::Core;
use super::convex_distance::{CoreGap, Opposite, RelativeTriangle};
use super::convex_polytope::Polytope;
use super::sphere::closest_on_sphere;
use super::{ConvexShape, Distance, Overlaps, Proximity};

/// The core of the second shape, moved by a displacement, relative to the center of the first.
pub(super) struct OtherCore<'a> {
    shape: &'a ConvexShape,
    displacement: Vector3<f64>,
    offset: Vector3<f64>,
}

impl<'a> OtherCore<'a> {
    pub(super) fn new(first: &ConvexShape, shape: &'a ConvexShape, displacement: &Vector3<f64>) -> Self {
        Self { shape, displacement: *displacement, offset: shape.center() + displacement - first.center() }
    }
}

impl Opposite for OtherCore<'_> {
    fn any_point(&self) -> Point3<f64> {
        self.shape.center() + self.displacement
    }

    /// Twice the bound, because the height of a point is the sum of two rounded products here.
    fn extent(&self) -> f64 {
        2.0 * (self.offset.amax() + self.shape.extent)
    }

    fn first_direction(&self) -> Vector3<f64> {
        self.offset
    }

    #[inline]
    fn lowest(&self, direction: &Vector3<f64>) -> (Point3<f64>, f64) {
        let (point, height) = self.shape.core_support(&-direction);
        (point + self.displacement, self.offset.dot(direction) - height)
    }

    fn preferred_axis(&self) -> Vector3<f64> {
        Vector3::zeros()
    }

    fn triangle(&self) -> Option<&RelativeTriangle<'_>> {
        None
    }

    fn has_discs(&self) -> bool {
        self.shape.has_discs()
    }
}

impl ConvexShape {
    /// The gap between the cores of two shapes; exact tests decide where the search leaves open whether two polytopes
    /// meet. `limit` is the greatest distance of the cores that matters.
    pub(super) fn gap_to(&self, other: &ConvexShape, limit: f64, enough: f64) -> CoreGap {
        let opposite = OtherCore::new(self, other, &Vector3::zeros());
        let gap = self.search_to(&opposite, limit, enough);
        let is_open = !(gap.overlaps || gap.lower > limit || gap.is_proven && gap.lower > 0.0);
        match (&self.core, &other.core) {
            (Core::Polytope(first), Core::Polytope(second)) if is_open && gap.upper > enough => {
                first.gap_to(second, self.extent.max(opposite.extent()))
            }
            _ => gap,
        }
    }

    pub(super) fn radius_with(&self, other: &ConvexShape) -> f64 {
        self.radius + other.radius
    }

    /// Whether two shapes are within the distance `limit`, and where: at their closest points, or at a common point if
    /// they overlap. In the result, `on_triangle` is a point of the other shape.
    pub(crate) fn proximity_to(&self, other: &ConvexShape, limit: f64) -> Proximity {
        let radius = self.radius_with(other);
        let gap = self.gap_to(other, limit + radius, -1.0);
        if gap.overlaps || gap.lower <= radius {
            // A point between the cores' points, within each core's radius of its own point.
            let part = if gap.overlaps || radius == 0.0 { 1.0 } else { self.radius / radius };
            return Proximity::Overlap(gap.on_core + (gap.on_triangle - gap.on_core) * part);
        }
        if gap.lower > limit + radius {
            return Proximity::Beyond;
        }
        Proximity::Apart {
            distance: (gap.upper - radius).max(f64::MIN_POSITIVE),
            on_shape: closest_on_sphere(&gap.on_core, self.radius, &gap.on_triangle),
            on_triangle: closest_on_sphere(&gap.on_triangle, other.radius, &gap.on_core),
        }
    }
}

impl Polytope {
    /// The gap to another polytope, by testing every triangle of one surface against every triangle of the other: slow,
    /// but whether the two meet is decided exactly.
    #[cold]
    fn gap_to(&self, other: &Polytope, extent: f64) -> CoreGap {
        let mut best = CoreGap::unknown(self.vertices()[0]);
        best.overlaps = other.is_inside(&self.vertices()[0]);
        if best.overlaps {
            return best;
        }
        for facet in other.triangles() {
            let gap = self.gap(facet, extent);
            if gap.overlaps || gap.upper < best.upper {
                best = gap;
            }
            if best.overlaps {
                break;
            }
        }
        best
    }
}

impl Overlaps for ConvexShape {
    /// Whether the two share a point: exact, for the given coordinates, for two shapes with only flat faces. For
    /// others, `false` is proven, and `true` may be wrong for a gap within the error that [`ConvexShape`] states.
    fn overlaps(&self, other: &ConvexShape) -> bool {
        let radius = self.radius_with(other);
        let gap = self.gap_to(other, radius, if radius > 0.0 { radius } else { -1.0 });
        gap.overlaps || gap.lower <= radius
    }
}

impl Distance for ConvexShape {
    fn closest_points(&self, other: &ConvexShape) -> (Point3<f64>, Point3<f64>) {
        match self.proximity_to(other, f64::INFINITY) {
            Proximity::Apart { on_shape, on_triangle, .. } => (on_shape, on_triangle),
            Proximity::Overlap(common) => (common, common),
            Proximity::Beyond => (self.center(), other.center()),
        }
    }

    /// The squared distance; zero if and only if the two overlap.
    fn distance_sq(&self, other: &ConvexShape) -> f64 {
        match self.proximity_to(other, f64::INFINITY) {
            Proximity::Apart { distance, .. } => (distance * distance).max(f64::MIN_POSITIVE),
            _ => 0.0,
        }
    }
}
