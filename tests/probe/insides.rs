use bvtree::probe::{Containment, Watertightness, winding_number};
use bvtree::{BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact::{self, P};
use super::meshes::{cells, dataset_mesh, probes, soup, surface, trees};

fn at(point: P) -> Point3<f64> {
    point.map(|x| x as f64).into()
}

fn cube(center: P, half: i64) -> Vec<[P; 3]> {
    let unit = surface(&[[0, 0, 0]].into_iter().collect());
    unit.into_iter().map(|t| t.map(|p: P| std::array::from_fn(|k| center[k] + (p[k] - 1) * half))).collect()
}

fn inside_out(mut triangles: Vec<[P; 3]>) -> Vec<[P; 3]> {
    triangles.iter_mut().for_each(|triangle| triangle.reverse());
    triangles
}

fn check(triangles: &[[P; 3]], watertightness: Watertightness, expected: impl Fn(P) -> Containment, points: &[P]) {
    for tree in trees(&exact::mesh(triangles, 1.0)) {
        assert_eq!(tree.watertightness(), watertightness);
        for mut probe in probes() {
            for &point in points {
                let on_surface = triangles.iter().any(|&triangle| exact::on_triangle(point, triangle));
                let expected = if on_surface { Containment::OnSurface } else { expected(point) };
                assert_eq!(probe.contains(&tree, &at(point)), expected, "{point:?}");
                let distance = probe.closest_point(&tree, &at(point)).unwrap().distance;
                let signed = probe.signed_distance(&tree, &at(point));
                match expected {
                    Containment::Inside => assert_eq!(signed, Some(-distance)),
                    Containment::Outside => assert_eq!(signed, Some(distance)),
                    Containment::OnSurface => assert_eq!(signed, watertightness.is_closed().then_some(0.0)),
                    Containment::Undefined => assert_eq!(signed, None),
                }
            }
        }
    }
}

/// Points of the grid around the origin; in debug builds, every 16th.
fn grid(reach: i64) -> Vec<P> {
    let range = || -reach..=reach;
    let all = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
    all.filter(|[x, y, z]| !cfg!(debug_assertions) || (3 * x + 5 * y + 7 * z) % 16 == 0).collect()
}

proptest! {
    #![proptest_config(cases(2, 20))]

    /// Cells that meet along edges and at corners, with cavities, and rays in the planes of faces.
    #[test]
    fn cells_contain_what_is_in_them(cells in cells(), flips in prop::collection::vec(any::<bool>(), 1..40)) {
        prop_assume!(!cells.is_empty());
        // Odd coordinates are inside cells; what is even is between cells, and on the surface or in the same solid.
        let inside = |p: P| {
            let around = (0..8).map(|side| std::array::from_fn(|k| (p[k] - (side >> k & 1)).div_euclid(2)));
            around.into_iter().any(|cell: P| cells.contains(&cell))
        };
        let expected = |p: P| if inside(p) { Containment::Inside } else { Containment::Outside };
        let mut triangles = surface(&cells);
        check(&triangles, Watertightness::Oriented, expected, &grid(5));

        check(&inside_out(triangles.clone()), Watertightness::Oriented, expected, &grid(3));

        triangles.iter_mut().zip(flips.iter().cycle()).filter(|(_, flip)| **flip).for_each(|(t, _)| t.reverse());
        let mixed = flips.iter().cycle().zip(&triangles).any(|(flip, _)| *flip != flips[0]);
        if mixed && trees(&exact::mesh(&triangles, 1.0))[0].watertightness() == Watertightness::Unoriented {
            check(&triangles, Watertightness::Unoriented, expected, &grid(3));
        }

        triangles.remove(triangles.len() / 2);
        check(&triangles, Watertightness::Open, |_| Containment::Undefined, &grid(3));
    }
}

#[test]
fn shells_nested_and_overlapping() {
    let within = |p: P, center: P, half: i64| (0..3).all(|k| (p[k] - center[k]).abs() < half);
    let say = |inside: bool| if inside { Containment::Inside } else { Containment::Outside };
    let shell = |second: Vec<[P; 3]>| [cube([0; 3], 4), second].concat();

    // A solid in a solid, and a cavity.
    let solid_in_solid = |p: P| say(within(p, [0; 3], 4));
    check(&shell(cube([0; 3], 2)), Watertightness::Oriented, solid_in_solid, &grid(5));
    let hollow = |p: P| say(within(p, [0; 3], 4) && !within(p, [0; 3], 2));
    check(&shell(inside_out(cube([0; 3], 2))), Watertightness::Oriented, hollow, &grid(5));
    // Two solids that share some room, a face, all faces.
    let union = |p: P| say(within(p, [0; 3], 4) || within(p, [3, 3, 3], 4));
    check(&shell(cube([3, 3, 3], 4)), Watertightness::Oriented, union, &grid(8));
    let neighbours = |p: P| say(within(p, [0; 3], 4) || within(p, [8, 0, 0], 4));
    check(&shell(cube([8, 0, 0], 4)), Watertightness::Oriented, neighbours, &grid(5));
    check(&shell(cube([0; 3], 4)), Watertightness::Oriented, solid_in_solid, &grid(5));
}

/// The sum over all triangles.
fn summed_winding_number(mesh: &Mesh, point: &Point3<f64>) -> f64 {
    let half_angle = |face: u32| {
        let corners = mesh.triangle(face).vertices.map(|vertex| vertex - point);
        let [a, b, c] = corners.map(|corner| corner.normalize());
        a.cross(&b).dot(&c).atan2(1.0 + a.dot(&b) + b.dot(&c) + c.dot(&a))
    };
    (0..mesh.triangles().len() as u32).map(half_angle).sum::<f64>() / (2.0 * std::f64::consts::PI)
}

/// Up to 300 triangles between a few points: edges have any number of triangles.
fn tangle() -> impl Strategy<Value = Mesh> {
    (4..40u32).prop_flat_map(|points| {
        let vertices = prop::collection::vec(prop::array::uniform3(-1f32..1.0), points as usize);
        let triangles = prop::collection::vec(prop::array::uniform3(0..points), 0..300);
        (vertices, triangles).prop_map(|(vertices, triangles)| {
            Mesh::from_arrays(vertices.into_iter().map(Point3::from).collect(), triangles).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(cases(62, 2000))]

    /// From anywhere, patches wind around a point as their triangles do one by one.
    #[test]
    fn winding_numbers_are_the_sum_over_triangles(
        mesh in prop_oneof![soup(), tangle(), cells().prop_map(|cells| exact::mesh(&surface(&cells), 0.25))],
        points in prop::collection::vec(prop::array::uniform3(-2.0..2.0f64), 20),
    ) {
        for tree in &trees(&mesh)[..2] {
            for point in points.iter().copied().map(Point3::from) {
                let (found, expected) = (winding_number(tree, &point), summed_winding_number(&mesh, &point));
                prop_assert!((found - expected).abs() < 1e-9, "{} instead of {} at {}", found, expected, point);
            }
        }
    }
}

#[test]
fn an_empty_mesh_contains_nothing() {
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    for tree in trees(&empty) {
        assert_eq!(Probe::new().contains(&tree, &Point3::origin()), Containment::Outside);
        assert_eq!(Probe::new().signed_distance(&tree, &Point3::origin()), None);
        assert_eq!(winding_number(&tree, &Point3::origin()), 0.0);
    }
    let cube = trees(&exact::mesh(&cube([0; 3], 2), 1.0)).remove(0);
    let nowhere = Point3::new(f64::NAN, 0.0, 0.0);
    assert_eq!(Probe::new().contains(&cube, &nowhere), Containment::Outside);
    assert_eq!(Probe::new().signed_distance(&cube, &nowhere), None);
}

#[test]
fn winding_numbers_count_shells_and_parts() {
    let tree = |triangles: &[[P; 3]]| trees(&exact::mesh(triangles, 1.0)).remove(0);
    let near = |x: f64, y: f64| (x - y).abs() < 1e-14;
    let shells = tree(&[cube([0; 3], 4), cube([0; 3], 2)].concat());
    for (point, expected) in [([0, 0, 0], 2.0), ([3, 1, 0], 1.0), ([5, 1, 0], 0.0), ([90, 1, 7], 0.0)] {
        assert!(near(winding_number(&shells, &at(point)), expected));
    }
    assert!(near(winding_number(&tree(&inside_out(cube([0; 3], 4))), &at([1, 2, 3])), -1.0));
    // Seen from the middle, each of a cube's 6 faces is as large.
    let lid_off: Vec<_> = cube([0; 3], 4).into_iter().filter(|t| t.iter().any(|p| p[2] < 4)).collect();
    assert!(near(winding_number(&tree(&lid_off), &at([0; 3])), 5.0 / 6.0));
}

#[test]
fn inside_a_scanned_mesh_is_where_it_winds_around() {
    for name in ["spot.obj", "cow.obj", "suzanne.obj"] {
        let Some(mesh) = dataset_mesh(name) else { continue };
        let trees: Vec<BvTree> = trees(&mesh);
        let bounds = mesh.aabb();
        assert_eq!(trees[0].watertightness().is_closed(), mesh.report().is_closed(), "{name}");
        let steps = if cfg!(debug_assertions) { 3 } else { 8 };
        for i in 0..steps * steps * steps {
            let along = [i % steps, i / steps % steps, i / steps / steps].map(|k| (k as f64 + 0.4) / steps as f64);
            let point = bounds.lower + bounds.size().component_mul(&Vector3::from(along));
            let winding = winding_number(&trees[0], &point);
            for tree in &trees {
                let expected = match tree.watertightness() {
                    Watertightness::Open => Containment::Undefined,
                    _ if winding.round() != 0.0 => Containment::Inside,
                    _ => Containment::Outside,
                };
                assert_eq!(Probe::new().contains(tree, &point), expected, "{name} at {point}");
            }
        }
    }
}
