//! Proves that a robot arm's motions in its cell are free, or finds where they are blocked:
//! `cargo run --release -p bvtree-robot --example robot_cell`.
//!
//! Joint angles change linearly from one configuration to the next, so that links move along arcs. A motion reported as
//! free is proven free throughout, not just at samples.

use std::error::Error;
use std::fmt::Write;

use bvtree::Pose;
use bvtree_robot::{Checker, ImpactOptions, Robot, RobotOptions, World};
use nalgebra::Vector3;

const THICKNESS: f64 = 0.12;
/// The distance in metres that the arm must keep from everything.
const CLEARANCE: f64 = 0.01;

/// The URDF of an arm of three links: the first turns about z, the others about y. Links overlap at their joints;
/// neighbours are not compared.
fn urdf() -> String {
    let mut text = String::from("<robot name='arm'><link name='cell'/>");
    let (mut parent, mut at) = ("cell", "0 0 0.8".to_owned());
    for (link, length, axis) in [("upper arm", 0.6, "0 0 1"), ("forearm", 0.5, "0 1 0"), ("hand", 0.3, "0 1 0")] {
        // Writing to a string doesn't fail.
        let _ = write!(
            text,
            "<link name='{link}'><collision><origin xyz='{} 0 0'/><geometry><box size='{} {THICKNESS} {THICKNESS}'/>\
             </geometry></collision></link><joint name='{link} joint' type='continuous'><origin xyz='{at}'/>\
             <parent link='{parent}'/><child link='{link}'/><axis xyz='{axis}'/></joint>",
            0.5 * length,
            length + THICKNESS,
        );
        (parent, at) = (link, format!("{length} 0 0"));
    }
    text + "</robot>"
}

fn world() -> Result<World, Box<dyn Error>> {
    let mut world = World::new();
    world.add_box("post", Vector3::new(0.1, 0.1, 1.5), &Pose::from_translation(Vector3::new(0.95, 0.55, 0.75))?)?;
    world.add_box("floor", Vector3::new(4.0, 4.0, 0.1), &Pose::from_translation(Vector3::new(0.0, 0.0, -0.05))?)?;
    Ok(world)
}

fn main() -> Result<(), Box<dyn Error>> {
    let robot = Robot::parse(&urdf(), None, "".as_ref(), &RobotOptions::default())?;
    let mut checker = Checker::new(&robot, &world()?);
    let names: Vec<String> = checker.bodies().map(str::to_owned).collect();
    let pair = |bodies: [usize; 2]| bodies.map(|body| names[body].as_str()).join(" and ");
    let options = ImpactOptions { clearance: CLEARANCE, ..ImpactOptions::default() };
    let mut from = [-1.0, 0.2, 0.4];
    for to in [[-0.5, 0.1, 0.3], [0.0, 0.0, 0.2], [1.4, 0.0, 0.2]] {
        if let Some(impact) = checker.first_impact(&from, &to, &options)? {
            let there = robot.interpolate(&from, &to, impact.parameter)?;
            println!("to {to:?}: {} come within {CLEARANCE} m at {there:.3?}", pair(impact.bodies));
            break;
        }
        println!("to {to:?}: proven free");
        if let Some(closest) = checker.closest(&to, f64::INFINITY)? {
            println!("  there {} are nearest, {:.3} m apart", pair(closest.bodies), closest.distance);
        }
        from = to;
    }
    Ok(())
}
