//! Planes against points in f64: at no pose does a plane show a gap that the contents of the volumes do not keep.

use std::marker::PhantomData;

use nalgebra::{Isometry3, Matrix3, Point3};

use super::tests::{Kind, Random, random_frames, random_node};
use super::{Aabb8, Across, Frame, Node, NodeRef, Obb8, Plane, Planes, Sphere8, ToFrame};
use crate::pose::Pose;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Makes a plane at one pose and asks for its gap there and at another, on one level.
struct Keep<'a, V> {
    across: Across<'a>,
    side: usize,
    axis: Option<[f32; 3]>,
    distance: f32,
    poses: [&'a ToFrame; 2],
    kind: PhantomData<V>,
}

impl<V: Kind> Task for Keep<'_, V> {
    type Output = (u8, [f32; 2]);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let axis = self.axis.unwrap_or_else(|| self.across.way::<V, S>(simd, self.poses[0]));
        let (plane, kept) = self.across.plane::<V, S>(simd, self.poses[0], self.side, axis, self.distance);
        (kept, gaps(simd, &plane, self.poses))
    }
}

/// As the eleventh of its kind.
fn gaps<S: Simd>(simd: S, plane: &Plane, poses: [&ToFrame; 2]) -> [f32; 2] {
    let mut planes = Planes::default();
    (0..10).for_each(|index| planes.set(index, &Plane::NONE));
    planes.set(10, plane);
    let gaps = poses.map(|to| simd.to_array(planes.gaps(simd, 1, to))[2]);
    planes.vacate(10);
    assert_eq!(simd.to_array(planes.gaps(simd, 1, poses[0]))[1..3], [f32::NEG_INFINITY, f32::INFINITY]);
    gaps
}

/// A pose, and another: the same, near, or anywhere.
fn two_poses(random: &mut Random, [a, b]: &[Frame; 2]) -> [Pose; 2] {
    let rotation = |random: &mut Random| Isometry3::rotation(random.vector() * 3.0).rotation.to_rotation_matrix();
    let apart = 1.0 + b.unit / a.unit;
    let (turn, center) = (rotation(random), random.vector() * (2.0 * apart));
    let other = match random.pick([0, 1, 2, 3]) {
        0 => (turn, center),
        1 => (rotation(random), random.vector() * (2.0 * apart)),
        _ => {
            let step = random.pick([1e-6, 1e-3, 0.1]);
            let near = Isometry3::rotation(random.vector() * step).rotation.to_rotation_matrix();
            (near * turn, center + random.vector() * (step * apart))
        }
    };
    [(turn, center), other].map(|(turn, center)| {
        let turn: Matrix3<f64> = turn.into_inner();
        Pose::new(turn, a.to_mesh(&Point3::from(center)).coords - turn * b.origin.coords).unwrap()
    })
}

/// A point of B's frame in A's.
fn in_a([a, b]: &[Frame; 2], pose: &Pose, q: &Point3<f64>) -> Point3<f64> {
    let offset = a.to_local(&Point3::from(pose.rotation() * b.origin.coords + pose.translation()));
    offset + pose.rotation() * (q.coords * (b.unit / a.unit))
}

fn planes_keep_what_they_show<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 500 } else { 30_000 };
    let (mut kept_lanes, mut sharp, mut lasting) = (0, 0, 0);
    for _ in 0..nodes {
        let children: [usize; 2] = std::array::from_fn(|_| random.pick([1, 2, 3, 5, 8, 8, 8]));
        let [a, b] = children.map(|children| random_node::<V>(&mut random, children));
        let frames = random_frames(&mut random);
        let poses = two_poses(&mut random, &frames);
        let to = poses.each_ref().map(|pose| ToFrame::both(&frames[0], &frames[1], pose)[0]);
        let words = [&a.0, &b.0];
        let across = Across {
            nodes: [0, 1].map(|side| Node::at::<V>(words[side], NodeRef::inner(0, children[side]))),
            lanes: children.map(|children| (random.bits() as u8 | 1) & (0xff >> (8 - children))),
        };
        let side = random.pick([0, 1]);
        let axis =
            random.pick([false, false, true]).then(|| random.vector().normalize().map(|x| x as f32 * 0.9999).into());
        let distance = random.pick([0.0, 0.01, 0.3]) as f32;

        // Least distances of the contents of the lanes of the side from those of the other's, in A's unit.
        let points = [&a.2, &b.2];
        let distances = |pose: &Pose, kept: u8| {
            let lanes = if side == 0 { [kept, across.lanes[1]] } else { [across.lanes[0], kept] };
            let of = |side: usize| {
                points[side]
                    .iter()
                    .enumerate()
                    .filter(move |(lane, _)| lanes[side] >> lane & 1 != 0)
                    .flat_map(|(_, p)| p)
            };
            let mut least = f64::INFINITY;
            for q in of(1) {
                let q = in_a(&frames, pose, q);
                least = of(0).map(|p| (p - q).norm()).fold(least, f64::min);
            }
            least
        };
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let poses_seen = [&to[0], &to[1]];
            let keep = Keep::<V> { across, side, axis, distance, poses: poses_seen, kind: PhantomData };
            let (kept, gaps) = dispatch(level, keep);
            assert_eq!(kept & !across.lanes[side], 0);
            if kept == 0 {
                continue;
            }
            assert!(gaps[0] > distance, "{} for {distance}", gaps[0]);
            for ((gap, to), pose) in gaps.iter().zip(poses_seen).zip(&poses) {
                let (gap, least) = (f64::from(gap - to.margin), distances(pose, kept));
                assert!(gap <= least * (1.0 + 1e-5), "a gap of {gap} shown, {least} kept");
                sharp += usize::from(gap > 0.5 * least);
            }
            kept_lanes += kept.count_ones() as usize;
            lasting += usize::from(gaps[1] > distance);
        }
    }
    assert!(kept_lanes > nodes && sharp > nodes / 4 && lasting > nodes / 4, "{kept_lanes}, {sharp}, {lasting}");
}

#[test]
fn planes_between_aabbs_keep_what_they_show() {
    planes_keep_what_they_show::<Aabb8>(21);
}

#[test]
fn planes_between_obbs_keep_what_they_show() {
    planes_keep_what_they_show::<Obb8>(22);
}

#[test]
fn planes_between_spheres_keep_what_they_show() {
    planes_keep_what_they_show::<Sphere8>(23);
}

#[test]
fn planes_between_triangles_keep_what_they_show() {
    struct Gaps<'a>(Plane, [&'a ToFrame; 2]);
    impl Task for Gaps<'_> {
        type Output = [f32; 2];
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [f32; 2] {
            gaps(simd, &self.0, self.1)
        }
    }
    let mut random = Random(24);
    let (mut kept, mut sharp) = (0, 0);
    for _ in 0..20_000 {
        let frames = random_frames(&mut random);
        let poses = two_poses(&mut random, &frames);
        let to = poses.each_ref().map(|pose| ToFrame::both(&frames[0], &frames[1], pose)[0]);
        let triangles: [[Point3<f64>; 3]; 2] = std::array::from_fn(|_| {
            let (at, size) = (random.vector() * 0.5, random.pick([0.0, 1e-3, 0.05]));
            std::array::from_fn(|_| Point3::from(at + random.vector() * size))
        });
        let distance = random.pick([0.0, 0.1]) as f32;
        let middles = triangles.map(|t| (t[0].coords + t[1].coords + t[2].coords) / 3.0);
        let way =
            nalgebra::Vector3::from(to[0].point(middles[1].map(|x| x as f32).into())) - middles[0].map(|x| x as f32);
        let axis = way.normalize().into();
        let Some(plane) = Plane::between(&triangles[0], &triangles[1], &to[0], axis, distance) else { continue };
        kept += 1;
        let shown = dispatch(SimdLevel::detect(), Gaps(plane, [&to[0], &to[1]]));
        assert!(shown[0] > distance);
        for ((gap, to), pose) in shown.iter().zip(&to).zip(&poses) {
            let posed = triangles[1].map(|q| in_a(&frames, pose, &q));
            let least = posed.iter().flat_map(|q| triangles[0].iter().map(move |p| (p - q).norm()));
            let (gap, least) = (f64::from(gap - to.margin), least.fold(f64::INFINITY, f64::min));
            assert!(gap <= least * (1.0 + 1e-5), "a gap of {gap} shown, {least} kept");
            sharp += usize::from(gap > 0.9 * least);
        }
    }
    assert!(kept > 10_000 && sharp > 10_000, "{kept} kept, {sharp} sharp");
}
