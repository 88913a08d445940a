//! Packed spheres and their test, one against eight.

use nalgebra::Point3;

use super::{MUCH_LARGER, Node, SQUARE_ROUNDING, ToFrame, Volume8, length_word, widen};
use crate::shape::Sphere;
use crate::simd::Simd;
use crate::volume::Volume;

/// A sphere. Words of a child: centre, radius, reference.
#[derive(Clone, Copy)]
pub(crate) struct Sphere8 {
    center: [f32; 3],
    radius: f32,
}

/// The centre as it is stored, and the square of the distance to the farthest point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BallFit {
    center: Point3<f64>,
    radius_sq: f64,
}

impl BallFit {
    /// Rounds the centre to f32 and has the farthest point's distance measured from there.
    pub(crate) fn new(center: &Point3<f64>, farthest_sq: impl FnOnce(&Point3<f64>) -> f64) -> Self {
        let center = center.map(|x| f64::from(x as f32));
        Self { center, radius_sq: farthest_sq(&center) }
    }
}

impl Volume8 for Sphere8 {
    const FIELDS: usize = 5;

    type Fit = BallFit;

    fn pack(fit: &BallFit, words: &mut [u32]) {
        for x in 0..3 {
            words[x] = (fit.center[x] as f32).to_bits();
        }
        words[3] = length_word(fit.radius_sq.sqrt());
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

    /// Apart when the centres are further from each other than the radii and the margin together.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let reach = s.add(radius, s.splat(self.radius + margin));
        let apart = s.gt(distance_sq, s.mul(reach, reach));
        (node.lanes() & !s.bits(apart), self.smaller_than(s, radius))
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (S::F32x8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let reach = s.add(radius, s.splat(self.radius + margin));
        let gap = s.max(s.sub(s.sqrt(distance_sq), reach), s.splat(0.0));
        (s.mul(s.mul(gap, gap), s.splat(SQUARE_ROUNDING)), self.smaller_than(s, radius))
    }
}

impl Sphere8 {
    /// Squared distances to the eight centres, and the eight radii.
    #[inline(always)]
    fn center_distances_sq<S: Simd>(&self, s: S, node: &Node<'_>) -> (S::F32x8, S::F32x8) {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t =
            [s.sub(x, s.splat(self.center[0])), s.sub(y, s.splat(self.center[1])), s.sub(z, s.splat(self.center[2]))];
        (s.mul_add(t[2], t[2], s.mul_add(t[1], t[1], s.mul(t[0], t[0]))), radius)
    }

    #[inline(always)]
    fn smaller_than<S: Simd>(&self, s: S, radius: S::F32x8) -> u8 {
        s.bits(s.gt(radius, s.splat(MUCH_LARGER * self.radius)))
    }
}

/// Centre and radius of a child's words, widened.
fn parts(words: &[u32]) -> (Point3<f64>, f64) {
    (Point3::new(widen(words[0]), widen(words[1]), widen(words[2])), widen(words[3]))
}
