//! One split of a node's triangles: the axis and the plane, by the rule.

use nalgebra::Vector3;

use super::partition::partition_in_place;
use super::sah;
use super::sah_bounds::{SahBox, SahSphere};
use super::sides::Plane;
use super::split_volume::{Oriented, SplitVolume, along};
use crate::options::SplitRule;
use crate::simd::SimdLevel;
use crate::volume::fit::Moments;
use crate::volume::fit::Primitive;
use crate::volume::fit::Ranges;
use crate::volume::{AreaShape, BoundingVolume, Frame, VolumeKind, for_kind};

/// Axes that the surface area heuristic tries, by their length over the longest...
const NOT_SHORT: f64 = 0.3;
/// ...and where spheres are judged by the areas of boxes.
const NEAR_LONGEST: f64 = 0.7;

/// How a node was split.
pub(super) struct Split {
    /// How many triangles lie below the plane; they come first.
    pub(super) middle: usize,
    /// Half the surface area of the node's volume, in the unit of the mesh's coordinates squared.
    pub(super) area: f32,
    /// The bounds of those below and of the others, where they are known.
    pub(super) bounds: Option<[Ranges; 2]>,
    /// Where it was an oriented box.
    pub(super) oriented: Option<Oriented>,
}

/// What may be known of a node's triangles before it is split.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) bounds: Option<Ranges>,
    pub(super) moments: Option<Moments>,
}

/// Brings the triangles whose centroids lie below the plane to the front; `None` where no axis separates the
/// centroids.
pub(super) fn partition(
    level: SimdLevel,
    primitives: &mut [Primitive],
    Known { bounds, moments }: Known,
    frame: &Frame,
    kind: VolumeKind,
    rule: SplitRule,
) -> Option<Split> {
    if let [a, b] = primitives {
        // Whatever separates two triangles puts one on each side.
        let apart = a.corner_sum() != b.corner_sum();
        let volume = SplitVolume::axis_aligned(level, primitives, bounds, SplitRule::Midpoint);
        return apart.then(|| Split {
            middle: 1,
            area: volume.ranges.half_area() as f32,
            bounds: None,
            oriented: None,
        });
    }
    let is_oriented = for_kind!(kind, V => V::SPLITS_ALONG_OWN_AXES);
    let volume = match rule {
        SplitRule::Mean | SplitRule::Midpoint | SplitRule::Median if is_oriented => {
            SplitVolume::oriented(level, primitives, moments, frame)
        }
        // Sides of a plane across an oriented box's axes have boxes of their own, turned any which way, that overlap:
        // where a covariance has no preferred direction, trees got looser than those of axis-aligned boxes.
        _ => SplitVolume::axis_aligned(level, primitives, bounds, rule),
    };
    let by_area = match (rule, for_kind!(kind, V => V::AREA_SHAPE)) {
        (SplitRule::SahOwnVolumes, AreaShape::Sphere) => {
            sah::partition::<SahSphere>(level, primitives, &volume, NOT_SHORT)
        }
        // What is long in a box's area is longer still in a sphere's.
        (SplitRule::Sah, AreaShape::Sphere) => sah::partition::<SahBox>(level, primitives, &volume, NEAR_LONGEST),
        (SplitRule::Sah | SplitRule::SahOwnVolumes, AreaShape::Box) => {
            sah::partition::<SahBox>(level, primitives, &volume, NOT_SHORT)
        }
        _ => None,
    };
    let (middle, bounds) = match by_area {
        Some((middle, bounds)) => (middle, Some(bounds)),
        None => {
            let mut axes = volume.axes_by_length().into_iter();
            (axes.find_map(|k| partition_across(level, primitives, &volume, k, rule))?, None)
        }
    };
    Some(Split { middle, area: volume.ranges.half_area() as f32, bounds, oriented: volume.oriented })
}

/// Partitions by a plane across axis `k`; `None` if the centroids' offsets along it are all the same.
fn partition_across(
    level: SimdLevel,
    primitives: &mut [Primitive],
    volume: &SplitVolume,
    k: usize,
    rule: SplitRule,
) -> Option<usize> {
    let axis = volume.axis(k);
    // Three times everything: centroids are not divided.
    let at = match rule {
        SplitRule::Mean => 3.0 * volume.mean.dot(&Vector3::from(axis)),
        SplitRule::Midpoint => 3.0 * volume.middle(k),
        SplitRule::Median | SplitRule::Sah | SplitRule::SahOwnVolumes => {
            let mut offsets: Vec<f64> = primitives.iter().map(|primitive| along(&axis, primitive)).collect();
            let middle = offsets.len() / 2;
            *offsets.select_nth_unstable_by(middle, f64::total_cmp).1
        }
    };
    let count = primitives.len();
    let partition = |is_included: bool| match (&volume.oriented, is_included) {
        (Some(_), _) => Plane { axis, at, is_included }.partition(level, primitives),
        (None, false) => partition_in_place(primitives, |primitive| primitive.corner_sum_along(k) < at),
        (None, true) => partition_in_place(primitives, |primitive| primitive.corner_sum_along(k) <= at),
    };
    // Else a plane through the least centroids: they are its lower side.
    [false, true].into_iter().map(partition).find(|below| (1..count).contains(below))
}
