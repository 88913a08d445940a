//! One in the other, in part, or in an open box: the cases that collision tools get wrong.

use bvtree::Mesh;
use bvtree::query::Relation::*;
use nalgebra::{Point3, Vector3};

use super::assert_relation;
use super::solids::{cube, cuboid, inside_out, sphere, tied_cubes, together, with_segment, without_lid};
use crate::oracle::meshes::{self, placed};

#[test]
fn spheres_in_spheres() {
    assert_relation(&sphere(1.0), &sphere(0.5), [0.0; 3], BInA);
    assert_relation(&sphere(1.0), &sphere(0.5), [0.25, 0.125, 0.0], BInA);
    assert_relation(&sphere(1.0), &sphere(0.5), [0.75, 0.0, 0.0], Crossing);
    assert_relation(&sphere(1.0), &sphere(0.5), [4.0, 0.0, 0.0], Separate);
    assert_relation(&sphere(1.0), &sphere(1.0), [0.0; 3], Touching);
    assert_relation(&sphere(1.0), &sphere(1.0), [0.0, 0.0, 2.0], Touching);
}

#[test]
fn a_part_in_a_box_with_its_lid_off() {
    let open = without_lid(&cube(2.0));
    assert_relation(&open, &sphere(0.5), [0.0; 3], Undefined);
    assert_relation(&open, &sphere(0.5), [0.0, 0.0, 2.0], Undefined);
    assert_relation(&open, &sphere(0.5), [5.0, 0.0, 0.0], Separate);
    assert_relation(&open, &sphere(0.5), [2.25, 0.0, 0.0], Crossing);
    assert_relation(&open, &cube(0.5), [2.5, 0.0, 0.0], Touching);
    assert_relation(&open, &cube(3.0), [0.0; 3], AInB);
}

#[test]
fn nested_shells() {
    let hollow = together(&[cube(4.0), inside_out(&cube(2.0))]);
    assert_relation(&hollow, &cube(1.0), [0.0; 3], Separate);
    assert_relation(&hollow, &cube(0.5), [3.0, 0.0, 0.0], BInA);
    assert_relation(&hollow, &cube(3.0), [0.0; 3], Crossing);
    assert_relation(&hollow, &cube(2.0), [0.0; 3], Touching);
    assert_relation(&hollow, &cube(5.0), [0.0; 3], AInB);
    assert_relation(&hollow, &hollow, [0.0; 3], Touching);
}

#[test]
fn components_partly_inside() {
    let two =
        together(&[placed(&cube(0.5), 1.0, Vector3::zeros()), placed(&cube(0.5), 1.0, Vector3::new(9.0, 0.0, 0.0))]);
    assert_relation(&cube(2.0), &two, [0.0; 3], Crossing);
    assert_relation(&cube(2.0), &two, [-4.5, 0.0, 0.0], Separate);
    assert_relation(&cube(20.0), &two, [0.0; 3], BInA);
}

/// Triangles without area have no parts of their own, and connect parts that are on different sides.
#[test]
fn segments_between_parts() {
    let room = cube(1.0);
    let corner = [0.5; 3];
    let whisker = with_segment(&cube(0.5), [corner, [2.0, 0.5, 0.5]]);
    assert_relation(&whisker, &room, [0.0; 3], AInB);
    assert_relation(&whisker, &room, [2.0, 0.0, 0.0], Touching);
    assert_relation(&whisker, &cube(4.0), [0.0; 3], AInB);
    let longer = with_segment(&whisker, [[2.0, 0.5, 0.5], [3.0, 0.5, 0.5]]);
    assert_relation(&longer, &room, [0.0; 3], AInB);
    // Three different points on a line.
    let line = Mesh::from_arrays(
        vec![corner.into(), Point3::new(1.5, 0.5, 0.5), Point3::new(2.0, 0.5, 0.5)],
        vec![[0, 1, 2], [0, 2, 1]],
    );
    assert_relation(&together(&[cube(0.5), line.unwrap()]), &room, [0.0; 3], AInB);
    assert_relation(&tied_cubes(), &room, [0.0; 3], Crossing);
    assert_relation(&tied_cubes(), &cube(8.0), [0.0; 3], AInB);
    assert_relation(&tied_cubes(), &room, [2.0, 0.0, 0.0], Touching);
    // One part on the wall from inside, the other outside.
    assert_relation(&tied_cubes(), &room, [-0.5, 0.0, 0.0], Crossing);
}

/// Three points on a line whose rounded normal is not zero are no plane between the meshes.
#[test]
fn a_needle_is_no_plane() {
    let t = 3.0 * 2f32.powi(-54);
    let points = [[1.0, 3.0, 0.0], [t, 3.0 * t, 0.0], [2.0, 6.0, 0.0]].map(Point3::from);
    let needle = Mesh::from_arrays(points.to_vec(), vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    let block = together(&[cuboid([-3.0; 3], [-2.0; 3]), needle]);
    assert_relation(&block, &cuboid([-4.0, -9.0, -4.0], [4.0, 6.0, 4.0]), [0.0; 3], AInB);
}

#[test]
fn empty_meshes_are_separate() {
    assert_relation(&meshes::empty(), &cube(1.0), [0.0; 3], Separate);
    assert_relation(&meshes::empty(), &meshes::empty(), [0.0; 3], Separate);
}
