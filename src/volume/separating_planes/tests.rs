//! Planes are compared with points in f64: at no pose does a plane report a gap greater than the distance between the
//! volumes' contents.

use std::marker::PhantomData;

use nalgebra::{Isometry3, Matrix3, Point3};

use crate::pose::Pose;
use crate::simd::{Simd, SimdLevel, Task, dispatch, dispatched};
use crate::triangle::Triangle;
use crate::volume::tests::{Kind, Random, random_frames, random_node, touching_pose, volumes_gap};
use crate::volume::{
    EightPlanes, EightTriangles, Frame, Node, NodeRef, OneAgainstEight, PackedAabb, PackedObb, PackedSphere, Plane,
    Planes, RelativeFrame,
};

/// Computes planes at one pose, and their gaps at that pose and at another, on one SIMD level.
struct Keep<'a, V> {
    volumes: OneAgainstEight<'a>,
    lanes: u8,
    distance: f32,
    poses: [&'a RelativeFrame; 2],
    /// The inverse of the first pose.
    back: &'a RelativeFrame,
    kind: PhantomData<V>,
}

impl<V: Kind> Task for Keep<'_, V> {
    /// The lanes that a plane separates, and its gaps; and the lanes that are clearly farther apart than the distance.
    type Output = (Vec<(u8, [f32; 2])>, u8);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let separations = self.volumes.separations::<S>(simd, self.poses[0]);
        let (mut left, mut kept) = (self.lanes, Vec::new());
        while left != 0 {
            let before = left;
            let (plane, lanes) = separations.plane(simd, self.poses[0], &mut left, self.distance);
            assert!(left & !before == 0 && left != before && lanes & !(before & !left) == 0);
            kept.push((lanes, gaps(simd, &plane, self.poses)));
        }
        let [a, b] = self.volumes.nodes;
        let (ones, eight, lane, to, unit) = match self.volumes.lane {
            [Some(lane), _] => (a, b, lane, self.back, self.poses[0].unit),
            [_, lane] => (b, a, lane.unwrap(), self.poses[0], 1.0),
        };
        let one = V::single(&V::posed(simd, &ones, to), lane, to);
        let (lower_bounds_sq, _) = one.lower_bounds_sq(simd, &eight, to.margin, 1.0, f32::INFINITY);
        let enough = 1.001 * self.distance + 4.0 * self.poses[0].margin;
        let is_far = |lower_bound_sq: &f32| lower_bound_sq.sqrt() * unit > enough;
        let far = simd.to_array(lower_bounds_sq).iter().enumerate().map(|(lane, x)| u8::from(is_far(x)) << lane).sum();
        (kept, far)
    }
}

/// The plane's gap, evaluated as the eleventh plane of a list.
fn gaps<S: Simd>(simd: S, plane: &Plane, poses: [&RelativeFrame; 2]) -> [f32; 2] {
    let mut planes = Planes::default();
    (0..10).for_each(|index| planes.set(index, &Plane::NONE));
    planes.set(10, plane);
    let gaps = poses.map(|to| simd.to_array(planes.gaps(simd, 1, to))[2]);
    planes.set(10, &Plane::FREE);
    assert_eq!(simd.to_array(planes.gaps(simd, 1, poses[0]))[1..3], [f32::NEG_INFINITY, f32::INFINITY]);
    gaps
}

/// A pose, and a second one that is equal, near, or anywhere.
fn two_poses(random: &mut Random, [a, b]: &[Frame; 2]) -> [Pose; 2] {
    let rotation = |random: &mut Random| Isometry3::rotation(random.vector() * 3.0).rotation.to_rotation_matrix();
    let apart = 1.0 + b.unit / a.unit;
    let (turn, center) = (rotation(random), random.vector() * (2.0 * apart));
    let other = match random.pick([0, 1, 2, 3]) {
        0 => (turn, center),
        1 => (rotation(random), random.vector() * (2.0 * apart)),
        _ => {
            let step = random.pick([1e-6, 1e-3, 0.1, 0.3]);
            let near = Isometry3::rotation(random.vector() * step).rotation.to_rotation_matrix();
            (near * turn, center + random.vector() * (step * apart))
        }
    };
    [(turn, center), other].map(|(turn, center)| {
        let turn: Matrix3<f64> = turn.into_inner();
        Pose::new(turn, a.to_mesh(&Point3::from(center)).coords - turn * b.origin.coords).unwrap()
    })
}

/// Converts a point of B's frame to A's.
fn in_a([a, b]: &[Frame; 2], pose: &Pose, q: &Point3<f64>) -> Point3<f64> {
    let offset = a.to_local(&Point3::from(pose.rotation() * b.origin.coords + pose.translation()));
    offset + pose.rotation() * (q.coords * (b.unit / a.unit))
}

/// The margins are as large as stated, and rounding takes far less than a quarter of them. One margin is in the gap at
/// the pose where a plane was computed; the plane counts as separating only if that gap exceeds the distance by another
/// one.
fn sizes_of_margins(shown: f32, distance: f32, least: f64, margin: f32) {
    let (shown, distance, margin) = (f64::from(shown), f64::from(distance), f64::from(margin));
    assert!(shown > distance + 0.75 * margin, "{shown} for {distance}, margin {margin}");
    assert!(shown + 0.75 * margin < least * (1.0 + 1e-5), "{shown} for a distance of {least}, margin {margin}");
}

fn planes_keep_what_they_show<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 500 } else { 30_000 };
    let (mut kept_lanes, mut sharp, mut lasting, mut missed) = (0, 0, 0, 0);
    for _ in 0..nodes {
        let children: [usize; 2] = std::array::from_fn(|_| random.pick([1, 2, 3, 5, 8, 8, 8]));
        let [a, b] = children.map(|children| random_node::<V>(&mut random, children));
        let frames = random_frames(&mut random);
        let poses = two_poses(&mut random, &frames);
        let both = poses.each_ref().map(|pose| RelativeFrame::both(&frames[0], &frames[1], pose));
        let (to, back) = (both.map(|[to, _]| to), both[0][1]);
        let words = [&a.0, &b.0];
        let one = random.pick([0, 1]);
        let mut lane = [None; 2];
        lane[one] = Some(random.bits() as usize % children[one]);
        let nodes = [0, 1].map(|side| Node::at(words[side], V::KIND, NodeRef::inner(0, children[side])));
        let volumes = OneAgainstEight { nodes, lane };
        let lanes = (random.bits() as u8 | 1) & (0xff >> (8 - children[1 - one]));
        let distance = random.pick([0.0, 0.01, 0.3]) as f32;

        // The least distance of the contents of some of the eight from those of the one, in A's unit.
        let points = [&a.2, &b.2];
        let distance_of = |pose: &Pose, kept: u8| {
            let of = |side: usize| {
                let lanes = lane[side].map_or(kept, |lane| 1 << lane);
                let some = move |&(lane, _): &(usize, &Vec<Point3<f64>>)| lanes >> lane & 1 != 0;
                points[side].iter().enumerate().filter(some).flat_map(|(_, p)| p)
            };
            let mut least = f64::INFINITY;
            for q in of(1) {
                let q = in_a(&frames, pose, q);
                least = of(0).map(|p| (p - q).norm()).fold(least, f64::min);
            }
            least
        };
        for level in SimdLevel::available() {
            let seen = [&to[0], &to[1]];
            let keep = Keep::<V> { volumes, lanes, distance, poses: seen, back: &back, kind: PhantomData };
            let (planes, far) = dispatch(level, keep);
            missed += planes.iter().fold(far & lanes, |left, (kept, _)| left & !kept).count_ones() as usize;
            for (kept, gaps) in planes {
                if kept == 0 {
                    continue;
                }
                sizes_of_margins(gaps[0], distance, distance_of(&poses[0], kept), to[0].margin);
                for ((gap, to), pose) in gaps.iter().zip(seen).zip(&poses) {
                    let (gap, least) = (f64::from(gap - to.margin), distance_of(pose, kept));
                    assert!(gap <= least * (1.0 + 1e-5), "a gap of {gap} shown, {least} kept");
                    sharp += usize::from(gap > 0.5 * least);
                }
                kept_lanes += kept.count_ones() as usize;
                lasting += usize::from(gaps[1] > distance);
            }
        }
    }
    assert!(kept_lanes > 4 * nodes && sharp > nodes && lasting > nodes, "{kept_lanes}, {sharp}, {lasting}");
    assert!(missed < kept_lanes / 200, "{missed} of {kept_lanes}");
}

/// No plane separates volumes that touch, up to the last bit, even far from their frames' origins.
fn nothing_is_between_what_touches<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let mut others = 0;
    for _ in 0..500 {
        let [a, b] = [8, 8].map(|children| random_node::<V>(&mut random, children));
        let frames = random_frames(&mut random);
        let lane = random.bits() as usize % 8;
        let pose = touching_pose(&mut random, &frames, [&a.1[lane], &b.1[1]]);
        if volumes_gap(&frames, &pose, [&a.1[lane], &b.1[1]]) > 0.0 {
            continue;
        }
        let [to, back] = RelativeFrame::both(&frames[0], &frames[1], &pose);
        let nodes = [&a.0, &b.0].map(|words| Node::at(words, V::KIND, NodeRef::inner(0, 8)));
        let volumes = OneAgainstEight { nodes, lane: [None, Some(1)] };
        for level in SimdLevel::available() {
            let poses = [&to, &to];
            let keep = Keep::<V> { volumes, lanes: 0xff, distance: 0.0, poses, back: &back, kind: PhantomData };
            let kept = dispatch(level, keep).0.iter().fold(0, |kept, (lanes, _)| kept | lanes);
            assert_eq!(kept >> lane & 1, 0, "a plane between what touches");
            others += kept.count_ones();
        }
    }
    assert!(others > 100, "{others}");
}

#[test]
fn nothing_is_between_volumes_that_touch() {
    nothing_is_between_what_touches::<PackedAabb>(25);
    nothing_is_between_what_touches::<PackedObb>(26);
    nothing_is_between_what_touches::<PackedSphere>(27);
}

#[test]
fn planes_between_volumes_keep_what_they_show() {
    planes_keep_what_they_show::<PackedAabb>(21);
    planes_keep_what_they_show::<PackedObb>(22);
    planes_keep_what_they_show::<PackedSphere>(23);
}

#[test]
fn planes_between_triangles_keep_what_they_show() {
    dispatched! {
        fn plane_gaps(
            triangles: &[EightTriangles; 2],
            frames: &[Frame; 2],
            poses: [&RelativeFrame; 2],
            axes: &[[f64; 8]; 3],
            distance: f32,
        ) -> [Option<[f32; 2]>; 8] = |s| {
            let planes = EightPlanes::new(s, triangles.each_ref(), frames, poses[0], axes, distance);
            std::array::from_fn(|lane| {
                (planes.separated >> lane & 1 != 0).then(|| gaps(s, &planes.plane(lane), poses))
            })
        };
    }
    let mut random = Random(24);
    let (mut kept, mut sharp) = (0, 0);
    for _ in 0..if cfg!(debug_assertions) { 500 } else { 10_000 } {
        let frames = random_frames(&mut random);
        let poses = two_poses(&mut random, &frames);
        let to = poses.each_ref().map(|pose| RelativeFrame::both(&frames[0], &frames[1], pose)[0]);
        let (mut triangles, mut axes) = ([[[[0.0; 8]; 3]; 3]; 2], [[0.0; 8]; 3]);
        let mut closest = [[0.0; 2]; 8];
        for lane in 0..8 {
            let sides: [[Point3<f64>; 3]; 2] = std::array::from_fn(|side| {
                let (at, size) = (random.vector() * 0.5, random.pick([0.0, 1e-3, 0.05]));
                std::array::from_fn(|corner| {
                    let vertex = frames[side].to_mesh(&Point3::from(at + random.vector() * size)).map(|x| x as f32);
                    (0..3).for_each(|x| triangles[side][corner][x][lane] = vertex[x]);
                    vertex.map(f64::from)
                })
            });
            for (pose, closest) in poses.iter().zip(&mut closest[lane]) {
                let posed = sides[1].map(|q| Point3::from(pose.rotation() * q.coords + pose.translation()));
                let found = Triangle { vertices: sides[0] }.closest_points(&Triangle { vertices: posed });
                *closest = found.distance_sq.sqrt() / frames[0].unit;
                // The axes belong to the first pose.
                if pose == &poses[0] {
                    let separation = found.on_b - found.on_a;
                    (0..3).for_each(|x| axes[x][lane] = separation[x]);
                }
            }
        }
        let distance = random.pick([0.0, 0.1]) as f32;
        for level in SimdLevel::available() {
            let gaps = plane_gaps(level, &triangles, &frames, [&to[0], &to[1]], &axes, distance);
            for (shown, closest) in gaps.into_iter().zip(&closest) {
                let Some(shown) = shown else { continue };
                kept += 1;
                sizes_of_margins(shown[0], distance, closest[0], to[0].margin);
                for ((gap, to), least) in shown.iter().zip(&to).zip(closest) {
                    let gap = f64::from(gap - to.margin);
                    assert!(gap <= least * (1.0 + 1e-5), "a gap of {gap} shown, {least} kept");
                }
                sharp += usize::from(f64::from(shown[0]) > 0.99 * closest[0]);
            }
        }
    }
    assert!(kept > 5_000 && sharp > kept / 2, "{kept} kept, {sharp} sharp");
}
