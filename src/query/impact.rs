//! When a moving mesh meets one that stands still: the visitor, and the windows of time that it is sent through.
//!
//! Within a window a volume's centre moves nearly straight, and what it strays from that, with the volume's turning, is
//! bounded and added to it; the straight part is swept exactly. Triangles advance conservatively.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3, Vector3};

use super::advance::{Advance, Approach};
use super::traverse::{Judged, Visitor};
use super::{FacePair, Query, QueryError, QueryStats};
use crate::motion::Motion;
use crate::packed::{Course, Frame, Node, ToFrame, Volume8, rounded};
use crate::simd::Simd;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impact {
    /// The meshes don't touch at any time of the motion.
    Free,
    /// They touch at the start: one pair of triangles that does.
    Touching(MotionContact),
    /// They meet later: the first pair of triangles that does.
    Impact(MotionContact),
}

/// Where two meshes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionContact {
    /// 0 to 1; no two triangles touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time, in A's units.
    pub distance: f64,
    /// The closest point of A's triangle, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B's triangle at that time, in A's frame.
    pub on_b: Point3<f64>,
    /// Of unit length, from A to B, in A's frame: across the gap, or for triangles that touch the normal of A's, else of
    /// B's, on the side that B's centre is on; zero where neither has a normal.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

/// In radians. Volumes grow by half of it times their size, and triangles are tested in each window anew.
const WINDOW_ANGLE: f64 = 0.125;
/// In parts of the frames' units, for the volume tests to keep their precision.
const WINDOW_TRAVEL: f64 = 8.0;
/// Motions longer than this many times the meshes' size pass them in less than time can tell in f64.
const LONGEST: f64 = 1e12;

impl Query {
    /// When B, on a motion, first touches A.
    ///
    /// [`Impact::Free`] is a proof for the motion as stated, up to rounding in f64, not a sampling. The time of an
    /// impact is never later than the true one, and the two triangles are then within `tolerance` (in A's units; what
    /// rounding leaves of it if that is more, so that 0 is as exact as can be). Triangles that come that near and part
    /// again count as free where a few steps show it, and as an impact where they don't. Of a motion that moves B a large
    /// multiple of its size, time's last digit may say less than the tolerance.
    ///
    /// # Errors
    /// If the trees are of different kinds, or the motion is more than 1e12 times as long as the meshes are large.
    pub fn impact(&mut self, a: &BvTree, b: &BvTree, motion: &Motion, tolerance: f64) -> Result<Impact, QueryError> {
        let mut touching = None;
        let mut work = self.pairs([a, b], motion.start(), true, |place_a, place_b| {
            touching = Some((place_a, place_b));
            ControlFlow::Break(())
        })?;
        let views = [a, b].map(BvTree::view);
        if let Some((place_a, place_b)) = touching {
            self.stats = work;
            let triangle_a = triangle(&views[0], place_a);
            let start = Triangle { vertices: views[1].triangle(place_b).map(|v| motion.start().transform(v)) };
            let approach = Approach { time: 0.0, closest: triangle_a.closest_points(&start) };
            return Ok(Impact::Touching(contact([a, b], motion, place_a, place_b, &approach)));
        }
        if views.iter().any(|view| view.corners.is_empty()) {
            self.stats = work;
            return Ok(Impact::Free);
        }
        let scene = Scene::new([a, b], motion)?;
        let mut first = FirstContact::new([a, b], Advance::new(motion, tolerance, scene.floor), motion);
        let mut time = 0.0;
        while let Some(window) = scene.next_window(time, tolerance) {
            let to_frames = first.enter(&scene, window);
            work.volume_tests += self.engine.descend([a, b], &to_frames, &mut first)?;
            if first.best.is_some() {
                break;
            }
            time = window[1];
        }
        self.stats = QueryStats { triangle_tests: work.triangle_tests + first.triangle_tests, ..work };
        Ok(match first.best {
            Some((place_a, place_b, approach)) => Impact::Impact(contact([a, b], motion, place_a, place_b, &approach)),
            None => Impact::Free,
        })
    }
}

fn triangle(view: &View<'_>, place: usize) -> Triangle {
    Triangle { vertices: view.triangle(place).map(|vertex| vertex.map(f64::from)) }
}

fn contact(trees: [&BvTree; 2], motion: &Motion, a: usize, b: usize, approach: &Approach) -> MotionContact {
    let views = trees.map(BvTree::view);
    let Approach { time, closest } = approach;
    let pose = motion.at(*time);
    let across = closest.on_b - closest.on_a;
    let normal = if closest.distance_sq > 0.0 { across.try_normalize(0.0) } else { None };
    let normal = normal.unwrap_or_else(|| {
        let triangle_b = Triangle { vertices: views[1].triangle(b).map(|vertex| pose.transform(vertex)) };
        let to_b = pose.rotation() * trees[1].meta().frame.origin.coords + pose.translation() - closest.on_a.coords;
        let normals = [triangle(&views[0], a), triangle_b].map(|t| t.scaled_normal().try_normalize(0.0));
        let normal = normals.into_iter().flatten().next().unwrap_or_default();
        if normal.dot(&to_b) < 0.0 { -normal } else { normal }
    });
    MotionContact {
        time: *time,
        distance: closest.distance_sq.sqrt(),
        on_a: closest.on_a,
        on_b: closest.on_b,
        normal,
        faces: FacePair { face_a: views[0].faces[a], face_b: views[1].faces[b] },
    }
}

/// The two meshes as balls, of which one moves.
struct Scene<'a> {
    motion: &'a Motion,
    frames: [Frame; 2],
    /// The balls' radii together.
    reach: f64,
    /// Bounds the speed of B's middle.
    speed: f64,
    /// A distance that f64 can't tell from none.
    floor: f64,
}

impl<'a> Scene<'a> {
    fn new(trees: [&BvTree; 2], motion: &'a Motion) -> Result<Self, QueryError> {
        let frames = trees.map(|tree| tree.meta().frame);
        let reach: f64 = trees.map(|tree| tree.bounds().half_extents().norm()).iter().sum();
        let speed = motion.speed(&frames[1].origin);
        if speed.is_nan() || speed > LONGEST * (frames[0].unit + frames[1].unit) {
            return Err(QueryError::MotionTooLong);
        }
        let far = frames.map(|frame| frame.origin.coords.norm()).iter().sum::<f64>();
        Ok(Self { motion, frames, reach, speed, floor: 64.0 * f64::EPSILON * (far + reach) })
    }

    /// The next stretch of time, from `time` on, in which the meshes may meet.
    fn next_window(&self, mut time: f64, tolerance: f64) -> Option<[f64; 2]> {
        let [a, b] = &self.frames;
        let near = (0.1 * self.reach).max(tolerance).max(self.floor);
        loop {
            if time >= 1.0 {
                return None;
            }
            let pose = self.motion.at(time);
            let distance = (pose.rotation() * b.origin.coords + pose.translation() - a.origin.coords).norm();
            // The factor is for rotations that are none, and the rounding of it all.
            let gap = distance - self.reach * (1.0 + 4.0 * pose.deviation() + 1e-12);
            let later = time + gap / self.speed * (1.0 - 1e-12);
            if gap <= near || later <= time {
                let [unit_a, unit_b] = self.frames.map(|frame| frame.unit);
                let travel = WINDOW_TRAVEL * (unit_a + unit_b) / self.speed;
                return Some([time, (time + travel.min(WINDOW_ANGLE / self.motion.angle())).min(1.0)]);
            }
            time = later;
        }
    }
}

/// How the volumes of one tree move in the other's frame during a window.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    /// What takes a point at the window's middle to its way from there to its place at the start, and at the end.
    ways: [Affine; 2],
    /// The origin and the unit axis of the turn, at the middle.
    pivot: [f32; 3],
    axis: [f32; 3],
    /// A centre strays from the straight way by so much, per distance from the axis, and in any case.
    stray: [f32; 2],
    /// Half of the turn.
    half_angle: f32,
    margin: f32,
}

/// `x -> matrix * x + shift`.
#[derive(Clone, Copy, Debug, Default)]
struct Affine {
    matrix: [[f32; 3]; 3],
    shift: [f32; 3],
}

impl Affine {
    fn new(matrix: &Matrix3<f64>, shift: &Vector3<f64>) -> Self {
        Self {
            matrix: std::array::from_fn(|i| std::array::from_fn(|j| rounded(matrix[(i, j)]))),
            shift: std::array::from_fn(|i| rounded(shift[i])),
        }
    }

    #[inline(always)]
    fn apply(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|i| {
            let [a, b, c] = self.matrix[i];
            a * x + b * y + c * z + self.shift[i]
        })
    }
}

impl Stretch {
    /// The distance from the turn's axis.
    #[inline(always)]
    fn off_axis(&self, center: [f32; 3]) -> f32 {
        let arm: [f32; 3] = std::array::from_fn(|k| center[k] - self.pivot[k]);
        let [x, y, z] = std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.axis[i] * arm[j] - self.axis[j] * arm[i]
        });
        (x * x + y * y + z * z).sqrt()
    }
}

/// Finds the pair of triangles that touches first.
struct FirstContact<'a> {
    views: [View<'a>; 2],
    motion: &'a Motion,
    advance: Advance<'a>,
    window: [f64; 2],
    /// Of the other tree's volumes, in A's frame and in B's.
    stretches: [Stretch; 2],
    best: Option<(usize, usize, Approach)>,
    /// Nothing after this time matters; and in parts of the window, rounded up.
    until: f64,
    limit: f32,
    triangle_tests: u64,
}

impl<'a> FirstContact<'a> {
    fn new(trees: [&'a BvTree; 2], advance: Advance<'a>, motion: &'a Motion) -> Self {
        Self {
            views: trees.map(BvTree::view),
            motion,
            advance,
            window: [0.0; 2],
            stretches: [Stretch::default(); 2],
            best: None,
            until: 1.0,
            limit: 1.0,
            triangle_tests: 0,
        }
    }

    /// Takes on a window of time. The volumes are tested as they are at its middle.
    fn enter(&mut self, scene: &Scene<'_>, window: [f64; 2]) -> [ToFrame; 2] {
        let [start, end] = window;
        self.window = window;
        self.until = end;
        self.limit = 1.0;
        let poses = [start, 0.5 * (start + end), end].map(|time| self.motion.at(time));
        let [at_start, middle, at_end] = &poses;
        let [frame_a, frame_b] = &scene.frames;
        let to_frames = poses.map(|pose| ToFrame::both(frame_a, frame_b, &pose));

        let length = end - start;
        let angle = self.motion.angle() * length;
        let travel = self.motion.linear().norm() * length;
        let axis = self.motion.angular().try_normalize(0.0).unwrap_or_default();
        // A twice differentiable way is off its chord by an eighth of the greatest acceleration; the factor covers rounding
        // and what is no rotation.
        let chord = 1.01 / 8.0;
        let stray_of_b = [chord * angle * angle, 0.0];
        // B's frame moves too: A's points are up to half the travel farther from its axis, and Coriolis is twice that.
        let stray_of_a = [chord * angle * angle, chord * (0.5 * angle * angle + 2.0 * angle) * travel];

        let inverse = |matrix: &Matrix3<f64>| matrix.try_inverse().unwrap_or(matrix.transpose());
        let (identity, back) = (Matrix3::identity(), inverse(middle.rotation()));
        let ways_of_b = [at_start, at_end].map(|pose| {
            // x -> P(M^-1 x) - x, written about A's frame's origin.
            let turn = pose.rotation() * back;
            let fixed = (turn - identity) * frame_a.origin.coords;
            let shift = fixed + (pose.translation() - turn * middle.translation());
            Affine::new(&(turn - identity), &(shift / frame_a.unit))
        });
        let ways_of_a = [at_start, at_end].map(|pose| {
            // y -> P^-1(M y) - y, about B's.
            let inverse = inverse(pose.rotation());
            let turn = inverse * middle.rotation();
            let fixed = (turn - identity) * frame_b.origin.coords;
            let shift = fixed + inverse * (middle.translation() - pose.translation());
            Affine::new(&(turn - identity), &(shift / frame_b.unit))
        });
        let stretch =
            |target: usize, ways, pivot: Vector3<f64>, axis: Vector3<f64>, stray: [f64; 2], unit: f64| Stretch {
                ways,
                pivot: pivot.map(rounded).into(),
                axis: axis.map(rounded).into(),
                stray: [stray[0] as f32, (stray[1] / unit) as f32],
                half_angle: (0.505 * angle) as f32,
                margin: to_frames.iter().map(|to| to[target].margin).sum(),
            };
        let pivot_of_b = (middle.translation() - frame_a.origin.coords) / frame_a.unit;
        let pivot_of_a = -frame_b.origin.coords / frame_b.unit;
        self.stretches = [
            stretch(0, ways_of_b, pivot_of_b, axis, stray_of_b, frame_a.unit),
            stretch(1, ways_of_a, pivot_of_a, middle.rotation().tr_mul(&axis), stray_of_a, frame_b.unit),
        ];
        let [_, at_middle, _] = to_frames;
        at_middle
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let triangle_a = triangle(&self.views[0], a);
        if let Some(approach) = self.advance.contact(&triangle_a, self.views[1].triangle(b), self.window[0], self.until)
        {
            let faces = |a: usize, b: usize| [self.views[0].faces[a], self.views[1].faces[b]];
            // Of pairs at the same time the first in the meshes, in whatever order they come.
            let is_tie = approach.time == self.until;
            if is_tie && self.best.as_ref().is_some_and(|&(x, y, _)| faces(x, y) <= faces(a, b)) {
                return;
            }
            self.until = approach.time;
            let [start, end] = self.window;
            self.limit = (((approach.time - start) / (end - start)) as f32).next_up();
            self.best = Some((a, b, approach));
        }
    }
}

impl Visitor for FirstContact<'_> {
    const NEAREST_FIRST: bool = true;

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, _: &ToFrame, target: usize) -> Judged {
        let stretch = &self.stretches[target];
        let center = one.center();
        let [start, end] = stretch.ways.map(|way| way.apply(center));
        let course = Course::new(start, std::array::from_fn(|k| end[k] - start[k]), self.limit);
        let stray = stretch.stray[0] * stretch.off_axis(center) + stretch.stray[1];
        let slack = stretch.margin + stray + stretch.half_angle * one.turning_radius();
        let swept = one.sweep(simd, eight, &course, slack);
        let late = simd.bits(simd.gt(swept.entry, simd.splat(self.limit)));
        let past = simd.bits(simd.gt(swept.minus_exit, simd.splat(0.0)));
        Judged {
            survivors: eight.lanes() & !swept.never & !late & !past,
            larger: swept.larger,
            lower_bounds: simd.to_array(swept.entry),
        }
    }

    #[inline(always)]
    fn wants(&self, entry: f32) -> bool {
        // A time that is not a number, past f32's range, excludes nothing.
        !matches!(entry.partial_cmp(&self.limit), Some(Ordering::Greater))
    }

    #[inline(always)]
    fn pair<S: Simd>(&mut self, _: S, a: usize, b: usize) -> ControlFlow<()> {
        self.test(a, b);
        ControlFlow::Continue(())
    }
}
