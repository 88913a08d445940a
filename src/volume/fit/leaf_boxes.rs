//! Boxes of single triangles, up to eight at once, one triangle in each lane.

use nalgebra::{Matrix3, Point3};

use super::covariance::proper_triangle_axes;
use super::primitives::Primitive;
use super::tight_box::quick_longest_edge_axes;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{BoundingVolume, FittedBox, Frame, MAX_FIELDS, PackedAabb, PackedObb, WIDTH};

/// Words of triangles' boxes, a row for each field, and whether each box is fitted: not where a triangle is as good as
/// a line.
pub(crate) struct LeafBoxes {
    pub(crate) rows: [[u32; WIDTH]; MAX_FIELDS],
    pub(crate) fitted: [bool; WIDTH],
}

impl LeafBoxes {
    pub(crate) const NONE: Self = Self { rows: [[0; WIDTH]; MAX_FIELDS], fitted: [false; WIDTH] };
}

/// The oriented boxes of up to eight triangles, along their longest edges or else along their covariance's axes.
pub(crate) fn fit<const LONGEST_EDGE: bool>(
    level: SimdLevel,
    triangles: [&Primitive; WIDTH],
    frame: &Frame,
) -> LeafBoxes {
    dispatch(level, Fit::<LONGEST_EDGE> { triangles, frame: *frame })
}

struct Fit<'a, const LONGEST_EDGE: bool> {
    triangles: [&'a Primitive; WIDTH],
    frame: Frame,
}

impl<const LONGEST_EDGE: bool> Task for Fit<'_, LONGEST_EDGE> {
    type Output = LeafBoxes;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> LeafBoxes {
        let mut coordinates = [[0.0; WIDTH]; 9];
        for (lane, primitive) in self.triangles.iter().enumerate() {
            for (k, row) in coordinates.iter_mut().enumerate() {
                row[lane] = primitive.corners[k / 3][k % 3];
            }
        }
        leaf_boxes::<LONGEST_EDGE>(&coordinates, &self.frame)
    }
}

/// The axis-aligned boxes of up to eight triangles.
pub(crate) fn fit_aligned(level: SimdLevel, triangles: [&Primitive; WIDTH], frame: &Frame) -> LeafBoxes {
    dispatch(level, FitAligned { triangles, frame: *frame })
}

struct FitAligned<'a> {
    triangles: [&'a Primitive; WIDTH],
    frame: Frame,
}

impl Task for FitAligned<'_> {
    type Output = LeafBoxes;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> LeafBoxes {
        // Of a triangle of the first four and of one of the others.
        let (mut lower, mut upper) = ([s.splat(0.0); 4], [s.splat(0.0); 4]);
        for i in 0..4 {
            let ([a, b, c], [d, e, f]) = (&self.triangles[i].corners, &self.triangles[4 + i].corners);
            let (one, two, three) = (s.load_halves(a, d), s.load_halves(b, e), s.load_halves(c, f));
            lower[i] = s.min(three, s.min(two, one));
            upper[i] = s.max(three, s.max(two, one));
        }
        let (lower, upper) = (s.transposed(&lower), s.transposed(&upper));
        let Frame { origin, unit } = self.frame;
        let mut boxes = LeafBoxes { fitted: [true; WIDTH], ..LeafBoxes::NONE };
        for x in 0..3 {
            let (lower, upper) = (s.to_array(lower[x]), s.to_array(upper[x]));
            for lane in 0..WIDTH {
                let local = |end: f32| (f64::from(end) - origin[x]) * (1.0 / unit);
                let [center, half_extent] = PackedAabb::words(local(lower[lane]), local(upper[lane]));
                boxes.rows[x][lane] = center;
                boxes.rows[3 + x][lane] = half_extent;
            }
        }
        boxes
    }
}

/// The oriented boxes of triangles, of which each row has a coordinate: `3 * corner + axis`. Along their longest edges
/// or else along their covariance's axes.
#[inline(always)]
pub(crate) fn leaf_boxes<const LONGEST_EDGE: bool>(coordinates: &[[f32; WIDTH]; 9], frame: &Frame) -> LeafBoxes {
    let mut boxes = LeafBoxes::NONE;
    // No branches below: the compiler makes eight lanes of it.
    for (lane, fitted) in boxes.fitted.iter_mut().enumerate() {
        let x = |k: usize| f64::from(coordinates[k][lane]);
        let corners = [Point3::new(x(0), x(1), x(2)), Point3::new(x(3), x(4), x(5)), Point3::new(x(6), x(7), x(8))];
        let (axes, are_known) = triangle_box_axes::<LONGEST_EDGE>(&corners);
        let mut words = [0; MAX_FIELDS];
        PackedObb::pack(&box_along(&axes, &corners, frame), &mut words);
        for (row, word) in boxes.rows.iter_mut().zip(words) {
            row[lane] = word;
        }
        *fitted = are_known;
    }
    boxes
}

/// The axes of a triangle's box, as those of eight at once have them; and whether they are known: not where the
/// triangle is as good as a line.
#[inline(always)]
pub(crate) fn triangle_box_axes<const LONGEST_EDGE: bool>(corners: &[Point3<f64>; 3]) -> (Matrix3<f64>, bool) {
    if LONGEST_EDGE { quick_longest_edge_axes(corners) } else { proper_triangle_axes(corners) }
}

/// The box of a triangle along axes, as those of eight at once have it; corners are in the mesh's coordinates.
#[inline(always)]
pub(crate) fn box_along(axes: &Matrix3<f64>, [a, b, c]: &[Point3<f64>; 3], frame: &Frame) -> FittedBox {
    let local = [frame.to_local(a), frame.to_local(b), frame.to_local(c)];
    FittedBox::new(axes, |axes| ranges(&local, axes))
}

#[inline(always)]
fn ranges(corners: &[Point3<f64>; 3], axes: &Matrix3<f64>) -> [[f64; 3]; 2] {
    let mut ranges = [[0.0; 3]; 2];
    for k in 0..3 {
        let along = |p: &Point3<f64>| axes[(0, k)] * p.x + axes[(1, k)] * p.y + axes[(2, k)] * p.z;
        // Of equal zeros the first counts.
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
    use crate::volume::fit::primitives::gather;
    use crate::volume::fit::{FitMethods, ObbFit, SphereFit};

    const METHODS: FitMethods = FitMethods { obb: ObbFit::Tight, sphere: SphereFit::Ritter };

    #[test]
    fn boxes_are_those_of_one_triangle_at_a_time() {
        all_are_those_of_one::<false>(ObbFit::VertexCovariance);
        all_are_those_of_one::<true>(ObbFit::Tight);
    }

    #[test]
    fn aligned_boxes_are_those_of_one_triangle_at_a_time() {
        let vertex = |i: u32| [0, 1, 2].map(|k| ((i * 7919 + k * 31) % 1013) as f32 / 1013.0 - 0.3).into();
        let vertices: Vec<Point3<f32>> = (0..48).map(vertex).collect();
        let triangles: Vec<[u32; 3]> = (0..16).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let primitives = gather(&vertices, &triangles);
        let frame = Frame { origin: Point3::new(0.3, 0.1, 0.2), unit: 2.0 };
        for eight in primitives.as_chunks::<WIDTH>().0 {
            for level in SimdLevel::available() {
                let boxes = fit_aligned(level, eight.each_ref(), &frame);
                for (lane, primitive) in eight.iter().enumerate() {
                    let mut expected = [0; MAX_FIELDS];
                    PackedAabb::pack(&PackedAabb::fit(level, &[*primitive], METHODS, &frame), &mut expected);
                    assert_eq!(boxes.rows.map(|row| row[lane]), expected, "{level}, {:?}", primitive.points());
                }
            }
        }
    }

    fn all_are_those_of_one<const LONGEST_EDGE: bool>(obb: ObbFit) {
        let mut random = 1u64;
        let mut coordinate = |steps: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) % steps) as f32 / steps as f32
        };
        // In general position, along the axes, many of them without area or a point; near and far.
        for steps in [1 << 24, 1 << 10, 3, 2, 1] {
            for scale in [1.0, 1e-40, 1e30] {
                let triangles = WIDTH as u32 * if cfg!(debug_assertions) { 20 } else { 500 };
                let vertices: Vec<Point3<f32>> =
                    (0..3 * triangles).map(|_| [0; 3].map(|_| scale * coordinate(steps)).into()).collect();
                let triangles: Vec<[u32; 3]> = (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
                let primitives = gather(&vertices, &triangles);
                let frame = Frame { origin: Point3::new(0.3, 0.4, 0.5) * f64::from(scale), unit: f64::from(scale) };
                let (mut fitted, mut proper) = (0, 0);
                for eight in primitives.as_chunks::<WIDTH>().0 {
                    for level in SimdLevel::available() {
                        let boxes = fit::<LONGEST_EDGE>(level, eight.each_ref(), &frame);
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
