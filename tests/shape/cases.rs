//! Random cases and certificates for the tests of shapes.
#![allow(dead_code)] // each test file uses its part

use bvtree::shape::{Aabb, Capsule, Distance, Obb, Overlaps, Segment, Sphere};
use nalgebra::{Matrix3, Point, Point3, Rotation3, SVector, Unit, Vector3};

/// How many random cases a test runs.
pub const CASES: usize = if cfg!(debug_assertions) { 1_500 } else { 300_000 };

/// SplitMix64: every run sees the same cases.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Uniform in [low, high).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    pub fn vector<const D: usize>(&mut self, reach: f64) -> SVector<f64, D> {
        SVector::from_fn(|_, _| self.within(-reach, reach))
    }

    /// A point with now and then small integer coordinates, so that features align and coincide.
    pub fn point<const D: usize>(&mut self, reach: f64) -> Point<f64, D> {
        if self.one_in(3) { self.grid_point(3) } else { self.vector::<D>(reach).into() }
    }

    pub fn grid_point<const D: usize>(&mut self, reach: i64) -> Point<f64, D> {
        SVector::<f64, D>::from_fn(|_, _| self.integer(-reach, reach) as f64).into()
    }

    pub fn unit<const D: usize>(&mut self) -> SVector<f64, D> {
        loop {
            let vector = self.vector::<D>(1.0);
            if (1e-3..1.0).contains(&vector.norm()) {
                return vector.normalize();
            }
        }
    }

    /// A size that is zero or a small integer now and then.
    pub fn size(&mut self, largest: f64) -> f64 {
        match self.below(8) {
            0 => 0.0,
            1 | 2 => self.integer(0, largest as i64) as f64,
            _ => self.within(0.0, largest),
        }
    }

    /// Any rotation; or one that keeps or nearly keeps the coordinate axes, so that edges are parallel.
    pub fn rotation(&mut self) -> Matrix3<f64> {
        let exact = self.axis_permutation();
        match self.below(4) {
            0 => exact,
            1 => {
                let angle = 10f64.powf(self.within(-17.0, -3.0));
                let axis = if self.one_in(2) { Vector3::z() } else { self.unit() };
                Rotation3::from_axis_angle(&Unit::new_normalize(axis), angle).into_inner() * exact
            }
            _ => Rotation3::new(self.unit() * self.within(0.0, 3.2)).into_inner(),
        }
    }

    /// A signed permutation of the coordinate axes.
    pub fn axis_permutation(&mut self) -> Matrix3<f64> {
        let first = self.below(3) as usize;
        let second = (first + 1 + self.below(2) as usize) % 3;
        let mut axes = Matrix3::zeros();
        for (row, column) in [(0, first), (1, second), (2, 3 - first - second)] {
            axes[(row, column)] = if self.one_in(2) { -1.0 } else { 1.0 };
        }
        axes
    }

    pub fn sphere(&mut self) -> Sphere {
        Sphere { center: self.point(4.0), radius: self.size(2.0) }
    }

    pub fn aabb(&mut self) -> Aabb {
        let lower: Point3<f64> = self.point(4.0);
        let size = Vector3::from_fn(|_, _| self.size(3.0));
        Aabb { lower, upper: lower + size }
    }

    pub fn obb(&mut self) -> Obb {
        let half_extents = Vector3::from_fn(|_, _| self.size(2.0));
        Obb { center: self.point(3.0), axes: self.rotation(), half_extents }
    }

    pub fn segment<const D: usize>(&mut self) -> Segment<D> {
        let start = self.point(4.0);
        let end = match self.below(8) {
            0 => start,
            1 => {
                let mut end = start;
                end[self.below(D as u64) as usize] += self.within(-4.0, 4.0);
                end
            }
            _ => self.point(4.0),
        };
        Segment { start, end }
    }

    pub fn capsule<const D: usize>(&mut self) -> Capsule<D> {
        Capsule { segment: self.segment(), radius: self.size(2.0) }
    }
}

/// A convex shape as a test sees it: written here again, from the shape's definition.
pub trait Convex<const D: usize> {
    /// The greatest `direction . x` over the shape's points x.
    fn support(&self, direction: &SVector<f64, D>) -> f64;

    /// A distance that `point` is outside by at most, or at most `sqrt(D)` times it; zero or less inside.
    fn excess(&self, point: &Point<f64, D>) -> f64;
}

pub fn greatest_along<const D: usize>(points: &[Point<f64, D>], direction: &SVector<f64, D>) -> f64 {
    points.iter().map(|point| point.coords.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
}

impl<const D: usize> Convex<D> for Point<f64, D> {
    fn support(&self, direction: &SVector<f64, D>) -> f64 {
        self.coords.dot(direction)
    }
    fn excess(&self, point: &Point<f64, D>) -> f64 {
        (point - self).norm()
    }
}

impl Convex<3> for Sphere {
    fn support(&self, direction: &Vector3<f64>) -> f64 {
        self.center.coords.dot(direction) + self.radius * direction.norm()
    }
    fn excess(&self, point: &Point3<f64>) -> f64 {
        (point - self.center).norm() - self.radius
    }
}

impl Convex<3> for Aabb {
    fn support(&self, direction: &Vector3<f64>) -> f64 {
        (0..3).map(|k| (self.lower[k] * direction[k]).max(self.upper[k] * direction[k])).sum()
    }
    fn excess(&self, point: &Point3<f64>) -> f64 {
        (0..3).map(|k| (self.lower[k] - point[k]).max(point[k] - self.upper[k])).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Convex<3> for Obb {
    fn support(&self, direction: &Vector3<f64>) -> f64 {
        let reach: f64 = (0..3).map(|k| self.half_extents[k] * self.axes.column(k).dot(direction).abs()).sum();
        self.center.coords.dot(direction) + reach
    }
    fn excess(&self, point: &Point3<f64>) -> f64 {
        let offset = point - self.center;
        (0..3).map(|k| self.axes.column(k).dot(&offset).abs() - self.half_extents[k]).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl<const D: usize> Convex<D> for Segment<D> {
    fn support(&self, direction: &SVector<f64, D>) -> f64 {
        greatest_along(&[self.start, self.end], direction)
    }
    fn excess(&self, point: &Point<f64, D>) -> f64 {
        let length = (self.end - self.start).norm();
        if length == 0.0 {
            return (point - self.start).norm();
        }
        let along = (self.end - self.start) / length;
        let offset = point - self.start;
        let height = offset.dot(&along);
        if height < 0.0 {
            offset.norm()
        } else if height > length {
            (point - self.end).norm()
        } else {
            (offset - along * height).norm()
        }
    }
}

impl<const D: usize> Convex<D> for Capsule<D> {
    fn support(&self, direction: &SVector<f64, D>) -> f64 {
        self.segment.support(direction) + self.radius * direction.norm()
    }
    fn excess(&self, point: &Point<f64, D>) -> f64 {
        self.segment.excess(point) - self.radius
    }
}

/// Proves closest points right, and the verdicts that go with them.
///
/// Both points lie on their shapes; and either they are one point, which proves an overlap, or the plane across their
/// difference at each of them has the whole shape behind it, which proves that no two points are nearer.
pub struct Certifier {
    /// Bounds the coordinates; all tolerances are relative to it.
    size: f64,
    /// How much less than the distance the proven bound may be, relative to `size`.
    slack: f64,
    checked: usize,
    /// Cases in which rounding decided: one common point on the surface of both shapes, and a verdict of apart.
    undecided: usize,
}

impl Certifier {
    pub fn new(size: f64) -> Self {
        Self { size, slack: 1e-13, checked: 0, undecided: 0 }
    }

    /// For pairs whose nearest features are picked by comparing distances. Near parallel features, points a little way
    /// off the nearest are as near in f64, and the plane across them is tilted by the root of that rounding.
    pub fn between_features(size: f64) -> Self {
        let mut certifier = Self::new(size);
        certifier.slack = 2e-8;
        certifier
    }

    /// Checks `closest_points` and `distance`, and the verdict given unless the shapes are within rounding of touching.
    pub fn check<A, B, const D: usize>(&mut self, first: &A, second: &B, verdict: bool)
    where
        A: Convex<D> + Distance<B, D> + std::fmt::Debug,
        B: Convex<D> + std::fmt::Debug,
    {
        let tolerance = 1e-13 * self.size;
        let (p, q) = first.closest_points(second);
        assert!(first.excess(&p) <= tolerance, "{p} is outside by {:e}\n{first:?}\n{second:?}", first.excess(&p));
        assert!(second.excess(&q) <= tolerance, "{q} is outside by {:e}\n{first:?}\n{second:?}", second.excess(&q));
        let difference = q - p;
        let distance = difference.norm();
        assert!((first.distance(second) - distance).abs() <= tolerance);
        assert!((first.distance_sq(second) - distance * distance).abs() <= tolerance);
        if distance > 1e-7 * self.size {
            let direction = difference / distance;
            let gap = -second.support(&-direction) - first.support(&direction);
            let allowed = self.slack * self.size * (1.0 + self.size / distance);
            assert!((gap - distance).abs() <= allowed, "distance {distance:e}, gap {gap:e}\n{first:?}\n{second:?}");
        }
        self.checked += 1;
        if distance > tolerance {
            assert!(!verdict, "called overlapping: {first:?}\n{second:?}");
        } else if distance == 0.0 && !verdict {
            let on_surfaces = first.excess(&p) >= -tolerance && second.excess(&q) >= -tolerance;
            assert!(on_surfaces, "called apart: {first:?}\n{second:?}");
            self.undecided += 1;
        }
    }

    /// [`Certifier::check`] with the verdict of `overlaps`, and both arguments exchanged.
    pub fn check_both_ways<A, B, const D: usize>(&mut self, first: &A, second: &B)
    where
        A: Convex<D> + Distance<B, D> + Overlaps<B> + std::fmt::Debug,
        B: Convex<D> + Distance<A, D> + Overlaps<A> + std::fmt::Debug,
    {
        let verdict = first.overlaps(second);
        self.check(first, second, verdict);
        assert_eq!(second.overlaps(first), verdict, "{first:?}\n{second:?}");
        assert!((first.distance(second) - second.distance(first)).abs() <= 1e-13 * self.size);
    }
}

impl Drop for Certifier {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.undecided * 1000 <= self.checked, "{} of {} undecided", self.undecided, self.checked);
        }
    }
}
