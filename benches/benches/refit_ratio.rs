//! A refit beside the quickest rebuild and other libraries' refits, in one run; and queries on refitted trees beside
//! queries on fresh ones.
//!
//! `cargo bench --bench refit_ratio -- [--mode refit|partly|walk] [--rounds N]`
//!
//! CSV on stdout. `refit`: nanoseconds per triangle of every kind on one thread, the fastest of N rounds in which all
//! take turns: a refit, the same on two threads, a build by the quickest preset, parry3d's refit of a tree of the
//! triangles' boxes, and FCL's refit (from below) of its models where `make -C benches/peers fcl_refit` has been run.
//! `partly`: a patch of 1% of the vertices moves. `walk`: hit, pairs and distance of two characters while one walks, on
//! refitted and on fresh trees, in microseconds per question.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Preset, Query, VolumeKind};
use bvtree_benches::meshes::{data_mesh, dataset, dataset_mesh, subdivided};
use bvtree_benches::parry::ParryRefit;
use bvtree_benches::ratio;
use bvtree_benches::walk;
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::ThreadPool;

const MODES: [&str; 3] = ["refit", "partly", "walk"];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(options) = ratio::options("refit_ratio", &MODES) else { return Ok(()) };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one_thread, two_threads) = (pool(1)?, pool(2)?);
    one_thread.install(|| {
        let is_asked = |mode: &str| options.mode.as_deref().is_none_or(|asked| asked == mode);
        if is_asked("refit") {
            println!("mesh,triangles,kind,axes,refit_ns,two_threads_ns,build_ns,parry_ns,fcl_ns,build_ratio,parry_ratio,fcl_ratio,two_threads_ratio,two_threads_parry_ratio,two_threads_fcl_ratio,cost_ratio");
            meshes().iter().for_each(|(name, mesh)| refits(&two_threads, name, mesh, options.rounds));
        }
        if is_asked("partly") {
            println!("mesh,triangles,kind,moved,partly_us,wholly_us,part");
            meshes().iter().for_each(|(name, mesh)| parts(name, mesh, options.rounds));
        }
        if is_asked("walk") {
            println!("kind,axes,question,refitted_us,fresh_us,ratio,cost_ratio");
            walks(options.rounds);
        }
    });
    Ok(())
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    let mut meshes = vec![("character", data_mesh("character"))];
    if let Some(dataset) = dataset() {
        meshes.extend(["stanford-bunny", "armadillo"].map(|name| (name, dataset_mesh(&dataset, name))));
    }
    meshes.push(("character-16", subdivided(&subdivided(&data_mesh("character")))));
    meshes
}

/// Seconds.
fn timed<R>(best: &mut f64, work: impl FnOnce() -> R) -> R {
    let began = Instant::now();
    let result = black_box(work());
    *best = best.min(began.elapsed().as_secs_f64());
    result
}

fn with_axes() -> impl Iterator<Item = (VolumeKind, ObbAxes)> {
    let axes = |kind| if kind == VolumeKind::Obb { &ObbAxes::ALL[..] } else { &[ObbAxes::Turned] };
    VolumeKind::ALL.into_iter().flat_map(move |kind| axes(kind).iter().map(move |&axes| (kind, axes)))
}

fn deforming(mesh: &Mesh, build: &BuildOptions, obb_axes: ObbAxes) -> DeformingTree {
    let tree = BvTree::build(mesh, build).expect("valid options");
    let options = RefitOptions { obb_axes, rebuild_above: None };
    DeformingTree::with_options(tree, mesh.clone(), options).expect("its mesh")
}

fn refits(two_threads: &ThreadPool, name: &str, mesh: &Mesh, rounds: usize) {
    let frames: Vec<_> = (0..4).map(|i| walk::step(mesh, f64::from(i) / 4.0 + 0.1)).collect();
    let deformed: Vec<_> =
        frames.iter().map(|frame| Mesh::from_arrays(frame.clone(), mesh.triangles().to_vec())).collect();
    for (kind, axes) in with_axes() {
        let mut tree = deforming(mesh, &Preset::Balanced.options(kind), axes);
        let mut parry = ParryRefit::new(mesh);
        let [mut of_refit, mut of_two, mut of_build, mut of_parry, mut of_fcl] = [f64::INFINITY; 5];
        let mut cost_ratio = 0.0;
        for round in 0..rounds {
            let frame = &frames[round % frames.len()];
            let mesh = deformed[round % frames.len()].as_ref().expect("the same triangles");
            cost_ratio = timed(&mut of_refit, || tree.refit(frame)).expect("positions").cost_ratio;
            two_threads.install(|| timed(&mut of_two, || tree.refit(frame))).expect("positions");
            timed(&mut of_parry, || parry.refit(frame));
            if round % 3 == 0 {
                timed(&mut of_build, || BvTree::build(mesh, &Preset::Fast.options(kind)).expect("valid options"));
                of_fcl = of_fcl.min(fcl(kind, mesh).unwrap_or(f64::INFINITY));
            }
        }
        let per_triangle = |seconds: f64| 1e9 * seconds / mesh.triangles().len() as f64;
        let [refit, two, build, parry, fcl] = [of_refit, of_two, of_build, of_parry, of_fcl].map(per_triangle);
        let [build_ratio, parry_ratio, fcl_ratio] = [build, parry, fcl].map(|other| other / refit);
        let [two_ratio, two_parry_ratio, two_fcl_ratio] = [refit, parry, fcl].map(|other| other / two);
        println!(
            "{name},{},{kind},{axes},{refit:.1},{two:.1},{build:.1},{parry:.1},{fcl:.1},{build_ratio:.1},{parry_ratio:.1},{fcl_ratio:.1},{two_ratio:.2},{two_parry_ratio:.1},{two_fcl_ratio:.1},{cost_ratio:.2}",
            mesh.triangles().len()
        );
    }
}

/// Seconds of FCL's refit: of its OBBs with rectangle swept spheres for oriented boxes, of the same without and of
/// AABBs otherwise.
fn fcl(kind: VolumeKind, mesh: &Mesh) -> Option<f64> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/peer_fcl_refit");
    let file = std::env::temp_dir().join("bvtree-refit.raw");
    let mut bytes = Vec::new();
    for count in [mesh.vertices().len(), mesh.triangles().len()] {
        bytes.extend((count as u32).to_le_bytes());
    }
    bytes.extend(mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).flat_map(f32::to_le_bytes));
    bytes.extend(mesh.triangles().iter().flatten().flat_map(|index| index.to_le_bytes()));
    std::fs::write(&file, bytes).ok()?;
    let variant = if kind == VolumeKind::Obb { "OBBRSS" } else { "AABB" };
    let output = Command::new(program).arg(&file).arg(variant).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn parts(name: &str, mesh: &Mesh, rounds: usize) {
    let size = mesh.aabb().size().amax() as f32;
    let around = |center: usize, radius: f32| {
        let center = mesh.vertices()[center];
        let near = (0..).zip(mesh.vertices()).filter(move |(_, vertex)| (*vertex - center).norm() < radius * size);
        near.map(move |(number, vertex)| (number, vertex + (vertex - center) * 0.05)).collect::<Vec<_>>()
    };
    let count = mesh.vertices().len();
    // The radius at which the patch has 1% of the vertices.
    let radius = (1..1000).map(|i| 0.002 * i as f32).find(|&radius| around(count / 2, radius).len() * 100 >= count);
    let there = around(count / 2, radius.unwrap_or(1.0));
    let back: Vec<_> = there.iter().map(|&(number, _)| (number, mesh.vertices()[number as usize])).collect();
    for kind in VolumeKind::ALL {
        let mut tree = deforming(mesh, &Preset::Balanced.options(kind), ObbAxes::Turned);
        tree.refit_moved(&there).expect("positions");
        let [mut partly, mut wholly] = [f64::INFINITY; 2];
        for round in 0..4 * rounds {
            let moved = if round % 2 == 0 { &back } else { &there };
            timed(&mut partly, || tree.refit_moved(moved)).expect("positions");
            timed(&mut wholly, || tree.refit(mesh.vertices())).expect("positions");
        }
        println!(
            "{name},{},{kind},{},{:.1},{:.1},{:.3}",
            mesh.triangles().len(),
            there.len(),
            1e6 * partly,
            1e6 * wholly,
            partly / wholly
        );
    }
}

fn walks(rounds: usize) {
    let mesh = data_mesh("character");
    let size = mesh.aabb().size();
    let poses: Vec<Pose> = (0..24)
        .map(|i| {
            let t = f64::from(i) / 24.0;
            let turn = Vector3::new(0.3 * t, 0.2, 6.0 * t);
            Isometry3::new(
                Vector3::new((1.2 * t).sin(), (5.0 * t).cos(), 0.3 * t - 0.2) * (0.7 * size.amax() * t),
                turn,
            )
            .into()
        })
        .collect();
    let frames: Vec<Vec<Point3<f32>>> = (0..8).map(|i| walk::step(&mesh, f64::from(i) / 8.0)).collect();
    for (kind, axes) in with_axes() {
        let build = Preset::Balanced.options(kind);
        let still = BvTree::build(&mesh, &build).expect("valid options");
        let mut tree = deforming(&mesh, &build, axes);
        let mut sums = [[0.0; 2]; 3];
        let mut worst_cost: f64 = 0.0;
        for frame in &frames {
            worst_cost = worst_cost.max(tree.refit(frame).expect("positions").cost_ratio);
            let fresh = BvTree::build(tree.mesh(), &build).expect("valid options");
            let mut query = Query::new();
            for (question, sums) in sums.iter_mut().enumerate() {
                let mut best = [vec![f64::INFINITY; poses.len()], vec![f64::INFINITY; poses.len()]];
                for _ in 0..rounds {
                    for (tree, best) in [&**tree.tree(), &fresh].into_iter().zip(&mut best) {
                        ratio::pass(&poses, best, |pose| match question {
                            0 => f64::from(u8::from(query.intersects(tree, &still, pose))),
                            1 => query.count_pairs(tree, &still, pose) as f64,
                            _ => query.distance(tree, &still, pose).map_or(0.0, |found| found.distance),
                        });
                    }
                }
                for (sum, best) in sums.iter_mut().zip(&best) {
                    *sum += best.iter().sum::<f64>() / (poses.len() * frames.len()) as f64;
                }
            }
        }
        for (question, [refitted, fresh]) in ["hit", "pairs", "distance"].into_iter().zip(sums) {
            println!("{kind},{axes},{question},{refitted:.2},{fresh:.2},{:.3},{worst_cost:.2}", refitted / fresh);
        }
    }
}
