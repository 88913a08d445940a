//! Upper bounds of distances from a triangle, in a small part of the time of the exact ones.

use nalgebra::{Point3, Vector3};

use super::Triangle;

impl Triangle {
    /// The distance of a point, or more: from the point that Ericson 2005, 5.1.5, finds in the triangle. It takes a
    /// small part of the time of [`Triangle::closest_point`], which is exact to rounding for slivers as well and is
    /// used for these: a triangle without area has no such regions.
    #[inline]
    pub(crate) fn distance_at_most(&self, point: &Point3<f64>) -> f64 {
        self.offset_from_near(point).norm()
    }

    /// The distance of a point, up to a few roundings of the coordinates, mostly in a small part of the time of
    /// [`Triangle::closest_point`].
    #[inline]
    pub(crate) fn distance_to(&self, point: &Point3<f64>) -> f64 {
        let offset = self.offset_from_near(point);
        let to_vertices = self.vertices.map(|vertex| (vertex - point) + offset);
        // The point found is the closest if the plane through it and across the way there has the triangle beyond it.
        let before = to_vertices.iter().fold(0.0, |most: f64, vertex| most.max(vertex.dot(&offset)));
        let distance_sq = offset.norm_squared();
        let size_sq = distance_sq + to_vertices.iter().map(Vector3::norm_squared).sum::<f64>();
        if before * before <= FOOT_ERROR * FOOT_ERROR * size_sq * distance_sq {
            distance_sq.sqrt()
        } else {
            (self.closest_point(point) - point).norm()
        }
    }

    /// The vector to a point from one of the triangle that is the closest, or near it.
    #[inline]
    fn offset_from_near(&self, point: &Point3<f64>) -> Vector3<f64> {
        let [a, b, c] = self.vertices;
        let (ab, ac, ap) = (b - a, c - a, point - a);
        let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
        let (bp, cp) = (point - b, point - c);
        let (d3, d4, d5, d6) = (ab.dot(&bp), ac.dot(&bp), ab.dot(&cp), ac.dot(&cp));
        let (vc, vb, va) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
        // Twice the area, squared, beside the product of the squared lengths of `ab` and `ac`.
        let is_sliver = va + vb + vc <= SLIVER * (d1 - d3) * (d2 - d6);
        if is_sliver {
            return point - self.closest_point(point);
        }
        let part = |x: f64, y: f64| (x / (x + y)).clamp(0.0, 1.0);
        let from_a = if d1 <= 0.0 && d2 <= 0.0 {
            Vector3::zeros()
        } else if d3 >= 0.0 && d4 <= d3 {
            ab
        } else if d6 >= 0.0 && d5 <= d6 {
            ac
        } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            ab * part(d1, -d3)
        } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            ac * part(d2, -d6)
        } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            ab + (ac - ab) * part(d4 - d3, d5 - d6)
        } else {
            let v = (vb / (va + vb + vc)).clamp(0.0, 1.0);
            ab * v + ac * (vc / (va + vb + vc)).clamp(0.0, 1.0 - v)
        };
        if from_a.iter().any(|x| x.is_nan()) { ap } else { ap - from_a }
    }

    /// The greatest distance of a point of the points' convex hull, or more. The distance is a convex function, so it
    /// is greatest at one of the points.
    #[inline]
    pub(crate) fn greatest_distance_at_most(&self, points: &[Point3<f64>]) -> f64 {
        points.iter().fold(0.0, |most: f64, point| most.max(self.distance_at_most(point)))
    }
}

/// The error of a distance that is let pass, relative to the distance and the triangle's size.
const FOOT_ERROR: f64 = 4.0 * f64::EPSILON;

/// The squared sine of a triangle's angle below which it is a sliver.
const SLIVER: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Corners lie on a small grid, on which many triangles have no area or are points.
        #[test]
        fn little_is_added_to_distances(
            corners in prop::array::uniform3(prop::array::uniform3(-1i8..=1)),
            stretch in prop::array::uniform3(prop::sample::select(vec![0.0, 1e-8, 1e-3, 1.0, 1e3])),
            point in prop::array::uniform3(-2.0..2.0_f64),
        ) {
            let stretched = |corner: [i8; 3]| Point3::from(std::array::from_fn(|k| f64::from(corner[k]) * stretch[k]));
            let vertices = corners.map(stretched);
            let (triangle, point) = (Triangle { vertices }, Point3::from(point));
            let exact = (triangle.closest_point(&point) - point).norm();
            let found = triangle.distance_at_most(&point);
            prop_assert!(found >= exact * (1.0 - 1e-12) && found <= exact + 1e-6, "{found} {exact}");
            let size = vertices.iter().map(|vertex| vertex.coords.norm()).sum::<f64>() + 4.0;
            let distance = triangle.distance_to(&point);
            prop_assert!((distance - exact).abs() <= 16.0 * f64::EPSILON * size, "{distance} {exact}");
        }
    }
}
