//! What the surface area heuristic knows of a set of triangles, by the kind of volume they will get.

use crate::simd::Simd;
use crate::volume::fit::Primitive;

/// Triangles of which the surface area matters: those on one side of a plane, or a cluster.
pub(super) trait SahBounds: Copy + Send + Sync {
    const EMPTY: Self;

    /// One triangle.
    fn of(primitive: &Primitive) -> Self {
        Self::of_box(SahBox::of_primitive(primitive))
    }

    /// Triangles of which the box along the coordinate axes is known.
    fn of_box(side: SahBox) -> Self;

    fn join(&mut self, other: &Self);

    fn triangles(&self) -> usize;

    /// The surface area of the volume around the triangles, in a unit of the kind's own; 0 for none.
    fn area(&self) -> f64;

    /// The surface areas around eight boxes of these lengths, in the same unit.
    fn areas<S: Simd>(s: S, lengths: &[S::F64x8; 3]) -> S::F64x8;

    fn of_primitives(primitives: &[Primitive]) -> Self {
        primitives.iter().fold(Self::EMPTY, |side, primitive| side.joined(&Self::of(primitive)))
    }

    fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

/// The box along the coordinate axes; a fourth lane is idle.
#[derive(Clone, Copy)]
pub(super) struct SahBox {
    triangles: usize,
    lower: [f32; 4],
    upper: [f32; 4],
}

impl SahBox {
    fn of_primitive(primitive: &Primitive) -> Self {
        let (mut lower, mut upper) = (primitive.corners[0], primitive.corners[0]);
        for corner in &primitive.corners[1..] {
            for k in 0..4 {
                lower[k] = if corner[k] < lower[k] { corner[k] } else { lower[k] };
                upper[k] = if corner[k] > upper[k] { corner[k] } else { upper[k] };
            }
        }
        Self { triangles: 1, lower, upper }
    }

    fn lengths(&self) -> [f64; 3] {
        std::array::from_fn(|k| f64::from(self.upper[k]) - f64::from(self.lower[k]))
    }
}

impl SahBounds for SahBox {
    const EMPTY: Self = Self { triangles: 0, lower: [f32::INFINITY; 4], upper: [f32::NEG_INFINITY; 4] };

    fn of_box(side: SahBox) -> Self {
        side
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.triangles += other.triangles;
        for k in 0..4 {
            self.lower[k] = if other.lower[k] < self.lower[k] { other.lower[k] } else { self.lower[k] };
            self.upper[k] = if other.upper[k] > self.upper[k] { other.upper[k] } else { self.upper[k] };
        }
    }

    fn triangles(&self) -> usize {
        self.triangles
    }

    #[inline(always)]
    fn areas<S: Simd>(s: S, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
        s.add64(s.add64(s.mul64(*x, *y), s.mul64(*y, *z)), s.mul64(*z, *x))
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.lengths();
        if self.triangles == 0 { 0.0 } else { x * y + y * z + z * x }
    }
}

/// The sphere around such a box.
#[derive(Clone, Copy)]
pub(super) struct SahSphere(SahBox);

impl SahBounds for SahSphere {
    const EMPTY: Self = Self(SahBox::EMPTY);

    fn of_box(side: SahBox) -> Self {
        Self(side)
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.0.join(&other.0);
    }

    fn triangles(&self) -> usize {
        self.0.triangles
    }

    #[inline(always)]
    fn areas<S: Simd>(s: S, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
        s.add64(s.add64(s.mul64(*x, *x), s.mul64(*y, *y)), s.mul64(*z, *z))
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.0.lengths();
        if self.0.triangles == 0 { 0.0 } else { x * x + y * y + z * z }
    }
}
