//! Nothing is fast enough to pass a plate.

use bvtree::probe::CastOptions;
use bvtree::shape::{Capsule, Sphere};
use bvtree::{BvTree, Mesh, Probe};
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
