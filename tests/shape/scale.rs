//! No verdict depends on the unit of length: scaling by a power of two is exact, and so must be the answers.

use super::cases::{CASES, Random};
use bvtree::shape::{Aabb, Capsule, Distance, Obb, Overlaps, Segment, Sphere, TimeOfContact};
use bvtree::triangle::Triangle;
use nalgebra::Point3;

#[test]
fn scaling_by_a_power_of_two_changes_no_answer() {
    let random = &mut Random(51);
    for _ in 0..CASES {
        let scale = 2f64.powi(random.integer(-100, 100) as i32);
        let larger = |point: Point3<f64>| point * scale;
        let (spheres, aabbs) = ([random.sphere(), random.sphere()], [random.aabb(), random.aabb()]);
        let (obbs, segment, velocity) = ([random.obb(), random.obb()], random.segment::<3>(), random.vector(8.0));
        let triangle = Triangle { vertices: [(); 3].map(|()| random.point(4.0)) };

        let scaled_spheres = spheres.map(|s| Sphere { center: larger(s.center), radius: s.radius * scale });
        let scaled_aabbs = aabbs.map(|b| Aabb { lower: larger(b.lower), upper: larger(b.upper) });
        let scaled_obbs =
            obbs.map(|b| Obb { center: larger(b.center), half_extents: b.half_extents * scale, axes: b.axes });
        let scaled_segment = Segment { start: larger(segment.start), end: larger(segment.end) };
        let scaled_triangle = Triangle { vertices: triangle.vertices.map(larger) };

        let verdicts =
            |[s1, s2]: [Sphere; 2], [a1, a2]: [Aabb; 2], [o1, o2]: [Obb; 2], segment: Segment, t: Triangle| {
                let capsule = Capsule { segment, radius: s2.radius };
                let volumes =
                    [s1.overlaps(&s2), a1.overlaps(&a2), o1.overlaps(&o2), s1.overlaps(&o1), o1.overlaps(&a1)];
                let thin = [a1.overlaps(&segment), o1.overlaps(&segment), a1.overlaps(&t), o1.overlaps(&t)];
                (volumes, thin, [capsule.overlaps(&a1), capsule.overlaps(&o1), capsule.overlaps(&s1)])
            };
        assert_eq!(
            verdicts(spheres, aabbs, obbs, segment, triangle),
            verdicts(scaled_spheres, scaled_aabbs, scaled_obbs, scaled_segment, scaled_triangle),
            "{scale:e} {spheres:?} {aabbs:?} {obbs:?} {segment:?} {triangle:?}"
        );
        let times = |[s1, s2]: [Sphere; 2], [a1, a2]: [Aabb; 2], velocity| {
            (s1.contact_interval(&s2, &velocity), a1.contact_interval(&a2, &velocity))
        };
        assert_eq!(times(spheres, aabbs, velocity), times(scaled_spheres, scaled_aabbs, velocity * scale));
        assert_eq!(aabbs[0].distance(&segment) * scale, scaled_aabbs[0].distance(&scaled_segment));
        assert_eq!(aabbs[0].distance(&triangle) * scale, scaled_aabbs[0].distance(&scaled_triangle));
    }
}
