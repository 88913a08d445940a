//! Classification of the parts of a surface as inside or outside the other mesh.

use nalgebra::{Matrix3, Point3, Vector3};

use super::cells::{Cell, Cells, cells, whole_cell};
use crate::probe::{Containment, Probe, containment};
use crate::simd::SimdLevel;
use crate::traversal::{Interrupt, PairTraversal, PosedTrees};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, RayCrossing, Triangle};

/// Where parts of a surface are with respect to the other mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Classification {
    pub(super) inside: bool,
    pub(super) outside: bool,
    pub(super) unknown: bool,
}

impl Classification {
    /// Of the given side's surface, exactly unless interrupted: of components that don't touch the other mesh, any
    /// point tells; each part of the others is next to a contact, in a triangle that touches. `touching` has all pairs
    /// that touch, by leaf indices; if there are any, the other mesh must be closed, and no interiors of triangles may
    /// cross.
    pub(super) fn of(
        trees: [&BvTree; 2],
        posed: &PosedTrees<'_>,
        side: usize,
        touching: &[[usize; 2]],
        engine: &mut PairTraversal,
    ) -> Self {
        let mut found = Self::default();
        let mut other = OtherMesh::new(trees[1 - side], posed, 1 - side, engine.level);
        let mut partners: Vec<[usize; 2]> = touching.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        partners.sort_unstable();
        let components = trees[side].components();
        let mut is_known = vec![false; components.count()];
        partners.iter().for_each(|&[leaf, _]| is_known[components.at(leaf)] = true);
        found.add_components(trees[side], posed, side, &mut other, is_known, &mut engine.interrupt);
        for pairs in partners.chunk_by(|p, q| p[0] == q[0]) {
            if found.inside && found.outside || engine.interrupt.step().is_break() {
                break;
            }
            let Some(&[leaf, _]) = pairs.first() else { continue };
            let others: Vec<Triangle> = pairs.iter().map(|&[_, leaf]| posed.triangle(1 - side, leaf)).collect();
            found.add_cells(&posed.triangle(side, leaf), &others, &mut other);
        }
        found
    }

    /// Components lie on one side altogether: any point tells which, but only one within the other's bounds whether it
    /// can be told.
    fn add_components(
        &mut self,
        tree: &BvTree,
        posed: &PosedTrees<'_>,
        side: usize,
        other: &mut OtherMesh<'_>,
        mut is_known: Vec<bool>,
        interrupt: &mut Interrupt,
    ) {
        let components = tree.components();
        let mut left = is_known.iter().filter(|known| !**known).count();
        for leaf in 0..tree.triangle_count() {
            let component = components.at(leaf);
            if left == 0 || interrupt.step().is_break() {
                return;
            }
            if is_known[component] {
                continue;
            }
            let vertices = posed.triangle(side, leaf).vertices;
            if let Some(vertex) = vertices.iter().find(|vertex| other.is_closed() || !other.is_out_of_bounds(vertex)) {
                self.add(other.containment(vertex));
                is_known[component] = true;
                left -= 1;
            }
        }
        self.outside |= left > 0;
    }

    fn add_cells(&mut self, triangle: &Triangle, others: &[Triangle], other: &mut OtherMesh<'_>) {
        match cells(triangle, others) {
            Cells::None => {}
            Cells::Whole(triangle) => {
                let [a, b, c] = triangle.vertices;
                let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
                match other.containment_if_off_surface(&middle) {
                    Some(containment) => self.add(containment),
                    None => self.add(other.containment_of_cell(&whole_cell(&triangle), others.len())),
                }
            }
            Cells::Cut(cells) => {
                for cell in cells {
                    self.add(other.containment_of_cell(&cell, others.len()));
                }
            }
        }
    }

    fn add(&mut self, containment: Containment) {
        match containment {
            Containment::Inside => self.inside = true,
            Containment::Outside => self.outside = true,
            Containment::Undefined => self.unknown = true,
            Containment::OnSurface => {}
        }
    }
}

/// The mesh that points are inside or outside of.
struct OtherMesh<'a> {
    tree: &'a BvTree,
    posed: &'a PosedTrees<'a>,
    side: usize,
    /// The pose's inverse rotation: from A's frame into B's.
    back: Matrix3<f64>,
    probe: Probe,
}

impl<'a> OtherMesh<'a> {
    fn new(tree: &'a BvTree, posed: &'a PosedTrees<'a>, side: usize, level: SimdLevel) -> Self {
        Self { tree, posed, side, back: posed.b_to_a.inverse_rotation(), probe: Probe::with_simd(level) }
    }

    fn is_closed(&self) -> bool {
        self.tree.watertightness().is_closed()
    }

    /// In the mesh's frame.
    fn local(&self, point: &Point3<f64>) -> Point3<f64> {
        if self.side == 0 { *point } else { self.posed.b_to_a.inverse_transform(&self.back, point) }
    }

    /// More than rounding can move a point by.
    fn rounding(&self, point: &Point3<f64>) -> f64 {
        let bounds = self.tree.bounds();
        let leaf = point.coords.amax() + self.posed.b_to_a.translation().amax();
        1e-12 * (leaf + bounds.lower.coords.amax() + bounds.upper.coords.amax())
    }

    /// Whether the point is off the surface by more than rounding.
    fn is_off_surface(&mut self, point: &Point3<f64>) -> bool {
        let (local, rounding) = (self.local(point), self.rounding(point));
        self.probe.closest_point_within(self.tree, &local, rounding).is_none()
    }

    /// Whether the point is outside the mesh's bounds, rounding considered.
    fn is_out_of_bounds(&mut self, point: &Point3<f64>) -> bool {
        !self.tree.bounds().contains(&self.local(point)) && (self.side == 0 || self.is_off_surface(point))
    }

    /// Where a point is that may be off by rounding; none if rounding matters.
    fn containment_if_off_surface(&mut self, point: &Point3<f64>) -> Option<Containment> {
        let local = self.local(point);
        self.is_off_surface(point).then(|| self.probe.contains(self.tree, &local))
    }

    /// Where a point is, exactly.
    fn containment(&mut self, point: &Point3<f64>) -> Containment {
        // A mesh in A's frame is asked as it is. Posed triangles are what counts of the other; far from them, the
        // tree's own do.
        if self.side == 0 {
            return self.probe.contains(self.tree, point);
        }
        self.containment_if_off_surface(point).unwrap_or_else(|| match ExactRay::new(point, &Vector3::x()) {
            Some(ray) => self.containment_among_posed(|triangle| ray.crossing(triangle)),
            None => Containment::Undefined,
        })
    }

    /// Where a cell is that meets the mesh in no more than the given number of points.
    fn containment_of_cell(&mut self, cell: &Cell, contacts: usize) -> Containment {
        let middle = cell.point(0);
        self.containment_if_off_surface(middle.rounded()).unwrap_or_else(|| {
            let points = (0..=contacts as u32).map(|n| cell.point(n));
            points
                .map(|point| self.containment_among_posed(|triangle| point.crossing(triangle)))
                .find(|&containment| containment != Containment::OnSurface)
                .unwrap_or(Containment::OnSurface)
        })
    }

    /// Asks all posed triangles.
    #[cold]
    fn containment_among_posed(&self, crossing: impl Fn(&Triangle) -> RayCrossing) -> Containment {
        let triangles = (0..self.tree.triangle_count()).map(|leaf| self.posed.triangle(self.side, leaf));
        containment(triangles.map(|triangle| crossing(&triangle)), self.tree.watertightness())
    }
}
