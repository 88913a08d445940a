//! Swept volumes against points in f64: what a volume holds when it meets what another holds is never said to be apart.

use std::marker::PhantomData;

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Kind, Random, random_frames, random_node};
use crate::pose::Pose;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{LinearSweep, Node, NodeRef, PackedAabb, PackedObb, PackedSphere, RelativeFrame};

/// The second child of one node on its path past another's, on one level.
struct Sweep<'a, V> {
    single: Node<'a>,
    node: Node<'a>,
    to: &'a RelativeFrame,
    path: LinearSweep,
    margin: f32,
    kind: PhantomData<V>,
}

impl<V: Kind> Task for Sweep<'_, V> {
    type Output = ([f32; 8], [f32; 8], u8);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let volume = V::single(&V::posed(simd, &self.single, self.to), 1, self.to);
        let swept = volume.sweep(simd, &self.node, &self.path, self.margin);
        (simd.to_array(swept.entry), simd.to_array(swept.minus_exit), swept.never)
    }
}

/// Sends a point of the one's contents through points of the eight's, and asks when the volumes may meet.
fn sweeps_hold_all_meetings<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 1_000 } else { 60_000 };
    let (mut never, mut sharp) = (0, 0);
    for _ in 0..nodes {
        let children = random.pick([1, 2, 3, 5, 8, 8, 8]);
        let (eight_words, _, eight) = random_node::<V>(&mut random, children);
        let (one_words, _, one) = random_node::<V>(&mut random, 2);
        let frames = random_frames(&mut random);
        let lane = (random.bits() % children as u64) as usize;
        let [of_one, of_eight]: [Point3<f64>; 2] =
            [&one[1], &eight[lane]].map(|points| points[(random.bits() % points.len() as u64) as usize]);
        let rotation = Isometry3::rotation(random.vector() * 3.0).rotation.to_rotation_matrix().into_inner();

        // At `when` the two points meet.
        let [a, b] = &frames;
        let displacement =
            random.vector().component_mul(&Vector3::from_fn(|_, _| random.pick([0.0, 1e-9, 0.1, 1.0, 4.0])));
        let when = random.unit().abs();
        let pose = Pose::new(
            rotation,
            a.to_mesh(&of_eight).coords - displacement * (when * a.unit) - rotation * b.to_mesh(&of_one).coords,
        )
        .unwrap();
        let [to, _] = RelativeFrame::both(a, b, &pose);
        let ends = Pose::new(rotation, pose.translation() + displacement * a.unit).unwrap();
        let margin = to.margin + RelativeFrame::both(a, b, &ends)[0].margin;
        let node = Node::at(&eight_words, V::KIND, NodeRef::inner(0, children));
        let single = Node::at(&one_words, V::KIND, NodeRef::inner(0, 2));
        let path = LinearSweep::new([0.0; 3], displacement.map(|x| x as f32).into(), 1.0);
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let (entry, minus_exit, apart) =
                dispatch(level, Sweep::<V> { single, node, to: &to, path, margin, kind: PhantomData });
            let (entry, exit) = (f64::from(entry[lane]), -f64::from(minus_exit[lane]));
            assert!(apart >> lane & 1 == 0, "never, but at {when}");
            assert!(entry <= when && when <= exit, "{when} is not in {entry}..{exit}");
            never += apart.count_ones();
            sharp += u32::from(entry > 0.0 || exit < 1.0);
        }
    }
    assert!(never > nodes / 10 && sharp > nodes / 10, "{never} never, {sharp} sharp");
}

#[test]
fn swept_aabbs_hold_all_meetings() {
    sweeps_hold_all_meetings::<PackedAabb>(11);
}

#[test]
fn swept_obbs_hold_all_meetings() {
    sweeps_hold_all_meetings::<PackedObb>(12);
}

#[test]
fn swept_spheres_hold_all_meetings() {
    sweeps_hold_all_meetings::<PackedSphere>(13);
}
