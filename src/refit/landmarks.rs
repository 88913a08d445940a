//! How a part of a mesh stands: a frame between a few of its vertices, which turns with them.

use nalgebra::{Matrix3, Point3, Vector3};

use super::positions::Positions;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::fit;

/// Vertices of a group. Means of several shake less than single vertices.
const GROUP: usize = 4;

/// Groups of vertices at both ends of a part's longest axis and of its second longest.
#[derive(Clone, Debug)]
pub(super) struct Landmarks([[u32; GROUP]; 4]);

impl Landmarks {
    /// Of at least one vertex; the axes are in the columns, the longest first.
    pub(super) fn new(vertices: &mut [u32], at: impl Fn(u32) -> Point3<f64>, axes: &Matrix3<f64>) -> Self {
        let quarter = (vertices.len() / 4).max(1);
        let mut groups = [[0; GROUP]; 4];
        for k in 0..2 {
            let axis: Vector3<f64> = axes.column(k).into_owned();
            let along = |vertex: u32| at(vertex).coords.dot(&axis);
            // Of equally far ones the first by number, so that the choice is the same everywhere.
            let order = |&a: &u32, &b: &u32| along(a).total_cmp(&along(b)).then(a.cmp(&b));
            for (end, cut) in [(0, quarter - 1), (1, vertices.len() - quarter)] {
                vertices.select_nth_unstable_by(cut, order);
                let group = if end == 0 { &mut vertices[..quarter] } else { &mut vertices[cut..] };
                group.sort_unstable();
                for (i, landmark) in groups[2 * k + end].iter_mut().enumerate() {
                    *landmark = group[i * group.len() / GROUP];
                }
            }
        }
        Self(groups)
    }

    /// As [`Landmarks::frame`], for what is asked once.
    pub(super) fn frame_at_rest(&self, positions: &Positions<'_>) -> (Point3<f64>, Option<Matrix3<f64>>) {
        dispatch(SimdLevel::detect(), Frame { landmarks: self, positions })
    }

    /// The middle of the landmarks, and the frame along the way between the first two groups and in the plane of both
    /// ways; none where that is as good as a line.
    #[inline(always)]
    pub(super) fn frame<S: Simd>(&self, s: S, positions: &Positions<'_>) -> (Point3<f64>, Option<Matrix3<f64>>) {
        let [a, b, c, d] = &self.0;
        let ([a, b], [c, d]) = (means(s, positions, a, b), means(s, positions, c, d));
        let middle = (a + b + c + d) * 0.25;
        let (frame, is_defined) = fit::quick_frame_in_plane(&(b - a), &(d - c));
        (middle.into(), is_defined.then_some(frame))
    }
}

/// The means of two groups.
#[inline(always)]
fn means<S: Simd>(s: S, positions: &Positions<'_>, one: &[u32; GROUP], other: &[u32; GROUP]) -> [Vector3<f64>; 2] {
    let mut sum = s.splat64(0.0);
    for i in 0..GROUP {
        let both = s.load_halves(positions.at(one[i] as usize), positions.at(other[i] as usize));
        sum = s.add64(sum, s.widen(&s.to_array(both)));
    }
    // The fourth numbers mean nothing.
    let [a, b, c, _, d, e, f, _] = s.to_array64(s.mul64(sum, s.splat64(1.0 / GROUP as f64)));
    [Vector3::new(a, b, c), Vector3::new(d, e, f)]
}

struct Frame<'a> {
    landmarks: &'a Landmarks,
    positions: &'a Positions<'a>,
}

impl Task for Frame<'_> {
    type Output = (Point3<f64>, Option<Matrix3<f64>>);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        self.landmarks.frame(s, self.positions)
    }
}
