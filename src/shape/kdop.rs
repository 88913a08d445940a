//! Discrete oriented polytopes with 18 directions.

use nalgebra::{Point3, Vector3};

use super::Aabb;
use super::half_spaces::{HalfSpace, area_vector, faces};

/// A discrete oriented polytope with 18 directions, closed: the points between nine pairs of parallel planes, whose
/// normals are [`KDop::DIRECTIONS`]. It is a box with its edges cut off (Klosowski et al., "Efficient Collision
/// Detection Using Bounding Volume Hierarchies of k-DOPs", 1998).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "18-DOP")]
#[doc(alias = "fixed-direction hull")]
pub struct KDop {
    /// The least offset `direction . point` along each direction.
    pub lower: [f64; 9],
    /// The greatest offset along each direction.
    pub upper: [f64; 9],
}

impl KDop {
    /// The nine directions, not normalised: the axes, then the sums and the differences of two axes. Offsets along sums
    /// and differences are therefore `sqrt(2)` times distances.
    pub const DIRECTIONS: [[f64; 3]; 9] = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, -1.0],
        [-1.0, 0.0, 1.0],
        [1.0, -1.0, 0.0],
    ];

    /// The offsets of a point along the directions.
    #[inline]
    pub fn offsets(point: &Point3<f64>) -> [f64; 9] {
        let [x, y, z] = [point.x, point.y, point.z];
        [x, y, z, y + z, z + x, x + y, y - z, z - x, x - y]
    }

    /// The smallest k-DOP that contains all `points`. If there are none, it is empty, with `lower` above `upper`.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Self {
        let mut kdop = Self { lower: [f64::INFINITY; 9], upper: [f64::NEG_INFINITY; 9] };
        for point in points {
            for (k, offset) in Self::offsets(point).into_iter().enumerate() {
                kdop.lower[k] = kdop.lower[k].min(offset);
                kdop.upper[k] = kdop.upper[k].max(offset);
            }
        }
        kdop
    }

    /// The axis-aligned box between the first three pairs of planes.
    #[inline]
    pub fn aabb(&self) -> Aabb {
        let [x, y, z, ..] = self.lower;
        let [u, v, w, ..] = self.upper;
        Aabb { lower: Point3::new(x, y, z), upper: Point3::new(u, v, w) }
    }

    /// The centre of [`KDop::aabb`].
    #[inline]
    pub fn center(&self) -> Point3<f64> {
        self.aabb().center()
    }

    /// Whether `point` lies between all planes, including points on them.
    #[inline]
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        Self::offsets(point).iter().enumerate().all(|(k, offset)| self.lower[k] <= *offset && *offset <= self.upper[k])
    }

    /// The k-DOP of the points that both contain; `None` if a pair of planes separates the two.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let lower = std::array::from_fn(|k| self.lower[k].max(other.lower[k]));
        let upper = std::array::from_fn(|k| self.upper[k].min(other.upper[k]));
        (0..9).all(|k| lower[k] <= upper[k]).then_some(Self { lower, upper })
    }

    /// The faces as convex polygons, counterclockwise from outside: each plane clipped by all others. A plane that only
    /// touches an edge or a corner has a face without area, or none.
    pub fn faces(&self) -> Vec<Vec<Point3<f64>>> {
        let center = self.center();
        let size = self.aabb().half_extents().norm();
        if !(size > 0.0 && size.is_finite()) {
            return Vec::new();
        }
        // The half-spaces, relative to the centre: a normal of unit length and an offset.
        let half_spaces: Vec<HalfSpace> = (0..18)
            .map(|i| {
                let (normal, sign) = (Vector3::from(Self::DIRECTIONS[i / 2]), if i % 2 == 0 { -1.0 } else { 1.0 });
                let offset = if i % 2 == 0 { -self.lower[i / 2] } else { self.upper[i / 2] };
                let length = normal.norm();
                let offset = (offset - sign * normal.dot(&center.coords)) / length;
                HalfSpace { normal: normal * (sign / length), offset }
            })
            .collect();
        faces(&half_spaces, &center, size)
    }

    /// The corners of all faces, most of them several times; those of [`KDop::aabb`] if there are no faces, as for a
    /// point. An empty k-DOP has none.
    pub fn corners(&self) -> Vec<Point3<f64>> {
        let corners: Vec<_> = self.faces().into_iter().flatten().collect();
        if corners.is_empty() && self.lower[0] <= self.upper[0] { self.aabb().corners().to_vec() } else { corners }
    }

    /// A point of the k-DOP: the mean of the corners of its faces.
    pub(crate) fn mean_corner(&self) -> Point3<f64> {
        let corners = self.corners();
        let sum = corners.iter().fold(Vector3::zeros(), |sum, corner| sum + corner.coords);
        Point3::from(sum / corners.len().max(1) as f64)
    }

    /// Tetrahedra that fill the k-DOP, as three edges from a common apex, and the apex.
    pub(crate) fn tetrahedra(&self) -> (Point3<f64>, Vec<[Vector3<f64>; 3]>) {
        let apex = self.mean_corner();
        let fan = |face: &Vec<Point3<f64>>| -> Vec<_> {
            let edges = |ends: &[Point3<f64>]| [face[0] - apex, ends[0] - apex, ends[1] - apex];
            face.windows(2).skip(1).map(edges).collect()
        };
        (apex, self.faces().iter().flat_map(fan).collect())
    }

    /// The volume: zero for a flat or an empty k-DOP.
    pub fn volume(&self) -> f64 {
        let center = self.center();
        let pyramids = self.faces().into_iter().map(|face| (face[0] - center).dot(&area_vector(&face)) / 3.0);
        pyramids.sum::<f64>().max(0.0)
    }

    /// The area of all faces: both sides of a flat k-DOP.
    pub fn surface_area(&self) -> f64 {
        self.faces().iter().map(|face| area_vector(face).norm()).sum()
    }

    /// The greatest distance between two points of the k-DOP; zero if it is empty.
    pub fn diameter(&self) -> f64 {
        let corners = self.corners();
        let distances = corners.iter().flat_map(|a| corners.iter().map(move |b| (a - b).norm()));
        distances.fold(0.0, f64::max)
    }
}
