//! Seeded numbers, directions and points: the same everywhere.

use std::f64::consts::TAU;

use bvtree::Mesh;
use bvtree::shape::Aabb;
use nalgebra::{Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};

/// The SplitMix64 sequence (Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| 2.0 * self.unit() - 1.0);
            if (1e-3..=1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    pub fn point_in_box(&mut self, bounds: &Aabb) -> Point3<f64> {
        bounds.lower + bounds.size().component_mul(&Vector3::from_fn(|_, _| self.unit()))
    }

    pub fn point_on(&mut self, mesh: &Mesh) -> Point3<f64> {
        let face = self.bits() % mesh.triangles().len() as u64;
        let [a, b, c] = mesh.triangle(face as u32).vertices;
        let (u, v) = (self.unit(), self.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        a + (b - a) * u + (c - a) * v
    }

    /// Uniform among rotations (Shoemake 1992).
    pub fn rotation(&mut self) -> Matrix3<f64> {
        let [u, v, w] = std::array::from_fn(|_| self.unit());
        let (sin_v, cos_v) = (TAU * v).sin_cos();
        let (sin_w, cos_w) = (TAU * w).sin_cos();
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        let quaternion = Quaternion::new(q * cos_w, p * sin_v, p * cos_v, q * sin_w);
        UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix().into_inner()
    }
}
