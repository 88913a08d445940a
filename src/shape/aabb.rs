//! Axis-aligned boxes.

use nalgebra::{Matrix3, Point, Point3, SVector, Vector3};

use super::{ClosestPoint, ContactInterval, Overlaps, TimeOfContact};

/// An axis-aligned box, closed; a rectangle in the plane. Empty if `lower` exceeds `upper` along any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb<const D: usize = 3> {
    /// The corner with the smallest coordinates.
    pub lower: Point<f64, D>,
    /// The corner with the largest coordinates.
    pub upper: Point<f64, D>,
}

impl<const D: usize> Aabb<D> {
    /// Whether the box contains no point at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..D).any(|k| self.lower[k] > self.upper[k])
    }

    /// Whether `point` lies in the box, its surface included.
    #[inline]
    pub fn contains(&self, point: &Point<f64, D>) -> bool {
        (0..D).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }
}

impl Aabb {
    /// The empty box: it contains nothing, and growing it by a point gives that point's box.
    #[inline]
    pub fn empty() -> Self {
        Self {
            lower: Point3::from(Vector3::repeat(f64::INFINITY)),
            upper: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
        }
    }

    /// The smallest box that contains all `points`; the empty box if there are none.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Self {
        let mut aabb = Self::empty();
        for point in points {
            aabb.grow(point);
        }
        aabb
    }

    /// Enlarges the box to contain `point`.
    #[inline]
    pub fn grow(&mut self, point: &Point3<f64>) {
        self.lower = self.lower.inf(point);
        self.upper = self.upper.sup(point);
    }

    /// The smallest box that contains both boxes.
    #[inline]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// The box grown by a distance on every side.
    pub(crate) fn grown(&self, by: f64) -> Aabb {
        Aabb { lower: self.lower.map(|x| x - by), upper: self.upper.map(|x| x + by) }
    }

    /// The intersection of both boxes, if any; flat if the two only touch.
    #[inline]
    pub fn intersection(&self, other: &Aabb) -> Option<Aabb> {
        let common = Aabb { lower: self.lower.sup(&other.lower), upper: self.upper.inf(&other.upper) };
        (!common.is_empty()).then_some(common)
    }

    /// The centre of the box; NaN for [`Aabb::empty`].
    #[inline]
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.lower, &self.upper)
    }

    /// The box's size along each axis, `upper - lower`.
    #[inline]
    pub fn size(&self) -> Vector3<f64> {
        self.upper - self.lower
    }

    /// Half the box's size along each axis.
    #[inline]
    pub fn half_extents(&self) -> Vector3<f64> {
        self.size() * 0.5
    }

    /// The volume: zero for a flat or an empty box.
    pub fn volume(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.size().product() }
    }

    /// The area of the six faces: both sides of a flat box, zero for an empty one.
    pub fn surface_area(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let size = self.size();
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    /// The eight corners; bit `k` of a corner's index selects the upper side on axis `k`.
    pub fn corners(&self) -> [Point3<f64>; 8] {
        std::array::from_fn(|corner| {
            Point3::from(Vector3::from_fn(|k, _| if corner >> k & 1 == 1 { self.upper[k] } else { self.lower[k] }))
        })
    }

    /// The AABB of this box moved by `x -> rotation x + translation`, computed from the smaller and the larger product
    /// per matrix entry instead of eight corners (Arvo, Graphics Gems, 1990). `rotation` may be any matrix.
    ///
    /// The result is looser than the box of the moved contents: by rotation, a cube's box grows 3.4 times in volume on
    /// average (1.5 times along each side) and 125/27 = 4.63 times at most, where a sphere's box would keep its size.
    /// The result is not rounded outward: its faces may lie a few units in the last place inside the exact ones.
    pub fn transformed(&self, rotation: &Matrix3<f64>, translation: &Vector3<f64>) -> Aabb {
        if self.is_empty() {
            return Aabb::empty();
        }
        let mut moved = Aabb { lower: Point3::from(*translation), upper: Point3::from(*translation) };
        for column in 0..3 {
            for row in 0..3 {
                let (from_lower, from_upper) =
                    (rotation[(row, column)] * self.lower[column], rotation[(row, column)] * self.upper[column]);
                moved.lower[row] += from_lower.min(from_upper);
                moved.upper[row] += from_lower.max(from_upper);
            }
        }
        moved
    }
}

impl<const D: usize> Overlaps for Aabb<D> {
    /// Compares intervals along each axis; exact. [`Aabb::intersection`] gives the overlap itself.
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|k| self.lower[k].max(other.lower[k]) <= self.upper[k].min(other.upper[k]))
    }
}

impl<const D: usize> ClosestPoint<D> for Aabb<D> {
    /// Clamps each coordinate; exact (Ericson 2005, section 5.1.3). NaN for an empty box.
    #[inline]
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D> {
        if self.is_empty() { Point::from(SVector::repeat(f64::NAN)) } else { point.sup(&self.lower).inf(&self.upper) }
    }
}

impl TimeOfContact for Aabb {
    /// Intersects, over the axes, the times during which the boxes' intervals overlap; an axis without motion
    /// overlaps always or never (Ericson, Real-Time Collision Detection, 2005, section 5.5.8).
    ///
    /// Times are rounded once per axis, and division is monotonic, so boxes that just touch and whose differences are
    /// representable are never missed.
    ///
    /// ```
    /// use bvtree::shape::{Aabb, TimeOfContact};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// // Half a unit of free space between the two, closing at 3 units per unit of time.
    /// let still = Aabb { lower: Point3::new(0.0, 0.0, 0.0), upper: Point3::new(1.0, 1.0, 1.0) };
    /// let moving = Aabb { lower: Point3::new(1.5, 0.0, 0.0), upper: Point3::new(2.5, 1.0, 1.0) };
    /// let contact = still.contact_interval(&moving, &Vector3::new(-3.0, 0.0, 0.0)).unwrap();
    /// assert_eq!((contact.entry, contact.exit), (0.5 / 3.0, 2.5 / 3.0));
    /// ```
    fn contact_interval(&self, other: &Aabb, velocity: &Vector3<f64>) -> Option<ContactInterval> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        let (mut entry, mut exit) = (0.0f64, 1.0f64);
        for k in 0..3 {
            let to_meet = self.lower[k] - other.upper[k];
            let to_part = self.upper[k] - other.lower[k];
            if velocity[k] == 0.0 {
                if to_meet > 0.0 || to_part < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (to_meet / velocity[k], to_part / velocity[k]);
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        ContactInterval::clipped(entry, exit)
    }
}
