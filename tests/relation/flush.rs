//! Exact contacts: flush faces, vertices and edges, parts thinner than rounding.

use bvtree::Mesh;
use bvtree::query::Relation::*;
use nalgebra::Point3;

use super::assert_relation;
use super::solids::{cube, cuboid, octahedron, tent};

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
