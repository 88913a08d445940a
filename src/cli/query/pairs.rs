//! `--mode pairs`: how many pairs of triangles touch, and a checksum of which.

use std::ops::ControlFlow;

use bvtree::query::{FacePair, QueryError};
use bvtree::{BvTree, Pose, Query};

use super::mode::Answer;

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Result<Answer, QueryError> {
    let (mut pairs, mut checksum) = (0_u64, 0_u64);
    query.for_each_pair(a, b, b_to_a, |FacePair { face_a, face_b }| {
        pairs += 1;
        // A sum, so that the order of the pairs doesn't matter.
        checksum = checksum.wrapping_add(splitmix64(u64::from(face_a) << 32 | u64::from(face_b)));
        ControlFlow::Continue(())
    })?;
    Ok(Answer { hit: pairs > 0, pairs: Some(pairs), pairs_checksum: Some(checksum), ..Answer::default() })
}

/// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
fn splitmix64(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
