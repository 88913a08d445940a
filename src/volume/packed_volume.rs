//! How a kind of volume is stored.

use nalgebra::Point3;

use super::node::fields;
use crate::volume::{Volume, VolumeKind};

/// A kind of bounding volume in packed form: how one is stored.
pub(crate) trait PackedVolume {
    const KIND: VolumeKind;

    /// Words of a child: the volume and, last, its reference.
    const FIELDS: usize = fields(Self::KIND);

    /// A volume around points in local coordinates, as far as it is measured in f64.
    type Fit;

    /// The volume's words (all but the reference), rounded outward.
    fn pack(fit: &Self::Fit, words: &mut [u32]);

    /// The stored volume, in local coordinates.
    fn unpack(words: &[u32]) -> Volume;

    /// Whether the stored volume contains the point (local coordinates), evaluated in f64.
    fn encloses(words: &[u32], point: &Point3<f64>) -> bool;
}

/// The f32 that a word stands for, widened.
pub(super) fn widen(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

/// What rounding in f64 may add to a length in local coordinates, which are at most 1 in magnitude.
const ROUNDING: f64 = 4e-15;

/// The word of the least f32 not below `length` and its rounding errors in f64.
#[inline(always)]
pub(super) fn length_word(length: f64) -> u32 {
    let length = length + ROUNDING;
    let nearest = length as f32;
    (if f64::from(nearest) < length { nearest.next_up() } else { nearest }).to_bits()
}
