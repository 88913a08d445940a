//! Rays and closest points on one mesh, next to parry3d in the same run: time per query over many seeded queries.
//!
//! `cargo bench --bench probe`; the meshes are in `$BVTREE_DATASET`, else `../shared/dataset`.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use bvtree::probe::Ray;
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, BvTree, Mesh, Probe, VolumeKind};
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Point3, Vector3};

const QUERIES: usize = 100_000;

criterion_group!(benches, rays, closest_points, sides);
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
        let mut group = criterion.benchmark_group(format!("nearest hit/{name}"));
        for volume in VolumeKind::ALL {
            let (tree, mut probe) = (build(&mesh, volume), Probe::new());
            let mut next = rays.iter().cycle();
            group.bench_function(volume.name(), |b| {
                b.iter(|| next.next().map(|ray| probe.nearest_hit(&tree, ray, f64::INFINITY)));
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
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/dataset");
    let folder = std::env::var_os("BVTREE_DATASET").map_or_else(beside, PathBuf::from).join("meshes");
    let names = ["stanford-bunny", "armadillo"];
    let load = |name| match Mesh::load_obj(folder.join(format!("{name}.obj"))) {
        Ok(mesh) => Some((name, mesh)),
        Err(error) => {
            eprintln!("skipped {name}: {error}");
            None
        }
    };
    names.into_iter().filter_map(load).collect()
}

fn build(mesh: &Mesh, volume: VolumeKind) -> BvTree {
    BvTree::build(mesh, &BuildOptions { volume, ..BuildOptions::default() }).expect("a tree")
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

/// The SplitMix64 sequence (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| 2.0 * self.unit() - 1.0);
            if (1e-3..=1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    fn point_in_box(&mut self, bounds: &Aabb) -> Point3<f64> {
        bounds.lower + bounds.size().component_mul(&Vector3::from_fn(|_, _| self.unit()))
    }

    fn point_on(&mut self, mesh: &Mesh) -> Point3<f64> {
        let face = self.bits() % mesh.triangles().len() as u64;
        let [a, b, c] = mesh.triangle(face as u32).vertices;
        let (u, v) = (self.unit(), self.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        a + (b - a) * u + (c - a) * v
    }
}
