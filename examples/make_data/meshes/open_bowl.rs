//! A fluted bowl of a single wall, open at its rim and at its foot; quads, with normals.

use super::loft::{Ends, Ring, loft, ring};
use super::obj::{Obj, Shading};

const SEGMENTS: usize = 72;
const RINGS: usize = 24;
const FLUTES: f64 = 12.0;

pub fn open_bowl() -> Obj {
    let mut rings: Vec<Ring> = [(3.6, 0.0), (3.3, 0.15), (3.1, 0.5), (3.0, 0.9)]
        .map(|(radius, z)| ring(SEGMENTS, z, move |_| radius))
        .to_vec();
    for i in 1..=RINGS {
        let t = i as f64 / RINGS as f64;
        let radius = 3.0 + 7.0 * (1.6 * t).sin() + 0.8 * t.powi(6);
        let depth = 0.45 * t * t;
        rings.push(ring(SEGMENTS, 0.9 + 6.0 * t.powf(1.6), move |angle| radius + depth * (FLUTES * angle).cos()));
    }
    let bowl = loft(&rings, Ends::Open);
    let normals = bowl.normals();
    let mut obj = Obj::new("Fluted bowl of a single wall");
    obj.object("open_bowl").shaded_surface(&bowl, Shading { normals, ..Shading::default() });
    obj
}
