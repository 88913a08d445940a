//! Translations of B out of A, which bound the depth of all points that are outside afterwards.
//!
//! A point of either surface that is outside the other solid after a move has left it on the straight path there, so
//! the point is no deeper than the length of the move. Where two solids overlap shallowly, little or nothing is left
//! inside after one move along the shortest way out from the deepest point.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::candidates::{Candidate, Candidates, candidates};
use super::search::Search;
use super::surface::Surface;
use crate::shape::Aabb;
use crate::traversal::PosedTrees;
use crate::triangle::Triangle;

/// What moves have shown, and when the next one is tried.
#[derive(Default)]
pub(super) struct Moves {
    /// The leaf indices of the triangles of each surface that may have points deeper than the moves are long; `None` if
    /// there was no move.
    left: Option<[Vec<u32>; 2]>,
    /// The depth from which on B is moved again.
    try_from: f64,
    tries_left: usize,
    /// The number of triangles and parts of them that were examined.
    examined: usize,
}

/// The number of moves that are tried, at most.
const TRIES: usize = 2;

/// The factor by which the depth has to rise before the next try.
const RISE: f64 = 1.02;

/// The share of the contacts that a move may leave; examining more of them would take longer than the move saves.
const MOST_LEFT: f64 = 0.25;

/// The number of triangles up to which the deepest vertex is found before the first move.
const FEW: usize = 200;

/// The number of triangles up to which moves are tried. With more triangles, a move would leave most of them inside.
const MANY: usize = 1000;

/// The number of parts that are examined before a move, so that the depth is nearly known.
const FIRST: usize = 16;

/// The radius of a ball of [`Search::seals`], as a multiple of the candidates' bounding radius: the ball holds all caps
/// that are no higher above the candidates than that radius.
const SEALED: f64 = 2.5;

/// The fraction of the tolerance by which a move is shorter than [`Search::enough`].
const SPARE: f64 = 0.25;

/// A box around all points of a surface that may be inside the other mesh. If a triangle meets the other surface, its
/// part inside lies in the convex hull of its vertices inside and its contacts.
fn extent_inside(surface: &Surface<'_>, of_side: &Candidates, rounding: f64) -> Aabb {
    let mut bounds = Aabb::empty();
    for triangle in of_side.crossing.iter().chain(&of_side.inner) {
        let vertices = surface.vertices(triangle.leaf as usize);
        let may_be_inside = vertices.iter().zip(triangle.vertices).filter(|(_, side)| *side != Some(false));
        may_be_inside.for_each(|(vertex, _)| bounds.grow(vertex));
        let own = Aabb::from_points(&vertices).grown(rounding);
        for contact in surface.contacts_of(triangle.leaf as usize) {
            let common = own.intersection(&Aabb::from_points(&surface.contact(contact).vertices));
            bounds = common.map_or(bounds, |common| bounds.union(&common));
        }
    }
    bounds
}

impl Search<'_> {
    /// Allows moves, unless there are too many triangles or contacts or the inside may end where there is no surface.
    /// Makes the first one immediately if there are few triangles.
    pub(super) fn prepare_moves(&mut self) {
        self.moves = Moves::default();
        let Some(mut of_sides) = self.candidates.take() else { return };
        let count: usize = of_sides.iter().map(|of_side| of_side.crossing.len() + of_side.inner.len()).sum();
        // A move takes about as long as it takes to find all contacts.
        let are_few = count <= MANY && 8 * count >= self.surfaces[0].contacts.len();
        self.seal(&mut of_sides, are_few);
        if are_few && self.sealed_up_to.iter().all(|&up_to| up_to > 0.0) {
            self.moves.tries_left = TRIES;
            if count <= FEW {
                self.look_at_vertices(&of_sides);
            }
        }
        self.candidates = Some(of_sides);
        self.move_out();
    }

    /// Finds where the inside of each mesh ends only at its surface: everywhere for a closed mesh; for an open one,
    /// around the candidates, if they are few and the boundary is far from them.
    fn seal(&mut self, of_sides: &mut [Candidates; 2], are_few: bool) {
        (self.seals, self.sealed_up_to) = ([None, None], [0.0; 2]);
        for (side, of_side) in of_sides.iter_mut().enumerate() {
            let (surface, other) = (&self.surfaces[side], self.surfaces[side].other);
            if other.watertightness().is_closed() {
                self.sealed_up_to[side] = f64::INFINITY;
            } else if are_few {
                let bounds = extent_inside(surface, of_side, self.rounding);
                let (center, radius) = (bounds.center(), bounds.half_extents().norm());
                let level = self.query.traversal.level;
                self.seals[side] = other.winding().seal(level, &other.view(), other.bounds(), &center, SEALED * radius);
                if self.seals[side].is_some() {
                    self.sealed_up_to[side] = radius;
                }
            }
            if self.sealed_up_to[side] == 0.0 {
                let unknown = |triangle: &mut Candidate| *triangle = Candidate::whole(triangle.leaf, false);
                of_side.inner.iter_mut().for_each(unknown);
            }
        }
    }

    /// Finds the deepest vertex inside. Vertices are examined in the order of upper bounds on their depths, the
    /// greatest first, until no bound exceeds the greatest depth found.
    fn look_at_vertices(&mut self, of_sides: &[Candidates; 2]) {
        let mut vertices = Vec::new();
        let mut near =
            [0, 1].map(|side| SmallVec::<[Triangle; 8]>::from_elem(self.surfaces[side].other_triangle(0), 1));
        for (side, of_side) in of_sides.iter().enumerate() {
            let (surface, marks) = (&self.surfaces[side], &mut self.query.depth_marks[side]);
            marks.forget_seen(surface.tree.point_triangles().count());
            for triangle in of_side.crossing.iter().chain(&of_side.inner) {
                let (leaf, mut positions) = (triangle.leaf as usize, None);
                for (corner, point) in surface.points(leaf).into_iter().enumerate() {
                    // Triangles share vertices.
                    if triangle.vertices[corner] == Some(false) || !marks.see(point) {
                        continue;
                    }
                    let positions = *positions.get_or_insert_with(|| {
                        if let Some(contact) = surface.contacts_of(leaf).next() {
                            near[side][0] = surface.contact(contact);
                        }
                        surface.vertices(leaf)
                    });
                    vertices.push((near[side][0].distance_at_most(&positions[corner]), side, corner, *triangle));
                }
            }
        }
        vertices.sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
        for (at_most, side, corner, triangle) in vertices {
            if at_most <= self.lower {
                break;
            }
            let leaf = triangle.leaf as usize;
            let (point, position) =
                (self.surfaces[side].points(leaf)[corner], self.surfaces[side].vertices(leaf)[corner]);
            // The triangles that are closest to other vertices may be near enough to this one, too.
            let is_near = |near: &Triangle| near.distance_at_most(&position) <= self.lower;
            if !near[side].iter().rev().any(is_near)
                && triangle.vertices[corner].unwrap_or_else(|| self.may_be_inside(side, point, &position))
            {
                let known = near[side][near[side].len() - 1];
                let nearest = self.nearest_to_vertex(side, point, &position, known, &triangle);
                if near[side].len() < near[side].inline_size() {
                    near[side].push(nearest);
                }
            }
        }
    }

    /// Counts an examined part of a triangle. After the first few, moves B if that is worthwhile.
    pub(super) fn count_examined(&mut self) {
        self.moves.examined += 1;
        if self.moves.examined > FIRST {
            self.move_out();
        }
    }

    /// Moves B along the way out from the deepest point, if a deeper one was found since the last move.
    fn move_out(&mut self) {
        if self.moves.tries_left == 0 || self.lower <= self.moves.try_from.max(16.0 * self.rounding) {
            return;
        }
        if [0, 1].iter().any(|&side| self.way_out(side).is_none()) {
            return;
        }
        self.moves.tries_left -= 1;
        self.moves.try_from = RISE * self.lower;
        let most = MOST_LEFT * self.surfaces[0].contacts.len() as f64;
        // Where the other solid is flat, the shortest move leaves nothing. Otherwise it ends at the first contact.
        let is_none_left = |left: &[Vec<u32>; 2]| left.iter().all(Vec::is_empty);
        let tight = self.tight_length().filter(|&tight| self.left_after(tight, 0).as_ref().is_some_and(is_none_left));
        let length = tight.unwrap_or_else(|| self.move_length());
        let left = if tight.is_some() { Some(Default::default()) } else { self.left_after(length, most as usize) };
        let Some(mut left) = left else { return };
        self.regions.settle_bound(length);
        if let Some(last) = &self.moves.left {
            for (left, last) in left.iter_mut().zip(last) {
                left.retain(|leaf| last.binary_search(leaf).is_ok());
            }
        }
        self.moves.left = Some(left);
    }

    /// Drops the candidates that moves have shown to be shallow enough not to matter.
    pub(super) fn drop_moved(&mut self) {
        let (Some(left), Some(of_sides)) = (&self.moves.left, &mut self.candidates) else { return };
        for (left, of_side) in left.iter().zip(of_sides) {
            of_side.crossing.retain(|candidate| left.binary_search(&candidate.leaf).is_ok());
            of_side.inner.retain(|candidate| left.binary_search(&candidate.leaf).is_ok());
        }
    }

    /// Whether moves have shown that all triangles of a surface from the first to the last leaf index are shallow
    /// enough not to matter.
    pub(super) fn is_out(&self, side: usize, [first, last]: [u32; 2]) -> bool {
        let is_out = |left: &[Vec<u32>; 2]| {
            let next = left[side].partition_point(|&leaf| leaf < first);
            left[side].get(next).is_none_or(|&leaf| leaf > last)
        };
        self.moves.left.as_ref().is_some_and(is_out)
    }

    /// The leaf indices of the triangles of each surface that may have points inside after a move of this length along
    /// the way out from the deepest point. `None` if the move leaves more contacts than `most`, or can't be made.
    fn left_after(&mut self, length: f64, most: usize) -> Option<[Vec<u32>; 2]> {
        let direction = self.way_out(1)?.try_normalize(f64::MIN_POSITIVE)?;
        let pose = self.surfaces[0].pose_moved(&(direction * (length - 4.0 * self.rounding)));
        let trees = [0, 1].map(|side| self.surfaces[side].tree);
        let posed = PosedTrees::new(trees, &pose);
        let contacts = self.query.leaf_contacts(&posed, most);
        self.stats += self.query.stats;
        let contacts = contacts.filter(|_| !self.query.traversal.interrupt.is_set())?;
        Some([0, 1].map(|side| {
            let surface = Surface::new(trees, &posed, side, &contacts);
            let left = candidates(&surface, &mut self.query.moved_marks[side], &mut self.probe);
            let mut left: Vec<u32> = left.crossing.iter().chain(&left.inner).map(|triangle| triangle.leaf).collect();
            left.sort_unstable();
            left
        }))
    }

    /// The vector along which a surface moves on the shortest way out of the other solid from the deepest point found;
    /// not normalized, in the other mesh's frame. `None` if no point was found, or if moves prove nothing because
    /// points outside count too or because the inside may end where there is no surface.
    pub(super) fn way_out(&self, side: usize) -> Option<Vector3<f64>> {
        let is_solid = self.candidates.is_some() && self.enough() <= self.sealed_up_to[side];
        let farthest = self.farthest.filter(|_| is_solid)?;
        let [point, way_out] = farthest.points;
        let back = |p| self.surfaces[side].to_other(p);
        Some(if farthest.side == side { way_out - point } else { back(&point) - back(&way_out) })
    }

    /// The length of a move: [`Search::enough`], less a part of the tolerance.
    pub(super) fn move_length(&self) -> f64 {
        self.enough() - SPARE * (self.enough() - self.lower)
    }

    /// The length of the shortest move that may suffice, where the other solid is flat: the greatest depth found, and a
    /// little for rounding. `None` if it is not less than [`Search::move_length`], or if the upper bound of a settled
    /// region is higher.
    pub(super) fn tight_length(&self) -> Option<f64> {
        let tight = self.lower + 16.0 * self.rounding;
        (tight < self.move_length() && self.regions.settled() <= tight).then_some(tight)
    }
}
