//! The search for the point of either surface that is farthest from the other: inside it, or anywhere.

use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use nalgebra::Point3;
use smallvec::SmallVec;

use super::DepthOptions;
use super::candidates::{Candidate, candidates};
use super::hull::hull;
use super::piece::{Plane, Polygon, center_and_radius, halving, separating};
use super::surface::Surface;
use crate::numeric::branch_and_bound::OpenRegions;
use crate::probe::{Containment, Probe};
use crate::simd::SimdLevel;
use crate::traversal::{Interrupt, PosedTrees, QueryStats};
use crate::tree::View;
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, Node, NodeRef, VolumeKind, for_kind};

/// What the search found.
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) farthest: Option<Farthest>,
}

/// A point of a surface and the closest point of the other mesh, in the other mesh's frame.
#[derive(Clone, Copy)]
pub(super) struct Farthest {
    /// The side of the surface.
    pub(super) side: usize,
    pub(super) points: [Point3<f64>; 2],
}

impl Farthest {
    /// The points in A's frame.
    pub(super) fn in_frame_of_a(&self, trees: &PosedTrees<'_>) -> [Point3<f64>; 2] {
        if self.side == 1 { self.points } else { self.points.map(|point| trees.b_to_a.transform_point(&point)) }
    }
}

/// A part of a surface.
struct Region {
    side: usize,
    center: Point3<f64>,
    /// The greatest distance of a point of the region from its centre.
    radius: f64,
    /// A triangle of the other mesh that is close to the centre.
    near: Triangle,
    /// Whether no triangle is closer.
    is_nearest: bool,
    part: Part,
}

/// What a region consists of.
enum Part {
    /// The triangles below a node, those with a leaf index below `end`.
    Node {
        node: NodeRef,
        end: usize,
    },
    /// A triangle that meets the other surface.
    Triangle(Candidate),
    Polygon(Piece),
}

/// A part of a triangle.
#[derive(Clone)]
struct Piece {
    polygon: Polygon,
    /// The triangle's contacts.
    contacts: Range<u32>,
    /// The number of cuts that made it.
    cuts: u32,
    triangle: Candidate,
}

/// The search: regions wait in a queue, the one of greatest upper bound first, and are divided.
pub(super) struct Search<'a> {
    surfaces: [Surface<'a>; 2],
    /// The triangles of each surface that may have points inside the other mesh, if only these count.
    candidates: Option<[Rc<[Candidate]>; 2]>,
    /// Whether the points of each surface are inside, where it is known; points that are too near to tell count as
    /// inside.
    vertex_sides: [Vec<Option<bool>>; 2],
    options: DepthOptions,
    regions: OpenRegions<Region>,
    /// The distance of the farthest point so far.
    lower: f64,
    farthest: Option<Farthest>,
    rounding: f64,
    probe: Probe,
    stats: QueryStats,
}

impl<'a> Search<'a> {
    /// A search for the deepest point inside, or with `is_solid` false for the farthest.
    pub(super) fn new(surfaces: [Surface<'a>; 2], level: SimdLevel, is_solid: bool, options: &DepthOptions) -> Self {
        let mut probe = Probe::with_simd(level);
        let mut vertex_sides = [Vec::new(), Vec::new()];
        let candidates = is_solid.then(|| {
            [0, 1].map(|side| {
                let (candidates, sides) = candidates(&surfaces[side], &mut probe);
                vertex_sides[side] = sides;
                candidates.into()
            })
        });
        Self {
            rounding: surfaces[0].rounding,
            surfaces,
            candidates,
            vertex_sides,
            options: *options,
            regions: OpenRegions::new(),
            lower: 0.0,
            farthest: None,
            probe,
            stats: QueryStats::default(),
        }
    }

    pub(super) fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Searches the surfaces of the given sides; neither mesh is empty.
    pub(super) fn run(&mut self, sides: &[usize], interrupt: &mut Interrupt) -> Bounds {
        for &side in sides {
            let end = self.surfaces[side].view().corners.len();
            let near = self.surfaces[side].other_triangle(0);
            self.expand(side, NodeRef::ROOT, end, &near);
        }
        let deadline = self.options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let is_late = |examined: usize| {
            examined.is_multiple_of(REGIONS_PER_CLOCK) && deadline.is_some_and(|deadline| Instant::now() > deadline)
        };
        let (mut examined, mut upper) = (0, 0.0);
        while let Some((region, bound)) = self.regions.pop() {
            examined += 1;
            let is_over = examined > self.options.max_regions || is_late(examined);
            if bound <= self.enough() || is_over || interrupt.step().is_break() {
                upper = bound;
                break;
            }
            self.examine(region, bound);
        }
        // The result is in A's frame. The pose, which is not quite a rotation, may stretch distances in B's frame.
        let stretch = self.surfaces[0].stretch;
        let upper = (self.lower.max(upper).max(self.regions.settled()) + self.rounding) * stretch;
        let lower = ((self.lower - self.rounding) / stretch).max(0.0);
        Bounds { lower, upper, farthest: self.farthest }
    }

    /// The greatest upper bound that is near enough to the lower one.
    fn enough(&self) -> f64 {
        let DepthOptions { relative_tolerance, absolute_tolerance, .. } = self.options;
        self.lower + (relative_tolerance * self.lower).max(absolute_tolerance).max(4.0 * self.rounding)
    }

    fn push(&mut self, upper: f64, region: Region) {
        let enough = self.enough();
        self.regions.push(upper, enough, region);
    }

    /// Adds the children of a node, or the triangles below it if there are few. `near` is a triangle of the other mesh.
    fn expand(&mut self, side: usize, node: NodeRef, end: usize, near: &Triangle) {
        if node.is_leaf() {
            return self.add_triangles(side, node.first_triangle(), end, near);
        }
        let surface = &self.surfaces[side];
        let (kind, frame, view) = (surface.tree.kind(), surface.tree.meta().frame, surface.view());
        let (children, wide) = (node.children(), Node::at(view.nodes, kind, node));
        for lane in 0..children {
            let child = wide.child(lane);
            let start = first_triangle(&view, kind, child);
            let end = if lane + 1 < children { first_triangle(&view, kind, wide.child(lane + 1)) } else { end };
            match self.count(side, start, end) {
                0 => {}
                1..=FEW => self.add_triangles(side, start, end, near),
                _ => {
                    let volume = for_kind!(kind, V => V::unpack(&wide.fields(lane), &frame));
                    let center = self.surfaces[side].to_other(&volume.center());
                    let radius = volume.radius() * self.surfaces[side].stretch + self.rounding;
                    let distance = near.distance_at_most(&center);
                    let part = Part::Node { node: child, end };
                    let region = Region { side, center, radius, near: *near, is_nearest: false, part };
                    self.push(distance + radius, region);
                }
            }
        }
    }

    /// The number of triangles in a range of leaf indices that count.
    fn count(&self, side: usize, start: usize, end: usize) -> usize {
        match &self.candidates {
            Some(candidates) => between(&candidates[side], start, end).len(),
            None => end - start,
        }
    }

    fn add_triangles(&mut self, side: usize, start: usize, end: usize, near: &Triangle) {
        match &self.candidates {
            Some(candidates) => {
                let list = Rc::clone(&candidates[side]);
                list[between(&list, start, end)].iter().for_each(|&candidate| self.add_triangle(side, candidate, near));
            }
            None => {
                for leaf in start as u32..end as u32 {
                    self.add_triangle(side, Candidate { leaf, is_inside: Some(true), vertices: [Some(true); 3] }, near);
                }
            }
        }
    }

    fn add_triangle(&mut self, side: usize, triangle: Candidate, near: &Triangle) {
        let (surface, leaf) = (&self.surfaces[side], triangle.leaf as usize);
        let (polygon, contacts) = (Polygon::from_slice(&surface.vertices(leaf)), surface.contacts_of(leaf));
        let Some(contact) = contacts.clone().next() else {
            return self.add_piece(side, Piece { polygon, contacts, cuts: 0, triangle }, near);
        };
        let near = surface.contact(contact);
        let (center, radius) = center_and_radius(&polygon);
        let upper = near.greatest_distance_at_most(&polygon);
        self.push(upper, Region { side, center, radius, near, is_nearest: false, part: Part::Triangle(triangle) });
    }

    /// Replaces a triangle that meets the other surface by a polygon around its part inside: the convex hull of its
    /// vertices inside and of the segments in which it meets the other surface.
    fn clip(&mut self, index: usize) {
        let Region { side, near, part: Part::Triangle(triangle), .. } = self.regions[index] else { return };
        self.regions.remove(index);
        let leaf = triangle.leaf as usize;
        let (vertices, contacts) = (self.surfaces[side].vertices(leaf), self.surfaces[side].contacts_of(leaf));
        let polygon = self.inner_hull(side, leaf, &vertices, contacts.clone());
        let polygon = polygon.unwrap_or_else(|| Polygon::from_slice(&vertices));
        self.add_piece(side, Piece { polygon, contacts, cuts: 0, triangle }, &near);
    }

    fn inner_hull(
        &mut self,
        side: usize,
        leaf: usize,
        vertices: &[Point3<f64>; 3],
        contacts: Range<u32>,
    ) -> Option<Polygon> {
        let mut points = Vec::with_capacity(3 + 2 * contacts.len());
        for contact in contacts {
            points.extend(self.surfaces[side].common_segment(contact)?);
        }
        let corners = self.surfaces[side].points(leaf);
        for (corner, vertex) in corners.into_iter().zip(vertices) {
            let is_inside = match self.vertex_sides[side][corner] {
                Some(is_inside) => is_inside,
                None => {
                    let other = self.surfaces[side].other;
                    let is_near = self.probe.closest_point_within(other, vertex, self.rounding).is_some();
                    let is_inside = is_near || self.contains(side, vertex);
                    self.vertex_sides[side][corner] = Some(is_inside);
                    is_inside
                }
            };
            if is_inside {
                points.push(*vertex);
            }
        }
        hull(points, &Triangle { vertices: *vertices })
    }

    fn add_piece(&mut self, side: usize, piece: Piece, near: &Triangle) {
        if piece.polygon.is_empty() {
            return;
        }
        let (center, radius) = center_and_radius(&piece.polygon);
        let distance = near.distance_at_most(&center);
        let (mut upper, mut near) = (near.greatest_distance_at_most(&piece.polygon).min(distance + radius), *near);
        for contact in piece.contacts.clone().take(MANY) {
            let triangle = self.surfaces[side].contact(contact);
            let other = triangle.greatest_distance_at_most(&piece.polygon);
            if other < upper {
                (upper, near) = (other, triangle);
            }
        }
        let part = Part::Polygon(piece);
        self.push(upper, Region { side, center, radius, near, is_nearest: false, part });
    }

    /// Whether a point, which is not on the other surface, is inside it.
    fn contains(&mut self, side: usize, point: &Point3<f64>) -> bool {
        let containment = self.probe.contains_robust(self.surfaces[side].other, point).containment;
        self.stats += self.probe.stats();
        containment == Containment::Inside
    }

    /// Records a point of the surface if it is farther away than the farthest one so far.
    fn offer(&mut self, side: usize, point: &Point3<f64>, near: &Triangle, distance: f64, is_inside: Option<bool>) {
        if distance > self.lower.max(self.rounding) && is_inside.unwrap_or_else(|| self.contains(side, point)) {
            self.lower = distance;
            self.farthest = Some(Farthest { side, points: [*point, near.closest_point(point)] });
        }
    }

    /// The closest triangle to a point, and its distance.
    fn nearest(&mut self, side: usize, point: &Point3<f64>, near: &Triangle) -> (Triangle, f64) {
        let other = self.surfaces[side].other;
        let nearest = self.probe.closest_triangle(other, NodeRef::ROOT, point, *near, -1.0);
        self.stats += self.probe.stats();
        nearest
    }

    /// Finds a better bound for a region of the queue, or divides it.
    fn examine(&mut self, index: usize, upper: f64) {
        if let Some(location) = self.locate(index) {
            return match location {
                Location::Crosses(plane) => self.cut(index, &plane),
                Location::Outside { up_to } => self.regions.settle(index, up_to),
            };
        }
        if let Part::Triangle(_) = self.regions[index].part {
            return self.clip(index);
        }
        let region = &self.regions[index];
        if !region.is_nearest {
            let (side, center, near) = (region.side, region.center, region.near);
            let (near, distance) = self.nearest(side, &center, &near);
            let region = &mut self.regions[index];
            (region.near, region.is_nearest) = (near, true);
            let mut better = upper.min(distance + region.radius);
            if let Part::Polygon(Piece { polygon, triangle, .. }) = &region.part {
                better = better.min(near.greatest_distance_at_most(polygon));
                let is_inside = triangle.is_inside;
                self.offer(side, &center, &near, distance, is_inside);
            }
            if better <= self.enough() {
                return self.regions.settle(index, better);
            }
            if self.regions.greatest().is_some_and(|greatest| greatest > better) {
                return self.regions.put_back(index, better);
            }
        }
        let &Region { side, near, ref part, .. } = &self.regions[index];
        match *part {
            Part::Node { node, end } => {
                self.regions.remove(index);
                self.expand(side, node, end, &near);
            }
            Part::Triangle(_) => {}
            Part::Polygon(_) => match self.cutting_plane(index) {
                Some(plane) => self.cut(index, &plane),
                None => self.regions.settle(index, upper),
            },
        }
    }

    /// Replaces a piece by its parts on both sides of a plane.
    fn cut(&mut self, index: usize, plane: &Plane) {
        let Region { side, near, part: Part::Polygon(piece), .. } = &self.regions[index] else { return };
        let (side, near) = (*side, *near);
        let parts = plane.cut(&piece.polygon).map(|polygon| Piece { polygon, cuts: piece.cuts + 1, ..piece.clone() });
        self.regions.remove(index);
        for part in parts {
            self.add_piece(side, part, &near);
        }
    }

    /// Determines whether a piece is inside, where that is not known yet and rounding does not hide it.
    ///
    /// Suppose that each contact's triangle has a plane with the triangle below it and the piece above it, up to
    /// rounding. Then those points of the piece that are higher over all planes than the rounding lie on one side of
    /// the other surface. Every other point gets there after a short part of the straight way to the piece's centre.
    fn locate(&mut self, index: usize) -> Option<Location> {
        let Region { side, center, radius, part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        if piece.triangle.is_inside.is_some() {
            return None;
        }
        let (side, center, radius, margin) = (*side, *center, *radius, 2.0 * self.rounding);
        let surface = &self.surfaces[side];
        let mut planes: SmallVec<[Plane; 4]> = SmallVec::new();
        for contact in piece.contacts.clone() {
            let triangle = surface.contact(contact);
            match separating(&triangle, &piece.polygon, &center, margin) {
                Some(plane) if plane.height(&center) > margin => planes.push(plane),
                // Rounding hides the height over every plane: one of the triangle's own planes cuts the piece.
                _ => {
                    let mut cutting = Plane::of(&triangle).into_iter().chain(Plane::around(&triangle));
                    return cutting.find(|plane| plane.cuts(&piece.polygon, margin)).map(Location::Crosses);
                }
            }
        }
        let height =
            |point| planes.iter().fold(f64::INFINITY, |least: f64, plane| least.min(plane.height(point))) - margin;
        let least = height(&center);
        if least <= 0.0 {
            return None;
        }
        let vertices = surface.vertices(piece.triangle.leaf as usize);
        let mut known =
            vertices.iter().zip(piece.triangle.vertices).filter(|(vertex, _)| piece.polygon.contains(vertex));
        let is_inside = match known.find_map(|(vertex, side)| side.filter(|_| height(vertex) > 0.0)) {
            Some(is_inside) => is_inside,
            None if self.probe.closest_point_within(surface.other, &center, self.rounding).is_some() => return None,
            None => self.contains(side, &center),
        };
        if !is_inside {
            let up_to = 2.0 * margin * radius / least;
            return (up_to <= self.enough()).then_some(Location::Outside { up_to });
        }
        if let Part::Polygon(piece) = &mut self.regions[index].part {
            piece.triangle.is_inside = Some(true);
        }
        None
    }

    /// The plane that cuts a piece where the closest triangle changes, between the centre and the vertex farthest from
    /// the centre's closest triangle; if there is none, the plane that halves the piece. `None` if the piece is too
    /// small.
    fn cutting_plane(&mut self, index: usize) -> Option<Plane> {
        let Region { side, center, radius, near, part: Part::Polygon(piece), .. } = &self.regions[index] else {
            return None;
        };
        let (side, center, near, cuts, is_inside) = (*side, *center, *near, piece.cuts, piece.triangle.is_inside);
        let farthest = piece.polygon.iter().map(|vertex| (near.distance_at_most(vertex), *vertex));
        let (from_near, vertex) = farthest.max_by(|p, q| p.0.total_cmp(&q.0)).filter(|_| *radius > self.rounding)?;
        let polygon = piece.polygon.clone();
        let (other, distance) = self.nearest(side, &vertex, &near);
        self.offer(side, &vertex, &other, distance, is_inside);
        let halves = halving(&polygon);
        if cuts % 4 == 3 || from_near <= distance {
            return halves;
        }
        let margin = 4.0 * self.rounding;
        let planes = [&near, &other].map(|triangle| Plane::of(triangle).map(|plane| plane.below(&center)));
        let between = match planes {
            [Some(p), Some(q)] => p.between(&q),
            _ => None,
        };
        let around = Plane::around(&near).chain(Plane::around(&other));
        between.into_iter().chain(around).find(|plane| plane.cuts(&polygon, margin)).or(halves)
    }
}

/// Where a piece lies that is not known to be inside.
enum Location {
    /// Outside, except for points of at most this depth.
    Outside { up_to: f64 },
    /// On both sides of this plane of a triangle that the piece may cross.
    Crosses(Plane),
}

/// The number of regions after which the clock is read.
const REGIONS_PER_CLOCK: usize = 64;

/// The number of a triangle's contacts that are tried as its closest triangle.
const MANY: usize = 8;

/// The number of triangles below a node that are added at once.
const FEW: usize = 4;

/// The candidates in a range of leaf indices.
fn between(candidates: &[Candidate], start: usize, end: usize) -> Range<usize> {
    let before = |leaf: usize| candidates.partition_point(|candidate| (candidate.leaf as usize) < leaf);
    before(start)..before(end)
}

/// The leaf index of the first triangle below a node.
fn first_triangle(view: &View<'_>, kind: VolumeKind, mut node: NodeRef) -> usize {
    while !node.is_leaf() {
        node = Node::at(view.nodes, kind, node).child(0);
    }
    node.first_triangle()
}
