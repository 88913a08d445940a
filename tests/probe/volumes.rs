use std::ops::ControlFlow;

use bvtree::shape::{Aabb, Obb, Overlaps, Sphere};
use bvtree::triangle::Triangle;
use bvtree::{Mesh, Probe};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{grid_soup, probes, soup, trees};

pub fn sorted(ask: impl FnOnce(&mut dyn FnMut(u32) -> ControlFlow<()>)) -> Vec<u32> {
    let mut faces = Vec::new();
    ask(&mut |face| {
        faces.push(face);
        ControlFlow::Continue(())
    });
    faces.sort_unstable();
    faces
}

fn brute_force<S>(mesh: &Mesh, shape: &S) -> Vec<u32>
where
    Triangle: Overlaps<S>,
{
    (0..mesh.triangles().len() as u32).filter(|&face| mesh.triangle(face).overlaps(shape)).collect()
}

fn check(mesh: &Mesh, aabb: &Aabb, obb: &Obb, sphere: &Sphere) -> Result<(), TestCaseError> {
    let expected = [brute_force(mesh, aabb), brute_force(mesh, obb), brute_force(mesh, sphere)];
    for tree in trees(mesh) {
        for mut probe in probes() {
            prop_assert_eq!(&sorted(|visit| probe.for_each_face_in_aabb(&tree, aabb, visit)), &expected[0]);
            prop_assert_eq!(&sorted(|visit| probe.for_each_face_in_obb(&tree, obb, visit)), &expected[1]);
            prop_assert_eq!(&sorted(|visit| probe.for_each_face_in_sphere(&tree, sphere, visit)), &expected[2]);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(16, 1024))]

    #[test]
    fn trees_hide_nothing_from_volumes(
        mesh in soup(),
        center in prop::array::uniform3(-1.5f64..1.5),
        half in prop::array::uniform3(0f64..1.0),
        turn in prop::array::uniform3(-3f64..3.0),
        size in prop::sample::select(vec![1e-3, 0.1, 0.5, 1.0, 1e4, 1e30]),
        distance in prop::sample::select(vec![0.0, 0.9, 1.0, 1e3]),
    ) {
        let half_extents = Vector3::from(half) * size;
        // Far out, reaching back about as far.
        let center = Point3::from(center) + Vector3::from(turn) * size * distance;
        let aabb = Aabb { lower: center - half_extents, upper: center + half_extents };
        let axes = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
        let sphere = Sphere { center, radius: half_extents.norm() };
        check(&mesh, &aabb, &Obb { center, axes, half_extents }, &sphere)?;
    }

    #[test]
    fn volumes_on_a_grid_touch_what_they_touch(
        triangles in grid_soup(),
        center in prop::array::uniform3(-6..=6_i32),
        half in prop::array::uniform3(0..3_i32),
        exponent in prop::sample::select(vec![-100, 0, 100]),
    ) {
        let scale = 2f64.powi(exponent);
        let center = Point3::from(center.map(f64::from)) * scale;
        let half_extents = Vector3::from(half.map(f64::from)) * scale;
        let aabb = Aabb { lower: center - half_extents, upper: center + half_extents };
        let sphere = Sphere { center, radius: half_extents.x };
        check(&exact::mesh(&triangles, scale as f32), &aabb, &aabb.into(), &sphere)?;
    }
}

#[test]
fn visits_end_when_told() {
    let triangles = [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]; 9];
    for tree in trees(&exact::mesh(&triangles, 1.0)) {
        let mut visits = 0;
        Probe::new().for_each_face_in_aabb(&tree, tree.bounds(), |_| {
            visits += 1;
            if visits == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(visits, 3);
        Probe::new().for_each_face_in_aabb(&tree, &Aabb::empty(), |_| panic!("nothing is in an empty box"));
    }
}
