//! What is reported of a set of pairs of triangles: how many there are, and a checksum of which.

use bvtree::query::FacePair;

/// Sums up pairs; their order doesn't matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairSum {
    pub pairs: u64,
    /// Sum over the pairs of `splitmix64(face_a * 2^32 + face_b)`, modulo 2^64.
    pub checksum: u64,
}

impl PairSum {
    pub fn add(&mut self, FacePair { face_a, face_b }: FacePair) {
        self.pairs += 1;
        self.checksum = self.checksum.wrapping_add(splitmix64(u64::from(face_a) << 32 | u64::from(face_b)));
    }
}

/// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
fn splitmix64(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
