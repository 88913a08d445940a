//! `--mode pairs`: how many pairs of triangles touch, and a checksum of which.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bvtree::{BvTree, Pose, Query};

use super::answer::{Answer, GROUPS, STABLE, joined};
use crate::pair_sum::PairSum;

pub const WITH_GROUPS: [&str; 8] = joined(STABLE, GROUPS);

pub fn ask(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let mut sum = PairSum::default();
    query.for_each_intersecting_pair(a, b, b_to_a, |pair| {
        sum.add(pair);
        ControlFlow::Continue(())
    });
    answer(&sum)
}

/// The same, and the same for each two groups that touch, by name.
pub fn ask_by_groups(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Answer {
    let mut sum = PairSum::default();
    let mut by_groups: BTreeMap<[Option<&str>; 2], PairSum> = BTreeMap::new();
    query.for_each_intersecting_pair(a, b, b_to_a, |pair| {
        let names = [(a, pair.face_a), (b, pair.face_b)]
            .map(|(tree, face)| tree.group_of(face).map(|group| group.name.as_str()));
        sum.add(pair);
        by_groups.entry(names).or_default().add(pair);
        ControlFlow::Continue(())
    });
    let owned = |name: Option<&str>| name.map(str::to_owned);
    let by_groups = by_groups.iter().map(|(names, sum)| Answer { groups: names.map(owned), ..answer(sum) });
    Answer { by_groups: by_groups.collect(), ..answer(&sum) }
}

fn answer(&PairSum { pairs, checksum }: &PairSum) -> Answer {
    Answer { hit: pairs > 0, pairs: Some(pairs), pairs_checksum: Some(checksum), ..Answer::default() }
}
