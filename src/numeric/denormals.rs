//! Numbers on the safe side that are never denormal: Intel's CPUs take 150 cycles for each instruction that meets one.

/// What is less than this, of coordinates in a frame and components of directions, counts for nothing beside rounding.
const NEGLIGIBLE: f64 = 1.0 / (1 << 30) as f64;

/// A coordinate in a frame, or a component of a direction, in f32; nothing where it counts for nothing, so that
/// products of several such don't become denormal.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> f32 {
    // The f64 is chosen, not the f32: rounding what is smaller than any normal f32 is slow already.
    (if x.abs() < NEGLIGIBLE { 0.0 } else { x }) as f32
}

/// An f32 above a number: a limit that includes it.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    // What follows the least negative number is denormal too.
    if -2.0 * LEAST < x && x < LEAST { f32::MIN_POSITIVE } else { (x as f32).next_up() }
}

/// An f64 above a number that is not negative, by as little as can be.
#[inline(always)]
pub(crate) fn just_above(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { x.next_up() }
}
