//! Rays and closest points on one mesh, next to parry3d in the same run: time per query over many seeded queries.
//!
//! The dataset's meshes, or one of `data/` where there is none. parry3d in f64, and with `--features parry` in f32 too.

use std::hint::black_box;

use bvtree::probe::Ray;
use bvtree::{BuildOptions, BvTree, Mesh, Probe, VolumeKind};
use bvtree_benches::meshes::{data_mesh, dataset, dataset_mesh};
use bvtree_benches::random::Random;
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Vector3;

const QUERIES: usize = 100_000;

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = rays, closest_points, sides);
criterion_main!(benches);

/// From outside the mesh's ball to anywhere in its box.
fn rays(criterion: &mut Criterion) {
    for (name, mesh) in meshes() {
        let mut random = Random(1);
        let bounds = mesh.aabb();
        let (center, radius) = (bounds.center(), bounds.half_extents().norm());
        let rays = queries(|| {
            let origin = center + random.direction() * (1.5 * radius);
            Ray { origin, direction: random.point_in_box(&bounds) - origin }
        });
        let mut group = criterion.benchmark_group(format!("closest hit/{name}"));
        for volume in VolumeKind::ALL {
            let (tree, mut probe) = (build(&mesh, volume), Probe::new());
            let mut next = rays.iter().cycle();
            group.bench_function(volume.name(), |b| {
                b.iter(|| next.next().map(|ray| probe.closest_hit(&tree, ray, f64::INFINITY)));
            });
        }
        group.bench_function("parry3d", |b| {
            use parry3d::query::RayCast;
            let parry = parry_mesh(&mesh);
            let rays = rays.iter().map(|ray| parry3d::query::Ray::new(v32(&ray.origin.coords), v32(&ray.direction)));
            let rays: Vec<_> = rays.collect();
            let mut next = rays.iter().cycle();
            b.iter(|| next.next().map(|ray| parry.cast_local_ray_and_get_normal(ray, f32::MAX, false)));
        });
        group.bench_function("parry3d-f64", |b| {
            use parry3d_f64::query::RayCast;
            let parry = parry_mesh_f64(&mesh);
            let rays =
                rays.iter().map(|ray| parry3d_f64::query::Ray::new(v64(&ray.origin.coords), v64(&ray.direction)));
            let rays: Vec<_> = rays.collect();
            let mut next = rays.iter().cycle();
            b.iter(|| next.next().map(|ray| parry.cast_local_ray_and_get_normal(ray, f64::MAX, false)));
        });
    }
}

/// Of points anywhere in the mesh's box, and of points about a hundredth of its diagonal from the surface.
fn closest_points(criterion: &mut Criterion) {
    for (name, mesh) in meshes() {
        let mut random = Random(2);
        let bounds = mesh.aabb();
        let in_box = queries(|| random.point_in_box(&bounds));
        let reach = 0.02 * bounds.size().norm();
        let near = queries(|| random.point_on(&mesh) + random.direction() * (reach * random.unit()));
        for (place, points) in [("in box", in_box), ("near surface", near)] {
            let mut group = criterion.benchmark_group(format!("closest point {place}/{name}"));
            for volume in VolumeKind::ALL {
                let (tree, mut probe) = (build(&mesh, volume), Probe::new());
                let mut next = points.iter().cycle();
                group.bench_function(volume.name(), |b| {
                    b.iter(|| next.next().map(|point| probe.closest_point(&tree, point)));
                });
            }
            group.bench_function("parry3d", |b| {
                use parry3d::query::PointQuery;
                let parry = parry_mesh(&mesh);
                let points: Vec<_> = points.iter().map(|point| v32(&point.coords)).collect();
                let mut next = points.iter().cycle();
                b.iter(|| next.next().map(|&point| parry.project_local_point_and_get_feature(point)));
            });
            group.bench_function("parry3d-f64", |b| {
                use parry3d_f64::query::PointQuery;
                let parry = parry_mesh_f64(&mesh);
                let points: Vec<_> = points.iter().map(|point| v64(&point.coords)).collect();
                let mut next = points.iter().cycle();
                b.iter(|| next.next().map(|&point| parry.project_local_point_and_get_feature(point)));
            });
        }
    }
}

/// Inside or outside, of points anywhere in the mesh's box.
fn sides(criterion: &mut Criterion) {
    for (name, mesh) in meshes() {
        let mut random = Random(3);
        let bounds = mesh.aabb();
        let points = queries(|| random.point_in_box(&bounds));
        let mut group = criterion.benchmark_group(format!("contains/{name}"));
        for volume in VolumeKind::ALL {
            let (tree, mut probe) = (build(&mesh, volume), Probe::new());
            let mut next = points.iter().cycle();
            group.bench_function(volume.name(), |b| {
                b.iter(|| next.next().map(|point| probe.contains(&tree, point)));
            });
        }
    }
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    match dataset() {
        Some(dataset) => ["stanford-bunny", "armadillo"].map(|name| (name, dataset_mesh(&dataset, name))).into(),
        None => vec![("character", data_mesh("character"))],
    }
}

fn build(mesh: &Mesh, volume: VolumeKind) -> BvTree {
    BvTree::build(mesh, &BuildOptions { kind: volume, ..BuildOptions::default() }).expect("a tree")
}

fn queries<T>(mut one: impl FnMut() -> T) -> Vec<T> {
    (0..QUERIES).map(|_| black_box(one())).collect()
}

fn v32(v: &Vector3<f64>) -> parry3d::math::Vector {
    parry3d::math::Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn v64(v: &Vector3<f64>) -> parry3d_f64::math::Vector {
    parry3d_f64::math::Vector::new(v.x, v.y, v.z)
}

fn parry_mesh(mesh: &Mesh) -> parry3d::shape::TriMesh {
    let vertices = mesh.vertices().iter().map(|v| v32(&v.coords.cast())).collect();
    parry3d::shape::TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh")
}

fn parry_mesh_f64(mesh: &Mesh) -> parry3d_f64::shape::TriMesh {
    let vertices = mesh.vertices().iter().map(|v| v64(&v.coords.cast())).collect();
    parry3d_f64::shape::TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh")
}
