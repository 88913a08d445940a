//! What is asked about a distance, and what is answered.

use nalgebra::Point3;

use crate::query::face_pair::FacePair;

/// Two points of two meshes, or of two of their triangles, that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPair {
    /// In A's units; 0 exactly when the meshes intersect.
    pub distance: f64,
    /// The closest point of A, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B, in A's frame.
    pub on_b: Point3<f64>,
    /// The triangles that the points lie on.
    pub faces: FacePair,
}

/// How the least distance is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DistanceOptions {
    /// The answer may exceed the least distance by this part of it; 0 by default.
    pub relative_tolerance: f64,
    /// The answer may exceed the least distance by this much, in A's units; 0 by default.
    ///
    /// Tolerances allow to stop early. They never make 0 of a distance that is not, or the reverse. Negative values and
    /// NaN count as 0.
    pub absolute_tolerance: f64,
    /// Distances greater than this are not of interest; infinite by default. The smaller, the less work. NaN counts as
    /// 0.
    pub upper_bound: f64,
}

impl Default for DistanceOptions {
    fn default() -> Self {
        Self { relative_tolerance: 0.0, absolute_tolerance: 0.0, upper_bound: f64::INFINITY }
    }
}
