//! Pictures of clashes, as PNG: triangles in flat shades, by a depth buffer for each of three layers.

use std::io;
use std::ops::{ControlFlow, Range};

use bvtree::probe::Probe;
use bvtree::shape::Aabb;
use nalgebra::{Point3, Vector3};
use png::{BitDepth, ColorType, Compression, Encoder};

use super::view::{ASPECT_RATIO, FIELD_OF_VIEW, View, Views};
use super::{COLOURS, MAX_LINES};
use crate::commands::clash::assembly::Part;
use crate::commands::clash::find::Clash;

const HEIGHT: usize = 240;
const WIDTH: usize = (HEIGHT as f64 * ASPECT_RATIO) as usize;
const BACKGROUND: [u8; 3] = [0xff; 3];
const SURROUNDINGS: [u8; 3] = [0xc9, 0xcc, 0xd2];
const CURVE: [u8; 3] = [0x1c, 0x1c, 0x1f];
/// How far around the clash triangles are drawn, as a multiple of the distance of the eye from it.
const REACH: f64 = 2.0;
/// The maximum number of triangles drawn of the bodies around a clash; the simplest bodies are drawn first.
const MAX_SURROUNDINGS: usize = 4_000;
/// Meshes of at most this many triangles are drawn whole, because the exact search for the near ones is slower.
const FEW_TRIANGLES: usize = 20_000;

/// Draws a clash: the two bodies in their colours and half transparent, the curves along which they cross, and the
/// bodies around them unless those would hide the clash.
pub fn png(views: &Views<'_>, view: &View, clash: &Clash) -> io::Result<Vec<u8>> {
    let camera = Camera::new(view);
    let reach = REACH * (views.with_z_up(&clash.place.coords) - view.eye).norm();
    let around = Aabb::from_points(&[-reach, reach].map(|reach| clash.place + Vector3::repeat(reach)));
    let layer = |parts: &[usize]| {
        let mut layer = Layer::new();
        for &part in parts {
            for_each_triangle(views, &views.assembly.parts[part], &around, |triangle| {
                layer.add(&camera, triangle.map(|point| views.with_z_up(&point.coords)));
            });
        }
        layer
    };
    let bodies = clash.parts.map(|part| layer(&[part]));
    let surroundings = if view.is_free {
        let mut near = views.parts_near(clash.parts[0], reach);
        near.retain(|part| !clash.parts.contains(part));
        let triangles = |part: &usize| views.assembly.parts[*part].tree.triangle_count();
        near.sort_by_key(triangles);
        let mut left = MAX_SURROUNDINGS;
        near.retain(|part| {
            left = left.saturating_sub(triangles(part));
            left > 0
        });
        layer(&near)
    } else {
        Layer::new()
    };
    let mut pixels: Vec<[u8; 3]> = (0..WIDTH * HEIGHT).map(|at| composed(at, &bodies, &surroundings)).collect();
    let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
    for ends in segments {
        draw_line(&mut pixels, [0, 1].map(|k| camera.place(&views.with_z_up(&ends[k].coords))));
    }
    encoded(&pixels)
}

/// The colour of a pixel: the nearest layer, through which a body shines that is right behind another.
fn composed(at: usize, bodies: &[Layer; 2], surroundings: &Layer) -> [u8; 3] {
    const OPACITY: f32 = 0.65;
    let [nearness_a, nearness_b] = bodies.each_ref().map(|layer| layer.nearness[at]);
    let nearest = nearness_a.max(nearness_b);
    if surroundings.nearness[at] > nearest {
        return surroundings.colour(at, SURROUNDINGS);
    }
    if nearest == 0.0 {
        return BACKGROUND;
    }
    let colours = [0, 1].map(|k| bodies[k].colour(at, COLOURS[k]));
    let [front, behind] = if nearness_a >= nearness_b { colours } else { [colours[1], colours[0]] };
    if nearness_a.min(nearness_b) == 0.0 {
        return front;
    }
    std::array::from_fn(|k| (OPACITY * f32::from(front[k]) + (1.0 - OPACITY) * f32::from(behind[k])) as u8)
}

/// Calls `draw` with the triangles of a body, in the world, that are near enough.
fn for_each_triangle(views: &Views<'_>, part: &Part, around: &Aabb, mut draw: impl FnMut([Point3<f64>; 3])) {
    let Some(mesh) = views.mesh(part) else { return };
    let mut draw = |face: u32| {
        let vertices = mesh.triangles()[face as usize];
        draw(vertices.map(|vertex| part.pose.transform(&mesh.vertices()[vertex as usize])));
        ControlFlow::<()>::Continue(())
    };
    if mesh.triangles().len() <= FEW_TRIANGLES {
        let _ = (0..mesh.triangles().len() as u32).try_for_each(draw);
        return;
    }
    let back = part.pose.inverse();
    let local = around.transformed(back.rotation(), back.translation());
    Probe::default().for_each_face_in_aabb(&part.tree, &local, &mut draw);
}

/// A perspective camera: the eye, and the axes to the right, up and ahead.
struct Camera {
    eye: Vector3<f64>,
    axes: [Vector3<f64>; 3],
    /// Pixels per unit at a distance of one.
    scale: f64,
}

impl Camera {
    fn new(view: &View) -> Self {
        let up = view.up();
        let scale = 0.5 * HEIGHT as f64 / (0.5 * FIELD_OF_VIEW).to_radians().tan();
        Self { eye: view.eye, axes: [view.direction.cross(&up), up, view.direction], scale }
    }

    /// The coordinates to the right, up and ahead.
    fn place(&self, point: &Vector3<f64>) -> Placed {
        let from_eye = point - self.eye;
        let [right, up, ahead] = self.axes.map(|axis| axis.dot(&from_eye));
        Placed { right: self.scale * right, up: self.scale * up, ahead }
    }
}

/// A point as seen by the camera, not yet in perspective.
#[derive(Clone, Copy)]
struct Placed {
    right: f64,
    up: f64,
    ahead: f64,
}

impl Placed {
    /// The distance from the eye to the near plane, in the world's unit; anything nearer is cut off.
    const NEAREST: f64 = 1e-3;

    fn is_ahead(&self) -> bool {
        self.ahead >= Self::NEAREST
    }

    /// The column, the row and the nearness, one over the distance ahead.
    fn seen(&self) -> [f64; 3] {
        let nearness = 1.0 / self.ahead;
        [0.5 * WIDTH as f64 + self.right * nearness, 0.5 * HEIGHT as f64 - self.up * nearness, nearness]
    }

    /// The point at which the segment to another point, on the other side of the near plane, crosses that plane.
    fn cut(&self, other: &Self) -> Self {
        let part = (Self::NEAREST - self.ahead) / (other.ahead - self.ahead);
        let between = |from: f64, to: f64| from + part * (to - from);
        let (right, up) = (between(self.right, other.right), between(self.up, other.up));
        Self { right, up, ahead: Self::NEAREST }
    }
}

/// The nearest surface in each pixel.
struct Layer {
    /// One over the distance ahead; 0 where there is nothing.
    nearness: Vec<f32>,
    shades: Vec<f32>,
}

impl Layer {
    fn new() -> Self {
        Self { nearness: vec![0.0; WIDTH * HEIGHT], shades: vec![0.0; WIDTH * HEIGHT] }
    }

    fn colour(&self, at: usize, colour: [u8; 3]) -> [u8; 3] {
        colour.map(|channel| (self.shades[at] * f32::from(channel)) as u8)
    }

    fn add(&mut self, camera: &Camera, triangle: [Vector3<f64>; 3]) {
        let [a, b, c] = triangle;
        let normal = (b - a).cross(&(c - a));
        if normal == Vector3::zeros() {
            return;
        }
        let light = (camera.axes[1] - 2.0 * camera.axes[2] - 0.5 * camera.axes[0]).normalize();
        let shade = (0.5 + 0.5 * normal.normalize().dot(&light).abs()) as f32;
        let placed = triangle.map(|vertex| camera.place(&vertex));
        let mut outline = Vec::with_capacity(4);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(from, to)| (placed[from], placed[to])) {
            if from.is_ahead() {
                outline.push(from.seen());
            }
            if from.is_ahead() != to.is_ahead() {
                outline.push(from.cut(&to).seen());
            }
        }
        for i in 2..outline.len() {
            self.fill([outline[0], outline[i - 1], outline[i]], shade);
        }
    }

    /// Fills the pixels whose middles are in a triangle.
    fn fill(&mut self, [a, b, c]: [[f64; 3]; 3], shade: f32) {
        let area = turn(a, b, c);
        if area == 0.0 {
            return;
        }
        // The nearness is linear in the picture.
        let along = |k: usize| {
            let other = 1 - k;
            let sign = if k == 0 { 1.0 } else { -1.0 };
            sign * ((b[2] - a[2]) * (c[other] - a[other]) - (c[2] - a[2]) * (b[other] - a[other])) / area
        };
        let slopes = [along(0), along(1)];
        let [low, high] = [a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1])];
        let rows = pixels(low, high, HEIGHT);
        for row in rows {
            let y = row as f64 + 0.5;
            let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if (from[1] <= y) != (to[1] <= y) {
                    let x = from[0] + (to[0] - from[0]) * ((y - from[1]) / (to[1] - from[1]));
                    (left, right) = (left.min(x), right.max(x));
                }
            }
            for column in pixels(left, right, WIDTH) {
                let nearness = (a[2] + slopes[0] * (column as f64 + 0.5 - a[0]) + slopes[1] * (y - a[1])) as f32;
                let at = row * WIDTH + column;
                if nearness > self.nearness[at] {
                    self.nearness[at] = nearness;
                    self.shades[at] = shade;
                }
            }
        }
    }
}

/// The pixels of a row or column whose middles are in a range.
fn pixels(low: f64, high: f64, size: usize) -> Range<usize> {
    let place = |x: f64| (x - 0.5).ceil().clamp(0.0, size as f64) as usize;
    place(low)..place(high)
}

/// Twice the signed area of a triangle in the picture.
fn turn(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Draws a line two pixels wide over the picture, if both ends are ahead.
fn draw_line(pixels: &mut [[u8; 3]], ends: [Placed; 2]) {
    if !ends.iter().all(Placed::is_ahead) {
        return;
    }
    let [from, to] = ends.map(|end| end.seen());
    let longest = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
    let steps = longest.clamp(1.0, (2 * (WIDTH + HEIGHT)) as f64).ceil() as usize;
    for step in 0..=steps {
        let part = step as f64 / steps as f64;
        let [x, y] = [0, 1].map(|k| from[k] + part * (to[k] - from[k]));
        for (x, y) in [(x, y), (x - 1.0, y), (x, y - 1.0), (x - 1.0, y - 1.0)] {
            if (0.0..WIDTH as f64).contains(&x) && (0.0..HEIGHT as f64).contains(&y) {
                pixels[y as usize * WIDTH + x as usize] = CURVE;
            }
        }
    }
}

fn encoded(pixels: &[[u8; 3]]) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_flattened())?;
    writer.finish()?;
    Ok(file)
}
