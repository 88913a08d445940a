//! bvtree's character beside rapier3d's `KinematicCharacterController`: the same level, the same walks, in one run.
//!
//! `cargo run --release [CELL]`: the level's faces are cut into cells of that size; 0.16 makes 100,000 triangles and more.

#[path = "../../../examples/character/level.rs"]
mod level;
mod ours;
mod theirs;

use std::time::{Duration, Instant};

use bvtree::{BuildOptions, BvTree, Probe};
use level::{Course, Level, toward};
use nalgebra::{Point3, Vector3};
use ours::Ours;
use theirs::Theirs;

const SPEEDS: [f64; 3] = [1.0, 4.0, 12.0];
const STEPS: [f64; 5] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0, 1.0 / 10.0, 1.0 / 5.0];

/// Something that walks.
trait Walker {
    fn place(&mut self, feet: Point3<f64>);
    fn step(&mut self, walk: &Vector3<f64>, time: f64);
    fn feet(&self) -> Point3<f64>;
}

/// What came of a walk.
struct Outcome {
    arrives: bool,
    /// Least distance of the capsule from the level; negative inside.
    least: f64,
    moves: usize,
    spent: Duration,
}

fn walk(walker: &mut dyn Walker, course: &Course, speed: f64, time: f64, level: &mut Gauge) -> Outcome {
    walker.place(course.start + Vector3::z() * 0.02);
    let from = std::iter::once(course.start.xy()).chain(course.waypoints.iter().copied());
    let length: f64 = from.zip(&course.waypoints).map(|(from, to)| (to - from).norm()).sum();
    let patience = length / speed * 1.5 + 2.0;
    let (mut next, mut waited) = (0, 0.0);
    let mut outcome = Outcome { arrives: false, least: f64::INFINITY, moves: 0, spent: Duration::ZERO };
    let mut step = |walker: &mut dyn Walker, walk: Vector3<f64>, outcome: &mut Outcome| {
        let start = Instant::now();
        walker.step(&walk, time);
        outcome.spent += start.elapsed();
        outcome.moves += 1;
        outcome.least = outcome.least.min(level.distance(&walker.feet()));
    };
    for _ in 0..(patience * course.waypoints.len() as f64 / time) as usize {
        let wish = toward(&walker.feet(), &course.waypoints[next], speed, time);
        step(walker, wish, &mut outcome);
        waited += time;
        if (walker.feet().xy() - course.waypoints[next]).norm() < 0.02 || waited > patience {
            if next + 1 == course.waypoints.len() {
                break;
            }
            (next, waited) = (next + 1, 0.0);
        }
    }
    for _ in 0..(1.0 / time) as usize {
        step(walker, Vector3::zeros(), &mut outcome);
    }
    let (end, [low, high]) = (walker.feet(), course.end);
    // Their gap is of another size: twice the room upward.
    outcome.arrives = (0..3).all(|k| low[k] - 0.02 <= end[k] && end[k] <= high[k] + 0.03);
    outcome
}

/// Measures how deep a capsule is in the level, outside of what is timed.
struct Gauge<'a> {
    tree: &'a BvTree,
    probe: Probe,
}

impl Gauge<'_> {
    fn distance(&mut self, feet: &Point3<f64>) -> f64 {
        let capsule = ours::capsule(feet);
        self.probe.nearest_contact(self.tree, &capsule, 0.2).map_or(0.2, |contact| contact.distance)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cell: f64 = std::env::args().nth(1).map_or(Ok(0.16), |cell| cell.parse())?;
    let level = Level::new(cell);
    println!("{} triangles", level.mesh.triangles().len());
    let tree = BvTree::build(&level.mesh, &BuildOptions::default())?;
    let mut gauge = Gauge { tree: &tree, probe: Probe::new() };
    let mut walkers: [(&str, Box<dyn Walker>); 2] =
        [("bvtree", Box::new(Ours::new(&tree)?)), ("rapier3d", Box::new(Theirs::new(&level.mesh)?))];

    println!("\n{:<17}{:>31}{:>31}", "", walkers[0].0, walkers[1].0);
    println!("{:<17}{:>9}{:>11}{:>11}{:>9}{:>11}{:>11}", "course", "arrives", "least gap", "us/move", "arrives", "least gap", "us/move");
    let mut totals = [(0, Duration::ZERO, 0); 2];
    let mut ratios = Vec::new();
    for course in &level.courses {
        let mut line = format!("{:<17}", course.name);
        let mut means = [0.0; 2];
        for (i, (_, walker)) in walkers.iter_mut().enumerate() {
            let (mut arrived, mut least, mut moves, mut spent) = (0, f64::INFINITY, 0, Duration::ZERO);
            for speed in SPEEDS {
                for time in STEPS {
                    let outcome = walk(walker.as_mut(), course, speed, time, &mut gauge);
                    arrived += usize::from(outcome.arrives);
                    least = outcome.least.min(least);
                    moves += outcome.moves;
                    spent += outcome.spent;
                }
            }
            means[i] = spent.as_secs_f64() * 1e6 / moves as f64;
            totals[i].0 += arrived;
            totals[i].1 += spent;
            totals[i].2 += moves;
            line += &format!("{:>9}{:>11.4}{:>11.2}", format!("{arrived}/15"), least, means[i]);
        }
        ratios.push(means[1] / means[0]);
        println!("{line}   {:.1}x", means[1] / means[0]);
    }
    let mean = |i: usize| totals[i].1.as_secs_f64() * 1e6 / totals[i].2 as f64;
    let all = level.courses.len() * 15;
    println!("\nbvtree arrives in {} of {all} walks at {:.2} us/move, rapier3d in {} at {:.2}: {:.1} times as long", totals[0].0, mean(0), totals[1].0, mean(1), mean(1) / mean(0));
    Ok(())
}
