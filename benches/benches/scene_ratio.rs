//! Scenes of many bodies: beside FCL, and from a thousand to a hundred thousand bodies, with memory.
//!
//! `cargo bench --bench scene_ratio -- [--mode fcl|scaling] [--rounds N]`
//!
//! CSV on stdout, milliseconds. `fcl`: 10,000 bodies with 500 touching pairs, most far apart; bvtree on one thread and
//! on all, and FCL's `DynamicAABBTreeCollisionManager` over OBBRSS models (`make -C benches/peers fcl_scene`), which
//! must count the same; medians of N rounds in which the three take turns, ratios likewise, and ratios of the fastest.
//! `scaling`: the same kind of scene of more and more bodies, the best of N, with the process's memory.
//!
//! The broad phase alone is measured in `benches/rapier`.

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

const MODES: [&str; 2] = ["fcl", "scaling"];

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
        beside_fcl(options.rounds)?;
    }
    if is_asked("scaling") {
        scaling(options.rounds)?;
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
    let bodies = world.bodies.iter().map(|(mesh, pose)| Body::moving(trees[*mesh].clone(), *pose));
    let ids: Vec<BodyId> = scene.add_all(bodies).expect("near enough");
    rows.push(("put".to_owned(), began.elapsed().as_secs_f64(), 0));
    began = Instant::now();
    let touching = scene.intersecting_pairs().len();
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
            let touching = scene.intersecting_pairs().len();
            rows.push((what.to_owned(), began.elapsed().as_secs_f64(), touching));
        }
    }
    rows
}

/// What FCL's program tells; nothing where it is not there.
fn theirs(file: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/peer_fcl_scene");
    let Ok(output) = Command::new(program).arg(file).output() else { return Ok(Vec::new()) };
    let row = |line: &str| -> Result<Row, Box<dyn Error>> {
        let [what, seconds, touching]: [&str; 3] =
            line.split(',').collect::<Vec<_>>().try_into().map_err(|_| format!("not a row: {line}"))?;
        Ok((what.to_owned(), seconds.parse()?, touching.parse()?))
    };
    String::from_utf8(output.stdout)?.lines().skip(1).map(row).collect()
}

/// Seconds of each row, and of all.
fn times(rows: &[Row]) -> Vec<f64> {
    let times = rows.iter().map(|row| row.1);
    times.clone().chain([times.sum()]).collect()
}

fn median(of: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = of.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn beside_fcl(rounds: usize) -> Result<(), Box<dyn Error>> {
    let world = World::new(10_000, 500);
    let trees = world.trees();
    let file = tempfile::NamedTempFile::new()?;
    world.write(std::io::BufWriter::new(file.as_file()))?;
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut measured: [Vec<Vec<f64>>; 3] = Default::default();
    let mut rows = Vec::new();
    for _ in 0..rounds {
        let (one, all) = (alone.install(|| ours(&world, &trees)), ours(&world, &trees));
        let fcl = theirs(file.path())?;
        for (i, one) in one.iter().enumerate() {
            assert_eq!((&one.0, one.2), (&all[i].0, all[i].2), "the number of threads decides nothing");
            assert!(fcl.is_empty() || (&one.0, one.2) == (&fcl[i].0, fcl[i].2), "FCL counts others: {:?}", fcl[i]);
        }
        for (measured, rows) in measured.iter_mut().zip([&one, &all, &fcl]) {
            measured.push(times(rows));
        }
        rows = one;
    }
    println!("what,touching,one_thread_ms,all_threads_ms,fcl_ms,ratio_one,ratio_all,best_one,best_all");
    let names = rows.iter().map(|row| (row.0.as_str(), row.2.to_string()));
    for (i, (what, touching)) in names.chain([("in all", String::new())]).enumerate() {
        let of = |who: usize| measured[who].iter().filter_map(move |times| times.get(i).copied());
        let [one, all, fcl] = [0, 1, 2].map(|who| 1e3 * median(of(who)));
        let ratio = |who: usize| median(of(2).zip(of(who)).map(|(fcl, own)| fcl / own));
        let least = |who: usize| of(who).fold(f64::INFINITY, f64::min);
        let best = |who: usize| least(2) / least(who);
        let [ratios, bests] = [[ratio(0), ratio(1)], [best(0), best(1)]];
        println!(
            "{what},{touching},{one:.3},{all:.3},{fcl:.3},{:.1},{:.1},{:.1},{:.1}",
            ratios[0], ratios[1], bests[0], bests[1]
        );
    }
    Ok(())
}

/// Megabytes that this process holds, where the system tells.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(f64::NAN);
    pages * 4096.0 / 1e6
}

fn scaling(rounds: usize) -> Result<(), Box<dyn Error>> {
    println!("bodies,touching,put_ms,first_ms,all_moved_ms,1%_moved_ms,scene_MB");
    for bodies in [1_000, 3_000, 10_000, 30_000, 100_000] {
        let world = World::new(bodies, bodies / 20);
        let trees = world.trees();
        let before = memory();
        let mut scene = Scene::new();
        scene.add_all(world.bodies.iter().map(|(mesh, pose)| Body::moving(trees[*mesh].clone(), *pose)))?;
        scene.intersecting_pairs();
        let held = memory() - before;
        drop(scene);
        let rows: Vec<Row> = (0..rounds).flat_map(|_| ours(&world, &trees)).collect();
        let best =
            |what: &str| rows.iter().filter(|row| row.0 == what).map(|row| 1e3 * row.1).fold(f64::INFINITY, f64::min);
        let touching = rows[1].2;
        let times = ["put", "first", "all moved", "1% moved"].map(best);
        println!("{bodies},{touching},{:.2},{:.2},{:.2},{:.3},{held:.1}", times[0], times[1], times[2], times[3]);
    }
    Ok(())
}
