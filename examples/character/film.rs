//! Film strips: a character among bodies that move, at several times, seen from the side.

use std::error::Error;
use std::fmt::Write;

use bvtree::character::{Character, CharacterOptions, Intent, StepOutcome, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{Motion, Pose};
use nalgebra::{Point3, Vector3};

use crate::STEP;

const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 150.0;
/// The height of a strip's title and captions.
const TEXT: f64 = 44.0;
/// Pixels for a metre.
const SCALE: f64 = 42.0;

/// A story of a character that starts at an x and walks along it by its own will and a speed that depends on the time.
struct Strip {
    title: &'static str,
    start: f64,
    speed: fn(f64) -> f64,
    blocks: Vec<Block>,
    /// The times of the pictures, in seconds.
    times: [f64; 6],
}

/// A box: its size along x and z, and its middle by the time.
struct Block {
    size: [f64; 2],
    middle: fn(f64) -> [f64; 2],
}

/// The strips, one below the other.
pub fn svg() -> Result<String, Box<dyn Error>> {
    let strips = [press(), door(), lift(), stairs()];
    let (width, height) = (6.0 * WIDTH, strips.len() as f64 * (HEIGHT + TEXT));
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' \
         font-size='13' fill='#222'>\n<rect width='100%' height='100%' fill='#fff'/>\n"
    );
    for (i, strip) in strips.iter().enumerate() {
        let y = i as f64 * (HEIGHT + TEXT);
        let _ = writeln!(svg, "<text x='8' y='{}' font-weight='bold'>{}</text>", y + 17.0, strip.title);
        for (k, (picture, caption)) in strip.play()?.into_iter().enumerate() {
            let x = k as f64 * WIDTH;
            let _ = writeln!(
                svg,
                "<svg x='{}' y='{}' width='{}' height='{HEIGHT}'>{picture}</svg>",
                x + 4.0,
                y + 24.0,
                WIDTH - 8.0
            );
            let _ = writeln!(svg, "<text x='{}' y='{}'>{caption}</text>", x + 8.0, y + HEIGHT + 38.0);
        }
    }
    Ok(svg + "</svg>\n")
}

impl Strip {
    /// Walks, and returns a picture and a caption for each of the times.
    fn play(&self) -> Result<Vec<(String, String)>, Box<dyn Error>> {
        let mut scene = Scene::new();
        let mut bodies = Vec::new();
        for block in &self.blocks {
            let shape = ConvexShape::cuboid(0.5 * Vector3::new(block.size[0], 4.0, block.size[1]))?;
            bodies.push(scene.add(Body::moving(shape, block.pose(0.0)?))?);
        }
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(self.start, 0.0, 0.01))?;
        let mut outcome = StepOutcome::default();
        let mut pictures = Vec::new();
        for step in 0.. {
            let [time, next] = [step, step + 1].map(|step| f64::from(step) * STEP);
            if time + 0.5 * STEP > self.times[pictures.len()] {
                pictures.push((self.picture(&character, &outcome, time), caption(&character, &outcome, time)));
                if pictures.len() == self.times.len() {
                    break;
                }
            }
            let moves = |(block, &body): (&Block, _)| Ok((body, Motion::new(block.pose(time)?, block.pose(next)?)));
            let motions = self.blocks.iter().zip(&bodies).map(moves).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
            let walk = Vector3::new((self.speed)(time), 0.0, 0.0);
            let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
            outcome = character.step(&surroundings, &Intent { walk, jump: 0.0 }, STEP)?;
        }
        Ok(pictures)
    }

    fn picture(&self, character: &Character, outcome: &StepOutcome, time: f64) -> String {
        let mut picture = String::from("<rect width='100%' height='100%' fill='#f1f3f6'/>");
        let mut rect = |[x, z]: [f64; 2], [width, height]: [f64; 2], rest: &str| {
            let [left, top] =
                [0.5 * WIDTH - 4.0 + SCALE * (x - 0.5 * width), HEIGHT - SCALE * (z + 0.35 + 0.5 * height)];
            let [width, height] = [width, height].map(|x| SCALE * x);
            let _ =
                write!(picture, "<rect x='{left:.1}' y='{top:.1}' width='{width:.1}' height='{height:.1}' {rest}/>");
        };
        for block in &self.blocks {
            let is_still = (0..100).all(|i| (block.middle)(0.05 * f64::from(i)) == (block.middle)(0.0));
            rect((block.middle)(time), block.size, if is_still { "fill='#b9b4a6'" } else { "fill='#c49628'" });
        }
        let color = match (outcome.is_crushed || outcome.overlap.is_some(), character.ground()) {
            (true, _) => "#d6321f",
            (false, Some(_)) => "#488c4a",
            (false, None) => "#2663af",
        };
        let CharacterOptions { radius, height, .. } = *character.options();
        let feet = character.feet();
        let rest = format!("rx='{:.1}' fill='{color}' fill-opacity='.75' stroke='{color}'", SCALE * radius);
        rect([feet.x, feet.z + 0.5 * height], [2.0 * radius, height], &rest);
        picture
    }
}

fn caption(character: &Character, outcome: &StepOutcome, time: f64) -> String {
    match (outcome.overlap, character.ground()) {
        (Some(overlap), _) => format!("{time:.1} s: overlap, {:.2} m", overlap.depth),
        (None, _) if outcome.is_crushed => format!("{time:.1} s: crushed"),
        (None, Some(_)) => format!("{time:.1} s: on the ground"),
        (None, None) => format!("{time:.1} s: in the air"),
    }
}

impl Block {
    fn pose(&self, time: f64) -> Result<Pose, bvtree::pose::PoseError> {
        let [x, z] = (self.middle)(time);
        Pose::from_translation(Vector3::new(x, 0.0, z))
    }
}

/// From one value to another during a period.
fn between(time: f64, period: [f64; 2], values: [f64; 2]) -> f64 {
    let part = ((time - period[0]) / (period[1] - period[0])).clamp(0.0, 1.0);
    values[0] + part * (values[1] - values[0])
}

fn floor() -> Block {
    Block { size: [8.0, 1.0], middle: |_| [0.0, -0.5] }
}

fn press() -> Strip {
    let middle = |time| {
        let underside = between(time, [0.4, 1.4], [2.3, 0.4]) + between(time, [2.2, 3.2], [0.0, 1.9]);
        [0.0, underside + 0.4]
    };
    Strip {
        title: "A press comes down, stays and rises: the feet stay on the floor",
        start: 0.0,
        speed: |time| if time > 3.0 { 1.5 } else { 0.0 },
        blocks: vec![floor(), Block { size: [1.6, 0.8], middle }],
        times: [0.4, 0.9, 1.4, 2.0, 3.0, 3.9],
    }
}

fn door() -> Strip {
    let middle = |time| [between(time, [0.2, 2.2], [-1.9, 1.2]) + between(time, [2.6, 4.6], [0.0, -3.1]), 1.05];
    Strip {
        title: "A door pushes against a wall: the character stays out of the wall, and is free when the door opens",
        start: -0.8,
        speed: |_| 0.0,
        blocks: vec![floor(), Block { size: [0.6, 2.4], middle: |_| [1.85, 1.2] }, Block { size: [0.12, 2.0], middle }],
        times: [0.2, 0.8, 1.6, 2.1, 2.4, 3.4],
    }
}

fn lift() -> Strip {
    Strip {
        title: "A lift carries",
        start: -1.5,
        speed: |time| if (1.0..=3.2).contains(&time) { 0.0 } else { 1.5 },
        blocks: vec![
            Block { size: [3.0, 1.0], middle: |_| [-2.22, -0.5] },
            Block { size: [3.0, 2.0], middle: |_| [2.22, 0.0] },
            Block { size: [1.4, 0.2], middle: |time| [0.0, between(time, [1.2, 3.0], [-0.1, 0.9])] },
        ],
        times: [0.2, 1.0, 1.8, 2.4, 3.2, 4.0],
    }
}

fn stairs() -> Strip {
    let steps = [|_| [-0.85, -0.375], |_| [-0.55, -0.125], |_| [-0.25, 0.125], |_| [0.05, 0.375]];
    let steps = steps.into_iter().map(|middle| Block { size: [0.3, 1.25], middle });
    let landing = Block { size: [0.8, 1.25], middle: |_| [0.6, 0.375] };
    Strip {
        title: "Stairs, and a drop that is too deep for a step",
        start: -1.7,
        speed: |time| if time < 2.2 { 1.5 } else { 0.0 },
        blocks: [floor(), landing].into_iter().chain(steps).collect(),
        times: [0.1, 0.6, 1.2, 1.8, 2.2, 2.8],
    }
}
