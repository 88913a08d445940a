//! Fits volumes to the triangles of a node: one volume to many triangles, or boxes to up to eight single triangles, one
//! per lane.

use nalgebra::{Matrix3, Point3};
use smallvec::SmallVec;

use super::covariance::{eigenvectors, proper_triangle_axes, triangle_covariance_axes};
use super::enclosing_sphere::{farthest_sq, ritter_centers, smallest_sphere, triangle_sphere_center};
use super::moments::{Moments, scaled_normal};
use super::outermost;
use super::primitives::{self, Primitive, Ranges};
use super::tight_box::{quick_longest_edge_axes, tight_axes, tight_axes_by_volume};
use super::{FitMethods, ObbFit, SphereFit, TightAxes};
use crate::numeric::error_bounds::SPHERE_TOLERANCE;
use crate::simd::{SimdLevel, dispatched};
use crate::triangle::Triangle;
use crate::volume::{BoundingVolume, FittedBox, FittedSphere, Frame, MAX_FIELDS, PackedObb, WIDTH};

/// Up to this many triangles, a search starts with all corners; above it, with the extremes along 13 directions.
const SEE_ALL: usize = 16;
/// Above about this many triangles, more searches for a tight box are worthwhile.
const MANY: usize = 256;

pub(crate) fn box_along(level: SimdLevel, primitives: &[Primitive], axes: &Matrix3<f64>, frame: &Frame) -> FittedBox {
    match primitives {
        [primitive] => triangle_box_along(axes, &primitive.points(), frame),
        _ => FittedBox::new(axes, |axes| {
            let Ranges { lower, upper } = primitives::local_ranges(level, primitives, frame, axes);
            [lower, upper]
        }),
    }
}

/// The oriented box around a node's triangles, with axes found by the fit in `methods`.
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

/// The sphere around a node's triangles, with its centre found by the fit in `methods`.
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
        (other, _) => other.fit(&points(primitives).collect::<SmallVec<[_; 48]>>()).center,
    };
    about(level, primitives, frame, [center])
}

/// The smallest of the spheres about the centres.
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

fn points(primitives: &[Primitive]) -> impl Iterator<Item = Point3<f64>> + Clone + '_ {
    primitives.iter().flat_map(Primitive::points)
}

/// What a tight box minimises, surface area or volume: the search for such a box around a few points, and the cost of a
/// box given its lengths.
struct Least {
    axes: TightAxes,
    cost: fn([f64; 3]) -> f64,
    /// Up to this many triangles, a single search is good enough.
    few: usize,
    /// Maximum number of searches from the covariance's axes and from the coordinate axes, by the number of triangles.
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

/// The axes of a tight box around a node's triangles: the search runs on a few points, then again with the triangles'
/// outermost corners added, for a limited number of rounds. With more than `least.few` triangles, the box never costs
/// more than the box along the covariance's axes.
fn node_tight_axes(level: SimdLevel, primitives: &[Primitive], least: &Least) -> Matrix3<f64> {
    if let [primitive] = primitives
        && let (axes, true) = triangle_box_axes::<true>(&primitive.points())
    {
        return axes;
    }
    let (normal, covariance) = (scaled_normal(level, primitives), covariance_axes(level, primitives));
    let mut seen = seen_points(level, primitives);
    if primitives.len() <= least.few {
        return (least.axes)(&seen, &covariance, &normal);
    }
    let blocks = outermost::Blocks::of(level, primitives);
    // The corners on the box's faces: the last along each axis, then the first.
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

/// The centre of the smallest sphere: that of a few points, to which the point farthest outside the sphere is added
/// until none is outside (the pivot rule of Gärtner 1999, "Fast and robust smallest enclosing spheres").
fn smallest_sphere_center(level: SimdLevel, primitives: &[Primitive]) -> Point3<f64> {
    let mut seen = seen_points(level, primitives);
    loop {
        let sphere = smallest_sphere(&seen).sphere;
        // The last of equally far points.
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

/// All corners of at most [`SEE_ALL`] triangles, or the extremes of more triangles along 13 directions. Corners that
/// triangles share occur once.
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

/// A corner by its index, three for each primitive.
fn corner_of(primitives: &[Primitive], number: u32) -> Point3<f64> {
    primitives[number as usize / 3].points()[number as usize % 3]
}

/// The boxes of up to eight triangles as words, one row per field, and whether each box is fitted: those of slivers are
/// not.
pub(crate) struct LeafBoxes {
    pub(crate) rows: [[u32; WIDTH]; MAX_FIELDS],
    pub(crate) fitted: [bool; WIDTH],
}

impl LeafBoxes {
    pub(crate) const NONE: Self = Self { rows: [[0; WIDTH]; MAX_FIELDS], fitted: [false; WIDTH] };
}

dispatched! {
    /// The oriented boxes of up to eight triangles, along their longest edges.
    pub(crate) fn leaves_along_longest_edge(triangles: [&Primitive; WIDTH], frame: &Frame) -> LeafBoxes =
        |_s| leaf_boxes::<true>(&coordinates(triangles), frame);
    /// The oriented boxes of up to eight triangles, along their covariances' axes.
    pub(crate) fn leaves_along_covariance(triangles: [&Primitive; WIDTH], frame: &Frame) -> LeafBoxes =
        |_s| leaf_boxes::<false>(&coordinates(triangles), frame);
}

/// The coordinates of triangles, one per lane; coordinate `axis` of a corner is in row `3 * corner + axis`.
#[inline(always)]
fn coordinates(triangles: [&Primitive; WIDTH]) -> [[f32; WIDTH]; 9] {
    let mut coordinates = [[0.0; WIDTH]; 9];
    for (lane, primitive) in triangles.iter().enumerate() {
        for (k, row) in coordinates.iter_mut().enumerate() {
            row[lane] = primitive.corners[k / 3][k % 3];
        }
    }
    coordinates
}

/// The oriented boxes of triangles whose coordinates are in rows `3 * corner + axis`.
#[inline(always)]
pub(crate) fn leaf_boxes<const LONGEST_EDGE: bool>(coordinates: &[[f32; WIDTH]; 9], frame: &Frame) -> LeafBoxes {
    let mut boxes = LeafBoxes::NONE;
    // There are no branches below, so that the compiler can vectorise this.
    for (lane, fitted) in boxes.fitted.iter_mut().enumerate() {
        let x = |k: usize| f64::from(coordinates[k][lane]);
        let corners = [Point3::new(x(0), x(1), x(2)), Point3::new(x(3), x(4), x(5)), Point3::new(x(6), x(7), x(8))];
        let (axes, are_known) = triangle_box_axes::<LONGEST_EDGE>(&corners);
        let mut words = [0; MAX_FIELDS];
        PackedObb::pack(&triangle_box_along(&axes, &corners, frame), &mut words);
        for (row, word) in boxes.rows.iter_mut().zip(words) {
            row[lane] = word;
        }
        *fitted = are_known;
    }
    boxes
}

/// The axes of a triangle's box, and whether they are valid: they are not for slivers.
#[inline(always)]
pub(crate) fn triangle_box_axes<const LONGEST_EDGE: bool>(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    if LONGEST_EDGE { quick_longest_edge_axes(corners) } else { proper_triangle_axes(corners) }
}

/// The box of a triangle along the axes, computed in the same way as in [`leaf_boxes`]; corners are in mesh
/// coordinates.
#[inline(always)]
fn triangle_box_along(axes: &Matrix3<f64>, [a, b, c]: &[Point3<f64>; 3], frame: &Frame) -> FittedBox {
    let local = [frame.to_local(a), frame.to_local(b), frame.to_local(c)];
    FittedBox::new(axes, |axes| triangle_ranges(&local, axes))
}

#[inline(always)]
fn triangle_ranges(corners: &[Point3<f64>; 3], axes: &Matrix3<f64>) -> [[f64; 3]; 2] {
    let mut ranges = [[0.0; 3]; 2];
    for k in 0..3 {
        let along = |p: &Point3<f64>| axes[(0, k)] * p.x + axes[(1, k)] * p.y + axes[(2, k)] * p.z;
        // The first of equal zeros counts.
        let (a, b, c) = (along(&corners[0]), along(&corners[2]), along(&corners[1]));
        let (lower, upper) = (if b < a { b } else { a }, if b > a { b } else { a });
        ranges[0][k] = if c < lower { c } else { lower };
        ranges[1][k] = if c > upper { c } else { upper };
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::primitives::soup;
    use crate::volume::tests::Random;

    const METHODS: FitMethods = FitMethods { obb: ObbFit::Tight, sphere: SphereFit::Ritter };

    #[test]
    fn boxes_are_those_of_one_triangle_at_a_time() {
        all_are_those_of_one(ObbFit::VertexCovariance, leaves_along_covariance);
        all_are_those_of_one(ObbFit::Tight, leaves_along_longest_edge);
    }

    fn all_are_those_of_one(obb: ObbFit, fit: fn(SimdLevel, [&Primitive; WIDTH], &Frame) -> LeafBoxes) {
        let mut random = Random(1);
        let mut coordinate = |steps: usize| random.below(steps) as f32 / steps as f32;
        // Triangles in general position or along the axes, many of them without area or a point; near and far.
        for steps in [1 << 24, 1 << 10, 3, 2, 1] {
            for scale in [1.0, 1e-40, 1e30] {
                let triangles = WIDTH as u32 * if cfg!(debug_assertions) { 20 } else { 500 };
                let primitives = soup(triangles, |_| [0; 3].map(|_| scale * coordinate(steps)).into());
                let frame = Frame { origin: Point3::new(0.3, 0.4, 0.5) * f64::from(scale), unit: f64::from(scale) };
                let (mut fitted, mut proper) = (0, 0);
                for eight in primitives.as_chunks::<WIDTH>().0 {
                    for level in SimdLevel::available() {
                        let boxes = fit(level, eight.each_ref(), &frame);
                        for (lane, primitive) in eight.iter().enumerate() {
                            let mut expected = [0; MAX_FIELDS];
                            PackedObb::pack(
                                &PackedObb::fit(level, &[*primitive], FitMethods { obb, ..METHODS }, &frame),
                                &mut expected,
                            );
                            if boxes.fitted[lane] {
                                assert_eq!(
                                    boxes.rows.map(|row| row[lane]),
                                    expected,
                                    "{level}, {:?}",
                                    primitive.points()
                                );
                                fitted += 1;
                            }
                            let [a, b, c] = primitive.points();
                            proper +=
                                u32::from((b - a).cross(&(c - a)).norm() > 1e-9 * (b - a).norm() * (c - a).norm());
                        }
                    }
                }
                assert!(fitted >= proper, "{fitted} of {proper}");
                assert!(steps < 1 << 10 || fitted > 0);
            }
        }
    }
}
