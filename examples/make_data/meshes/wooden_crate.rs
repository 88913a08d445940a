//! A wooden crate: every plank a closed box of quads with bevelled edges, one object for each side.

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, PI};

use super::obj::Obj;
use super::surface::Surface;

/// Half the width of the crate to the outside of its planks.
const HALF: f64 = 0.5;
const PLANK_THICKNESS: f64 = 0.03;
const FRAME_THICKNESS: f64 = 0.035;
const FRAME_WIDTH: f64 = 0.11;
const PLANKS: usize = 5;
const GAP: f64 = 0.006;
const BEVEL: f64 = 0.005;

pub fn wooden_crate() -> Obj {
    let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
    let (x, y) = (Vector3::x_axis(), Vector3::y_axis());
    let sides = [
        ("top", UnitQuaternion::identity()),
        ("bottom", about(x, PI)),
        ("front", about(x, FRAC_PI_2)),
        ("back", about(x, -FRAC_PI_2)),
        ("right", about(y, FRAC_PI_2)),
        ("left", about(y, -FRAC_PI_2)),
    ];
    let mut obj = Obj::new("Wooden crate, 1 m wide").with_material_library("crate.mtl");
    for (i, (name, turn)) in sides.into_iter().enumerate() {
        let turn = Isometry3::from_parts(Translation3::identity(), turn);
        // Opposite sides are alike, and each pair leaves its neighbours' corner free.
        let [planks, frame] = side(i / 2);
        obj.object(name);
        obj.group(format!("{name}_planks")).material("planks").surface(&planks.moved(&turn));
        obj.group(format!("{name}_frame")).material("frame").surface(&frame.moved(&turn));
    }
    obj
}

/// The upper side: its planks, and the frame on top of them with a brace across. Pairs of sides differ in length, so
/// that they meet in butt joints and not inside each other.
fn side(pair: usize) -> [Surface; 2] {
    let inner = HALF - PLANK_THICKNESS;
    let outer = HALF + FRAME_THICKNESS;
    // Planks and frame of the top cover the sides; front and back cover left and right.
    let (plank_length, plank_span, frame_length, frame_span) = match pair {
        0 => (HALF, HALF, outer, outer),
        1 => (HALF, inner, outer, HALF),
        _ => (inner, inner, HALF, HALF),
    };
    let mut planks = Surface::default();
    let pitch = 2.0 * plank_span / PLANKS as f64;
    for plank in 0..PLANKS {
        let across = pitch * (plank as f64 + 0.5) - plank_span;
        let half_extents = Vector3::new(plank_length, (pitch - GAP) / 2.0, PLANK_THICKNESS / 2.0);
        let center = Translation3::new(0.0, across, HALF - PLANK_THICKNESS / 2.0);
        planks.append(&bevelled_box(half_extents).moved(&center.into()));
    }

    let mut frame = Surface::default();
    let mut beam = |x: f64, y: f64, half_length: f64, half_width: f64, thickness: f64, turn: f64| {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), turn);
        let center = Translation3::new(x, y, HALF + thickness / 2.0);
        let half_extents = Vector3::new(half_length, half_width, thickness / 2.0);
        frame.append(&bevelled_box(half_extents).moved(&Isometry3::from_parts(center, turn.into())));
    };
    let half_width = FRAME_WIDTH / 2.0;
    for end in [-1.0, 1.0] {
        beam(0.0, end * (frame_span - half_width), frame_length, half_width, FRAME_THICKNESS, 0.0);
        let upright = frame_span - FRAME_WIDTH;
        beam(end * (frame_length - half_width), 0.0, half_width, upright, FRAME_THICKNESS, 0.0);
    }
    if pair > 0 {
        // The brace is cut to stay clear of the frame it reaches into.
        let (run, rise) = (frame_length - FRAME_WIDTH, frame_span - FRAME_WIDTH);
        let turn = rise.atan2(run);
        let half_length = (run * run + rise * rise).sqrt() - half_width * (run / rise).max(rise / run);
        beam(0.0, 0.0, half_length, half_width, 0.8 * FRAME_THICKNESS, turn);
    }
    [planks, frame]
}

/// A box around the origin, its edges and corners cut off.
fn bevelled_box(half_extents: Vector3<f64>) -> Surface {
    let mut surface = Surface::default();
    let sign = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    // Each corner has one point on each of the three sides it touches: point 3 * corner + axis.
    for corner in 0..8 {
        for side_axis in 0..3 {
            let point = Vector3::from_fn(|axis, _| {
                sign(corner, axis) * (half_extents[axis] - if axis == side_axis { 0.0 } else { BEVEL })
            });
            surface.points.push(point.into());
        }
    }
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let loop_around = [0, u, u | v, v];
        for bit in [0, 1 << axis] {
            let side = loop_around.map(|corner| 3 * (corner | bit) + axis);
            surface.faces.push(facing_out(bit != 0, side.to_vec()));
        }
        // The edges along this axis, between the sides across the two others.
        for (k, corner) in loop_around.into_iter().enumerate() {
            let (on_u, on_v) = ((axis + 1) % 3, (axis + 2) % 3);
            let far = corner | 1 << axis;
            let edge = vec![3 * corner + on_u, 3 * corner + on_v, 3 * far + on_v, 3 * far + on_u];
            surface.faces.push(facing_out(k % 2 == 0, edge));
        }
    }
    for corner in 0..8usize {
        let triangle = vec![3 * corner, 3 * corner + 1, 3 * corner + 2];
        surface.faces.push(facing_out(corner.count_ones() % 2 == 1, triangle));
    }
    surface
}

fn facing_out(already: bool, mut face: Vec<usize>) -> Vec<usize> {
    if !already {
        face.reverse();
    }
    face
}
