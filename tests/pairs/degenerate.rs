//! Meshes that hardly split, or have nothing to split.

use bvtree::query::FacePair;
use bvtree::{Mesh, Pose, Query, SplitRule, VolumeKind};
use nalgebra::{Matrix3, Point3, Vector3};

use super::check;
use crate::oracle::meshes;
use crate::oracle::{Rules, queried_pairs};

/// At moderate sizes, so that all pairs of any two can be tested.
fn degenerate_meshes() -> Vec<Mesh> {
    let (n, step) = if cfg!(debug_assertions) { (24, 8) } else { (200, 1) };
    vec![
        meshes::empty(),
        meshes::point_at(Point3::origin()),
        meshes::point_at(Point3::new(1.0, 0.0, 0.0)),
        meshes::unconnected(&[meshes::corner_triangle()]),
        meshes::flat_square(6),
        meshes::identical(n as usize),
        meshes::concentric(n),
        meshes::collinear(n),
        meshes::exponential(step),
        meshes::spiral(n as i32),
    ]
}

#[test]
fn degenerate_meshes_meet_each_other() {
    let meshes = degenerate_meshes();
    let flip = Pose::new(Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)), Vector3::new(1.0, 0.0, 0.0)).unwrap();
    for a in &meshes {
        for b in &meshes {
            for b_to_a in [Pose::identity(), flip] {
                check(a, b, &b_to_a, [Rules::FINEST, Rules { split: SplitRule::Midpoint, ..Rules::FINEST }]);
            }
        }
    }
}

#[test]
fn one_triangle_against_thousands() {
    let thousands = meshes::flat_square(if cfg!(debug_assertions) { 20 } else { 80 });
    let one = meshes::unconnected(&[meshes::corner_triangle()]);
    for shift in [[5.0, 5.0, 0.0], [5.5, 5.25, -0.5], [5.0, 5.0, -1.0], [5.0, 5.0, 0.125], [-1.0, 3.0, 0.0]] {
        let b_to_a = Pose::new(Matrix3::identity(), Vector3::from(shift)).unwrap();
        for rules in [Rules::FINEST, Rules { max_leaf_triangles: 8, ..Rules::FINEST }] {
            check(&thousands, &one, &b_to_a, [rules; 2]);
            check(&one, &thousands, &b_to_a.inverse(), [rules; 2]);
        }
    }
}

/// None of these may recurse without limit or take time out of proportion.
#[test]
fn thousands_that_hardly_split() {
    let n = if cfg!(debug_assertions) { 3_000 } else { 200_000 };
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let work = move || {
        for mesh in [meshes::identical(n as usize), meshes::concentric(n), meshes::collinear(n)] {
            for volume in VolumeKind::ALL {
                for split in SplitRule::ALL {
                    let tree = Rules { split, ..Rules::FINEST }.tree(&mesh, volume);
                    let one = Rules::FINEST.tree(&meshes::point_at(mesh.vertices()[1]), volume);
                    let found = queried_pairs(&mut Query::new(), &tree, &one, &Pose::identity());
                    assert!(found.contains(&FacePair { face_a: 0, face_b: 0 }));
                }
            }
        }
    };
    small_stack.spawn(work).unwrap().join().unwrap();
}

#[test]
fn lopsided_meshes_stay_shallow() {
    // Clusters at powers of two with many triangles each, a majority at one point, a long tail.
    let mut triangles = vec![meshes::corner_triangle(); 3000];
    for i in 0..1500 {
        let far = Vector3::new(1.0, (i as f32).sin(), (i as f32 * 0.7).cos()) * 1.04f32.powi(i);
        triangles.push(meshes::corner_triangle().map(|p| p + far));
    }
    let mesh = meshes::unconnected(&triangles);
    for volume in VolumeKind::ALL {
        for split in SplitRule::ALL {
            // `tree` checks the depth.
            Rules { split, ..Rules::FINEST }.tree(&mesh, volume);
        }
    }
}

#[test]
fn empty_meshes_touch_nothing() {
    for volume in VolumeKind::ALL {
        let [empty, torus] = [meshes::empty(), meshes::torus(4, 4)].map(|mesh| Rules::FINEST.tree(&mesh, volume));
        for (a, b) in [(&empty, &torus), (&torus, &empty), (&empty, &empty)] {
            let mut query = Query::new();
            assert!(!query.intersects(a, b, &Pose::identity()));
            assert_eq!(query.stats().triangle_tests, 0);
        }
    }
}
