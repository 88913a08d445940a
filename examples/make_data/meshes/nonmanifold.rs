//! Edges with more than two faces: a divider of crossing sheets without thickness, and blocks that share edges.

use std::collections::BTreeMap;

use super::obj::Obj;
use super::surface::Surface;

/// Compartments of the divider, and quads up each sheet.
const COLUMNS: i32 = 6;
const ROWS: i32 = 4;
const LEVELS: i32 = 5;
const CELL: f64 = 8.0;
const LEVEL: f64 = 3.0;

pub fn nonmanifold() -> Obj {
    let mut obj = Obj::new("Box divider and stacked blocks with edges of three and four faces");
    obj.object("divider").surface(&divider().triangulated());
    obj.object("blocks").surface(&blocks().triangulated());
    obj
}

/// Points on a grid, each made once.
struct Lattice {
    surface: Surface,
    index_of: BTreeMap<[i32; 3], usize>,
    place: fn([i32; 3]) -> [f64; 3],
}

impl Lattice {
    fn new(place: fn([i32; 3]) -> [f64; 3]) -> Self {
        Self { surface: Surface::default(), index_of: BTreeMap::new(), place }
    }

    fn quad(&mut self, corners: [[i32; 3]; 4]) {
        let points = &mut self.surface.points;
        let face = corners.map(|corner| {
            *self.index_of.entry(corner).or_insert_with(|| {
                points.push((self.place)(corner).into());
                points.len() - 1
            })
        });
        self.surface.faces.push(face.to_vec());
    }

    /// The quad spanned by one step along each of two axes.
    fn step_quad(&mut self, [x, y, z]: [i32; 3], a: [i32; 3], b: [i32; 3]) {
        let at = |i: i32, j: i32| [x + i * a[0] + j * b[0], y + i * a[1] + j * b[1], z + i * a[2] + j * b[2]];
        self.quad([at(0, 0), at(1, 0), at(1, 1), at(0, 1)]);
    }
}

const X: [i32; 3] = [1, 0, 0];
const Y: [i32; 3] = [0, 1, 0];
const Z: [i32; 3] = [0, 0, 1];

/// An open tray of upright sheets that cross and a bottom: a wall meets the bottom in an edge with three faces.
fn divider() -> Surface {
    let mut lattice = Lattice::new(|[x, y, z]| [CELL * f64::from(x), CELL * f64::from(y), LEVEL * f64::from(z)]);
    for y in 0..=ROWS {
        for x in 0..=COLUMNS {
            for z in 0..LEVELS {
                if x < COLUMNS {
                    lattice.step_quad([x, y, z], X, Z);
                }
                if y < ROWS {
                    lattice.step_quad([x, y, z], Y, Z);
                }
            }
            if x < COLUMNS && y < ROWS {
                lattice.step_quad([x, y, 0], X, Y);
            }
        }
    }
    lattice.surface
}

/// A chequered pile of closed cubes: neighbours touch in an edge, which has two faces of each.
fn blocks() -> Surface {
    let mut lattice =
        Lattice::new(|[x, y, z]| [60.0 + 6.0 * f64::from(x), 4.0 + 6.0 * f64::from(y), 6.0 * f64::from(z)]);
    for [x, y, z] in [[0, 0, 0], [1, 1, 0], [2, 0, 0], [3, 1, 0], [1, 0, 1], [2, 1, 1], [2, 2, 0]] {
        for (a, b, up) in [(X, Y, Z), (Y, Z, X), (Z, X, Y)] {
            lattice.step_quad([x, y, z], b, a);
            lattice.step_quad([x + up[0], y + up[1], z + up[2]], a, b);
        }
    }
    lattice.surface
}
