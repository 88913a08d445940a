//! The rectangle of least area around points in the plane.

use smallvec::SmallVec;

/// Cosine and sine of the direction of one side of the least-area rectangle; reorders the points.
///
/// One side lies on an edge of the convex hull (Freeman and Shapira 1975). Points on a line give the line's direction, a
/// single point the first axis.
pub(super) fn minimum_rectangle(points: &mut [[f64; 2]]) -> [f64; 2] {
    // Room for both chains.
    let mut hull: SmallVec<[[f64; 2]; 96]> = SmallVec::from_elem([0.0; 2], 2 * points.len());
    let corners = convex_hull(points, &mut hull);
    let hull = &hull[..corners];
    let mut best = (f64::INFINITY, [1.0, 0.0]);
    for (i, &p) in hull.iter().enumerate() {
        let q = hull[(i + 1) % hull.len()];
        let [dx, dy] = [q[0] - p[0], q[1] - p[1]];
        let length = (dx * dx + dy * dy).sqrt();
        let [cos, sin] = [dx / length, dy / length];
        let mut along = [0.0_f64; 2];
        let mut height = 0.0_f64;
        for r in hull {
            let [x, y] = [r[0] - p[0], r[1] - p[1]];
            let t = x * cos + y * sin;
            let across = y * cos - x * sin;
            // Comparisons, unlike `f64::min`, compile to a single instruction.
            along = [if t < along[0] { t } else { along[0] }, if t > along[1] { t } else { along[1] }];
            height = if across > height { across } else { height };
        }
        let area = (along[1] - along[0]) * height;
        if length > 0.0 && area < best.0 {
            best = (area, [cos, sin]);
        }
    }
    best.1
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
    use super::minimum_rectangle;

    #[test]
    fn finds_the_turned_rectangle() {
        let mut corners = [[0.0, 0.0], [4.0, 3.0], [2.5, 5.0], [-1.5, 2.0], [1.0, 2.0]];
        let [cos, sin] = minimum_rectangle(&mut corners);
        let parallel = (cos * 0.6 - sin * 0.8).abs() < 1e-15;
        let perpendicular = (cos * 0.8 + sin * 0.6).abs() < 1e-15;
        assert!(parallel || perpendicular, "{cos} {sin}");
    }

    #[test]
    fn points_on_a_line_give_its_direction() {
        let mut line = [[1.0, 1.0], [4.0, 5.0], [1.0, 1.0], [2.5, 3.0]];
        let [cos, sin] = minimum_rectangle(&mut line);
        assert!((cos * 0.8 - sin * 0.6).abs() < 1e-15, "{cos} {sin}");
        assert_eq!(minimum_rectangle(&mut [[3.0, 3.0]; 5]), [1.0, 0.0]);
        assert_eq!(minimum_rectangle(&mut []), [1.0, 0.0]);
    }
}
