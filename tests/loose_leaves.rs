//! Leaves much larger than the other mesh: their triangles are tested in their place.

use bvtree::triangle::Triangle;
use bvtree::{Mesh, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::poses::{near_rotations, quarter_turns, rotations};
use crate::oracle::{KINDS, Rules, assert_queries_find, intersecting_pairs, levels, meshes};

/// A few large triangles on an integer grid, some of them needles, points or repeated.
fn large_triangles() -> impl Strategy<Value = Mesh> {
    let coordinate = prop_oneof![3 => -8i8..=8, 1 => Just(0)];
    let point = prop::array::uniform3(coordinate).prop_map(|p| Point3::from(p.map(f32::from)));
    prop::collection::vec(prop::array::uniform3(point), 1..8).prop_map(|triangles| meshes::unconnected(&triangles))
}

/// A small mesh, and where it lies: by a point of one of the large triangles and an offset in parts of its size.
#[derive(Clone, Debug)]
struct Prop {
    mesh: Mesh,
    size: f64,
    triangle: prop::sample::Index,
    weights: [u8; 2],
    offset: [i8; 3],
}

fn props() -> impl Strategy<Value = Prop> {
    let mesh = prop_oneof![Just(meshes::torus(10, 8)), meshes::grid()];
    let size = prop::sample::select(&[1.0, 0.125, 0.0078125, 2.44140625e-4, 9.5367431640625e-7]);
    let weights = prop_oneof![prop::array::uniform2(0u8..=8), Just([0, 0]), Just([8, 0])];
    (mesh, size, any::<prop::sample::Index>(), weights, prop::array::uniform3(-12i8..=12)).prop_map(
        |(mesh, size, triangle, weights, offset)| Prop {
            mesh: meshes::placed(&mesh, size, Vector3::zeros()),
            size,
            triangle,
            weights,
            offset,
        },
    )
}

impl Prop {
    fn pose(&self, large: &Mesh, turn: Matrix3<f64>) -> Pose {
        let face = self.triangle.index(large.triangles().len()) as u32;
        let [a, b, c] = large.triangle(face).vertices.map(|v| v.coords);
        let [s, t] = self.weights.map(|weight| f64::from(weight) / 8.0);
        let on_triangle = a + (b - a) * s + (c - b) * (s * t);
        Pose::new(turn, on_triangle + Vector3::from(self.offset.map(f64::from)) * (0.25 * self.size)).unwrap()
    }
}

const RULES: [Rules; 3] =
    [Rules { max_leaf_triangles: 2, ..Rules::FINEST }, Rules { max_leaf_triangles: 8, ..Rules::FINEST }, Rules::FINEST];

fn check(large: &Mesh, prop: &Mesh, pose: &Pose) {
    for rules in RULES {
        assert_queries_find(&intersecting_pairs(large, prop, pose), large, prop, pose, [rules; 2]);
    }
    check_distances(large, prop, pose);
}

/// Distances are those of the nearest pair, and positive ones the same to the bit from all trees.
fn check_distances(a: &Mesh, b: &Mesh, pose: &Pose) {
    let (mut least_sq, mut found) = (f64::INFINITY, None);
    for face_b in 0..b.triangles().len() as u32 {
        let posed =
            Triangle { vertices: b.triangles()[face_b as usize].map(|v| pose.transform(&b.vertices()[v as usize])) };
        for face_a in 0..a.triangles().len() as u32 {
            least_sq = a.triangle(face_a).distance_sq(&posed).min(least_sq);
        }
    }
    for rules in RULES {
        for kinds in KINDS {
            let trees = [rules.tree(a, kinds[0]), rules.tree(b, kinds[1])];
            for level in levels() {
                let answer = Query::with_simd(level).distance(&trees[0], &trees[1], pose);
                let distance = answer.map_or(f64::INFINITY, |closest| closest.distance);
                let least = least_sq.sqrt();
                assert!(
                    (distance - least).abs() <= 1e-13 * (20.0 + least) || distance == least,
                    "{distance:e}, {least:e}"
                );
                // Any pair may be found of those that touch.
                if distance > 0.0 {
                    assert_eq!(*found.get_or_insert(answer), answer, "{kinds:?} trees, {level}, {rules:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(12, 300))]

    #[test]
    fn exact_contacts((large, prop, turn) in (large_triangles(), props(), quarter_turns())) {
        let pose = prop.pose(&large, turn);
        check(&large, &prop.mesh, &pose);
        check(&prop.mesh, &large, &pose.inverse());
    }

    #[test]
    fn any_rotation((large, prop, turn) in (large_triangles(), props(), prop_oneof![rotations(), near_rotations()])) {
        let pose = prop.pose(&large, turn);
        check(&large, &prop.mesh, &pose);
        check(&prop.mesh, &large, &pose.inverse());
    }
}

/// A needle much longer than the prop is thinner than the plane through its base can tell, but not thinner than the
/// prop.
#[test]
fn a_needle_reaches_its_third_corner() {
    for (half_length, height) in [(1e5f32, 1e-3f32), (2e6, 3.9e-4), (1e7, 1.9e-3), (1e9, 0.1), (1e9, 0.5)] {
        for axis in 0..3 {
            let turned = |p: Vector3<f32>| Point3::from(Vector3::from_fn(|i, _| p[(i + axis) % 3]));
            let corners = [[-half_length, 0.0, 0.0], [half_length, 0.0, 0.0], [0.0, 0.0, height]];
            let needle = meshes::unconnected(&[corners.map(|p| turned(Vector3::from(p)))]);
            // A plate across the needle between its base and its corner.
            let plate = meshes::moved(&meshes::flat_square(8), |p| {
                let [x, y] = [p.x, p.y].map(|x| x / 8.0);
                turned(Vector3::new(x as f32 - 0.5, y as f32 - 0.47, 0.5 * height)).coords.cast()
            });
            check(&needle, &plate, &Pose::identity());
            check(&plate, &needle, &Pose::identity());
            let pairs = intersecting_pairs(&needle, &plate, &Pose::identity());
            assert!(!pairs.is_empty(), "the plate is across the needle");
        }
    }
}

/// Two triangles fill a thick box; a prop inside of it touches neither.
#[test]
fn a_prop_in_a_thick_leaf_costs_little() {
    let points =
        [[-9.0, -9.0, -9.0], [9.0, -9.0, 9.0], [0.0, -9.0, -9.0], [-9.0, 9.0, -9.0], [9.0, 9.0, 9.0], [9.0, 9.0, 0.0]];
    let [a, b, c, d, e, f] = points.map(|p: [f32; 3]| Point3::from(p));
    let large = meshes::unconnected(&[[a, b, c], [d, e, f]]);
    for size in [1.0, 1e-3, 1e-6] {
        let prop = meshes::placed(&meshes::torus(40, 20), size, Vector3::zeros());
        for kind in VolumeKind::ALL {
            for max_leaf_triangles in [1, 2] {
                let rules = Rules { max_leaf_triangles, ..Rules::FINEST };
                let trees = [rules.tree(&large, kind), rules.tree(&prop, kind)];
                let turn = Rotation3::from_euler_angles(0.3, 0.5, 0.7).into_inner();
                let mut query = Query::new();
                assert!(!query.intersects(
                    &trees[0],
                    &trees[1],
                    &Pose::new(turn, Vector3::new(0.5, 0.0, 1.0)).unwrap()
                ));
                let stats = query.stats();
                assert!(stats.volume_tests < 80 && stats.triangle_tests == 0, "{kind}, {size}: {stats:?}");
                // Beside an edge, where half of a triangle's flat box is empty.
                let beside =
                    Pose::new(turn, (d + e.coords).coords.cast() * 0.5 + Vector3::new(-4.0, 0.0, 4.0)).unwrap();
                query.distance(&trees[0], &trees[1], &beside);
                let stats = query.stats();
                // A millionth of a distance is below f32's resolution.
                let is_resolved = size > 1e-6;
                assert!(!is_resolved || stats.volume_tests < 800, "{kind}, {size}: {stats:?}");
                assert!(!is_resolved || stats.triangle_tests < 200, "{kind}, {size}: {stats:?}");
            }
        }
    }
}
