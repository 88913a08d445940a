//! Points and edges as keys of maps.

use nalgebra::Point3;

/// An edge by its ends.
pub(super) type Edge = [Point3<f64>; 2];
pub(super) type PointKey = [u64; 3];
pub(super) type EdgeKey = [PointKey; 2];

/// A point as a key: equal coordinates, equal keys.
pub(super) fn point_key(point: &Point3<f64>) -> PointKey {
    [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits())
}

/// An edge as a key, the same for both directions.
pub(super) fn edge_key(edge: &Edge) -> EdgeKey {
    let [p, q] = edge.each_ref().map(point_key);
    [p.min(q), p.max(q)]
}
