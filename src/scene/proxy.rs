//! What stands for a body where pairs of neighbours are looked for: kept apart from the bodies, where it lies dense.

use super::body::Slot;
use super::broad_phase::Box32;
use super::known::Displacement;

/// A body's place in a scene, which may be free: box and state, by an index that never changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// Around the body, about the scene's origin. Nothing where there is no body, or one without triangles.
    pub(super) bounds: Box32,
    /// How far the body has moved.
    pub(super) displacement: Displacement,
    /// How many bodies the place has had.
    pub(super) generation: u32,
    /// Whether it has a body.
    pub(super) is_taken: bool,
}

impl Proxy {
    /// That nobody has had.
    pub(super) fn new(generation: u32) -> Self {
        Self { bounds: Box32::EMPTY, displacement: Displacement::default(), generation, is_taken: false }
    }

    /// Puts a body there.
    pub(super) fn take(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.is_taken = true;
        self.set_bounds(slot, origin);
    }

    #[inline]
    pub(super) fn set_bounds(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.bounds = if slot.is_empty() { Box32::EMPTY } else { Box32::around(&slot.bounds, origin) };
    }

    /// Takes its body away.
    pub(super) fn leave(&mut self) {
        *self = Self::new(self.generation.wrapping_add(1));
    }

    /// Whether nothing can be near.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.lower[0] > self.bounds.upper[0]
    }
}

// Three fit in two cache lines.
const _: () = assert!(size_of::<Proxy>() == 40);
