//! Classification of the parts of a surface as inside or outside the other mesh.

use nalgebra::{Matrix3, Point3, Vector3};

use super::cells::{Cell, Cells, TrianglePlane, cells, whole_cell};
use crate::mesh::Components;
use crate::numeric::error_bounds::BOUNDS_ROUNDING;
use crate::probe::{Containment, Probe, RobustContainment, containment};
use crate::simd::SimdLevel;
use crate::traversal::{Interrupt, PairTraversal, PosedTrees};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, RayCrossing, Triangle};

/// Whether a surface has parts inside and outside the other mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Classification {
    pub(super) inside: bool,
    pub(super) outside: bool,
    pub(super) unknown: bool,
    /// One minus the least certainty of a point's containment.
    pub(super) uncertainty: f64,
}

impl Classification {
    /// Classifies the surface of the given side; exact unless interrupted. `touching` has all touching pairs of
    /// triangles, by leaf indices. A component that doesn't touch the other mesh is classified by one of its points:
    /// any if the other mesh is closed, the one with the least x if `is_robust` defines an inside for an open mesh, and
    /// otherwise one within the other's bounds. Every part of a component that touches the other mesh borders on a
    /// touching triangle, whose cells decide. Touching triangles without area have no cells, so they do not connect
    /// components. Preconditions, if there are any pairs: the other mesh has an inside, and no interiors of triangles
    /// cross.
    pub(super) fn of(
        trees: [&BvTree; 2],
        posed: &PosedTrees<'_>,
        side: usize,
        touching: &[[usize; 2]],
        is_robust: bool,
        engine: &mut PairTraversal,
    ) -> Self {
        let mut found = Self::default();
        let mut other = OtherMesh::new(trees[1 - side], posed, 1 - side, is_robust, engine.level);
        let mut partners: Vec<[usize; 2]> = touching.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        partners.sort_unstable();
        let has_area = |leaf: &usize| TrianglePlane::new(&posed.triangle(side, *leaf)).is_some();
        let touched = partners.chunk_by(|p, q| p[0] == q[0]).map(|pairs| pairs[0][0]);
        let (touched, without_area): (Vec<usize>, Vec<usize>) = touched.partition(has_area);
        let divided = (!without_area.is_empty()).then(|| trees[side].components_without(&without_area));
        let components = divided.as_ref().unwrap_or_else(|| trees[side].components());
        let mut is_known = vec![divided.is_some(); components.count()];
        if divided.is_some() {
            // Components without area have no part on either side.
            let with_area = (0..trees[side].triangle_count()).filter(has_area);
            with_area.for_each(|leaf| is_known[components.at(leaf)] = false);
        }
        touched.into_iter().for_each(|leaf| is_known[components.at(leaf)] = true);
        found.add_components(components, posed, side, &mut other, is_known, &mut engine.interrupt);
        for pairs in partners.chunk_by(|p, q| p[0] == q[0]) {
            if found.inside && found.outside || engine.interrupt.step().is_break() {
                break;
            }
            let Some(&[leaf, _]) = pairs.first() else { continue };
            let others: Vec<Triangle> = pairs.iter().map(|&[_, leaf]| posed.triangle(1 - side, leaf)).collect();
            found.add_cells(&posed.triangle(side, leaf), &others, &mut other);
        }
        found.uncertainty = other.uncertainty;
        found
    }

    /// Adds the components that don't touch the other mesh. Each lies wholly on one side, so one of its points decides;
    /// if the other mesh is open, only a point within its bounds shows that the side is undefined.
    fn add_components(
        &mut self,
        components: &Components,
        posed: &PosedTrees<'_>,
        side: usize,
        other: &mut OtherMesh<'_>,
        mut is_known: Vec<bool>,
        interrupt: &mut Interrupt,
    ) {
        if other.has_inside() {
            for component in (0..components.count()).filter(|&component| !is_known[component]) {
                if interrupt.step().is_break() {
                    return;
                }
                // A component that is not wholly within the bounds is outside: most are, and their extreme vertices
                // show it.
                let mut extremes = components.extremes(component).iter().map(|&vertex| posed.vertex(side, vertex));
                if extremes.any(|vertex| other.is_far_out_of_bounds(&vertex)) {
                    self.outside = true;
                } else {
                    self.add(other.containment(&posed.vertex(side, components.extremes(component)[0])));
                }
            }
            return;
        }
        let mut remaining = is_known.iter().filter(|known| !**known).count();
        for leaf in 0..posed.views[side].corners.len() {
            let component = components.at(leaf);
            if remaining == 0 || interrupt.step().is_break() {
                return;
            }
            if is_known[component] {
                continue;
            }
            let vertices = posed.triangle(side, leaf).vertices;
            if let Some(vertex) = vertices.iter().find(|vertex| !other.is_out_of_bounds(vertex)) {
                self.add(other.containment(vertex));
                is_known[component] = true;
                remaining -= 1;
            }
        }
        self.outside |= remaining > 0;
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

/// The mesh with respect to which points are classified.
struct OtherMesh<'a> {
    tree: &'a BvTree,
    posed: &'a PosedTrees<'a>,
    side: usize,
    /// The inverse of the pose's rotation, from A's frame to B's.
    back: Matrix3<f64>,
    is_robust: bool,
    uncertainty: f64,
    probe: Probe,
}

impl<'a> OtherMesh<'a> {
    fn new(tree: &'a BvTree, posed: &'a PosedTrees<'a>, side: usize, is_robust: bool, level: SimdLevel) -> Self {
        let (back, probe) = (posed.b_to_a.inverse_rotation(), Probe::with_simd(level));
        let is_robust = is_robust && !tree.watertightness().is_closed();
        Self { tree, posed, side, back, is_robust, uncertainty: 0.0, probe }
    }

    fn has_inside(&self) -> bool {
        self.is_robust || self.tree.watertightness().is_closed()
    }

    /// The containment of a point in the mesh's frame.
    fn contains(&mut self, local: &Point3<f64>) -> Containment {
        if !self.is_robust {
            return self.probe.contains(self.tree, local);
        }
        let containment = self.probe.contains_robust(self.tree, local);
        self.note(containment)
    }

    /// Records the certainty of a containment in an open mesh, and returns the containment.
    fn note(&mut self, RobustContainment { containment, certainty }: RobustContainment) -> Containment {
        self.uncertainty = self.uncertainty.max(1.0 - certainty);
        containment
    }

    /// The point in the mesh's frame.
    fn local(&self, point: &Point3<f64>) -> Point3<f64> {
        if self.side == 0 { *point } else { self.posed.b_to_a.inverse_transform(&self.back, point) }
    }

    /// An upper bound on the distance by which rounding moves a point.
    fn rounding(&self, point: &Point3<f64>) -> f64 {
        let bounds = self.tree.bounds();
        let leaf = point.coords.amax() + self.posed.b_to_a.translation().amax();
        BOUNDS_ROUNDING * (leaf + bounds.lower.coords.amax() + bounds.upper.coords.amax())
    }

    /// Whether the point is off the surface by more than rounding.
    fn is_off_surface(&mut self, point: &Point3<f64>) -> bool {
        let (local, rounding) = (self.local(point), self.rounding(point));
        self.probe.closest_point_within(self.tree, &local, rounding).is_none()
    }

    /// Whether the point is outside the mesh's bounds by more than rounding.
    fn is_out_of_bounds(&mut self, point: &Point3<f64>) -> bool {
        !self.tree.bounds().contains(&self.local(point)) && (self.side == 0 || self.is_off_surface(point))
    }

    /// The containment of a point that is subject to rounding; `None` if rounding matters.
    fn containment_if_off_surface(&mut self, point: &Point3<f64>) -> Option<Containment> {
        let local = self.local(point);
        self.is_off_surface(point).then(|| self.contains(&local))
    }

    /// Whether the point is outside the mesh's bounds by more than rounding; false for some such points.
    fn is_far_out_of_bounds(&self, point: &Point3<f64>) -> bool {
        let (local, rounding) = (self.local(point), self.rounding(point));
        let bounds = self.tree.bounds();
        (0..3).any(|x| local[x] < bounds.lower[x] - rounding || local[x] > bounds.upper[x] + rounding)
    }

    /// The containment of a point that is not on the mesh; exact for a closed mesh.
    fn containment(&mut self, point: &Point3<f64>) -> Containment {
        if self.is_robust {
            let found = self.probe.containment_in_open(self.tree, &self.local(point));
            return self.note(found);
        }
        // Mesh A is probed as it is. For mesh B the posed triangles count; far from them, the tree's own give the same.
        if self.side == 0 {
            return self.contains(&self.local(point));
        }
        self.containment_if_off_surface(point).unwrap_or_else(|| match ExactRay::new(point, &Vector3::x()) {
            Some(ray) => self.containment_among_posed(|triangle| ray.crossing(triangle)),
            None => Containment::Undefined,
        })
    }

    /// The containment of a cell that meets the mesh in at most `contacts` points.
    fn containment_of_cell(&mut self, cell: &Cell<'_>, contacts: usize) -> Containment {
        let near = cell.rounded_point();
        self.containment_if_off_surface(&near).unwrap_or_else(|| {
            if self.is_robust {
                return self.contains(&self.local(&near));
            }
            let points = (0..=contacts as u32).map(|n| cell.point(n));
            points
                .map(|point| self.containment_among_posed(|triangle| point.crossing(triangle)))
                .find(|&containment| containment != Containment::OnSurface)
                .unwrap_or(Containment::OnSurface)
        })
    }

    /// The containment according to the crossings of a ray with all posed triangles.
    #[cold]
    fn containment_among_posed(&self, crossing: impl Fn(&Triangle) -> RayCrossing) -> Containment {
        let triangles = (0..self.tree.triangle_count()).map(|leaf| self.posed.triangle(self.side, leaf));
        containment(triangles.map(|triangle| crossing(&triangle)), self.tree.watertightness())
    }
}
