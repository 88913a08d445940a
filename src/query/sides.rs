//! On which sides of a mesh the parts of another's surface lie.

use nalgebra::{Matrix3, Point3, Vector3};

use super::pieces::{Piece, Pieces, pieces, whole};
use super::posed::Posed;
use crate::probe::{Containment, Probe, containment};
use crate::tree::BvTree;
use crate::triangle::{ExactRay, RayPassage, Triangle};

/// Where parts of a surface are with respect to the other mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sides {
    pub(super) inside: bool,
    pub(super) outside: bool,
    pub(super) unknown: bool,
}

impl Sides {
    /// Of the given side's surface, exactly: of components that don't touch the other mesh, any point tells; each part of the
    /// others is next to a contact, in a triangle that touches. `touching` has all pairs that touch, by places; if there are
    /// any, the other mesh must be closed, and no interiors of triangles may cross.
    pub(super) fn of(trees: [&BvTree; 2], posed: &Posed<'_>, side: usize, touching: &[[usize; 2]]) -> Self {
        let mut sides = Self::default();
        let other = Other::new(trees[1 - side], posed, 1 - side);
        let mut partners: Vec<[usize; 2]> = touching.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        partners.sort_unstable();
        let components = trees[side].components();
        let mut is_known = vec![false; components.count()];
        partners.iter().for_each(|&[place, _]| is_known[components.at(place)] = true);
        sides.add_components(trees[side], posed, side, &other, is_known);
        for pairs in partners.chunk_by(|p, q| p[0] == q[0]) {
            if sides.inside && sides.outside {
                break;
            }
            let Some(&[place, _]) = pairs.first() else { continue };
            let others: Vec<Triangle> = pairs.iter().map(|&[_, place]| posed.triangle(1 - side, place)).collect();
            sides.add_pieces(&posed.triangle(side, place), &others, &other);
        }
        sides
    }

    /// Components lie on one side altogether: any point tells which, but only one within the other's bounds whether it can
    /// be told.
    fn add_components(
        &mut self,
        tree: &BvTree,
        posed: &Posed<'_>,
        side: usize,
        other: &Other<'_>,
        mut is_known: Vec<bool>,
    ) {
        let components = tree.components();
        let mut left = is_known.iter().filter(|known| !**known).count();
        for place in 0..tree.triangle_count() {
            let component = components.at(place);
            if left == 0 {
                return;
            }
            if is_known[component] {
                continue;
            }
            let vertices = posed.triangle(side, place).vertices;
            let telling = vertices.iter().find(|vertex| other.is_closed() || !other.is_beside(vertex));
            if let Some(vertex) = telling {
                self.add(other.containment(vertex));
                is_known[component] = true;
                left -= 1;
            }
        }
        self.outside |= left > 0;
    }

    fn add_pieces(&mut self, triangle: &Triangle, others: &[Triangle], other: &Other<'_>) {
        match pieces(triangle, others) {
            Pieces::None => {}
            Pieces::Whole(triangle) => {
                let [a, b, c] = triangle.vertices;
                let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
                match other.containment_if_away(&middle) {
                    Some(containment) => self.add(containment),
                    None => self.add(other.containment_of_piece(&whole(&triangle), others.len())),
                }
            }
            Pieces::Cut(pieces) => {
                for piece in pieces {
                    self.add(other.containment_of_piece(&piece, others.len()));
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
struct Other<'a> {
    tree: &'a BvTree,
    posed: &'a Posed<'a>,
    side: usize,
    /// From A's frame into the mesh's: the exact inverse but for rounding, though the matrix is not quite a rotation.
    back: Matrix3<f64>,
}

impl<'a> Other<'a> {
    fn new(tree: &'a BvTree, posed: &'a Posed<'a>, side: usize) -> Self {
        let rotation = posed.b_to_a.rotation();
        let back = rotation.try_inverse().unwrap_or(rotation.transpose());
        Self { tree, posed, side, back }
    }

    fn is_closed(&self) -> bool {
        self.tree.boundary().is_closed()
    }

    /// In the mesh's frame.
    fn local(&self, point: &Point3<f64>) -> Point3<f64> {
        if self.side == 0 { *point } else { Point3::from(self.back * (point - self.posed.b_to_a.translation()).coords) }
    }

    /// More than rounding can move a point by.
    fn rounding(&self, point: &Point3<f64>) -> f64 {
        let bounds = self.tree.bounds();
        let place = point.coords.amax() + self.posed.b_to_a.translation().amax();
        1e-12 * (place + bounds.lower.coords.amax() + bounds.upper.coords.amax())
    }

    fn is_away(&self, point: &Point3<f64>) -> bool {
        let rounding = self.rounding(point);
        Probe::new().closest_point_within(self.tree, &self.local(point), rounding).is_none()
    }

    /// Whether the point is outside the mesh's bounds, rounding considered.
    fn is_beside(&self, point: &Point3<f64>) -> bool {
        !self.tree.bounds().contains(&self.local(point)) && (self.side == 0 || self.is_away(point))
    }

    /// Where a point is that may be off by rounding; none if rounding matters.
    fn containment_if_away(&self, point: &Point3<f64>) -> Option<Containment> {
        self.is_away(point).then(|| Probe::new().contains(self.tree, &self.local(point)))
    }

    /// Where a point is, exactly.
    fn containment(&self, point: &Point3<f64>) -> Containment {
        // A mesh in A's frame is asked as it is. Posed triangles are what counts of the other; far from them, the tree's own do.
        if self.side == 0 {
            return Probe::new().contains(self.tree, point);
        }
        self.containment_if_away(point).unwrap_or_else(|| match ExactRay::new(point, &Vector3::x()) {
            Some(ray) => self.containment_among_posed(|triangle| ray.passage(triangle)),
            None => Containment::Undefined,
        })
    }

    /// Where a piece is that meets the mesh in no more than the given number of points.
    fn containment_of_piece(&self, piece: &Piece, contacts: usize) -> Containment {
        let middle = piece.point(0);
        self.containment_if_away(middle.rounded()).unwrap_or_else(|| {
            let points = (0..=contacts as u32).map(|n| piece.point(n));
            points
                .map(|point| self.containment_among_posed(|triangle| point.passage(triangle)))
                .find(|&containment| containment != Containment::OnSurface)
                .unwrap_or(Containment::OnSurface)
        })
    }

    /// Asks all posed triangles.
    #[cold]
    fn containment_among_posed(&self, passage: impl Fn(&Triangle) -> RayPassage) -> Containment {
        let triangles = (0..self.tree.triangle_count()).map(|place| self.posed.triangle(self.side, place));
        containment(triangles.map(|triangle| passage(&triangle)), self.tree.boundary())
    }
}
