//! The triangles of a surface that may have points inside the other mesh.

use nalgebra::center;

use super::surface::Surface;
use crate::mesh::PointTriangles;
use crate::probe::{Containment, Probe};
use crate::shape::Aabb;
use crate::triangle::Triangle;

/// A triangle that may have points inside the other mesh.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// The triangle's leaf index.
    pub(super) leaf: u32,
    /// Whether the whole triangle is inside, if known.
    pub(super) is_inside: Option<bool>,
    /// Whether each vertex is inside, if known.
    pub(super) vertices: [Option<bool>; 3],
}

impl Candidate {
    /// A triangle that does not meet the other surface.
    pub(super) fn whole(leaf: u32, is_inside: Option<bool>) -> Self {
        Self { leaf, is_inside, vertices: [is_inside; 3] }
    }
}

/// The triangles of a surface that may have points inside.
#[derive(Default)]
pub(super) struct Candidates {
    /// The triangles that meet the other surface.
    pub(super) crossing: Vec<Candidate>,
    /// The triangles wholly inside, or too near to tell, in the order of their leaf indices.
    pub(super) inner: Vec<Candidate>,
}

/// Finds the triangles that may have points inside.
///
/// Triangles that don't meet the other surface and are connected by vertices are all inside or all outside. A flood
/// fill visits all that are inside, but outside only the ring of triangles next to those that meet the other surface.
pub(super) fn candidates(surface: &Surface<'_>, marks: &mut Marks, probe: &mut Probe) -> Candidates {
    let triangles = surface.tree.point_triangles();
    marks.clear(surface.view().corners.len(), triangles.count());
    let bounds = (!surface.other.watertightness().is_closed()).then(|| *surface.other.bounds());
    let mut flood = Flood { surface, marks, probe, triangles, bounds, unclear: Vec::new() };
    let touched = surface.touched();
    for &leaf in &touched {
        flood.marks.set_kind(leaf, Kind::Crossing);
    }
    let mut ring = Vec::new();
    flood.marks.forget_seen(triangles.count());
    for &leaf in &touched {
        for point in flood.points(leaf) {
            if flood.marks.see(point) {
                for &neighbor in triangles.at(point) {
                    if flood.marks.kind(neighbor) == Kind::Far {
                        flood.marks.set_kind(neighbor, Kind::Ring);
                        ring.push(neighbor);
                    }
                }
            }
        }
    }
    ring.into_iter().for_each(|leaf| flood.classify(leaf));
    flood.add_untouched_components(&touched);
    let with_sides =
        |leaf| Candidate { leaf, is_inside: None, vertices: flood.points(leaf).map(|point| flood.marks.side(point)) };
    let crossing = touched.into_iter().map(with_sides).collect();
    let unclear = flood.unclear;
    let mut inner: Vec<Candidate> = marks.take_inside().map(|leaf| Candidate::whole(leaf, Some(true))).collect();
    if !unclear.is_empty() {
        inner.extend(unclear.into_iter().map(|leaf| Candidate::whole(leaf, None)));
        inner.sort_unstable_by_key(|candidate| candidate.leaf);
    }
    Candidates { crossing, inner }
}

/// The classification of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The triangle is not examined yet.
    Far,
    /// The triangle is next to one that meets the other surface, and not classified yet.
    Ring,
    /// The triangle meets the other surface.
    Crossing,
    /// The triangle is classified.
    Known,
}

/// The classification of a surface's triangles and points, as far as it is known. It is kept from query to query, and
/// only marked ones are cleared, since most of a large mesh is far from the other.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    kinds: Vec<Kind>,
    marked_kinds: Vec<u32>,
    /// Whether each point is inside; `None` if unknown.
    sides: Vec<Option<bool>>,
    marked_sides: Vec<u32>,
    /// A bit for each triangle: whether it is inside as a whole. Bits are in the order of the leaf indices, and sorting
    /// the few words that are not 0 is faster than sorting triangles.
    inside: Vec<u64>,
    marked_words: Vec<u32>,
    /// One more than the position of each point in `known_nearest`; 0 if it is not there.
    nearest: Vec<u32>,
    /// Whether each point was seen in a pass over triangles, which share points.
    is_seen: Vec<bool>,
    seen: Vec<u32>,
    /// Points and the closest triangle of the other mesh.
    known_nearest: Vec<(usize, Triangle)>,
}

impl Marks {
    fn clear(&mut self, triangles: usize, points: usize) {
        self.marked_kinds.drain(..).for_each(|triangle| self.kinds[triangle as usize] = Kind::Far);
        self.marked_sides.drain(..).for_each(|point| self.sides[point as usize] = None);
        self.kinds.resize(self.kinds.len().max(triangles), Kind::Far);
        self.sides.resize(self.sides.len().max(points), None);
        self.inside.resize(self.inside.len().max(triangles.div_ceil(64)), 0);
    }

    /// Forgets the closest triangles of the last query; `points` is the number of points.
    pub(super) fn forget_nearest(&mut self, points: usize) {
        self.known_nearest.drain(..).for_each(|(point, _)| self.nearest[point] = 0);
        self.nearest.resize(self.nearest.len().max(points), 0);
    }

    /// The triangle of the other mesh that is closest to a point, if known.
    pub(super) fn nearest(&self, point: usize) -> Option<Triangle> {
        let position = (self.nearest[point] as usize).checked_sub(1)?;
        Some(self.known_nearest[position].1)
    }

    pub(super) fn set_nearest(&mut self, point: usize, triangle: Triangle) {
        self.known_nearest.push((point, triangle));
        self.nearest[point] = self.known_nearest.len() as u32;
    }

    /// Starts a pass over triangles; `points` is the number of points.
    pub(super) fn forget_seen(&mut self, points: usize) {
        self.seen.drain(..).for_each(|point| self.is_seen[point as usize] = false);
        self.is_seen.resize(self.is_seen.len().max(points), false);
    }

    /// Sees a point; whether for the first time.
    pub(super) fn see(&mut self, point: usize) -> bool {
        if self.is_seen[point] {
            return false;
        }
        self.is_seen[point] = true;
        self.seen.push(point as u32);
        true
    }

    fn set_inside(&mut self, triangle: u32) {
        let word = triangle / 64;
        let bits = &mut self.inside[word as usize];
        if *bits == 0 {
            self.marked_words.push(word);
        }
        *bits |= 1 << (triangle % 64);
    }

    /// The triangles that are inside as a whole, in order, which are then forgotten.
    fn take_inside(&mut self) -> impl Iterator<Item = u32> {
        self.marked_words.sort_unstable();
        self.marked_words.drain(..).flat_map(|word| {
            let mut bits = std::mem::take(&mut self.inside[word as usize]);
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(64 * word + bit)
            })
        })
    }

    fn kind(&self, triangle: u32) -> Kind {
        self.kinds[triangle as usize]
    }

    /// Sets a triangle's kind, and returns the last one.
    fn set_kind(&mut self, triangle: u32, kind: Kind) -> Kind {
        let last = std::mem::replace(&mut self.kinds[triangle as usize], kind);
        if last == Kind::Far {
            self.marked_kinds.push(triangle);
        }
        last
    }

    /// Whether a point is inside; `None` if unknown.
    pub(super) fn side(&self, point: usize) -> Option<bool> {
        self.sides[point]
    }

    /// Sets whether a point is inside.
    pub(super) fn set_side(&mut self, point: usize, is_inside: bool) {
        if self.sides[point].replace(is_inside).is_none() {
            self.marked_sides.push(point as u32);
        }
    }
}

struct Flood<'a, 'b> {
    surface: &'b Surface<'a>,
    marks: &'b mut Marks,
    probe: &'b mut Probe,
    triangles: &'a PointTriangles,
    /// The bounds of the other mesh, if it is open: nothing outside them is inside, although there may be no surface.
    bounds: Option<Aabb>,
    /// The triangles that don't meet the other surface and are too near to tell whether they are inside.
    unclear: Vec<u32>,
}

impl Flood<'_, '_> {
    fn points(&self, leaf: u32) -> [usize; 3] {
        self.surface.view().corner_indices(leaf as usize).map(|vertex| self.triangles.point(vertex))
    }

    fn add(&mut self, leaf: u32, is_inside: Option<bool>) {
        match is_inside {
            None => self.unclear.push(leaf),
            Some(true) => self.marks.set_inside(leaf),
            Some(false) => {}
        }
    }

    /// Classifies a triangle of the ring and those connected with it: all of them if it is inside, otherwise only those
    /// of the ring.
    fn classify(&mut self, leaf: u32) {
        if self.marks.set_kind(leaf, Kind::Known) == Kind::Known {
            return;
        }
        let side = self.side(leaf);
        let Some(is_inside) = side else { return self.add(leaf, None) };
        let mut stack = vec![leaf];
        while let Some(leaf) = stack.pop() {
            let mut ends = false;
            for (corner, point) in self.points(leaf).into_iter().enumerate() {
                if self.marks.side(point).is_none() {
                    let is_in_bounds = !is_inside || self.is_in_bounds(leaf, corner);
                    self.marks.set_side(point, is_inside && is_in_bounds);
                    if is_in_bounds {
                        for &neighbor in self.triangles.at(point) {
                            let kind = self.marks.kind(neighbor);
                            if kind == Kind::Ring || kind == Kind::Far && is_inside {
                                self.marks.set_kind(neighbor, Kind::Known);
                                stack.push(neighbor);
                            }
                        }
                    }
                }
                ends |= is_inside && self.marks.side(point) == Some(false);
            }
            self.add(leaf, side.filter(|_| !ends));
        }
    }

    /// Whether a corner of a triangle is within the bounds of the other mesh, if that is open.
    fn is_in_bounds(&self, leaf: u32, corner: usize) -> bool {
        let vertex = || self.surface.vertex(leaf as usize, corner);
        self.bounds.as_ref().is_none_or(|bounds| bounds.contains(&vertex()))
    }

    /// Whether a triangle that doesn't meet the other surface is inside; `None` if it is too near to tell.
    fn side(&mut self, leaf: u32) -> Option<bool> {
        let [a, b, c] = self.surface.vertices(leaf as usize);
        let middle = center(&center(&a, &b), &c);
        let other = self.surface.other;
        let near = self.probe.closest_point_within(other, &middle, self.surface.rounding);
        near.is_none().then(|| self.probe.robust_side(other, &middle) == Containment::Inside)
    }

    /// Adds the components that don't meet the other surface and are inside.
    fn add_untouched_components(&mut self, touched: &[u32]) {
        let components = self.surface.tree.components();
        if components.count() == 1 && !touched.is_empty() {
            return;
        }
        let mut sides: Vec<Option<bool>> = vec![None; components.count()];
        touched.iter().for_each(|&leaf| sides[components.at(leaf as usize)] = Some(false));
        let mut are_any_inside = false;
        for (component, side) in sides.iter_mut().enumerate() {
            if side.is_none() {
                *side = self.side(components.first(component));
                are_any_inside |= *side != Some(false);
            }
        }
        if are_any_inside {
            for leaf in 0..self.surface.view().corners.len() {
                let side = sides[components.at(leaf)];
                let ends = side == Some(true) && !(0..3).all(|corner| self.is_in_bounds(leaf as u32, corner));
                self.add(leaf as u32, side.filter(|_| !ends));
            }
        }
    }
}
