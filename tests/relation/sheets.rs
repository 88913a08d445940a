//! Meshes that are not closed.

use bvtree::Mesh;
use bvtree::query::Relation::*;
use nalgebra::Point3;

use super::assert_relation;
use super::solids::{cube, cuboid, without_lid};
use crate::oracle::meshes;

fn sheet(triangles: &[[[f32; 3]; 3]]) -> Mesh {
    let triangles: Vec<_> = triangles.iter().map(|corners| corners.map(Point3::from)).collect();
    meshes::unconnected(&triangles)
}

#[test]
fn open_sheets_touch_or_pass_through_each_other() {
    let floor = sheet(&[[[-8.0, -8.0, 0.0], [8.0, -8.0, 0.0], [0.0, 8.0, 0.0]]]);
    let upper = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let lower = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let leaning = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let lying = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let beside = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    for (sheets, expected) in [
        // Ends on the floor, stands on it folded, or passes through it in its fold.
        (vec![upper], Touching),
        (vec![upper, leaning], Touching),
        (vec![upper, lower], Crossing),
        (vec![leaning, lower], Crossing),
        (vec![upper, lying], Touching),
        // Three sheets at an edge, one on each side and one in the plane.
        (vec![upper, lying, lower], Crossing),
    ] {
        assert_relation(&floor, &sheet(&sheets), [0.0; 3], expected);
    }
    // Fold along fold.
    for (a, b, expected) in [
        ([upper, lower], [lying, beside], Crossing),
        ([upper, leaning], [lying, beside], Touching),
        ([upper, lying], [leaning, beside], Crossing),
        ([upper, beside], [leaning, lying], Touching),
        ([upper, lower], [upper, lower], Touching),
        ([upper, lower], [upper, beside], Touching),
    ] {
        assert_relation(&sheet(&a), &sheet(&b), [0.0; 3], expected);
        assert_relation(&sheet(&a), &sheet(&b), [0.5, 0.0, 0.0], expected);
        // End to end they share a point.
        assert_relation(&sheet(&a), &sheet(&b), [2.0, 0.0, 0.0], Touching);
    }
}

/// Of a closed mesh the parts of an open one are inside or outside.
#[test]
fn an_open_sheet_and_a_box() {
    let room = cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 2.0]);
    let hanging = sheet(&[[[0.5, 0.0, 2.0], [-0.5, 0.0, 2.0], [0.0, 0.0, 1.0]]]);
    assert_relation(&room, &hanging, [0.0; 3], BInA);
    assert_relation(&room, &hanging, [0.0, 0.0, -0.5], BInA);
    assert_relation(&room, &hanging, [0.0, 0.0, 1.0], Touching);
    assert_relation(&room, &hanging, [0.0, 0.0, 0.5], Crossing);
    // In the plane of a wall: on it, past its edge, and off through the window that is none.
    assert_relation(&room, &hanging, [0.0, 1.0, 0.0], Touching);
    assert_relation(&room, &hanging, [0.75, 1.0, 0.5], Touching);
    // From inside through the edge of the ceiling and a wall.
    let through = sheet(&[
        [[1.0, -0.5, 2.0], [1.0, 0.5, 2.0], [0.0, 0.0, 1.0]],
        [[1.0, -0.5, 2.0], [1.0, 0.5, 2.0], [2.0, 0.0, 3.0]],
    ]);
    assert_relation(&room, &through, [0.0; 3], Crossing);
    assert_relation(&room, &sheet(&[[[1.0, -0.5, 2.0], [1.0, 0.5, 2.0], [2.0, 0.0, 3.0]]]), [0.0; 3], Touching);
    assert_relation(&without_lid(&cube(2.0)), &cube(1.0), [0.0, 0.0, -1.0], Touching);
}
