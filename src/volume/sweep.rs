//! The linear sweep of one volume past eight others: when they may touch.

use crate::simd::Simd;

/// The straight path of a volume in another tree's frame: at parameter `s` its centre has moved by
/// `offset + s * displacement`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearSweep {
    pub(crate) offset: [f32; 3],
    pub(crate) displacement: [f32; 3],
    /// The displacement's direction; zero if it has none.
    pub(crate) direction: [f32; 3],
    /// The displacement's length.
    pub(crate) length: f32,
    /// The last parameter that matters; the first is 0.
    pub(crate) last: f32,
}

impl LinearSweep {
    #[inline(always)]
    pub(crate) fn new(offset: [f32; 3], displacement: [f32; 3], last: f32) -> Self {
        let length = length(&displacement);
        let scale = if length > TINY { 1.0 / length } else { 0.0 };
        Self { offset, displacement, direction: displacement.map(|x| x * scale), length, last }
    }

    #[inline(always)]
    pub(super) fn start(&self, center: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| center[k] + self.offset[k])
    }
}

/// The parameters at which one volume may touch each of eight.
pub(crate) struct Swept<S: Simd> {
    /// A lower bound of the first parameter, if the margin is at least the margins of both frames' volume tests.
    pub(crate) entry: S::F32x8,
    /// The negative of an upper bound of the last parameter.
    pub(crate) minus_exit: S::F32x8,
    /// A bit for each lane that is never touched.
    pub(crate) never: u8,
    /// A bit for each lane that is much larger than the single volume.
    pub(crate) larger: u8,
    apart: S::Mask,
}

impl<S: Simd> Swept<S> {
    #[inline(always)]
    pub(super) fn anytime(s: S) -> Self {
        let earliest = s.splat(f32::MIN);
        let apart = s.gt(earliest, earliest);
        Self { entry: earliest, minus_exit: earliest, never: 0, larger: 0, apart }
    }

    /// Keeps the parameters at which the volumes overlap along an axis: their centres are `t` apart at first, the
    /// displacement along the axis is `along`, and they overlap up to a distance of `radius`, the sum of their
    /// projected radii.
    #[inline(always)]
    pub(super) fn clip(&mut self, s: S, t: S::F32x8, along: S::F32x8, radius: S::F32x8, path: &LinearSweep) {
        let speed = s.abs(along);
        let inverse = s.div(s.splat(1.0), s.max(speed, s.splat(TINY)));
        let nearest = s.mul(s.mul(t, s.mul(along, inverse)), inverse);
        let half = s.mul(radius, inverse);
        self.entry = s.max(s.sub(nearest, half), self.entry);
        self.minus_exit = s.max(s.sub(s.splat(0.0), s.add(nearest, half)), self.minus_exit);
        // Volumes that are nearly still along the axis, whose parameters are unknown, may be apart all the time.
        self.exclude(s, s.gt(s.sub(s.abs(t), radius), s.mul(speed, s.splat(path.last))));
    }

    #[inline(always)]
    pub(super) fn exclude(&mut self, s: S, apart: S::Mask) {
        self.apart = s.or(self.apart, apart);
    }

    #[inline(always)]
    pub(super) fn finish(mut self, s: S, larger: u8) -> Self {
        let over = s.gt(s.add(self.entry, self.minus_exit), s.splat(0.0));
        self.never = s.bits(s.or(self.apart, over));
        self.larger = larger;
        self
    }
}

/// The least speed; smaller ones count as this.
const TINY: f32 = 1e-30;

#[inline(always)]
pub(super) fn length([x, y, z]: &[f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
