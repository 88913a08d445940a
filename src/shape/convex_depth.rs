//! How deep convex shapes overlap: the expanding polytope algorithm on exact hulls.
//!
//! The Minkowski difference of the two contains the origin if they overlap, and its face nearest to the origin is the
//! shortest way out (Cameron and Culley 1986). A polytope inside this set grows by the point that is farthest along the
//! normal of its nearest facet, until that facet is a face of the set (van den Bergen, "Proximity queries and
//! penetration depth computation on 3D game objects", 2001). Its facets come from exact predicates on the differences,
//! once these are rounded, so that it stays convex. A facet's normal is rounded, but is only a direction to try: the
//! depth along any direction is a way out.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::ConvexShape;
use super::convex_distance::{Along, CoreGap, Opposite, RelativeTriangle, SeparatingPlane};
use super::convex_hull::{Hull, simplex};
use super::convex_pair::OtherCore;
use super::convex_planes::KnownPlanes;
use super::triangle_depth::WayOut;
use crate::numeric::any_perpendicular;
use crate::numeric::error_bounds::{CONVEX_GAP_ERROR, RESOLVED_CAPSULE_GAP, RESOLVED_UNPROVEN_GAP};
use crate::simd::SimdLevel;
use crate::triangle::Triangle;

/// The contact of two convex shapes A and B: where they are nearest, or where they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeContact {
    /// The signed distance. If the two overlap, it is the negative of the penetration depth: the length of the shortest
    /// translation after which they only touch.
    pub distance: f64,
    /// The contact point on A's surface.
    pub on_a: Point3<f64>,
    /// The contact point on B's surface, at `distance` from `on_a` along the normal.
    pub on_b: Point3<f64>,
    /// The unit direction from A to B. A translation of B along it by the penetration depth separates the two.
    pub normal: Vector3<f64>,
}

impl ConvexShape {
    /// The contact of this shape, A, with another, B, in the same frame; `None` if their distance exceeds
    /// `max_distance`, or `max_distance` is negative or NaN.
    ///
    /// The penetration depth is that of solids, to about 1e-13 of the largest coordinate, or to 1e-8 of it where the
    /// cores of two rounded shapes almost touch. If one is a cylinder or a cone, the translation along the normal by
    /// the depth separates the two, but the depth may exceed the least one by up to a millionth of that coordinate. For
    /// two shapes with only flat faces, the distance is positive if and only if they are apart.
    ///
    /// ```
    /// use bvtree::Pose;
    /// use bvtree::shape::ConvexShape;
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let table = ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.5))?;
    /// let cup = ConvexShape::cylinder(0.1, 0.05)?.transformed(&Pose::from_translation(Vector3::new(0.5, 0.0, 0.59))?);
    /// let contact = table.contact(&cup, 0.0).unwrap();
    /// assert!((contact.distance + 0.01).abs() < 1e-12, "a centimetre deep");
    /// assert!((contact.normal - Vector3::z()).norm() < 1e-12);
    /// assert!(table.contact(&cup.transformed(&Pose::from_translation(Vector3::z())?), 0.5).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "penetration depth")]
    #[doc(alias = "EPA")]
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    #[doc(alias = "collide")]
    pub fn contact(&self, other: &ConvexShape, max_distance: f64) -> Option<ShapeContact> {
        if max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let gap = self.gap_to(other, max_distance + self.radius_with(other), -1.0);
        let opposite = OtherCore::new(self, other, &Vector3::zeros());
        self.contact_over(SimdLevel::detect(), &opposite, gap, other.radius)
            .filter(|contact| contact.distance <= max_distance)
    }

    /// [`ConvexShape::contact`] of the shape, A, and a triangle, B. If the way out is equally long on both sides, the
    /// shape counts as being on the triangle's front.
    pub(crate) fn contact_with(&self, triangle: &Triangle, max_distance: f64) -> Option<ShapeContact> {
        KnownPlanes::new(self, SimdLevel::detect()).contact(triangle, max_distance)
    }

    /// The contact with a triangle, given the gap that a search found.
    pub(super) fn contact_of(
        &self,
        level: SimdLevel,
        opposite: &RelativeTriangle<'_>,
        gap: CoreGap,
        max_distance: f64,
    ) -> Option<ShapeContact> {
        if gap.lower > max_distance + self.radius {
            return None;
        }
        let gap = self.decided_gap(opposite.triangle, gap, max_distance);
        self.contact_over(level, opposite, gap, 0.0).filter(|contact| contact.distance <= max_distance)
    }

    /// Whether a contact with the triangle is proven to have a signed distance greater than `distance`: along the
    /// triangle's normal, or along a direction from the shape's center to the triangle.
    pub(crate) fn is_less_deep(&self, triangle: &Triangle, distance: f64) -> bool {
        let opposite = RelativeTriangle::new(self, triangle);
        let normal = opposite.preferred_axis();
        [normal, -normal, opposite.first_direction()].iter().filter_map(|axis| axis.try_normalize(0.0)).any(|axis| {
            let plane = self.plane_along(&opposite, &axis);
            plane.gap > distance
        })
    }

    /// The plane along whose axis the shape and a touching triangle are separated by the shortest translation, or the
    /// known plane if its gap is greater.
    #[cold]
    pub(crate) fn touching_plane(&self, triangle: &Triangle, known: SeparatingPlane) -> SeparatingPlane {
        let opposite = RelativeTriangle::new(self, triangle);
        let mut expansion = Expansion::new(SimdLevel::detect(), self, &opposite);
        expansion.expand();
        let best = expansion.best.map(|best| self.plane_along(&opposite, &best.axis));
        best.filter(|best| best.gap > known.gap).unwrap_or(known)
    }

    /// The contact with another object, given the gap between the cores; `radius` is the other's rounding radius.
    fn contact_over(&self, level: SimdLevel, other: &impl Opposite, gap: CoreGap, radius: f64) -> Option<ShapeContact> {
        let extent = other.extent().max(self.extent);
        let mut points = [gap.on_core, gap.on_triangle];
        let resolved = if gap.is_proven { RESOLVED_CAPSULE_GAP } else { RESOLVED_UNPROVEN_GAP };
        let (distance, axis) = if gap.overlaps || gap.upper <= resolved * extent {
            let mut expansion = Expansion::new(level, self, other);
            let deepest = expansion.expand();
            let WayOut { axis, gap: distance } = expansion.best?;
            // Where the cores only touch, the search has found the points; the polytope may be flat there up to
            // rounding.
            if gap.overlaps || distance < -resolved * extent {
                points = deepest.unwrap_or(points);
            }
            let is_apart = gap.is_proven && gap.lower > 0.0 && !gap.overlaps;
            // A known distance is more exact than the gap along the axis.
            let distance = if is_apart {
                gap.upper.max(f64::MIN_POSITIVE)
            } else {
                distance.min(if gap.overlaps { 0.0 } else { self.radius + radius })
            };
            (distance, axis)
        } else {
            let is_deep = gap.upper <= self.radius + radius;
            // Points that are near each other are off by more than the direction that proves their distance.
            let proven = gap.axis.try_normalize(0.0).filter(|_| gap.is_proven && is_deep);
            let between = || (gap.on_triangle - gap.on_core).try_normalize(0.0);
            let axis = proven.or_else(between).unwrap_or_default();
            // A direction that is off by the root of a rounding proves the same distance, but of points beside these.
            let are_along = (points[1] - points[0] - axis * gap.upper).norm() <= SAME_DEPTH * extent;
            if gap.is_proven && are_along && !self.has_discs() && !other.has_discs() {
                return Some(self.contact_between(&WayOut { axis, gap: gap.upper }, radius, points));
            }
            // The depth is that along the normal, although points of a disc are not exactly the nearest.
            (if is_deep { self.along(other, extent, &axis).gap } else { gap.upper }, axis)
        };
        Some(self.contact_along(other, &WayOut { axis, gap: distance }, radius, points))
    }

    /// The contact along an axis with a known gap. The points are those of the cores that touch after a translation by
    /// the gap.
    pub(super) fn contact_along(
        &self,
        other: &impl Opposite,
        way @ &WayOut { axis, gap: distance }: &WayOut,
        radius: f64,
        [mut on_core, mut on_other]: [Point3<f64>; 2],
    ) -> ShapeContact {
        if distance <= self.radius + radius {
            // Moves the points to the supporting planes, below which a polytope inscribed in discs ends a little, and
            // then one above the other, where rounding may have kept them from being.
            on_core += axis * (self.core_support(&axis).1 - (on_core - self.center()).dot(&axis));
            on_other += axis * (other.lowest(&axis).1 - (on_other - self.center()).dot(&axis));
            let beside = on_other - on_core - axis * distance;
            // Moved sideways, a point hardly leaves a disc, but it leaves a corner immediately.
            let part = match [self.has_discs(), other.has_discs()] {
                [true, false] => 1.0,
                [false, true] => 0.0,
                _ => 0.5,
            };
            (on_core, on_other) = (on_core + beside * part, on_other - beside * (1.0 - part));
        }
        self.contact_between(way, radius, [on_core, on_other])
    }

    /// The contact between points of the cores.
    #[inline]
    fn contact_between(
        &self,
        &WayOut { axis, gap }: &WayOut,
        radius: f64,
        [on_core, on_other]: [Point3<f64>; 2],
    ) -> ShapeContact {
        ShapeContact {
            distance: gap - self.radius - radius,
            on_a: on_core + axis * self.radius,
            on_b: on_other - axis * radius,
            normal: axis,
        }
    }
}

/// The maximum number of points by which a polytope grows; for round shapes there is always another one.
const MAX_GROWTH: usize = 160;
/// The maximum number of further points, added where the best way out leaves the polytope: around a disc, other facets
/// are equally near.
const MAX_GROWTH_AT_BEST: usize = 40;
/// A search ends when the bounds on the depth differ by less than this, relative to the coordinates.
const SAME_DEPTH: f64 = 16.0 * CONVEX_GAP_ERROR;

/// The scratch memory of a growing polytope.
#[derive(Default)]
struct Grown {
    /// The hull of differences.
    hull: Hull,
    /// The pairs of points whose differences are the points of the hull.
    pairs: Vec<[Point3<f64>; 2]>,
    /// The hull's facets by height; some may have been removed from the hull since.
    open: BinaryHeap<OpenFacet>,
}

/// A facet of the hull in a max-heap: a lower facet is greater, and of equally low ones the older.
struct OpenFacet {
    height: f64,
    index: usize,
}

impl Ord for OpenFacet {
    fn cmp(&self, other: &Self) -> Ordering {
        other.height.total_cmp(&self.height).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for OpenFacet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OpenFacet {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OpenFacet {}

thread_local! {
    /// The scratch memory for the next search of this thread, because a shape has no place to keep it.
    static GROWN: Cell<Grown> = Cell::default();
}

/// A polytope that grows inside the Minkowski difference.
struct Expansion<'a, O> {
    level: SimdLevel,
    shape: &'a ConvexShape,
    other: &'a O,
    extent: f64,
    grown: Grown,
    best: Option<WayOut>,
}

impl<O> Drop for Expansion<'_, O> {
    fn drop(&mut self) {
        // A thread that is ending may have destroyed the thread-local value.
        let _ = GROWN.try_with(|kept| kept.set(std::mem::take(&mut self.grown)));
    }
}

impl<'a, O: Opposite> Expansion<'a, O> {
    fn new(level: SimdLevel, shape: &'a ConvexShape, other: &'a O) -> Self {
        let extent = other.extent().max(shape.extent);
        let mut grown = GROWN.try_with(Cell::take).unwrap_or_default();
        grown.hull.points.clear();
        grown.pairs.clear();
        Self { level, shape, other, extent, grown, best: None }
    }

    /// Tries an axis, and returns the two points that are deepest along it.
    fn offer(&mut self, axis: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
        let axis = axis.try_normalize(0.0)?;
        let Along { on_core, on_triangle, gap, .. } = self.shape.along(self.other, self.extent, &axis);
        // Of equally short ways out, the first is kept.
        if self.best.is_none_or(|best| gap > best.gap + CONVEX_GAP_ERROR * self.extent) {
            self.best = Some(WayOut { axis, gap });
        }
        Some([on_core, on_triangle])
    }

    fn start_with(&mut self, axes: &[Vector3<f64>]) {
        for axis in axes.iter().flat_map(|axis| [*axis, -axis]) {
            let Some(pair) = self.offer(&axis) else { continue };
            let difference = Point3::from(pair[1] - pair[0]);
            if !self.grown.hull.points.contains(&difference) {
                self.grown.pairs.push(pair);
                self.grown.hull.points.push(difference);
            }
        }
    }

    /// Axes perpendicular to the plane or line of the differences so far; none if all differences are equal.
    fn axes_across(&self) -> SmallVec<[Vector3<f64>; 2]> {
        let differences = &self.grown.hull.points;
        let offsets = differences.iter().map(|difference| difference - differences[0]);
        let longest = |measure: &dyn Fn(&Vector3<f64>) -> f64| {
            offsets.clone().max_by(|p, q| measure(p).total_cmp(&measure(q))).unwrap_or_default()
        };
        let along = longest(&|offset| offset.norm_squared());
        let normal = along.cross(&longest(&|offset| along.cross(offset).norm_squared()));
        if along == Vector3::zeros() {
            SmallVec::new()
        } else if normal == Vector3::zeros() {
            let across = any_perpendicular(&along);
            SmallVec::from_buf([across, along.cross(&across)])
        } else {
            SmallVec::from_slice(&[normal])
        }
    }

    /// Finds the best way out of a triangle, and the points that touch after the translation along it. `None` if the
    /// other object isn't a triangle, the shape is a flat hull, or a candidate axis is too inexact.
    fn leave_triangle(&mut self) -> Option<[Point3<f64>; 2]> {
        let triangle = self.other.triangle()?;
        let way = self.shape.way_out_of(self.level, triangle, self.extent)?;
        self.best = Some(way);
        Some(self.shape.points_after(self.level, triangle, self.extent, &way))
    }

    /// Finds the best way out, and the points that touch after the translation along it; `None` if the differences are
    /// in one plane.
    fn expand(&mut self) -> Option<[Point3<f64>; 2]> {
        let closed = self.leave_triangle();
        if closed.is_some() {
            return closed;
        }
        self.start_with(&[self.other.preferred_axis()]);
        self.start_with(&[0, 1, 2].map(|k| Vector3::ith(k, 1.0)));
        for _ in 0..2 {
            if simplex(&self.grown.hull.points).is_none() {
                self.start_with(&self.axes_across());
            }
        }
        let mut grown = std::mem::take(&mut self.grown);
        let points = self.grow(&mut grown);
        self.grown = grown;
        points
    }

    fn grow(&mut self, Grown { hull, pairs, open }: &mut Grown) -> Option<[Point3<f64>; 2]> {
        hull.wrap(simplex(&hull.points)?);
        open.clear();
        let mut known = 0;
        for step in 0..MAX_GROWTH + MAX_GROWTH_AT_BEST {
            let nearest = if step < MAX_GROWTH {
                let new = (known..hull.facets.len()).filter(|&index| hull.facets[index].alive);
                open.extend(new.map(|index| OpenFacet { height: height(hull, index), index }));
                known = hull.facets.len();
                let living = std::iter::from_fn(|| open.pop()).find(|facet| hull.facets[facet.index].alive);
                let Some(OpenFacet { index, .. }) = living else { break };
                index
            } else {
                self.crossed(hull)?.0
            };
            if height(hull, nearest) >= -self.best?.gap - SAME_DEPTH * self.extent {
                break;
            }
            let pair = self.offer(&-normal(&hull.points, hull.facets[nearest].corners))?;
            if hull.add(nearest, Point3::from(pair[1] - pair[0])) {
                pairs.push(pair);
            } else if step >= MAX_GROWTH {
                // The facet is a face of the set, like those that were tried before and are no longer open. Its height
                // along its normal was offered, and is the same up to rounding.
                break;
            }
        }
        self.points_on(hull, pairs)
    }

    /// The facet by which the best way out leaves the hull, and the barycentric weights of the point where it does so.
    fn crossed(&self, hull: &Hull) -> Option<(usize, [f64; 3])> {
        let out = -self.best?.axis;
        let weights = |corners: [usize; 3]| {
            let [a, b, c] = corners.map(|corner| hull.points[corner].coords);
            let weights = [b.cross(&c), c.cross(&a), a.cross(&b)].map(|area| area.dot(&out));
            weights.map(|weight| weight / weights.iter().sum::<f64>())
        };
        let corners = |i: usize| hull.facets[i].corners;
        let is_facing = |&i: &usize| hull.facets[i].alive && normal(&hull.points, corners(i)).dot(&out) > 0.0;
        let least = |i: usize| weights(corners(i)).into_iter().fold(f64::INFINITY, f64::min);
        let crossed = (0..hull.facets.len()).filter(is_facing).max_by(|&i, &j| least(i).total_cmp(&least(j)))?;
        Some((crossed, weights(corners(crossed))))
    }

    /// The points of the shape and the other object whose difference is where the best way out leaves the hull.
    fn points_on(&self, hull: &Hull, pairs: &[[Point3<f64>; 2]]) -> Option<[Point3<f64>; 2]> {
        let (facet, weights) = self.crossed(hull)?;
        let crossed = hull.facets[facet].corners;
        Some([0, 1].map(|side| {
            let first = pairs[crossed[0]][side];
            let offset = |k: usize| (pairs[crossed[k]][side] - first) * weights[k];
            first + offset(1) + offset(2)
        }))
        .filter(|points| points.iter().flat_map(|point| point.iter()).all(|x| x.is_finite()))
    }
}

fn normal(points: &[Point3<f64>], [a, b, c]: [usize; 3]) -> Vector3<f64> {
    (points[b] - points[a]).cross(&(points[c] - points[a]))
}

/// The height of a facet's plane above the origin; infinite for a facet without a normal.
fn height(hull: &Hull, facet: usize) -> f64 {
    let corners = hull.facets[facet].corners;
    let normal = normal(&hull.points, corners).try_normalize(0.0);
    normal.map_or(f64::INFINITY, |normal| normal.dot(&hull.points[corners[0]].coords))
}
