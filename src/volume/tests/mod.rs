//! Packed volumes against separating axes in f64, which take the stored volumes as they are: a box whose axes are
//! rounded, posed by a matrix that is not quite a rotation, is a parallelepiped.

mod kinds;
mod random;
mod sweep;

use std::marker::PhantomData;

pub(super) use kinds::Kind;
use kinds::center;
use nalgebra::{Matrix3, Point3, Vector3};
pub(super) use random::Random;

use crate::pose::Pose;
use crate::shape::{Obb, Overlaps};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::Volume;
use crate::volume::{
    Frame, MAX_FIELDS, Node, NodeRef, PADDING, PackedAabb, PackedObb, PackedSphere, PairTests, RelativeFrame,
};

/// The second child of one node against another's, on one level.
struct Test<'a, V> {
    single: Node<'a>,
    node: Node<'a>,
    to: &'a RelativeFrame,
    kind: PhantomData<V>,
}

impl<V: PairTests> Task for Test<'_, V> {
    type Output = u8;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u8 {
        let volume = V::single(&V::posed(simd, &self.single, self.to), 1, self.to);
        volume.overlaps(simd, &self.node, self.to.margin).0
    }
}

/// Packs up to eight random volumes into a node, after checking that each encloses its contents. Gives the words, the
/// volumes and their contents.
pub(super) fn random_node<V: Kind>(
    random: &mut Random,
    children: usize,
) -> (Vec<u32>, Vec<Volume>, Vec<Vec<Point3<f64>>>) {
    let mut words = vec![0; children * V::FIELDS + PADDING];
    let (volumes, contents) = (0..children)
        .map(|lane| {
            let (fit, points) = V::contents(random);
            let mut fields = [0; MAX_FIELDS];
            V::pack(&fit, &mut fields);
            assert!(points.iter().all(|point| V::encloses(&fields, point)), "{points:?}");
            fields[V::FIELDS - 1] = NodeRef::leaf(lane).to_word();
            for (row, &word) in fields[..V::FIELDS].iter().enumerate() {
                words[row * children + lane] = word;
            }
            (V::unpack(&fields), points)
        })
        .unzip();
    (words, volumes, contents)
}

/// A pose that brings the volumes' surfaces together, up to next to nothing or a little, along one of their axes.
pub(super) fn touching_pose<V: Kind>(random: &mut Random, frames: &[Frame; 2], volumes: [&Volume; 2]) -> Pose {
    let [a, b] = frames;
    let deviation = random.pick([0.0, 0.0, 1e-7, 1e-5]);
    let rotation = random.rotation() * (1.0 + deviation) + Matrix3::from_fn(|_, _| random.unit()) * deviation;
    let matrix = rotation * (b.unit / a.unit);
    let axes = V::axes(volumes[1], &rotation, volumes[0], &random.vector());
    let axis = axes[(random.bits() % axes.len() as u64) as usize];
    let axis = if axis.norm() > 1e-12 { axis.normalize() } else { Vector3::x() };
    let radius = V::radius(volumes[1], &matrix, &axis) + V::radius(volumes[0], &Matrix3::identity(), &axis);
    let off = random.pick([0.0, 0.0, 1e-15, -1e-7, 1e-7, 1e-6, 1e-5, -1e-3, 1e-2]) * (1.0 + b.unit / a.unit);
    let aside = random.vector() * radius * random.pick([0.0, 0.1, 1.0]);
    let apart = axis * (radius + off) + (aside - axis * axis.dot(&aside));
    let target = center(volumes[0]) + apart;
    Pose::new(rotation, a.to_mesh(&target) - rotation * b.to_mesh(&center(volumes[1]))).unwrap()
}

pub(super) fn random_frames(random: &mut Random) -> [Frame; 2] {
    std::array::from_fn(|_| Frame {
        origin: Point3::from(random.vector() * random.pick([0.0, 1.0, 100.0])),
        unit: random.pick([0.25, 1.0, 1.0, 1.0, 2.0, 64.0]),
    })
}

/// How far two volumes are apart along the axis that shows most, negative if they overlap; and that times the axis's
/// length.
fn gaps<V: Kind>([a, b]: &[Frame; 2], pose: &Pose, [of_a, of_b]: [&Volume; 2]) -> [f64; 2] {
    let matrix = pose.rotation() * (b.unit / a.unit);
    let posed = a.to_local(&Point3::from(pose.rotation() * b.to_mesh(&center(of_b)).coords + pose.translation()));
    let distance = posed - center(of_a);
    let (mut gap, mut scaled_gap) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for axis in V::axes(of_b, pose.rotation(), of_a, &distance) {
        let radius = V::radius(of_b, &matrix, &axis) + V::radius(of_a, &Matrix3::identity(), &axis);
        let along = axis.dot(&distance).abs() - radius;
        if axis.norm() > 1e-12 {
            gap = gap.max(along / axis.norm());
        }
        // Packed tests don't divide by the axis's length either.
        scaled_gap = scaled_gap.max(along);
    }
    [gap, scaled_gap]
}

/// How far two volumes are apart along the axis that shows most, negative if they overlap.
pub(super) fn volumes_gap<V: Kind>(frames: &[Frame; 2], pose: &Pose, volumes: [&Volume; 2]) -> f64 {
    gaps::<V>(frames, pose, volumes)[0]
}

/// Along no axis apart by more than the margin when packed volumes may touch; by more than nothing when they don't.
fn packed_tests_agree<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 1_000 } else { 60_000 };
    let (mut hits, mut misses, mut close) = (0, 0, 0);
    for _ in 0..nodes {
        let children = random.pick([1, 2, 3, 5, 8, 8, 8]);
        let (eight_words, eight, _) = random_node::<V>(&mut random, children);
        let (one_words, one, _) = random_node::<V>(&mut random, 2);
        let frames = random_frames(&mut random);
        let touched = &eight[(random.bits() % children as u64) as usize];
        let pose = touching_pose::<V>(&mut random, &frames, [touched, &one[1]]);

        let [to, _] = RelativeFrame::both(&frames[0], &frames[1], &pose);
        let node = Node::at(&eight_words, V::KIND, NodeRef::inner(0, children));
        let single = Node::at(&one_words, V::KIND, NodeRef::inner(0, 2));
        let masks: Vec<u8> = SimdLevel::ALL
            .into_iter()
            .filter(|level| level.is_available())
            .map(|level| dispatch(level, Test::<V> { single, node, to: &to, kind: PhantomData }))
            .collect();

        assert!(masks.iter().all(|mask| mask & !node.lanes() == 0));
        for (lane, volume) in eight.iter().enumerate() {
            let [gap, scaled_gap] = gaps::<V>(&frames, &pose, [volume, &one[1]]);
            for mask in &masks {
                let may_touch = mask >> lane & 1 == 1;
                if may_touch {
                    hits += 1;
                    assert!(scaled_gap <= 2.0 * f64::from(to.margin), "gap {scaled_gap:e}, margin {:e}", to.margin);
                } else {
                    misses += 1;
                    assert!(gap > 0.0, "called apart by a gap of {gap:e} with margin {:e}", to.margin);
                    close += usize::from(gap < 16.0 * f64::from(to.margin));
                    assert!(!overlap_by_shape(&one[1], &pose, &frames, volume) || pose.deviation() > 1e-12);
                }
            }
        }
    }
    assert!(
        hits > nodes && misses > nodes && close > nodes / 50,
        "{hits} hits, {misses} misses, {close} of them close"
    );
}

/// What [`crate::shape`] says of the two, inflated by nothing.
fn overlap_by_shape(one: &Volume, pose: &Pose, [a, b]: &[Frame; 2], eight: &Volume) -> bool {
    let unit = b.unit / a.unit;
    let shift = a.to_local(&Point3::from(pose.rotation() * b.origin.coords + pose.translation()));
    let posed = |obb: Obb| {
        Obb { half_extents: obb.half_extents * unit, center: Point3::from(obb.center.coords * unit), ..obb }
            .transformed(pose.rotation(), &shift.coords)
    };
    match (one, eight) {
        (Volume::Aabb(one), Volume::Aabb(eight)) => posed(Obb::from(*one)).overlaps(&Obb::from(*eight)),
        (Volume::Obb(one), Volume::Obb(eight)) => posed(*one).overlaps(eight),
        (Volume::Sphere(one), Volume::Sphere(eight)) => {
            let center = Point3::from(pose.rotation() * (one.center.coords * unit) + shift.coords);
            crate::shape::Sphere { center, radius: one.radius * unit }.overlaps(eight)
        }
        _ => unreachable!("one kind"),
    }
}

#[test]
fn packed_aabbs_touch_where_boxes_do() {
    packed_tests_agree::<PackedAabb>(1);
}

#[test]
fn packed_obbs_touch_where_boxes_do() {
    packed_tests_agree::<PackedObb>(2);
}

#[test]
fn packed_spheres_touch_where_balls_do() {
    packed_tests_agree::<PackedSphere>(3);
}
