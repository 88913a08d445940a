//! Whether two bodies are the same thing twice.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::body::to_world;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::shape::Sphere;
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// Whether each triangle of either mesh is wholly within the tolerance of a triangle of the other one; meshes without
/// triangles are not.
pub(super) fn coincide(probe: &mut Probe, a: &BvTree, b: &BvTree, b_to_a: &Pose, tolerance: f64) -> bool {
    if a.triangle_count() == 0 || b.triangle_count() == 0 || tolerance.is_nan() {
        return false;
    }
    let back = b_to_a.inverse_rotation();
    let to_a = |point: &Point3<f64>| to_world(b_to_a, point);
    let to_b = |point: &Point3<f64>| b_to_a.inverse_transform(&back, point);
    // Most pairs differ in their first triangle.
    covers(probe, a, b, to_a, tolerance) && covers(probe, b, a, to_b, tolerance)
}

/// Whether each triangle of `other`, moved into the frame of `tree`, has one there that it is wholly within the
/// tolerance of.
fn covers(
    probe: &mut Probe,
    tree: &BvTree,
    other: &BvTree,
    moved: impl Fn(&Point3<f64>) -> Point3<f64>,
    tolerance: f64,
) -> bool {
    let (view, others) = (tree.view(), other.view());
    // Where the tree's triangles are, by face; needed once a first one is near.
    let mut places = Vec::new();
    (0..others.corners.len()).all(|place| {
        let corners = others.triangle(place).map(|corner| moved(&corner.cast()));
        // Distance to a triangle is a convex function: corners decide.
        let is_near = |triangle: &Triangle| {
            corners.iter().all(|corner| (triangle.closest_point(corner) - corner).norm() <= tolerance)
        };
        let mut found = false;
        // A little more, for what rounding does to the search.
        let around = Sphere { center: corners[0], radius: tolerance * (1.0 + 1e-9) };
        probe.for_each_in_sphere(tree, &around, |near| {
            if places.is_empty() {
                places = places_by_face(view.faces);
            }
            let vertices = view.triangle(places[near as usize]).map(|corner| corner.cast());
            found = is_near(&Triangle { vertices });
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    })
}

fn places_by_face(faces: &[u32]) -> Vec<usize> {
    let mut places = vec![0; faces.len()];
    for (place, &face) in faces.iter().enumerate() {
        places[face as usize] = place;
    }
    places
}
