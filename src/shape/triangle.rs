//! Triangles against boxes; pairs of triangles are in [`crate::triangle`].

use nalgebra::Point3;

use super::{Aabb, ClosestPoint, Distance, Obb, Overlaps, Segment, reversed};
use crate::numeric::error_bounds::{NO_AREA_SQ, PLANE_HEIGHT};
use crate::triangle::Triangle;

impl ClosestPoint for Triangle {
    /// See [`Triangle::closest_point`].
    fn closest_point(&self, point: &Point3<f64>) -> Point3<f64> {
        Triangle::closest_point(self, point)
    }
}

impl Overlaps<Aabb> for Triangle {
    /// Whether an edge of the triangle meets the box or, if none does, the triangle contains the point at which its
    /// plane cuts the box diagonal most nearly perpendicular to it (Green and Hatch, Fast Polygon-Cube Intersection
    /// Testing, Graphics Gems V, 1995).
    ///
    /// A triangle without area counts as its edges. Never misses touching if differences of coordinates are
    /// representable.
    fn overlaps(&self, aabb: &Aabb) -> bool {
        edges(self).iter().any(|edge| edge.overlaps(aabb)) || piercing_point(self, aabb).is_some()
    }
}

impl Distance<Aabb> for Triangle {
    /// The closest pair among each edge with the box and each corner of the box with the triangle. If none of those
    /// meet, the triangle may still pierce the box.
    fn closest_points(&self, aabb: &Aabb) -> (Point3<f64>, Point3<f64>) {
        if let Some(common) = piercing_point(self, aabb) {
            return (common, common);
        }
        let distance_sq = |(p, q): &(Point3<f64>, Point3<f64>)| (q - p).norm_squared();
        let [first, second, third] = edges(self).map(|edge| edge.closest_points(aabb));
        let corners = aabb.corners().map(|corner| (Triangle::closest_point(self, &corner), corner));
        [second, third]
            .iter()
            .chain(&corners)
            .fold(first, |nearest, pair| if distance_sq(pair) < distance_sq(&nearest) { *pair } else { nearest })
    }
}

impl Overlaps<Obb> for Triangle {
    /// The triangle against the axis-aligned box in the box's frame.
    fn overlaps(&self, obb: &Obb) -> bool {
        in_frame_of(obb, self).overlaps(&obb.in_box_frame())
    }
}

impl Distance<Obb> for Triangle {
    fn closest_points(&self, obb: &Obb) -> (Point3<f64>, Point3<f64>) {
        let local = in_frame_of(obb, self);
        let (on_triangle, on_box) = Distance::closest_points(&local, &obb.in_box_frame());
        (obb.to_world(&on_triangle), obb.to_world(&on_box))
    }
}

reversed!(Aabb, 3: Triangle);
reversed!(Obb, 3: Triangle);

fn edges(triangle: &Triangle) -> [Segment; 3] {
    triangle.edges().map(|[start, end]| Segment { start, end })
}

fn in_frame_of(obb: &Obb, triangle: &Triangle) -> Triangle {
    Triangle { vertices: triangle.vertices.map(|vertex| obb.to_local(&vertex)) }
}

/// The point where the triangle's plane cuts the box diagonal most nearly perpendicular to it; `None` if that point is
/// not in both the triangle and the box. If no edge of the triangle meets the box, this one point decides whether the
/// two overlap.
fn piercing_point(triangle: &Triangle, aabb: &Aabb) -> Option<Point3<f64>> {
    let [a, b, c] = triangle.vertices;
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(&ac);
    // A triangle that is a segment up to rounding has no plane; its edges are all of it.
    let no_area = NO_AREA_SQ * ab.norm_squared() * ac.norm_squared();
    let half_diagonal = aabb.half_extents().zip_map(&normal, |half, n| half.copysign(n));
    let center = aabb.center();

    let height = (a - center).dot(&normal);
    let radius = half_diagonal.dot(&normal);
    let rounding = PLANE_HEIGHT * (a - center).abs().dot(&normal.abs());
    if aabb.is_empty() || normal.norm_squared() <= no_area || height.abs() > radius + rounding {
        return None;
    }
    let point = if radius > 0.0 { center + half_diagonal * (height / radius).clamp(-1.0, 1.0) } else { center };
    let inside = |from: Point3<f64>, to: Point3<f64>| (to - from).cross(&(point - from)).dot(&normal) >= 0.0;
    (inside(a, b) && inside(b, c) && inside(c, a)).then_some(point)
}
