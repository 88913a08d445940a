//! The search for the point of either surface that is farthest from the other: inside it, or anywhere.

use std::collections::BinaryHeap;
use std::ops::Range;

use nalgebra::Point3;

use super::DepthOptions;
use super::piece::{Plane, Polygon, center_and_radius, halving, separating};
use super::surface::Surface;
use crate::probe::{Containment, Probe};
use crate::shape::ClosestPoint;
use crate::simd::SimdLevel;
use crate::traversal::{Interrupt, PosedTrees, QueryStats};
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, Node, NodeRef, for_kind};

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
    pub(super) fn in_frame_of_a(&self, trees: &PosedTrees<'_>, point: Point3<f64>) -> Point3<f64> {
        if self.side == 1 { point } else { trees.b_to_a.transform_point(&point) }
    }
}

/// A part of a surface.
struct Region {
    side: usize,
    center: Point3<f64>,
    /// The greatest distance of a point of the region from its centre.
    radius: f64,
    /// The other mesh's triangle that is closest to the centre, and its distance.
    nearest: Triangle,
    distance: f64,
    is_inside: Option<bool>,
    part: Part,
}

/// What a region consists of.
enum Part {
    /// The triangles below a node.
    Node(NodeRef),
    /// A part of a triangle, with the triangle's contacts and the number of cuts that made it.
    Polygon { polygon: Polygon, contacts: Range<u32>, cuts: u32 },
}

/// A region of the queue, by an upper bound of the depth in it.
struct Queued {
    upper: f64,
    region: usize,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.upper.total_cmp(&other.upper).then(other.region.cmp(&self.region))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}

/// The search: regions wait in a queue, the one of greatest upper bound first, and are divided.
pub(super) struct Search<'a> {
    surfaces: [Surface<'a>; 2],
    /// Whether only points inside the other mesh count.
    is_solid: bool,
    options: DepthOptions,
    sides: [bool; 2],
    queue: BinaryHeap<Queued>,
    regions: Vec<Region>,
    free: Vec<usize>,
    /// The distance of the farthest point so far.
    lower: f64,
    farthest: Option<Farthest>,
    /// The greatest bound of the regions that were left aside, since it is near enough to the lower bound.
    settled: f64,
    rounding: f64,
    probe: Probe,
    stats: QueryStats,
}

impl<'a> Search<'a> {
    pub(super) fn new(surfaces: [Surface<'a>; 2], level: SimdLevel, is_solid: bool, options: &DepthOptions) -> Self {
        let rounding = surfaces[0].rounding;
        Self {
            surfaces,
            is_solid,
            options: *options,
            sides: [true; 2],
            queue: BinaryHeap::new(),
            regions: Vec::new(),
            free: Vec::new(),
            lower: 0.0,
            farthest: None,
            settled: 0.0,
            rounding,
            probe: Probe::with_simd(level),
            stats: QueryStats::default(),
        }
    }

    /// Measures the points of one side only.
    pub(super) fn only_from(&mut self, side: Option<usize>) {
        self.sides = [0, 1].map(|k| side.is_none_or(|side| side == k));
    }

    pub(super) fn stats(&self) -> QueryStats {
        self.stats
    }

    pub(super) fn run(&mut self, interrupt: &mut Interrupt) -> Bounds {
        if self.surfaces[0].view().corners.is_empty() || self.surfaces[1].view().corners.is_empty() {
            return Bounds { lower: 0.0, upper: 0.0, farthest: None };
        }
        for side in [0, 1] {
            if self.sides[side] {
                let other = self.surfaces[side].other.view().triangle(0).map(|vertex| vertex.map(f64::from));
                self.expand(side, NodeRef::ROOT, &Triangle { vertices: other }, None);
            }
        }
        let mut examined = 0;
        let mut upper: f64 = 0.0;
        while let Some(Queued { upper: bound, region }) = self.queue.pop() {
            examined += 1;
            if bound <= self.enough() || examined > self.options.max_regions || interrupt.step().is_break() {
                upper = bound;
                break;
            }
            self.divide(region, bound);
        }
        let stretch = self.surfaces[0].stretch;
        let upper = (upper.max(self.lower).max(self.settled) + self.rounding) * stretch;
        let lower = ((self.lower - self.rounding) / stretch).max(0.0);
        Bounds { lower, upper, farthest: self.farthest }
    }

    /// The greatest upper bound that is near enough to the lower one.
    fn enough(&self) -> f64 {
        let DepthOptions { relative_tolerance, absolute_tolerance, .. } = self.options;
        self.lower + (relative_tolerance * self.lower).max(absolute_tolerance).max(4.0 * self.rounding)
    }

    fn push(&mut self, upper: f64, region: Region) {
        if upper <= self.enough() {
            self.settled = self.settled.max(upper);
            return;
        }
        let index = match self.free.pop() {
            Some(index) => {
                self.regions[index] = region;
                index
            }
            None => {
                self.regions.push(region);
                self.regions.len() - 1
            }
        };
        self.queue.push(Queued { upper, region: index });
    }

    /// Adds the children of a node, or the triangles of a leaf. `nearest` is a near triangle of the other mesh.
    fn expand(&mut self, side: usize, node: NodeRef, nearest: &Triangle, is_inside: Option<bool>) {
        let view = self.surfaces[side].view();
        if node.is_leaf() {
            for leaf in view.leaf(node.first_triangle()) {
                let contacts = self.surfaces[side].contacts_of(leaf);
                let polygon = Polygon::from_slice(&self.surfaces[side].vertices(leaf));
                self.add_polygon(side, polygon, contacts, 0, nearest, is_inside);
            }
            return;
        }
        let tree = self.surfaces[side].tree;
        let (kind, frame) = (tree.kind(), tree.meta().frame);
        let (children, node) = (node.children(), Node::at(view.nodes, kind, node));
        for lane in 0..children {
            let volume = for_kind!(kind, V => V::unpack(&node.fields(lane), &frame));
            let center = self.surfaces[side].to_other(&volume.center());
            let radius = 0.5 * volume.diameter() * self.surfaces[side].stretch + self.rounding;
            self.add(side, center, radius, Part::Node(node.child(lane)), nearest, is_inside);
        }
    }

    fn add_polygon(
        &mut self,
        side: usize,
        polygon: Polygon,
        contacts: Range<u32>,
        cuts: u32,
        nearest: &Triangle,
        is_inside: Option<bool>,
    ) {
        if polygon.is_empty() {
            return;
        }
        let (center, radius) = center_and_radius(&polygon);
        self.add(side, center, radius, Part::Polygon { polygon, contacts, cuts }, nearest, is_inside);
    }

    /// Adds a region unless nothing in it can be farther than what is known.
    fn add(
        &mut self,
        side: usize,
        center: Point3<f64>,
        radius: f64,
        part: Part,
        nearest: &Triangle,
        mut is_inside: Option<bool>,
    ) {
        let known = (nearest.closest_point(&center) - center).norm();
        if known + radius <= self.enough() {
            self.settled = self.settled.max(known + radius);
            return;
        }
        let other = self.surfaces[side].other;
        if self.is_solid && (other.bounds().closest_point(&center) - center).norm() > radius + self.rounding {
            return;
        }
        let (nearest, distance) = self.probe.closest_triangle(other, &center, *nearest);
        self.stats += self.probe.stats();
        let mut upper = distance + radius;
        if let Part::Polygon { polygon, contacts, .. } = &part {
            // The distance from a triangle is a convex function, so it is greatest at a vertex.
            let farthest = polygon.iter().map(|vertex| (nearest.closest_point(vertex) - vertex).norm());
            upper = upper.min(farthest.fold(0.0, f64::max));
            // The whole triangle is on the side of its centre unless it meets the other surface.
            if is_inside.is_none() && contacts.is_empty() && upper > self.enough() && distance > self.rounding {
                is_inside = Some(self.contains(side, &center));
            }
            if is_inside == Some(false) {
                return;
            }
            self.offer(side, &center, &nearest, distance, is_inside);
        }
        self.push(upper, Region { side, center, radius, nearest, distance, is_inside, part });
    }

    /// Whether a point, which is not on the other surface, counts.
    fn contains(&mut self, side: usize, point: &Point3<f64>) -> bool {
        if !self.is_solid {
            return true;
        }
        let containment = self.probe.contains(self.surfaces[side].other, point);
        self.stats += self.probe.stats();
        containment == Containment::Inside
    }

    /// Takes a point of the surface as the farthest if it is.
    fn offer(
        &mut self,
        side: usize,
        point: &Point3<f64>,
        nearest: &Triangle,
        distance: f64,
        is_inside: Option<bool>,
    ) {
        if distance > self.lower.max(self.rounding) && is_inside.unwrap_or_else(|| self.contains(side, point)) {
            self.lower = distance;
            self.farthest = Some(Farthest { side, points: [*point, nearest.closest_point(point)] });
        }
    }

    /// Divides a region of the queue, whose upper bound is given.
    fn divide(&mut self, index: usize, upper: f64) {
        self.free.push(index);
        let empty = Part::Node(NodeRef::ROOT);
        let part = std::mem::replace(&mut self.regions[index].part, empty);
        let &Region { side, center, radius, nearest, distance, mut is_inside, .. } = &self.regions[index];
        match part {
            Part::Node(node) => {
                let is_apart = distance > radius + self.rounding;
                // If the centre is outside, no point is deeper than the radius exceeds its distance.
                if is_inside.is_none() && (is_apart || radius - distance <= self.lower) && distance > self.rounding {
                    if !self.contains(side, &center) {
                        return;
                    }
                    is_inside = is_apart.then_some(true);
                }
                self.expand(side, node, &nearest, is_inside);
            }
            Part::Polygon { polygon, contacts, cuts } => {
                let mut plane = None;
                if is_inside.is_none() {
                    match self.side_of(side, &polygon, contacts.clone(), &center, radius, distance) {
                        Location::Inside => is_inside = Some(true),
                        Location::Outside { up_to } => {
                            self.settled = self.settled.max(up_to);
                            return;
                        }
                        Location::Crosses(crossed) => plane = Some(crossed),
                        Location::Unknown => {}
                    }
                }
                let plane = plane.or_else(|| self.cutting_plane(side, &polygon, cuts, &center, &nearest, upper, is_inside));
                let Some(plane) = plane.filter(|_| radius > self.rounding) else {
                    self.settled = self.settled.max(upper);
                    return;
                };
                for part in plane.cut(&polygon) {
                    self.add_polygon(side, part, contacts.clone(), cuts + 1, &nearest, is_inside);
                }
            }
        }
    }
}

/// Where a part of a triangle lies.
enum Location {
    Inside,
    /// Outside, but for points that are at most so deep.
    Outside { up_to: f64 },
    /// On both sides of this plane, of a triangle that it may cross.
    Crosses(Plane),
    Unknown,
}

impl Search<'_> {
    /// Where a polygon lies.
    ///
    /// If each triangle that its own triangle meets is below a plane, up to rounding, and the polygon above, then the
    /// polygon's part more than the rounding above all planes lies on one side of the other surface. On the way
    /// straight to its centre, every other point gets there after a short part of it.
    fn side_of(
        &mut self,
        side: usize,
        polygon: &Polygon,
        contacts: Range<u32>,
        center: &Point3<f64>,
        radius: f64,
        distance: f64,
    ) -> Location {
        let margin = 2.0 * self.rounding;
        let mut least = f64::INFINITY;
        for contact in contacts {
            let triangle = self.surfaces[side].contact(contact);
            match separating(&triangle, polygon, margin) {
                Some(plane) => least = least.min(plane.height(center) - margin),
                None => match Plane::of(&triangle).filter(|plane| plane.cuts(polygon, margin)) {
                    Some(plane) => return Location::Crosses(plane),
                    None => return Location::Unknown,
                },
            }
        }
        if least <= 0.0 || distance <= self.rounding {
            return Location::Unknown;
        }
        match self.contains(side, center) {
            true => Location::Inside,
            false => Location::Outside { up_to: if least.is_finite() { 2.0 * margin * radius / least } else { 0.0 } },
        }
    }

    /// The plane that cuts a polygon where the closest triangle changes.
    #[allow(clippy::too_many_arguments)]
    fn cutting_plane(
        &mut self,
        side: usize,
        polygon: &Polygon,
        cuts: u32,
        center: &Point3<f64>,
        nearest: &Triangle,
        upper: f64,
        is_inside: Option<bool>,
    ) -> Option<Plane> {
        let farthest = polygon.iter().map(|vertex| ((nearest.closest_point(vertex) - vertex).norm(), vertex));
        let (from_nearest, vertex) = farthest.max_by(|p, q| p.0.total_cmp(&q.0))?;
        let (other, distance) = self.probe.closest_triangle(self.surfaces[side].other, vertex, *nearest);
        self.stats += self.probe.stats();
        self.offer(side, vertex, &other, distance, is_inside);
        if upper <= self.enough() {
            return None;
        }
        let margin = 4.0 * self.rounding;
        let halves = halving(polygon);
        if cuts % 4 == 3 || from_nearest <= distance {
            return halves;
        }
        let cuts_it = |plane: &Plane| plane.cuts(polygon, margin);
        let planes = [nearest, &other].map(|triangle| Plane::of(triangle).map(|plane| plane.below(center)));
        let between = match planes {
            [Some(p), Some(q)] => p.between(&q),
            _ => None,
        };
        let around = Plane::around(nearest).chain(Plane::around(&other));
        between.into_iter().chain(around).find(cuts_it).or(halves)
    }
}
