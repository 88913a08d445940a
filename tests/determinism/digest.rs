//! A digest of numbers, to the last bit.

use nalgebra::{Point3, Vector3};
use xxhash_rust::xxh3::xxh3_64;

/// Numbers in the order in which they were written.
#[derive(Default)]
pub struct Digest(Vec<u8>);

impl Digest {
    pub fn count(&mut self, count: impl Into<u64>) -> &mut Self {
        self.0.extend(count.into().to_le_bytes());
        self
    }

    pub fn real(&mut self, real: f64) -> &mut Self {
        self.count(real.to_bits())
    }

    pub fn reals<'a>(&mut self, reals: impl IntoIterator<Item = &'a f64>) -> &mut Self {
        for &real in reals {
            self.real(real);
        }
        self
    }

    pub fn point(&mut self, point: &Point3<f64>) -> &mut Self {
        self.reals(&point.coords)
    }

    pub fn vector(&mut self, vector: &Vector3<f64>) -> &mut Self {
        self.reals(vector)
    }

    /// Whether there is something, and what.
    pub fn option<T>(&mut self, option: Option<T>, mut some: impl FnMut(&mut Self, T)) -> &mut Self {
        self.count(option.is_some());
        if let Some(found) = option {
            some(self, found);
        }
        self
    }

    pub fn value(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

/// The numbers of several digests, one after the other.
impl<'a> FromIterator<&'a Digest> for Digest {
    fn from_iter<I: IntoIterator<Item = &'a Self>>(digests: I) -> Self {
        Self(digests.into_iter().flat_map(|digest| &digest.0).copied().collect())
    }
}
