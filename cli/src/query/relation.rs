//! `--mode relation`: separate, touching, crossing, or one inside the other.

use bvtree::query::Relation;
use bvtree::{BvTree, Pose, Query};
use serde_json::Value;

use super::answer::{Answer, stable_and};

pub const COLUMNS: [&str; 7] = stable_and(["relation"]);

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let relation = query.relation(a, b, b_to_a);
    // The others leave open whether surfaces touch.
    let hit = match relation {
        Relation::Separate | Relation::Undefined => false,
        Relation::Touching => true,
        Relation::Crossing | Relation::AInB | Relation::BInA => query.intersects(a, b, b_to_a),
    };
    Answer { hit, relation: Some(relation), ..Answer::default() }
}

pub fn values(answer: &Answer) -> Vec<Value> {
    vec![answer.relation.map(Relation::name).into()]
}
