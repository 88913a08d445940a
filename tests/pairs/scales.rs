//! Sizes and places at the ends of what f32 and f64 hold.

use bvtree::{Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::{check, translation};
use crate::oracle::Rules;
use crate::oracle::meshes::{self, placed};

#[test]
fn scales_of_a_mesh_and_its_place() {
    let torus = meshes::torus(6, 4);
    for scale in [1e-44, 1e-38, 1e-30, 1e-10, 1e10, 1e30, 3e37] {
        let mesh = placed(&torus, scale, Vector3::zeros());
        for shift in [0.3, 0.9, 1.4, 2.0] {
            check(&mesh, &mesh, &translation(scale * shift, 0.0, 0.0), [Rules::FINEST; 2]);
        }
    }
    for (place, rounded) in [(1e3, true), (1e6, true), (3e7, true), (1e6, false), (1e30, false)] {
        let shift = Vector3::new(place, -place, 0.5 * place);
        // Unrounded, the unit size drowns: vertices fall together.
        let mesh = placed(&torus, if rounded { 1.0 } else { place * 1e-7 }, shift);
        for b_to_a in [
            Pose::identity(),
            translation(0.5, 0.25, 0.0),
            translation(-2.0 * place, 2.0 * place, -place),
            Pose::new(
                Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)),
                2.0 * Vector3::new(shift.x, shift.y, 0.0),
            )
            .unwrap(),
        ] {
            check(&mesh, &mesh, &b_to_a, [Rules::FINEST; 2]);
        }
    }
}

#[test]
fn wildly_different_scales() {
    let torus = meshes::torus(6, 5);
    for (small, large) in [(1e-20, 1e10), (1e-30, 1e-24), (1e-44, 1e37), (1e-20, 2e18), (1.0, 1e6)] {
        let (a, b) = (placed(&torus, small, Vector3::zeros()), placed(&torus, large, Vector3::zeros()));
        // A vertex, and a point of an edge, of the large one at the small one.
        let [p, q] = [b.vertices()[0], b.vertices()[5]].map(|v| v.coords.cast::<f64>());
        for t in [-p, -(p + q) * 0.5, Vector3::zeros(), p * 3.0] {
            let b_to_a = Pose::new(Matrix3::identity(), t).unwrap();
            check(&a, &b, &b_to_a, [Rules::FINEST; 2]);
            check(&b, &a, &b_to_a.inverse(), [Rules::FINEST; 2]);
        }
    }
}

/// The smallest and the largest f32 coordinates overflow f32 when one is measured by the other.
#[test]
fn a_unit_near_the_largest_f32() {
    let torus = meshes::torus(6, 5);
    for large in [1e17, 3e17, 1e18, 3e18, 1e19] {
        let (a, b) = (placed(&torus, 1e-20, Vector3::zeros()), placed(&torus, large, Vector3::zeros()));
        for (x, y, z) in [(-1.0, -1.0, 1.0), (1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (-0.7, 0.0, 0.0), (-1.0, 0.1, 0.3)] {
            for angle in [0.0, 0.6, 1.2] {
                let axis_angle = Vector3::new(0.3, 0.5, 0.8) * angle;
                let b_to_a = Pose::from(Isometry3::new(Vector3::new(x, y, z) * large, axis_angle));
                check(&a, &b, &b_to_a, [Rules::FINEST; 2]);
            }
        }
    }
}

#[test]
fn translations_from_tiny_to_huge() {
    let torus = meshes::torus(6, 5);
    for t in [1e-300, 1e-200, 1e-40, 1e-17, 1e17, 1e38, 1e45, 1e99, 1e200, 1e300] {
        for b_to_a in [translation(t, 0.0, 0.0), translation(-t, t, t)] {
            check(&torus, &torus, &b_to_a, [Rules::FINEST; 2]);
            for volume in VolumeKind::ALL {
                let tree = Rules::FINEST.tree(&torus, volume);
                let mut query = Query::new();
                assert_eq!(query.intersects(&tree, &tree, &b_to_a), t < 1.0);
                assert!(t < 1.0 || query.stats().volume_tests == 1, "{volume} trees, {t:e}: {:?}", query.stats());
            }
        }
    }
}

/// Posed vertices are rounded, by more than what shortening a translation keeps of a distance.
#[test]
fn distances_after_cancellation() {
    let triangle = |points: [[f32; 3]; 3]| meshes::unconnected(&[points.map(Point3::from)]);
    for (place, gap) in [(1e15f32, 5e6), (1e15, 3e3), (1e20, 1e12), (1e8, 1e3)] {
        let a = triangle([[place, -1.0, -1.0], [place, 1.0, -1.0], [place, 0.0, 1.0]]);
        let b = triangle([[0.06, 0.0, 0.0], [0.12, 0.05, 0.0], [0.12, -0.05, 0.0]]);
        let pose = translation(f64::from(place) + gap, 0.0, 0.0);
        for kind in VolumeKind::ALL {
            let [a, b] = [&a, &b].map(|mesh| Rules::FINEST.tree(mesh, kind));
            let distance = Query::new().distance(&a, &b, &pose).unwrap().distance;
            assert!(Query::new().within(&a, &b, &pose, distance).is_yes(), "{kind}, {place}, {gap}: {distance}");
            assert!(!Query::new().within(&a, &b, &pose, distance.next_down()).is_yes());
        }
    }
}

/// Posed vertices are rounded: far away they collapse onto what their exact positions miss.
#[test]
fn posed_vertices_round_onto_a_flat_mesh() {
    for place in [1e3, 1e6, 1e12, 1e20, 1e30] {
        for size in [1.0, 1e-6, 1e-12, 1e-30] {
            let a = Mesh::from_arrays(
                [[place, 0.0, 0.0], [place, size, 0.0], [place, 0.0, size]]
                    .map(|p| Point3::from(p.map(|x| x as f32)))
                    .to_vec(),
                vec![[0, 1, 2]],
            )
            .unwrap();
            let b = placed(&meshes::torus(6, 5), size, Vector3::zeros());
            let x = f64::from(a.vertices()[0].x);
            check(&a, &b, &translation(x, 0.0, 0.0), [Rules::FINEST; 2]);
            let point = meshes::point_at(a.vertices()[0]);
            check(&point, &b, &translation(x, 0.0, 0.0), [Rules::FINEST; 2]);
            check(&b, &point, &translation(-x, 0.0, 0.0), [Rules::FINEST; 2]);
        }
    }
}
