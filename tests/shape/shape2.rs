//! Shapes in the plane: certificates for the convex ones, dense sampling for the sector, exact cases for all.

use std::f64::consts::PI;

use super::cases::{CASES, Certifier, Convex, Random, greatest_along};
use bvtree::shape::{Capsule, ClosestPoint, Distance, Overlaps, Segment, Separation};
use bvtree::shape2::{Aabb, Circle, ConvexPolygon, Obb, PolygonError, Sector};
use nalgebra::{Matrix2, Point2, Rotation2, UnitVector2, Vector2};

impl Convex<2> for Circle {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        self.center.coords.dot(direction) + self.radius * direction.norm()
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        (point - self.center).norm() - self.radius
    }
}

impl Convex<2> for Aabb {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        (0..2).map(|k| (self.lower[k] * direction[k]).max(self.upper[k] * direction[k])).sum()
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        (0..2).map(|k| (self.lower[k] - point[k]).max(point[k] - self.upper[k])).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Convex<2> for Obb {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        let reach: f64 = (0..2).map(|k| self.half_extents[k] * self.axes.column(k).dot(direction).abs()).sum();
        self.center.coords.dot(direction) + reach
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        let offset = point - self.center;
        (0..2).map(|k| self.axes.column(k).dot(&offset).abs() - self.half_extents[k]).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Convex<2> for ConvexPolygon<'_> {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        greatest_along(self.vertices(), direction)
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        let vertices = self.vertices();
        let middle = vertices.iter().map(|vertex| vertex.coords).sum::<Vector2<f64>>() / vertices.len() as f64;
        (0..vertices.len())
            .map(|i| (vertices[i], vertices[(i + 1) % vertices.len()]))
            .filter(|(start, end)| start != end)
            .map(|(start, end)| {
                let along = (end - start).normalize();
                let normal = Vector2::new(along.y, -along.x);
                let outward = -(middle - start.coords).dot(&normal).signum();
                outward * normal.dot(&(point - start))
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

fn circle(random: &mut Random) -> Circle {
    Circle { center: random.point(4.0), radius: random.size(2.0) }
}

fn aabb(random: &mut Random) -> Aabb {
    let lower: Point2<f64> = random.point(4.0);
    Aabb { lower, upper: lower + Vector2::new(random.size(3.0), random.size(3.0)) }
}

fn obb(random: &mut Random) -> Obb {
    let angle = match random.below(4) {
        0 => 10f64.powf(random.within(-17.0, -3.0)),
        _ => random.within(-PI, PI),
    };
    let exact = Matrix2::from([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]][random.below(2) as usize]);
    let axes = if random.one_in(4) { exact } else { Rotation2::new(angle).into_inner() * exact };
    Obb { center: random.point(4.0), axes, half_extents: Vector2::new(random.size(2.0), random.size(2.0)) }
}

/// Corners of a convex polygon around either way: on an ellipse, or of a grid rectangle with points along its sides.
fn corners(random: &mut Random) -> Vec<Point2<f64>> {
    let mut corners = if random.one_in(3) {
        let lower: Point2<f64> = random.grid_point(3);
        let size = Vector2::new(random.integer(1, 3) as f64, random.integer(1, 3) as f64);
        let around = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0), (0.0, 2.0)];
        around.map(|(x, y)| lower + 0.5 * size.component_mul(&Vector2::new(x, y))).to_vec()
    } else {
        let (center, radii) = (random.point(4.0), Vector2::new(random.within(0.1, 2.0), random.within(0.1, 2.0)));
        let mut angles: Vec<f64> = (0..random.integer(3, 9)).map(|_| random.within(-PI, PI)).collect();
        angles.sort_by(f64::total_cmp);
        angles.iter().map(|angle| center + radii.component_mul(&Vector2::new(angle.cos(), angle.sin()))).collect()
    };
    if random.one_in(2) {
        corners.reverse();
    }
    corners
}

#[test]
fn circles_against_convex_shapes_are_certified() {
    let random = &mut Random(41);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let circle_ = circle(random);
        certifier.check_both_ways(&circle(random), &circle_);
        certifier.check_both_ways(&aabb(random), &circle_);
        certifier.check_both_ways(&obb(random), &circle_);
        certifier.check_both_ways(&random.segment::<2>(), &circle_);
        certifier.check_both_ways(&random.capsule::<2>(), &circle_);
        let corners = corners(random);
        if let Ok(polygon) = ConvexPolygon::new(&corners) {
            certifier.check_both_ways(&polygon, &circle_);
        }
    }
}

#[test]
fn nearest_points_to_a_point_are_certified() {
    let random = &mut Random(42);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let point: Point2<f64> = random.point(5.0);
        let (circle, aabb, obb, capsule) = (circle(random), aabb(random), obb(random), random.capsule::<2>());
        certifier.check(&circle, &point, circle.contains(&point));
        certifier.check(&aabb, &point, aabb.contains(&point));
        certifier.check(&obb, &point, obb.contains(&point));
        certifier.check(&capsule, &point, capsule.contains(&point));
        let corners = corners(random);
        if let Ok(polygon) = ConvexPolygon::new(&corners) {
            certifier.check(&polygon, &point, polygon.contains(&point));
        }
    }
}

#[test]
fn rectangles_and_polygons_are_certified() {
    let random = &mut Random(43);
    let mut certifier = Certifier::between_features(8.0);
    let mut polygons = 0;
    for _ in 0..CASES {
        let [own, other] = [(); 2].map(|()| random.segment::<2>());
        certifier.check(&own, &other, own.distance_sq(&other) == 0.0);
        let (first, second) = (obb(random), obb(random));
        certifier.check_both_ways(&first, &second);
        check_separation(&first, &second, first.separating_axis(&second), first.overlaps(&second), random);

        let (own, others) = (corners(random), corners(random));
        let (Ok(own), Ok(others)) = (ConvexPolygon::new(&own), ConvexPolygon::new(&others)) else { continue };
        polygons += 1;
        certifier.check_both_ways(&own, &others);
        check_separation(&own, &others, own.separating_axis(&others), own.overlaps(&others), random);
    }
    assert!(polygons > CASES * 9 / 10, "{polygons}");
}

/// That the axis shows the gap or the depth it should, and that no direction needs less depth.
fn check_separation<A, B>(first: &A, second: &B, separation: Separation<2>, overlap: bool, random: &mut Random)
where
    A: Convex<2> + Distance<B, 2> + std::fmt::Debug,
    B: Convex<2> + std::fmt::Debug,
{
    let signed_gap = |axis: &Vector2<f64>| -second.support(&-axis) - first.support(axis);
    match separation {
        Separation::Apart { axis, gap } => {
            assert!(!overlap && gap > 0.0 && (axis.norm() - 1.0).abs() < 1e-12);
            assert!((signed_gap(&axis) - gap).abs() < 1e-11, "{axis} {gap}\n{first:?}\n{second:?}");
            assert!(gap <= first.distance(second) + 1e-11, "{axis} {gap}\n{first:?}\n{second:?}");
        }
        Separation::Overlapping { axis, depth } => {
            assert!(overlap && (axis.norm() - 1.0).abs() < 1e-12);
            assert!((signed_gap(&axis) + depth).abs() < 1e-11, "{axis} {depth}\n{first:?}\n{second:?}");
            for spread in [1e-4, 1e-1, 1e2] {
                let other = (axis + random.unit::<2>() * spread).normalize();
                assert!(-signed_gap(&other) > depth - 1e-11, "{other} {depth}\n{first:?}\n{second:?}");
            }
        }
    }
}

/// Against a count of the integer points in both, for rectangles with integer corners, in three forms.
#[test]
fn integer_rectangles_touch_exactly() {
    let random = &mut Random(44);
    for _ in 0..CASES {
        let mut rectangle = || {
            let (a, b): (Point2<f64>, Point2<f64>) = (random.grid_point(3), random.grid_point(3));
            Aabb { lower: a.inf(&b), upper: a.sup(&b) }
        };
        let (first, second) = (rectangle(), rectangle());
        let common = |k: usize| {
            (-3..=3)
                .map(f64::from)
                .any(|x| first.lower[k] <= x && x <= first.upper[k] && second.lower[k] <= x && x <= second.upper[k])
        };
        let expected = common(0) && common(1);
        assert_eq!(first.overlaps(&second), expected, "{first:?} {second:?}");
        let turned = Matrix2::new(0.0, -1.0, 1.0, 0.0);
        let obb = |aabb: &Aabb, axes: Matrix2<f64>| Obb {
            center: nalgebra::center(&aabb.lower, &aabb.upper),
            axes,
            half_extents: (axes.transpose() * (aabb.upper - aabb.lower) * 0.5).abs(),
        };
        let (own, others) = (obb(&first, Matrix2::identity()), obb(&second, turned));
        assert_eq!(own.overlaps(&others), expected, "{own:?} {others:?}");
        let (own, others) = (own.corners(), others.corners());
        if let (Ok(own), Ok(others)) = (ConvexPolygon::new(&own), ConvexPolygon::new(&others)) {
            assert_eq!(own.overlaps(&others), expected, "{own:?} {others:?}");
        }
    }
}

/// Circles on integers against the definition: the least squared distance to the points of a rectangle or a segment.
#[test]
fn integer_circles_touch_exactly() {
    let random = &mut Random(45);
    for _ in 0..CASES {
        let center: Point2<f64> = random.grid_point(6);
        let circle = Circle { center, radius: random.integer(0, 6) as f64 };
        let (a, b): (Point2<f64>, Point2<f64>) = (random.grid_point(3), random.grid_point(3));
        let (lower, upper) = (a.inf(&b), a.sup(&b));
        let least = |lower: &Point2<f64>, upper: &Point2<f64>| -> i64 {
            let range = |k: usize| lower[k] as i64..=upper[k] as i64;
            let distance_sq = |x: i64, y: i64| (x - center.x as i64).pow(2) + (y - center.y as i64).pow(2);
            range(0).flat_map(|x| range(1).map(move |y| (x, y))).map(|(x, y)| distance_sq(x, y)).min().unwrap()
        };
        let radius = circle.radius as i64;
        assert_eq!(Aabb { lower, upper }.overlaps(&circle), least(&lower, &upper) <= radius * radius);
        let other = random.integer(0, 4);
        let reach = (radius + other).pow(2);
        assert_eq!(Circle { center: a, radius: other as f64 }.overlaps(&circle), least(&a, &a) <= reach);
        let mut end = a;
        end.x = b.x;
        let capsule = Capsule { segment: Segment { start: a, end }, radius: 0.0 };
        assert_eq!(circle.overlaps(&capsule), least(&a.inf(&end), &a.sup(&end)) <= radius * radius);
    }
}

fn sector(random: &mut Random) -> Sector {
    let angle = match random.below(8) {
        0 => 0.0,
        1 => 2.0 * PI,
        2 => PI,
        _ => random.within(0.0, 2.0 * PI),
    };
    let direction = UnitVector2::new_normalize(random.unit());
    Sector { center: random.point(3.0), radius: random.size(3.0), direction, angle }
}

/// Against the sector's outline sampled densely, and its inside by the angle between directions.
#[test]
fn sectors_are_as_near_as_their_sampled_outline() {
    const RAYS: usize = 24;
    let random = &mut Random(46);
    for _ in 0..CASES {
        let sector = sector(random);
        let point: Point2<f64> = random.point(5.0);
        let closest = sector.closest_point(&point);
        let distance = (closest - point).norm();

        // The closest point is on the sector.
        let offset = closest - sector.center;
        let off_direction = if offset.norm() > 1e-12 { sector.direction.angle(&offset) } else { 0.0 };
        assert!(offset.norm() <= sector.radius + 1e-13);
        let off_edge = (off_direction - 0.5 * sector.angle) * offset.norm();
        assert!(off_edge <= 1e-7, "{sector:?} {point} {closest}");

        // No sample is nearer; and some sample is nearly as near, unless the point is inside.
        let mut least = f64::INFINITY;
        for ray in 0..=RAYS {
            let turn = sector.angle * (ray as f64 / RAYS as f64 - 0.5);
            let ray_direction = Rotation2::new(turn) * sector.direction.into_inner();
            let along = (point - sector.center).dot(&ray_direction).clamp(0.0, sector.radius);
            least = least.min((sector.center + ray_direction * along - point).norm());
        }
        assert!(distance <= least + 1e-12, "{sector:?} {point} {closest}");
        let spacing = sector.radius * sector.angle / RAYS as f64;
        assert!(distance >= least - spacing - 1e-12, "{sector:?} {point} {closest}");
        let offset = point - sector.center;
        let within_angle = 0.5 * sector.angle - sector.direction.angle(&offset);
        if offset.norm() < sector.radius - 1e-9 && within_angle > 1e-7 {
            assert!(sector.contains(&point) && closest == point, "{sector:?} {point}");
        } else if offset.norm() > sector.radius + 1e-9 || (within_angle < -1e-7 && offset.norm() > 1e-9) {
            assert!(!sector.contains(&point) && closest != point, "{sector:?} {point}");
        }

        // A circle overlaps just when its centre is that near.
        let circle = circle(random);
        let reach = sector.distance(&circle.center) - circle.radius;
        if reach.abs() > 1e-12 {
            assert_eq!(sector.overlaps(&circle), reach < 0.0, "{sector:?} {circle:?}");
            assert_eq!(circle.overlaps(&sector), reach < 0.0);
            assert!((sector.distance(&circle) - reach.max(0.0)).abs() < 1e-12);
        }
    }
}

#[test]
fn sectors_of_30_and_270_degrees_just_inside_and_just_outside() {
    let pointing_up = |degrees: f64| Sector {
        center: Point2::new(1.0, 2.0),
        radius: 4.0,
        direction: UnitVector2::new_normalize(Vector2::y()),
        angle: degrees.to_radians(),
    };
    let at = |degrees_off: f64, distance: f64| {
        let (sin, cos) = degrees_off.to_radians().sin_cos();
        Point2::new(1.0 + distance * sin, 2.0 + distance * cos)
    };
    let circle = |center, radius| Circle { center, radius };
    for (sector, half) in [(pointing_up(30.0), 15.0), (pointing_up(270.0), 135.0)] {
        for side in [-1.0, 1.0] {
            assert!(sector.contains(&at(side * (half - 1e-9), 3.0)));
            assert!(!sector.contains(&at(side * (half + 1e-9), 3.0)));
            // Ten degrees off the straight side, three from the tip: a circle must reach 3 sin(10 degrees).
            let off_side = 3.0 * 10f64.to_radians().sin();
            assert!(sector.overlaps(&circle(at(side * (half + 10.0), 3.0), off_side + 1e-9)));
            assert!(!sector.overlaps(&circle(at(side * (half + 10.0), 3.0), off_side - 1e-9)));
        }
        assert!(sector.contains(&at(0.0, 4.0)) && !sector.contains(&at(0.0, 4.0 + 1e-9)));
        assert!(sector.overlaps(&circle(at(5.0, 6.0), 2.0 + 1e-9)));
        assert!(!sector.overlaps(&circle(at(5.0, 6.0), 2.0 - 1e-9)));
    }
    for direction in [Vector2::x(), -Vector2::x(), Vector2::new(-0.6, -0.8), Vector2::new(0.6, -0.8)] {
        let sector = Sector { direction: UnitVector2::new_unchecked(direction), ..pointing_up(30.0) };
        assert!(sector.contains(&sector.center) && sector.contains(&(sector.center + direction)), "{direction}");
        assert!(!sector.contains(&(sector.center - direction)), "{direction}");
    }
    // Behind the tip: outside of both. The narrow one is nearest at its tip, the wide one at its sides, where they
    // are 45 degrees off.
    let behind = at(180.0, 2.0);
    assert!((pointing_up(30.0).distance(&behind) - 2.0).abs() < 1e-12);
    assert!((pointing_up(270.0).distance(&behind) - 2f64.sqrt()).abs() < 1e-12);
    assert!(pointing_up(360.0).contains(&behind));
    assert_eq!(pointing_up(0.0).closest_point(&Point2::new(3.0, 4.0)), Point2::new(1.0, 4.0));
    assert_eq!(Sector { radius: 0.0, ..pointing_up(90.0) }.distance(&Point2::new(4.0, 6.0)), 5.0);
}

#[test]
fn touching_and_degenerate_cases_are_exact() {
    let square = Aabb { lower: Point2::origin(), upper: Point2::new(2.0, 2.0) };
    let standing = Obb { center: Point2::new(1.0, 1.0), axes: Matrix2::identity(), half_extents: Vector2::repeat(1.0) };
    let corners = standing.corners();
    let polygon = ConvexPolygon::new(&corners).unwrap();
    let touching = Circle { center: Point2::new(5.0, 6.0), radius: 5.0 };
    let missing = Circle { radius: 4.9999999, ..touching };
    assert!(square.overlaps(&touching) && standing.overlaps(&touching) && polygon.overlaps(&touching));
    assert!(!square.overlaps(&missing) && !standing.overlaps(&missing) && !polygon.overlaps(&missing));
    assert!(!Aabb { lower: square.upper, upper: square.lower }.overlaps(&touching));

    // Parallel sides that touch, by 4 axes and by all normals.
    let beside = |x: f64| Obb { center: Point2::new(x, 2.0), ..standing };
    assert!(standing.overlaps(&beside(3.0)) && !standing.overlaps(&beside(3.0 + 1e-11)));
    assert_eq!(standing.separating_axis(&beside(4.5)), Separation::Apart { axis: Vector2::x(), gap: 1.5 });
    assert_eq!(standing.separating_axis(&beside(-0.5)), Separation::Overlapping { axis: -Vector2::x(), depth: 0.5 });
    let triangle = [Point2::new(2.0, 1.0), Point2::new(4.0, 0.0), Point2::new(4.0, 3.0)];
    assert!(polygon.overlaps(&ConvexPolygon::new(&triangle).unwrap()));
    let within = [Point2::new(0.5, 0.5), Point2::new(0.5, 1.0), Point2::new(1.0, 1.0)];
    assert_eq!(polygon.distance(&ConvexPolygon::new(&within).unwrap()), 0.0);

    // Rectangles of no width or no size at all.
    let flat = Obb { center: Point2::new(1.0, 4.0), half_extents: Vector2::new(3.0, 0.0), ..standing };
    assert_eq!(flat.distance(&standing), 2.0);
    let point = Obb { center: Point2::new(1.0, 4.0), half_extents: Vector2::zeros(), ..standing };
    assert!(point.overlaps(&flat) && point.overlaps(&point) && !point.overlaps(&standing));

    // Collinear and crossing segments.
    let segment = |a: [f64; 2], b: [f64; 2]| Segment { start: Point2::from(a), end: Point2::from(b) };
    assert_eq!(segment([0.0, 0.0], [1.0, 1.0]).distance_sq(&segment([4.0, 4.0], [3.0, 3.0])), 8.0);
    assert_eq!(segment([0.0, 0.0], [3.0, 3.0]).distance_sq(&segment([2.0, 2.0], [4.0, 4.0])), 0.0);
    let crossing = segment([0.0, 0.0], [2.0, 2.0]).closest_points(&segment([0.0, 2.0], [2.0, 0.0]));
    assert_eq!(crossing, (Point2::new(1.0, 1.0), Point2::new(1.0, 1.0)));
}

#[test]
fn what_is_no_convex_polygon_is_refused() {
    let refused = |corners: &[[f64; 2]]| {
        let corners: Vec<Point2<f64>> = corners.iter().map(|corner| Point2::from(*corner)).collect();
        ConvexPolygon::new(&corners).err()
    };
    assert_eq!(refused(&[]), Some(PolygonError::TooFewVertices(0)));
    assert_eq!(refused(&[[0.0, 0.0], [1.0, 0.0]]), Some(PolygonError::TooFewVertices(2)));
    assert_eq!(refused(&[[0.0, 0.0], [1.0, f64::NAN], [2.0, 1.0]]), Some(PolygonError::NotFinite(1)));
    assert_eq!(refused(&[[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]), Some(PolygonError::NoArea));
    assert_eq!(refused(&[[5.0, 5.0]; 4]), Some(PolygonError::NoArea));
    let arrowhead = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
    assert!(matches!(refused(&arrowhead), Some(PolygonError::NotConvex(_))));
    let spike = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 3.0], [2.0, 2.0], [0.0, 2.0]];
    assert!(matches!(refused(&spike), Some(PolygonError::NotConvex(_))));
    let star: Vec<[f64; 2]> = (0..5).map(|i| 0.8 * PI * f64::from(i)).map(|angle| [angle.cos(), angle.sin()]).collect();
    assert!(matches!(refused(&star), Some(PolygonError::NotConvex(_))));
    let mut square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
    assert_eq!(refused(&square), None);
    square.reverse();
    assert_eq!(refused(&square), None);
}
