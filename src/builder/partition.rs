//! Items on one side of a plane before those on the other.

use smallvec::SmallVec;

use crate::volume::fit::Primitive;

/// Bits of a word.
pub(super) const WORD: usize = u64::BITS as usize;

/// Brings primitives to the front; returns their count. `bits` has a bit for each of up to [`WORD`] primitives, set for those
/// that go to the front; bits past these are ignored.
#[inline(always)]
pub(super) fn partition_by_bits(primitives: &mut [Primitive], mut bits: impl FnMut(&[Primitive]) -> u64) -> usize {
    if primitives.len() <= WORD {
        return partition_by_word(primitives, bits(primitives));
    }
    let mut words = SmallVec::<[u64; 16]>::new();
    words.extend(primitives.chunks(WORD).map(bits));
    let last = primitives.len() % WORD;
    if last > 0
        && let Some(word) = words.last_mut()
    {
        *word &= (1 << last) - 1;
    }
    let front: usize = words.iter().map(|word| word.count_ones() as usize).sum();
    // As many are too far behind as are too far ahead: nothing else is moved.
    for (ahead, behind) in positions(&words, 0, 0).zip(positions(&words, front, u64::MAX)) {
        exchange(primitives, ahead, behind);
    }
    front
}

/// As [`partition_by_bits`], of up to [`WORD`] primitives.
#[inline(always)]
pub(super) fn partition_by_word(primitives: &mut [Primitive], bits: u64) -> usize {
    let first = |count: usize| u64::MAX.checked_shr((WORD - count) as u32).unwrap_or(0);
    let bits = bits & first(primitives.len());
    let front = bits.count_ones() as usize;
    let (mut ahead, mut behind) = (!bits & first(front), bits & !first(front));
    while behind != 0 {
        exchange(primitives, ahead.trailing_zeros() as usize, behind.trailing_zeros() as usize);
        (ahead, behind) = (ahead & (ahead - 1), behind & (behind - 1));
    }
    front
}

/// Where bits are as those given, from a position on.
#[inline(always)]
fn positions(words: &[u64], from: usize, like: u64) -> impl Iterator<Item = usize> + '_ {
    let mut at = from / WORD;
    let word = move |at: usize| words.get(at).map(|word| !(word ^ like));
    let mut left = word(at).unwrap_or(0) & (u64::MAX << (from % WORD));
    std::iter::from_fn(move || {
        while left == 0 {
            at += 1;
            left = word(at)?;
        }
        let position = at * WORD + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(position)
    })
}

/// Brings those for which `below` holds to the front; returns their count.
#[inline(always)]
pub(super) fn partition_in_place(primitives: &mut [Primitive], below: impl Fn(&Primitive) -> bool) -> usize {
    partition_by_bits(primitives, |primitives| {
        primitives.iter().enumerate().fold(0, |bits, (i, primitive)| bits | u64::from(below(primitive)) << i)
    })
}

#[inline(always)]
fn exchange(primitives: &mut [Primitive], one: usize, other: usize) {
    // Corner by corner: a swap of whole primitives goes through memory.
    for corner in 0..3 {
        let moved = primitives[one].corners[corner];
        primitives[one].corners[corner] = primitives[other].corners[corner];
        primitives[other].corners[corner] = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::gather;
    use nalgebra::Point3;

    #[test]
    fn each_item_comes_to_its_side() {
        for triangles in [1, 2, 63, 64, 65, 128, 300, 2000] {
            let vertex = |i: u32| [i as f32, 0.0, 0.0].into();
            let corners: Vec<[u32; 3]> = (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let vertices: Vec<Point3<f32>> = (0..3 * triangles).map(vertex).collect();
            let primitives = gather(&vertices, &corners);
            // None, all, the front, the back, some.
            let rules: [fn(u32, u32) -> bool; 6] = [
                |_, _| false,
                |_, _| true,
                |face, triangles| face < triangles / 3,
                |face, triangles| face >= triangles / 3,
                |face, _| face % 5 == 2,
                |face, _| face.wrapping_mul(0x9e37_79b1) >> 31 == 0,
            ];
            for rule in rules {
                let is_below = |primitive: &Primitive| rule(primitive.face(), triangles);
                let bits = |primitives: &[Primitive]| {
                    // Bits of no primitive are of no effect.
                    let bit = |(i, primitive)| u64::from(is_below(primitive)) << i;
                    primitives
                        .iter()
                        .enumerate()
                        .map(bit)
                        .fold(u64::MAX.checked_shl(primitives.len() as u32).unwrap_or(0), |a, b| a | b)
                };
                let (mut parted, mut by_bits) = (primitives.clone(), primitives.clone());
                let front = partition_in_place(&mut parted, is_below);
                assert_eq!(partition_by_bits(&mut by_bits, bits), front);
                for mut parted in [parted, by_bits] {
                    assert!(parted.iter().enumerate().all(|(i, primitive)| is_below(primitive) == (i < front)));
                    parted.sort_unstable_by_key(Primitive::face);
                    assert!(parted.iter().zip(&primitives).all(|(a, b)| a.corners == b.corners));
                }
            }
        }
    }
}
