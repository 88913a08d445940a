//! The tree of links and joints, and forward kinematics.
//!
//! Links that are fixed to each other share a *frame*: only joints that move start a new frame, so that forward
//! kinematics takes one product of matrices for each moving joint.

use std::collections::HashMap;
use std::path::Path;

use bvtree::Pose;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::curve::mix;
use crate::error::{ConfigurationError, Location, RobotError};
use crate::placement::Placement;
use crate::urdf::{JointKind, Mimic, Urdf, UrdfJoint};

/// The greatest number of joints that a joint mimics one after the other: the work is this for each joint. Factors are
/// multiplied from the joint on, so that a chain's rounding does not depend on the chains of other joints.
const MAX_MIMICKED: usize = 2000;

/// A joint of a [`Robot`](crate::Robot).
#[derive(Clone, Debug)]
pub struct Joint {
    name: String,
    kind: JointKind,
    parent: usize,
    child: usize,
    origin: Pose,
    axis: Vector3<f64>,
    limits: Option<[f64; 2]>,
    mimic: Option<Mimic>,
    /// The index in the configuration of the joint's first value, or of the value of the joint that it mimics (the last
    /// of a chain).
    first_value: usize,
    /// The factor by which the mimicked joint's value is multiplied, and the offset that is added; 1 and 0 for other
    /// joints.
    scale: [f64; 2],
}

impl Joint {
    /// The joint's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the joint moves its child link.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// The index of the parent link.
    pub fn parent(&self) -> usize {
        self.parent
    }

    /// The index of the child link, which the joint moves.
    pub fn child(&self) -> usize {
        self.child
    }

    /// The child link's pose in the parent link's frame while the joint neither turns nor shifts it.
    pub fn origin(&self) -> &Pose {
        &self.origin
    }

    /// The unit axis, in the child link's frame, that the joint turns about or slides along.
    pub fn axis(&self) -> &Vector3<f64> {
        &self.axis
    }

    /// The least and the greatest value of a revolute or prismatic joint, in radians or metres, if the file has them.
    /// Collision checks don't enforce limits.
    pub fn limits(&self) -> Option<[f64; 2]> {
        self.limits
    }

    /// The joint that this one mimics; `None` if it mimics none.
    pub fn mimic(&self) -> Option<&Mimic> {
        self.mimic.as_ref()
    }

    /// Whether the joint turns its child link about an axis.
    pub(crate) fn is_turn(&self) -> bool {
        matches!(self.kind, JointKind::Revolute | JointKind::Continuous)
    }

    /// The index in a configuration of the value that this joint follows, and the factor by which it follows it; `None`
    /// if the joint mimics none.
    pub(crate) fn follows(&self) -> Option<(usize, f64)> {
        self.mimic.as_ref().map(|_| (self.first_value, self.scale[0]))
    }
}

/// A set of links that are fixed to each other, moved by one joint; the first frame is the root's, which does not move.
#[derive(Clone, Debug)]
struct Frame {
    parent: usize,
    /// The joint's placement in the parent frame.
    origin: Placement,
    drive: Drive,
    first_value: usize,
    scale: [f64; 2],
}

/// How a joint's values move its frame; directions are in the parent frame.
#[derive(Clone, Debug)]
enum Drive {
    Still,
    Turn(Turn),
    Slide(Vector3<f64>),
    Planar { turn: Turn, x: Vector3<f64>, y: Vector3<f64> },
    Free,
}

/// A rotation by Rodrigues' formula: `O + sin(angle) O K + (1 - cos(angle)) O K K`, where `O` is the joint's rotation
/// in the parent frame and `K` the cross-product matrix of the axis.
#[derive(Clone, Debug)]
struct Turn {
    /// The unit axis in the moved frame, where it is constant.
    axis: Vector3<f64>,
    sine: Matrix3<f64>,
    versine: Matrix3<f64>,
}

impl Turn {
    fn new(origin: &Matrix3<f64>, axis: Vector3<f64>) -> Self {
        let cross = axis.cross_matrix();
        Self { axis, sine: origin * cross, versine: origin * (cross * cross) }
    }

    #[inline]
    fn by(&self, origin: &Matrix3<f64>, angle: f64) -> Matrix3<f64> {
        let (sin, cos) = angle.sin_cos();
        origin + self.sine * sin + self.versine * (1.0 - cos)
    }
}

/// How fast a frame moves in its parent frame, per unit of an edge's parameter, and how far rounding of joint values
/// moves it besides; see [`value_rounding`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// The angle of rotation, in radians.
    pub turn: f64,
    /// The distance that the frame's origin moves, in metres.
    pub slide: f64,
    /// The angle, in radians, that rounding adds between two configurations, however near.
    pub turn_rounding: f64,
    /// The distance, in metres, that rounding adds.
    pub slide_rounding: f64,
}

/// A bound on the rounding error of the difference between the values of a joint at two configurations of a motion,
/// relative to the largest value that the joint follows, times its factor, plus its offset.
///
/// In units of `u = f64::EPSILON / 2`, the value of a polynomial of degree `n` is off by `3 n` (each of the `n` steps
/// of de Casteljau's algorithm has two products, a sum and a rounded share; an edge is a polynomial of degree 1). The
/// factor and the offset add 2, and a slide's shift 3: its product with the direction, and the sum with the origin,
/// which is no larger than the shift and the sum. Both configurations together are off by twice as much. The parameter
/// between them is rounded by `u`, while the values change by at most `2 n` times the largest for each unit of it.
pub fn value_rounding(degree: usize) -> f64 {
    (4 * degree + 5) as f64 * f64::EPSILON
}

/// Quaternions whose dot product is above this are interpolated linearly, which turns at a constant speed up to 1e-12
/// of it: the angle is below 3e-6, and hardly a digit is left in its cosine.
const NEARLY_EQUAL: f64 = 1.0 - 1e-12;

/// Links, joints and frames of a robot.
#[derive(Clone, Debug)]
pub struct Kinematics {
    links: Vec<String>,
    link_index: HashMap<String, usize>,
    /// The joint above each link; `None` for the root.
    above: Vec<Option<usize>>,
    joints: Vec<Joint>,
    joint_index: HashMap<String, usize>,
    values: Vec<String>,
    frames: Vec<Frame>,
    /// The index of each link's frame, and the link's placement in it.
    link_frames: Vec<(usize, Placement)>,
}

impl Kinematics {
    pub fn new(urdf: &Urdf, path: &Path) -> Result<Self, RobotError> {
        let above = joints_above(urdf)?;
        let (order, root) = from_the_root(urdf, &above, path)?;
        let mut values = Vec::new();
        let mut first_values = Vec::with_capacity(urdf.joints.len());
        for joint in &urdf.joints {
            first_values.push(values.len());
            if joint.mimic.is_none() {
                values.extend(value_names(joint));
            }
        }
        let joint_index = urdf.joints.iter().map(|joint| joint.name.clone()).zip(0..).collect();
        let mimicked = mimicked(urdf, &joint_index);
        let mut joints = Vec::with_capacity(urdf.joints.len());
        for (index, joint) in urdf.joints.iter().enumerate() {
            let (followed, scale) = followed(urdf, &mimicked, index)?;
            joints.push(Joint {
                name: joint.name.clone(),
                kind: joint.kind,
                parent: joint.parent,
                child: joint.child,
                origin: joint.origin,
                axis: joint.axis,
                limits: joint.limits,
                mimic: joint.mimic.clone(),
                first_value: first_values[followed],
                scale,
            });
        }
        let still =
            Frame { parent: 0, origin: Placement::IDENTITY, drive: Drive::Still, first_value: 0, scale: [1.0, 0.0] };
        let mut frames = vec![still];
        let mut link_frames = vec![(0, Placement::IDENTITY); urdf.links.len()];
        link_frames[root] = (0, Placement::IDENTITY);
        for index in order {
            let joint = &urdf.joints[index];
            let (parent, place) = link_frames[joint.parent];
            let origin = place.then(&joint.origin.into());
            if joint.kind == JointKind::Fixed {
                link_frames[joint.child] = (parent, origin);
                continue;
            }
            link_frames[joint.child] = (frames.len(), Placement::IDENTITY);
            let Joint { first_value, scale, .. } = joints[index];
            frames.push(Frame { parent, drive: Drive::new(joint, &origin), origin, first_value, scale });
        }
        let links: Vec<String> = urdf.links.iter().map(|link| link.name.clone()).collect();
        let link_index = links.iter().cloned().zip(0..).collect();
        Ok(Self { links, link_index, above, joints, joint_index, values, frames, link_frames })
    }

    pub fn links(&self) -> &[String] {
        &self.links
    }

    pub fn link(&self, name: &str) -> Option<usize> {
        self.link_index.get(name).copied()
    }

    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joint_index.get(name).copied()
    }

    /// The index of the joint whose child is the link; `None` for the root.
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        self.above[link]
    }

    /// The names of a configuration's values.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The indices of a joint's values in a configuration; empty for fixed joints and those that mimic another.
    pub fn values_of(&self, joint: usize) -> std::ops::Range<usize> {
        let joint = &self.joints[joint];
        let count = if joint.mimic.is_some() { 0 } else { joint.kind.values() };
        joint.first_value..joint.first_value + count
    }

    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The index of a link's frame, and the link's placement in it.
    pub fn frame_of(&self, link: usize) -> (usize, Placement) {
        self.link_frames[link]
    }

    /// The frame that a frame's joint is fixed to; the root's frame is its own parent.
    pub fn parent_frame(&self, frame: usize) -> usize {
        self.frames[frame].parent
    }

    /// Whether a frame's joint depends on any of the given values of a configuration.
    pub fn depends_on(&self, frame: usize, values: &[usize]) -> bool {
        let Frame { drive, first_value, .. } = &self.frames[frame];
        let count = match drive {
            Drive::Still => 0,
            Drive::Turn(_) | Drive::Slide(_) => 1,
            Drive::Planar { .. } => 3,
            Drive::Free => 7,
        };
        (*first_value..first_value + count).any(|value| values.contains(&value))
    }

    pub fn check(&self, configuration: &[f64]) -> Result<(), ConfigurationError> {
        if configuration.len() != self.values.len() {
            return Err(ConfigurationError::Length { expected: self.values.len(), found: configuration.len() });
        }
        // Beyond, neighbouring f64 angles are more than 1e-7 radians apart.
        let is_fine = |value: &f64| value.abs() <= 1e9;
        if let Some(index) = configuration.iter().position(|value| !is_fine(value)) {
            return Err(ConfigurationError::NotFinite { index });
        }
        for frame in &self.frames {
            if let Drive::Free = frame.drive
                && quaternion(configuration, frame.first_value).is_none()
            {
                return Err(ConfigurationError::Quaternion { index: frame.first_value + 3 });
            }
        }
        Ok(())
    }

    /// Writes the frames' placements in the root's frame, for a configuration that [`Kinematics::check`] accepts.
    pub fn place(&self, configuration: &[f64], placed: &mut [Placement]) {
        placed[0] = Placement::IDENTITY;
        for (index, frame) in self.frames.iter().enumerate().skip(1) {
            let local = frame.local(configuration);
            placed[index] = if frame.parent == 0 { local } else { placed[frame.parent].then(&local) };
        }
    }

    /// Writes a configuration between two: values are interpolated linearly, quaternions by slerp along the shorter
    /// arc. At 0 and 1, and where both configurations have the same numbers, these are kept exactly.
    pub fn interpolate(&self, [from, to]: [&[f64]; 2], part: f64, between: &mut [f64]) {
        for ((value, from), to) in between.iter_mut().zip(from).zip(to) {
            *value = mix(*from, *to, part);
        }
        for frame in &self.frames {
            let Drive::Free = frame.drive else { continue };
            let numbers = frame.first_value + 3..frame.first_value + 7;
            if part == 0.0 || part == 1.0 || from[numbers.clone()] == to[numbers.clone()] {
                continue;
            }
            if let Some([from, to]) = quaternions([from, to], frame.first_value) {
                let is_slerp = from.coords.dot(&to.coords) <= NEARLY_EQUAL;
                let turned = if is_slerp { from.try_slerp(&to, part, 0.0) } else { None };
                let turned = turned.unwrap_or_else(|| from.nlerp(&to, part));
                between[numbers].copy_from_slice(turned.coords.as_slice());
            }
        }
    }

    /// Writes how fast each frame moves in its parent on the edge between two configurations, as a [`Rate`] for the
    /// whole edge.
    pub fn rates(&self, [from, to]: [&[f64]; 2], rates: &mut [Rate]) {
        for (frame, rate) in self.frames.iter().zip(rates) {
            let first = frame.first_value;
            let turn = || quaternions([from, to], first).map_or(0.0, |[from, to]| from.angle_to(&to));
            let size = |k: usize| from[first + k].abs().max(to[first + k].abs());
            *rate = frame.rate(|k| (to[first + k] - from[first + k]).abs(), turn, size, 1);
        }
    }

    /// Writes how fast each frame moves in its parent at most, for values that change at most as fast as `speeds`, on
    /// curves of a degree whose magnitude is at most that of `sizes`, and quaternions that stay the same.
    pub fn rates_of_speeds(&self, [speeds, sizes]: [&[f64]; 2], degree: usize, rates: &mut [Rate]) {
        for (frame, rate) in self.frames.iter().zip(rates) {
            *rate = frame.rate(|k| speeds[frame.first_value + k], || 0.0, |k| sizes[frame.first_value + k], degree);
        }
    }

    /// The index in a configuration of the first quaternion that is not the same in all configurations.
    pub fn turned_quaternion(&self, configurations: &[Vec<f64>]) -> Option<usize> {
        let free = self.frames.iter().filter(|frame| matches!(frame.drive, Drive::Free));
        let is_turned = |first: &usize| {
            configurations.windows(2).any(|pair| pair[0][*first..first + 4] != pair[1][*first..first + 4])
        };
        free.map(|frame| frame.first_value + 3).find(is_turned)
    }

    /// Writes how far each frame moves in its parent at most while values, whose magnitude is at most that of `sizes`,
    /// change by at most `changes`; infinitely far for frames of planar and floating joints.
    pub fn rates_of_changes(&self, [changes, sizes]: [&[f64]; 2], rates: &mut [Rate]) {
        for (frame, rate) in self.frames.iter().zip(rates) {
            let first = frame.first_value;
            *rate = match &frame.drive {
                Drive::Planar { .. } | Drive::Free => Rate { slide: f64::INFINITY, ..Rate::default() },
                _ => frame.rate(|k| changes[first + k], || 0.0, |k| sizes[first + k], 1),
            };
        }
    }

    /// The axis that a frame turns about, in its own frame; `None` if the frame does not turn, or may turn about any
    /// axis through its origin.
    pub fn axis(&self, frame: usize) -> Option<&Vector3<f64>> {
        match &self.frames[frame].drive {
            Drive::Turn(turn) | Drive::Planar { turn, .. } => Some(&turn.axis),
            _ => None,
        }
    }
}

impl Drive {
    fn new(joint: &UrdfJoint, origin: &Placement) -> Self {
        let turn = || Turn::new(&origin.rotation, joint.axis);
        match joint.kind {
            JointKind::Fixed => Self::Still,
            JointKind::Revolute | JointKind::Continuous => Self::Turn(turn()),
            JointKind::Prismatic => Self::Slide(origin.rotation * joint.axis),
            JointKind::Planar => {
                let upright = UnitQuaternion::rotation_between(&Vector3::z(), &joint.axis);
                let upright = upright
                    .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
                let [x, y] = [Vector3::x(), Vector3::y()].map(|side| origin.rotation * (upright * side));
                Self::Planar { turn: turn(), x, y }
            }
            JointKind::Floating => Self::Free,
        }
    }
}

impl Frame {
    /// How fast the frame moves if its `k`-th value changes at `speed(k)`, as a polynomial of the given degree whose
    /// magnitude is at most `size(k)`, and a floating joint's quaternion turns at `turn()`.
    fn rate(
        &self,
        speed: impl Fn(usize) -> f64,
        turn: impl FnOnce() -> f64,
        size: impl Fn(usize) -> f64,
        degree: usize,
    ) -> Rate {
        let [scale, offset] = self.scale.map(f64::abs);
        let slowed = |k: usize| scale * speed(k);
        let rounded = |k: usize| {
            // A value that stays the same is always rounded alike.
            if speed(k) == 0.0 { 0.0 } else { value_rounding(degree) * (scale * size(k) + offset) }
        };
        let still = Rate::default();
        match &self.drive {
            Drive::Still => still,
            Drive::Turn(_) => Rate { turn: slowed(0), turn_rounding: rounded(0), ..still },
            Drive::Slide(_) => Rate { slide: slowed(0), slide_rounding: rounded(0), ..still },
            Drive::Planar { .. } => Rate {
                turn: speed(2),
                slide: speed(0).hypot(speed(1)),
                turn_rounding: rounded(2),
                slide_rounding: rounded(0).hypot(rounded(1)),
            },
            Drive::Free => {
                let length = |of: &dyn Fn(usize) -> f64| Vector3::from_fn(|k, _| of(k)).norm();
                Rate { turn: turn(), slide: length(&speed), turn_rounding: 0.0, slide_rounding: length(&rounded) }
            }
        }
    }

    #[inline]
    fn local(&self, configuration: &[f64]) -> Placement {
        let Placement { rotation, translation } = &self.origin;
        let first = self.first_value;
        let value = || configuration[first] * self.scale[0] + self.scale[1];
        match &self.drive {
            Drive::Still => self.origin,
            Drive::Turn(turn) => Placement { rotation: turn.by(rotation, value()), translation: *translation },
            Drive::Slide(direction) => {
                Placement { rotation: *rotation, translation: translation + direction * value() }
            }
            Drive::Planar { turn, x, y } => Placement {
                rotation: turn.by(rotation, configuration[first + 2]),
                translation: translation + x * configuration[first] + y * configuration[first + 1],
            },
            Drive::Free => {
                let turned = quaternion(configuration, first).unwrap_or_default();
                let along = Vector3::from_column_slice(&configuration[first..first + 3]);
                let turned = turned.to_rotation_matrix().into_inner();
                Placement { rotation: rotation * turned, translation: translation + rotation * along }
            }
        }
    }
}

/// The quaternion of a floating joint, whose first value has the index `first`; `None` if it is zero.
fn quaternion(configuration: &[f64], first: usize) -> Option<UnitQuaternion<f64>> {
    let [x, y, z, w] = [3, 4, 5, 6].map(|k| configuration[first + k]);
    UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-100)
}

/// The quaternions of two configurations, the second negated if that makes the arc between them shorter; `None` if one
/// is zero.
fn quaternions(ends: [&[f64]; 2], first: usize) -> Option<[UnitQuaternion<f64>; 2]> {
    let [from, to] = ends.map(|end| quaternion(end, first));
    let (from, to) = (from?, to?);
    let is_opposite = from.coords.dot(&to.coords) < 0.0;
    Some([from, if is_opposite { UnitQuaternion::new_unchecked(-to.into_inner()) } else { to }])
}

/// The names of a joint's values, as in MoveIt; empty for a fixed joint.
fn value_names(joint: &UrdfJoint) -> Vec<String> {
    let parts: &[&str] = match joint.kind {
        JointKind::Fixed => return Vec::new(),
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => return vec![joint.name.clone()],
        JointKind::Planar => &["x", "y", "theta"],
        JointKind::Floating => &["trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "rot_w"],
    };
    parts.iter().map(|part| format!("{}/{part}", joint.name)).collect()
}

/// The joint above each link.
fn joints_above(urdf: &Urdf) -> Result<Vec<Option<usize>>, RobotError> {
    let mut above = vec![None; urdf.links.len()];
    for (index, joint) in urdf.joints.iter().enumerate() {
        if above[joint.child].replace(index).is_some() {
            let link = urdf.links[joint.child].name.clone();
            return Err(RobotError::NotATree {
                at: joint.at.clone(),
                link,
                problem: "is the child of two joints".into(),
            });
        }
    }
    Ok(above)
}

/// All joints, each after the joint above it, and the root link.
fn from_the_root(urdf: &Urdf, above: &[Option<usize>], path: &Path) -> Result<(Vec<usize>, usize), RobotError> {
    let not_a_tree = |link: usize, problem: String| RobotError::NotATree {
        at: urdf.links[link].at.clone(),
        link: urdf.links[link].name.clone(),
        problem,
    };
    let mut roots = (0..urdf.links.len()).filter(|&link| above[link].is_none());
    let Some(root) = roots.next() else {
        let at = Location { path: path.to_owned(), line: 0 };
        let link = urdf.links[0].name.clone();
        return Err(RobotError::NotATree { at, link, problem: "is below itself".into() });
    };
    if let Some(other) = roots.next() {
        return Err(not_a_tree(other, format!("has no joint above it, as has `{}`", urdf.links[root].name)));
    }
    let mut below = vec![Vec::new(); urdf.links.len()];
    for (index, joint) in urdf.joints.iter().enumerate() {
        below[joint.parent].push(index);
    }
    let mut order: Vec<usize> = Vec::with_capacity(urdf.joints.len());
    let mut open: Vec<usize> = below[root].iter().rev().copied().collect();
    let mut reached = vec![false; urdf.links.len()];
    reached[root] = true;
    while let Some(joint) = open.pop() {
        order.push(joint);
        reached[urdf.joints[joint].child] = true;
        open.extend(below[urdf.joints[joint].child].iter().rev());
    }
    match reached.iter().position(|reached| !reached) {
        Some(link) => Err(not_a_tree(link, "is below itself".into())),
        None => Ok((order, root)),
    }
}

/// The joint that each joint mimics; `None` if it mimics none, or one that does not exist.
fn mimicked(urdf: &Urdf, joint_index: &HashMap<String, usize>) -> Vec<Option<usize>> {
    let mimicked = |joint: &UrdfJoint| joint_index.get(&joint.mimic.as_ref()?.joint).copied();
    urdf.joints.iter().map(mimicked).collect()
}

/// The joint at the end of the chain of joints that a joint mimics, and the factor and the offset by which the joint's
/// value follows from that joint's; the joint itself, 1 and 0 if it mimics none.
fn followed(urdf: &Urdf, mimicked: &[Option<usize>], joint: usize) -> Result<(usize, [f64; 2]), RobotError> {
    let (mut at, mut scale) = (joint, [1.0, 0.0]);
    let mut steps = 0;
    while let Some(mimic) = &urdf.joints[at].mimic {
        let UrdfJoint { name, at: place, .. } = &urdf.joints[joint];
        let within = || format!("joint `{name}`, <mimic>");
        let Some(next) = mimicked[at] else {
            let name = mimic.joint.clone();
            return Err(RobotError::Unknown { at: place.clone(), within: within(), kind: "joint", name });
        };
        scale = [scale[0] * mimic.multiplier, scale[0] * mimic.offset + scale[1]];
        steps += 1;
        let problem = if urdf.joints[next].kind.values() != 1 {
            Some(format!("expected joint `{}` to have one value", mimic.joint))
        } else if steps > urdf.joints.len() {
            Some("the joint follows itself".to_owned())
        } else if steps > MAX_MIMICKED {
            Some(format!("expected a chain of at most {MAX_MIMICKED} joints that mimic each other"))
        } else if !scale.iter().all(|x| x.abs() < 1e9) {
            Some("expected factors and offsets below 1e9".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(RobotError::Format { at: place.clone(), within: within(), problem });
        }
        at = next;
    }
    Ok((at, scale))
}

impl From<&Placement> for [[f64; 4]; 4] {
    fn from(placed: &Placement) -> Self {
        let (r, t) = (&placed.rotation, &placed.translation);
        let row = |i: usize| [r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]];
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
    }
}

impl Placement {
    /// The placement as a pose; errors name its link or object, `within`.
    pub fn pose_of(&self, within: &str) -> Result<Pose, RobotError> {
        self.pose().map_err(|source| RobotError::Pose { within: within.to_owned(), source })
    }
}
