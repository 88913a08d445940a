//! Upper bounds on the distance from a surface, for the points of a convex polygon.
//!
//! The distance from a triangle of the surface is a convex function and nowhere less than that from the surface. So is
//! a weighted mean of the distances from several triangles, whose greatest value over the polygon is at a vertex. The
//! best weights are those of a matrix game with the vertices against the triangles (von Neumann, "Zur Theorie der
//! Gesellschaftsspiele", 1928); here they are approached by adding one triangle after another.

use nalgebra::Point3;
use smallvec::SmallVec;

use crate::triangle::Triangle;

/// A weighted mean of the distances from triangles, given by its values at the vertices of a polygon.
#[derive(Clone)]
pub(super) struct Mixture {
    values: SmallVec<[f64; 6]>,
    /// Two vertices between which the distance may be greatest.
    peak: [usize; 2],
    /// The weight of the first vertex of `peak` in the point between the two at which the distance may be greatest; the
    /// second has the rest.
    weight: f64,
}

impl Mixture {
    /// The distances from one triangle.
    pub(super) fn new(triangle: &Triangle, polygon: &[Point3<f64>]) -> Self {
        let values: SmallVec<[f64; 6]> = polygon.iter().map(|vertex| triangle.distance_at_most(vertex)).collect();
        let greatest = (0..values.len()).max_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
        Self { values, peak: [greatest; 2], weight: 1.0 }
    }

    /// An upper bound on the distance at all points of the polygon.
    pub(super) fn greatest(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// A point of the polygon at which the distance may be greatest.
    pub(super) fn peak(&self, polygon: &[Point3<f64>]) -> Point3<f64> {
        let [p, q] = self.peak.map(|vertex| polygon[vertex]);
        q + (p - q) * self.weight
    }

    /// The vertices between which the distance may be greatest.
    pub(super) fn peak_vertices(&self) -> [usize; 2] {
        self.peak
    }

    /// Mixes in another mixture, with the weight for which the greatest value is least.
    pub(super) fn add(&mut self, other: &Self) {
        let values = &self.values;
        let slope = |vertex: usize| other.values[vertex] - values[vertex];
        let higher =
            |&i: &usize, &j: &usize| values[i].total_cmp(&values[j]).then_with(|| slope(i).total_cmp(&slope(j)));
        let Some(mut top) = (0..values.len()).max_by(higher).filter(|&top| slope(top) < 0.0) else { return };
        // The greatest value is a convex function of the weight: follow it down from one vertex's value to the next's.
        let mut weight: f64 = 0.0;
        (self.peak, self.weight) = loop {
            let mut next = (1.0, None);
            for vertex in 0..values.len() {
                let steeper = slope(vertex) - slope(top);
                if steeper > 0.0 {
                    let crossing = ((values[top] - values[vertex]) / steeper).max(weight);
                    if crossing < next.0 || crossing == next.0 && next.1.is_some_and(|v| slope(v) < slope(vertex)) {
                        next = (crossing, Some(vertex));
                    }
                }
            }
            weight = next.0;
            match next.1 {
                None => break ([top; 2], 1.0),
                Some(vertex) if slope(vertex) >= 0.0 => {
                    break ([top, vertex], slope(vertex) / (slope(vertex) - slope(top)));
                }
                Some(vertex) => top = vertex,
            }
        };
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value = (1.0 - weight) * *value + weight * other;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(count: usize) -> impl Strategy<Value = Vec<Point3<f64>>> {
        let coordinate = prop_oneof![(-2i8..=2).prop_map(f64::from), -2.0..2.0f64];
        prop::collection::vec(prop::array::uniform3(coordinate).prop_map(Point3::from), count)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        /// No point of the polygon's hull is farther from all triangles than the bound, which never grows.
        #[test]
        fn no_distance_exceeds_a_mixture(
            (polygon, corners, weights) in (1..6usize, 1..5usize).prop_flat_map(|(vertices, triangles)| {
                let weights = prop::collection::vec(prop::collection::vec(0.01..1.0f64, vertices), 8);
                (points(vertices), points(3 * triangles), weights)
            })
        ) {
            let triangles: Vec<Triangle> = corners.chunks(3).map(|c| Triangle::new(c[0], c[1], c[2])).collect();
            let mut mixture = Mixture::new(&triangles[0], &polygon);
            for triangle in &triangles[1..] {
                let (last, other) = (mixture.greatest(), Mixture::new(triangle, &polygon));
                mixture.add(&other);
                prop_assert!(mixture.greatest() <= last.min(other.greatest()) + 1e-12);
            }
            let combined = weights.iter().map(|weights| {
                let sum: f64 = weights.iter().sum();
                let weighted = polygon.iter().zip(weights).map(|(point, weight)| point.coords * (weight / sum));
                Point3::from(weighted.sum::<nalgebra::Vector3<f64>>())
            });
            for point in combined.chain([mixture.peak(&polygon)]).chain(polygon.clone()) {
                let distances = triangles.iter().map(|triangle| (triangle.closest_point(&point) - point).norm());
                let distance = distances.fold(f64::INFINITY, f64::min);
                prop_assert!(distance <= mixture.greatest() + 1e-12, "{distance} {}", mixture.greatest());
            }
        }
    }
}
