//! Queries one mesh with rays, points and boxes: `cargo run -p bvtree --example probe`.

use std::ops::ControlFlow;

use bvtree::probe::{Containment, Ray, winding_number};
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};

/// A tetrahedron with its right angle at the origin and edges of length 1 along the axes.
fn tetrahedron() -> Mesh {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    Mesh::from_arrays(vertices.map(Point3::from).to_vec(), triangles).expect("indices are in range")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tree = BvTree::build(&tetrahedron(), &BuildOptions::default())?;
    let mut probe = Probe::new();

    // A ray at the slanted face. Times are in units of the direction's length: the ray reaches the face at time 0.5.
    let ray = Ray { origin: Point3::new(1.0, 1.0, 1.0), direction: Vector3::new(-4.0, -4.0, -4.0) / 3.0 };
    let hit = probe.closest_hit(&tree, &ray, f64::INFINITY).ok_or("the ray hits")?;
    println!("the ray hits face {} at {:.3}, at time {:.3}", hit.face, hit.point, hit.time);
    assert!(hit.face == 3 && (hit.time - 0.5).abs() < 1e-15);

    // A ray exactly through an edge hits both faces of the edge.
    let along_z = Ray { origin: Point3::new(0.5, 0.0, 9.0), direction: -Vector3::z() };
    let mut faces = Vec::new();
    probe.for_each_hit(&tree, &along_z, f64::INFINITY, |hit| {
        faces.push(hit.face);
        ControlFlow::Continue(())
    });
    faces.sort_unstable();
    println!("the ray through the edge hits faces {faces:?}");
    assert_eq!(faces, [0, 1, 3]);

    let inside = Point3::new(0.25, 0.25, 0.125);
    let closest = probe.closest_point(&tree, &inside).ok_or("the mesh isn't empty")?;
    println!("the nearest point to {inside} is {} on face {}", closest.point, closest.face);
    assert_eq!(probe.contains(&tree, &inside), Containment::Inside);
    assert_eq!(probe.signed_distance(&tree, &inside), Some(-0.125));
    assert_eq!(probe.contains(&tree, &Point3::new(0.5, 0.5, 0.0)), Containment::OnSurface);
    println!("the winding number there is {:.3}", winding_number(&tree, &inside));

    let mut touching = 0;
    let corner = Aabb { lower: Point3::new(0.5, -1.0, -1.0), upper: Point3::new(2.0, 1.0, 0.25) };
    probe.for_each_face_in_aabb(&tree, &corner, |_| {
        touching += 1;
        ControlFlow::Continue(())
    });
    println!("{touching} faces touch the box around the corner on the x axis");
    assert_eq!(touching, 3);
    Ok(())
}
