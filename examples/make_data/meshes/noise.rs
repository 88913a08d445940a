//! Smooth noise over the plane, the same everywhere: a hash of the lattice points, no tables and no seed from outside.

/// A value in 0..1 for each lattice point, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn lattice(x: i64, y: i64, seed: u64) -> f64 {
    let mut z = (x as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(seed);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Value noise in -1..1, smooth to the second derivative.
pub fn value_noise(x: f64, y: f64, seed: u64) -> f64 {
    let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let (cell_x, cell_y) = (x.floor() as i64, y.floor() as i64);
    let (u, v) = (fade(x - x.floor()), fade(y - y.floor()));
    let row = |j: i64| mix(lattice(cell_x, cell_y + j, seed), lattice(cell_x + 1, cell_y + j, seed), u);
    2.0 * mix(row(0), row(1), v) - 1.0
}

/// Octaves of `shape(noise)`, each half as wide and `gain` times as high as the one before; 0..1 for shapes in 0..1.
pub fn fractal(x: f64, y: f64, octaves: u32, gain: f64, shape: impl Fn(f64) -> f64) -> f64 {
    // Turning each octave keeps the lattice directions from lining up.
    let (sin, cos) = (0.6, 0.8);
    let (mut x, mut y, mut height) = (x, y, 1.0);
    let (mut sum, mut weight) = (0.0, 0.0);
    for octave in 0..octaves {
        sum += height * shape(value_noise(x, y, u64::from(octave)));
        weight += height;
        height *= gain;
        (x, y) = (2.0 * (cos * x - sin * y), 2.0 * (sin * x + cos * y));
    }
    sum / weight
}
