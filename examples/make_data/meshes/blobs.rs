//! Soft solids: rounded limbs blended into one field, and the surface where it is zero.

use std::collections::BTreeMap;

use nalgebra::{Point3, Vector3};

use super::surface::Surface;

/// A limb: the balls between two balls, blended into or cut out of what came before it.
#[derive(Clone, Copy, Debug)]
pub struct Limb {
    ends: [(Point3<f64>, f64); 2],
    /// Width of the seam that the blend smooths.
    blend: f64,
    /// Whether the limb is cut out.
    hollow: bool,
}

impl Limb {
    /// The limb between two balls.
    pub fn between(a: [f64; 3], radius_a: f64, b: [f64; 3], radius_b: f64, blend: f64) -> Self {
        Self { ends: [(a.into(), radius_a), (b.into(), radius_b)], blend, hollow: false }
    }

    /// A single ball.
    pub fn ball(center: [f64; 3], radius: f64, blend: f64) -> Self {
        Self::between(center, radius, center, radius, blend)
    }

    /// The limb, but cut out.
    pub fn hollow(self) -> Self {
        Self { hollow: true, ..self }
    }

    /// The limb as many times as large, as seen from `center`.
    pub fn scaled(self, center: Point3<f64>, factor: f64) -> Self {
        let ends = self.ends.map(|(point, radius)| (center + (point - center) * factor, radius * factor));
        Self { ends, blend: self.blend * factor, ..self }
    }

    /// Negative inside, and close to the distance.
    fn field(&self, point: &Point3<f64>) -> f64 {
        let [(a, radius_a), (b, radius_b)] = self.ends;
        let (along, from_a) = (b - a, point - a);
        let length_sq = along.norm_squared();
        let t = if length_sq > 0.0 { (from_a.dot(&along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        (from_a - along * t).norm() - (radius_a + (radius_b - radius_a) * t)
    }
}

/// The field of all limbs: negative inside.
pub fn field(limbs: &[Limb], point: &Point3<f64>) -> f64 {
    limbs.iter().fold(f64::INFINITY, |sum, limb| {
        let own = limb.field(point);
        if limb.hollow { -smooth_min(-sum, own, limb.blend) } else { smooth_min(sum, own, limb.blend) }
    })
}

/// Minimum with a rounded corner of the given width (Quilez, "smooth minimum", the quadratic one).
fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (1.0 - (a - b).abs() / width).max(0.0);
    a.min(b) - overlap * overlap * width / 4.0
}

type Cell = [i32; 3];

/// The zero surface of `field` in quads: one vertex in each grid cell it passes through (Gibson 1998, "Constrained
/// elastic surface nets", here without the relaxation), then pulled onto the surface.
///
/// `start` is inside and the surface in one piece; only the cells around the surface are visited. A cell in which the
/// surface passes twice has one vertex for both sheets, which makes edges with four faces: choose the cell size finer
/// than the gaps.
pub fn surface_net(field: impl Fn(&Point3<f64>) -> f64, start: Point3<f64>, cell_size: f64) -> Surface {
    let position = |node: Cell| start + Vector3::from(node.map(f64::from)) * cell_size;
    let mut values: BTreeMap<Cell, f64> = BTreeMap::new();
    let mut value = |node: Cell| *values.entry(node).or_insert_with(|| field(&position(node)));

    let mut cell = [0, 0, 0];
    while value([cell[0] + 1, cell[1], cell[2]]) < 0.0 {
        cell[0] += 1;
    }
    let mut surface = Surface::default();
    let mut vertex_of: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut crossed_edges: Vec<(Cell, usize)> = Vec::new();
    let mut pending = vec![cell];
    while let Some(cell) = pending.pop() {
        if vertex_of.contains_key(&cell) {
            continue;
        }
        let mut crossings: Vec<Point3<f64>> = Vec::new();
        for axis in 0..3 {
            for side in 0..4 {
                let mut low = cell;
                low[(axis + 1) % 3] += side & 1;
                low[(axis + 2) % 3] += side >> 1;
                let mut high = low;
                high[axis] += 1;
                let (f_low, f_high) = (value(low), value(high));
                if (f_low < 0.0) != (f_high < 0.0) {
                    crossings.push(position(low) + (position(high) - position(low)) * (f_low / (f_low - f_high)));
                    if side == 0 {
                        crossed_edges.push((low, axis));
                    }
                    pending.extend(cells_around(low, axis));
                }
            }
        }
        let sum: Vector3<f64> = crossings.iter().map(|crossing| crossing.coords).sum();
        vertex_of.insert(cell, surface.points.len());
        surface.points.push(pull(&field, Point3::from(sum / crossings.len() as f64), cell_size));
    }
    for (low, axis) in crossed_edges {
        let mut face = cells_around(low, axis).map(|cell| vertex_of[&cell]);
        if value(low) >= 0.0 {
            face.reverse();
        }
        surface.faces.push(face.to_vec());
    }
    surface
}

/// The four cells that share the grid edge from `low` along `axis`, counterclockwise seen from its far end.
fn cells_around(low: Cell, axis: usize) -> [Cell; 4] {
    [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(back_u, back_v)| {
        let mut cell = low;
        cell[(axis + 1) % 3] -= 1 - back_u;
        cell[(axis + 2) % 3] -= 1 - back_v;
        cell
    })
}

/// Moves a point along the gradient towards the zero surface, but not out of its cell's neighbourhood.
fn pull(field: impl Fn(&Point3<f64>) -> f64, mut point: Point3<f64>, cell_size: f64) -> Point3<f64> {
    let step = 1e-3 * cell_size;
    for _ in 0..2 {
        let here = field(&point);
        let gradient = Vector3::from_fn(|axis, _| (field(&(point + Vector3::ith(axis, step))) - here) / step);
        let shift = gradient * (-here / gradient.norm_squared().max(0.25));
        point += shift.cap_magnitude(0.5 * cell_size);
    }
    point
}
