//! The exact smallest enclosing ball.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::enclose::{center_and_size, sphere_with_center};
use crate::shape::Sphere;

/// The smallest ball around a point set and the points that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct SmallestSphere {
    /// The ball; encloses all points.
    pub sphere: Sphere,
    /// One to four of the points, on the ball's surface, whose convex hull holds its centre (both to rounding): no
    /// smaller ball holds even these. Empty for no points.
    pub support: SmallVec<[Point3<f64>; 4]>,
}

/// The smallest ball around the points, to rounding.
///
/// Keeps the smallest ball of at most four support points, exchanges one for the point farthest outside, and ends when
/// none is outside or the ball no longer grows: the basis exchange of Welzl 1991, "Smallest enclosing disks (balls and
/// ellipsoids)", with the pivot rule of Gärtner 1999, "Fast and robust smallest enclosing balls". Ends on any input;
/// linear in practice.
pub fn smallest_sphere(points: &[Point3<f64>]) -> SmallestSphere {
    let Some(&first) = points.first() else {
        return SmallestSphere { sphere: sphere_with_center(&[], &Point3::origin()), support: SmallVec::new() };
    };
    // Supports are solved for at unit size, relative to one of them: nothing overflows and few digits are lost.
    let Some((_, size)) = center_and_size(points) else {
        return SmallestSphere { sphere: sphere_with_center(points, &first), support: SmallVec::from_slice(&[first]) };
    };

    let mut basis = Basis { points: SmallVec::from_slice(&[first]), center: first, radius_sq: 0.0 };
    while let Some(next) = basis.with(&farthest(points, &basis.center), size)
        && next.radius_sq > basis.radius_sq
    {
        basis = next;
    }
    SmallestSphere { sphere: sphere_with_center(points, &basis.center), support: basis.points }
}

/// The point farthest from `center`; `center` itself if none is apart from it.
fn farthest(points: &[Point3<f64>], center: &Point3<f64>) -> Point3<f64> {
    let mut greatest = (0.0, *center);
    for point in points {
        let distance_sq = (point - center).norm_squared();
        if distance_sq > greatest.0 {
            greatest = (distance_sq, *point);
        }
    }
    greatest.1
}

/// Up to four points and the smallest ball that has them on its surface.
#[derive(Clone, Debug)]
struct Basis {
    points: SmallVec<[Point3<f64>; 4]>,
    center: Point3<f64>,
    /// In units of the point set's size.
    radius_sq: f64,
}

impl Basis {
    /// The basis of the smallest ball around this one's points and `pivot`, with `pivot` on it; `None` when `pivot` is
    /// one of the points or no such ball is smaller than this one enlarged.
    fn with(&self, pivot: &Point3<f64>, size: f64) -> Option<Self> {
        if self.points.contains(pivot) {
            return None;
        }
        let offsets: SmallVec<[_; 4]> = self.points.iter().map(|point| (point - pivot) / size).collect();
        // Every subset is tried beside the pivot. Each ball is enlarged to hold all the points, so that a badly
        // conditioned one loses instead of misleading; so is the present ball, in case the pivot is outside it by
        // rounding alone and no ball through the pivot is smaller.
        let mut least_sq = ((pivot - self.center) / size).norm_squared();
        let mut best = None;
        for subset in 1..1_usize << offsets.len() {
            let members: SmallVec<[_; 4]> = chosen(&offsets, subset).copied().collect();
            let Some(center) = circumcenter(&members) else { continue };
            let distances_sq = offsets.iter().map(|offset| (offset - center).norm_squared());
            let radius_sq = distances_sq.fold(center.norm_squared(), f64::max);
            if radius_sq < least_sq {
                least_sq = radius_sq;
                best = Some((subset, center));
            }
        }
        let (subset, center) = best?;
        let points = chosen(&self.points, subset).chain([pivot]).copied().collect();
        Some(Self { points, center: pivot + center * size, radius_sq: least_sq })
    }
}

/// The items whose bits are set in `subset`.
fn chosen<T>(items: &[T], subset: usize) -> impl Iterator<Item = &T> {
    items.iter().enumerate().filter(move |(i, _)| subset >> i & 1 == 1).map(|(_, item)| item)
}

/// How far outside a support's hull its centre may lie, as a barycentric coordinate. Of cospherical supports that
/// differ by rounding alone, only one that holds the centre proves that the ball is smallest.
const CENTER_TOLERANCE: f64 = 1e-9;

/// The centre of the smallest sphere through the origin and one to three points; `None` when these are dependent or
/// their hull with the origin does not hold the centre.
fn circumcenter(points: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let (center, weights) = match points {
        [a] => (a * 0.5, Vector3::new(0.5, 0.0, 0.0)),
        [a, b] => {
            let normal = a.cross(b);
            let weighted = b * a.norm_squared() - a * b.norm_squared();
            let center = weighted.cross(&normal) / (2.0 * normal.norm_squared());
            let weights = Vector3::new(center.cross(b).dot(&normal), a.cross(&center).dot(&normal), 0.0);
            (center, weights / normal.norm_squared())
        }
        [a, b, c] => {
            let [bc, ca, ab] = [b.cross(c), c.cross(a), a.cross(b)];
            let volume = a.dot(&bc);
            let center = (bc * a.norm_squared() + ca * b.norm_squared() + ab * c.norm_squared()) / (2.0 * volume);
            (center, Vector3::new(center.dot(&bc), center.dot(&ca), center.dot(&ab)) / volume)
        }
        _ => return None,
    };
    // A NaN of dependent points fails these comparisons.
    let inside = weights.min() >= -CENTER_TOLERANCE && weights.sum() <= 1.0 + CENTER_TOLERANCE;
    (inside && center.iter().all(|x| x.is_finite())).then_some(center)
}
