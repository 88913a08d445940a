//! The boundary of an open mesh as chains of edges, for winding numbers, exact or up to a proven error: from afar, a
//! part of a chain is replaced by the straight edge between its ends.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::arrays::View;
use super::winding_tree::{Angle, AngleSum, BESIDE_EDGE};
use crate::mesh::BoundaryEdge;
use crate::shape::Aabb;
use crate::simd::vectors::{Vector8x64, cross_unfused64, difference64, dot_unfused64};
use crate::simd::{Simd, SimdLevel, dispatched};

/// The boundary edges of a mesh whose triangles are consistently oriented, each in the direction in which its triangle
/// traverses it.
#[derive(Debug, Default)]
pub(super) struct BoundaryChains {
    /// All edges, in groups of up to eight.
    eights: Vec<EightEdges>,
    /// Each link is followed by its parts.
    links: Vec<Link>,
}

/// A part of a chain.
#[derive(Debug)]
struct Link {
    /// The centre of a ball that contains the part.
    center: Point3<f64>,
    radius: f64,
    /// The total area of the triangles from the part's first point to its edges, which fill the gap between the part
    /// and the straight edge between its ends.
    area: f64,
    ends: [Point3<f32>; 2],
    /// The index of the part's first group of eight edges.
    first: u32,
    /// The index of the next link that is not a part of this one.
    end: u32,
}

/// Up to eight edges: a row for each coordinate of their starts and of their ends. In unused lanes, start and end are
/// the same point.
type EightEdges = [[f32; 8]; 6];

/// The greatest error of a winding number that replacing one part of a chain may cause.
const FAR: f64 = 1e-3;

/// The number of edges that are processed together; a link of at most that many edges has no parts.
const LANES: usize = 8;

/// The number of groups of eight edges after which a sum of angles, kept as a product of complex numbers, is scaled
/// again, lest it underflow: the length of each factor is 0.7 to 1.
const MANY: usize = 512;

impl BoundaryChains {
    pub(super) fn new(view: &View<'_>, boundary: &[BoundaryEdge]) -> Self {
        let turned = |edge: &BoundaryEdge| if edge.excess > 0 { edge.ends } else { [edge.ends[1], edge.ends[0]] };
        let mut edges: Vec<[u32; 2]> = boundary.iter().map(turned).collect();
        edges.sort_unstable();
        let mut is_used = vec![false; edges.len()];
        // At the first edge from a vertex, the first of its edges that may be unused.
        let mut first_free: Vec<usize> = (0..edges.len()).collect();
        let (mut chains, at) = (Self::default(), |vertex: u32| view.vertices[vertex as usize]);
        for start in 0..edges.len() {
            if is_used[start] {
                continue;
            }
            let (mut points, mut next) = (vec![at(edges[start][0])], Some(start));
            while let Some(edge) = next {
                is_used[edge] = true;
                let end = edges[edge][1];
                points.push(at(end));
                let from = edges.partition_point(|edge| edge[0] < end);
                let is_from_end = |edge: usize| edges.get(edge).is_some_and(|edge| edge[0] == end);
                next = None;
                if is_from_end(from) {
                    let free = &mut first_free[from];
                    while is_from_end(*free) && is_used[*free] {
                        *free += 1;
                    }
                    next = Some(*free).filter(|&edge| is_from_end(edge));
                }
            }
            chains.add_link(&points);
        }
        chains
    }

    /// Adds a part of a chain, given by its points: two or more.
    fn add_link(&mut self, along: &[Point3<f32>]) {
        let points: Vec<Point3<f64>> = along.iter().map(|point| point.map(f64::from)).collect();
        let center = Aabb::from_points(&points).center();
        let radius = points.iter().fold(0.0, |radius: f64, point| radius.max((point - center).norm()));
        let fan = points.windows(2).map(|ends| (ends[0] - points[0]).cross(&(ends[1] - points[0])).norm());
        let (area, number, ends) = (0.5 * fan.sum::<f64>(), self.links.len(), [along[0], along[along.len() - 1]]);
        self.links.push(Link { center, radius, area, ends, first: self.eights.len() as u32, end: 0 });
        let edges = along.len() - 1;
        if edges > LANES {
            let middle = (edges / 2).next_multiple_of(LANES);
            self.add_link(&along[..=middle]);
            self.add_link(&along[middle..]);
        } else {
            let mut eight = FewEdges::default();
            along.windows(2).for_each(|ends| eight.push(&[ends[0], ends[1]]));
            self.eights.push(eight.padded());
        }
        self.links[number].end = self.links.len() as u32;
    }

    /// The number of times that the mesh winds around a point, given the signed crossings of a ray from there. `None`
    /// if rounding hides on which side of a boundary edge the ray passes.
    pub(super) fn number(
        &self,
        level: SimdLevel,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        crossings: i64,
    ) -> Option<f64> {
        let mut angles = AnglesFromBehind::new(level, point, direction);
        angles.add(&self.eights)?;
        Some(crossings as f64 + angles.turns())
    }

    /// The result of [`Self::number`] up to an error, and a bound on the error.
    ///
    /// The triangles between a part of a chain and the edge between its ends change the number by no more than their
    /// area divided by `4 pi` and by the square of their distance from the point, if the ray meets none of them.
    pub(super) fn number_and_error(
        &self,
        level: SimdLevel,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        crossings: i64,
    ) -> Option<[f64; 2]> {
        let mut angles = AnglesFromBehind::new(level, point, direction);
        let (direction, mut few, mut most, mut next) = (-angles.behind, FewEdges::default(), 0.0, 0);
        while let Some(link) = self.links.get(next) {
            let offset = link.center - point;
            let (gap, along) = (offset.norm() - link.radius, offset.dot(&direction));
            let error = link.area / (4.0 * PI * gap * gap);
            let is_met = along > -link.radius && (offset - direction * along).norm() <= link.radius * 1.001;
            if gap > 0.0 && error <= FAR && !is_met {
                few.push(&link.ends);
                if few.count == LANES {
                    angles.add(&[few.rows])?;
                    few.count = 0;
                }
                most += error;
            } else if link.end as usize == next + 1 {
                angles.add(&self.eights[link.first as usize..=link.first as usize])?;
            } else {
                next += 1;
                continue;
            }
            next = link.end as usize;
        }
        if few.count > 0 {
            angles.add(&[few.padded()])?;
        }
        Some([crossings as f64 + angles.turns(), most])
    }
}

/// A group of up to eight edges that is being filled.
#[derive(Default)]
struct FewEdges {
    rows: EightEdges,
    count: usize,
}

impl FewEdges {
    /// Adds an edge. Precondition: there are fewer than eight.
    fn push(&mut self, ends: &[Point3<f32>; 2]) {
        for (row, x) in self.rows.iter_mut().zip(ends.iter().flat_map(|end| end.iter())) {
            row[self.count] = *x;
        }
        self.count += 1;
    }

    /// The rows of one or more edges. The other lanes get the end of the last edge, and so an angle of 0. If the ray's
    /// direction is within 0.00001 of the direction to that point, rounding hides on which side of the point the ray
    /// passes.
    fn padded(mut self) -> EightEdges {
        for k in 0..3 {
            let end = self.rows[3 + k][self.count - 1];
            self.rows[k][self.count..].fill(end);
            self.rows[3 + k][self.count..].fill(end);
        }
        self.rows
    }
}

/// The sum of half the solid angles of triangles from the point at infinity behind a ray to edges: eight partial sums,
/// each a product of complex numbers that are multiplied in the same order on every SIMD level.
struct AnglesFromBehind {
    level: SimdLevel,
    point: Point3<f64>,
    behind: Vector3<f64>,
    sums: EightSums,
}

/// Rows of the cosines and the sines of eight sums, up to a factor, and of their whole turns.
type EightSums = [[f64; 8]; 3];

impl AnglesFromBehind {
    fn new(level: SimdLevel, point: &Point3<f64>, direction: &Vector3<f64>) -> Self {
        Self { level, point: *point, behind: -direction.normalize(), sums: [[1.0; 8], [0.0; 8], [0.0; 8]] }
    }

    /// Adds the angles of edges. `None` if rounding hides on which side of an edge the ray passes.
    fn add(&mut self, edges: &[EightEdges]) -> Option<()> {
        edges.chunks(MANY).try_for_each(|edges| {
            self.sums = with_edges(self.level, &self.sums, edges, &self.point, &self.behind)?;
            Some(())
        })
    }

    fn turns(&self) -> f64 {
        let [cosines, sines, turns] = &self.sums;
        let mut sum = AngleSum::new();
        cosines.iter().zip(sines).for_each(|(&cosine, &sine)| sum.add(Angle { cosine, sine }));
        sum.turns() + turns.iter().sum::<f64>()
    }
}

dispatched! {
    fn with_edges['a](
        sums: &'a EightSums,
        edges: &'a [EightEdges],
        point: &'a Point3<f64>,
        behind: &'a Vector3<f64>,
    ) -> Option<EightSums> = |s| with_edges_by(s, sums, edges, point, behind);
}

#[inline(always)]
fn with_edges_by<S: Simd>(
    s: S,
    sums: &EightSums,
    edges: &[EightEdges],
    point: &Point3<f64>,
    behind: &Vector3<f64>,
) -> Option<EightSums> {
    let point = [s.splat64(point.x), s.splat64(point.y), s.splat64(point.z)];
    let behind = [s.splat64(behind.x), s.splat64(behind.y), s.splat64(behind.z)];
    let (zero, one) = (s.splat64(0.0), s.splat64(1.0));
    let mut cosine = s.load64(&sums[0]);
    let mut sine = s.load64(&sums[1]);
    let mut turns = s.load64(&sums[2]);
    for rows in edges {
        let from = difference64(s, &[s.widen(&rows[0]), s.widen(&rows[1]), s.widen(&rows[2])], &point);
        let to = difference64(s, &[s.widen(&rows[3]), s.widen(&rows[4]), s.widen(&rows[5])], &point);
        let [by_cosine, by_sine] = angles_from_behind(s, &from, &to, &behind)?;
        let next_cosine = s.sub64(s.mul64(cosine, by_cosine), s.mul64(sine, by_sine));
        let next_sine = s.add64(s.mul64(sine, by_cosine), s.mul64(cosine, by_sine));
        // The sum of two angles of one sign may leave the range from -PI (exclusive) to PI, which flips the sign of its
        // sine. No edge's angle is PI.
        let up = s.where_gt64(zero, by_sine, zero, s.where_gt64(zero, next_sine, one, zero));
        let down = s.where_gt64(zero, by_sine, s.where_gt64(zero, next_sine, zero, one), zero);
        turns = s.add64(turns, s.where_gt64(zero, sine, s.sub64(zero, down), up));
        (cosine, sine) = (next_cosine, next_sine);
    }
    let size = s.add64(s.abs64(cosine), s.abs64(sine));
    Some([s.to_array64(s.div64(cosine, size)), s.to_array64(s.div64(sine, size)), s.to_array64(turns)])
}

/// The cosines and the sines of half the signed solid angles of the triangles from the point at infinity in the
/// direction `behind` to edges, which are given by the offsets of their ends. Both are scaled so that their magnitudes
/// add up to 1. `None` if rounding hides on which side of an edge a ray in the opposite direction passes.
#[inline(always)]
fn angles_from_behind<S: Simd>(
    s: S,
    from: &Vector8x64<S>,
    to: &Vector8x64<S>,
    behind: &Vector8x64<S>,
) -> Option<[S::F64x8; 2]> {
    let near = s.sqrt64(dot_unfused64(s, from, from));
    let far = s.sqrt64(dot_unfused64(s, to, to));
    let sine = dot_unfused64(s, behind, &cross_unfused64(s, from, to));
    let product = s.mul64(near, far);
    let across = s.add64(s.mul64(dot_unfused64(s, from, behind), far), s.mul64(dot_unfused64(s, to, behind), near));
    let cosine = s.add64(s.add64(product, dot_unfused64(s, from, to)), across);
    let size = s.abs64(sine);
    if s.gt64(s.max64(cosine, size), s.mul64(s.splat64(BESIDE_EDGE), product)) != 0xff {
        return None;
    }
    let scale = s.div64(s.splat64(1.0), s.add64(s.abs64(cosine), size));
    Some([s.mul64(cosine, scale), s.mul64(sine, scale)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a fan that share one vertex and no edge: all edges are a single chain, in the order of the fan.
    #[test]
    fn a_vertex_of_many_edges_is_passed_quickly() {
        let triangles = 200_000;
        let vertices: Vec<_> = (0..=2 * triangles).map(|i| Point3::new(i as f32, 1.0, 0.0)).collect();
        let view = View { nodes: &[], vertices: &vertices, corners: &[], faces: &[], polygons: &[] };
        let boundary: Vec<_> =
            (0..triangles).flat_map(|k| BoundaryEdge::of_triangle([0, 2 * k + 1, 2 * k + 2])).collect();
        let chains = BoundaryChains::new(&view, &boundary);
        let starts =
            chains.eights.iter().flat_map(|rows| (0..LANES).filter(|&i| rows[0][i] != rows[3][i]).map(|i| rows[0][i]));
        let expected = (0..triangles).flat_map(|k| [0.0, (2 * k + 1) as f32, (2 * k + 2) as f32]);
        assert!(starts.eq(expected));
        assert_eq!(chains.links[0].end as usize, chains.links.len());
    }
}
