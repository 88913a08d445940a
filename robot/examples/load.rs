//! Reads URDF files and says what is in them: `cargo run --release -p bvtree-robot --example load -- FILE...`.

use std::time::Instant;

use bvtree_robot::{Robot, RobotOptions};

fn main() {
    let mut failed = 0;
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let began = Instant::now();
        match Robot::open(path, None, &RobotOptions::default()) {
            Ok(robot) => println!(
                "{path}: {} links, {} values, {} pairs, {:.0} ms",
                robot.links().len(),
                robot.values().len(),
                robot.pairs().len(),
                began.elapsed().as_secs_f64() * 1e3
            ),
            Err(error) => {
                failed += 1;
                println!("{path}: error: {error}");
            }
        }
    }
    println!("{} of {} read", paths.len() - failed, paths.len());
}
