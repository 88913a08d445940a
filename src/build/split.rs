//! One split of a node's triangles: axes of its volume by length, the plane, the sides.

use nalgebra::{Matrix3, Vector3};

use super::items::Item;
use super::options::SplitRule;
use super::sah;
use crate::fit;
use crate::volume::VolumeKind;

/// How a node was split.
pub(super) struct Split {
    /// How many triangles lie below the plane; they come first.
    pub(super) middle: usize,
    /// Half the surface area of the node's volume, in the unit of the mesh's coordinates squared.
    pub(super) area: f32,
}

/// Brings the triangles whose centroids lie below the plane to the front; `None` where no axis separates the
/// centroids.
pub(super) fn partition(items: &mut [Item], kind: VolumeKind, rule: SplitRule) -> Option<Split> {
    let volume = SplitVolume::of(items, kind);
    let middle = if rule == SplitRule::Sah
        && let Some(middle) = sah::partition(items, &volume)
    {
        middle
    } else {
        volume.axes_by_length().into_iter().find_map(|k| partition_across(items, &volume, k, rule))?
    };
    Some(Split { middle, area: volume.half_area() as f32 })
}

/// Partitions by a plane across axis `k`; `None` if the centroids' offsets along it are all the same.
fn partition_across(items: &mut [Item], volume: &SplitVolume, k: usize, rule: SplitRule) -> Option<usize> {
    let axis = volume.axis(k);
    // Three times everything: centroids are not divided.
    let plane = match rule {
        SplitRule::Mean => 3.0 * volume.mean.dot(&Vector3::from(axis)),
        SplitRule::Midpoint => 1.5 * (volume.lower[k] + volume.upper[k]),
        SplitRule::Median | SplitRule::Sah => {
            let mut offsets: Vec<f64> = items.iter().map(|item| along(&axis, item)).collect();
            let middle = offsets.len() / 2;
            *offsets.select_nth_unstable_by(middle, f64::total_cmp).1
        }
    };
    let below = partition_in_place(items, |item| along(&axis, item) < plane);
    if below > 0 && below < items.len() {
        return Some(below);
    }
    // A plane through the least centroids: they are its lower side.
    let at_plane = partition_in_place(items, |item| along(&axis, item) <= plane);
    (at_plane > 0 && at_plane < items.len()).then_some(at_plane)
}

/// Three times the offset of the triangle's centroid along the axis.
#[inline(always)]
pub(super) fn along(axis: &[f64; 3], item: &Item) -> f64 {
    let [x, y, z] = item.corner_sum();
    axis[0] * x + axis[1] * y + axis[2] * z
}

/// Swaps the items for which `below` holds to the front; returns their count.
pub(super) fn partition_in_place(items: &mut [Item], below: impl Fn(&Item) -> bool) -> usize {
    let mut front = 0;
    for i in 0..items.len() {
        if below(&items[i]) {
            items.swap(front, i);
            front += 1;
        }
    }
    front
}

/// What splitting needs to know of a node's volume: an oriented box for oriented boxes, else an axis-aligned one.
pub(super) struct SplitVolume {
    axes: Matrix3<f64>,
    /// Ranges of the vertices along the axes.
    pub(super) lower: [f64; 3],
    pub(super) upper: [f64; 3],
    /// Of the vertices, each counted once per triangle, hence of the centroids too.
    mean: Vector3<f64>,
}

impl SplitVolume {
    fn of(items: &[Item], kind: VolumeKind) -> Self {
        let mean = mean(items);
        let axes = match kind {
            VolumeKind::Obb => fit::eigenvectors(&covariance(items, &mean)),
            VolumeKind::Aabb | VolumeKind::Sphere => Matrix3::identity(),
        };
        let (lower, upper) = ranges(items, &axes);
        Self { axes, lower, upper, mean }
    }

    pub(super) fn axis(&self, k: usize) -> [f64; 3] {
        self.axes.column(k).into_owned().into()
    }

    pub(super) fn length(&self, k: usize) -> f64 {
        self.upper[k] - self.lower[k]
    }

    fn axes_by_length(&self) -> [usize; 3] {
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| self.length(j).total_cmp(&self.length(i)));
        order
    }

    fn half_area(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.length(k));
        x * y + y * z + z * x
    }
}

/// The eigenvectors of the covariance of the triangles' corners about their mean.
pub(super) fn covariance_axes(items: &[Item]) -> Matrix3<f64> {
    fit::eigenvectors(&covariance(items, &mean(items)))
}

fn mean(items: &[Item]) -> Vector3<f64> {
    let mut sum = [0.0; 3];
    for item in items {
        let corners = item.corner_sum();
        for x in 0..3 {
            sum[x] += corners[x];
        }
    }
    Vector3::from(sum) / (3.0 * items.len() as f64)
}

/// Sums of products of the corners' offsets from the mean; the scale does not matter for its eigenvectors.
fn covariance(items: &[Item], mean: &Vector3<f64>) -> Matrix3<f64> {
    let mut sums = [0.0; 6];
    for item in items {
        for corner in item.corners {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|i| f64::from(corner[i]) - mean[i]);
            sums[0] += x * x;
            sums[1] += x * y;
            sums[2] += x * z;
            sums[3] += y * y;
            sums[4] += y * z;
            sums[5] += z * z;
        }
    }
    let [xx, xy, xz, yy, yz, zz] = sums;
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

fn ranges(items: &[Item], axes: &Matrix3<f64>) -> ([f64; 3], [f64; 3]) {
    let (mut lower, mut upper) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let columns: [[f64; 3]; 3] = (*axes).into();
    for item in items {
        for corner in item.corners {
            let [x, y, z] = corner.map(f64::from);
            for k in 0..3 {
                let along = columns[k][0] * x + columns[k][1] * y + columns[k][2] * z;
                lower[k] = if along < lower[k] { along } else { lower[k] };
                upper[k] = if along > upper[k] { along } else { upper[k] };
            }
        }
    }
    (lower, upper)
}
