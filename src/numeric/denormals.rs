//! Rounding to safe numbers that are never denormal: Intel's CPUs take 150 cycles for an instruction with a denormal.

/// Magnitude below which coordinates in a frame and components of directions are negligible compared with rounding.
const NEGLIGIBLE: f64 = 1.0 / (1 << 30) as f64;

/// Rounds to f32, and negligible numbers to zero, so that products of several do not become denormal.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> f32 {
    // The selection is in f64, because rounding to a denormal f32 is already slow.
    (if x.abs() < NEGLIGIBLE { 0.0 } else { x }) as f32
}

/// An f32 greater than `x` and not denormal: an upper limit that includes `x`.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    // The successor of the smallest negative normal number is denormal too.
    if -2.0 * LEAST < x && x < LEAST { f32::MIN_POSITIVE } else { (x as f32).next_up() }
}

/// The smallest normal f64 above a non-negative number.
#[inline(always)]
pub(crate) fn just_above(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x.next_up() }
}
