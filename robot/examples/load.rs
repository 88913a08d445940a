//! Reads URDF files and prints what is in them, and how long reading takes without a cache, while filling one, and from
//! a filled one: `cargo run --release -p bvtree-robot --example load -- FILE...`.

use std::error::Error;
use std::time::Instant;

use bvtree_robot::{Robot, RobotOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut failed = 0;
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let folder = tempfile::tempdir()?;
        let cached = RobotOptions { cache: Some(folder.path().to_owned()), ..RobotOptions::default() };
        let plain = RobotOptions::default();
        let timed = |options| {
            let began = Instant::now();
            Robot::open(path, None, options).map(|robot| (robot, began.elapsed().as_secs_f64() * 1e3))
        };
        match (timed(&plain), timed(&cached), timed(&cached)) {
            (Ok((robot, first)), Ok((_, filling)), Ok((_, again))) => println!(
                "{path}: {} links, {} values, {} pairs; {first:.1} ms, {filling:.1} ms with a new cache, {again:.2} ms \
                 from it",
                robot.links().len(),
                robot.values().len(),
                robot.pairs().len(),
            ),
            (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
                failed += 1;
                println!("{path}: error: {error}");
            }
        }
    }
    println!("{} of {} read", paths.len() - failed, paths.len());
    Ok(())
}
