//! A hexagon-head bolt, M10 x 50 in millimetres: one closed surface, with the thread cut as a real helix.

use std::f64::consts::{PI, TAU};

use nalgebra::Point3;

use super::loft::{Ring, ring, skin};
use super::obj::Obj;
use super::surface::Surface;

/// Points around the bolt, a multiple of the six corners of the head.
const SEGMENTS: usize = 36;
const PITCH: f64 = 1.5;
const TURNS: usize = 21;
const CORE_RADIUS: f64 = 4.08;
const THREAD_RADIUS: f64 = 5.0;
/// Where the lines of the thread lie within a pitch (root, both edges of the crest), and their height.
const THREAD: [(f64, f64); 3] = [(0.0, 0.0), (0.4, 1.0), (0.6, 1.0)];
const THREAD_START: f64 = 1.5;
const HEAD_HALF_WIDTH: f64 = 8.0;

pub fn bolt() -> Obj {
    let mut surface = Surface::default();
    let circle = |z: f64, radius: f64| ring(SEGMENTS, z, move |_| radius);

    let tip = [circle(0.0, 3.2), circle(0.9, CORE_RADIUS)].map(|ring| add_ring(&mut surface, ring));
    surface.faces.push(tip[0].iter().rev().copied().collect());
    skin(&mut surface, &tip[0], &tip[1]);

    let shank_start = THREAD_START + PITCH * (TURNS + 2) as f64;
    let shank = add_ring(&mut surface, circle(shank_start, CORE_RADIUS));
    thread(&mut surface, &tip[1], &shank);

    let head = |z: f64, chamfer: f64| ring(SEGMENTS, z, move |angle| hexagon(angle).min(chamfer));
    let above = [
        circle(shank_start + 0.8, THREAD_RADIUS),
        circle(49.4, THREAD_RADIUS),
        circle(50.0, THREAD_RADIUS + 0.4),
        circle(50.0, 7.3),
        circle(50.3, 7.4),
        head(50.3, 8.9),
        head(50.9, f64::INFINITY),
        head(55.7, f64::INFINITY),
        head(56.4, 8.5),
        circle(56.6, 7.6),
        circle(56.6, 6.0),
        circle(56.3, 5.6),
    ];
    let mut below = shank;
    for ring in above {
        let ring = add_ring(&mut surface, ring);
        skin(&mut surface, &below, &ring);
        below = ring;
    }
    surface.faces.push(below);

    let mut obj = Obj::new("Hexagon-head bolt M10 x 50 (mm)");
    obj.object("bolt").surface(&surface);
    obj
}

/// Distance of the head's side from the axis.
fn hexagon(angle: f64) -> f64 {
    let from_middle = (angle + PI / 6.0).rem_euclid(PI / 3.0) - PI / 6.0;
    HEAD_HALF_WIDTH / from_middle.cos()
}

fn add_ring(surface: &mut Surface, ring: Ring) -> Vec<usize> {
    let first = surface.points.len();
    surface.points.extend(ring);
    (first..surface.points.len()).collect()
}

/// Adds the thread between two level rings.
///
/// Its grid winds: after one turn a column continues the first one, a pitch higher. So both of its borders are one turn
/// of the helix and a step, the step being the cut end of the thread.
fn thread(surface: &mut Surface, below: &[usize], above: &[usize]) {
    let lines = THREAD.len() * TURNS;
    let first = surface.points.len();
    for line in 0..=lines + THREAD.len() {
        // Only the first column goes one turn further, to where the last one joins it.
        let columns = if line <= lines { SEGMENTS } else { 1 };
        surface.points.extend((0..columns).map(|column| thread_point(line, column)));
    }
    let at = |line: usize, column: usize| match (line + THREAD.len() * (column / SEGMENTS), column % SEGMENTS) {
        (line, column) if line <= lines => first + line * SEGMENTS + column,
        (line, _) => first + lines * (SEGMENTS - 1) + line + SEGMENTS - 1,
    };
    let turn = THREAD.len();
    for column in 0..SEGMENTS {
        let next = (column + 1) % SEGMENTS;
        let mut lower = vec![below[column], below[next], at(0, column + 1), at(0, column)];
        let mut upper = vec![at(lines, column + 1), above[next], above[column], at(lines, column)];
        // The last face below and the first above reach along the foot of the step.
        if next == 0 {
            lower.insert(2, at(0, 0));
        }
        if column == 0 {
            upper.insert(3, at(lines + turn, 0));
        }
        surface.faces.extend([lower, upper]);
        for line in 0..lines {
            let next_line = line + 1;
            let quad = [(line, column), (line, column + 1), (next_line, column + 1), (next_line, column)];
            surface.faces.push(quad.map(|(line, column)| at(line, column)).to_vec());
        }
    }
    surface.faces.push((0..=turn).map(|line| at(line, 0)).collect());
    surface.faces.push((0..=turn).rev().map(|line| at(lines + line, 0)).collect());
}

fn thread_point(line: usize, column: usize) -> Point3<f64> {
    let (within, height) = THREAD[line % THREAD.len()];
    let turn = (line / THREAD.len()) as f64 + column as f64 / SEGMENTS as f64;
    // The thread rises within half a turn at its start and runs out over the last two.
    let fade = (0.3 + 1.4 * turn).min(0.05 + (TURNS as f64 + 1.0 - turn) / 2.0).clamp(0.05, 1.0);
    let radius = CORE_RADIUS + (THREAD_RADIUS - CORE_RADIUS) * height * fade;
    let angle = TAU * column as f64 / SEGMENTS as f64;
    Point3::new(radius * angle.cos(), radius * angle.sin(), THREAD_START + PITCH * (turn + within))
}
