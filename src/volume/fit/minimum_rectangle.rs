//! The rectangle of least area around points in the plane.

use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// A rectangle of any place.
pub(super) struct Rectangle {
    /// Cosine and sine of the direction of one side.
    pub(super) along: [f64; 2],
    /// Along that side and across it.
    pub(super) lengths: [f64; 2],
}

/// The rectangle of least area around the points; reorders them.
///
/// One side lies on an edge of the convex hull (Freeman and Shapira 1975). Points on a line give the line's direction,
/// a single point the first axis.
pub(super) fn minimum_rectangle(level: SimdLevel, points: &mut [[f64; 2]]) -> Rectangle {
    dispatch(level, MinimumRectangle(points))
}

struct MinimumRectangle<'a>(&'a mut [[f64; 2]]);

impl Task for MinimumRectangle<'_> {
    type Output = Rectangle;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Rectangle {
        minimum_rectangle_by(s, self.0)
    }
}

/// As [`minimum_rectangle`], by a level's instructions.
#[inline(always)]
pub(super) fn minimum_rectangle_by<S: Simd>(s: S, points: &mut [[f64; 2]]) -> Rectangle {
    // Room for both chains.
    let mut few = [[0.0; 2]; 2 * FEW];
    let mut many = Vec::new();
    let hull = if points.len() <= FEW {
        &mut few[..]
    } else {
        many.resize(2 * points.len(), [0.0; 2]);
        &mut many[..]
    };
    let corners = convex_hull(s, points, hull);
    along_edge(s, &hull[..corners])
}

/// The rectangle of least area around a convex polygon.
#[inline(always)]
fn along_edge<S: Simd>(s: S, hull: &[[f64; 2]]) -> Rectangle {
    let zero = s.splat64(0.0);
    let (mut least_area, mut best) = (f64::INFINITY, Rectangle { along: [1.0, 0.0], lengths: [0.0; 2] });
    for first in (0..hull.len()).step_by(8) {
        // Eight edges at once; lanes past the last one have the last again.
        let (mut begin, mut edge) = ([[0.0; 8]; 2], [[0.0; 8]; 2]);
        for lane in 0..8 {
            let at = (first + lane).min(hull.len() - 1);
            let (p, q) = (hull[at], hull[if at + 1 < hull.len() { at + 1 } else { 0 }]);
            for x in 0..2 {
                begin[x][lane] = p[x];
                edge[x][lane] = q[x] - p[x];
            }
        }
        let (mut lengths, mut cos, mut sin) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        for lane in 0..8 {
            lengths[lane] = (edge[0][lane] * edge[0][lane] + edge[1][lane] * edge[1][lane]).sqrt();
            let per_length = 1.0 / lengths[lane];
            cos[lane] = edge[0][lane] * per_length;
            sin[lane] = edge[1][lane] * per_length;
        }
        let (begin_x, begin_y) = (s.load64(&begin[0]), s.load64(&begin[1]));
        let (along_x, along_y) = (s.load64(&cos), s.load64(&sin));
        let (mut least, mut greatest, mut height) = (zero, zero, zero);
        for r in hull {
            let (x, y) = (s.sub64(s.splat64(r[0]), begin_x), s.sub64(s.splat64(r[1]), begin_y));
            let along = s.add64(s.mul64(x, along_x), s.mul64(y, along_y));
            least = s.min64(along, least);
            greatest = s.max64(along, greatest);
            height = s.max64(s.sub64(s.mul64(y, along_x), s.mul64(x, along_y)), height);
        }
        let width = s.sub64(greatest, least);
        let areas = s.to_array64(s.mul64(width, height));
        let (widths, heights) = (s.to_array64(width), s.to_array64(height));
        for lane in 0..8 {
            if lengths[lane] > 0.0 && areas[lane] < least_area {
                least_area = areas[lane];
                best = Rectangle { along: [cos[lane], sin[lane]], lengths: [widths[lane], heights[lane]] };
            }
        }
    }
    best
}

/// Puts the corners of the points' convex hull first, counter-clockwise, and returns their number; Andrew 1979,
/// "Another efficient algorithm for convex hulls in two dimensions".
#[inline(always)]
fn convex_hull<S: Simd>(s: S, points: &mut [[f64; 2]], hull: &mut [[f64; 2]]) -> usize {
    if points.len() <= FEW {
        insertion_sort(s, points);
    } else {
        points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])));
    }
    let corners = put_chain(points.iter(), hull);
    corners + put_chain(points.iter().rev(), &mut hull[corners..])
}

/// Most sets of points have no more than this.
const FEW: usize = 32;

/// Sorts up to [`FEW`] points by x, of equal ones by y: counts what comes before each.
#[inline(always)]
fn insertion_sort<S: Simd>(s: S, points: &mut [[f64; 2]]) {
    let mut given = [[0.0; 2]; FEW];
    let mut x = [[f64::INFINITY; 8]; FEW / 8];
    for (i, point) in points.iter().enumerate().take(FEW) {
        given[i] = *point;
        x[i / 8][i % 8] = point[0];
    }
    let blocks = points.len().div_ceil(8).min(FEW / 8);
    for i in 0..points.len() {
        let point = given[i % FEW];
        let own = s.splat64(point[0]);
        let (mut before, mut after) = (0, 0);
        for block in &x[..blocks] {
            let block = s.load64(block);
            before += s.gt64(own, block).count_ones() as usize;
            after += s.gt64(block, own).count_ones() as usize;
        }
        // Mostly just the point itself is not before and not after it.
        if before + after + 1 != 8 * blocks {
            for (j, other) in given[..points.len()].iter().enumerate() {
                let is_before = other[1] < point[1] || (other[1] == point[1] && j < i);
                before += usize::from(other[0] == point[0] && is_before);
            }
        }
        points[before.min(points.len() - 1)] = point;
    }
}

/// The left turns from the first point to the last one, which does not count: it is the next chain's first.
#[inline(always)]
fn put_chain<'a>(points: impl Iterator<Item = &'a [f64; 2]>, chain: &mut [[f64; 2]]) -> usize {
    let mut length = 0;
    for p in points {
        while let [.., a, b] = chain[..length] {
            if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                break;
            }
            length -= 1;
        }
        chain[length] = *p;
        length += 1;
    }
    length.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_turned_rectangle() {
        let mut corners = [[0.0, 0.0], [4.0, 3.0], [2.5, 5.0], [-1.5, 2.0], [1.0, 2.0]];
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut corners).along;
        let parallel = (cos * 0.6 - sin * 0.8).abs() < 1e-15;
        let perpendicular = (cos * 0.8 + sin * 0.6).abs() < 1e-15;
        assert!(parallel || perpendicular, "{cos} {sin}");
    }

    #[test]
    fn points_on_a_line_give_its_direction() {
        let mut line = [[1.0, 1.0], [4.0, 5.0], [1.0, 1.0], [2.5, 3.0]];
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut line).along;
        assert!((cos * 0.8 - sin * 0.6).abs() < 1e-15, "{cos} {sin}");
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut [[3.0, 3.0]; 5]).along, [1.0, 0.0]);
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut []).along, [1.0, 0.0]);
    }

    #[test]
    fn few_points_are_sorted_as_many() {
        struct Sort<'a>(&'a mut [[f64; 2]]);
        impl Task for Sort<'_> {
            type Output = ();

            #[inline(always)]
            fn run<S: Simd>(self, s: S) {
                insertion_sort(s, self.0);
            }
        }
        for count in 0..=FEW {
            // With and without equal points and coordinates.
            for steps in [1, 3, 7, 1013] {
                let coordinate = |i: usize| ((i * i * 7919) % steps) as f64;
                let points = (0..count).map(|i| [coordinate(i + 1), coordinate(3 * i + 2)]);
                let (mut sorted, mut expected) = (Vec::from_iter(points.clone()), Vec::from_iter(points));
                dispatch(SimdLevel::detect(), Sort(&mut sorted));
                expected.sort_by(|a, b| a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])));
                assert_eq!(sorted, expected);
            }
        }
    }
}
