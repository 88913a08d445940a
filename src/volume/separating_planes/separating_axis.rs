//! The axis along which two boxes are seen farthest apart.

use nalgebra::Vector3;

use crate::simd::Simd;
use crate::simd::vectors::{dot_fused, splatted};
use crate::volume::node::WIDTH;
use crate::volume::relative_frame::RelativeFrame;

/// A box by its centre, unit axes and half extents along those.
pub(super) struct OneBox {
    pub(super) center: Vector3<f32>,
    pub(super) axes: [Vector3<f32>; 3],
    pub(super) half_extents: [f32; 3],
}

impl OneBox {
    /// In another frame.
    #[inline(always)]
    pub(super) fn transformed(&self, to: &RelativeFrame) -> Self {
        let rotate = |v: &Vector3<f32>| Vector3::from(to.rotation.map(|r| r[0] * v.x + r[1] * v.y + r[2] * v.z));
        Self {
            center: rotate(&self.center) * to.unit + Vector3::from(to.translation),
            axes: self.axes.each_ref().map(rotate),
            half_extents: self.half_extents.map(|h| h * to.unit),
        }
    }

    /// The gap to another box, axis by axis of this one: no longer than the distance.
    #[inline(always)]
    fn gap_to(&self, other: &OneBox) -> Vector3<f32> {
        let between = other.center - self.center;
        let mut gaps = Vector3::zeros();
        for (axis, half_extent) in self.axes.iter().zip(self.half_extents) {
            let along = axis.dot(&between);
            let radius = (0..3).map(|k| other.half_extents[k] * axis.dot(&other.axes[k]).abs()).sum::<f32>();
            gaps += axis * (along.abs() - half_extent - radius).max(0.0).copysign(along);
        }
        gaps
    }
}

/// Of the axes by which lower bounds of distances are found (`PackedObb::lower_bounds_sq`) that along which the gap
/// from `a` to `b` is widest: the gap vector along the axes of either, or a product of their edges. Of at most unit
/// length, nearly.
#[inline(always)]
pub(super) fn best_axis<S: Simd>(s: S, a: &OneBox, b: &OneBox) -> Vector3<f32> {
    let between = b.center - a.center;
    // Eight axes side by side, coordinate by coordinate, and eight more.
    let mut axes = [[0.0_f32; 3 * WIDTH]; 2];
    let mut set = |index: usize, axis: Vector3<f32>| {
        let length = axis.norm().max(1e-4).copysign(axis.dot(&between));
        (0..3).for_each(|x| axes[index / WIDTH][x * WIDTH + index % WIDTH] = axis[x] / length);
    };
    set(0, a.gap_to(b));
    set(1, b.gap_to(a));
    for i in 0..3 {
        for j in 0..3 {
            set(2 + 3 * i + j, a.axes[i].cross(&b.axes[j]));
        }
    }
    let mut best = (f32::NEG_INFINITY, Vector3::zeros());
    for axes in &axes {
        let n: [S::F32x8; 3] = s.load_rows(&axes.map(f32::to_bits), WIDTH, WIDTH);
        let mut gap = dot_fused(s, &n, &splatted(s, between.into()));
        for side in [a, b] {
            for k in 0..3 {
                let along = dot_fused(s, &n, &splatted(s, side.axes[k].into()));
                gap = s.sub(gap, s.mul(s.splat(side.half_extents[k]), s.abs(along)));
            }
        }
        for (lane, &gap) in s.to_array(gap).iter().enumerate() {
            if gap > best.0 {
                best = (gap, Vector3::new(axes[lane], axes[WIDTH + lane], axes[2 * WIDTH + lane]));
            }
        }
    }
    best.1
}
