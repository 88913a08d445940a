//! Moving spheres and boxes against a numerical search in time.

use super::cases::{CASES, Random};
use bvtree::shape::{Aabb, ContactInterval, Overlaps, Sphere, TimeOfContact};
use nalgebra::{Point3, Vector3};

/// The part of [0, 1] in which `gap`, a convex function, is not positive; and the least gap found.
fn search(gap: impl Fn(f64) -> f64) -> (Option<(f64, f64)>, f64) {
    let (mut left, mut right) = (0.0, 1.0);
    for _ in 0..80 {
        let (a, b) = (left + (right - left) * 0.45, left + (right - left) * 0.55);
        if gap(a) <= gap(b) { right = b } else { left = a }
    }
    let deepest = [0.0, 0.5 * (left + right), 1.0].into_iter().min_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap();
    if gap(deepest) > 0.0 {
        return (None, gap(deepest));
    }
    let boundary = |outside: f64| {
        let (mut inside, mut outside) = (deepest, outside);
        if gap(outside) <= 0.0 {
            return outside;
        }
        for _ in 0..50 {
            let middle = 0.5 * (inside + outside);
            if gap(middle) <= 0.0 { inside = middle } else { outside = middle }
        }
        inside
    };
    (Some((boundary(0.0), boundary(1.0))), gap(deepest))
}

/// That the interval is the one found by search; near a graze, where the search can't tell, that the shapes do nearly
/// touch at both of its ends.
fn compare(contact: Option<ContactInterval>, gap: impl Fn(f64) -> f64, case: &dyn std::fmt::Debug) -> bool {
    let (expected, least) = search(&gap);
    if let Some(ContactInterval { entry, exit }) = contact {
        assert!(0.0 <= entry && entry <= exit && exit <= 1.0, "{contact:?} {case:?}");
        for time in [entry, exit] {
            assert!(gap(time) < 1e-12, "{contact:?} {case:?}");
            let on_surface = gap(time) > -1e-6;
            assert!(on_surface || time == 0.0 || time == 1.0, "{contact:?} {case:?}");
        }
    }
    if least.abs() > 1e-9 {
        assert_eq!(contact.is_some(), expected.is_some(), "{case:?}, expected {expected:?}");
        if let (Some(contact), Some((entry, exit))) = (contact, expected) {
            assert!((contact.entry - entry).abs() < 1e-6, "{contact:?} not {entry} {case:?}");
            assert!((contact.exit - exit).abs() < 1e-6, "{contact:?} not {exit} {case:?}");
        }
    }
    contact.is_some()
}

/// Half of the time roughly along `aim`, the way from the second shape to the first.
fn velocity(random: &mut Random, aim: Vector3<f64>) -> Vector3<f64> {
    let mut velocity = if random.one_in(3) { random.grid_point(6).coords } else { random.vector(8.0) };
    if random.one_in(2) {
        velocity = velocity * 0.2 + aim * random.within(0.0, 2.0);
    }
    if random.one_in(3) {
        velocity[random.below(3) as usize] = 0.0;
    }
    if random.one_in(20) { Vector3::zeros() } else { velocity }
}

#[test]
fn moving_spheres_meet_when_a_search_says() {
    let random = &mut Random(21);
    let mut contacts = 0;
    for _ in 0..CASES {
        let (first, second) = (random.sphere(), random.sphere());
        let velocity = velocity(random, first.center - second.center);
        let reach = first.radius + second.radius;
        let gap = |time: f64| (second.center + velocity * time - first.center).norm() - reach;
        let contact = first.contact_interval(&second, &velocity);
        contacts += usize::from(compare(contact, gap, &(first, second, velocity)));
        assert_eq!(contact.is_some_and(|contact| contact.entry == 0.0), first.overlaps(&second));
    }
    assert!(contacts > CASES / 10 && contacts < CASES - CASES / 10, "{contacts}");
}

#[test]
fn moving_boxes_meet_when_a_search_says() {
    let random = &mut Random(22);
    let mut contacts = 0;
    for _ in 0..CASES {
        let (first, second) = (random.aabb(), random.aabb());
        let velocity = velocity(random, first.center() - second.center());
        let gap = |time: f64| {
            (0..3)
                .map(|k| velocity[k] * time)
                .zip(0..3)
                .map(|(moved, k)| {
                    (second.lower[k] + moved - first.upper[k]).max(first.lower[k] - second.upper[k] - moved)
                })
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let contact = first.contact_interval(&second, &velocity);
        contacts += usize::from(compare(contact, gap, &(first, second, velocity)));
        assert_eq!(contact.is_some_and(|contact| contact.entry == 0.0), first.overlaps(&second));
    }
    assert!(contacts > CASES / 10 && contacts < CASES - CASES / 10, "{contacts}");
}

/// Times as fractions of integers, compared by cross-multiplication.
#[test]
fn integer_boxes_meet_at_exact_fractions() {
    let random = &mut Random(23);
    for _ in 0..CASES {
        let mut aabb = || Aabb::from_points([&random.grid_point(4), &random.grid_point(4)]);
        let (first, second) = (aabb(), aabb());
        let velocity = random.grid_point::<3>(4).coords;

        // The common divisor 12 of all speeds 1 to 4 makes every time an integer.
        let (mut entry, mut exit) = (0i64, 12i64);
        for k in 0..3 {
            let [low, high] = [first.lower[k] - second.upper[k], first.upper[k] - second.lower[k]].map(|x| x as i64);
            match velocity[k] as i64 {
                0 if low > 0 || high < 0 => exit = -1,
                0 => {}
                speed => {
                    let times = [low * 12 / speed, high * 12 / speed];
                    entry = entry.max(times[0].min(times[1]));
                    exit = exit.min(times[0].max(times[1]));
                }
            }
        }
        let expected =
            (entry <= exit).then(|| ContactInterval { entry: entry as f64 / 12.0, exit: exit as f64 / 12.0 });
        assert_eq!(first.contact_interval(&second, &velocity), expected, "{first:?} {second:?} {velocity}");
    }
}

#[test]
fn half_a_unit_apart_at_speed_three_meets_after_a_sixth() {
    let cube = |x: f64| Aabb { lower: Point3::new(x, 0.0, 0.0), upper: Point3::new(x + 1.0, 1.0, 1.0) };
    let closing = Vector3::new(-3.0, 0.0, 0.0);
    let boxes = cube(0.0).time_of_contact(&cube(1.5), &closing).unwrap();
    assert_eq!(boxes, 0.5 / 3.0);
    assert_eq!(format!("{boxes:.5}"), "0.16667");

    let ball = |x: f64| Sphere { center: Point3::new(x, 0.0, 0.0), radius: 1.0 };
    let contact = ball(0.0).contact_interval(&ball(2.5), &closing).unwrap();
    assert_eq!(format!("{:.5}", contact.entry), "0.16667");
    assert_eq!(contact.exit, 1.0);
}

#[test]
fn spheres_meet_at_hand_checked_times() {
    let ball = |x: f64, y: f64, radius: f64| Sphere { center: Point3::new(x, y, 0.0), radius };
    let along_x = |speed: f64| Vector3::new(speed, 0.0, 0.0);
    // Passing at height 3 with radii 2 + 3: the centres are 5 apart, a 3-4-5 triangle, 4 before and after abreast.
    let contact = ball(0.0, 0.0, 2.0).contact_interval(&ball(-6.0, 3.0, 3.0), &along_x(16.0)).unwrap();
    assert_eq!((contact.entry, contact.exit), (2.0 / 16.0, 10.0 / 16.0));
    // Grazing at height 5 touches abreast, for one moment; a little higher never does.
    let graze = ball(0.0, 0.0, 2.0).contact_interval(&ball(-8.0, 5.0, 3.0), &along_x(16.0)).unwrap();
    assert_eq!((graze.entry, graze.exit), (0.5, 0.5));
    assert_eq!(ball(0.0, 0.0, 2.0).time_of_contact(&ball(-8.0, 5.000001, 3.0), &along_x(16.0)), None);
    // Arriving just at the end, and just not.
    assert_eq!(ball(0.0, 0.0, 1.0).time_of_contact(&ball(5.0, 0.0, 1.0), &along_x(-3.0)), Some(1.0));
    assert_eq!(ball(0.0, 0.0, 1.0).time_of_contact(&ball(5.0, 0.0, 1.0), &along_x(-2.9999999)), None);
    // Touching at the start: parting, sliding and pressing on.
    for speed in [3.0, 0.0, -3.0] {
        assert_eq!(ball(0.0, 0.0, 1.0).time_of_contact(&ball(2.0, 0.0, 1.0), &along_x(speed)), Some(0.0));
    }
    let parting = ball(0.0, 0.0, 1.0).contact_interval(&ball(2.0, 0.0, 1.0), &along_x(3.0)).unwrap();
    assert_eq!((parting.entry, parting.exit), (0.0, 0.0));
    // Two points that start as one, and a point through a ball's middle.
    let points = ball(1.0, 1.0, 0.0).contact_interval(&ball(1.0, 1.0, 0.0), &along_x(1.0)).unwrap();
    assert_eq!((points.entry, points.exit), (0.0, 0.0));
    let through = ball(0.0, 0.0, 1.0).contact_interval(&ball(-2.0, 0.0, 0.0), &along_x(4.0)).unwrap();
    assert_eq!((through.entry, through.exit), (0.25, 0.75));
}

#[test]
fn boxes_without_velocity_or_size_or_contents() {
    let aabb = |lower: [f64; 3], upper: [f64; 3]| Aabb { lower: lower.into(), upper: upper.into() };
    let cube = aabb([0.0; 3], [1.0; 3]);
    let all_along = Some(ContactInterval { entry: 0.0, exit: 1.0 });
    // At rest: touching all along, or never.
    assert_eq!(cube.contact_interval(&aabb([1.0; 3], [2.0; 3]), &Vector3::zeros()), all_along);
    assert_eq!(cube.contact_interval(&aabb([1.5; 3], [2.0; 3]), &Vector3::zeros()), None);
    // Sliding along a touching face; no speed on the axis that parts them.
    assert_eq!(cube.time_of_contact(&aabb([1.0, 3.0, 0.0], [2.0, 4.0, 1.0]), &Vector3::new(0.0, -4.0, 0.0)), Some(0.5));
    assert_eq!(cube.time_of_contact(&aabb([1.1, 3.0, 0.0], [2.0, 4.0, 1.0]), &Vector3::new(0.0, -4.0, 0.0)), None);
    // A point through a point, and past it.
    let (here, there) = (aabb([0.0; 3], [0.0; 3]), aabb([3.0; 3], [3.0; 3]));
    assert_eq!(here.time_of_contact(&there, &Vector3::repeat(-4.0)), Some(0.75));
    assert_eq!(here.time_of_contact(&there, &Vector3::new(-4.0, -4.0, -4.5)), None);
    // Overlapping at the start, leaving after a quarter.
    let leaving = cube.contact_interval(&aabb([0.5, 0.0, 0.0], [2.0, 1.0, 1.0]), &Vector3::new(2.0, 0.0, 0.0));
    assert_eq!(leaving, Some(ContactInterval { entry: 0.0, exit: 0.25 }));
    // The empty box meets nothing, however it moves.
    assert_eq!(cube.contact_interval(&Aabb::empty(), &Vector3::x()), None);
    assert_eq!(Aabb::empty().contact_interval(&cube, &Vector3::zeros()), None);
}
