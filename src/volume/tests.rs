//! Packed volumes against volumes in f64.
//!
//! Overlap tests are compared with separating axes in f64, which take the stored volumes as they are: a box whose axes
//! are rounded, posed by a matrix that is not quite a rotation, is a parallelepiped. Swept volumes are compared with
//! points: a test never says that volumes are apart whose contents meet.

use std::marker::PhantomData;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::pose::Pose;
use crate::shape::{Aabb, KDop, Obb, Overlaps};
use crate::simd::{SimdLevel, dispatched};
use crate::volume::{
    BoundingVolume, FittedBox, FittedSphere, Frame, LinearSweep, MAX_FIELDS, Node, NodeRef, PADDING, PackedAabb,
    PackedKDop, PackedObb, PackedSphere, PairTests, RelativeFrame, Volume,
};

dispatched! {
    /// The overlap test of the second child of one node against another node.
    fn overlap_mask[V: PairTests](
        _kind: PhantomData<V>,
        ones: &Node<'_>,
        node: &Node<'_>,
        to: &RelativeFrame,
    ) -> u8 = |s| V::single(&V::posed(s, ones, to), 1, to).overlaps(s, node, to.margin).0;
    /// The squared lower bounds of the distances between the second child of one node and the children of another.
    fn bounds_sq[V: PairTests](
        _kind: PhantomData<V>,
        ones: &Node<'_>,
        node: &Node<'_>,
        to: &RelativeFrame,
    ) -> [f32; 8] = |s| {
        let one = V::single(&V::posed(s, ones, to), 1, to);
        s.to_array(one.lower_bounds_sq(s, node, to.margin, 1.0, f32::INFINITY).0)
    };
    /// The sweep of the second child of one node along a path past the children of another.
    fn sweep[V: PairTests](
        _kind: PhantomData<V>,
        ones: &Node<'_>,
        node: &Node<'_>,
        to: &RelativeFrame,
        path: &LinearSweep,
        margin: f32,
    ) -> ([f32; 8], [f32; 8], u8) = |s| {
        let swept = V::single(&V::posed(s, ones, to), 1, to).sweep(s, node, path, margin);
        (s.to_array(swept.entry), s.to_array(swept.minus_exit), swept.never)
    };
}

/// Packs random volumes, each of which encloses its contents, into a node: words, volumes and contents.
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
            (V::unpack(&fields, &Frame::LOCAL), points)
        })
        .unzip();
    (words, volumes, contents)
}

/// A pose at which the volumes' surfaces nearly meet along one of their axes, exactly or with a small gap or overlap.
pub(super) fn touching_pose(random: &mut Random, frames: &[Frame; 2], volumes: [&Volume; 2]) -> Pose {
    let [a, b] = frames;
    let deviation = random.pick([0.0, 0.0, 1e-7, 1e-5]);
    let rotation = random.rotation() * (1.0 + deviation) + Matrix3::from_fn(|_, _| random.unit()) * deviation;
    let matrix = rotation * (b.unit / a.unit);
    let axes = separating_axes(volumes[1], &rotation, volumes[0], &random.vector());
    let axis = axes[random.below(axes.len())];
    let axis = if axis.norm() > 1e-12 { axis.normalize() } else { Vector3::x() };
    let radius = radius_along(volumes[1], &matrix, &axis) + radius_along(volumes[0], &Matrix3::identity(), &axis);
    let off = random.pick([0.0, 0.0, 1e-15, -1e-7, 1e-7, 1e-6, 1e-5, -1e-3, 1e-2]) * (1.0 + b.unit / a.unit);
    let aside = random.vector() * radius * random.pick([0.0, 0.1, 1.0]);
    let apart = axis * (radius + off) + (aside - axis * axis.dot(&aside));
    let target = volumes[0].center() + apart;
    Pose::new(rotation, a.to_mesh(&target) - rotation * b.to_mesh(&volumes[1].center())).unwrap()
}

pub(super) fn random_frames(random: &mut Random) -> [Frame; 2] {
    std::array::from_fn(|_| Frame {
        origin: Point3::from(random.vector() * random.pick([0.0, 1.0, 100.0])),
        unit: random.pick([0.25, 1.0, 1.0, 1.0, 2.0, 64.0]),
    })
}

/// The gap of two volumes along the best axis, negative if they overlap; and that gap times the axis's length.
fn gaps([a, b]: &[Frame; 2], pose: &Pose, [of_a, of_b]: [&Volume; 2]) -> [f64; 2] {
    let matrix = pose.rotation() * (b.unit / a.unit);
    let posed = a.to_local(&Point3::from(pose.rotation() * b.to_mesh(&of_b.center()).coords + pose.translation()));
    let distance = posed - of_a.center();
    let (mut gap, mut scaled_gap) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for axis in separating_axes(of_b, pose.rotation(), of_a, &distance) {
        let radius = radius_along(of_b, &matrix, &axis) + radius_along(of_a, &Matrix3::identity(), &axis);
        let along = axis.dot(&distance).abs() - radius;
        if axis.norm() > 1e-12 {
            gap = gap.max(along / axis.norm());
        }
        // Packed tests don't divide by the axis's length either.
        scaled_gap = scaled_gap.max(along);
    }
    [gap, scaled_gap]
}

/// The greatest gap between two volumes along any axis, negative if they overlap.
pub(super) fn volumes_gap(frames: &[Frame; 2], pose: &Pose, volumes: [&Volume; 2]) -> f64 {
    gaps(frames, pose, volumes)[0]
}

/// Checks that packed volumes that may touch are at most a margin apart, and that others are apart.
fn packed_tests_agree<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 1_000 } else { 60_000 };
    let (mut hits, mut misses, mut close) = (0, 0, 0);
    for _ in 0..nodes {
        let children = random.pick([1, 2, 3, 5, 8, 8, 8]);
        let (eight_words, eight, _) = random_node::<V>(&mut random, children);
        let (one_words, one, _) = random_node::<V>(&mut random, 2);
        let frames = random_frames(&mut random);
        let touched = &eight[random.below(children)];
        let pose = touching_pose(&mut random, &frames, [touched, &one[1]]);

        let [to, _] = RelativeFrame::both(&frames[0], &frames[1], &pose);
        let node = Node::at(&eight_words, V::KIND, NodeRef::inner(0, children));
        let single = Node::at(&one_words, V::KIND, NodeRef::inner(0, 2));
        let test = |level| overlap_mask(level, PhantomData::<V>, &single, &node, &to);
        let masks: Vec<u8> = SimdLevel::available().map(test).collect();

        assert!(masks.iter().all(|mask| mask & !node.lanes() == 0));
        for (lane, volume) in eight.iter().enumerate() {
            let [gap, scaled_gap] = gaps(&frames, &pose, [volume, &one[1]]);
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

/// Whether the two overlap according to [`crate::shape`].
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

/// Moves a point of one volume's contents through a point of another's, and checks that the sweep contains that time.
fn sweeps_hold_all_meetings<V: Kind>(seed: u64) {
    let mut random = Random(seed);
    let nodes = if cfg!(debug_assertions) { 1_000 } else { 60_000 };
    let (mut never, mut sharp) = (0, 0);
    for _ in 0..nodes {
        let children = random.pick([1, 2, 3, 5, 8, 8, 8]);
        let (eight_words, _, eight) = random_node::<V>(&mut random, children);
        let (one_words, _, one) = random_node::<V>(&mut random, 2);
        let frames = random_frames(&mut random);
        let lane = random.below(children);
        let [of_one, of_eight]: [Point3<f64>; 2] =
            [&one[1], &eight[lane]].map(|points| points[random.below(points.len())]);
        let rotation = Isometry3::rotation(random.vector() * 3.0).rotation.to_rotation_matrix().into_inner();

        // The two points meet at the time `when`.
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
        let meeting = Pose::new(rotation, pose.translation() + displacement * (when * a.unit)).unwrap();
        let [meeting, _] = RelativeFrame::both(a, b, &meeting);
        for level in SimdLevel::available() {
            let kind = PhantomData::<V>;
            let overlapping = overlap_mask(level, kind, &single, &node, &meeting);
            let bounds = |to| bounds_sq(level, kind, &single, &node, to)[lane];
            assert!(overlapping >> lane & 1 == 1 && bounds(&meeting) == 0.0, "{:e}", bounds(&meeting));
            let bound = f64::from(bounds(&to)).sqrt();
            let distance = displacement.norm() * when;
            assert!(bound <= distance, "{bound} exceeds {distance}");
            let (entry, minus_exit, apart) = sweep(level, kind, &single, &node, &to, &path, margin);
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
fn packed_volumes_touch_where_volumes_do() {
    packed_tests_agree::<PackedAabb>(1);
    packed_tests_agree::<PackedObb>(2);
    packed_tests_agree::<PackedSphere>(3);
}

#[test]
fn swept_volumes_hold_all_meetings() {
    sweeps_hold_all_meetings::<PackedAabb>(11);
    sweeps_hold_all_meetings::<PackedObb>(12);
    sweeps_hold_all_meetings::<PackedSphere>(13);
    sweeps_hold_all_meetings::<PackedKDop>(14);
}

/// A kind under test.
pub(super) trait Kind: BoundingVolume {
    /// The fit of a random volume, and the points within the unit ball around which it is fitted.
    fn contents(random: &mut Random) -> (Self::Fit, Vec<Point3<f64>>);
}

fn box_points(axes: &Matrix3<f64>, random: &mut Random) -> Vec<Point3<f64>> {
    let (center, half) = (random.vector() * 0.4, random.half_extents());
    let corners = (0..8).map(|i| Vector3::from_fn(|k, _| if i >> k & 1 == 1 { half[k] } else { -half[k] }));
    corners.map(|corner| Point3::from(center + axes * corner)).collect()
}

/// The parallelepiped of a box, `|axes^T x| <= half_extents`: its edge directions and half extents.
fn edges(volume: &Volume) -> (Matrix3<f64>, Vector3<f64>) {
    match volume {
        Volume::Aabb(aabb) => (Matrix3::identity(), aabb.half_extents()),
        Volume::Obb(obb) => (obb.axes.transpose().try_inverse().unwrap(), obb.half_extents),
        Volume::Sphere(_) | Volume::KDop(_) => unreachable!("boxes have edges"),
    }
}

/// Axes along which two volumes of a kind may be apart. `rotation` turns the first; `distance` is the vector between
/// their centres.
fn separating_axes(
    one: &Volume,
    rotation: &Matrix3<f64>,
    eight: &Volume,
    distance: &Vector3<f64>,
) -> Vec<Vector3<f64>> {
    if let Volume::Sphere(_) = one {
        return distance.try_normalize(0.0).into_iter().collect();
    }
    let [one, eight] = [rotation * edges(one).0, edges(eight).0];
    let cross = |a: &Matrix3<f64>, i, b: &Matrix3<f64>, j| a.column(i).cross(&b.column(j));
    let faces = [one, eight].into_iter().flat_map(|e| (0..3).map(move |k| cross(&e, (k + 1) % 3, &e, (k + 2) % 3)));
    let products = (0..9).map(|k| cross(&one, k / 3, &eight, k % 3));
    faces.chain(products).collect()
}

/// The extent of the volume, moved by the matrix, along an axis from its centre; a sphere becomes an ellipsoid.
fn radius_along(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64 {
    if let Volume::Sphere(sphere) = volume {
        return matrix.tr_mul(axis).norm() * sphere.radius;
    }
    let (edges, half_extents) = edges(volume);
    (matrix * edges).tr_mul(axis).abs().dot(&half_extents)
}

impl Kind for PackedAabb {
    fn contents(random: &mut Random) -> (Aabb, Vec<Point3<f64>>) {
        let points = box_points(&Matrix3::identity(), random);
        (Aabb::from_points(&points), points)
    }
}

impl Kind for PackedObb {
    fn contents(random: &mut Random) -> (FittedBox, Vec<Point3<f64>>) {
        let axes = random.rotation();
        let points = box_points(&axes, random);
        let fit = FittedBox::new(&axes, |axes| {
            let mut ranges = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            for point in &points {
                let along = axes.tr_mul(&point.coords);
                for k in 0..3 {
                    ranges[0][k] = ranges[0][k].min(along[k]);
                    ranges[1][k] = ranges[1][k].max(along[k]);
                }
            }
            ranges
        });
        (fit, points)
    }
}

impl Kind for PackedSphere {
    fn contents(random: &mut Random) -> (FittedSphere, Vec<Point3<f64>>) {
        let points = box_points(&Matrix3::identity(), random);
        let farthest_sq =
            |center: &Point3<f64>| points.iter().map(|point| (point - center).norm_squared()).fold(0.0, f64::max);
        (FittedSphere::new([nalgebra::center(&points[0], &points[7])], |[center]| [farthest_sq(center)]), points)
    }
}

impl Kind for PackedKDop {
    fn contents(random: &mut Random) -> (KDop, Vec<Point3<f64>>) {
        let axes = random.rotation();
        let points = box_points(&axes, random);
        (KDop::from_points(&points), points)
    }
}

/// A splitmix64 generator, so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn pick<T: Copy, const N: usize>(&mut self, from: [T; N]) -> T {
        from[self.below(N)]
    }

    /// A number from -1 to 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.unit(), self.unit(), self.unit())
    }

    /// A rotation, often about a coordinate axis, by quarter turns, or by a tiny angle.
    pub(super) fn rotation(&mut self) -> Matrix3<f64> {
        let any = self.vector() * 3.0;
        let turn = match self.bits() % 5 {
            0 => Vector3::zeros(),
            1 => any * 1e-7,
            2 => any * 1e-3,
            3 => Vector3::ith(self.pick([0, 1, 2]), std::f64::consts::FRAC_PI_2),
            _ => any,
        };
        Isometry3::rotation(turn).rotation.to_rotation_matrix().into_inner()
    }

    pub(super) fn half_extents(&mut self) -> Vector3<f64> {
        let size = self.pick([0.5, 0.1, 1e-3]);
        Vector3::from_fn(|_, _| size * self.pick([0.0, 1e-4, 0.1, 1.0]) * self.unit().abs())
    }
}
