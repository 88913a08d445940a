//! Walks a character through a level of stairs, ramps, a corner, a spiral and terrain, and draws its paths; then draws
//! film strips of it among a press, a door, a lift and stairs:
//! `cargo run --release -p bvtree --example character [PATHS.svg [FILM.svg]]`.

mod draw;
mod film;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs};

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::{BuildOptions, BvTree, Pose};
use bvtree_test_support::walking_level::{Course, Level, toward};
use nalgebra::Point3;

const STEP: f64 = 1.0 / 60.0;
/// Walking speeds in metres per second.
const SPEEDS: [f64; 3] = [1.0, 4.0, 12.0];

fn main() -> Result<(), Box<dyn Error>> {
    let [path, film] = [(1, "character.svg"), (2, "character-film.svg")]
        .map(|(argument, name)| env::args().nth(argument).map_or_else(|| env::temp_dir().join(name), PathBuf::from));
    let level = Level::new(4.0);
    let tree = BvTree::build(&level.mesh, &BuildOptions::default())?;
    let mut scene = Scene::new();
    scene.add(Body::fixed(Arc::new(tree), Pose::identity()))?;
    let mut walks = Vec::new();
    for course in &level.courses {
        let paths = SPEEDS.map(|speed| walk(&scene, course, speed));
        for (speed, path) in SPEEDS.into_iter().zip(paths.iter()) {
            let path = path.as_ref().map_err(|error| error.to_string())?;
            let end = path[path.len() - 1];
            println!("{:<16} at {speed:>4} m/s ends at {end:.3} after {} steps", course.name, path.len());
        }
        walks.push(paths.into_iter().collect::<Result<Vec<_>, _>>()?);
    }
    fs::write(&path, draw::svg(&level, &walks))?;
    println!("Paths: {}", path.display());
    fs::write(&film, film::svg()?)?;
    println!("Film: {}", film.display());
    Ok(())
}

/// Walks from waypoint to waypoint, each for slightly longer than it should take.
fn walk(scene: &Scene, course: &Course, speed: f64) -> Result<Vec<Point3<f64>>, Box<dyn Error>> {
    let mut character = Character::new(&CharacterOptions::default(), course.start)?;
    let mut path = vec![course.start];
    for waypoint in &course.waypoints {
        let patience = 1.5 * (waypoint - character.feet().xy()).norm() / speed + 1.0;
        for _ in 0..(patience / STEP) as usize {
            if (waypoint - character.feet().xy()).norm() < 0.02 {
                break;
            }
            let walk = toward(&character.feet(), waypoint, speed, STEP);
            character.step(&Surroundings::new(scene), &Intent { walk, jump: 0.0 }, STEP)?;
            path.push(character.feet());
        }
    }
    Ok(path)
}
