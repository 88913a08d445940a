//! Refits the tree of a waving tentacle in every frame, and queries its contacts with and distance from a post:
//! `cargo run --release -p bvtree --example deforming [FOLDER]`.
//!
//! If a folder is given, the program writes six frames there as an assembly. View them with
//! `bvtree clash FOLDER/frames.json --html frames.html`.

use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use std::time::{Duration, Instant};

use bvtree::refit::{DeformingTree, RefitOptions};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Point3, Rotation3, Vector3};

const RINGS: u32 = 200;
const AROUND: u32 = 48;
const FRAMES: u32 = 48;

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::args().nth(1) {
        return write_frames(Path::new(&folder));
    }
    let mesh = Mesh::from_arrays(tentacle(0.0), triangles())?;
    let post = BvTree::build(
        &Mesh::load_obj(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bolt.obj"))?,
        &BuildOptions::default(),
    )?;
    let beside = Pose::from(Isometry3::new(Vector3::new(9.0, 0.0, 10.0), Vector3::zeros()));
    println!("{} triangles", mesh.triangles().len());
    for kind in VolumeKind::ALL {
        let build = BuildOptions { kind, ..BuildOptions::default() };
        let (tree, build_time) = timed(|| BvTree::build(&mesh, &build));
        // Rebuilds when queries are expected to take 1.5 times as long as on a fresh tree.
        let options = RefitOptions { rebuild_above: Some(1.5), ..RefitOptions::default() };
        let mut tree = DeformingTree::with_options(tree?, mesh.clone(), options)?;
        println!("\n{kind}: built in {build_time:.1?}");
        println!("frame  refit        queries      cost  touching  distance");
        let mut query = Query::new();
        for frame in 0..FRAMES {
            let positions = tentacle(f64::from(frame) / f64::from(FRAMES));
            let (refitted, refit_time) = timed(|| tree.refit(&positions));
            let refitted = refitted?;
            let ((pairs, distance), query_time) = timed(|| {
                let pairs = query.count_pairs(tree.tree(), &post, &beside);
                (pairs, query.distance(tree.tree(), &post, &beside))
            });
            if frame % 6 == 0 || refitted.was_rebuilt {
                println!(
                    "{frame:5}  {:11}  {:11}  {:.2}  {pairs:8}  {:.3}{}",
                    format!("{refit_time:.1?}"),
                    format!("{query_time:.1?}"),
                    refitted.cost_ratio,
                    distance.ok_or("no triangles")?.distance,
                    if refitted.was_rebuilt { "  rebuilt" } else { "" }
                );
            }
        }
    }

    // Only the tip moves: nodes without moved vertices keep their volumes.
    let tree = BvTree::build(&mesh, &BuildOptions::default())?;
    let mut tree = DeformingTree::new(tree, mesh.clone())?;
    tree.refit(&tentacle(0.1))?;
    let first = (RINGS - 4) * AROUND;
    let moved = |vertex: u32| (vertex, tree.mesh().vertices()[vertex as usize] + Vector3::x() * 0.2);
    let tip: Vec<_> = (first..RINGS * AROUND).map(moved).collect();
    let (refitted, time) = timed(|| tree.refit_moved(&tip));
    println!(
        "\nmoving the tip alone recomputes {} of {} volumes in {time:.1?}",
        refitted?.volumes,
        tree.tree().node_count()
    );
    Ok(())
}

/// The tentacle's vertices at a time from 0 to 1: rings along a spine whose curvature grows towards the tip.
fn tentacle(time: f64) -> Vec<Point3<f32>> {
    let mut vertices = Vec::with_capacity((RINGS * AROUND) as usize);
    let (mut spine, mut angle) = (Point3::new(0.0, 0.0, 0.0), 0.0);
    for ring in 0..RINGS {
        let along = f64::from(ring) / f64::from(RINGS);
        let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), angle);
        for k in 0..AROUND {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            let radius = 2.0 * (1.0 - 0.8 * along);
            vertices.push((spine + turn * Vector3::new(radius * cos, radius * sin, 0.0)).map(|x| x as f32));
        }
        spine += turn * Vector3::z() * (40.0 / f64::from(RINGS));
        angle += 3.0 * along * (TAU * (time - 0.7 * along)).sin() / f64::from(RINGS) * 2.0;
    }
    vertices
}

fn triangles() -> Vec<[u32; 3]> {
    let quad = |ring: u32, k: u32| {
        let next = (k + 1) % AROUND;
        let [a, b, c, d] =
            [ring * AROUND + k, ring * AROUND + next, (ring + 1) * AROUND + next, (ring + 1) * AROUND + k];
        [[a, b, c], [a, c, d]]
    };
    (0..RINGS - 1).flat_map(|ring| (0..AROUND).flat_map(move |k| quad(ring, k))).collect()
}

/// Writes frames side by side, each with its own post.
fn write_frames(folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bolt.obj"), folder.join("post.obj"))?;
    let faces: String = triangles().iter().map(|f| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1)).collect();
    let mut bodies = Vec::new();
    for frame in 0..6 {
        let vertices = tentacle(f64::from(frame) / 6.0);
        let vertices: String = vertices.iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z)).collect();
        let name = format!("frame-{frame}");
        std::fs::write(folder.join(format!("{name}.obj")), vertices + &faces)?;
        let along = 30 * frame;
        bodies.push(format!(r#"{{"name": "{name}", "mesh": "{name}.obj", "translation": [0, {along}, 0]}}"#));
        bodies.push(format!(r#"{{"name": "post-{frame}", "mesh": "post.obj", "translation": [9, {along}, 10]}}"#));
    }
    std::fs::write(folder.join("frames.json"), format!("{{\"bodies\": [\n{}\n]}}\n", bodies.join(",\n")))?;
    Ok(())
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let began = Instant::now();
    (work(), began.elapsed())
}
