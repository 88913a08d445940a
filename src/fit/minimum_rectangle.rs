//! The rectangle of least area around points in the plane.

/// Cosine and sine of the direction of one side of the least-area rectangle; reorders the points.
///
/// One side lies on an edge of the convex hull (Freeman and Shapira 1975). Points on a line give the line's direction, a
/// single point the first axis.
pub(super) fn minimum_rectangle(points: &mut [[f64; 2]]) -> [f64; 2] {
    let hull = convex_hull(points);
    let mut best = (f64::INFINITY, [1.0, 0.0]);
    for (i, &p) in hull.iter().enumerate() {
        let q = hull[(i + 1) % hull.len()];
        let [dx, dy] = [q[0] - p[0], q[1] - p[1]];
        let length = (dx * dx + dy * dy).sqrt();
        let [cos, sin] = [dx / length, dy / length];
        let mut along = [0.0_f64; 2];
        let mut height = 0.0_f64;
        for r in &hull {
            let [x, y] = [r[0] - p[0], r[1] - p[1]];
            let t = x * cos + y * sin;
            along = [along[0].min(t), along[1].max(t)];
            height = height.max(y * cos - x * sin);
        }
        let area = (along[1] - along[0]) * height;
        if length > 0.0 && area < best.0 {
            best = (area, [cos, sin]);
        }
    }
    best.1
}

/// Corners of the convex hull, counter-clockwise; Andrew 1979, "Another efficient algorithm for convex hulls in two
/// dimensions".
fn convex_hull(points: &mut [[f64; 2]]) -> Vec<[f64; 2]> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut hull: Vec<[f64; 2]> = Vec::new();
    let mut chain = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let start = hull.len();
        for p in points {
            while let [.., a, b] = hull[start..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(*p);
        }
        // The chain's last point is the next one's first.
        hull.pop();
    };
    chain(&mut points.iter());
    chain(&mut points.iter().rev());
    hull
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
