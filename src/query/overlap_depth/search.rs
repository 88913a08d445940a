//! The search for the point of either surface that is farthest from the other surface: among the points inside the
//! other mesh, or among all.

use nalgebra::Point3;

use super::DepthOptions;
use super::candidates::{Candidate, Candidates, candidates};
use super::extent::Extent;
use super::moves::Moves;
use super::pieces::Piece;
use super::regions::Regions;
use super::surface::Surface;
use crate::numeric::branch_and_bound::OpenRegions;
use crate::pose::Pose;
use crate::probe::{Containment, Probe};
use crate::query::Query;
use crate::query::clock::time_limit;
use crate::traversal::QueryStats;
use crate::tree::{Seal, View};
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, Node, NodeRef, VolumeKind, for_kind};

/// The result of a search.
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) farthest: Option<Farthest>,
}

/// A point of a surface and the closest point of the other mesh, in the other mesh's frame.
#[derive(Clone, Copy)]
pub(super) struct Farthest {
    /// The side of the surface: 0 for A, 1 for B.
    pub(super) side: usize,
    pub(super) points: [Point3<f64>; 2],
}

impl Farthest {
    /// The points in A's frame.
    pub(super) fn in_frame_of_a(&self, b_to_a: &Pose) -> [Point3<f64>; 2] {
        if self.side == 1 { self.points } else { self.points.map(|point| b_to_a.transform_point(&point)) }
    }
}

/// A part of a surface.
pub(super) struct Region {
    pub(super) side: usize,
    /// A triangle of the other mesh that is close to the part.
    pub(super) near: Triangle,
    pub(super) part: Part,
}

/// The part of a surface that a region consists of.
pub(super) enum Part {
    Node(Branch),
    /// The triangles that meet the other surface and reach at most as far as the region's upper bound.
    Crossing,
    /// A whole triangle.
    Triangle(Candidate),
    Polygon(Box<Piece>),
}

/// The triangles below a node.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    node: NodeRef,
    /// The range of positions, as in [`Search::candidate`], of the triangles below the node.
    range: [usize; 2],
    extent: Extent,
    /// Whether no triangle is closer to the extent's centre than [`Region::near`].
    is_nearest: bool,
}

/// The search: regions wait in a queue, the one of greatest upper bound first, and are divided.
pub(super) struct Search<'a> {
    pub(super) surfaces: [Surface<'a>; 2],
    /// The triangles of each surface that may have points inside the other mesh, if only such points are searched.
    pub(super) candidates: Option<[Candidates; 2]>,
    /// The regions of overlap, if they are searched one by one.
    pub(super) membership: Option<Regions>,
    /// The query that searches. Its marks say whether the points of each surface are inside, where that is known
    /// (points that are too near to tell count as inside), and which triangle of the other mesh is closest.
    pub(super) query: &'a mut Query,
    /// The contacts of pieces, by their numbers in the surfaces.
    pub(super) contact_lists: Vec<u32>,
    pub(super) moves: Moves,
    /// For each surface whose other mesh is open: a ball around the candidates and their surroundings, if there is one,
    /// in which the other mesh's inside ends only at its surface.
    pub(super) seals: [Option<Seal>; 2],
    /// The distance from the candidates of each surface up to which the other mesh's inside ends only at its surface.
    pub(super) sealed_up_to: [f64; 2],
    options: DepthOptions,
    pub(super) regions: OpenRegions<Region>,
    /// The distance of the farthest point so far.
    pub(super) lower: f64,
    pub(super) farthest: Option<Farthest>,
    pub(super) rounding: f64,
    pub(super) probe: Probe,
    pub(super) stats: QueryStats,
}

impl<'a> Search<'a> {
    /// A search for the deepest point inside or, if `is_solid` is false, for the farthest point of all.
    pub(super) fn new(
        query: &'a mut Query,
        surfaces: [Surface<'a>; 2],
        is_solid: bool,
        options: &DepthOptions,
    ) -> Self {
        let mut probe = Probe::with_simd(query.traversal.level);
        let marks = &mut query.depth_marks;
        for (marks, surface) in marks.iter_mut().zip(&surfaces) {
            marks.forget_nearest(surface.tree.point_triangles().count());
        }
        let candidates = is_solid.then(|| [0, 1].map(|side| candidates(&surfaces[side], &mut marks[side], &mut probe)));
        Self {
            rounding: surfaces[0].rounding,
            surfaces,
            candidates,
            membership: None,
            query,
            contact_lists: Vec::new(),
            moves: Moves::default(),
            seals: [None, None],
            sealed_up_to: [0.0; 2],
            options: *options,
            regions: OpenRegions::new(),
            lower: 0.0,
            farthest: None,
            probe,
            stats: QueryStats::default(),
        }
    }

    /// Forgets the results so far, to search other candidates.
    pub(super) fn start_again(&mut self, candidates: [Candidates; 2]) {
        self.candidates = Some(candidates);
        self.contact_lists.clear();
        self.regions = OpenRegions::new();
        (self.lower, self.farthest) = (0.0, None);
    }

    pub(super) fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Searches the surfaces of the given sides; neither mesh is empty.
    pub(super) fn run(&mut self, sides: &[usize]) -> Bounds {
        self.prepare_moves();
        self.drop_moved();
        for &side in sides {
            if self.is_out(side, [0, u32::MAX]) {
                continue;
            }
            let near = self.push_crossing(side);
            match self.counting(side) {
                count if count <= SOME => self.add_triangles(side, [0, count], &near),
                count => self.expand(side, NodeRef::ROOT, [0, count], &near),
            }
        }
        let is_late = time_limit(self.options.time_limit);
        let (mut examined, mut upper) = (0, 0.0);
        while let Some((region, bound)) = self.regions.pop() {
            examined += 1;
            let is_over =
                examined > self.options.max_regions || examined.is_multiple_of(REGIONS_PER_CLOCK) && is_late();
            if bound <= self.enough() || is_over || self.query.traversal.interrupt.step().is_break() {
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

    /// The greatest upper bound that is near enough to the lower one to end the search.
    pub(super) fn enough(&self) -> f64 {
        let DepthOptions { relative_tolerance, absolute_tolerance, .. } = self.options;
        self.lower + (relative_tolerance * self.lower).max(absolute_tolerance).max(4.0 * self.rounding)
    }

    pub(super) fn push(&mut self, upper: f64, region: Region) {
        let enough = self.enough();
        self.regions.push(upper, enough, region);
    }

    /// Adds all triangles that meet the other surface as one region, since most of them are less deep than those that
    /// are wholly inside. Returns a triangle of the other mesh.
    fn push_crossing(&mut self, side: usize) -> Triangle {
        let surface = &self.surfaces[side];
        let crossing = self.candidates.as_ref().map_or(&[][..], |of| &of[side].crossing);
        let Some(first) = crossing.first() else { return surface.other_triangle(0) };
        let near = surface.contact(surface.contacts_of(first.leaf as usize).start);
        let upper = crossing.iter().fold(0.0, |most: f64, triangle| most.max(surface.reach(triangle.leaf as usize)));
        self.push(upper, Region { side, near, part: Part::Crossing });
        near
    }

    /// Adds, one by one, the triangles that meet the other surface and reach farthest, and puts the rest back as one
    /// region.
    fn expand_crossing(&mut self, index: usize, side: usize, upper: f64) {
        let (least, mut rest) = (AT_ONCE * upper, 0.0_f64);
        for i in 0.. {
            let crossing = |candidates: &[Candidates; 2]| candidates[side].crossing.get(i).copied();
            let Some(triangle) = self.candidates.as_ref().and_then(crossing) else { break };
            let (surface, leaf) = (&self.surfaces[side], triangle.leaf as usize);
            let reach = surface.reach(leaf);
            if reach <= least {
                rest = rest.max(reach);
            } else if reach <= upper {
                let near = surface.contact(surface.contacts_of(leaf).start);
                self.add_triangle(side, triangle, &near);
            }
        }
        self.regions.put_back(index, rest);
    }

    /// Adds the children of a node, or the triangles below it if there are few. `near` is a triangle of the other mesh.
    fn expand(&mut self, side: usize, node: NodeRef, [mut start, last]: [usize; 2], near: &Triangle) {
        if node.is_leaf() {
            return self.add_triangles(side, [start, last], near);
        }
        let surface = &self.surfaces[side];
        let (kind, frame, view) = (surface.tree.kind(), surface.tree.meta().frame, surface.view());
        let (children, wide) = (node.children(), Node::at(view.nodes, kind, node));
        for lane in 0..children {
            let child = wide.child(lane);
            let end = match lane + 1 < children {
                true => self.position(side, first_triangle(&view, kind, wide.child(lane + 1)), [start, last]),
                false => last,
            };
            match end - start {
                0 => {}
                1..=FEW => self.add_triangles(side, [start, end], near),
                _ => {
                    let volume = for_kind!(kind, V => V::unpack(&wide.fields(lane), &frame));
                    let extent = Extent::new(&self.surfaces[side], &volume);
                    let part = Part::Node(Branch { node: child, range: [start, end], extent, is_nearest: false });
                    let upper = near.distance_at_most(&extent.center) + extent.radius;
                    self.push(upper, Region { side, near: *near, part });
                }
            }
            start = end;
        }
    }

    /// The number of triangles to search besides those that are known to meet the other surface: the inner candidates
    /// or, if points outside are searched too, all triangles.
    fn counting(&self, side: usize) -> usize {
        self.candidates.as_ref().map_or(self.surfaces[side].view().corners.len(), |of| of[side].inner.len())
    }

    /// The position, as in [`Search::candidate`], of the first triangle whose leaf index is not less than `leaf`. The
    /// result is in the given range.
    fn position(&self, side: usize, leaf: usize, [start, end]: [usize; 2]) -> usize {
        let is_before = |candidate: &Candidate| (candidate.leaf as usize) < leaf;
        let among = |of: &[Candidates; 2]| start + of[side].inner[start..end].partition_point(is_before);
        self.candidates.as_ref().map_or(leaf, among)
    }

    /// One of the triangles that [`Search::counting`] counts, by its position among them, which is in the order of leaf
    /// indices.
    pub(super) fn candidate(&self, side: usize, at: usize) -> Candidate {
        match &self.candidates {
            Some(candidates) => candidates[side].inner[at],
            None => Candidate::whole(at as u32, true),
        }
    }

    /// Whether a point, which is not on the other surface, is inside the other mesh.
    pub(super) fn contains(&mut self, side: usize, point: &Point3<f64>) -> bool {
        self.containment(side, point) == Containment::Inside
    }

    /// Whether a point that is not on the other mesh's surface is inside or outside that mesh.
    pub(super) fn containment(&mut self, side: usize, point: &Point3<f64>) -> Containment {
        let other = self.surfaces[side].other;
        let sealed = self.seals[side].as_ref().and_then(|seal| {
            let containment = self.probe.sealed_side(other, point, seal);
            self.stats += self.probe.stats();
            containment
        });
        if let Some(containment) = sealed {
            return containment;
        }
        let containment = self.probe.robust_side(other, point);
        self.stats += self.probe.stats();
        containment
    }

    /// Whether a point is surely outside the other mesh, if that mesh may be open near the candidates; false otherwise.
    /// All points around such a point, up to the surface, count as outside.
    fn is_surely_outside(&mut self, side: usize, point: &Point3<f64>) -> bool {
        if self.candidates.is_none() || self.sealed_up_to[side] > 0.0 {
            return false;
        }
        let found = self.probe.likely_side(self.surfaces[side].other, point);
        self.stats += self.probe.stats();
        found.containment == Containment::Outside && found.is_sure
    }

    /// Whether a point of a triangle, which is not on the other surface, is inside the other mesh and in the region
    /// being searched; `None` if rounding hides which region it is in.
    pub(super) fn counts(&mut self, side: usize, leaf: u32, point: &Point3<f64>) -> Option<bool> {
        let has = |regions: &Regions| regions.has(&self.surfaces[side], leaf as usize, point);
        let is_member = self.membership.as_ref().map_or(Some(true), has);
        if is_member != Some(false) && self.contains(side, point) { is_member } else { Some(false) }
    }

    /// Records a point of a triangle, at `distance` from the triangle `near` of the other mesh, if it is farther away
    /// than the farthest point so far and is searched ([`Search::counts`]), which may be known.
    pub(super) fn offer(
        &mut self,
        side: usize,
        leaf: u32,
        point: &Point3<f64>,
        near: &Triangle,
        distance: f64,
        is_known_to_count: bool,
    ) {
        if distance > self.lower.max(self.rounding)
            && (is_known_to_count || self.counts(side, leaf, point) == Some(true))
        {
            self.lower = distance;
            self.farthest = Some(Farthest { side, points: [*point, near.closest_point(point)] });
        }
    }

    /// The closest triangle of the other mesh to a point, and its distance; or the first one found at a distance of at
    /// most `enough`.
    pub(super) fn nearest(
        &mut self,
        side: usize,
        point: &Point3<f64>,
        near: &Triangle,
        enough: f64,
    ) -> (Triangle, f64) {
        let other = self.surfaces[side].other;
        let nearest = self.probe.closest_triangle(other, NodeRef::ROOT, point, *near, enough);
        self.stats += self.probe.stats();
        nearest
    }

    /// Finds a better bound for a region of the queue, or divides it.
    fn examine(&mut self, index: usize, upper: f64) {
        let Region { side, near, ref part } = self.regions[index];
        let inner = |at: usize| self.candidates.as_ref().map_or(at as u32, |of_sides| of_sides[side].inner[at].leaf);
        let leaves = match part {
            Part::Node(Branch { range: [start, end], .. }) => [inner(*start), inner(end - 1)],
            Part::Crossing => [0, u32::MAX],
            Part::Triangle(triangle) => [triangle.leaf; 2],
            Part::Polygon(piece) => [piece.leaf(); 2],
        };
        if !matches!(part, Part::Node(_) | Part::Crossing) {
            self.count_examined();
        }
        if self.is_out(side, leaves) {
            return self.regions.remove(index);
        }
        match self.regions[index].part {
            Part::Node(branch) => self.examine_branch(index, branch, upper),
            Part::Crossing => self.expand_crossing(index, side, upper),
            Part::Triangle(triangle) => {
                self.regions.remove(index);
                self.clip(side, triangle, &near);
            }
            Part::Polygon(_) => self.examine_piece(index, upper),
        }
    }

    fn examine_branch(&mut self, index: usize, branch: Branch, upper: f64) {
        let Region { side, near, .. } = self.regions[index];
        let Branch { node, range, extent, is_nearest } = branch;
        let level = self.query.traversal.level;
        if is_nearest {
            self.regions.remove(index);
            return self.expand(side, node, range, &near);
        }
        let mut better = upper.min(extent.greatest_distance(level, &near));
        let (mut near, enough) = (near, self.enough());
        if better > enough {
            let near_enough = enough - extent.radius;
            let distance;
            (near, distance) = self.nearest(side, &extent.center, &near, near_enough);
            // A triangle that is near enough may not be the closest.
            let is_clear = distance > near_enough.max(extent.radius + self.rounding);
            if is_clear && self.is_surely_outside(side, &extent.center) {
                return self.regions.remove(index);
            }
            better = better.min(extent.greatest_distance(level, &near));
        }
        if better <= enough {
            return self.regions.settle(index, better);
        }
        if self.regions.greatest().is_none_or(|greatest| greatest <= better) {
            self.regions.remove(index);
            return self.expand(side, node, range, &near);
        }
        self.regions[index] = Region { side, near, part: Part::Node(Branch { is_nearest: true, ..branch }) };
        self.regions.put_back(index, better);
    }
}

/// The number of regions after which the clock is read.
const REGIONS_PER_CLOCK: usize = 64;

/// Of the triangles that meet the other surface, those that reach farther than this fraction of the farthest reach are
/// added together.
const AT_ONCE: f64 = 0.75;

/// The number of triangles below a node up to which they are added directly, without a region for the node.
const FEW: usize = 4;

/// The number of triangles ([`Search::counting`]) up to which they are added directly, without traversing the tree.
const SOME: usize = 16;

/// The leaf index of the first triangle below a node.
fn first_triangle(view: &View<'_>, kind: VolumeKind, mut node: NodeRef) -> usize {
    while !node.is_leaf() {
        node = Node::at(view.nodes, kind, node).child(0);
    }
    node.first_triangle()
}
