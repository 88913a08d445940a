//! Pictures of clashes, as PNG: flat-shaded triangles, with a depth buffer for each of three layers.

use std::io;
use std::ops::{ControlFlow, Range};

use bvtree::probe::Probe;
use bvtree::shape::Aabb;
use nalgebra::{Point3, Vector3};
use png::{BitDepth, ColorType, Compression, Encoder};

use super::view::{ASPECT_RATIO, FIELD_OF_VIEW, View, Views};
use super::{COLOURS, MAX_LINES};
use crate::assembly::Part;
use crate::clash::Clash;

const HEIGHT: usize = 240;
const WIDTH: usize = (HEIGHT as f64 * ASPECT_RATIO) as usize;
const BACKGROUND: [u8; 3] = [0xff; 3];
const SURROUNDINGS: [u8; 3] = [0xc9, 0xcc, 0xd2];
const CURVE: [u8; 3] = [0x1c, 0x1c, 0x1f];
/// Half the edge of the cube around a clash in which triangles are drawn, as a multiple of the eye's distance from the
/// clash.
const REACH: f64 = 2.0;
/// The bodies around a clash that are drawn have fewer triangles than this in all; bodies with the fewest triangles are
/// preferred.
const MAX_SURROUNDINGS: usize = 2_000;
/// Meshes of at most this many triangles are drawn whole, because the exact search for the triangles near the clash is
/// slower.
const FEW_TRIANGLES: usize = 20_000;

/// Draws clashes one after another, in reused buffers.
pub struct Canvas {
    /// The layers of the first body, the second body, and the bodies around them.
    layers: [Layer; 3],
    pixels: Vec<[u8; 3]>,
}

impl Canvas {
    pub fn new() -> Self {
        let layer = || Layer { nearness: vec![0.0; WIDTH * HEIGHT], shades: vec![0.0; WIDTH * HEIGHT] };
        Self { layers: [layer(), layer(), layer()], pixels: vec![BACKGROUND; WIDTH * HEIGHT] }
    }

    /// Draws a clash: the two bodies in their colours and half transparent, the curves along which they cross, and the
    /// bodies around them unless those would hide the clash.
    pub fn png(&mut self, views: &Views<'_>, view: &View, clash: &Clash) -> io::Result<Vec<u8>> {
        let camera = Camera::new(view);
        let reach = REACH * (views.with_z_up(&clash.place.coords) - view.eye).norm();
        let around = Aabb::from_points(&[-reach, reach].map(|reach| clash.place + Vector3::repeat(reach)));
        let near = if view.is_free { surroundings(views, clash, reach) } else { Vec::new() };
        let [a, b] = clash.parts;
        for (layer, parts) in self.layers.iter_mut().zip([&[a][..], &[b], &near]) {
            layer.nearness.fill(0.0);
            for &part in parts {
                draw_body(layer, &camera, views, &views.assembly.parts[part], &around);
            }
        }
        self.compose();
        let segments = clash.curves.iter().flat_map(|curve| curve.windows(2)).take(MAX_LINES);
        for ends in segments {
            let ends = [0, 1].map(|k| camera.place(&views.with_z_up(&ends[k].coords)));
            draw_line(&mut self.pixels, &camera, ends);
        }
        encoded(&self.pixels)
    }

    /// Sets the colour of each pixel: that of the nearest layer. If that is one of the two bodies, and the other one is
    /// behind it, their colours are blended.
    fn compose(&mut self) {
        let [a, b, around] = &self.layers;
        let layers = a.pixels().zip(b.pixels()).zip(around.pixels());
        for (pixel, ((a, b), around)) in self.pixels.iter_mut().zip(layers) {
            *pixel = if around.0 > a.0.max(b.0) {
                shaded(around.1, SURROUNDINGS)
            } else if a.0.max(b.0) == 0.0 {
                BACKGROUND
            } else if b.0 == 0.0 {
                shaded(a.1, COLOURS[0])
            } else if a.0 == 0.0 {
                shaded(b.1, COLOURS[1])
            } else {
                let colours = [shaded(a.1, COLOURS[0]), shaded(b.1, COLOURS[1])];
                let [front, behind] = if a.0 >= b.0 { colours } else { [colours[1], colours[0]] };
                mixed(front, behind)
            };
        }
    }
}

/// The indices of bodies near the first body of a clash, except the two that clash: those with the fewest triangles, in
/// ascending order, with fewer than [`MAX_SURROUNDINGS`] triangles in all.
fn surroundings(views: &Views<'_>, clash: &Clash, reach: f64) -> Vec<usize> {
    let mut near = views.parts_near(clash.parts[0], reach);
    near.retain(|part| !clash.parts.contains(part));
    let triangles = |part: &usize| views.assembly.parts[*part].tree.triangle_count();
    near.sort_by_key(triangles);
    let mut left = MAX_SURROUNDINGS;
    near.retain(|part| {
        left = left.saturating_sub(triangles(part));
        left > 0
    });
    near
}

fn shaded(shade: f32, colour: [u8; 3]) -> [u8; 3] {
    colour.map(|channel| (shade * f32::from(channel)) as u8)
}

/// The colour where one body is in front of another: a blend of both.
fn mixed(front: [u8; 3], behind: [u8; 3]) -> [u8; 3] {
    const OPACITY: f32 = 0.65;
    std::array::from_fn(|k| (OPACITY * f32::from(front[k]) + (1.0 - OPACITY) * f32::from(behind[k])) as u8)
}

/// Draws the triangles of a body that meet the box `around`; meshes of few triangles are drawn whole.
fn draw_body(layer: &mut Layer, camera: &Camera, views: &Views<'_>, part: &Part, around: &Aabb) {
    let Some(mesh) = views.mesh(part) else { return };
    let place = |vertex: &Point3<f32>| {
        let placed = camera.place(&views.with_z_up(&part.pose.transform(vertex).coords));
        (placed, camera.seen(&placed))
    };
    if mesh.triangles().len() <= FEW_TRIANGLES {
        let placed: Vec<(Placed, [f64; 3])> = mesh.vertices().iter().map(place).collect();
        for &[a, b, c] in mesh.triangles() {
            layer.add(camera, [placed[a as usize], placed[b as usize], placed[c as usize]]);
        }
        return;
    }
    let back = part.pose.inverse();
    let local = around.transformed(back.rotation(), back.translation());
    Probe::default().for_each_face_in_aabb(&part.tree, &local, &mut |face: u32| {
        layer.add(camera, mesh.triangles()[face as usize].map(|vertex| place(&mesh.vertices()[vertex as usize])));
        ControlFlow::<()>::Continue(())
    });
}

/// A perspective camera: the eye, and the axes to the right, up and ahead.
struct Camera {
    eye: Vector3<f64>,
    axes: [Vector3<f64>; 3],
    /// Pixels per unit at a distance of one.
    scale: f64,
    /// The direction from which light comes, as components to the right, up and ahead: from behind the eye, above it
    /// and to its left.
    light: Vector3<f64>,
}

impl Camera {
    fn new(view: &View) -> Self {
        let up = view.up();
        let scale = 0.5 * HEIGHT as f64 / (0.5 * FIELD_OF_VIEW).to_radians().tan();
        let light = Vector3::new(-0.5, 1.0, -2.0).normalize();
        Self { eye: view.eye, axes: [view.direction.cross(&up), up, view.direction], scale, light }
    }

    fn place(&self, point: &Vector3<f64>) -> Placed {
        let from_eye = point - self.eye;
        let [right, up, ahead] = &self.axes;
        Placed { right: right.dot(&from_eye), up: up.dot(&from_eye), ahead: ahead.dot(&from_eye) }
    }

    /// The column and the row of a point in the picture, and its nearness: one over its distance ahead.
    fn seen(&self, point: &Placed) -> [f64; 3] {
        let nearness = 1.0 / point.ahead;
        let scale = self.scale * nearness;
        [0.5 * WIDTH as f64 + point.right * scale, 0.5 * HEIGHT as f64 - point.up * scale, nearness]
    }
}

/// A point as seen by the camera, not yet in perspective: its coordinates to the right, up and ahead.
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

    fn minus(&self, other: &Self) -> Vector3<f64> {
        Vector3::new(self.right - other.right, self.up - other.up, self.ahead - other.ahead)
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
    fn pixels(&self) -> impl Iterator<Item = (f32, f32)> {
        self.nearness.iter().copied().zip(self.shades.iter().copied())
    }

    /// Draws a triangle; each corner is given in camera coordinates and as projected.
    fn add(&mut self, camera: &Camera, [(a, at_a), (b, at_b), (c, at_c)]: [(Placed, [f64; 3]); 3]) {
        let is_ahead = a.is_ahead() && b.is_ahead() && c.is_ahead();
        let is_missed = |axis: usize, size: usize| {
            let [a, b, c] = [at_a[axis], at_b[axis], at_c[axis]];
            pixels(a.min(b).min(c), a.max(b).max(c), size).is_empty()
        };
        if is_ahead && (is_missed(0, WIDTH) || is_missed(1, HEIGHT)) {
            return;
        }
        if !a.is_ahead() && !b.is_ahead() && !c.is_ahead() {
            return;
        }
        let normal = b.minus(&a).cross(&c.minus(&a));
        if normal == Vector3::zeros() {
            return;
        }
        let shade = (0.5 + 0.5 * normal.normalize().dot(&camera.light).abs()) as f32;
        if is_ahead {
            return self.fill([at_a, at_b, at_c], shade);
        }
        let mut outline = Vec::with_capacity(4);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from.is_ahead() {
                outline.push(camera.seen(&from));
            }
            if from.is_ahead() != to.is_ahead() {
                outline.push(camera.seen(&from.cut(&to)));
            }
        }
        for i in 2..outline.len() {
            self.fill([outline[0], outline[i - 1], outline[i]], shade);
        }
    }

    /// Draws a projected triangle in the pixels whose centers it covers and where no surface is nearer.
    fn fill(&mut self, [a, b, c]: [[f64; 3]; 3], shade: f32) {
        let area = turn(a, b, c);
        if area == 0.0 {
            return;
        }
        // The nearness changes linearly across the picture.
        let along = |k: usize| {
            let other = 1 - k;
            let sign = if k == 0 { 1.0 } else { -1.0 };
            sign * ((b[2] - a[2]) * (c[other] - a[other]) - (c[2] - a[2]) * (b[other] - a[other])) / area
        };
        let slopes = [along(0), along(1)];
        let [low, high] = [a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1])];
        let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| Edge::new(from, to));
        for row in pixels(low, high, HEIGHT) {
            let y = row as f64 + 0.5;
            let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
            for edge in edges.iter().filter(|edge| edge.low <= y && y < edge.high) {
                let x = edge.start + edge.slope * (y - edge.low);
                (left, right) = (left.min(x), right.max(x));
            }
            let columns = pixels(left, right, WIDTH);
            if columns.is_empty() {
                continue;
            }
            let first = slopes[0] * (columns.start as f64 + 0.5 - a[0]);
            let (start, slope) = ((a[2] + slopes[1] * (y - a[1]) + first) as f32, slopes[0] as f32);
            let row = row * WIDTH + columns.start..row * WIDTH + columns.end;
            let pixels = self.nearness[row.clone()].iter_mut().zip(&mut self.shades[row]);
            // Without branches and with narrow numbers, so that the compiler can vectorize the loop.
            for ((known, known_shade), column) in pixels.zip(0_i32..) {
                let nearness = start + slope * column as f32;
                let is_nearer = nearness > *known;
                *known = if is_nearer { nearness } else { *known };
                *known_shade = if is_nearer { shade } else { *known_shade };
            }
        }
    }
}

/// An edge of a triangle in the picture, from its upper to its lower end.
struct Edge {
    low: f64,
    high: f64,
    /// The column at `low`.
    start: f64,
    /// Columns per row.
    slope: f64,
}

impl Edge {
    fn new(from: [f64; 3], to: [f64; 3]) -> Self {
        let (upper, lower) = if from[1] <= to[1] { (from, to) } else { (to, from) };
        let slope = (lower[0] - upper[0]) / (lower[1] - upper[1]);
        Self { low: upper[1], high: lower[1], start: upper[0], slope }
    }
}

/// The pixels of a row or column whose centers are in a range.
fn pixels(low: f64, high: f64, size: usize) -> Range<usize> {
    // Rounds up, without a library call where the processor has no instruction for it.
    let place = |x: f64| {
        let x = (x - 0.5).clamp(0.0, size as f64);
        let whole = x as i32;
        (whole + i32::from(x > f64::from(whole))) as usize
    };
    place(low)..place(high)
}

/// Twice the signed area of a triangle in the picture.
fn turn(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Draws a line two pixels wide over the picture, if both ends are ahead.
fn draw_line(pixels: &mut [[u8; 3]], camera: &Camera, ends: [Placed; 2]) {
    if !ends.iter().all(Placed::is_ahead) {
        return;
    }
    let [from, to] = ends.map(|end| camera.seen(&end));
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
