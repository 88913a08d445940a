//! What metrics need to know about a volume, whether it is the library's or the caller's.

use nalgebra::Point3;

use super::measured_volume::{MeasuredVolume, Tetrahedra};
use super::overlap::intersection_volume;
use super::random::{Random, point_in, point_in_tetrahedra};
use super::ray_quality::{Line, lines_through, lines_through_sphere};
use crate::shape::{Aabb, ConvexShape, Sphere};
use crate::volume::Volume;

/// What metrics need to know about a bounding volume, the library's or the caller's.
pub(super) trait Measured: Sync {
    fn volume(&self) -> f64;
    fn surface_area(&self) -> f64;
    fn aabb(&self) -> Aabb;
    /// The greatest distance between two points of the volume; 0 if [`Measured::points`] returns `None`.
    fn diameter(&self) -> f64;
    /// The points of the volume; `None` if they are not known.
    fn points(&self) -> Option<PointSet<'_>>;
    fn contains(&self, point: &Point3<f64>) -> bool;
    fn meets(&self, line: &Line) -> bool;
    fn intersection_volume(&self, other: &Self) -> Option<f64>;
    /// The volume as a convex shape; `None` if it is not known.
    fn shape(&self) -> Option<ConvexShape>;
    /// A uniform random point of the volume.
    fn point_in(&self, random: &mut Random) -> Point3<f64>;
    /// Uniform random lines that meet the volume.
    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line>;
}

/// A volume as a set of points.
pub(super) enum PointSet<'a> {
    Volume(&'a Volume),
    Tetrahedra(&'a Tetrahedra),
}

impl Measured for Volume {
    fn volume(&self) -> f64 {
        self.volume()
    }

    fn surface_area(&self) -> f64 {
        self.surface_area()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn diameter(&self) -> f64 {
        self.diameter()
    }

    fn points(&self) -> Option<PointSet<'_>> {
        Some(PointSet::Volume(self))
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        self.contains(point)
    }

    fn meets(&self, line: &Line) -> bool {
        line.meets(self)
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        intersection_volume(self, other)
    }

    fn shape(&self) -> Option<ConvexShape> {
        let shape = match *self {
            Volume::Aabb(aabb) => aabb.try_into(),
            Volume::Obb(obb) => obb.try_into(),
            Volume::Sphere(sphere) => sphere.try_into(),
            Volume::KDop(ref kdop) => ConvexShape::hull(&kdop.corners()),
        };
        shape.ok()
    }

    fn point_in(&self, random: &mut Random) -> Point3<f64> {
        point_in(self, random)
    }

    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line> {
        lines_through(self, count, random)
    }
}

/// A volume defined by the caller. Its lines are drawn from those of a sphere around it, and its points from its
/// tetrahedra if they fill it, or from a box around it.
pub(super) struct Own<V> {
    volume: V,
    /// The enclosed volume, in cubed mesh units. This field and the next ones cache methods that are called often.
    content: f64,
    area: f64,
    aabb: Aabb,
    tetrahedra: Option<Tetrahedra>,
    diameter: f64,
}

impl<V: MeasuredVolume> Own<V> {
    /// The maximum number of draws for each requested point or line. A volume that fills less of its box gets fewer
    /// lines, and the middle of its box in place of a point.
    const MAX_DRAWS: usize = 10_000;

    pub(super) fn new(volume: V) -> Self {
        let tetrahedra = volume.tetrahedra();
        let diameter = tetrahedra.as_ref().map_or(0.0, Tetrahedra::diameter);
        let (content, area, aabb) = (volume.volume(), volume.surface_area(), volume.aabb());
        Self { volume, content, area, aabb, tetrahedra, diameter }
    }
}

impl<V: MeasuredVolume> Measured for Own<V> {
    fn volume(&self) -> f64 {
        self.content
    }

    fn surface_area(&self) -> f64 {
        self.area
    }

    fn aabb(&self) -> Aabb {
        self.aabb
    }

    fn diameter(&self) -> f64 {
        self.diameter
    }

    fn points(&self) -> Option<PointSet<'_>> {
        self.tetrahedra.as_ref().map(PointSet::Tetrahedra)
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        self.volume.contains(point)
    }

    fn meets(&self, line: &Line) -> bool {
        self.volume.meets_line(&line.point, &line.direction)
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        self.volume.intersection_volume(&other.volume)
    }

    fn shape(&self) -> Option<ConvexShape> {
        self.volume.shape()
    }

    fn point_in(&self, random: &mut Random) -> Point3<f64> {
        if let Some(filling) = self.tetrahedra.as_ref().filter(|filling| filling.deviation <= FILLED * self.diameter) {
            let edges = |[a, b, c, d]: &[Point3<f64>; 4]| (*a, [b - a, c - a, d - a]);
            return point_in_tetrahedra(filling.corners.iter().map(edges), random).unwrap_or(self.aabb().center());
        }
        let aabb = Volume::Aabb(self.aabb());
        let points = (0..Self::MAX_DRAWS).map(|_| point_in(&aabb, random)).find(|point| self.contains(point));
        points.unwrap_or_else(|| aabb.center())
    }

    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line> {
        let aabb = self.aabb();
        let around = Sphere { center: aabb.center(), radius: aabb.half_extents().norm() };
        let draws = std::iter::repeat_with(|| lines_through_sphere(&around, 1, random)).take(count * Self::MAX_DRAWS);
        draws.flatten().filter(|line| self.meets(line)).take(count).collect()
    }
}

/// The largest deviation of a volume's tetrahedra, relative to its diameter, up to which random points are drawn from
/// them.
const FILLED: f64 = 1e-9;
