//! Colours of volumes: variations of one hue per kind, so that neighbours differ and kinds are told apart.

use bvtree::VolumeKind;

/// Colours of a kind.
pub const SHADES: usize = 12;

/// Red, green and blue from 0 to 1, as sRGB.
pub type Rgb = [f64; 3];

/// Colours of volumes of a kind; the n-th volume has the `n % SHADES`-th.
pub fn shades(kind: VolumeKind) -> [Rgb; SHADES] {
    let hue = match kind {
        VolumeKind::Aabb => 215.0,
        VolumeKind::Obb => 24.0,
        VolumeKind::Sphere => 158.0,
        VolumeKind::KDop => 285.0,
    };
    // Neighbours in the list are far apart: 5 has no divisor in common with 12.
    std::array::from_fn(|i| {
        let step = (i * 5 % SHADES) as f64 / (SHADES - 1) as f64 - 0.5;
        hsl(hue + 26.0 * step, 0.7, 0.48 - 0.24 * step)
    })
}

/// Colours that are told from each other, neighbours best.
pub fn hues<const N: usize>() -> [Rgb; N] {
    std::array::from_fn(|i| hsl(i as f64 * 137.508, 0.65, 0.55))
}

/// Hue in degrees, saturation and lightness from 0 to 1.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> Rgb {
    let chroma = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}
