//! Patches: the parts of triangles that may be inside the other solid, moved out of it together.
//!
//! If a patch that is moved by a vector is outside the other solid, each of its points inside leaves the solid on the
//! straight way there, so that none is deeper than the vector is long. Where two solids press into each other
//! shallowly, most patches are outside after one move along the shortest way out of the deepest point.

use std::ops::Range;

use nalgebra::{Matrix3, Point3, Vector3};

use super::candidates::Candidates;
use super::search::Search;
#[cfg(doc)]
use super::surface::Surface;
use crate::mesh::DisjointSets;
use crate::numeric::any_perpendicular;
use crate::probe::Containment;
use crate::shape::{Aabb, Obb};
use crate::triangle::Triangle;
use crate::volume::NodeRef;

/// The segment in which two triangles meet; `None` if rounding hides it.
type CommonSegment = Option<[Point3<f64>; 2]>;

/// What is known of the overlap as a whole: its patches, and how often they may still be moved.
#[derive(Default)]
pub(super) struct Overlap {
    /// The patches of each surface; none if there are many.
    patches: [Patches; 2],
    /// The segments of the contacts of A's surface that have been computed: [`Surface::common_segment`]. Empty if there
    /// are many.
    segments: Vec<Option<CommonSegment>>,
    /// The depth from which on patches are moved again.
    try_from: f64,
    tries_left: usize,
}

/// The patches of a surface: one for each candidate, first those that meet the other surface.
#[derive(Default)]
struct Patches {
    /// The points of all patches, in the other mesh's frame.
    points: Vec<Point3<f64>>,
    patches: Vec<Patch>,
    /// Pairs of patches that have a point in common; `None` until they are looked for.
    touching: Option<Vec<[u32; 2]>>,
}

/// The part of a triangle that may be inside the other solid.
struct Patch {
    /// The range of the points whose convex hull contains it.
    points: Range<usize>,
    /// The triangle's normal in the other mesh's frame; not of length 1.
    normal: Vector3<f64>,
    /// An upper bound, near enough, of the depth of its points, where a move has shown one.
    bound: Option<f64>,
}

/// The maximum number of points of an overlap; to move more takes longer than what it saves.
const MOST_POINTS: usize = 400;

/// The maximum number of triangles of the other mesh around patches that are moved together.
const MOST_TRIANGLES: usize = 256;

/// The number of tries.
const TRIES: usize = 3;

/// The part of the tolerance that a move leaves between its length and the greatest depth found.
const SPARE: f64 = 0.25;

/// The factor by which the depth has to rise before the next try.
const RISE: f64 = 1.1;

impl Patches {
    fn push(&mut self, start: usize, normal: Vector3<f64>) {
        let points = start..self.points.len();
        // A triangle without a point inside has no depth.
        let bound = points.is_empty().then_some(0.0);
        self.patches.push(Patch { points, normal, bound });
    }

    /// Finds the patches that have a point in common, up to `closeness`.
    fn find_touching(&mut self, closeness: f64) {
        let mut points: Vec<(Point3<f64>, u32)> = Vec::with_capacity(self.points.len());
        for (number, patch) in (0..).zip(&self.patches) {
            points.extend(self.points[patch.points.clone()].iter().map(|point| (*point, number)));
        }
        points.sort_unstable_by(|(p, _), (q, _)| p.x.total_cmp(&q.x));
        let mut touching = Vec::new();
        for (i, (point, number)) in points.iter().enumerate() {
            for (other, of_other) in points[i + 1..].iter().take_while(|(other, _)| other.x - point.x <= closeness) {
                if number != of_other && (other - point).norm() <= closeness {
                    touching.push([*number, *of_other]);
                }
            }
        }
        self.touching = Some(touching);
    }

    /// The patches without a bound.
    fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.patches.len()).filter(|&patch| self.patches[patch].bound.is_none())
    }

    /// The sets of those patches that are connected by common points.
    fn connected(&self, counts: impl Fn(usize) -> bool) -> DisjointSets {
        let mut sets = DisjointSets::new(self.patches.len());
        for &[a, b] in self.touching.iter().flatten() {
            if counts(a as usize) && counts(b as usize) {
                sets.join(a, b);
            }
        }
        sets
    }

    /// The open patches in groups that are connected.
    fn groups(&self, open: &[usize]) -> Vec<Vec<usize>> {
        let mut sets = self.connected(|patch| self.patches[patch].bound.is_none());
        let mut by_set: Vec<_> = open.iter().map(|&patch| (sets.find(patch as u32), patch)).collect();
        by_set.sort_unstable();
        by_set.chunk_by(|p, q| p.0 == q.0).map(|group| group.iter().map(|&(_, patch)| patch).collect()).collect()
    }
}

/// Patches after a move along a way out, along axes in which they are compared with the other mesh's triangles.
struct Moved<'a> {
    patches: Vec<(&'a Patch, Range<usize>)>,
    points: Vec<Point3<f64>>,
    bounds: Aabb,
    /// The origin of the axes, where the first of the points is moved to.
    origin: Point3<f64>,
    /// Two axes across the way out, and the way out.
    axes: Matrix3<f64>,
}

impl<'a> Moved<'a> {
    /// Some patches, moved by this length; `None` if there are none, or the way out has no direction.
    fn new(patches: &'a Patches, chosen: &[usize], way_out: &Vector3<f64>, length: f64) -> Option<Self> {
        let axes = axes_along(way_out)?;
        let first = patches.points[patches.patches[*chosen.first()?].points.start];
        let mut points = Vec::with_capacity(4 * chosen.len());
        let moved = |&patch: &usize| {
            let (patch, start) = (&patches.patches[patch], points.len());
            points.extend(patches.points[patch.points.clone()].iter().map(|p| Point3::from(axes.tr_mul(&(p - first)))));
            (patch, start..points.len())
        };
        let patches = chosen.iter().map(moved).collect();
        let bounds = Aabb::from_points(&points);
        Some(Self { patches, points, bounds, origin: first + axes.column(2) * length, axes })
    }

    fn center(&self) -> Point3<f64> {
        self.origin + self.axes * self.bounds.center().coords
    }

    /// A box around them.
    fn region(&self, margin: f64) -> Obb {
        let half_extents = self.bounds.half_extents().add_scalar(margin);
        Obb { center: self.center(), axes: self.axes, half_extents }
    }

    /// For each patch that is more than `margin` from all triangles, where its first point is; `None` for one that may
    /// be nearer.
    fn places_apart_from(&self, triangles: &[Triangle], margin: f64) -> Vec<Option<Point3<f64>>> {
        let flats: Vec<Flat<'_>> = self
            .patches
            .iter()
            .map(|(patch, range)| Flat::new(&self.points[range.clone()], self.axes.tr_mul(&patch.normal)))
            .collect();
        let mut are_free = vec![true; flats.len()];
        for triangle in triangles {
            let along_axes = |vertex: Point3<f64>| Point3::from(self.axes.tr_mul(&(vertex - self.origin)));
            let triangle = Triangle { vertices: triangle.vertices.map(along_axes) };
            let triangle = Flat::new(&triangle.vertices, triangle.scaled_normal());
            for (flat, is_free) in flats.iter().zip(&mut are_free) {
                *is_free = *is_free && flat.is_apart(&triangle, margin);
            }
        }
        let place =
            |(flat, is_free): (&Flat<'_>, bool)| is_free.then(|| self.origin + self.axes * flat.points[0].coords);
        flats.iter().zip(are_free).map(place).collect()
    }
}

/// The convex hull of points in a plane, with the least and the greatest of their coordinates.
struct Flat<'a> {
    points: &'a [Point3<f64>],
    normal: Vector3<f64>,
    bounds: Aabb,
}

impl<'a> Flat<'a> {
    fn new(points: &'a [Point3<f64>], normal: Vector3<f64>) -> Self {
        Self { points, normal, bounds: Aabb::from_points(points) }
    }

    /// Whether an axis was found along which both are more than `margin` from each other.
    fn is_apart(&self, other: &Self, margin: f64) -> bool {
        if self.bounds.grown(margin).intersection(&other.bounds).is_none() {
            return true;
        }
        if [other.normal, self.normal].iter().any(|normal| self.is_apart_along(other, normal, margin)) {
            return true;
        }
        let edges = |points: &'a [Point3<f64>]| points.iter().zip(points.iter().cycle().skip(1)).map(|(p, q)| q - p);
        edges(self.points)
            .any(|own| edges(other.points).any(|of_other| self.is_apart_along(other, &own.cross(&of_other), margin)))
    }

    fn is_apart_along(&self, other: &Self, axis: &Vector3<f64>, margin: f64) -> bool {
        let range = |points: &[Point3<f64>]| {
            points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], point| {
                let at = axis.dot(&point.coords);
                [least.min(at), most.max(at)]
            })
        };
        let ([least, most], [other_least, other_most]) = (range(self.points), range(other.points));
        let gap = (least - other_most).max(other_least - most);
        gap > 0.0 && gap * gap > margin * margin * axis.norm_squared()
    }
}

/// Two axes across a way out, and the way out; `None` if it has no direction.
pub(super) fn axes_along(way_out: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let out = way_out.try_normalize(f64::MIN_POSITIVE)?;
    let across = any_perpendicular(&out);
    Some(Matrix3::from_columns(&[across, out.cross(&across), out]))
}

impl Search<'_> {
    /// Looks for the deepest vertex and moves the patches out, if there are few.
    pub(super) fn prepare_patches(&mut self) {
        self.overlap = Overlap::default();
        let Some(candidates) = self.candidates.take() else { return };
        let count = |side: usize| 2 * self.surfaces[side].contacts.len() + 3 * candidates[side].inner.len();
        if count(0) + count(1) <= MOST_POINTS {
            self.overlap.tries_left = TRIES;
            self.overlap.segments = vec![None; self.surfaces[0].contacts.len()];
            for (side, of_side) in candidates.iter().enumerate() {
                self.overlap.patches[side] = self.collect_patches(side, of_side);
            }
        }
        self.candidates = Some(candidates);
        self.move_patches();
    }

    fn collect_patches(&mut self, side: usize, candidates: &Candidates) -> Patches {
        let mut patches = Patches::default();
        let mut nearest: Option<Triangle> = None;
        for triangle in candidates.crossing.iter().chain(&candidates.inner) {
            let (leaf, start) = (triangle.leaf as usize, patches.points.len());
            let (points, corners) = (self.surfaces[side].points(leaf), self.surfaces[side].vertices(leaf));
            let contacts = self.surfaces[side].contacts_of(leaf);
            let mut near = nearest.unwrap_or_else(|| self.surfaces[side].other_triangle(0));
            if !contacts.is_empty() {
                near = self.surfaces[side].contact(contacts.start);
            }
            let segments: Option<Vec<_>> = contacts.map(|i| self.common_segment(side, i)).collect();
            match segments {
                Some(segments) => patches.points.extend(segments.into_iter().flatten()),
                // Rounding hides where the triangle is inside.
                None => patches.points.extend(corners),
            }
            for k in 0..3 {
                if !triangle.vertices[k].unwrap_or_else(|| self.may_be_inside(side, points[k], &corners[k])) {
                    continue;
                }
                patches.points.push(corners[k]);
                let near = nearest
                    .filter(|last| last.distance_at_most(&corners[k]) < near.distance_at_most(&corners[k]))
                    .unwrap_or(near);
                // Only vertices that may be the deepest are looked at.
                if near.distance_at_most(&corners[k]) > self.lower {
                    nearest = Some(self.nearest_to_vertex(side, points[k], &corners[k], near, triangle));
                }
            }
            patches.push(start, Triangle { vertices: corners }.scaled_normal());
        }
        patches
    }

    /// The segment in which the triangles of a contact meet, in the frame of the other mesh; see
    /// [`Surface::common_segment`].
    pub(super) fn common_segment(&mut self, side: usize, contact: u32) -> CommonSegment {
        let [a, b] = &self.surfaces;
        let number = if side == 0 { contact } else { a.number_of(b.contacts[contact as usize]) };
        let in_a = match self.overlap.segments.get_mut(number as usize) {
            Some(known) => *known.get_or_insert_with(|| a.common_segment(number)),
            None => a.common_segment(number),
        };
        if side == 1 { in_a } else { in_a.map(|ends| ends.map(|end| a.to_other(&end))) }
    }

    /// Whether there are patches of a surface.
    pub(super) fn has_patches(&self, side: usize) -> bool {
        !self.overlap.patches[side].patches.is_empty()
    }

    /// An upper bound, near enough, of the depth of a triangle's points, if a move has shown one.
    pub(super) fn moved_bound(&self, side: usize, leaf: u32) -> Option<f64> {
        let patches = &self.overlap.patches[side].patches;
        let candidates = self.candidates.as_ref().filter(|_| !patches.is_empty())?;
        let Candidates { crossing, inner } = &candidates[side];
        let index = crossing.binary_search_by_key(&leaf, |candidate| candidate.leaf).or_else(|_| {
            inner.binary_search_by_key(&leaf, |candidate| candidate.leaf).map(|index| crossing.len() + index)
        });
        patches[index.ok()?].bound
    }

    /// Moves the patches along the way out of the deepest point, if a deeper one was found since the last try.
    pub(super) fn move_patches(&mut self) {
        if self.overlap.tries_left == 0 || self.lower <= self.overlap.try_from.max(16.0 * self.rounding) {
            return;
        }
        self.overlap.tries_left -= 1;
        self.overlap.try_from = self.lower * RISE;
        for side in 0..2 {
            let Some(way_out) = self.way_out(side) else { continue };
            let mut patches = std::mem::take(&mut self.overlap.patches[side]);
            self.move_open(side, &mut patches, &way_out);
            self.overlap.patches[side] = patches;
        }
    }

    /// The way out of the other solid at the deepest point found, for points of a surface; not of length 1. `None` if
    /// there can't be moves, since not only points inside a closed mesh count.
    pub(super) fn way_out(&self, side: usize) -> Option<Vector3<f64>> {
        let is_solid = self.candidates.is_some() && self.surfaces[side].other.watertightness().is_closed();
        let farthest = self.farthest.filter(|_| is_solid)?;
        let [point, way_out] = farthest.points;
        let back = |p: &Point3<f64>| self.surfaces[side].to_other(p);
        Some(if farthest.side == side { way_out - point } else { back(&point) - back(&way_out) })
    }

    /// Moves patches of a surface, and sets the bounds of those that are outside then.
    fn move_open(&mut self, side: usize, patches: &mut Patches, way_out: &Vector3<f64>) {
        let bound = self.move_length();
        let all: Vec<usize> = patches.open().collect();
        let Some(mut moved) = Moved::new(patches, &all, way_out, bound - 4.0 * self.rounding) else { return };
        let triangles = self.triangles_around(side, &moved);
        if triangles.as_ref().is_some_and(Vec::is_empty) {
            let mut shown = bound;
            if let Some(tight) = self.tight_length()
                && let Some(tightly) = Moved::new(patches, &all, way_out, tight - 4.0 * self.rounding)
                && self.triangles_around(side, &tightly).is_some_and(|triangles| triangles.is_empty())
            {
                (moved, shown) = (tightly, tight);
            }
            if self.containment(side, &moved.center()) == Containment::Outside {
                all.iter().for_each(|&patch| patches.patches[patch].bound = Some(shown));
            }
            return;
        }
        if patches.touching.is_none() {
            patches.find_touching(self.surfaces[side].closeness());
        }
        let groups = patches.groups(&all);
        let mut triangles = triangles.filter(|_| groups.len() == 1);
        let mut are_free = vec![None; patches.patches.len()];
        for group in groups {
            let of_group = Moved::new(patches, &group, way_out, bound - 4.0 * self.rounding);
            let Some(of_group) = of_group else { continue };
            let Some(triangles) = triangles.take().or_else(|| self.triangles_around(side, &of_group)) else { continue };
            let places = of_group.places_apart_from(&triangles, self.move_margin(side));
            group.iter().zip(places).for_each(|(&patch, place)| are_free[patch] = place);
        }
        // Those that are connected are all inside or all outside.
        let mut sets = patches.connected(|patch| are_free[patch].is_some());
        let mut are_outside = vec![None; patches.patches.len()];
        for (patch, place) in are_free.iter().enumerate() {
            let Some(point) = place else { continue };
            let is_outside = *are_outside[sets.find(patch as u32) as usize]
                .get_or_insert_with(|| self.containment(side, point) == Containment::Outside);
            if is_outside {
                patches.patches[patch].bound = Some(bound);
            }
        }
    }

    /// The distance from the other mesh's triangles that a patch has to keep. It is more than the distance up to which
    /// points count as common, so that no triangle is between these.
    fn move_margin(&self, side: usize) -> f64 {
        1.5 * self.surfaces[side].closeness()
    }

    /// The other mesh's triangles around moved patches; `None` if there are many.
    fn triangles_around(&mut self, side: usize, moved: &Moved<'_>) -> Option<Vec<Triangle>> {
        let (other, region) = (self.surfaces[side].other, moved.region(2.0 * self.move_margin(side)));
        let triangles = self.probe.triangles_in_box(other, NodeRef::ROOT, &region, MOST_TRIANGLES);
        self.stats += self.probe.stats();
        triangles
    }

    /// The length of a move: the greatest upper bound that is near enough to the lower one, less what is kept to spare.
    pub(super) fn move_length(&self) -> f64 {
        self.enough() - SPARE * (self.enough() - self.lower)
    }

    /// The length of the shortest move that may do, where the other solid is flat: the greatest depth found. `None` if
    /// that does not help, since another bound is higher.
    pub(super) fn tight_length(&self) -> Option<f64> {
        let tight = self.lower + 16.0 * self.rounding;
        (tight < self.move_length() && self.regions.settled() <= tight).then_some(tight)
    }
}
