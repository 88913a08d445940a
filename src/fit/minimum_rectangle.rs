//! The rectangle of least area around points in the plane.

use smallvec::SmallVec;

use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Cosine and sine of the direction of one side of the least-area rectangle; reorders the points.
///
/// One side lies on an edge of the convex hull (Freeman and Shapira 1975). Points on a line give the line's direction, a
/// single point the first axis.
pub(super) fn minimum_rectangle(level: SimdLevel, points: &mut [[f64; 2]]) -> [f64; 2] {
    // Room for both chains.
    let mut hull: SmallVec<[[f64; 2]; 96]> = SmallVec::from_elem([0.0; 2], 2 * points.len());
    let corners = convex_hull(points, &mut hull);
    dispatch(level, RectangleAlongEdge(&hull[..corners]))
}

/// The direction of the edge, of a convex polygon's, along which the rectangle around it is least.
struct RectangleAlongEdge<'a>(&'a [[f64; 2]]);

impl Task for RectangleAlongEdge<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f64; 2] {
        let Self(hull) = self;
        let zero = s.splat64(0.0);
        let mut best = (f64::INFINITY, [1.0, 0.0]);
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
                cos[lane] = edge[0][lane] / lengths[lane];
                sin[lane] = edge[1][lane] / lengths[lane];
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
            let areas = s.to_array64(s.mul64(s.sub64(greatest, least), height));
            for (lane, &area) in areas.iter().enumerate() {
                if lengths[lane] > 0.0 && area < best.0 {
                    best = (area, [cos[lane], sin[lane]]);
                }
            }
        }
        best.1
    }
}

/// Puts the corners of the convex hull first, counter-clockwise, and returns their number; Andrew 1979, "Another efficient
/// algorithm for convex hulls in two dimensions".
fn convex_hull(points: &mut [[f64; 2]], hull: &mut [[f64; 2]]) -> usize {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])));
    let corners = put_chain(points.iter(), hull);
    corners + put_chain(points.iter().rev(), &mut hull[corners..])
}

/// The left turns from the first point to the last one, which does not count: it is the next chain's first.
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
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut corners);
        let parallel = (cos * 0.6 - sin * 0.8).abs() < 1e-15;
        let perpendicular = (cos * 0.8 + sin * 0.6).abs() < 1e-15;
        assert!(parallel || perpendicular, "{cos} {sin}");
    }

    #[test]
    fn points_on_a_line_give_its_direction() {
        let mut line = [[1.0, 1.0], [4.0, 5.0], [1.0, 1.0], [2.5, 3.0]];
        let [cos, sin] = minimum_rectangle(SimdLevel::detect(), &mut line);
        assert!((cos * 0.8 - sin * 0.6).abs() < 1e-15, "{cos} {sin}");
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut [[3.0, 3.0]; 5]), [1.0, 0.0]);
        assert_eq!(minimum_rectangle(SimdLevel::detect(), &mut []), [1.0, 0.0]);
    }
}
