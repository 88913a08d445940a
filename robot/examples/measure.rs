//! Times questions about one robot at random configurations within its limits, on one thread:
//! `cargo run --release -p bvtree-robot --example measure -- URDF [SRDF [QUESTION]]`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use bvtree::Pose;
use bvtree_robot::{Checker, ImpactOptions, Robot, RobotOptions, World};
use nalgebra::Vector3;

const REPEATS: usize = 10;
const BLOCK: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let urdf = arguments.next().ok_or("expected a URDF file")?;
    let srdf = arguments.next().filter(|path| !path.is_empty());
    let only = arguments.next().unwrap_or_default();
    let robot = Robot::open(urdf, srdf.as_deref().map(Path::new), &RobotOptions::default())?;
    let mut world = World::new();
    world.add_box("table", Vector3::new(0.8, 1.2, 0.1), &Pose::from_translation(Vector3::new(0.7, 0.0, -0.05))?)?;
    world.add_box("post", Vector3::new(0.1, 0.1, 1.5), &Pose::from_translation(Vector3::new(0.4, 0.4, 0.75))?)?;
    let mut checker = Checker::new(&robot, &world);
    let mut seed = 1_u64;
    let mut random = |lower: f64, upper: f64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        lower + (upper - lower) * ((seed >> 33) as f64 / (1_u64 << 31) as f64)
    };
    let limits: Vec<[f64; 2]> = robot.limits().into_iter().map(|[a, b]| [a.max(-3.0), b.min(3.0)]).collect();
    let rows: Vec<Vec<f64>> =
        (0..1000).map(|_| limits.iter().map(|&[lower, upper]| random(lower, upper)).collect()).collect();
    println!("{} values, {} pairs", robot.values().len(), checker.pairs().len());

    let mut timed = |what: &str, ask: &mut dyn FnMut(&mut Checker, usize) -> bool| {
        if !what.starts_with(&only) {
            return;
        }
        // The best time of each small block of configurations, during which other programs seldom interrupt this one.
        let mut best = vec![f64::INFINITY; rows.len().div_ceil(BLOCK)];
        let mut yes = 0;
        for _ in 0..REPEATS {
            yes = 0;
            for (block, best) in best.iter_mut().enumerate() {
                let began = Instant::now();
                let rows = block * BLOCK..rows.len().min((block + 1) * BLOCK);
                yes += rows.filter(|&row| ask(&mut checker, row)).count();
                *best = best.min(began.elapsed().as_secs_f64());
            }
        }
        let best: f64 = best.iter().sum();
        println!("{what}: {:.2} us, {yes} of {}", best / rows.len() as f64 * 1e6, rows.len());
    };
    timed("kinematics", &mut |checker, row| checker.place(&rows[row]).is_ok());
    timed("free", &mut |checker, row| checker.is_free(&rows[row], 0.0) == Ok(true));
    timed("free with 20 mm", &mut |checker, row| checker.is_free(&rows[row], 0.02) == Ok(true));
    timed("all pairs", &mut |checker, row| checker.colliding(&rows[row], 0.0).is_ok_and(|pairs| pairs.is_empty()));
    timed("distance", &mut |checker, row| {
        checker.closest(&rows[row], f64::INFINITY).is_ok_and(|found| found.is_some())
    });
    let next = |row: usize| &rows[(row + 1) % rows.len()];
    timed("first blocked of 128", &mut |checker, row| {
        row % 20 == 0 && checker.first_blocked(&rows[row], next(row), 128, 0.0) == Ok(None)
    });
    let options = ImpactOptions { clearance: 0.005, ..ImpactOptions::default() };
    timed("first impact", &mut |checker, row| {
        row % 20 == 0 && checker.first_impact(&rows[row], next(row), &options) == Ok(None)
    });
    Ok(())
}
