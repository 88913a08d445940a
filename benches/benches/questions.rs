//! Every question, on one mesh pair of growing size: the same surface with its triangles cut into 4 and into 16, so
//! that the answers stay and only the number of triangles grows. Oriented boxes. An iteration asks at some poses (rays,
//! points, ...), and `thrpt` counts questions.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::{Ray, winding_number};
use bvtree::query::{DistanceTracker, many};
use bvtree::shape::{Aabb, Obb, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe, Query};
use bvtree_benches::meshes::{data_mesh, subdivided};
use bvtree_benches::random::Random;
use bvtree_benches::scenes::{Scene, posed};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

const MESH: &str = "torus_knot";

/// How many of each are asked about in an iteration.
const RAYS: usize = 100;
const MANY: usize = 1000;

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = questions);
criterion_main!(benches);

fn questions(criterion: &mut Criterion) {
    let mesh = data_mesh(MESH);
    let (four, scene) = (subdivided(&mesh), posed(MESH.to_owned(), mesh.clone(), mesh.clone()));
    let sixteen = subdivided(&four);
    for mesh in [&mesh, &four, &sixteen] {
        let tree = Arc::new(BvTree::build(mesh, &BuildOptions::default()).expect("valid options"));
        two_trees(&mut Bench { criterion, triangles: tree.triangle_count() }, &tree, &scene);
        one_tree(&mut Bench { criterion, triangles: tree.triangle_count() }, &tree, mesh);
    }
}

struct Bench<'a> {
    criterion: &'a mut Criterion,
    triangles: usize,
}

impl Bench<'_> {
    /// Measures a question about each of some things.
    fn ask<T, R>(&mut self, question: &str, about: &[T], mut ask: impl FnMut(&T) -> R) {
        let mut group = self.criterion.benchmark_group(format!("questions/{question}"));
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(about.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(self.triangles), |bencher| {
            bencher.iter(|| {
                for thing in about {
                    black_box(ask(thing));
                }
            });
        });
        group.finish();
    }
}

fn two_trees(bench: &mut Bench<'_>, tree: &Arc<BvTree>, scene: &Scene) {
    let mut query = Query::new();
    let with_label = |label: &str| -> Vec<Pose> {
        scene.poses.iter().filter(|pose| pose.label == label).map(|pose| pose.b_to_a).collect()
    };
    let (apart, contact) = (with_label("apart"), with_label("contact"));
    let size = tree.bounds().size().norm();
    let far = 0.05 * size;
    // What a question costs before it comes to anything: the roots' boxes are apart, and then the balls around the
    // meshes too.
    let [aside, far_away] = [1.05, 10.0].map(|times| {
        let away = Vector3::new(times * tree.bounds().size().x, 0.0, 0.0);
        [Pose::from(Isometry3::new(away, Vector3::zeros()))]
    });
    bench.ask("hit, side by side", &aside, |pose| query.intersects(tree, tree, pose));
    bench.ask("hit, far apart", &far_away, |pose| query.intersects(tree, tree, pose));
    bench.ask("hit", &contact, |pose| query.intersects(tree, tree, pose));
    bench.ask("pairs", &contact, |pose| query.count_pairs(tree, tree, pose));
    bench.ask("distance", &apart, |pose| query.distance(tree, tree, pose));
    // Step by step around it: each pose is close to the one before.
    let steps: Vec<Pose> = (0..100).map(|i| turned(&apart[0], 0.002 * f64::from(i))).collect();
    bench.ask("distance step by step, cold", &steps, |pose| query.distance(tree, tree, pose));
    let mut tracker = DistanceTracker::new(tree, tree);
    bench.ask("distance step by step, warm", &steps, |pose| tracker.distance(&mut query, pose));
    bench.ask("within, yes", &apart, |pose| query.within(tree, tree, pose, far));
    bench.ask("within, no", &apart, |pose| query.within(tree, tree, pose, 1e-3 * size));
    bench.ask("clearance", &apart[..5], |pose| query.pairs_within(tree, tree, pose, 0.5 * far));
    bench.ask("relation, crossing", &contact, |pose| query.relation(tree, tree, pose));
    bench.ask("relation, apart", &apart, |pose| query.relation(tree, tree, pose));
    // Each triangle on a dozen others: seconds for large meshes.
    if bench.triangles < 10_000 {
        bench.ask("relation, touching all over", &[Pose::identity()], |pose| query.relation(tree, tree, pose));
    }
    bench.ask("contacts", &contact, |pose| query.contacts(tree, tree, pose));
    bench.ask("contact patches", &contact, |pose| query.contact_patches(tree, tree, pose));
    let away = Unit::new_normalize(Vector3::new(0.3, 0.5, 0.8));
    bench.ask("separation", &contact, |pose| query.penetration_along(tree, tree, pose, &away));
    bench.ask("penetration", &contact[..1], |pose| query.penetration(tree, tree, pose));
    let motions: Vec<Motion> = apart.iter().zip(&contact).map(|(from, to)| Motion::new(*from, *to)).collect();
    bench.ask("impact", &motions, |motion| query.time_of_impact(tree, tree, motion, 1e-6 * size));
    let free: Vec<Motion> = apart.iter().map(|pose| Motion::new(*pose, turned(pose, 0.01))).collect();
    bench.ask("impact, short motions", &free, |motion| query.time_of_impact(tree, tree, motion, 1e-6 * size));
    bench.ask("self", &[tree], |tree| {
        let mut pairs = 0;
        query.for_each_self_pair(tree, |_| counted(&mut pairs));
        pairs
    });
    let poses: Vec<Pose> = (0..MANY).map(|i| turned(&apart[i % apart.len()], 0.001 * i as f64)).collect();
    let mut group = bench.criterion.benchmark_group("questions/hit at many poses");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(MANY as u64));
    group.bench_function(BenchmarkId::from_parameter(bench.triangles), |bencher| {
        bencher.iter(|| many::map(&poses, Query::new, |query, pose| query.intersects(tree, tree, pose)));
    });
}

/// B turned about its origin.
fn turned(pose: &Pose, angle: f64) -> Pose {
    let turn: Matrix3<f64> =
        Isometry3::rotation(Vector3::new(0.48, 0.6, 0.64) * angle).rotation.to_rotation_matrix().into();
    Pose::new(pose.rotation() * turn, *pose.translation()).expect("a rotation")
}

fn one_tree(bench: &mut Bench<'_>, tree: &BvTree, mesh: &Mesh) {
    let mut probe = Probe::new();
    let mut random = Random(4);
    let bounds = *tree.bounds();
    let (center, radius) = (bounds.center(), bounds.half_extents().norm());
    let rays: Vec<Ray> = (0..RAYS)
        .map(|_| {
            let origin = center + random.direction() * (1.5 * radius);
            Ray { origin, direction: random.point_in_box(&bounds) - origin }
        })
        .collect();
    bench.ask("closest hit", &rays, |ray| probe.closest_hit(tree, ray, f64::INFINITY));
    bench.ask("any hit", &rays, |ray| probe.any_hit(tree, ray, f64::INFINITY));
    bench.ask("all hits", &rays, |ray| {
        let mut hits = 0;
        probe.for_each_hit(tree, ray, f64::INFINITY, |_| counted(&mut hits));
        hits
    });
    let points: Vec<_> = (0..RAYS).map(|_| random.point_in_box(&bounds)).collect();
    bench.ask("closest point", &points, |point| probe.closest_point(tree, point));
    bench.ask("contains", &points, |point| probe.contains(tree, point));
    bench.ask("signed distance", &points, |point| probe.signed_distance(tree, point));
    bench.ask("winding number", &points[..1], |point| winding_number(tree, point));
    // Volumes of a fiftieth of the mesh's size, around points of it.
    let half = Vector3::repeat(0.02 * radius);
    let middles: Vec<_> = (0..RAYS).map(|_| random.point_on(mesh)).collect();
    bench.ask("in an AABB", &middles, |middle| {
        let aabb = Aabb { lower: middle - half, upper: middle + half };
        let mut faces = 0;
        probe.for_each_face_in_aabb(tree, &aabb, |_| counted(&mut faces));
        faces
    });
    let axes = Isometry3::rotation(Vector3::new(0.4, 0.5, 0.6)).rotation.to_rotation_matrix().into_inner();
    bench.ask("in an OBB", &middles, |middle| {
        let obb = Obb { center: *middle, axes, half_extents: half };
        let mut faces = 0;
        probe.for_each_face_in_obb(tree, &obb, |_| counted(&mut faces));
        faces
    });
    bench.ask("in a sphere", &middles, |middle| {
        let sphere = Sphere { center: *middle, radius: half.x };
        let mut faces = 0;
        probe.for_each_face_in_sphere(tree, &sphere, |_| counted(&mut faces));
        faces
    });
}

fn counted(count: &mut u32) -> ControlFlow<()> {
    *count += 1;
    ControlFlow::Continue(())
}
