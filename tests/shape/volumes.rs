//! Spheres, AABBs and OBBs against each other, and what each is by itself.

use super::cases::{CASES, Convex, Random, greatest_along};
use bvtree::shape::{Aabb, Obb, Overlaps, Separation, Sphere};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

#[test]
fn integer_spheres_touch_exactly() {
    let random = &mut Random(11);
    for _ in 0..CASES {
        let [a, b] = [(); 2].map(|()| (random.grid_point::<3>(6), random.integer(0, 5)));
        let sphere = |(center, radius): (Point3<f64>, i64)| Sphere { center, radius: radius as f64 };
        let distance_sq: i64 = (0..3).map(|k| (a.0[k] as i64 - b.0[k] as i64).pow(2)).sum();
        assert_eq!(sphere(a).overlaps(&sphere(b)), distance_sq <= (a.1 + b.1).pow(2), "{a:?} {b:?}");
    }
}

/// Against a count of the integer points in both: boxes with integer corners share one if they share any.
#[test]
fn integer_boxes_share_the_points_of_their_intersection() {
    let random = &mut Random(12);
    for _ in 0..CASES {
        let mut aabb = || {
            let (a, b) = (random.grid_point(3), random.grid_point(3));
            if random.one_in(4) { Aabb { lower: a, upper: b } } else { Aabb::from_points([&a, &b]) }
        };
        let (first, second) = (aabb(), aabb());
        let inside = |aabb: &Aabb, k: usize, x: i32| aabb.lower[k] <= x.into() && aabb.upper[k] >= x.into();
        let common = |k| (-3..=3).filter(|&x| inside(&first, k, x) && inside(&second, k, x)).count();
        let count = common(0) * common(1) * common(2);
        assert_eq!(first.overlaps(&second), count > 0, "{first:?} {second:?}");
        let intersection = first.intersection(&second);
        assert_eq!(intersection.map(|both| both.size().add_scalar(1.0).product()).unwrap_or(0.0), count as f64);
        let union = first.union(&second);
        assert!(first.is_empty() || first.corners().iter().all(|corner| union.contains(corner)));

        // Exactly the same for the oriented box in a turned frame, and for both boxes moved by that frame.
        if first.is_empty() || second.is_empty() {
            assert!(!Obb::from(union).overlaps(&Aabb::empty()));
            continue;
        }
        let (axes, offset) = (random.axis_permutation(), random.grid_point::<3>(3).coords);
        let turned = Obb { axes, half_extents: (axes.transpose() * first.half_extents()).abs(), ..first.into() };
        assert_eq!(turned.overlaps(&second), count > 0, "{turned:?} {second:?}");
        assert_eq!(second.overlaps(&turned), count > 0);
        let moved = Obb::from(second.transformed(&axes, &offset));
        assert_eq!(Obb::from(first).transformed(&axes, &offset).overlaps(&moved), count > 0);
    }
}

#[test]
fn moved_box_is_the_box_of_the_moved_corners() {
    let random = &mut Random(13);
    let mut cube_growth = (Vector3::zeros(), 0.0, 0.0f64);
    for _ in 0..CASES {
        let (aabb, rotation, offset) = (random.aabb(), random.rotation(), random.vector(5.0));
        let moved = aabb.transformed(&rotation, &offset);
        let corners = aabb.corners().map(|corner| rotation * corner + offset);
        let expected = Aabb::from_points(&corners);
        assert!((moved.lower - expected.lower).abs().max() < 1e-14, "{aabb:?} {rotation}");
        assert!((moved.upper - expected.upper).abs().max() < 1e-14, "{aabb:?} {rotation}");
        for (corner, expected) in Obb::from(aabb).transformed(&rotation, &offset).corners().iter().zip(&corners) {
            assert!((corner - expected).norm() < 1e-14);
        }

        // What the docs say about a cube's box: uniform rotations, from a uniform point on the 3-sphere.
        let uniform = nalgebra::UnitQuaternion::from_quaternion(random.unit::<4>().into());
        let cube = Aabb { lower: Point3::new(-0.5, -0.5, -0.5), upper: Point3::new(0.5, 0.5, 0.5) };
        let grown = cube.transformed(uniform.to_rotation_matrix().matrix(), &Vector3::zeros());
        cube_growth.0 += grown.size() / CASES as f64;
        cube_growth.1 += grown.volume() / CASES as f64;
        cube_growth.2 = cube_growth.2.max(grown.volume());
    }
    let (side, mean, most) = cube_growth;
    assert!((side - Vector3::repeat(1.5)).abs().max() < 0.02, "{side}");
    assert!((mean - 3.4).abs() < 0.03, "{mean}");
    assert!(most <= 125.0 / 27.0 + 1e-12 && most > 4.5, "{most}");
    assert!(Aabb::empty().transformed(&Matrix3::identity(), &Vector3::x()).is_empty());
}

/// Two boxes share a point exactly when an edge of one meets the other.
fn an_edge_meets(edges_of: &Obb, solid: &Obb, margin: f64) -> bool {
    let corners = edges_of.corners();
    (0..8usize).any(|from| {
        (0..3).map(|k| from ^ (1 << k)).filter(|&to| to > from).any(|to| {
            let (start, along) = (corners[from] - solid.center, corners[to] - corners[from]);
            let (mut first, mut last) = (0.0f64, 1.0f64);
            for (axis, reach) in solid.axes.column_iter().zip(solid.half_extents.iter()) {
                let (height, climb, reach) = (start.dot(&axis), along.dot(&axis), reach + margin);
                if climb.abs() < 1e-15 {
                    if height.abs() > reach {
                        return false;
                    }
                } else {
                    let times = [(-reach - height) / climb, (reach - height) / climb];
                    first = first.max(times[0].min(times[1]));
                    last = last.min(times[0].max(times[1]));
                }
            }
            first <= last
        })
    })
}

fn boxes_meet(first: &Obb, second: &Obb, margin: f64) -> bool {
    an_edge_meets(first, second, margin) || an_edge_meets(second, first, margin)
}

/// Boxes near each other, so that about half of the pairs overlap; sometimes one that just touches by a corner.
fn box_pair(random: &mut Random) -> (Obb, Obb) {
    let (first, mut second) = (random.obb(), random.obb());
    if random.one_in(4) {
        let corner = random.below(8) as usize;
        let on_first = first.corners()[random.below(8) as usize];
        second.center += on_first - second.corners()[corner];
    }
    (first, second)
}

#[test]
fn oriented_boxes_overlap_when_an_edge_of_one_meets_the_other() {
    let random = &mut Random(14);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..CASES {
        let (first, second) = box_pair(random);
        let overlap = first.overlaps(&second);
        assert_eq!(overlap, second.overlaps(&first));
        if boxes_meet(&first, &second, 0.0) {
            assert!(overlap, "called apart: {first:?}\n{second:?}");
            hits += 1;
        } else if !boxes_meet(&first, &second, 1e-9) {
            assert!(!overlap, "called overlapping: {first:?}\n{second:?}");
            misses += 1;
        }

        let (aabb, cases) = (random.aabb(), 1e-9);
        let as_obb = Obb::from(aabb);
        if boxes_meet(&first, &as_obb, 0.0) {
            assert!(first.overlaps(&aabb) && aabb.overlaps(&first));
        } else if !boxes_meet(&first, &as_obb, cases) {
            assert!(!first.overlaps(&aabb) && !aabb.overlaps(&first));
        }
    }
    assert!(hits > CASES / 5 && misses > CASES / 5, "{hits} hits, {misses} misses");
}

/// A corner of one is a corner of the other, though the axes are orthonormal only to some deviation.
#[test]
fn boxes_that_share_a_corner_are_never_apart_even_when_skewed() {
    let random = &mut Random(15);
    for _ in 0..CASES {
        let (mut first, mut second) = (random.obb(), random.obb());
        let deviation = 10f64.powf(random.within(-16.0, -3.3));
        for obb in [&mut first, &mut second] {
            obb.axes += Matrix3::from_fn(|_, _| random.within(-0.3, 0.3) * deviation);
        }
        let (from, to) = (random.below(8) as usize, random.below(8) as usize);
        second.center += first.corners()[from] - second.corners()[to];
        // Moving the corner there rounded the coordinates, which matters to boxes that are next to nothing.
        let sizes = first.half_extents.sum() + second.half_extents.sum();
        if sizes > 0.0 {
            let tolerance = Obb::TOLERANCE + 16.0 * deviation + 1e-14 / sizes;
            assert!(first.overlaps_within(&second, tolerance), "{first:?}\n{second:?}");
        }
    }
}

#[test]
fn separating_axis_shows_the_gap_or_the_depth() {
    let random = &mut Random(16);
    for _ in 0..CASES {
        let (first, second) = box_pair(random);
        let sizes = first.half_extents.sum() + second.half_extents.sum();
        let signed_gap = |axis: &Vector3<f64>| {
            let lowest = -greatest_along(&second.corners(), &-axis);
            lowest - greatest_along(&first.corners(), axis)
        };
        match first.separating_axis(&second) {
            Separation::Apart { axis, gap } => {
                assert!(!first.overlaps(&second));
                assert!(gap > 0.0 && (axis.norm() - 1.0).abs() < 1e-12);
                assert!((signed_gap(&axis) - gap).abs() < 1e-3 * gap + 1e-12, "{axis} {gap}\n{first:?}\n{second:?}");
            }
            Separation::Overlapping { axis, depth } => {
                assert!(first.overlaps(&second));
                assert!((axis.norm() - 1.0).abs() < 1e-12);
                let allowed = 1e-7 * sizes + 1e-14;
                assert!((signed_gap(&axis) + depth).abs() < allowed, "{axis} {depth}\n{first:?}\n{second:?}");
                // No direction, near this one or far from it, needs less.
                for spread in [1e-4, 1e-1, 1e2] {
                    let other = (axis + random.unit::<3>() * spread).normalize();
                    assert!(-signed_gap(&other) > depth - allowed, "{other} {depth}\n{first:?}\n{second:?}");
                }
                let parted = Obb { center: second.center + axis * (depth + allowed), ..second };
                assert!(!boxes_meet(&first, &parted, 0.0), "{first:?}\n{second:?}");
            }
        }
    }
}

#[test]
fn parallel_edges_touch_exactly() {
    let unit = Obb { center: Point3::origin(), axes: Matrix3::identity(), half_extents: Vector3::repeat(1.0) };
    let at = |x: f64, y: f64, z: f64| Obb { center: Point3::new(x, y, z), ..unit };
    for touching in [at(2.0, 0.0, 0.0), at(2.0, 2.0, 0.0), at(2.0, -2.0, 2.0), at(0.0, 0.0, 0.0)] {
        assert!(unit.overlaps(&touching));
    }
    for apart in [at(2.0 + 1e-9, 0.0, 0.0), at(0.0, -2.0 - 1e-9, 2.0), at(5.0, 5.0, 5.0)] {
        assert!(!unit.overlaps(&apart));
    }
    assert_eq!(unit.separating_axis(&at(0.0, -5.0, 1.0)), Separation::Apart { axis: -Vector3::y(), gap: 3.0 });
    assert_eq!(unit.separating_axis(&at(0.5, 0.0, 1.5)), Separation::Overlapping { axis: Vector3::z(), depth: 0.5 });

    // Only crossed edges separate these: both are turned by 45 degrees, about x and about z, edge toward edge.
    let turned = |axis, angle: f64| *Rotation3::from_axis_angle(&axis, angle.to_radians()).matrix();
    let first = Obb { axes: turned(Vector3::z_axis(), 45.0) * turned(Vector3::x_axis(), 0.0), ..unit };
    let edge_on = |y| Obb { center: Point3::new(0.0, y, 0.0), axes: turned(Vector3::x_axis(), 45.0), ..unit };
    let reach = 2.0 * 2f64.sqrt();
    assert!(first.overlaps(&edge_on(reach)));
    assert!(!first.overlaps(&edge_on(reach + 1e-9)));
    let Separation::Apart { axis, gap } = first.separating_axis(&edge_on(reach + 1.0)) else {
        panic!("they are apart")
    };
    assert!((axis - Vector3::y()).norm() < 1e-12 && (gap - 1.0).abs() < 1e-12);

    // Edges parallel but for rounding, the gap tiny and huge against the sizes.
    for angle in [1e-17, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4] {
        let nearly = |x| Obb { center: Point3::new(x, 0.3, 0.2), axes: turned(Vector3::x_axis(), angle), ..unit };
        assert!(unit.overlaps(&nearly(2.0)), "{angle}");
        assert!(!unit.overlaps(&nearly(2.0 + 1e-11)), "{angle}");
        assert!(!unit.overlaps(&nearly(1e9)), "{angle}");
    }

    // Boxes of no size: points and rectangles.
    let point = |x: f64| Obb { center: Point3::new(x, 1.0, 1.0), half_extents: Vector3::zeros(), ..unit };
    assert!(unit.overlaps(&point(1.0)) && !unit.overlaps(&point(1.0 + 1e-12)));
    assert!(point(7.0).overlaps(&point(7.0)) && !point(7.0).overlaps(&point(7.0 + 1e-12)));
    assert_eq!(point(7.0).volume(), 0.0);
}

#[test]
fn measures_match_their_definitions() {
    let random = &mut Random(17);
    let aabb = Aabb { lower: Point3::new(-1.0, 2.0, 0.0), upper: Point3::new(1.0, 5.0, 4.0) };
    assert_eq!((aabb.volume(), aabb.surface_area()), (24.0, 52.0));
    let obb = Obb { axes: random.rotation(), ..aabb.into() };
    assert_eq!((obb.volume(), obb.surface_area()), (24.0, 52.0));
    let sphere = Sphere { center: Point3::origin(), radius: 1.5 };
    assert!((sphere.surface_area() * sphere.radius - 3.0 * sphere.volume()).abs() < 1e-12);

    // The share of a surrounding cube's random points that a shape contains is its share of the volume.
    let mut inside = [0; 3];
    for _ in 0..CASES {
        let (aabb, obb, sphere) = (random.aabb(), random.obb(), random.sphere());
        let point = random.point(6.0);
        let differs = |excess: f64, contains: bool| excess.abs() > 1e-12 && contains != (excess < 0.0);
        assert!(!differs(aabb.excess(&point), aabb.contains(&point)), "{aabb:?} {point}");
        assert!(!differs(obb.excess(&point), obb.contains(&point)), "{obb:?} {point}");
        assert!(!differs(sphere.excess(&point), sphere.contains(&point)), "{sphere:?} {point}");
        let corners_farthest = |direction| greatest_along(&obb.corners(), &direction);
        let direction = random.unit();
        assert!((corners_farthest(direction) - obb.support(&direction)).abs() < 1e-13);
        assert!((greatest_along(&aabb.corners(), &direction) - aabb.support(&direction)).abs() < 1e-13);

        let sample = Point3::from(random.vector::<3>(3.0));
        let fixed = Obb { center: Point3::origin(), axes: obb.axes, half_extents: Vector3::new(1.0, 1.5, 2.0) };
        inside[0] += usize::from(Sphere { center: Point3::origin(), radius: 2.5 }.contains(&sample));
        inside[1] += usize::from(fixed.contains(&sample));
        inside[2] += usize::from(
            Aabb::from_points([&Point3::new(-2.0, -1.0, -1.0), &Point3::new(1.0, 3.0, 2.0)]).contains(&sample),
        );
    }
    let volumes = [
        Sphere { center: Point3::origin(), radius: 2.5 }.volume(),
        8.0 * 3.0,
        Aabb { lower: Point3::new(-2.0, -1.0, -1.0), upper: Point3::new(1.0, 3.0, 2.0) }.volume(),
    ];
    for (inside, volume) in inside.iter().zip(volumes) {
        let measured = *inside as f64 / CASES as f64 * 216.0;
        assert!((measured - volume).abs() < 5.0 * 216.0 * 0.5 / (CASES as f64).sqrt(), "{measured} {volume}");
    }
}
