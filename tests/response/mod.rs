//! Collision impulses against closed forms, and mass properties against known solids and sums.

mod impulses;
mod mass;
mod planar;
mod shape_mass;
mod textbook;

/// A generator of numbers, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Over some magnitudes.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.within(low, high))
    }

    pub fn vector(&mut self) -> nalgebra::Vector3<f64> {
        nalgebra::Vector3::from_fn(|_, _| self.within(-1.0, 1.0))
    }

    pub fn material(&mut self) -> bvtree::response::Material {
        let pick = |x: f64| {
            if x < 0.1 {
                0.0
            } else if x > 0.9 {
                1.0
            } else {
                x
            }
        };
        let restitution = pick(self.within(0.0, 1.0));
        let friction = [0.0, self.within(0.0, 0.1), self.within(0.0, 1.0), self.magnitude(-1.0, 3.0)];
        bvtree::response::Material { restitution, friction: friction[self.within(0.0, 4.0) as usize] }
    }
}

/// Pairs of bodies: a million in release mode.
pub const PAIRS: usize = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
