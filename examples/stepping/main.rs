//! Drops boxes and gears on terrain, by times of impact and impulses; no body tunnels, at any speed:
//! `cargo run --release -p bvtree --example stepping [SECONDS [FILM.svg]]`.

mod film;
mod solids;
mod world;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use film::Film;
use nalgebra::{Isometry3, Vector3};
use world::{Body, World};

const STEP: f64 = 1.0 / 60.0;
const PANELS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let seconds: f64 = arguments.next().map_or(Ok(3.0), |seconds| seconds.parse())?;
    let path = arguments.next().map_or_else(|| env::temp_dir().join("stepping.svg"), PathBuf::from);

    let solids = [solids::cuboid([1.0, 0.8, 0.6])?, solids::gear(0.8, 6, 0.35)?];
    let mut bodies = Vec::new();
    for i in 0..8 {
        let turn = Vector3::new(0.3 * f64::from(i), 0.7, 0.2 * f64::from(i));
        let [x, y] = [f64::from(i % 2) - 0.4, f64::from(i / 2 % 2) - 0.6].map(|x| 2.2 * x);
        let place = Isometry3::new(Vector3::new(x, y, 2.0 + 0.8 * f64::from(i)), turn);
        let mut body = Body::new(&solids[i as usize % 2], 1.0, place)?;
        // The last body is shot down at 400 m/s, seven metres in a step.
        body.state.velocity.z = if i == 7 { -400.0 } else { 0.0 };
        body.state.angular_velocity = Vector3::new(0.5, 1.0 - 0.3 * f64::from(i), 0.4);
        bodies.push(body);
    }
    let mut world = World::new(solids::terrain(12.0, 14)?, bodies)?;

    let steps = (seconds / STEP).round() as usize;
    let mut film = Film::default();
    println!("{:>6} {:>12} {:>12} {:>8}", "time", "energy", "momentum", "impacts");
    let mut energy = world.energy();
    for step in 0..=steps {
        let time = step as f64 * STEP;
        if step * (PANELS - 1) % steps.max(1) < PANELS - 1 {
            film.take(&world, &format!("{time:.2} s"));
        }
        if step % 12 == 0 {
            println!("{time:>6.2} {:>12.4} {:>12.4} {:>8}", world.energy(), world.momentum().norm(), world.impacts);
        }
        world.step(STEP)?;
        // Turning is integrated, to the first order in a step; nothing else may add to the energy.
        if world.energy() > energy + 1e-3 * energy.abs() {
            return Err(format!("energy grew from {energy} to {}", world.energy()).into());
        }
        energy = world.energy();
        let lowest = world.bodies.iter().map(|body| body.state.center.z).fold(f64::INFINITY, f64::min);
        if lowest < -0.5 {
            return Err(format!("a body is under the ground at {time} s").into());
        }
    }
    println!("{} impacts, {} overlaps", world.impacts, world.overlaps);
    fs::write(&path, film.svg())?;
    println!("Film: {}", path.display());
    Ok(())
}
