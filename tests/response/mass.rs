//! Mass properties of known solids, near and far, and of meshes that have none.

use bvtree::Mesh;
use bvtree::response::{MassError, MassProperties};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use super::Random;

fn cuboid(lower: [f32; 3], upper: [f32; 3]) -> Mesh {
    let corner = |i: usize| {
        Point3::from(std::array::from_fn::<f32, 3, _>(|k| if i >> k & 1 == 1 { upper[k] } else { lower[k] }))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), triangles).unwrap()
}

fn joined(meshes: &[Mesh]) -> Mesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|i| i + first)));
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

fn inside_out(mesh: &Mesh) -> Mesh {
    Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect()).unwrap()
}

#[test]
fn a_box_is_that_of_the_books() {
    for far in [0.0, 4096.0, 1_048_576.0] {
        let mesh = cuboid([far, far, far], [far + 1.0, far + 2.0, far + 4.0]);
        for mesh in [&mesh, &inside_out(&mesh)] {
            let mass = MassProperties::of(mesh).unwrap();
            let far = f64::from(far);
            assert!((mass.volume - 8.0).abs() < 1e-14);
            assert!((mass.center - Point3::new(far + 0.5, far + 1.0, far + 2.0)).norm() < 1e-15 * (1.0 + far));
            let expected = Matrix3::from_diagonal(&(Vector3::new(20.0, 17.0, 5.0) * (8.0 / 12.0)));
            assert!((mass.inertia - expected).amax() < 1e-13, "{}", mass.inertia);
        }
    }
}

/// A tetrahedron with its right angle at the origin: 1/6, and 1/4 of the way; its inertia by Tonon's formula, worked by
/// hand.
#[test]
fn a_tetrahedron() {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from).to_vec();
    let mesh = Mesh::from_arrays(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let mass = MassProperties::of(&mesh).unwrap();
    assert!((mass.volume - 1.0 / 6.0).abs() < 1e-16);
    assert!((mass.center - Point3::new(0.25, 0.25, 0.25)).norm() < 1e-16);
    // About the origin the squares are 1/60 and the products 1/120; less the centre's share.
    let (square, product) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
    let expected = Matrix3::from_fn(|i, j| if i == j { 2.0 * square } else { -product });
    assert!((mass.inertia - expected).amax() < 1e-16);
}

/// A ball of many triangles is nearly a ball; turned and scaled, its inertia follows.
#[test]
fn a_ball_and_a_hollow_one() {
    let ball = |radius: f64, steps: u32| {
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for face in 0..6 {
            let frame = [[0, 1, 2], [1, 2, 0], [2, 0, 1]][face % 3];
            let side = if face < 3 { 1.0 } else { -1.0 };
            let first = vertices.len() as u32;
            let at = |i: u32| (2.0 * f64::from(i) / f64::from(steps) - 1.0) * std::f64::consts::FRAC_PI_4;
            for j in 0..=steps {
                for i in 0..=steps {
                    let mut p = Vector3::zeros();
                    (p[frame[0]], p[frame[1]], p[frame[2]]) = (at(i).tan() * side, at(j).tan(), side);
                    vertices.push(Point3::from(p.normalize() * radius).cast::<f32>());
                }
            }
            for j in 0..steps {
                for i in 0..steps {
                    let a = first + j * (steps + 1) + i;
                    triangles.extend([[a, a + 1, a + steps + 2], [a, a + steps + 2, a + steps + 1]]);
                }
            }
        }
        Mesh::from_arrays(vertices, triangles).unwrap()
    };
    let content = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let mass = MassProperties::of(&ball(2.0, 64)).unwrap();
    assert!((mass.volume / content(2.0) - 1.0).abs() < 1e-3);
    assert!(
        (mass.inertia - Matrix3::identity() * 0.4 * content(2.0) * 4.0).amax() < 0.05
            && mass.center.coords.norm() < 1e-6
    );

    let hollow = joined(&[ball(2.0, 64), inside_out(&ball(1.0, 64))]);
    let mass = MassProperties::of(&hollow).unwrap();
    assert!((mass.volume / (content(2.0) - content(1.0)) - 1.0).abs() < 1e-3);
    let expected = 0.4 * (content(2.0) * 4.0 - content(1.0));
    assert!((mass.inertia - Matrix3::identity() * expected).amax() < 0.05);
}

/// Boxes turned at random: `R I R^T`.
#[test]
fn inertia_turns_with_the_mesh() {
    let random = &mut Random(5);
    for _ in 0..200 {
        let upper: [f32; 3] = std::array::from_fn(|_| random.within(0.1, 3.0) as f32);
        let mesh = cuboid([0.0; 3], upper);
        let turn = Rotation3::new(random.vector() * 3.0);
        let turned = mesh.vertices().iter().map(|v| (turn * v.cast::<f64>()).cast::<f32>()).collect();
        let turned = Mesh::from_arrays(turned, mesh.triangles().to_vec()).unwrap();
        let [one, other] = [mesh, turned].map(|mesh| MassProperties::of(&mesh).unwrap());
        let expected = turn * one.inertia * turn.inverse();
        assert!((expected - other.inertia).amax() < 1e-5 * one.inertia.amax());
        assert!((turn * one.center - other.center).norm() < 1e-5);
    }
}

#[test]
fn some_meshes_have_none() {
    let cube = cuboid([0.0; 3], [1.0; 3]);
    let of =
        |triangles: Vec<[u32; 3]>| MassProperties::of(&Mesh::from_arrays(cube.vertices().to_vec(), triangles).unwrap());
    assert_eq!(of(cube.triangles()[1..].to_vec()), Err(MassError::Open));
    let mut flipped = cube.triangles().to_vec();
    flipped[3].swap(0, 1);
    assert_eq!(of(flipped), Err(MassError::Unoriented));
    assert_eq!(of(Vec::new()), Err(MassError::NoVolume));
    assert_eq!(of(vec![[0, 1, 2], [0, 2, 1]]), Err(MassError::NoVolume));
    // A box without thickness, and two that cancel.
    assert_eq!(MassProperties::of(&cuboid([0.1, 0.2, 0.3], [1.1, 1.2, 0.3])), Err(MassError::NoVolume));
    assert_eq!(MassProperties::of(&joined(&[cube.clone(), inside_out(&cube)])), Err(MassError::NoVolume));
    // Thin is not flat.
    let thin = MassProperties::of(&cuboid([0.0; 3], [1.0, 1.0, 1e-6])).unwrap();
    assert!((thin.volume / f64::from(1e-6_f32) - 1.0).abs() < 1e-12);
}
