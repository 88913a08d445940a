//! Scenes of many bodies: beside FCL, from a thousand to a hundred thousand bodies, the broad phase beside parry3d's, and memory.
//!
//! `cargo bench --bench scene_ratio -- [--mode fcl|broad|scaling]`
//!
//! CSV on stdout. `fcl`: 10,000 bodies with 500 touching pairs, most far apart; bvtree on one thread and on all, and FCL's
//! `DynamicAABBTreeCollisionManager` over OBBRSS models (`make -C benches/peers fcl_scene`), which must count the same; milliseconds. `broad`: boxes of
//! bodies alone. `scaling`: the same kind of scene of more and more bodies, with the process's memory.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use bvtree::scene::{Body, BodyId, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use bvtree_benches::meshes::data_mesh;
use bvtree_benches::random::Random;
use bvtree_benches::ratio;
use nalgebra::{Isometry3, Vector3};
use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

const MODES: [&str; 3] = ["fcl", "broad", "scaling"];

/// How far moved bodies go in a step, of a mesh that is 1 large.
const SHIFT: f64 = 0.002;

/// Bodies a side of a mesh's size from each other, but for one pair in ten that touches.
struct World {
    meshes: Vec<Mesh>,
    /// Each body's mesh and pose.
    bodies: Vec<(usize, Pose)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(options) = ratio::options("scene_ratio", &MODES) else { return Ok(()) };
    let is_asked = |mode: &str| options.mode.as_deref().is_none_or(|asked| asked == mode);
    if is_asked("fcl") {
        beside_fcl()?;
    }
    if is_asked("broad") {
        beside_parry();
    }
    if is_asked("scaling") {
        scaling()?;
    }
    Ok(())
}

impl World {
    /// Of so many bodies, of which the first `2 * touching` touch in pairs.
    fn new(bodies: usize, touching: usize) -> Self {
        let meshes: Vec<Mesh> = ["bolt", "gear", "character", "spring"].map(unit_sized).into();
        let trees: Vec<BvTree> = meshes.iter().map(built).collect();
        let mut query = bvtree::Query::new();
        let mut random = Random(7);
        let side = (bodies as f64).cbrt().ceil() as usize;
        let mut placed: Vec<(usize, Pose)> = Vec::with_capacity(bodies);
        for number in 0..bodies {
            let cell = |shift: usize| ((number / shift % side) as f64) * 2.5;
            let place = Vector3::new(cell(1), cell(side), cell(side * side));
            let turn = Vector3::from_fn(|_, _| 6.0 * random.unit() - 3.0);
            let mesh = number % meshes.len();
            let mut pose = Pose::from(Isometry3::new(place, turn));
            if number % 2 == 1 && number < 2 * touching {
                // From beside its neighbour towards it until both touch, and a little on.
                let (other, stands) = placed[number - 1];
                let mut along = 2.5;
                while along > 0.0 {
                    let at = stands.translation() + Vector3::x() * along;
                    pose = Pose::new(*pose.rotation(), at).expect("a rotation");
                    if query.intersects(&trees[other], &trees[mesh], &Pose::relative(&stands, &pose)) {
                        break;
                    }
                    along -= 0.02;
                }
            }
            placed.push((mesh, pose));
        }
        Self { meshes, bodies: placed }
    }

    fn write(&self, mut to: impl Write) -> std::io::Result<()> {
        let count = |count: usize| (count as u32).to_le_bytes();
        to.write_all(&count(self.meshes.len()))?;
        for mesh in &self.meshes {
            to.write_all(&count(mesh.vertices().len()))?;
            to.write_all(&count(mesh.triangles().len()))?;
            mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).try_for_each(|x| to.write_all(&x.to_le_bytes()))?;
            mesh.triangles().iter().flatten().try_for_each(|corner| to.write_all(&corner.to_le_bytes()))?;
        }
        to.write_all(&count(self.bodies.len()))?;
        for (mesh, pose) in &self.bodies {
            to.write_all(&count(*mesh))?;
            let rows = pose.rotation().transpose();
            rows.iter().chain(pose.translation().iter()).try_for_each(|x| to.write_all(&x.to_le_bytes()))?;
        }
        to.write_all(&SHIFT.to_le_bytes())
    }

    fn trees(&self) -> Vec<Arc<BvTree>> {
        self.meshes.iter().map(built).map(Arc::new).collect()
    }
}

fn unit_sized(name: &str) -> Mesh {
    let mesh = data_mesh(name);
    let (center, size) = (mesh.aabb().center(), mesh.aabb().size().norm());
    let vertices = mesh.vertices().iter().map(|p| ((p.map(f64::from) - center) / size).map(|x| x as f32).into());
    Mesh::from_arrays(vertices.collect(), mesh.triangles().to_vec()).expect("the same triangles")
}

fn built(mesh: &Mesh) -> BvTree {
    BvTree::build(mesh, &BuildOptions::default()).expect("valid options")
}

/// What was done, the seconds it took, and how many pairs touch then.
type Row = (String, f64, usize);

fn ours(world: &World, trees: &[Arc<BvTree>]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut began = Instant::now();
    let mut scene = Scene::new();
    let ids: Vec<BodyId> = world
        .bodies
        .iter()
        .map(|(mesh, pose)| scene.add(Body::moving(trees[*mesh].clone(), *pose)).expect("near enough"))
        .collect();
    rows.push(("put".to_owned(), began.elapsed().as_secs_f64(), 0));
    began = Instant::now();
    let touching = scene.touching_pairs().len();
    rows.push(("first".to_owned(), began.elapsed().as_secs_f64(), touching));
    for (what, each) in [("all moved", 1), ("1% moved", 100)] {
        for _ in 0..3 {
            began = Instant::now();
            let moved = ids.iter().step_by(each).map(|&id| {
                let pose = scene.body(id).expect("it is there").pose;
                let at = pose.translation() + Vector3::x() * SHIFT;
                (id, Pose::new(*pose.rotation(), at).expect("a rotation"))
            });
            let moved: Vec<_> = moved.collect();
            scene.set_poses(moved).expect("near enough");
            let touching = scene.touching_pairs().len();
            rows.push((what.to_owned(), began.elapsed().as_secs_f64(), touching));
        }
    }
    rows
}

fn beside_fcl() -> Result<(), Box<dyn Error>> {
    let world = World::new(10_000, 500);
    let trees = world.trees();
    let file = std::env::temp_dir().join("bvtree-scene.raw");
    world.write(std::io::BufWriter::new(std::fs::File::create(&file)?))?;
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (one, all) = (alone.install(|| ours(&world, &trees)), ours(&world, &trees));
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/peer_fcl_scene");
    let fcl = Command::new(program).arg(&file).output();
    let fcl = fcl.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    println!("what,touching,one_thread_ms,all_threads_ms,fcl_ms,fcl_touching,ratio_one,ratio_all");
    let mut sums = [0.0; 3];
    for (i, (one, all)) in one.iter().zip(&all).enumerate() {
        assert_eq!((&one.0, one.2), (&all.0, all.2), "the number of threads decides nothing");
        let fields: Vec<&str> = fcl.lines().nth(i + 1).unwrap_or("none,nan,0").split(',').collect();
        let seconds: f64 = fields[1].parse()?;
        for (sum, seconds) in sums.iter_mut().zip([one.1, all.1, seconds]) {
            *sum += seconds;
        }
        println!(
            "{},{},{:.3},{:.3},{:.3},{},{:.1},{:.1}",
            one.0,
            one.2,
            1e3 * one.1,
            1e3 * all.1,
            1e3 * seconds,
            fields[2],
            seconds / one.1,
            seconds / all.1
        );
    }
    let [one, all, fcl] = sums;
    println!("in all,,{:.3},{:.3},{:.3},,{:.1},{:.1}", 1e3 * one, 1e3 * all, 1e3 * fcl, fcl / one, fcl / all);
    Ok(())
}

/// Milliseconds.
fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let began = Instant::now();
    let result = std::hint::black_box(work());
    (result, 1e3 * began.elapsed().as_secs_f64())
}

/// The pairs of neighbours as a scene finds them, against all overlapping pairs of boxes in parry3d's tree; both on one thread.
fn beside_parry() {
    println!("bodies,what,ours_ms,parry_ms");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mesh = Mesh::from_arrays(vec![[0.0; 3].into(), [1.0; 3].into(), [1.0, 0.0, 0.0].into()], vec![[0, 1, 2]]);
    let tree = Arc::new(built(&mesh.expect("a triangle")));
    for count in [1_000, 10_000, 100_000] {
        let side = (count as f64).cbrt() * 1.25;
        let mut random = Random(3);
        let places: Vec<_> = (0..count).map(|_| Vector3::from_fn(|_, _| side * random.unit())).collect();
        let pose = |at: &Vector3<f64>| Pose::from(Isometry3::new(*at, Vector3::zeros()));
        let aabb = |at: &Vector3<f64>| {
            let lower = parry3d::math::Vector::new(at.x as f32, at.y as f32, at.z as f32);
            Aabb::new(lower, lower + parry3d::math::Vector::splat(1.0))
        };
        alone.install(|| {
            let ((mut scene, ids), put) = timed(|| {
                let mut scene = Scene::new();
                let bodies = places.iter().map(|at| Body::moving(tree.clone(), pose(at)));
                let ids: Vec<_> = bodies.map(|body| scene.add(body).expect("near enough")).collect();
                (scene, ids)
            });
            let (mut bvh, parry_put) =
                timed(|| Bvh::from_iter(BvhBuildStrategy::Binned, places.iter().map(aabb).enumerate()));
            println!("{count},put,{put:.2},{parry_put:.2}");
            let near = |scene: &mut Scene| {
                let mut pairs = 0;
                scene.for_each_neighbor(
                    0.0,
                    |_, _| Some(()),
                    |()| {
                        pairs += 1;
                        std::ops::ControlFlow::Continue(())
                    },
                );
                pairs
            };
            let parry_near = |bvh: &Bvh| bvh.leaf_pairs(bvh, |a, b| a.intersects(b)).count();
            let (pairs, first) = timed(|| near(&mut scene));
            let (parry_pairs, parry_first) = timed(|| parry_near(&bvh));
            println!("{count},first pairs ({pairs} and {}),{first:.2},{parry_first:.2}", (parry_pairs - count) / 2);
            for (what, each) in [("all moved, pairs", 1), ("1% moved, pairs", 100)] {
                let moved = |at: &Vector3<f64>| at + Vector3::x() * SHIFT;
                let (_, own) = timed(|| {
                    scene
                        .set_poses(places.iter().zip(&ids).step_by(each).map(|(at, &id)| (id, pose(&moved(at)))))
                        .expect("near");
                    near(&mut scene)
                });
                let (_, parry) = timed(|| {
                    for (number, at) in places.iter().enumerate().step_by(each) {
                        bvh.insert_or_update_partially(aabb(&moved(at)), number as u32, 0.0);
                    }
                    bvh.refit_without_opt();
                    parry_near(&bvh)
                });
                println!("{count},{what},{own:.2},{parry:.2}");
            }
        });
    }
}

/// Megabytes that this process holds, where the system tells.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(f64::NAN);
    pages * 4096.0 / 1e6
}

fn scaling() -> Result<(), Box<dyn Error>> {
    println!("bodies,touching,put_ms,first_ms,all_moved_ms,1%_moved_ms,scene_MB");
    for bodies in [1_000, 3_000, 10_000, 30_000, 100_000] {
        let world = World::new(bodies, bodies / 20);
        let trees = world.trees();
        let before = memory();
        let mut scene = Scene::new();
        for (mesh, pose) in &world.bodies {
            scene.add(Body::moving(trees[*mesh].clone(), *pose))?;
        }
        scene.touching_pairs();
        let held = memory() - before;
        drop(scene);
        let rows = ours(&world, &trees);
        let best =
            |what: &str| rows.iter().filter(|row| row.0 == what).map(|row| 1e3 * row.1).fold(f64::INFINITY, f64::min);
        let touching = rows[1].2;
        let times = ["put", "first", "all moved", "1% moved"].map(best);
        println!("{bodies},{touching},{:.2},{:.2},{:.2},{:.3},{held:.1}", times[0], times[1], times[2], times[3]);
    }
    Ok(())
}
