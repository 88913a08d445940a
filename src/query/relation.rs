//! How two meshes lie to each other as solids: apart, touching, crossing, or one inside the other.

use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3};

use super::posed::Posed;
use super::{Query, QueryError};
use crate::mesh::{distinct_points, find_root};
use crate::pose::Pose;
use crate::probe::{Containment, Probe};
use crate::shape::Aabb;
use crate::tree::{BvTree, LAST_OF_LEAF, View};

/// How two meshes lie to each other.
///
/// The inside of a closed mesh is what [`Probe::contains`] says; [`crate::probe::Boundary`] tells about shells within
/// shells. Surfaces are looked at component by component; triangles with a vertex in common are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The meshes have no point in common, and no component of one is inside the other.
    Separate,
    /// The surfaces touch, and neither has a part inside the other. Identical meshes touch.
    Touching,
    /// The interiors of two triangles pass through each other; or of one mesh a part is inside the other, but not all of it.
    Crossing,
    /// A's surface is inside B, none of it outside; it may touch B's.
    AInB,
    /// B's surface is inside A, none of it outside; it may touch A's.
    BInA,
    /// The surfaces have no point in common, and a component of one has vertices within the bounds of the other, which has
    /// holes: there is no telling inside from outside.
    Undefined,
}

impl Query {
    /// How the meshes lie to each other; [`Relation::Separate`] if one is empty.
    ///
    /// That triangles intersect, that their interiors cross, and on which side of a mesh a vertex of a surface apart from it
    /// lies, are decided exactly. Where triangles touch without crossing (edge on face, face on face), what decides is
    /// whether parts of them are strictly inside the other mesh: points in the parts that the contacts cut out are looked at,
    /// those left out that are nearer to the other mesh than rounding. A mesh that is not closed can't be crossed but by
    /// interiors of triangles; other contact with it is touching.
    ///
    /// Takes as long as finding all intersecting pairs until two triangles cross. Otherwise it takes O(n log n) for the
    /// components where the meshes' bounds overlap, and allocates.
    ///
    /// # Errors
    /// If the trees are of different kinds.
    pub fn relation(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Result<Relation, QueryError> {
        let posed = Posed::new([a, b], b_to_a);
        let mut touching: Vec<[usize; 2]> = Vec::new();
        let mut crossing = false;
        self.stats = self.pairs([a, b], b_to_a, false, |place_a, place_b| {
            let [triangle_a, triangle_b] = posed.pair(place_a, place_b);
            crossing = triangle_a.crosses(&triangle_b);
            touching.push([place_a, place_b]);
            if crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if crossing {
            return Ok(Relation::Crossing);
        }
        if touching.is_empty() && bounds_are_apart(a, b, b_to_a) {
            return Ok(Relation::Separate);
        }
        let is_closed = [a, b].map(|tree| tree.boundary().is_closed());
        if !touching.is_empty() && is_closed != [true; 2] {
            return Ok(Relation::Touching);
        }
        let sides = [0, 1].map(|side| Sides::of([a, b], &posed, side, &touching));
        Ok(match sides {
            [in_b, in_a] if !in_b.inside && !in_a.inside && touching.is_empty() => {
                if in_b.unknown || in_a.unknown {
                    Relation::Undefined
                } else {
                    Relation::Separate
                }
            }
            [in_b, in_a] if !in_b.inside && !in_a.inside => Relation::Touching,
            [in_b, in_a] if in_b.unknown || in_a.unknown => Relation::Undefined,
            [in_b, in_a] if !in_b.outside && !in_a.inside => Relation::AInB,
            [in_b, in_a] if !in_a.outside && !in_b.inside => Relation::BInA,
            _ => Relation::Crossing,
        })
    }
}

/// Whether the meshes' boxes are apart, so that nothing can be inside. Saves looking at components.
fn bounds_are_apart(a: &BvTree, b: &BvTree, b_to_a: &Pose) -> bool {
    let mut posed = Aabb::empty();
    for corner in b.bounds().corners() {
        posed.grow(&Point3::from(b_to_a.rotation() * corner.coords + b_to_a.translation()));
    }
    let rounding = 1e-12 * (posed.lower.coords.amax() + posed.upper.coords.amax());
    let a = a.bounds();
    (0..3).any(|x| posed.lower[x] - rounding > a.upper[x] || posed.upper[x] + rounding < a.lower[x])
}

/// Where parts of a surface are with respect to the other mesh.
#[derive(Clone, Copy, Debug, Default)]
struct Sides {
    inside: bool,
    outside: bool,
    unknown: bool,
}

impl Sides {
    /// Of the given side's surface.
    fn of(trees: [&BvTree; 2], posed: &Posed<'_>, side: usize, touching: &[[usize; 2]]) -> Self {
        let mut sides = Self::default();
        let other = Other::new(trees[1 - side], posed, 1 - side);
        let mut partners: Vec<[usize; 2]> = touching.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        partners.sort_unstable();
        let is_apart = |place: usize| partners.binary_search_by_key(&place, |pair| pair[0]).is_err();
        for component in components(posed.views[side], is_apart) {
            // It lies on one side altogether: any point tells which, but only one within the other's bounds whether it can
            // be told.
            let mut points = component.iter().flat_map(|&place| posed.triangle(side, place).vertices);
            let within_bounds = points.find(|point| !other.is_beside(point));
            sides.add(within_bounds.map_or(Containment::Outside, |point| other.containment(&point)));
        }
        for pairs in partners.chunk_by(|p, q| p[0] == q[0]) {
            for sample in samples(posed, side, pairs) {
                // Of points that rounding may have moved across the surface nothing is known.
                if other.is_away(&sample) {
                    sides.add(other.containment(&sample));
                }
            }
        }
        sides
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

/// The connected components, none empty, of the triangles that `is_part` names by their places in leaf order.
fn components(view: View<'_>, is_part: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let (points, count) = distinct_points(view.vertices);
    let mut parents: Vec<u32> = (0..count as u32).collect();
    let corners = |place: usize| {
        let [a, b, c] = view.corners[place];
        [a & !LAST_OF_LEAF, b, c].map(|vertex| points[vertex as usize])
    };
    let mut parts: Vec<usize> = (0..view.corners.len()).filter(|&place| is_part(place)).collect();
    for &place in &parts {
        let [a, b, c] = corners(place);
        for other in [b, c] {
            let (a, b) = (find_root(&mut parents, a), find_root(&mut parents, other));
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    let mut root = |place: usize| find_root(&mut parents, corners(place)[0]);
    // In the mesh's order within a component, whatever the tree's.
    parts.sort_by_cached_key(|&place| (root(place), view.faces[place]));
    parts.chunk_by(|&a, &b| root(a) == root(b)).map(<[usize]>::to_vec).collect()
}

/// Points in the parts into which contacts cut a triangle: the centroids of the triangles between any three corners of the
/// contacts and its own. A part that is not convex has such a triangle inside too, for it can be triangulated.
fn samples(posed: &Posed<'_>, side: usize, pairs: &[[usize; 2]]) -> Vec<Point3<f64>> {
    /// More corners are taken three in a row, and with the triangle's own.
    const ALL_TRIPLES_MAX: usize = 12;
    let Some(&[place, _]) = pairs.first() else { return Vec::new() };
    let triangle = posed.triangle(side, place);
    let mut corners = triangle.vertices.to_vec();
    for &[_, other] in pairs {
        for point in triangle.intersection(&posed.triangle(1 - side, other)) {
            if !corners.contains(&point) {
                corners.push(point);
            }
        }
    }
    let n = corners.len();
    let triples = (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| [i, j, k])));
    let is_taken = |&[i, j, k]: &[usize; 3]| n <= ALL_TRIPLES_MAX || j < 3 || k == i + 2;
    let centroid =
        |[i, j, k]: [usize; 3]| Point3::from((corners[i].coords + corners[j].coords + corners[k].coords) / 3.0);
    triples.filter(is_taken).map(centroid).collect()
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

    fn containment(&self, point: &Point3<f64>) -> Containment {
        if self.is_beside(point) {
            return Containment::Outside;
        }
        let local = self.local(point);
        // A mesh in A's frame is asked exactly. Posed triangles are what counts of the other; far from them, the tree's own do.
        if self.side == 0 || self.is_away(point) {
            return Probe::new().contains(self.tree, &local);
        }
        self.containment_among_posed(point)
    }

    /// Asks all posed triangles.
    #[cold]
    fn containment_among_posed(&self, point: &Point3<f64>) -> Containment {
        let triangles = (0..self.tree.triangle_count()).map(|place| self.posed.triangle(self.side, place));
        crate::probe::contains_among(triangles, self.tree.boundary(), point)
    }
}
