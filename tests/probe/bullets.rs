//! Nothing is fast enough to pass a plate or a needle.

use bvtree::probe::CastOptions;
use bvtree::shape::{Capsule, Segment, Sphere};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};

use super::meshes::trees;

/// Bullets of 1 mm at 1,000 m/s for a second each, at a plate of no thickness, through corners, edges and faces.
#[test]
fn no_bullet_passes_a_plate() {
    let shots = if cfg!(debug_assertions) { 2_000 } else { 100_000 };
    let cells = 16_u32;
    let corner = |i: u32| Point3::new((i % (cells + 1)) as f32, 0.5, (i / (cells + 1)) as f32) * 0.25;
    let row = cells + 1;
    let squares = (0..cells * cells).map(|i| i / cells * row + i % cells);
    let triangles = squares.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect();
    let plate = Mesh::from_arrays((0..row * row).map(corner).collect(), triangles).unwrap();
    let trees: Vec<BvTree> = trees(&plate);
    let mut probe = Probe::new();
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let plate_y = f64::from(plate.vertices()[0].y);
    for shot in 0..shots {
        // Every other one at a corner or an edge of a square.
        let mut at = [random() * 4.0, random() * 4.0];
        for x in &mut at {
            if random() < 0.25 {
                *x = (*x * 4.0).round() / 4.0;
            }
        }
        let at = Point3::new(at[0], plate_y, at[1]);
        let side = if shot % 2 == 0 { 1.0 } else { -1.0 };
        let way = Vector3::new(random() * 2.0 - 1.0, -side * (0.001 + random()), random() * 2.0 - 1.0).normalize();
        let before = 0.01 + 900.0 * random();
        let bullet = Sphere { center: at - way * before, radius: 0.001 };
        let tree = &trees[shot % trees.len()];
        let hit = probe.cast_capsule(tree, &Capsule::from(bullet), &(way * 1000.0), &CastOptions::default());
        let hit = hit.unwrap_or_else(|| panic!("shot {shot} passed: {bullet:?} along {way}"));
        // The ball is met before its middle gets there.
        let travel = 1000.0 * hit.time;
        assert!(travel <= before && travel >= before - (0.001 + 1e-9) / way.y.abs(), "{travel} of {before}");
        assert!(hit.contact.normal.y * side > 0.0);
        assert!((bullet.center + way * travel - hit.contact.point).norm() < 0.001 + 1e-9);
    }
}

/// Balls and capsules through an edge or the face of needles, whose angle at one corner is so nearly straight that the
/// computed normal is partly, or wholly, rounding.
#[test]
fn no_bullet_passes_a_needle() {
    let shots = if cfg!(debug_assertions) { 12_000 } else { 48_000 };
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut probe = Probe::new();
    for shot in 0..shots {
        let width = 10_f64.powf(-17.0 + 12.0 * random());
        let [a, b] = [width, 1.0].map(|size| Point3::from([(); 3].map(|()| (size * random()) as f32)));
        let mesh = Mesh::from_arrays(vec![a, b, b * 2.0], vec![[0, 1, 2]]).unwrap();
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let [a, b] = [a, b].map(|corner| corner.cast::<f64>());
        let at = a + (b * 1.5 - a) * if shot % 2 == 0 { 1.0 } else { random() };
        let mut vector = || Vector3::from([(); 3].map(|()| 2.0 * random() - 1.0));
        let (way, axis) = (vector() * 4.0, vector() * [0.0, 1e-6, 1e-3, 1.0][shot / 2 % 4]);
        let least = if axis == Vector3::zeros() { 0.0 } else { 1e-7 };
        let radius = [least, 1e-5, 1e-2, 0.1][shot / 8 % 4];
        let start = at - way * 0.5 - axis * random();
        let capsule = Capsule { segment: Segment { start, end: start + axis }, radius };
        let hit = probe.cast_capsule(&tree, &capsule, &way, &CastOptions::default());
        let hit = hit.unwrap_or_else(|| panic!("shot {shot} passed: {capsule:?} along {way} at {:?}", mesh.vertices()));
        assert!(hit.time <= (0.5 - radius / way.norm()).max(0.0) + 1e-12, "shot {shot}: {}", hit.time);
        let segment = capsule.segment;
        let [start, end] = [segment.start, segment.end].map(|end| end + way * hit.time);
        let gap = Triangle::new(start, end, end).distance_sq(&mesh.triangle(0)).sqrt() - radius;
        assert!(gap <= 1e-12 && (gap >= -1e-12 || hit.time == 0.0), "shot {shot}: {gap:e}");
    }
}
