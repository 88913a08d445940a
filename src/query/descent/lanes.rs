//! The lanes of a mask, a bit for each, in some order.

/// The least lower bound among the lanes of a mask; 0 where one of them is not a number.
#[inline(always)]
pub(super) fn least(mask: u8, lower_bounds: &[f32; 8]) -> f32 {
    let mut least = f32::INFINITY;
    for (lane, &lower_bound) in lower_bounds.iter().enumerate() {
        let lower_bound = if lower_bound.is_nan() { 0.0 } else { lower_bound };
        let is_less = mask >> lane & 1 != 0 && lower_bound < least;
        least = if is_less { lower_bound } else { least };
    }
    least
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(in crate::query) fn lanes(mask: u8) -> impl Iterator<Item = usize> {
    let mut left = u32::from(mask);
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            bit
        })
    })
}

/// The lanes of a mask lowest first, but for the nearest, which comes before all where that is asked for.
#[inline(always)]
pub(super) fn ordered(mask: u8, lower_bounds: &[f32; 8], nearest_first: bool) -> impl Iterator<Item = usize> + use<> {
    let mut first = mask.trailing_zeros() as usize & 7;
    if nearest_first {
        for lane in lanes(mask) {
            first = if lower_bounds[lane] < lower_bounds[first] { lane } else { first };
        }
    }
    let nearest = mask & 1 << first;
    lanes(nearest).chain(lanes(mask & !nearest))
}
