//! Pairs of triangles that are hard for floating point.

use bvtree::triangle::Triangle;
use nalgebra::{Point3, Rotation3, Vector3};

/// A generator with a fixed seed, so that a failure can be repeated (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Uniform in -1..1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    pub fn point(&mut self) -> Point3<f64> {
        Point3::new(self.unit(), self.unit(), self.unit())
    }

    pub fn triangle(&mut self) -> Triangle {
        Triangle::new(self.point(), self.point(), self.point())
    }

    fn rotation(&mut self) -> Rotation3<f64> {
        Rotation3::from_euler_angles(3.0 * self.unit(), 3.0 * self.unit(), 3.0 * self.unit())
    }

    /// A point of the triangle up to rounding: often a corner or on an edge.
    fn point_on(&mut self, t: &Triangle) -> Point3<f64> {
        let [a, b, c] = t.vertices;
        match self.below(4) {
            0 => t.vertices[self.below(3) as usize],
            1 => a + (b - a) * self.unit().abs(),
            _ => {
                let v = self.unit().abs();
                a + (b - a) * v + (c - a) * (self.unit().abs() * (1.0 - v))
            }
        }
    }
}

/// How many cases to run: the full number in release, a part in debug.
pub fn count(release: usize) -> usize {
    if cfg!(debug_assertions) { release / 50 } else { release }
}

/// A triangle with corners on the integer grid `0..=size`.
pub fn grid_triangle(random: &mut Random, size: u64) -> [[i64; 3]; 3] {
    std::array::from_fn(|_| std::array::from_fn(|_| random.below(size + 1) as i64))
}

pub fn from_grid(t: &[[i64; 3]; 3]) -> Triangle {
    Triangle { vertices: t.map(|p| Point3::from(p.map(|x| x as f64))) }
}

/// Two triangles that touch or nearly do, one way or another; some coordinates are off by an ulp.
pub fn near_contact(random: &mut Random) -> [Triangle; 2] {
    let [mut a, mut b] = match random.below(6) {
        0 => touching(random),
        1 => rotated_grid(random),
        2 => coplanar_after_rotation(random),
        3 => needles(random),
        4 => collapsed(random),
        _ => far_from_the_origin(random),
    };
    if random.below(2) == 0 {
        for t in [&mut a, &mut b] {
            for p in &mut t.vertices {
                p.apply(|x| *x = nudge(*x, random.below(7)));
            }
        }
    }
    [a, b]
}

/// Multiplies all coordinates.
pub fn scaled(t: &Triangle, scale: f64) -> Triangle {
    Triangle { vertices: t.vertices.map(|p| p * scale) }
}

fn nudge(x: f64, which: u64) -> f64 {
    match which {
        0 => x.next_up(),
        1 => x.next_down(),
        _ => x,
    }
}

/// A vertex of one on the other, up to rounding.
fn touching(random: &mut Random) -> [Triangle; 2] {
    let a = random.triangle();
    let b = Triangle::new(random.point_on(&a), random.point(), random.point());
    [a, b]
}

/// Grid triangles, where contacts abound, turned as a pose turns them, in f64 or by exact quarter turns.
fn rotated_grid(random: &mut Random) -> [Triangle; 2] {
    let pair = [(); 2].map(|()| from_grid(&grid_triangle(random, 3)));
    let (rotation, shift) = (random.rotation(), random.point() - Point3::origin());
    pair.map(|t| Triangle { vertices: t.vertices.map(|p| rotation * p + shift) })
}

fn coplanar_after_rotation(random: &mut Random) -> [Triangle; 2] {
    let height = random.unit();
    let flat = |random: &mut Random| {
        let mut t = random.triangle();
        t.vertices.iter_mut().for_each(|p| p.z = height);
        t
    };
    let pair = [flat(random), flat(random)];
    // The 3-4-5 rotation keeps f32 coordinates' products within 53 bits when multiplied by 5: coplanar exactly.
    let turn = |p: Point3<f64>| {
        let [x, y, z] = [p.x, p.y, p.z].map(|x| f64::from(x as f32));
        Point3::new(3.0 * x - 4.0 * z, 5.0 * y, 4.0 * x + 3.0 * z)
    };
    match random.below(3) {
        0 => pair,
        1 => pair.map(|t| Triangle { vertices: t.vertices.map(turn) }),
        _ => {
            let rotation = random.rotation();
            pair.map(|t| Triangle { vertices: t.vertices.map(|p| rotation * p) })
        }
    }
}

/// Long triangles 1e-1 to 1e-16 wide that cross near a point.
fn needles(random: &mut Random) -> [Triangle; 2] {
    let center = random.point();
    [(); 2].map(|()| {
        let (along, across) = (random.point() - Point3::origin(), random.point() - Point3::origin());
        let width = 10f64.powi(-(random.below(16) as i32) - 1);
        let tip = center + along * random.unit();
        Triangle::new(center - along, tip, center + along + across * width)
    })
}

/// Segments and points (up to rounding) on or near each other.
fn collapsed(random: &mut Random) -> [Triangle; 2] {
    let a = random.triangle();
    let (p, q) = (random.point_on(&a), random.point());
    let b = match random.below(3) {
        0 => Triangle::new(p, p, p),
        1 => Triangle::new(p, q, p),
        _ => Triangle::new(p, q, p + (q - p) * 0.5),
    };
    let a = match random.below(3) {
        0 => a,
        1 => Triangle::new(a.vertices[0], a.vertices[1], a.vertices[0]),
        _ => Triangle::new(a.vertices[0], p, p + (p - a.vertices[0])),
    };
    [a, b]
}

fn far_from_the_origin(random: &mut Random) -> [Triangle; 2] {
    let offset = Vector3::repeat(2f64.powi(random.below(40) as i32));
    touching(random).map(|t| Triangle { vertices: t.vertices.map(|p| p + offset) })
}

/// Two triangles from [`near_contact`] and its like, moved apart by a gap of 1 to 1e-10 of their size in a random
/// direction or straight across a plane that they both touch.
pub fn separated(random: &mut Random) -> [Triangle; 2] {
    let gap = 10f64.powi(-(random.below(11) as i32));
    if random.below(2) == 0 {
        let [a, b] = near_contact(random);
        let shift = random.point().coords * gap;
        return [a, Triangle { vertices: b.vertices.map(|p| p + shift) }];
    }
    let (rotation, shift) = (random.rotation(), random.point().coords);
    let width = 10f64.powi(-(random.below(12) as i32));
    let touching = 1 + random.below(3) as usize;
    let mut above = |sign: f64, narrow: f64| {
        let mut t = random.triangle();
        for (i, p) in t.vertices.iter_mut().enumerate() {
            p.x *= narrow;
            p.z = sign * (gap + if i < touching { 0.0 } else { p.z.abs() });
        }
        Triangle { vertices: t.vertices.map(|p| rotation * p + shift) }
    };
    [above(1.0, width), above(-1.0, 1.0)]
}
