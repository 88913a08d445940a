//! The sector, which need not be convex: dense sampling, and just inside and outside.

use std::f64::consts::PI;

use bvtree::shape::{ClosestPoint, Distance, Overlaps};
use bvtree::shape2::{Circle, Sector};
use nalgebra::{Point2, Rotation2, UnitVector2, Vector2};

use super::circle;
use crate::shape::cases::{CASES, Random};

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
