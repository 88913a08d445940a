//! The regions of overlap: which parts of the two surfaces, each inside the other solid, belong together.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use nalgebra::{Point3, Vector3, center};
use smallvec::SmallVec;

use super::candidates::{Candidate, Candidates};
use super::search::{Bounds, Search};
use super::surface::Surface;
use crate::mesh::DisjointSets;
use crate::shape::Aabb;
use crate::triangle::CommonPoints;

/// The regions of overlap.
///
/// A region is a connected set of contacts, which are pairs of triangles that meet, and of vertices inside the other
/// solid. Contacts that have a point in common are connected. So are the two ends of each part of an edge that is
/// inside, and the contours of each part of a triangle that is inside.
pub(super) struct Regions {
    outlines: [Outlines; 2],
    /// The number of each vertex inside, by its point. These numbers follow those of the contacts.
    vertices: [HashMap<usize, u32>; 2],
    /// The numbers of those vertices of triangles with contacts that are too near to the other surface to tell whether
    /// they are inside.
    unclear: HashSet<u32>,
    /// The region of each contact and each vertex inside.
    regions: Vec<u32>,
    /// The region being searched.
    pub(super) current: u32,
}

/// The points in which the triangles of each contact meet, in the order of a surface's contacts and in the frame of the
/// other mesh.
struct Outlines {
    points: Vec<CommonPoints>,
    /// The number of each contact among A's contacts.
    numbers: Vec<u32>,
}

/// A contact or an edge that a line in a triangle's plane meets.
#[derive(Clone, Copy)]
enum Met {
    /// A contact, by its number.
    Contact(u32),
    /// An edge of the triangle, at a part of its length.
    Edge(usize, f64),
}

/// A contact or a vertex on a triangle's edge: its position along the edge, from 0 to 1, and its number.
type Event = (f64, u32);

impl Search<'_> {
    /// Searches each region of overlap by itself, and returns the bounds on its depth, and its bounding box in A's
    /// frame.
    pub(super) fn run_by_region(&mut self) -> Vec<(Bounds, Aabb)> {
        let Some(candidates) = self.candidates.take() else { return Vec::new() };
        let (regions, bounds) = self.find_regions(&candidates);
        let parts = regions.split(bounds.len(), &self.surfaces, &candidates);
        self.membership = Some(regions);
        let mut found = Vec::with_capacity(bounds.len());
        for (region, (candidates, bounds)) in (0..).zip(parts.into_iter().zip(bounds)) {
            self.start_again(candidates);
            if let Some(membership) = &mut self.membership {
                membership.current = region;
            }
            found.push((self.run(&[0, 1]), bounds));
        }
        found
    }

    fn find_regions(&mut self, candidates: &[Candidates; 2]) -> (Regions, Vec<Aabb>) {
        let outlines = Outlines::of(&self.surfaces);
        let mut boxes = vec![Aabb::empty(); outlines[1].points.len()];
        for (points, &number) in outlines[1].points.iter().zip(&outlines[1].numbers) {
            boxes[number as usize] = Aabb::from_points(points.iter());
        }
        let (mut vertices, mut unclear): ([HashMap<usize, u32>; 2], HashSet<u32>) = Default::default();
        for side in 0..2 {
            let is_open = !self.surfaces[side].other.watertightness().is_closed();
            let Candidates { crossing, inner } = &candidates[side];
            for (candidate, is_inner) in crossing.iter().map(|c| (c, false)).chain(inner.iter().map(|c| (c, true))) {
                let leaf = candidate.leaf as usize;
                let (points, positions) = (self.surfaces[side].points(leaf), self.surfaces[side].vertices(leaf));
                let in_a = self.surfaces[side].vertices_in_a(leaf);
                for k in 0..3 {
                    // Of an inner triangle that is not known to be inside, only the middle is near the other surface.
                    let is_whole = candidate.is_inside || is_inner && is_open;
                    if (is_whole || self.may_be_inside(side, points[k], &positions[k]))
                        && let Entry::Vacant(entry) = vertices[side].entry(points[k])
                    {
                        let number = boxes.len() as u32;
                        boxes.push(Aabb::from_points([&in_a[k]]));
                        entry.insert(number);
                        if !is_inner && self.is_near(side, &positions[k]) {
                            unclear.insert(number);
                        }
                    }
                }
            }
        }
        let mut sets = DisjointSets::new(boxes.len());
        let mut regions = Regions { outlines, vertices, unclear, regions: Vec::new(), current: 0 };
        let Outlines { points, numbers } = &regions.outlines[1];
        let ends = points.iter().zip(numbers).flat_map(|(points, &number)| points.iter().map(move |p| (*p, number)));
        join_close(ends.collect(), self.surfaces[1].closeness(), &mut sets);
        for (side, of_side) in candidates.iter().enumerate() {
            for candidate in &of_side.inner {
                let points = self.surfaces[side].points(candidate.leaf as usize);
                if let [Some(a), Some(b), Some(c)] = points.map(|point| regions.number_of(side, point)) {
                    sets.join(a, b);
                    sets.join(b, c);
                }
            }
            for candidate in &of_side.crossing {
                regions.connect_within(self, side, candidate.leaf as usize, &mut sets);
            }
        }
        let mut numbers = BTreeMap::new();
        let mut bounds: Vec<Aabb> = Vec::new();
        for (number, own) in (0..).zip(&boxes) {
            let region = *numbers.entry(sets.find(number)).or_insert_with(|| {
                bounds.push(Aabb::empty());
                bounds.len() - 1
            });
            regions.regions.push(region as u32);
            bounds[region] = bounds[region].union(own);
        }
        (regions, bounds)
    }
}

impl Regions {
    /// The number of a vertex, by its point, if it may be inside.
    fn number_of(&self, side: usize, point: usize) -> Option<u32> {
        self.vertices[side].get(&point).copied()
    }

    /// Connects the contacts and vertices that are connected within a triangle that meets the other surface.
    fn connect_within(&self, search: &mut Search<'_>, side: usize, leaf: usize, sets: &mut DisjointSets) {
        let surface = &search.surfaces[side];
        let (contacts, triangle, closeness) = (surface.contacts_of(leaf), surface.vertices(leaf), surface.closeness());
        let events = [0, 1, 2].map(|edge| self.events(surface, leaf, edge));
        let first_vertex = self.outlines[side].points.len() as u32;
        for (edge, events) in events.iter().enumerate() {
            let (from, along) = (triangle[edge], triangle[(edge + 1) % 3] - triangle[edge]);
            for pair in events.windows(2) {
                let [(start, a), (end, b)] = [pair[0], pair[1]];
                let (middle, has_vertex) = (from + along * (0.5 * (start + end)), a.max(b) >= first_vertex);
                let is_unclear = [a, b].iter().any(|number| self.unclear.contains(number));
                // From a vertex inside, the edge stays inside to the first contact.
                let is_connected = has_vertex && !is_unclear
                    || sets.find(a) == sets.find(b)
                    || (end - start) * along.norm() <= closeness
                    || has_vertex && search.is_near(side, &middle)
                    || search.contains(side, &middle);
                if is_connected {
                    sets.join(a, b);
                }
            }
        }
        // A contour that does not reach the triangle's edges is connected with what is to its left, if the space
        // between is inside.
        let outlines = &self.outlines[side];
        let first = contacts.start as usize;
        let range = first..contacts.end as usize;
        let mut contours = DisjointSets::new(range.len());
        let ends = range.clone().flat_map(|i| outlines.points[i].iter().map(move |p| (*p, (i - first) as u32)));
        join_close(ends.collect(), closeness, &mut contours);
        let on_rim: HashSet<u32> = events.iter().flatten().map(|event| event.1).collect();
        let rims: HashSet<u32> = (0..range.len() as u32)
            .filter(|&i| on_rim.contains(&outlines.numbers[first + i as usize]))
            .map(|i| contours.find(i))
            .collect();
        let Some([x, _]) = axes(&search.surfaces[side], leaf) else { return };
        let mut leftmost: BTreeMap<u32, (Point3<f64>, u32)> = BTreeMap::new();
        for i in 0..range.len() as u32 {
            let contour = contours.find(i);
            if !rims.contains(&contour) {
                let contact = first + i as usize;
                for point in &outlines.points[contact] {
                    let least = leftmost.entry(contour).or_insert((*point, outlines.numbers[contact]));
                    if point[x] < least.0[x] {
                        *least = (*point, outlines.numbers[contact]);
                    }
                }
            }
        }
        for (contour, (point, number)) in leftmost {
            let mut is_other = |contact: usize| contours.find((contact - first) as u32) != contour;
            let hit = self.left_of(&search.surfaces[side], leaf, &point, &mut is_other);
            if let Some((at, neighbor)) = hit
                && search.contains(side, &center(&at, &point))
            {
                sets.join(number, neighbor);
            }
        }
    }

    /// The contacts on an edge of a triangle and the ends of the edge that are inside, in order along the edge.
    fn events(&self, surface: &Surface<'_>, leaf: usize, edge: usize) -> SmallVec<[Event; 4]> {
        let (points, vertices) = (surface.points(leaf), surface.vertices(leaf));
        let (from, to) = (vertices[edge], vertices[(edge + 1) % 3]);
        let mut events: SmallVec<[Event; 4]> = SmallVec::new();
        for (at, corner) in [(0.0, edge), (1.0, (edge + 1) % 3)] {
            events.extend(self.number_of(surface.side, points[corner]).map(|number| (at, number)));
        }
        let outlines = &self.outlines[surface.side];
        for contact in surface.contacts_of(leaf) {
            for point in &outlines.points[contact as usize] {
                if let Some(at) = position_on([from, to], point, surface.closeness()) {
                    events.push((at, outlines.numbers[contact as usize]));
                }
            }
        }
        events.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        events
    }

    /// The first contact or edge to the left of a point of a triangle, in its plane: the point there, and the number of
    /// the contact or, for an edge, of a contact or vertex on the edge. `None` if there is nothing to the left, if the
    /// edge has neither, or if the triangle has no area. Contacts for which `is_met` is false are ignored.
    fn left_of(
        &self,
        surface: &Surface<'_>,
        leaf: usize,
        from: &Point3<f64>,
        is_met: &mut dyn FnMut(usize) -> bool,
    ) -> Option<(Point3<f64>, u32)> {
        let [x, y] = axes(surface, leaf)?;
        let outlines = &self.outlines[surface.side];
        let mut nearest: Option<(Point3<f64>, Met)> = None;
        let mut meet = |[p, q]: [Point3<f64>; 2], what: &dyn Fn(f64) -> Met| {
            if (p[y] <= from[y]) == (q[y] <= from[y]) {
                return;
            }
            let at = (from[y] - p[y]) / (q[y] - p[y]);
            let point = p + (q - p) * at;
            if point[x] <= from[x] && nearest.is_none_or(|(nearest, _)| nearest[x] < point[x]) {
                nearest = Some((point, what(at)));
            }
        };
        for contact in surface.contacts_of(leaf) {
            let points = &outlines.points[contact as usize];
            if is_met(contact as usize) {
                for (p, q) in points.iter().zip(points.iter().cycle().skip(1)) {
                    meet([*p, *q], &|_| Met::Contact(outlines.numbers[contact as usize]));
                }
            }
        }
        let vertices = surface.vertices(leaf);
        for edge in 0..3 {
            meet([vertices[edge], vertices[(edge + 1) % 3]], &|at| Met::Edge(edge, at));
        }
        let (point, met) = nearest?;
        let number = match met {
            Met::Contact(number) => Some(number),
            Met::Edge(edge, at) => self.on_edge(surface, leaf, edge, at),
        };
        number.map(|number| (point, number))
    }

    /// The number of a contact or vertex on a triangle's edge from which the edge is inside up to the given position,
    /// if it is inside there. `None` if the edge has neither.
    fn on_edge(&self, surface: &Surface<'_>, leaf: usize, edge: usize, at: f64) -> Option<u32> {
        let events = self.events(surface, leaf, edge);
        let before = events.iter().rfind(|event| event.0 <= at);
        before.or_else(|| events.iter().find(|event| event.0 > at)).map(|event| event.1)
    }

    /// Whether a point of a triangle, which is inside the other solid, is in the current region; `None` if rounding
    /// hides that. True if that is not known because the other mesh is open.
    pub(super) fn has(&self, surface: &Surface<'_>, leaf: usize, point: &Point3<f64>) -> Option<bool> {
        let vertices = surface.vertices(leaf);
        // Rounding may put a point of an edge on the far side of the edge, with nothing or another region to its left.
        let on_rim = (0..3).find_map(|edge| {
            let ends = [vertices[edge], vertices[(edge + 1) % 3]];
            let at = position_on(ends, point, surface.closeness())?;
            self.on_edge(surface, leaf, edge, at)
        });
        let left = || self.left_of(surface, leaf, point, &mut |_| true).map(|(_, number)| number);
        let number = on_rim.or_else(left);
        // Where an open mesh's inside ends without a surface, an edge that is inside may have no contact or vertex.
        let is_open = || !surface.other.watertightness().is_closed();
        number.map(|number| self.regions[number as usize] == self.current).or_else(|| is_open().then_some(true))
    }

    /// Whether a contact is in the current region.
    pub(super) fn has_contact(&self, side: usize, contact: u32) -> bool {
        self.regions[self.outlines[side].numbers[contact as usize] as usize] == self.current
    }

    /// The candidates of each region. A candidate that meets the other surface may be in several regions.
    fn split(&self, count: usize, surfaces: &[Surface<'_>; 2], candidates: &[Candidates; 2]) -> Vec<[Candidates; 2]> {
        let mut parts: Vec<[Candidates; 2]> = (0..count).map(|_| Default::default()).collect();
        for side in 0..2 {
            let surface = &surfaces[side];
            let region_of = |number: u32| self.regions[number as usize];
            for candidate in &candidates[side].inner {
                let [point, ..] = surface.points(candidate.leaf as usize);
                if let Some(region) = self.number_of(side, point).map(region_of) {
                    parts[region as usize][side].inner.push(*candidate);
                }
            }
            for candidate in &candidates[side].crossing {
                let leaf = candidate.leaf as usize;
                let vertices = surface.points(leaf).map(|point| self.number_of(side, point));
                let of_vertices = vertices.iter().flatten().copied().map(region_of);
                let contacts = surface.contacts_of(leaf);
                let numbers = &self.outlines[side].numbers[contacts.start as usize..contacts.end as usize];
                let of_contacts = numbers.iter().copied().map(region_of);
                let mut regions: SmallVec<[u32; 4]> = of_contacts.chain(of_vertices).collect();
                regions.sort_unstable();
                regions.dedup();
                for region in regions {
                    let is_inside = |number: Option<u32>| number.is_some_and(|number| region_of(number) == region);
                    let is_clear = |number: Option<u32>| number.is_none_or(|number| !self.unclear.contains(&number));
                    let vertices = vertices.map(|number| is_clear(number).then(|| is_inside(number)));
                    parts[region as usize][side].crossing.push(Candidate { vertices, ..*candidate });
                }
            }
        }
        parts
    }
}

impl Outlines {
    /// The outlines of both surfaces.
    fn of([a, b]: &[Surface<'_>; 2]) -> [Self; 2] {
        let in_a: Vec<CommonPoints> = (0..a.contacts.len() as u32).map(|contact| a.common_points(contact)).collect();
        let numbers: Vec<u32> = b.contacts.iter().map(|contact| a.number_of(*contact)).collect();
        let of_b = numbers.iter().map(|&number| in_a[number as usize].clone()).collect();
        let of_a = in_a.iter().map(|points| points.iter().map(|point| a.to_other(point)).collect()).collect();
        [Self { points: of_a, numbers: (0..in_a.len() as u32).collect() }, Self { points: of_b, numbers }]
    }
}

/// The two coordinate axes that remain when a triangle is projected along the one nearest to its normal; `None` if the
/// triangle has no area.
fn axes(surface: &Surface<'_>, leaf: usize) -> Option<[usize; 2]> {
    let [a, b, c] = surface.vertices(leaf);
    let normal: Vector3<f64> = (b - a).cross(&(c - a));
    let axis = normal.iamax();
    (normal[axis] != 0.0).then_some([(axis + 1) % 3, (axis + 2) % 3])
}

/// The position of a point along a segment, from 0 to 1; `None` if it is farther than `closeness` from the segment.
fn position_on([from, to]: [Point3<f64>; 2], point: &Point3<f64>, closeness: f64) -> Option<f64> {
    let along = to - from;
    let length_sq = along.norm_squared();
    let at = if length_sq > 0.0 { ((point - from).dot(&along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    ((from + along * at - point).norm() <= closeness).then_some(at)
}

/// Joins the sets of numbers whose points are at most `closeness` apart.
fn join_close(mut points: Vec<(Point3<f64>, u32)>, closeness: f64, sets: &mut DisjointSets) {
    // Few points of a mesh are equally far along this direction.
    let direction = Vector3::new(0.452_371, 0.567_113, 0.688_247);
    let along = |point: &Point3<f64>| point.coords.dot(&direction);
    points.sort_unstable_by(|p, q| along(&p.0).total_cmp(&along(&q.0)));
    for (i, (point, number)) in points.iter().enumerate() {
        // Rounding of the heights is less than the closeness.
        let near = points[i + 1..].iter().take_while(|(other, _)| along(other) - along(point) <= 2.0 * closeness);
        for (other, of_other) in near {
            if (other - point).norm() <= closeness {
                sets.join(*number, *of_other);
            }
        }
    }
}
