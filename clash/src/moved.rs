//! The same part in two files, in different places.

use bvtree::scene::{Body, BodyRelation, Neighbors};
use bvtree::shape::Aabb;
use bvtree::{Probe, Query};
use nalgebra::Point3;

use crate::assembly::Part;

/// The tolerance for two exports of one part, as a fraction of half the diagonal of its box.
const SAME_SHAPE: f64 = 1e-3;

/// The length of the translation that makes the second of two bodies coincide with the first, if both are the same part
/// in two files. This requires equal numbers of triangles, and either the same GlobalId, or an overlap and the same
/// class (the same title if a class is unknown). `None` if they are not the same part, or one is rotated relative to
/// the other; 0 if the translation is at most `within` or the tolerance for exports, whichever is larger.
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
    let mut probe = Probe::new();
    let [box_a, box_b] = [mesh_bounds(&mut probe, a)?, mesh_bounds(&mut probe, b)?];
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

/// The axis-aligned box of a body's triangles in the world. Unlike [`Part::bounds`] it does not depend on the frame of
/// the mesh. `None` without triangles.
fn mesh_bounds(probe: &mut Probe, part: &Part) -> Option<Aabb> {
    let mut bounds = Aabb::empty();
    for row in part.pose.rotation().row_iter() {
        for direction in [row.transpose(), -row.transpose()] {
            let farthest = probe.support_point(&part.tree, &direction)?.point;
            bounds.grow(&Point3::from(part.pose.rotation() * farthest.coords + part.pose.translation()));
        }
    }
    Some(bounds)
}

fn is_same_kind(a: &Part, b: &Part) -> bool {
    match [a, b].map(|part| part.property("class")) {
        [Some(a), Some(b)] => a == b,
        _ => a.title() == b.title(),
    }
}
