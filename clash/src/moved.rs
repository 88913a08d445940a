//! The same part in two files, in different places.

use bvtree::Query;
use bvtree::scene::{Body, BodyRelation, Neighbors};

use crate::assembly::Part;

/// A copy may differ from its original by this fraction of its size, as exports of one part do.
const SAME_SHAPE: f64 = 1e-3;

/// How far the second of two bodies is from where it would coincide with the first, if both are the same part in two
/// files: they have one GlobalId, or they overlap and have the same class (where it is not known, the same name).
/// `None` if they are not the same part, or one is turned; 0 if they coincide but for what exports of one part differ
/// by.
pub fn shift_between(
    query: &mut Query,
    near: &Neighbors<'_>,
    parts: [&Part; 2],
    overlap: bool,
    within: f64,
) -> Option<f64> {
    let [a, b] = parts;
    let is_same_id = a.global_id().is_some() && a.global_id() == b.global_id();
    let may_be_same = a.property("file") != b.property("file")
        && a.tree.triangle_count() == b.tree.triangle_count()
        && (is_same_id || overlap && is_same_kind(a, b));
    if !may_be_same {
        return None;
    }
    let [box_a, box_b] = parts.map(Part::bounds);
    let within = within.max(SAME_SHAPE * box_a.half_extents().norm());
    if (box_a.half_extents() - box_b.half_extents()).amax() > within {
        return None;
    }
    let shift = box_b.center() - box_a.center();
    let back = bvtree::Pose::new(*b.pose.rotation(), b.pose.translation() - shift).ok()?;
    let moved = Body::fixed(b.tree.clone(), back);
    let there = Neighbors { ids: near.ids, bodies: [near.bodies[0], &moved] };
    let is_copy = there.relation(query, within) == BodyRelation::Coincident;
    is_copy.then(|| if shift.norm() > within { shift.norm() } else { 0.0 })
}

fn is_same_kind(a: &Part, b: &Part) -> bool {
    match [a, b].map(|part| part.property("class")) {
        [Some(a), Some(b)] => a == b,
        _ => a.title() == b.title(),
    }
}
