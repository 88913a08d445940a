//! `--mode pairs`: how many pairs of triangles touch, and a checksum of which.

use std::ops::ControlFlow;

use bvtree::{BvTree, Pose, Query};

use super::answer::Answer;
use crate::pair_sum::PairSum;

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let mut sum = PairSum::default();
    query.for_each_pair(a, b, b_to_a, |pair| {
        sum.add(pair);
        ControlFlow::Continue(())
    });
    let PairSum { pairs, checksum } = sum;
    Answer { hit: pairs > 0, pairs: Some(pairs), pairs_checksum: Some(checksum), ..Answer::default() }
}
