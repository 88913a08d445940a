//! How polygons are cut into triangles.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use crate::mesh::report::is_zero_area;
use crate::triangle::Triangle;

/// Appends the triangles of a polygon, which is assumed to be convex: a fan from the first corner, or, if that has
/// zero-area triangles because some corners lie on straight edges (T-junctions), a cut into the same number of
/// triangles, all of which have an area. The fan is kept if `point` returns `None` for a corner, or if no such cut is
/// found.
pub(super) fn cut(corners: &[u32], point: impl Fn(u32) -> Option<Point3<f32>>, triangles: &mut Vec<[u32; 3]>) {
    let [apex, rest @ ..] = corners else { return };
    let first = triangles.len();
    triangles.extend(rest.windows(2).map(|edge| [*apex, edge[0], edge[1]]));
    if corners.len() <= 3 {
        return;
    }
    let Some(points) = corners.iter().map(|&corner| Some(point(corner)?.cast())).collect::<Option<SmallVec<[_; 8]>>>()
    else {
        return;
    };
    let has_area = |[a, b, c]: [usize; 3]| !is_zero_area(&Triangle::new(points[a], points[b], points[c]));
    if (2..corners.len()).all(|i| has_area([0, i - 1, i])) {
        return;
    }
    if let Some(ears) = ears(&points, has_area) {
        triangles.truncate(first);
        triangles.extend(ears.into_iter().map(|ear| ear.map(|i| corners[i])));
    }
}

/// Cuts corners off, one after the other, so that all triangles cut off and the rest have an area. `None` if no such
/// cut is found.
fn ears(points: &[Point3<f64>], has_area: impl Fn([usize; 3]) -> bool) -> Option<Vec<[usize; 3]>> {
    let count = points.len();
    // Newell's normal, which collinear corners don't disturb.
    let normal: Vector3<f64> =
        (0..count).map(|i| (points[i] - points[0]).cross(&(points[(i + 1) % count] - points[0]))).sum();
    let mut next: Vec<usize> = (0..count).map(|i| (i + 1) % count).collect();
    let mut previous: Vec<usize> = (0..count).map(|i| (i + count - 1) % count).collect();
    let mut is_bent: Vec<bool> = (0..count).map(|i| has_area([previous[i], i, next[i]])).collect();
    let mut bends = is_bent.iter().filter(|is_bent| **is_bent).count();
    let (mut ears, mut at) = (Vec::with_capacity(count - 2), 0);
    // A convex polygon takes fewer steps than this: after each ear, the corner before it is the next candidate.
    for _ in 0..4 * count {
        let ear @ [before, _, after] = [previous[at], at, next[at]];
        let turn = (points[at] - points[before]).cross(&(points[after] - points[at]));
        if !is_bent[at] || turn.dot(&normal) <= 0.0 {
            at = after;
            continue;
        }
        if ears.len() + 3 == count {
            ears.push(ear);
            return Some(ears);
        }
        let bent = [[previous[before], before, after], [before, after, next[after]]].map(&has_area);
        let bends_left = bends - 1 - usize::from(is_bent[before]) - usize::from(is_bent[after])
            + bent.into_iter().filter(|is_bent| *is_bent).count();
        if bends_left == 0 {
            at = after;
            continue;
        }
        ears.push(ear);
        (next[before], previous[after]) = (after, before);
        ([is_bent[before], is_bent[after]], bends) = (bent, bends_left);
        at = before;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut_of(points: &[Point3<f32>]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        cut(&corners, |i| points.get(i as usize).copied(), &mut triangles);
        triangles
    }

    fn area(points: &[Point3<f32>], triangles: &[[u32; 3]]) -> f64 {
        let corner = |i: u32| points[i as usize].cast::<f64>();
        triangles.iter().map(|&[a, b, c]| (corner(b) - corner(a)).cross(&(corner(c) - corner(a))).z / 2.0).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The corners of a convex polygon of the integer grid, with points on its edges: all triangles have a positive
        /// area, and together the polygon's, so that they cover it once.
        #[test]
        fn polygons_with_points_on_edges_have_no_flat_triangles(
            on_edges in prop::collection::vec(0..5u8, 3..7),
            turn in 0..30usize,
        ) {
            let corners = [[0, 0], [600, 0], [960, 480], [720, 960], [0, 1200], [-240, 480]];
            let corners = &corners[..on_edges.len()];
            let mut points = Vec::new();
            for (i, &inner) in on_edges.iter().enumerate() {
                let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
                let parts = i32::from(inner) + 1;
                points.extend((0..parts).map(|k| {
                    let [x, y] = [0, 1].map(|axis| (a[axis] * (60 - 12 * k) + b[axis] * 12 * k) as f32 / 60.0);
                    Point3::new(x, y, 0.0)
                }));
            }
            let turn = turn % points.len();
            points.rotate_left(turn);
            let triangles = cut_of(&points);
            prop_assert_eq!(triangles.len(), points.len() - 2);
            for triangle in &triangles {
                prop_assert!(area(&points, &[*triangle]) > 0.0, "{:?} of {:?}", triangle, points);
            }
            let whole: f64 = (0..points.len()).map(|i| {
                let (a, b) = (points[i].cast::<f64>(), points[(i + 1) % points.len()].cast::<f64>());
                (a.x * b.y - a.y * b.x) / 2.0
            }).sum();
            prop_assert!((area(&points, &triangles) - whole).abs() < 1e-6 * whole);
        }
    }

    #[test]
    fn fans_are_kept_where_they_are_good_or_nothing_is() {
        let points = |xy: &[[f32; 2]]| xy.iter().map(|&[x, y]| Point3::new(x, y, 0.0)).collect::<Vec<_>>();
        let fan = vec![[0, 1, 2], [0, 2, 3]];
        for xy in [
            [[0., 0.], [1., 0.], [1., 1.], [0., 1.]],
            [[0., 0.], [1., 0.], [2., 0.], [3., 0.]],
            [[0., 0.], [0., 0.], [1., 0.], [0., 1.]],
        ] {
            assert_eq!(cut_of(&points(&xy)), fan, "{xy:?}");
        }
        assert_ne!(cut_of(&points(&[[0., 0.], [1., 0.], [2., 0.], [0., 1.]])), fan);
        let mut unknown = Vec::new();
        cut(&[0, 1, 2, 9], |i| (i < 9).then(|| Point3::new(i as f32, 0.0, 0.0)), &mut unknown);
        assert_eq!(unknown, [[0, 1, 2], [0, 2, 9]]);
        assert!(cut_of(&[]).is_empty());
    }
}
