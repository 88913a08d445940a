//! The triangles of a surface that may have points inside the other mesh.

use nalgebra::center;

use super::surface::Surface;
use crate::probe::{Containment, Probe};

/// A triangle that may have points inside the other mesh.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// Its leaf index.
    pub(super) leaf: u32,
    /// Whether all of it is inside, if it is known.
    pub(super) is_inside: Option<bool>,
}

/// The triangles that may have points inside, by leaf indices in order: those that meet the other surface, and those
/// wholly inside.
///
/// Triangles that don't meet the other surface and are connected by vertices are all inside or all outside. The inside
/// is followed from the triangles that meet the other surface; outside, only the ring of triangles next to them is.
pub(super) fn candidates(surface: &Surface<'_>, probe: &mut Probe) -> Vec<Candidate> {
    let view = surface.view();
    let mut flood = Flood { surface, probe, kinds: vec![Kind::Far; view.corners.len()], found: Vec::new() };
    let crossing = surface.touched();
    crossing.iter().for_each(|&leaf| flood.kinds[leaf as usize] = Kind::Crossing);
    let mut ring = Vec::new();
    for &leaf in &crossing {
        flood.for_each_neighbor(leaf, |neighbor, kind| {
            if *kind == Kind::Far {
                *kind = Kind::Ring;
                ring.push(neighbor);
            }
        });
    }
    for &leaf in &ring {
        flood.classify(leaf);
    }
    flood.add_untouched_components(!crossing.is_empty());
    let mut found = flood.found;
    found.extend(crossing.into_iter().map(|leaf| Candidate { leaf, is_inside: None }));
    found.sort_unstable_by_key(|candidate| candidate.leaf);
    found
}

/// What is known of a triangle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not looked at yet.
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
    kinds: Vec<Kind>,
    found: Vec<Candidate>,
}

impl Flood<'_, '_> {
    fn for_each_neighbor(&mut self, leaf: u32, mut visit: impl FnMut(u32, &mut Kind)) {
        let [a, b, c] = self.surface.corners(leaf);
        let triangles = self.surface.tree.point_triangles();
        for &neighbor in [a, b, c].into_iter().flat_map(|vertex| triangles.at(vertex)) {
            visit(neighbor, &mut self.kinds[neighbor as usize]);
        }
    }

    /// Classifies a triangle of the ring, and those connected with it: inside, all of them; outside, those of the ring.
    fn classify(&mut self, leaf: u32) {
        if self.kinds[leaf as usize] != Kind::Ring {
            return;
        }
        self.kinds[leaf as usize] = Kind::Known;
        let Some(is_inside) = self.is_inside(leaf) else {
            self.found.push(Candidate { leaf, is_inside: None });
            return;
        };
        let mut stack = vec![leaf];
        while let Some(leaf) = stack.pop() {
            if is_inside {
                self.found.push(Candidate { leaf, is_inside: Some(true) });
            }
            self.for_each_neighbor(leaf, |neighbor, kind| {
                if *kind == Kind::Ring || *kind == Kind::Far && is_inside {
                    *kind = Kind::Known;
                    stack.push(neighbor);
                }
            });
        }
    }

    /// Whether a triangle that doesn't meet the other surface is inside; `None` if it is too near to tell.
    fn is_inside(&mut self, leaf: u32) -> Option<bool> {
        let [a, b, c] = self.surface.vertices(leaf as usize);
        let middle = center(&center(&a, &b), &c);
        let other = self.surface.other;
        let near = self.probe.closest_point_within(other, &middle, self.surface.rounding);
        near.is_none().then(|| self.probe.contains(other, &middle) == Containment::Inside)
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
        if sides.iter().all(Option::is_some) {
            return;
        }
        for leaf in 0..self.kinds.len() {
            let component = components.at(leaf);
            let leaf = leaf as u32;
            if sides[component].is_none() {
                sides[component] = self.is_inside(leaf);
            }
            if sides[component] != Some(false) {
                self.found.push(Candidate { leaf, is_inside: sides[component] });
            }
        }
    }
}
