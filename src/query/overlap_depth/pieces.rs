//! The regions of a search that are parts of triangles.

use std::ops::Range;

use nalgebra::Point3;
use smallvec::SmallVec;

use super::candidates::Candidate;
use super::hull::hull;
use super::mixture::Mixture;
use super::piece::{Plane, Polygon, center_and_radius, halving, separating};
use super::search::{Part, Region, Search};
use crate::shape::Aabb;
use crate::triangle::Triangle;

/// A part of a triangle: a convex polygon. Only its points inside the other mesh are considered.
#[derive(Clone)]
pub(super) struct Piece {
    polygon: Polygon,
    /// An upper bound on the distances of the polygon's points from the other surface.
    mixture: Mixture,
    /// Triangles of the other mesh that are close: those that were closest to the last points examined.
    near: Near,
    /// The range of [`Search::contact_lists`] with the contacts that the polygon may meet.
    contacts: Range<u32>,
    /// The number of cuts that made this piece.
    cuts: u32,
    triangle: Candidate,
    /// The distance from the other surface beyond which all points of the polygon are inside, and in the region being
    /// searched; `None` if none is known.
    inside_beyond: Option<f64>,
}

/// Triangles of the other mesh that are close to a piece; at least one.
type Near = SmallVec<[Triangle; 3]>;

/// The location of a piece that is not known to be inside.
enum Location {
    /// The piece is outside, except for points of at most this depth.
    Outside { up_to: f64 },
    /// The piece is on both sides of this plane, which is one of the planes of a triangle that the piece may cross.
    Crosses(Plane),
}

/// The number of a piece's contacts whose triangles are mixed into its first bound, at most.
const MANY: usize = 2;

/// The number of triangles close to a piece that its parts inherit.
const MANY_NEAR: usize = 3;

/// The share of the gap between the bounds that the closest triangle to the piece's peak has to close; otherwise the
/// piece is cut.
const PROGRESS: f64 = 0.25;

/// If the distance at a piece's peak is less than this fraction of the piece's bound, the bound is loose there.
const FAR_BELOW: f64 = 0.9;

/// The depth that is accepted as the bound for a piece that is outside doubles with each cut, up to this number of
/// cuts.
const MAX_DOUBLINGS: u32 = 10;

impl Search<'_> {
    /// Adds a triangle; `near` is a triangle of the other mesh, from which the first bound is computed.
    pub(super) fn add_triangle(&mut self, side: usize, triangle: Candidate, near: &Triangle) {
        if self.is_out(side, [triangle.leaf; 2]) {
            return;
        }
        let upper = near.greatest_distance_at_most(&self.surfaces[side].vertices(triangle.leaf as usize));
        self.push(upper, Region { side, near: *near, part: Part::Triangle(triangle) });
    }

    /// Adds the triangles that [`Search::candidate`] returns for a range of positions. `near` is a triangle of the
    /// other mesh.
    pub(super) fn add_triangles(&mut self, side: usize, [start, end]: [usize; 2], near: &Triangle) {
        let level = self.query.traversal.level;
        for first in (start..end).step_by(2) {
            let pair = [first, (first + 1).min(end - 1)].map(|at| self.candidate(side, at));
            let vertices = pair.map(|triangle| self.surfaces[side].vertices(triangle.leaf as usize));
            let bounds = near.greatest_distances_at_most(level, &vertices);
            for (triangle, upper) in pair.into_iter().zip(bounds).take(end - first) {
                if !self.is_out(side, [triangle.leaf; 2]) {
                    self.push(upper, Region { side, near: *near, part: Part::Triangle(triangle) });
                }
            }
        }
    }

    /// Replaces a triangle by a polygon around its part inside. For one that meets the other surface, it is the convex
    /// hull of its vertices inside and of the segments in which it meets the other surface.
    pub(super) fn clip(&mut self, side: usize, triangle: Candidate, near: &Triangle) {
        let leaf = triangle.leaf as usize;
        let (corners, vertices) = (self.surfaces[side].points(leaf), self.surfaces[side].vertices(leaf));
        let contacts = self.surfaces[side].contacts_of(leaf);
        let mut polygon = Polygon::from_slice(&vertices);
        let mut are_inside = [true; 3];
        if !contacts.is_empty() {
            are_inside = std::array::from_fn(|k| {
                triangle.vertices[k].unwrap_or_else(|| self.may_be_inside(side, corners[k], &vertices[k]))
            });
            polygon = self.inner_hull(side, &vertices, are_inside, contacts.clone()).unwrap_or(polygon);
        }
        let mut close = Near::new();
        for k in 0..3 {
            if are_inside[k] {
                let known = close.last().unwrap_or(near);
                let nearest = self.nearest_to_vertex(side, corners[k], &vertices[k], *known, &triangle);
                let bound = nearest.greatest_distance_at_most(&polygon);
                if bound <= self.enough() {
                    return self.regions.settle_bound(bound);
                }
                if !close.contains(&nearest) {
                    close.push(nearest);
                }
            }
        }
        if close.is_empty() {
            close.push(*near);
        }
        let start = self.contact_lists.len() as u32;
        self.contact_lists.extend(contacts);
        let contacts = start..self.contact_lists.len() as u32;
        let (mixture, inside_beyond) = (Mixture::new(&close[0], &polygon), triangle.is_inside.then_some(0.0));
        self.add_piece(side, Piece { polygon, mixture, near: close, contacts, cuts: 0, triangle, inside_beyond });
    }

    /// The triangle of the other mesh closest to a vertex, remembered for all triangles that share the vertex; or, if
    /// the vertex is no deeper than the deepest point so far, a triangle that shows this.
    pub(super) fn nearest_to_vertex(
        &mut self,
        side: usize,
        point: usize,
        vertex: &Point3<f64>,
        known: Triangle,
        triangle: &Candidate,
    ) -> Triangle {
        if let Some(nearest) = self.query.depth_marks[side].nearest(point) {
            return nearest;
        }
        let (nearest, distance) = self.nearest(side, vertex, &known, self.lower);
        // Points too near to tell count as inside.
        let is_known = self.membership.is_none() && self.sealed_up_to[side] > 0.0 && distance > 2.0 * self.rounding;
        let is_inside = triangle.is_inside || is_known && self.query.depth_marks[side].side(point) == Some(true);
        self.offer(side, triangle.leaf, vertex, &nearest, distance, is_inside);
        self.query.depth_marks[side].set_nearest(point, nearest);
        nearest
    }

    /// The convex hull of the part of a triangle that is inside the other solid; `None` if rounding hides where the
    /// triangle meets the other surface, or the triangle has no area.
    fn inner_hull(
        &mut self,
        side: usize,
        vertices: &[Point3<f64>; 3],
        are_inside: [bool; 3],
        contacts: Range<u32>,
    ) -> Option<Polygon> {
        let mut points = Vec::with_capacity(3 + 2 * contacts.len());
        for contact in contacts {
            if self.membership.as_ref().is_some_and(|regions| !regions.has_contact(side, contact)) {
                continue;
            }
            points.extend(self.surfaces[side].common_segment(contact)?);
        }
        points.extend(vertices.iter().zip(are_inside).filter(|(_, is_inside)| *is_inside).map(|(vertex, _)| *vertex));
        hull(points, &Triangle { vertices: *vertices })
    }

    /// Whether a vertex is inside the other mesh, or too near to its surface to tell.
    pub(super) fn may_be_inside(&mut self, side: usize, point: usize, vertex: &Point3<f64>) -> bool {
        if let Some(is_inside) = self.query.depth_marks[side].side(point) {
            return is_inside;
        }
        let is_inside = self.is_near(side, vertex) || self.contains(side, vertex);
        self.query.depth_marks[side].set_side(point, is_inside);
        is_inside
    }

    /// Whether a point is too near to the other mesh's surface to tell whether it is inside that mesh.
    pub(super) fn is_near(&mut self, side: usize, point: &Point3<f64>) -> bool {
        self.probe.closest_point_within(self.surfaces[side].other, point, self.rounding).is_some()
    }

    /// Adds a piece, whose mixture is that of the first triangle that is close.
    fn add_piece(&mut self, side: usize, mut piece: Piece) {
        if piece.polygon.is_empty() {
            return;
        }
        let (enough, first) = (self.enough(), piece.contacts.clone().take(MANY));
        let met = first.map(|i| self.surfaces[side].contact(self.contact_lists[i as usize]));
        for other in piece.near[1..].iter().copied().chain(met) {
            if piece.mixture.greatest() <= enough {
                break;
            }
            piece.mixture.add(&Mixture::new(&other, &piece.polygon));
        }
        let (upper, near) = (piece.mixture.greatest(), piece.near[0]);
        self.push(upper, Region { side, near, part: Part::Polygon(Box::new(piece)) });
    }

    /// Finds a better bound for a piece, or cuts it.
    pub(super) fn examine_piece(&mut self, index: usize, upper: f64) {
        let (side, Part::Polygon(piece)) = (self.regions[index].side, &self.regions[index].part) else { return };
        let (peak, leaf, known) = (piece.mixture.peak(&piece.polygon), piece.leaf(), piece.near[0]);
        let inside_beyond = piece.inside_beyond;
        let (near, distance) = self.nearest(side, &peak, &known, -1.0);
        self.offer(side, leaf, &peak, &near, distance, inside_beyond.is_some_and(|beyond| distance > beyond));
        let (enough, lower) = (self.enough(), self.lower);
        let Part::Polygon(piece) = &mut self.regions[index].part else { return };
        piece.mixture.add(&Mixture::new(&near, &piece.polygon));
        if near != known {
            piece.near.retain(|other| *other != near);
            piece.near.insert(0, near);
            piece.near.truncate(MANY_NEAR);
        }
        let (better, cuts) = (upper.min(piece.mixture.greatest()), piece.cuts);
        if better <= enough {
            return self.regions.settle(index, better);
        }
        if upper - better > PROGRESS * (upper - lower) {
            return self.regions.put_back(index, better);
        }
        if let Some(bound) = self.cap_piece(index) {
            return self.regions.settle(index, bound);
        }
        // Every fourth cut is of another kind, so that no piece stays long in one direction.
        if distance < FAR_BELOW * better
            && cuts % 4 != 3
            && let Some(plane) = self.peak_plane(index)
        {
            return self.cut(index, &plane);
        }
        match self.locate(index) {
            Some(Location::Crosses(plane)) => self.cut(index, &plane),
            Some(Location::Outside { up_to }) => self.regions.settle(index, up_to),
            None => match self.cutting_plane(index) {
                Some(plane) => self.cut(index, &plane),
                None => self.regions.settle(index, better),
            },
        }
    }

    /// An upper bound on a piece's depth that is near enough to the lower bound, if there is a cap over the piece.
    fn cap_piece(&mut self, index: usize) -> Option<f64> {
        let Region { side, part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        let (side, way_out) = (*side, self.way_out(*side)?);
        let polygon = piece.polygon.clone();
        self.cap(side, &polygon, &way_out)
    }

    /// Replaces a piece by its parts on both sides of a plane.
    fn cut(&mut self, index: usize, plane: &Plane) {
        let Region { side, part: Part::Polygon(piece), .. } = &self.regions[index] else { return };
        let (side, cuts) = (*side, piece.cuts + 1);
        let parts = plane.cut(&piece.polygon).map(|polygon| {
            let (near, contacts) = (piece.near.clone(), piece.contacts.clone());
            Piece { mixture: Mixture::new(&near[0], &polygon), polygon, near, contacts, cuts, ..**piece }
        });
        self.regions.remove(index);
        for part in parts {
            self.add_piece(side, part);
        }
    }

    /// Determines whether a piece is inside, where that is not known yet and rounding does not hide it. A piece that is
    /// inside is marked as such; otherwise its location is returned, if it was found.
    ///
    /// Suppose that each contact's triangle has a plane with the triangle below it and the piece above it, up to
    /// rounding. Then those points of the piece that are higher over all planes than the rounding lie on one side of
    /// the other surface. Every other point gets there after a part of the straight way to the piece's centre, which is
    /// short unless the piece is nearly in one of the planes. So a point that is farther from the other surface than
    /// that part is long lies on the same side, too.
    fn locate(&mut self, index: usize) -> Option<Location> {
        let Region { side, part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        if piece.inside_beyond.is_some() {
            return None;
        }
        let (side, margin, (center, radius)) = (*side, 2.0 * self.rounding, center_and_radius(&piece.polygon));
        let surface = &self.surfaces[side];
        let bounds = Aabb::from_points(&piece.polygon).grown(margin);
        let (mut planes, mut met): (SmallVec<[Plane; 4]>, SmallVec<[u32; 8]>) = Default::default();
        let mut crossing = None;
        for i in piece.contacts.clone() {
            let contact = self.contact_lists[i as usize];
            let triangle = surface.contact(contact);
            if bounds.intersection(&Aabb::from_points(&triangle.vertices)).is_none() {
                continue;
            }
            match separating(&triangle, &piece.polygon, &center, margin) {
                Some(plane) if piece.polygon.iter().all(|point| plane.height(point) > margin) => continue,
                Some(plane) if plane.height(&center) > margin => planes.push(plane),
                // Rounding hides the height over every plane.
                _ => crossing = crossing.or(Some(triangle)),
            }
            met.push(contact);
        }
        let (contacts, polygon) = (piece.contacts.clone(), &piece.polygon);
        // One of the triangle's own planes cuts the piece.
        let cut = crossing.map(|triangle| {
            let mut cutting = Plane::of(&triangle).into_iter().chain(Plane::around(&triangle));
            cutting.find(|plane| plane.cuts(polygon, margin))
        });
        if met.len() < contacts.len() {
            let start = self.contact_lists.len() as u32;
            self.contact_lists.extend(met);
            let contacts = start..self.contact_lists.len() as u32;
            if let Part::Polygon(piece) = &mut self.regions[index].part {
                piece.contacts = contacts;
            }
        }
        if let Some(cut) = cut {
            return cut.map(Location::Crosses);
        }
        let Region { part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        let height =
            |point| planes.iter().fold(f64::INFINITY, |least: f64, plane| least.min(plane.height(point))) - margin;
        let least = height(&center);
        if least <= 0.0 {
            return None;
        }
        let (cuts, leaf) = (piece.cuts, piece.triangle.leaf);
        let vertices = surface.vertices(piece.triangle.leaf as usize);
        let mut known =
            vertices.iter().zip(piece.triangle.vertices).filter(|(vertex, _)| piece.polygon.contains(vertex));
        let is_inside = match known.find_map(|(vertex, side)| side.filter(|_| height(vertex) > 0.0)) {
            Some(is_inside) => is_inside,
            None if self.is_near(side, &center) => return None,
            None => self.counts(side, leaf, &center)?,
        };
        let up_to = 2.0 * margin * radius / least;
        if !is_inside {
            // Narrow pieces stay narrow: after more cuts, a greater depth outside is accepted as the piece's bound.
            let enough = self.enough() * f64::from(1 << cuts.min(MAX_DOUBLINGS));
            return (up_to <= enough).then_some(Location::Outside { up_to });
        }
        // Parts of a marked piece are not located again, so points outside must be near enough to settle them.
        let beyond = up_to + self.rounding;
        if beyond <= self.enough()
            && let Part::Polygon(piece) = &mut self.regions[index].part
        {
            piece.inside_beyond = Some(beyond);
        }
        None
    }

    /// A plane that separates the two vertices of a piece between which its bound is greatest; `None` if they are
    /// close.
    fn peak_plane(&self, index: usize) -> Option<Plane> {
        let Region { part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        let [p, q] = piece.mixture.peak_vertices().map(|vertex| piece.polygon[vertex]);
        let margin = 4.0 * self.rounding;
        if (p - q).norm() <= 4.0 * margin {
            return None;
        }
        let (center, _) = center_and_radius(&piece.polygon);
        let parts = |plane: &Plane| plane.cuts(&[p, q], margin);
        piece.closest_changes(&center).find(parts).or_else(|| Plane::new(&nalgebra::center(&p, &q), &(q - p)))
    }

    /// The plane that cuts a piece where the closest triangle changes between the first two triangles that are known to
    /// be close; if there is no such plane, and for every fourth cut, the plane that halves the piece. `None` if the
    /// piece is too small.
    fn cutting_plane(&self, index: usize) -> Option<Plane> {
        let Region { part: Part::Polygon(piece), .. } = &self.regions[index] else { return None };
        let (center, radius) = center_and_radius(&piece.polygon);
        if radius <= self.rounding {
            return None;
        }
        let halves = halving(&piece.polygon);
        if piece.cuts % 4 == 3 {
            return halves;
        }
        let margin = 4.0 * self.rounding;
        piece.closest_changes(&center).find(|plane| plane.cuts(&piece.polygon, margin)).or(halves)
    }
}

impl Piece {
    /// The leaf index of the triangle that this piece is a part of.
    pub(super) fn leaf(&self) -> u32 {
        self.triangle.leaf
    }

    /// The planes at which the closest triangle may change between the first two triangles that are known to be close.
    fn closest_changes(&self, center: &Point3<f64>) -> impl Iterator<Item = Plane> {
        let pair = self.near.first().zip(self.near.get(1));
        pair.into_iter().flat_map(|(near, other)| {
            let planes = [near, other].map(|triangle| Plane::of(triangle).map(|plane| plane.below(center)));
            let between = match planes {
                [Some(p), Some(q)] => p.between(&q),
                _ => None,
            };
            between.into_iter().chain(Plane::around(near)).chain(Plane::around(other))
        })
    }
}
