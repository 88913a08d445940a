//! bvtree's character beside rapier3d's `KinematicCharacterController`: the same level, the same walks, in one run.
//!
//! `cargo run --release [CELL]`: the level's faces are cut into cells of that size; 0.16 makes 100,000 triangles and
//! more.

mod ours;
mod theirs;

use std::time::{Duration, Instant};

use bvtree::{BuildOptions, BvTree, Probe};
use bvtree_test_support::walking_level::{Course, Level, toward};
use nalgebra::{Point3, Vector3};
use ours::Ours;
use rapier3d::prelude::TriMeshFlags;
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
    end: Point3<f64>,
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
    let mut outcome =
        Outcome { arrives: false, end: course.start, least: f64::INFINITY, moves: 0, spent: Duration::ZERO };
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
    outcome.end = end;
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
        self.probe.closest_capsule_contact(self.tree, &capsule, 0.2).map_or(0.2, |contact| contact.distance)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cell: f64 = std::env::args().nth(1).map_or(Ok(0.16), |cell| cell.parse())?;
    let level = Level::new(cell);
    println!("{} triangles", level.mesh.triangles().len());
    let tree = BvTree::build(&level.mesh, &BuildOptions::default())?;
    let mut gauge = Gauge { tree: &tree, probe: Probe::new() };
    // With merged vertices and pseudo-normals, what is meant to keep inner edges from catching, and without.
    let fixed = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::MERGE_DUPLICATE_VERTICES;
    let mut walkers: [(&str, Box<dyn Walker>); 3] = [
        ("bvtree", Box::new(Ours::new(&tree)?)),
        ("rapier3d", Box::new(Theirs::new(&level.mesh, TriMeshFlags::empty())?)),
        ("rapier3d, inner edges", Box::new(Theirs::new(&level.mesh, fixed)?)),
    ];

    let title = |name: &str| format!("{name:>33}");
    println!("\n{:<17}{}", "", walkers.iter().map(|(name, _)| title(name)).collect::<String>());
    println!(
        "{:<17}{}",
        "course",
        format!("{:>11}{:>11}{:>11}", "arrives", "least gap", "us/move").repeat(walkers.len())
    );
    let mut totals = [Total::default(); 3];
    let mut failures = Vec::new();
    for course in &level.courses {
        let mut line = format!("{:<17}", course.name);
        for ((name, walker), total) in walkers.iter_mut().zip(&mut totals) {
            let mut one = Total::default();
            for speed in SPEEDS {
                for time in STEPS {
                    let outcome = walk(walker.as_mut(), course, speed, time, &mut gauge);
                    if !outcome.arrives {
                        failures.push(format!(
                            "{name}, {} at {speed} m/s by {time:.4} s: ends at {:.2}",
                            course.name,
                            outcome.end - course.end[0]
                        ));
                    }
                    one.add(&outcome);
                }
            }
            line += &format!("{:>11}{:>11.4}{:>11.2}", format!("{}/15", one.arrived), one.least, one.mean());
            total.join(&one);
        }
        println!("{line}");
    }
    println!();
    for ((name, _), total) in walkers.iter().zip(&totals) {
        let times = total.mean() / totals[0].mean();
        println!(
            "{name}: arrives in {} of {} walks, {:.2} us/move, {times:.1} times bvtree's",
            total.arrived,
            15 * level.courses.len(),
            total.mean()
        );
    }
    println!("\nWalks that end elsewhere (where, from the near corner of where they should):");
    failures.iter().for_each(|failure| println!("  {failure}"));
    Ok(())
}

/// Of several walks.
#[derive(Clone, Copy)]
struct Total {
    arrived: usize,
    least: f64,
    moves: usize,
    spent: Duration,
}

impl Default for Total {
    fn default() -> Self {
        Self { arrived: 0, least: f64::INFINITY, moves: 0, spent: Duration::ZERO }
    }
}

impl Total {
    fn add(&mut self, outcome: &Outcome) {
        let &Outcome { arrives, least, moves, spent, .. } = outcome;
        self.join(&Total { arrived: usize::from(arrives), least, moves, spent });
    }

    fn join(&mut self, other: &Total) {
        self.arrived += other.arrived;
        self.least = self.least.min(other.least);
        self.moves += other.moves;
        self.spent += other.spent;
    }

    /// In microseconds per move.
    fn mean(&self) -> f64 {
        self.spent.as_secs_f64() * 1e6 / self.moves as f64
    }
}
