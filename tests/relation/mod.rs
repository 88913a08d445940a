//! Relations of two meshes: the cases that collision tools get wrong, exact contacts of boxes, and properties.

mod cells;
mod sheets;

use bvtree::query::Relation::{self, *};
use bvtree::{Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::oracle::meshes::{self, placed};
use crate::oracle::poses::{quarter_turns, rotations};
use crate::oracle::{KINDS, Rules, touching_pairs};

/// A box from one corner to the other, outward normals.
fn cuboid(lower: [f32; 3], upper: [f32; 3]) -> Mesh {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { lower[k] } else { upper[k] }));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), triangles).unwrap()
}

fn cube(size: f32) -> Mesh {
    cuboid([-size; 3], [size; 3])
}

fn sphere(radius: f64) -> Mesh {
    let (rings, sectors) = (8u32, 12u32);
    let mut vertices = vec![Point3::new(0.0, 0.0, radius as f32), Point3::new(0.0, 0.0, -radius as f32)];
    for ring in 1..rings {
        let (sin, cos) = (f64::from(ring) / f64::from(rings) * std::f64::consts::PI).sin_cos();
        for sector in 0..sectors {
            let (y, x) = (f64::from(sector) / f64::from(sectors) * std::f64::consts::TAU).sin_cos();
            vertices.push(Point3::new(x * sin, y * sin, cos).map(|k| (k * radius) as f32));
        }
    }
    let at = |ring: u32, sector: u32| 2 + (ring - 1) * sectors + sector % sectors;
    let mut triangles = Vec::new();
    for sector in 0..sectors {
        triangles.push([0, at(1, sector), at(1, sector + 1)]);
        triangles.push([1, at(rings - 1, sector + 1), at(rings - 1, sector)]);
        for ring in 1..rings - 1 {
            let [a, b, c, d] = [at(ring, sector), at(ring + 1, sector), at(ring + 1, sector + 1), at(ring, sector + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

fn together(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

fn inside_out(mesh: &Mesh) -> Mesh {
    let flipped = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::from_arrays(mesh.vertices().to_vec(), flipped).unwrap()
}

fn without_lid(mesh: &Mesh) -> Mesh {
    Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles()[..mesh.triangles().len() - 2].to_vec()).unwrap()
}

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

/// None of these has triangles whose interiors cross.
#[test]
fn boxes_with_flush_faces() {
    let unit = cuboid([0.0; 3], [1.0; 3]);
    for (shift, expected) in [
        ([1.0, 0.0, 0.0], Touching),
        ([1.0, 0.5, 0.25], Touching),
        ([1.0, 1.0, 0.0], Touching),
        ([1.0, 1.0, 1.0], Touching),
        ([0.0, 0.0, 0.0], Touching),
        ([0.5, 0.0, 0.0], Crossing),
        ([0.5, 0.5, 0.0], Crossing),
        ([0.5, 0.5, 0.5], Crossing),
        ([1.5, 0.0, 0.0], Separate),
    ] {
        assert_relation(&unit, &unit, shift, expected);
    }
    let half = cuboid([0.0; 3], [0.5; 3]);
    assert_relation(&unit, &half, [0.0; 3], BInA);
    assert_relation(&unit, &half, [0.25, 0.25, 0.0], BInA);
    assert_relation(&unit, &half, [0.25, 0.25, 1.0], Touching);
    assert_relation(&unit, &half, [0.25, 0.25, 0.75], Crossing);
    assert_relation(&unit, &half, [0.25, 0.25, -0.5], Touching);
    let rod = cuboid([0.25, 0.25, -1.0], [0.75, 0.75, 2.0]);
    assert_relation(&unit, &rod, [0.0; 3], Crossing);
    assert_relation(&unit, &rod, [0.5, 0.0, 0.0], Crossing);
    assert_relation(&unit, &rod, [0.75, 0.0, 0.0], Touching);
    assert_relation(&unit, &cuboid([0.25, 0.0, -1.0], [0.75, 1.0, 2.0]), [0.0; 3], Crossing);
}

/// With corners at the given distances from the origin on the axes.
fn octahedron(reach: [f32; 3]) -> Mesh {
    let corner =
        |i: usize| Point3::from([0, 1, 2].map(|k| if k == i / 2 { reach[k] * [1.0, -1.0][i % 2] } else { 0.0 }));
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Mesh::from_arrays((0..6).map(corner).collect(), faces.to_vec()).unwrap()
}

#[test]
fn octahedra_at_vertices_edges_and_faces() {
    let unit = octahedron([1.0; 3]);
    // Vertex to vertex, edge to edge, face to face, and one pushed in along each.
    assert_relation(&unit, &unit, [2.0, 0.0, 0.0], Touching);
    assert_relation(&unit, &unit, [1.0, 1.0, 0.0], Touching);
    assert_relation(&unit, &unit, [1.0, 0.5, 0.5], Touching);
    assert_relation(&unit, &unit, [1.0, 0.0, 0.0], Crossing);
    assert_relation(&unit, &unit, [0.5, 0.5, 0.0], Crossing);
    assert_relation(&unit, &unit, [2.0 - 2f64.powi(-50), 0.0, 0.0], Crossing);
    assert_relation(&unit, &unit, [2.0 + 2f64.powi(-50), 0.0, 0.0], Separate);
    // A vertex on a face's middle, on an edge, inside.
    let flat = octahedron([1.0, 4.0, 4.0]);
    assert_relation(&cube(1.0), &unit, [2.0, 0.0, 0.0], Touching);
    assert_relation(&cube(1.0), &unit, [2.0, 1.0, 0.0], Touching);
    assert_relation(&cube(1.0), &unit, [0.0; 3], BInA);
    assert_relation(&cube(1.0), &flat, [2.0, 0.0, 0.0], Touching);
    assert_relation(&cube(1.0), &flat, [1.0, 0.0, 0.0], Crossing);
    // Edge across edge.
    let [ridge, roof] = [octahedron([4.0, 1.0, 1.0]), octahedron([1.0, 4.0, 1.0])];
    assert_relation(&ridge, &roof, [0.0, 0.0, 2.0], Touching);
    assert_relation(&octahedron([2.0, 2.0, 1.0]), &cube(1.0), [2.0, 2.0, 0.0], Touching);
    assert_relation(&octahedron([2.0, 2.0, 1.0]), &cube(1.0), [2.0 - 2f64.powi(-48), 2.0, 0.0], Crossing);
}

/// Parts are inside, but no interiors of triangles cross.
#[test]
fn crossing_exactly_through_edges() {
    let diamond = octahedron([1.0; 3]);
    // Its girdle lies in the box's top.
    assert_relation(&cuboid([-4.0, -4.0, -8.0], [4.0, 4.0, 0.0]), &diamond, [0.0; 3], Crossing);
    // And runs along the top's edges.
    let block = Mesh::from_arrays(
        [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 0, -1], [0, 1, -1], [-1, 0, -1], [0, -1, -1]]
            .map(|p: [i8; 3]| Point3::from(p.map(f32::from)))
            .to_vec(),
        [[0, 1, 2], [0, 2, 3], [6, 5, 4], [7, 6, 4]]
            .into_iter()
            .chain((0..4).flat_map(|i| [[i, i + 4, (i + 1) % 4], [(i + 1) % 4, i + 4, (i + 1) % 4 + 4]]))
            .collect(),
    )
    .unwrap();
    assert_relation(&block, &diamond, [0.0; 3], Crossing);
    assert_relation(&block, &diamond, [0.0, 0.0, 1.0], Touching);
    assert_relation(&block, &diamond, [1.0, 1.0, 0.0], Touching);
}

/// A square base of `2 * cells * cells` triangles in the plane z = 0, and an apex above its middle or below.
fn tent(cells: u32, height: f32) -> Mesh {
    let base = meshes::flat_square(cells);
    let (side, apex) = (cells + 1, base.vertices().len() as u32);
    let mut vertices = base.vertices().to_vec();
    vertices.push(Point3::new(cells as f32 / 2.0, cells as f32 / 2.0, height));
    let border = (0..cells).flat_map(|i| {
        let (last, far) = (side - 1, side * (side - 1));
        [[i, i + 1], [last + i * side, last + (i + 1) * side], [far + i + 1, far + i], [(i + 1) * side, i * side]]
    });
    let base = base.triangles().iter().map(|&[a, b, c]| [a, c, b]);
    let triangles = base.chain(border.map(|[from, to]| [from, to, apex])).collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// Thousands of faces on one that is covered by them.
#[test]
fn fine_faces_flush_with_a_coarse_one() {
    let cells = if cfg!(debug_assertions) { 8 } else { 50 };
    let size = cells as f32;
    let block = cuboid([-size, -size, -3.0 * size], [2.0 * size, 2.0 * size, 0.0]);
    let (up, down) = (tent(cells, size), tent(cells, -size));
    let aside = f64::from(size) * 1.5 + 0.25;
    for (tent, shift, expected) in [
        (&up, [0.0; 3], Touching),
        (&up, [aside, 0.5, 0.0], Touching),
        (&up, [0.0, 0.0, -0.5 * f64::from(size)], Crossing),
        (&down, [0.0; 3], BInA),
        (&down, [aside, 0.5, 0.0], Crossing),
        (&down, [3.0 * f64::from(size), 0.0, 0.0], Separate),
    ] {
        assert_relation(&block, tent, shift, expected);
    }
}

#[test]
fn parts_thinner_than_rounding() {
    let unit = cuboid([0.0; 3], [1.0; 3]);
    for exponent in [-40, -45, -52] {
        let thin = 2f64.powi(exponent);
        assert_relation(&unit, &unit, [1.0 - thin, 0.0, 0.0], Crossing);
        assert_relation(&unit, &unit, [1.0 + thin, 0.0, 0.0], Separate);
        // Flush, but not quite: out by a hair, and in by one.
        let slab = cuboid([0.25, 0.25, 0.0], [0.75, 0.75, 0.5]);
        assert_relation(&unit, &slab, [0.0, 0.0, -thin], Crossing);
        assert_relation(&unit, &slab, [0.0, 0.0, thin], BInA);
        assert_relation(&unit, &slab, [0.0, 0.0, 0.0], BInA);
        assert_relation(&unit, &slab, [0.0, 0.0, -0.5], Touching);
    }
}

#[test]
fn empty_meshes_are_separate() {
    assert_relation(&meshes::empty(), &cube(1.0), [0.0; 3], Separate);
    assert_relation(&meshes::empty(), &meshes::empty(), [0.0; 3], Separate);
}

/// What two boxes on a grid are, by their intervals.
fn boxes_relation(a: [[i8; 3]; 2], b: [[i8; 3]; 2]) -> Relation {
    let all = |f: &dyn Fn(usize) -> bool| (0..3).all(f);
    if a == b {
        Touching
    } else if !all(&|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k]) {
        Separate
    } else if !all(&|k| a[0][k] < b[1][k] && b[0][k] < a[1][k]) {
        Touching
    } else if all(&|k| b[0][k] <= a[0][k] && a[1][k] <= b[1][k]) {
        AInB
    } else if all(&|k| a[0][k] <= b[0][k] && b[1][k] <= a[1][k]) {
        BInA
    } else {
        Crossing
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 60 } else { 4000 }, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn boxes_on_a_grid(
        corners in prop::array::uniform4(prop::array::uniform3(0i8..4)),
        sizes in prop::array::uniform2(prop::array::uniform3(1i8..4)),
    ) {
        let bounds = [0, 1].map(|i| [corners[i], std::array::from_fn(|k| corners[i][k] + sizes[i][k])]);
        let [a, b] = bounds.map(|corners| corners.map(|corner| corner.map(f32::from)));
        assert_relation(&cuboid(a[0], a[1]), &cuboid(b[0], b[1]), [0.0; 3], boxes_relation(bounds[0], bounds[1]));
    }

    #[test]
    fn grid_meshes_answer_alike_from_both_sides(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        shift in prop::array::uniform3(-6i8..=6),
    ) {
        let b_to_a = Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap();
        let there = relation(&a, &b, &b_to_a);
        prop_assert_eq!(relation(&b, &a, &b_to_a.inverse()), swapped(there));
        let touching = touching_pairs(&a, &b, &b_to_a);
        prop_assert!(!touching.is_empty() || there != Touching);
        prop_assert!(touching.is_empty() || !matches!(there, Separate | Undefined));
    }

    #[test]
    fn tori_cross_or_not(rotation in rotations(), shift in prop::array::uniform3(-1.5..1.5)) {
        let [large, small] = [meshes::torus(8, 6), placed(&meshes::torus(6, 5), 0.15, Vector3::zeros())];
        let b_to_a = Pose::from(Isometry3::translation(shift[0], shift[1], shift[2]));
        let b_to_a = Pose::new(rotation, *b_to_a.translation()).unwrap();
        let touching = !touching_pairs(&large, &small, &b_to_a).is_empty();
        let inside = {
            let tree = Rules::FINEST.tree(&large, VolumeKind::Obb);
            let point = b_to_a.transform(&small.vertices()[0]);
            bvtree::probe::Probe::new().contains(&tree, &point) == bvtree::probe::Containment::Inside
        };
        let expected = if touching { Crossing } else if inside { BInA } else { Separate };
        prop_assert_eq!(relation(&large, &small, &b_to_a), expected);
    }
}
