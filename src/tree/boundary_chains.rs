//! The boundary of an open mesh as chains of edges, for winding numbers up to a proven error: from afar, the straight
//! edge between its ends stands for a part of a chain.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::arrays::View;
use super::winding_tree::{AngleSum, angle_from_behind};
use crate::mesh::BoundaryEdge;
use crate::shape::Aabb;

/// The boundary edges of a mesh whose triangles are oriented alike, each traversed as its triangle does.
#[derive(Debug, Default)]
pub(super) struct BoundaryChains {
    /// The points along each chain; consecutive ones of a link are the ends of an edge.
    points: Vec<Point3<f64>>,
    /// Each link is followed by its parts.
    links: Vec<Link>,
}

/// A part of a chain.
#[derive(Debug)]
struct Link {
    /// A ball that holds it.
    center: Point3<f64>,
    radius: f64,
    /// The area of the triangles from its first point to its edges, which fill the gap to the edge between its ends.
    area: f64,
    /// The range of its points.
    first: u32,
    last: u32,
    /// The number of the next link that is not a part of it.
    end: u32,
}

/// The error of a winding number that one part of a chain may cause.
const FAR: f64 = 1e-3;

/// The number of edges up to which a link has no parts.
const FEW: usize = 4;

impl BoundaryChains {
    pub(super) fn new(view: &View<'_>, boundary: &[BoundaryEdge]) -> Self {
        let turned = |edge: &BoundaryEdge| if edge.excess > 0 { edge.ends } else { [edge.ends[1], edge.ends[0]] };
        let mut edges: Vec<[u32; 2]> = boundary.iter().map(turned).collect();
        edges.sort_unstable();
        let mut is_used = vec![false; edges.len()];
        let (mut chains, at) = (Self::default(), |vertex: u32| view.vertices[vertex as usize].map(f64::from));
        for start in 0..edges.len() {
            if is_used[start] {
                continue;
            }
            let (first, mut next) = (chains.points.len(), Some(start));
            chains.points.push(at(edges[start][0]));
            while let Some(edge) = next {
                is_used[edge] = true;
                let end = edges[edge][1];
                chains.points.push(at(end));
                let from = edges.partition_point(|edge| edge[0] < end);
                next = (from..edges.len()).take_while(|&i| edges[i][0] == end).find(|&i| !is_used[i]);
            }
            chains.add_link(first, chains.points.len() - 1);
        }
        chains
    }

    fn add_link(&mut self, first: usize, last: usize) {
        let points = &self.points[first..=last];
        let center = Aabb::from_points(points).center();
        let radius = points.iter().fold(0.0, |radius: f64, point| radius.max((point - center).norm()));
        let fan = points.windows(2).map(|ends| (ends[0] - points[0]).cross(&(ends[1] - points[0])).norm());
        let (area, number) = (0.5 * fan.sum::<f64>(), self.links.len());
        let (first_point, last_point) = (first as u32, last as u32);
        self.links.push(Link { center, radius, area, first: first_point, last: last_point, end: 0 });
        if last - first > FEW {
            let middle = first.midpoint(last);
            self.add_link(first, middle);
            self.add_link(middle, last);
        }
        self.links[number].end = self.links.len() as u32;
    }

    /// The number of times that the mesh winds around a point, given that number for a ray from there, and a bound of
    /// the error. `None` if rounding hides on which side of the boundary the ray passes.
    ///
    /// The triangles between a part of a chain and the edge between its ends change the number by no more than their
    /// area over `4 pi` and their squared distance, where the ray meets none of them.
    pub(super) fn number_and_error(
        &self,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        crossings: i64,
    ) -> Option<[f64; 2]> {
        let direction = direction.normalize();
        let behind = -direction;
        let (mut angle, mut most, mut next) = (AngleSum::new(), 0.0, 0);
        while let Some(link) = self.links.get(next) {
            let offset = link.center - point;
            let (gap, along) = (offset.norm() - link.radius, offset.dot(&direction));
            let error = link.area / (4.0 * PI * gap * gap);
            let is_met = along > -link.radius && (offset - direction * along).norm() <= link.radius * 1.001;
            let points = &self.points[link.first as usize..=link.last as usize];
            let (first, last) = (points[0] - point, points[points.len() - 1] - point);
            if gap > 0.0 && error <= FAR && !is_met {
                angle.add(angle_from_behind(&[first, last], &behind)?);
                most += error;
            } else if link.end as usize == next + 1 {
                for ends in points.windows(2) {
                    angle.add(angle_from_behind(&[ends[0] - point, ends[1] - point], &behind)?);
                }
            } else {
                next += 1;
                continue;
            }
            next = link.end as usize;
        }
        Some([crossings as f64 + angle.turns(), most])
    }
}
