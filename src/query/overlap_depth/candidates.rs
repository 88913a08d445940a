//! The triangles of a surface that may have points inside the other mesh.

use nalgebra::center;

use super::surface::Surface;
use crate::mesh::PointTriangles;
use crate::probe::{Containment, Probe};

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

/// The triangles that may have points inside, in the order of their leaf indices: those that meet the other surface,
/// and those wholly inside.
///
/// Triangles that don't meet the other surface and are connected by vertices are all inside or all outside. A flood
/// fill visits all that are inside, but outside only the ring of triangles next to those that meet the other surface.
pub(super) fn candidates(surface: &Surface<'_>, probe: &mut Probe) -> (Vec<Candidate>, Vec<Option<bool>>) {
    let (triangles, count) = (surface.tree.point_triangles(), surface.view().corners.len());
    let (kinds, sides) = (vec![Kind::Far; count], vec![None; triangles.count()]);
    let mut flood = Flood { surface, probe, triangles, kinds, sides, found: Vec::new() };
    let crossing = surface.touched();
    crossing.iter().for_each(|&leaf| flood.kinds[leaf as usize] = Kind::Crossing);
    let mut ring = Vec::new();
    for &leaf in &crossing {
        for point in flood.points(leaf) {
            for &neighbor in triangles.at(point) {
                let kind = &mut flood.kinds[neighbor as usize];
                if *kind == Kind::Far {
                    *kind = Kind::Ring;
                    ring.push(neighbor);
                }
            }
        }
    }
    ring.into_iter().for_each(|leaf| flood.classify(leaf));
    flood.add_untouched_components(!crossing.is_empty());
    let with_sides =
        |leaf| Candidate { leaf, is_inside: None, vertices: flood.points(leaf).map(|point| flood.sides[point]) };
    let mut found: Vec<_> = crossing.into_iter().map(with_sides).collect();
    found.append(&mut flood.found);
    found.sort_unstable_by_key(|candidate| candidate.leaf);
    (found, flood.sides)
}

/// The classification of a triangle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not examined yet.
    Far,
    /// Next to a triangle that meets the other surface, and not classified yet.
    Ring,
    /// Meets the other surface.
    Crossing,
    /// Classified.
    Known,
}

struct Flood<'a, 'b> {
    surface: &'b Surface<'a>,
    probe: &'b mut Probe,
    triangles: &'a PointTriangles,
    kinds: Vec<Kind>,
    /// Whether each point is inside, where it is known.
    sides: Vec<Option<bool>>,
    found: Vec<Candidate>,
}

impl Flood<'_, '_> {
    fn points(&self, leaf: u32) -> [usize; 3] {
        self.surface.view().corner_indices(leaf as usize).map(|vertex| self.triangles.point(vertex))
    }

    fn add(&mut self, leaf: u32, is_inside: Option<bool>) {
        self.found.push(Candidate { leaf, is_inside, vertices: [is_inside; 3] });
    }

    /// Classifies a triangle of the ring and those connected with it: all of them if it is inside, otherwise only those
    /// of the ring.
    fn classify(&mut self, leaf: u32) {
        if std::mem::replace(&mut self.kinds[leaf as usize], Kind::Known) == Kind::Known {
            return;
        }
        let side = self.side(leaf);
        let Some(is_inside) = side else { return self.add(leaf, None) };
        let mut stack = vec![leaf];
        while let Some(leaf) = stack.pop() {
            if is_inside {
                self.add(leaf, side);
            }
            for point in self.points(leaf) {
                if self.sides[point].replace(is_inside).is_none() {
                    for &neighbor in self.triangles.at(point) {
                        let kind = &mut self.kinds[neighbor as usize];
                        if *kind == Kind::Ring || *kind == Kind::Far && is_inside {
                            *kind = Kind::Known;
                            stack.push(neighbor);
                        }
                    }
                }
            }
        }
    }

    /// Whether a triangle that doesn't meet the other surface is inside; `None` if it is too near to tell.
    fn side(&mut self, leaf: u32) -> Option<bool> {
        let [a, b, c] = self.surface.vertices(leaf as usize);
        let middle = center(&center(&a, &b), &c);
        let other = self.surface.other;
        let near = self.probe.closest_point_within(other, &middle, self.surface.rounding);
        near.is_none().then(|| self.probe.contains_robust(other, &middle).containment == Containment::Inside)
    }

    /// Adds the components that don't meet the other surface and are inside.
    fn add_untouched_components(&mut self, has_contacts: bool) {
        let components = self.surface.tree.components();
        if components.count() == 1 && has_contacts {
            return;
        }
        let mut sides: Vec<Option<bool>> = vec![None; components.count()];
        for (leaf, kind) in self.kinds.iter().enumerate() {
            if *kind == Kind::Crossing {
                sides[components.at(leaf)] = Some(false);
            }
        }
        for leaf in 0..self.kinds.len() {
            let component = components.at(leaf);
            let leaf = leaf as u32;
            if sides[component].is_none() {
                sides[component] = self.side(leaf);
            }
            if sides[component] != Some(false) {
                self.add(leaf, sides[component]);
            }
        }
    }
}
