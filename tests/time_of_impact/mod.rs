//! Time of impact: what must hold of any answer, and dense sampling of the motion.

mod known;
mod order;
mod random;

use bvtree::query::{MotionContact, TimeOfImpact};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use crate::oracle::{KINDS, levels};

const TOLERANCE: f64 = 1e-6;

fn tree(mesh: &Mesh, volume: VolumeKind) -> BvTree {
    BvTree::build(mesh, &BuildOptions { max_leaf_triangles: 2, ..BuildOptions::obbtree_rules(volume) }).unwrap()
}

fn posed(x: f64, y: f64, z: f64, turn: Vector3<f64>) -> Pose {
    Pose::from(Isometry3::new(Vector3::new(x, y, z), turn))
}

/// By trees of all kinds on all levels: the same answer but for the order in which equal ones come, and true of the
/// motion.
fn impact(a: &Mesh, b: &Mesh, motion: &Motion, tolerance: f64) -> TimeOfImpact {
    let mut answers = Vec::new();
    for kinds in KINDS {
        let (tree_a, tree_b) = (tree(a, kinds[0]), tree(b, kinds[1]));
        for level in levels() {
            let mut query = Query::with_simd(level);
            let answer = query.time_of_impact(&tree_a, &tree_b, motion, tolerance).unwrap();
            check(&tree_a, &tree_b, [a, b], motion, tolerance, &answer);
            answers.push(answer);
        }
    }
    let times: Vec<_> = answers.iter().map(time).collect();
    for other in &times {
        assert_eq!(other.is_some(), times[0].is_some(), "{answers:?}");
    }
    answers[0]
}

fn time(impact: &TimeOfImpact) -> Option<f64> {
    match impact {
        TimeOfImpact::NoImpact => None,
        TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact) => Some(contact.time),
    }
}

/// That an answer is consistent with the poses of its motion, except for what sampling has to show.
fn check(a: &BvTree, b: &BvTree, meshes: [&Mesh; 2], motion: &Motion, tolerance: f64, answer: &TimeOfImpact) {
    let mut query = Query::new();
    let touching = query.intersects(a, b, motion.start());
    assert_eq!(matches!(answer, TimeOfImpact::Touching(_)), touching);
    let (TimeOfImpact::Touching(contact) | TimeOfImpact::Impact(contact)) = answer else { return };
    let MotionContact { time, distance, on_a, on_b, normal, faces } = *contact;
    assert!((0.0..=1.0).contains(&time), "{contact:?}");
    // No tolerance is what rounding leaves.
    assert!(distance <= tolerance.max(1e-12), "{contact:?}");
    let pose = motion.at(time);
    let triangle_a = meshes[0].triangle(faces.face_a);
    let corners = meshes[1].triangles()[faces.face_b as usize];
    let triangle_b = Triangle { vertices: corners.map(|v| pose.transform(&meshes[1].vertices()[v as usize])) };
    assert_eq!(triangle_a.closest_points(&triangle_b).distance_sq.sqrt(), distance);
    assert!(((on_b - on_a).norm() - distance).abs() < 1e-12);
    assert!(normal == Vector3::zeros() || (normal.norm() - 1.0).abs() < 1e-12, "{contact:?}");
    if distance > 1e-9 {
        assert!(((on_b - on_a) / distance - normal).norm() < 1e-6, "{contact:?}");
    }
}

/// Whether a sample of the motion before the answer's time, or any if it has none, has contact.
fn sample(a: &BvTree, b: &BvTree, motion: &Motion, answer: &TimeOfImpact, samples: u32) {
    let end = time(answer).unwrap_or(1.0);
    let mut query = Query::new();
    for i in 0..=samples {
        let at = f64::from(i) / f64::from(samples);
        // Denser toward the end.
        let at = end * (1.0 - (1.0 - at) * (1.0 - at));
        let before = match answer {
            TimeOfImpact::NoImpact => true,
            _ => at < end,
        };
        if before {
            assert!(!query.intersects(a, b, &motion.at(at)), "contact at {at}: {answer:?} {motion:?}");
        }
    }
}

fn check_sampled(a: &Mesh, b: &Mesh, motion: &Motion, tolerance: f64, samples: u32) -> TimeOfImpact {
    let answer = impact(a, b, motion, tolerance);
    sample(&tree(a, VolumeKind::Obb), &tree(b, VolumeKind::Obb), motion, &answer, samples);
    answer
}
