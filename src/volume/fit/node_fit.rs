//! Fits a volume to the triangles of one node.

use nalgebra::{Matrix3, Point3};
use smallvec::SmallVec;

use super::covariance::{eigenvectors, triangle_covariance_axes};
use super::enclosing_sphere::{farthest_sq, ritter_centers, smallest_sphere, triangle_sphere_center};
use super::leaf_boxes;
use super::moments::{Moments, scaled_normal};
use super::outermost;
use super::primitives::{self, Primitive, Ranges};
use super::tight_box::{tight_axes, tight_axes_by_volume};
use super::{FitMethods, ObbFit, SphereFit, TightAxes};
use crate::numeric::error_bounds::SPHERE_TOLERANCE;
use crate::simd::SimdLevel;
use crate::triangle::Triangle;
use crate::volume::{FittedBox, FittedSphere, Frame};

/// Above this many triangles, fits that need not see every point see the extremes along a few directions.
const SEE_ALL: usize = 16;
/// Fewer triangles than this count as few.
const MANY: usize = 256;

pub(crate) fn box_along(level: SimdLevel, primitives: &[Primitive], axes: &Matrix3<f64>, frame: &Frame) -> FittedBox {
    match primitives {
        [primitive] => leaf_boxes::box_along(axes, &primitive.points(), frame),
        _ => FittedBox::new(axes, |axes| {
            let Ranges { lower, upper } = primitives::local_ranges(level, primitives, frame, axes);
            [lower, upper]
        }),
    }
}

/// The oriented box of a node's triangles; `methods` says along which axes.
pub(crate) fn obb_of(level: SimdLevel, primitives: &[Primitive], methods: FitMethods, frame: &Frame) -> FittedBox {
    let axes = match methods.obb {
        ObbFit::VertexCovariance => covariance_axes(level, primitives),
        ObbFit::AxisAligned => Matrix3::identity(),
        ObbFit::Tight => node_tight_axes(level, primitives, &LEAST_AREA),
        ObbFit::TightVolume => node_tight_axes(level, primitives, &LEAST_VOLUME),
        other => {
            let triangles: Vec<_> =
                primitives.iter().map(|primitive| Triangle { vertices: primitive.points() }).collect();
            other.fit_triangles(&triangles).axes
        }
    };
    let fit = box_along(level, primitives, &axes, frame);
    if primitives.len() > 1 && matches!(methods.obb, ObbFit::Tight | ObbFit::TightVolume) {
        let aligned = box_along(level, primitives, &Matrix3::identity(), frame);
        if fit.is_looser_than(&aligned) {
            return aligned;
        }
    }
    fit
}

/// The sphere of a node's triangles; `methods` says about which centre.
pub(crate) fn sphere_of(
    level: SimdLevel,
    primitives: &[Primitive],
    methods: FitMethods,
    frame: &Frame,
) -> FittedSphere {
    let center = match (methods.sphere, primitives) {
        (SphereFit::Ritter, [primitive]) => triangle_sphere_center(&primitive.points()),
        (SphereFit::Ritter, _) => return about(level, primitives, frame, ritter_centers(level, primitives)),
        (SphereFit::SmallestSphere, _) => smallest_sphere_center(level, primitives),
        (other, _) => other.fit(&all_points(primitives)).center,
    };
    about(level, primitives, frame, [center])
}

/// The smallest sphere about one of the centres.
fn about<const N: usize>(
    level: SimdLevel,
    primitives: &[Primitive],
    frame: &Frame,
    centers: [Point3<f64>; N],
) -> FittedSphere {
    let centers = centers.map(|center| frame.to_local(&center));
    FittedSphere::new(centers, |centers| farthest_sq(level, primitives, frame, centers))
}

/// The eigenvectors of the covariance of the triangles' corners about their mean.
fn covariance_axes(level: SimdLevel, primitives: &[Primitive]) -> Matrix3<f64> {
    if let [primitive] = primitives {
        return triangle_covariance_axes(&primitive.points());
    }
    eigenvectors(&Moments::of(level, primitives).covariance())
}

fn all_points(primitives: &[Primitive]) -> SmallVec<[Point3<f64>; 48]> {
    let mut all = SmallVec::with_capacity(3 * primitives.len());
    for primitive in primitives {
        all.extend_from_slice(&primitive.points());
    }
    all
}

fn points(primitives: &[Primitive]) -> impl Iterator<Item = Point3<f64>> + Clone + '_ {
    primitives.iter().flat_map(Primitive::points)
}

/// What a tight box has little of: the search for such a box of a few points, and the cost of a box by its lengths.
struct Least {
    axes: TightAxes,
    cost: fn([f64; 3]) -> f64,
    /// The first axes found of so few triangles are good enough.
    few: usize,
    /// Searches from the covariance's axes and from the coordinate axes, at most, by the number of triangles.
    rounds: fn(usize) -> [usize; 2],
}

const LEAST_AREA: Least =
    Least { axes: tight_axes, cost: |[x, y, z]| x * y + y * z + z * x, few: MANY, rounds: |_| [4, 0] };

const LEAST_VOLUME: Least = Least {
    axes: tight_axes_by_volume,
    cost: |[x, y, z]| x * y * z,
    few: SEE_ALL,
    rounds: |triangles| if triangles < MANY { [1, 0] } else { [3, 3] },
};

/// Of a few points, joined by those that stick out of the box found, for as long as that helps; in the end never of
/// larger cost than along the covariance's axes.
fn node_tight_axes(level: SimdLevel, primitives: &[Primitive], least: &Least) -> Matrix3<f64> {
    if let [primitive] = primitives
        && let (axes, true) = leaf_boxes::triangle_box_axes::<true>(&primitive.points())
    {
        return axes;
    }
    let (normal, covariance) = (scaled_normal(level, primitives), covariance_axes(level, primitives));
    let mut seen = seen_points(level, primitives);
    if primitives.len() <= least.few {
        return (least.axes)(&seen, &covariance, &normal);
    }
    let blocks = outermost::Blocks::of(level, primitives);
    // Those on the box's faces: the last along each axis, then the first.
    let ends = |axes: &Matrix3<f64>| blocks.outermost(axes).map(|corner| corner_of(primitives, corner));
    let cost = |axes: &Matrix3<f64>, ends: &[Point3<f64>; 6]| {
        (least.cost)([0, 1, 2].map(|k| axes.column(k).dot(&(ends[k] - ends[k + 3]))))
    };
    let mut best = (cost(&covariance, &ends(&covariance)), covariance);
    for (start, rounds) in [covariance, Matrix3::identity()].into_iter().zip((least.rounds)(primitives.len())) {
        let mut axes = start;
        for _ in 0..rounds {
            axes = (least.axes)(&seen, &axes, &normal);
            let ends = ends(&axes);
            let cost = cost(&axes, &ends);
            if cost < best.0 {
                best = (cost, axes);
            }
            let known = seen.len();
            for point in ends {
                if !seen.contains(&point) {
                    seen.push(point);
                }
            }
            if seen.len() == known {
                break;
            }
        }
    }
    best.1
}

/// The exact smallest sphere's: of a few points, joined by the point farthest outside until there is none (the pivot
/// rule of Gärtner 1999, "Fast and robust smallest enclosing spheres").
fn smallest_sphere_center(level: SimdLevel, primitives: &[Primitive]) -> Point3<f64> {
    let mut seen = seen_points(level, primitives);
    loop {
        let sphere = smallest_sphere(&seen).sphere;
        // Of equally far ones the last.
        let mut farthest = None;
        let mut greatest_sq = 0.0;
        for point in points(primitives) {
            let distance_sq = (point - sphere.center).norm_squared();
            if distance_sq >= greatest_sq {
                (greatest_sq, farthest) = (distance_sq, Some(point));
            }
        }
        match farthest {
            Some(point) if greatest_sq.sqrt() > sphere.radius * SPHERE_TOLERANCE && !seen.contains(&point) => {
                seen.push(point);
            }
            _ => return sphere.center,
        }
    }
}

/// All points of few triangles; of many, the extremes along 13 directions. Each once, for neighbours share corners.
fn seen_points(level: SimdLevel, primitives: &[Primitive]) -> SmallVec<[Point3<f64>; 48]> {
    let mut seen = SmallVec::<[[u32; 3]; 48]>::new();
    let mut see = |[x, y, z, _]: [f32; 4]| {
        let bits = [x, y, z].map(f32::to_bits);
        if !seen.contains(&bits) {
            seen.push(bits);
        }
    };
    if primitives.len() <= SEE_ALL {
        primitives.iter().flat_map(|primitive| primitive.corners).for_each(see);
    } else {
        let mut corners = outermost::extremes(level, primitives);
        corners.sort_unstable();
        corners.iter().for_each(|&corner| see(primitives[corner as usize / 3].corners[corner as usize % 3]));
    }
    seen.iter().map(|bits| Point3::from(bits.map(|word| f64::from(f32::from_bits(word))))).collect()
}

/// A corner by its number, three for each primitive.
fn corner_of(primitives: &[Primitive], number: u32) -> Point3<f64> {
    primitives[number as usize / 3].points()[number as usize % 3]
}
