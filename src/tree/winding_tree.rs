//! Winding numbers, hierarchically as in Jacobson, Kavan and Sorkine-Hornung 2013: around a point outside the box of a
//! part of the mesh, a cone over the part's boundary has the same winding number as the part, and far fewer triangles.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::arrays::View;
use super::boundary_chains::BoundaryChains;
use crate::mesh::{BoundaryEdge, boundary, distinct_points};
use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use crate::triangle::Triangle;

/// A binary tree over runs of triangles in leaf order, which are near each other; on the lowest level, runs have
/// [`RUN`] triangles.
#[derive(Debug)]
pub(crate) struct WindingTree {
    levels: Vec<Vec<Cone>>,
    is_oriented: bool,
    /// The boundary as chains of edges, if the triangles are consistently oriented.
    chains: Option<BoundaryChains>,
}

/// The number of triangles of a run on the lowest level.
const RUN: usize = 16;

/// If neither the cosine nor the absolute sine of an edge's half solid angle exceeds this, relative to the product of
/// the distances of the edge's ends, rounding may hide on which side of the edge a ray passes. The rounding errors are
/// far smaller.
pub(super) const BESIDE_EDGE: f64 = 1e-10;

/// A ball in which points change between inside and outside only across the mesh's surface; see [`WindingTree::seal`].
#[derive(Debug)]
pub(crate) struct Seal {
    center: Point3<f64>,
    radius: f64,
    /// The direction of rays that pass no boundary edge, wherever in the ball they start.
    direction: Vector3<f64>,
    /// The winding number around the centre minus the signed crossings of a ray from there.
    rest: f64,
}

impl Seal {
    /// The direction of the rays that decide what is inside; `None` if the point is outside the ball.
    pub(crate) fn direction_at(&self, point: &Point3<f64>) -> Option<&Vector3<f64>> {
        ((point - self.center).norm_squared() <= self.radius * self.radius).then_some(&self.direction)
    }

    /// Whether a point of the ball is inside, given the signed crossings of a ray from there.
    pub(crate) fn is_inside(&self, crossings: i64) -> bool {
        (crossings as f64 + self.rest).abs() > 0.5
    }
}

/// A bound on the rounding error of winding numbers that [`WindingTree::number_by_ray`] returns.
const SEAL_ROUNDING: f64 = 1e-6;

/// The cone over the boundary of a run of triangles.
#[derive(Debug)]
struct Cone {
    bounds: Aabb,
    boundary: Vec<BoundaryEdge>,
}

impl WindingTree {
    pub(super) fn new(view: &View<'_>) -> Self {
        let (points, count) = distinct_points(view.vertices, Sorting::Alone);
        let mut first = vec![u32::MAX; count];
        for (vertex, &point) in (0..).zip(&points) {
            let first = &mut first[point as usize];
            *first = (*first).min(vertex);
        }
        // One vertex represents all vertices at equal coordinates.
        let only = |vertex: u32| first[points[vertex as usize] as usize];
        let mut levels = Vec::new();
        let triangles: Vec<[u32; 3]> = view.triangles().collect();
        let mut level: Vec<Cone> = triangles.chunks(RUN).map(|run| Cone::of(run, view, only)).collect();
        while level.len() > 1 {
            let above = level.chunks(2).map(Cone::joined).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        if !level.is_empty() {
            levels.push(level);
        }
        let top = levels.last().and_then(|level| level.first());
        let is_oriented = top.is_none_or(|cone| cone.boundary.iter().all(|edge| edge.excess.abs() <= 1));
        let boundary = top.map_or(&[][..], |cone| &cone.boundary);
        let chains = is_oriented.then(|| BoundaryChains::new(view, boundary));
        Self { chains, levels, is_oriented }
    }

    /// Whether triangles traverse each edge equally often in both directions, or once more in one of them.
    pub(crate) fn is_oriented(&self) -> bool {
        self.is_oriented
    }

    /// The number of times that the mesh winds around a point.
    pub(crate) fn number(&self, view: &View<'_>, point: &Point3<f64>) -> f64 {
        let mut angle = AngleSum::new();
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.add_half_solid_angles(view, top, 0, point, &mut angle);
        }
        angle.turns()
    }

    /// The number of times that the mesh winds around a point, given the signed crossings of a ray from there: the
    /// number of triangles through which it leaves minus the number of those through which it enters. `None` if
    /// rounding hides on which side of a boundary edge the ray passes, or if the triangles are not consistently
    /// oriented.
    ///
    /// Triangles from the point at infinity behind the ray to the boundary's edges close the mesh, and the ray crosses
    /// none of them, so that its crossings are the winding number of the closed mesh. Only the solid angles of these
    /// triangles remain to be computed (Martens and Bessmeltsev, "One-Shot Method for Computing Generalized Winding
    /// Numbers", 2025).
    pub(crate) fn number_by_ray(
        &self,
        level: SimdLevel,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        crossings: i64,
    ) -> Option<f64> {
        self.chains.as_ref()?.number(level, point, direction, crossings)
    }

    /// The absolute winding number around a point, given the signed crossings of a ray as for [`Self::number_by_ray`],
    /// up to an error that does not hide whether it is more than one half. `None` if only the exact result of
    /// [`Self::number_by_ray`] shows that, or if the triangles are not consistently oriented.
    pub(crate) fn number_up_to_side(
        &self,
        level: SimdLevel,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        crossings: i64,
    ) -> Option<f64> {
        let [number, error] = self.chains.as_ref()?.number_and_error(level, point, direction, crossings)?;
        let number = number.abs();
        ((number - 0.5).abs() > error + SEAL_ROUNDING).then_some(number)
    }

    /// The edges that triangles do not traverse equally often in both directions.
    fn boundary(&self) -> &[BoundaryEdge] {
        self.levels.last().and_then(|level| level.first()).map_or(&[], |cone| &cone.boundary)
    }

    /// Proves that within a ball, points change between inside and outside only across the surface, as for a closed
    /// mesh. `None` if there is no proof, for instance because the boundary is too near, or if the triangles are not
    /// consistently oriented.
    ///
    /// Across the surface, the winding number jumps by 1. Elsewhere it changes smoothly, according to Biot and Savart's
    /// law: per unit of distance by at most the length of the boundary, divided by `4 pi` and the squared distance from
    /// the boundary. So in a small ball the number's fractional part may stay on one side of one half.
    pub(crate) fn seal(
        &self,
        level: SimdLevel,
        view: &View<'_>,
        bounds: &Aabb,
        center: &Point3<f64>,
        radius: f64,
    ) -> Option<Seal> {
        if !self.is_oriented {
            return None;
        }
        let mut most_change = SEAL_ROUNDING;
        let (mut free, ball) = ([[true; 2]; 3], Vector3::repeat(radius));
        let (lower, upper) = (center - ball, center + ball);
        for edge in self.boundary() {
            let [from, to] = edge.ends.map(|vertex| view.vertices[vertex as usize].map(f64::from));
            let (length, middle) = ((to - from).norm(), nalgebra::center(&from, &to));
            let gap = (middle - center).norm() - 0.5 * length - radius;
            if gap <= 0.0 {
                return None;
            }
            most_change += radius * length / (4.0 * PI * gap * gap);
            // Rays along an axis from the ball miss the edges beside the ball, and those behind the rays' starts.
            let (least, most) = (from.inf(&to), from.sup(&to));
            let is_beside = |k: usize| least[k] > upper[k] || most[k] < lower[k];
            for k in 0..3 {
                if !is_beside((k + 1) % 3) && !is_beside((k + 2) % 3) {
                    free[k][0] &= least[k] > upper[k];
                    free[k][1] &= most[k] < lower[k];
                }
            }
        }
        let is_sure = |number: f64| ((number - number.floor()) - 0.5).abs() > most_change;
        let directions = (0..3).flat_map(|k| [-1.0, 1.0].map(|sign| (k, sign)));
        // No point outside the bounds may count as inside; a ray from such a point away from the bounds does not meet
        // the mesh.
        for (k, sign) in directions.clone() {
            let is_out = if sign < 0.0 { lower[k] < bounds.lower[k] } else { upper[k] > bounds.upper[k] };
            let out = Vector3::ith(k, sign);
            if is_out && self.number_by_ray(level, &(center + out * radius), &out, 0)?.abs() >= 0.5 {
                return None;
            }
        }
        let free = directions.filter(|&(k, sign)| free[k][usize::from(sign > 0.0)]);
        let way_out = |&(k, sign): &(usize, f64)| {
            if sign < 0.0 { center[k] - bounds.lower[k] } else { bounds.upper[k] - center[k] }
        };
        let (k, sign) = free.min_by(|p, q| way_out(p).total_cmp(&way_out(q)))?;
        let direction = Vector3::ith(k, sign);
        let rest = self.number_by_ray(level, center, &direction, 0)?;
        is_sure(rest).then_some(Seal { center: *center, radius, direction, rest })
    }

    fn add_half_solid_angles(
        &self,
        view: &View<'_>,
        level: usize,
        number: usize,
        point: &Point3<f64>,
        angle: &mut AngleSum,
    ) {
        let Some(cone) = self.levels[level].get(number) else { return };
        let triangles = (number * RUN) << level..view.corners.len().min(((number + 1) * RUN) << level);
        if cone.boundary.len() < triangles.len() && !cone.bounds.contains(point) {
            return cone.add_half_solid_angles(view, point, angle);
        }
        if level > 0 {
            for half in 0..2 {
                self.add_half_solid_angles(view, level - 1, 2 * number + half, point, angle);
            }
            return;
        }
        for leaf_index in triangles {
            let vertices = view.triangle(leaf_index).map(|vertex| vertex.map(f64::from));
            angle.add(half_solid_angle(&Triangle { vertices }, point));
        }
    }
}

impl Cone {
    fn of(run: &[[u32; 3]], view: &View<'_>, only: impl Fn(u32) -> u32) -> Self {
        let mut bounds = Aabb::empty();
        let mut edges = Vec::with_capacity(3 * run.len());
        for &triangle in run {
            let corners = triangle.map(&only);
            edges.extend(BoundaryEdge::of_triangle(corners));
            for vertex in corners {
                bounds.grow(&view.vertices[vertex as usize].map(f64::from));
            }
        }
        Self { bounds, boundary: boundary(edges) }
    }

    /// Joins the cones of several runs.
    fn joined(cones: &[Self]) -> Self {
        let bounds = cones.iter().fold(Aabb::empty(), |bounds, cone| bounds.union(&cone.bounds));
        Self { bounds, boundary: boundary(cones.iter().flat_map(|cone| cone.boundary.iter().copied()).collect()) }
    }

    /// Adds half the solid angles of the cone's triangles, which join one vertex of the boundary to all edges of the
    /// boundary. Together with the run's triangles they form a closed surface, and they lie in the run's box.
    fn add_half_solid_angles(&self, view: &View<'_>, point: &Point3<f64>, angle: &mut AngleSum) {
        let at = |vertex: u32| view.vertices[vertex as usize].map(f64::from);
        let Some(apex) = self.boundary.first().map(|edge| at(edge.ends[0])) else { return };
        for edge in &self.boundary {
            let [from, to] = edge.ends.map(at);
            let of_edge = half_solid_angle(&Triangle::new(apex, from, to), point);
            let signed = if edge.excess < 0 { of_edge.reversed() } else { of_edge };
            (0..edge.excess.abs()).for_each(|_| angle.add(signed));
        }
    }
}

/// An angle from `-PI` to `PI`, given by the coordinates of a point in that direction; the origin stands for an angle
/// of 0.
#[derive(Clone, Copy)]
pub(super) struct Angle {
    pub(super) cosine: f64,
    pub(super) sine: f64,
}

impl Angle {
    fn reversed(self) -> Self {
        Self { sine: -self.sine, ..self }
    }
}

/// A sum of angles. Points are multiplied as complex numbers, and whole turns counted, so that only the sum needs an
/// arc tangent.
pub(super) struct AngleSum {
    turns: f64,
    rest: Angle,
}

impl AngleSum {
    pub(super) fn new() -> Self {
        Self { turns: 0.0, rest: Angle { cosine: 1.0, sine: 0.0 } }
    }

    pub(super) fn add(&mut self, by: Angle) {
        let from = self.rest;
        let cosine = from.cosine * by.cosine - from.sine * by.sine;
        // Half a turn is `PI`: the arc tangent of a negative zero would be `-PI`.
        let sine = from.sine * by.cosine + from.cosine * by.sine + 0.0;
        let size = cosine.abs() + sine.abs();
        if size == 0.0 {
            return;
        }
        self.rest = Angle { cosine: cosine / size, sine: sine / size };
        // The sum of two angles of one sign may leave the range of an angle, which flips its sign.
        let are_behind = from.cosine < 0.0 && by.cosine < 0.0;
        if from.sine >= 0.0 && by.sine >= 0.0 && (sine < 0.0 || sine == 0.0 && are_behind) {
            self.turns += 1.0;
        } else if from.sine < 0.0 && by.sine < 0.0 && (sine > 0.0 || sine == 0.0 && cosine <= 0.0) {
            self.turns -= 1.0;
        }
    }

    pub(super) fn turns(&self) -> f64 {
        self.turns + libm::atan2(self.rest.sine, self.rest.cosine) / (2.0 * PI)
    }
}

/// Half the signed solid angle of a triangle: positive for a point behind the triangle (van Oosterom and Strackee, "The
/// Solid Angle of a Plane Triangle", 1983).
fn half_solid_angle(triangle: &Triangle, point: &Point3<f64>) -> Angle {
    let [a, b, c] = triangle.vertices.map(|vertex| vertex - point);
    let lengths = [a.norm(), b.norm(), c.norm()];
    let sine = a.dot(&b.cross(&c));
    let cosine =
        lengths.iter().product::<f64>() + a.dot(&b) * lengths[2] + b.dot(&c) * lengths[0] + c.dot(&a) * lengths[1];
    Angle { cosine, sine }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        /// Angles of quarter turns, which meet the limits of the range, and any others.
        #[test]
        fn sums_of_angles(
            angles in prop::collection::vec(
                (prop_oneof![(-1..=2i8).prop_map(|quarter| f64::from(quarter) * PI / 2.0), -3.1..3.1f64], 1e-9..1e9f64),
                0..60,
            )
        ) {
            let mut sum = AngleSum::new();
            let exact = |angle: f64, k: i8| if (angle - f64::from(k) * PI / 2.0).abs() < 1e-9 { Some(k) } else { None };
            for &(angle, size) in &angles {
                let (sine, cosine) = match (-1..=2).find_map(|k| exact(angle, k)) {
                    Some(k) => [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, -1.0)][(k + 1) as usize],
                    None => angle.sin_cos(),
                };
                sum.add(Angle { cosine: cosine * size, sine: sine * size });
            }
            sum.add(Angle { cosine: 0.0, sine: 0.0 });
            let expected = angles.iter().map(|(angle, _)| angle).sum::<f64>() / (2.0 * PI);
            prop_assert!((sum.turns() - expected).abs() < 1e-12, "{} {expected}", sum.turns());
        }
    }
}
