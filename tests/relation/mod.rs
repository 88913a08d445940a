//! Relations of two meshes, by trees of all kinds, from both sides and turned.

pub(crate) mod cells;
mod flush;
mod nesting;
mod random;
mod sheets;
pub mod solids;

use bvtree::query::Relation::{self, *};
use bvtree::{Mesh, Pose, Query};
use nalgebra::{Matrix3, Vector3};

use crate::oracle::meshes;
use crate::oracle::{KINDS, Rules};

fn swapped(relation: Relation) -> Relation {
    match relation {
        AInB => BInA,
        BInA => AInB,
        other => other,
    }
}

/// The relation, which does not depend on the kind of tree.
fn relation(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Relation {
    let answers = KINDS.map(|kinds| {
        let (a, b) = (Rules::FINEST.tree(a, kinds[0]), Rules::FINEST.tree(b, kinds[1]));
        Query::new().relation(&a, &b, b_to_a)
    });
    assert!(answers.iter().all(|&answer| answer == answers[0]), "{answers:?}");
    answers[0]
}

/// At a pose that is exact both ways.
fn assert_relation(a: &Mesh, b: &Mesh, shift: [f64; 3], expected: Relation) {
    let turn = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let b_to_a = Pose::new(Matrix3::identity(), Vector3::from(shift)).unwrap();
    assert_eq!(relation(a, b, &b_to_a), expected);
    assert_eq!(relation(b, a, &b_to_a.inverse()), swapped(expected));
    // Both turned.
    let [turned_a, turned_b] = [a, b].map(|mesh| meshes::moved(mesh, |v| turn * v));
    let b_to_a = Pose::new(Matrix3::identity(), turn * Vector3::from(shift)).unwrap();
    assert_eq!(relation(&turned_a, &turned_b, &b_to_a), expected);
}
