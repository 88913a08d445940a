//! What stands for a body where pairs of neighbours are looked for: kept apart from the bodies, where it lies dense.

use super::body::Slot;
use super::broad_phase::Box32;

/// A body's place in a scene, which may be free: box and state, by an index that never changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// Around the body, about the scene's origin. Nothing where there is no body, or one without triangles.
    pub(super) bounds: Box32,
    /// At most so far has any of the body's points come, all moves added up. More after every move.
    pub(super) travel: f64,
    /// How many bodies the place has had.
    pub(super) generation: u32,
    /// Whether it has a body.
    pub(super) is_taken: bool,
}

impl Proxy {
    /// That nobody has had.
    pub(super) const NEW: Self = Self { bounds: Box32::EMPTY, travel: 0.0, generation: 0, is_taken: false };

    /// Puts a body there.
    pub(super) fn take(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.is_taken = true;
        self.set_bounds(slot, origin);
    }

    #[inline]
    pub(super) fn set_bounds(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.bounds = if slot.is_empty() { Box32::EMPTY } else { Box32::around(&slot.bounds, origin) };
    }

    /// Adds so long a way, which is not negative.
    #[inline]
    pub(super) fn travelled(&mut self, way: f64) {
        let sum = self.travel + way;
        // At least the next number, without the branches of `next_up`.
        self.travel = sum + (sum * f64::EPSILON + f64::MIN_POSITIVE);
    }

    /// Takes its body away.
    pub(super) fn leave(&mut self) {
        *self = Self { generation: self.generation.wrapping_add(1), ..Self::NEW };
    }

    /// Whether nothing can be near.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.lower[0] > self.bounds.upper[0]
    }
}
