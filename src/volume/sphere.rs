//! Packed spheres and their tests, one against eight.

use nalgebra::Point3;

use super::box_pair::distance_sq_to_box;
use super::node::Node;
use super::packed_volume::{PackedVolume, length_word, widen};
use super::pair_tests::{MUCH_LARGER, PairTests, SQUARE_ROUNDING};
use super::probe_tests::{LocalBox, LocalRay, ProbeTests};
use super::relative_frame::RelativeFrame;
use super::sweep::{LinearSweep, Swept};
use crate::numeric::denormals::rounded;
use crate::shape::Sphere;
use crate::simd::Simd;
use crate::simd::vectors::dot_fused;
use crate::volume::{Volume, VolumeKind};

/// A sphere. Words of a child: centre, radius, reference.
#[derive(Clone, Copy)]
pub(crate) struct PackedSphere {
    center: [f32; 3],
    radius: f32,
}

/// The centre as it is stored, and the square of the distance to the farthest point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedSphere {
    center: Point3<f64>,
    radius_sq: f64,
}

impl FittedSphere {
    /// Rounds each of the centres to f32, has the farthest point's distance measured from there, and takes the one of
    /// the smaller ball; the first of equals.
    #[inline(always)]
    pub(crate) fn new<const N: usize>(
        centers: [Point3<f64>; N],
        farthest_sq: impl FnOnce(&[Point3<f64>; N]) -> [f64; N],
    ) -> Self {
        let centers = centers.map(|center| Self::stored(&center));
        Self::smallest(&centers, farthest_sq(&centers))
    }

    /// A centre as it is stored.
    #[inline(always)]
    pub(crate) fn stored(center: &Point3<f64>) -> Point3<f64> {
        center.map(|x| f64::from(rounded(x)))
    }

    /// The smallest ball, about stored centres with the squares of the distances to the farthest point; the first of
    /// equals.
    #[inline(always)]
    pub(crate) fn smallest<const N: usize>(centers: &[Point3<f64>; N], farthest_sq: [f64; N]) -> Self {
        let mut smallest = Self { center: Point3::origin(), radius_sq: f64::INFINITY };
        for (center, radius_sq) in centers.iter().zip(farthest_sq) {
            if radius_sq < smallest.radius_sq {
                smallest = Self { center: *center, radius_sq };
            }
        }
        smallest
    }
}

impl PackedVolume for PackedSphere {
    const KIND: VolumeKind = VolumeKind::Sphere;

    type Fit = FittedSphere;

    fn pack(fit: &FittedSphere, words: &mut [u32]) {
        for (word, x) in words.iter_mut().zip(fit.center.iter()) {
            *word = (*x as f32).to_bits();
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
}

impl PairTests for PackedSphere {
    const NODES: Option<VolumeKind> = Some(VolumeKind::Sphere);

    type Posed = [[f32; 8]; 4];

    #[inline(always)]
    fn posed<S: Simd>(s: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let [x, y, z] = to.transform(s, [x, y, z]);
        [s.to_array(x), s.to_array(y), s.to_array(z), s.to_array(s.mul(radius, s.splat(to.unit)))]
    }

    #[inline(always)]
    fn single(posed: &Self::Posed, lane: usize, _: &RelativeFrame) -> Self {
        let field = |row: usize| posed[row][lane & 7];
        Self { center: [field(0), field(1), field(2)], radius: field(3) }
    }

    /// Apart when the centres are further from each other than the radii and the margin together.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32) -> (u8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let radii = s.add(radius, s.splat(self.radius + margin));
        let apart = s.gt(distance_sq, s.mul(radii, radii));
        (node.lanes() & !s.bits(apart), self.smaller_than(s, radius))
    }

    #[inline(always)]
    fn lower_bounds_sq<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, scale: f32, _: f32) -> (S::F32x8, u8) {
        let (distance_sq, radius) = self.center_distances_sq(s, node);
        let radii = s.add(radius, s.splat(self.radius + margin));
        // Where a square overflows, the distance is not infinite.
        let distance = s.sqrt(s.min(s.splat(f32::MAX), distance_sq));
        let gap = s.max(s.sub(distance, radii), s.splat(0.0));
        (s.mul(s.mul(gap, gap), s.splat(scale * SQUARE_ROUNDING)), self.smaller_than(s, radius))
    }

    #[inline(always)]
    fn center(&self) -> [f32; 3] {
        self.center
    }

    /// A sphere stays what it is.
    #[inline(always)]
    fn turning_radius(&self) -> f32 {
        0.0
    }

    /// Half a chord of the radii's sum before and after the centres are nearest.
    #[inline(always)]
    fn sweep<S: Simd>(&self, s: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S> {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let start = path.start(self.center).map(|x| s.splat(x));
        let t = [s.sub(x, start[0]), s.sub(y, start[1]), s.sub(z, start[2])];
        let direction = path.direction.map(|x| s.splat(x));
        let along = s.mul_add(t[2], direction[2], s.mul_add(t[1], direction[1], s.mul(t[0], direction[0])));
        // Across from components: a difference of squares would cancel.
        let mut across = t;
        for k in 0..3 {
            across[k] = s.sub(t[k], s.mul(along, direction[k]));
        }
        let [x, y, z] = across;
        let across = s.sqrt(s.mul_add(z, z, s.mul_add(y, y, s.mul(x, x))));
        let radii = s.add(radius, s.splat(self.radius + margin));
        let product = s.mul(s.sub(radii, across), s.add(radii, across));
        let chord = s.sqrt(s.max(s.mul(product, s.splat(2.0 - SQUARE_ROUNDING)), s.splat(0.0)));
        let mut swept = Swept::anytime(s);
        swept.exclude(s, s.gt(across, radii));
        swept.clip(s, along, s.splat(path.length), chord, path);
        swept.finish(s, self.smaller_than(s, radius))
    }
}

impl PackedSphere {
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

impl ProbeTests for PackedSphere {
    #[inline(always)]
    fn distance_sq<S: Simd>(s: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8 {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = [s.sub(x, s.splat(point[0])), s.sub(y, s.splat(point[1])), s.sub(z, s.splat(point[2]))];
        let distance = s.sub(s.sqrt(dot_fused(s, &t, &t)), radius);
        let distance = s.max(distance, s.splat(0.0));
        s.mul(distance, distance)
    }

    /// The chord is taken as long as the diameter.
    #[inline(always)]
    fn ray_entry<S: Simd>(s: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8) {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let t = [s.sub(x, s.splat(ray.start[0])), s.sub(y, s.splat(ray.start[1])), s.sub(z, s.splat(ray.start[2]))];
        let direction = ray.direction.map(|x| s.splat(x));
        let along = dot_fused(s, &t, &direction);
        let mut across = t;
        for x in 0..3 {
            across[x] = s.sub(t[x], s.mul(along, direction[x]));
        }
        let radii = s.add(radius, s.splat(ray.margin));
        let entry = s.max(s.sub(along, radii), s.splat(within[0]));
        let exit = s.min(s.add(along, radii), s.splat(within[1]));
        let apart = s.or(s.gt(dot_fused(s, &across, &across), s.mul(radii, radii)), s.gt(entry, exit));
        (node.lanes() & !s.bits(apart), entry)
    }

    #[inline(always)]
    fn overlaps_box<S: Simd>(s: S, node: &Node<'_>, query: &LocalBox) -> u8 {
        let [x, y, z, radius]: [S::F32x8; 4] = node.rows(s);
        let [center_x, center_y, center_z] = query.center;
        let from_center = [s.sub(x, s.splat(center_x)), s.sub(y, s.splat(center_y)), s.sub(z, s.splat(center_z))];
        let mut t = [s.splat(0.0); 3];
        // Loops, for a chain of iterators is compiled without the SIMD level's instructions.
        for k in 0..3 {
            for (row, axis) in query.axes.iter().enumerate() {
                t[k] = s.mul_add(from_center[row], s.splat(axis[k]), t[k]);
            }
        }
        let distance_sq = distance_sq_to_box(s, t, query.half_extents.map(|h| s.splat(h)));
        let radii = s.add(radius, s.splat(query.margin));
        node.lanes() & !s.bits(s.gt(distance_sq, s.mul(radii, radii)))
    }
}

/// Centre and radius of a child's words, widened.
fn parts(words: &[u32]) -> (Point3<f64>, f64) {
    (Point3::new(widen(words[0]), widen(words[1]), widen(words[2])), widen(words[3]))
}
