//! Packed spheres and their test, one against eight.

use nalgebra::Point3;

use super::{Node, ToFrame, Volume8, length_word, widen};
use crate::shape::Sphere;
use crate::simd::Simd;
use crate::volume::Volume;

/// A sphere. Words of a child: centre, radius, reference.
#[derive(Clone, Copy)]
pub(crate) struct Sphere8 {
    center: [f32; 3],
    radius: f32,
}

impl Volume8 for Sphere8 {
    const FIELDS: usize = 5;

    /// The centre.
    type Fit = Point3<f64>;

    fn pack(center: &Point3<f64>, points: impl Iterator<Item = Point3<f64>> + Clone, words: &mut [u32]) {
        let stored = center.map(|x| x as f32);
        let center = stored.map(f64::from);
        let radius_sq = points.fold(0.0, |max: f64, point| max.max((point - center).norm_squared()));
        for x in 0..3 {
            words[x] = stored[x].to_bits();
        }
        words[3] = length_word(radius_sq.sqrt());
    }

    fn unpack(words: &[u32]) -> Volume {
        let (center, radius) = parts(words);
        Volume::Sphere(Sphere { center, radius })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (center, radius) = parts(words);
        (point - center).norm() <= radius
    }

    #[inline(always)]
    fn one(node: &Node<'_>, lane: usize, to: &ToFrame) -> Self {
        let [x, y, z, radius]: [f32; 4] = node.column(lane);
        Self { center: to.point([x, y, z]), radius: to.unit * radius }
    }

    #[inline(always)]
    fn size(&self) -> f32 {
        self.radius
    }

    /// Apart when the centres are further from each other than the radii and the margin together.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, ratio: f32) -> (u8, u8) {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = [s.sub(x, s.splat(self.center[0])), s.sub(y, s.splat(self.center[1])), s.sub(z, s.splat(self.center[2]))];
        let distance_sq = s.mul_add(t[2], t[2], s.mul_add(t[1], t[1], s.mul(t[0], t[0])));
        let reach = s.add(radius, s.splat(self.radius + margin));
        let apart = s.gt(distance_sq, s.mul(reach, reach));
        (node.lanes() & !apart, s.gt(radius, s.splat(ratio * self.radius)))
    }
}

/// Centre and radius of a child's words, widened.
fn parts(words: &[u32]) -> (Point3<f64>, f64) {
    (Point3::new(widen(words[0]), widen(words[1]), widen(words[2])), widen(words[3]))
}
