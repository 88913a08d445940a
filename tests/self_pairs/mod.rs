//! Self-intersections against an exact O(n^2) oracle.

mod clipping;
mod dataset;
mod neighbours;

use std::ops::ControlFlow;

use bvtree::query::FacePair;
use bvtree::{Mesh, Query, VolumeKind};
use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::{Rules, levels, meshes};
use clipping::meet_beyond_shared;

fn expected_pairs(mesh: &Mesh) -> Vec<FacePair> {
    let triangles = mesh.triangles().len() as u32;
    let pairs =
        (0..triangles).flat_map(|face_a| (face_a + 1..triangles).map(move |face_b| FacePair { face_a, face_b }));
    pairs.filter(|pair| meet_beyond_shared(&mesh.triangle(pair.face_a), &mesh.triangle(pair.face_b))).collect()
}

/// Asserts that trees of all kinds find just what the oracle finds, and returns it.
fn check(mesh: &Mesh) -> Vec<FacePair> {
    let expected = expected_pairs(mesh);
    for volume in VolumeKind::ALL {
        for max_leaf_triangles in [1, 3, 100] {
            let tree = Rules { max_leaf_triangles, ..Rules::FINEST }.tree(mesh, volume);
            for level in levels() {
                let mut query = Query::with_simd(level);
                let found = query.self_pairs(&tree);
                assert_eq!(found, expected, "{volume} tree, {max_leaf_triangles} triangles in a leaf, {level}");
                let n = mesh.triangles().len() as u64;
                assert!(query.stats().triangle_tests <= n * n.saturating_sub(1) / 2, "no pair is tested twice");
            }
        }
    }
    expected
}

/// Triangles between a few points, which therefore share corners and edges in general position.
fn few_points() -> impl Strategy<Value = Mesh> {
    let point = prop::array::uniform3(-1.0f32..1.0).prop_map(Point3::from);
    prop::collection::vec(point, 3..14).prop_flat_map(|points| {
        let corner = 0..points.len() as u32;
        let triangles = prop::collection::vec(prop::array::uniform3(corner), 0..30);
        triangles.prop_map(move |triangles| Mesh::from_arrays(points.clone(), triangles).unwrap())
    })
}

/// A flat square of triangles, folded along lines onto itself, and perhaps bumpy: neighbours are coplanar, on the same
/// side of their edges where there is a fold, or neither.
fn folded_sheet() -> impl Strategy<Value = Mesh> {
    let heights = prop_oneof![Just(vec![0i8; 25]), prop::collection::vec(0i8..2, 25)];
    (heights, 1i8..6, 1i8..6, any::<bool>()).prop_map(|(heights, fold_x, fold_y, upright)| {
        let fold = |x: f32, at: i8| if x > f32::from(at) { 2.0 * f32::from(at) - x } else { x };
        let flat = meshes::flat_square(4);
        let vertices = flat.vertices().iter().zip(heights).map(|(v, height)| {
            let folded = Point3::new(fold(v.x, fold_x), fold(v.y, fold_y), f32::from(height));
            if upright { folded.zyx() } else { folded }
        });
        Mesh::from_arrays(vertices.collect(), flat.triangles().to_vec()).unwrap()
    })
}

/// The mesh with each corner a vertex of its own, zeros of either sign.
fn torn(mesh: &Mesh) -> Mesh {
    let corners = mesh.triangles().iter().flatten().map(|&v| mesh.vertices()[v as usize]);
    let vertices = corners.enumerate().map(|(i, v)| v.map(|x| if x == 0.0 && i % 2 == 0 { -0.0 } else { x })).collect();
    let triangles = (0..mesh.triangles().len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

proptest! {
    #![proptest_config(cases(20, 400))]

    #[test]
    fn any_meshes(mesh in meshes::any_mesh()) {
        check(&mesh);
    }

    #[test]
    fn meshes_on_a_grid(mesh in meshes::grid()) {
        check(&mesh);
    }

    #[test]
    fn triangles_between_few_points(mesh in few_points()) {
        let expected = check(&mesh);
        prop_assert_eq!(check(&torn(&mesh)), expected);
    }

    #[test]
    fn folded_sheets(mesh in folded_sheet()) {
        let expected = check(&mesh);
        prop_assert_eq!(check(&torn(&mesh)), expected);
    }
}

#[test]
fn meshes_that_touch_themselves_only_where_they_are_joined() {
    for mesh in [meshes::empty(), meshes::flat_square(6), meshes::torus(7, 5), fan(9, 1.0), fan(9, 0.0)] {
        assert_eq!(check(&mesh), []);
    }
}

#[test]
fn copies_of_a_triangle_all_intersect() {
    assert_eq!(check(&meshes::identical(12)).len(), 12 * 11 / 2);
    let point = meshes::unconnected(&[[Point3::origin(); 3]; 3]);
    assert_eq!(check(&point).len(), 3);
    let [a, b] = [Point3::origin(), Point3::new(1.0, 2.0, 3.0)];
    assert_eq!(check(&meshes::unconnected(&[[a, b, b], [b, a, a]])).len(), 1);
}

#[test]
fn zero_area_triangles_are_segments() {
    // Each shares two points with the next, and reaches no farther.
    assert_eq!(check(&meshes::collinear(8)), []);
    let at = |x: f32| Point3::new(x, x, -x);
    let row = |corners: [[f32; 3]; 2]| meshes::unconnected(&corners.map(|corners| corners.map(at)));
    // A shared end, and the corner between the ends of one of them.
    assert_eq!(check(&row([[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]])), []);
    assert_eq!(check(&row([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]])), []);
    assert_eq!(check(&row([[0.0, 1.0, 2.0], [1.0, 3.0, 4.0]])).len(), 1);
    // Two shared corners, and the third ones beyond different ends, or the same.
    assert_eq!(check(&row([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0]])), []);
    assert_eq!(check(&row([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0]])).len(), 1);
}

#[test]
fn a_fan_wound_twice_meets_itself() {
    let turns = |n: usize| (0..n).map(|i| (i % 7, (i + 1) % 7));
    let rim = |i: usize| Point3::new((i as f32).sin(), (i as f32).cos(), 0.0);
    let twice: Vec<_> = turns(14).map(|(i, j)| [Point3::origin(), rim(i), rim(j)]).collect();
    assert!(check(&meshes::unconnected(&twice)).len() >= 7);
}

#[test]
fn sheets_that_cross() {
    let flat = meshes::flat_square(4);
    let turn = Isometry3::new(Vector3::new(2.0, 0.3, -2.0), Vector3::new(0.0, -1.5, 0.0));
    let upright = meshes::moved(&flat, |v| (turn * Point3::from(v)).coords);
    let offset = flat.vertices().len() as u32;
    let vertices = [flat.vertices(), upright.vertices()].concat();
    let triangles = flat.triangles().iter().copied().chain(upright.triangles().iter().map(|t| t.map(|v| v + offset)));
    let both = Mesh::from_arrays(vertices, triangles.collect()).unwrap();
    let pairs = check(&both);
    assert!(!pairs.is_empty());
    assert!(pairs.iter().all(|pair| pair.face_a < 32 && pair.face_b >= 32));
}

/// Triangles around a point, flat or a cone.
fn fan(n: u32, height: f32) -> Mesh {
    let rim = (0..n).map(|i| {
        let (sin, cos) = (i as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
        Point3::new(cos, sin, height)
    });
    let vertices = std::iter::once(Point3::origin()).chain(rim).collect();
    Mesh::from_arrays(vertices, (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect()).unwrap()
}

#[test]
fn a_visitor_stops_the_query() {
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&meshes::identical(20), volume);
        let mut seen = 0;
        Query::new().for_each_self_pair(&tree, |pair| {
            assert!(pair.face_a < pair.face_b);
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, 3);
    }
}

/// Not both a pair and its mirror image.
#[test]
fn half_of_the_pairs_of_volumes_are_tested() {
    let torus = meshes::torus(40, 30);
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        let mut query = Query::new();
        query.intersecting_pairs(&tree, &tree, &bvtree::Pose::identity());
        let all = query.stats();
        assert_eq!(query.self_pairs(&tree), []);
        let once = query.stats();
        assert!(once.volume_tests * 100 < all.volume_tests * 65, "{volume}: {once:?} of {all:?}");
        assert!(once.triangle_tests * 2 < all.triangle_tests, "{volume}: {once:?} of {all:?}");
    }
}
