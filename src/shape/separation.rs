//! The separating-axis test's result for two convex shapes, in 3D and 2D.

use nalgebra::SVector;

/// The result of the separating-axis test (SAT) of two convex shapes: the axis and the gap, or the axis of least
/// overlap and the depth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Separation<const D: usize = 3> {
    /// The shapes' projections on `axis` are apart.
    Apart {
        /// Of the axes that separate, the one that does by most: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// The free space between the projections: a lower bound of the distance.
        gap: f64,
    },
    /// No axis separates the shapes.
    Overlapping {
        /// The axis of least overlap: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// How far to move the second shape along `axis` until the two only touch. No other direction needs less.
        depth: f64,
    },
}

/// Two shapes projected on an axis. Lengths are as the axis gives them, whatever its own length.
pub(crate) struct Projection<const D: usize> {
    pub axis: SVector<f64, D>,
    /// From the middle of the first shape's projection to that of the second's.
    pub distance: f64,
    /// The sum of the projections' half widths.
    pub radius: f64,
    /// What rounding may have changed.
    pub margin: f64,
}

impl<const D: usize> Projection<D> {
    pub fn separates(&self) -> bool {
        self.distance.abs() > self.radius + self.margin
    }
}

impl<const D: usize> Separation<D> {
    /// The widest gap of the projections that separate, or else the least overlap.
    pub(crate) fn of(projections: impl Iterator<Item = Projection<D>>) -> Self {
        let mut widest: Option<(SVector<f64, D>, f64)> = None;
        let mut least = (SVector::zeros(), f64::INFINITY);
        for projection in projections {
            let length = projection.axis.norm();
            let overlap = (projection.radius - projection.distance.abs()) / length;
            let toward_second = projection.axis * (1f64.copysign(projection.distance) / length);
            if projection.separates() && widest.is_none_or(|(_, gap)| -overlap > gap) {
                widest = Some((toward_second, -overlap));
            }
            if length > PARALLEL && overlap < least.1 {
                least = (toward_second, overlap);
            }
        }
        match (widest, least) {
            (Some((axis, gap)), _) => Self::Apart { axis, gap },
            (None, (axis, depth)) => Self::Overlapping { axis, depth: depth.max(0.0) },
        }
    }
}

/// The length of a cross product of unit edges below which its direction is mostly rounding error.
const PARALLEL: f64 = 1e-8;
