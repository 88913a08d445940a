//! A robot: its links' geometry, its joints, and the pairs of bodies that are compared.

use std::path::Path;
use std::sync::Arc;

use bvtree::Pose;
use bvtree::shape::ConvexShape;

use crate::body::{Body, Part, Shape};
use crate::error::{ConfigurationError, RobotError};
use crate::geometry::{Loader, RobotOptions, convex};
use crate::kinematics::{Joint, Kinematics};
use crate::placement::Placement;
use crate::srdf::Srdf;
use crate::urdf::{JointKind, Urdf};

/// A robot, read from a URDF: its joints, and its links' collision geometry as exact meshes and shapes.
///
/// Lengths are in metres, angles in radians, and poses are in the frame of the root link. A *configuration* has one
/// number for each name in [`Robot::values`]. A [`Checker`](crate::Checker) answers queries about one configuration at
/// a time, [`Robot::free`] and similar methods about many. Clones share geometry and joints.
#[derive(Clone, Debug)]
pub struct Robot {
    name: Arc<str>,
    pub(crate) kinematics: Arc<Kinematics>,
    pub(crate) srdf: Arc<Srdf>,
    pub(crate) bodies: Vec<RobotBody>,
    /// Pairs of bodies that are compared, by index in the field `bodies`, the lower first.
    pub(crate) pairs: Vec<Pair>,
    /// The values that configurations have, and those of all other joints; `None` if configurations have all values.
    pub(crate) group: Option<Group>,
}

/// A link with geometry, or an object attached to one.
#[derive(Clone, Debug)]
pub(crate) struct RobotBody {
    pub body: Arc<Body>,
    /// The body's index in the list that the method `Robot::bodies` returns: the link's index, or for an attached
    /// object one after those of all links.
    pub number: usize,
    pub link: usize,
    pub frame: usize,
    /// The link's placement in its frame; `None` if it is the identity.
    pub offset: Option<Placement>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub bodies: [u32; 2],
    /// The distance that queries add to their margin for this pair.
    pub margin: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The indices of the group's values in a configuration of all joints, in ascending order.
    pub values: Vec<usize>,
    names: Vec<String>,
    pub rest: Vec<f64>,
}

fn read(path: &Path) -> Result<String, RobotError> {
    let bytes = std::fs::read(path).map_err(|source| RobotError::Read { path: path.to_owned(), source })?;
    // Text that isn't UTF-8 occurs in comments and names of authors.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

impl Robot {
    /// Reads a URDF file, and the SRDF file that says which pairs are not compared and which joints form groups.
    ///
    /// # Errors
    /// If a file can't be read or is wrong, a mesh is missing, or is open and refused, or the cache can't be written.
    /// The error names the file or the link, and the line where there is one.
    pub fn open(urdf: impl AsRef<Path>, srdf: Option<&Path>, options: &RobotOptions) -> Result<Self, RobotError> {
        let path = urdf.as_ref();
        let srdf = srdf.map(|path| Ok::<_, RobotError>((read(path)?, path))).transpose()?;
        Self::build(&read(path)?, path, srdf.as_ref().map(|(text, path)| (text.as_str(), *path)), options)
    }

    /// Reads the text of a URDF, as `xacro` prints it, and of an SRDF. Relative names of meshes start from `folder`.
    ///
    /// # Errors
    /// As [`Robot::open`]; an error in the URDF names `folder` as its file, and one in the SRDF names none.
    pub fn parse(urdf: &str, srdf: Option<&str>, folder: &Path, options: &RobotOptions) -> Result<Self, RobotError> {
        // The file's name is only used in messages, and its folder.
        Self::build(urdf, &folder.join(""), srdf.map(|text| (text, Path::new(""))), options)
    }

    fn build(text: &str, path: &Path, srdf: Option<(&str, &Path)>, options: &RobotOptions) -> Result<Self, RobotError> {
        let urdf = Urdf::read(text, path)?;
        let kinematics = Kinematics::new(&urdf, path)?;
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        let mut loader = Loader { options, folder, meshes: Default::default() };
        let mut bodies = Vec::new();
        for (index, link) in urdf.links.iter().enumerate() {
            let parts = link.collisions.iter().map(|collision| loader.part(&link.name, collision));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            if !parts.is_empty() {
                bodies.push(RobotBody::new(Body::new(link.name.clone(), parts), index, index, &kinematics));
            }
        }
        let srdf = srdf.map(|(text, path)| Srdf::read(text, path, &kinematics)).transpose()?.unwrap_or_default();
        let mut robot = Self {
            name: urdf.name.into(),
            kinematics: Arc::new(kinematics),
            srdf: Arc::new(srdf),
            bodies,
            pairs: Vec::new(),
            group: None,
        };
        robot.pairs = robot.all_pairs();
        Ok(robot)
    }

    /// The robot's name in the URDF.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The links' names, in the URDF's order.
    pub fn links(&self) -> &[String] {
        self.kinematics.links()
    }

    /// All joints, in the URDF's order.
    pub fn joints(&self) -> &[Joint] {
        self.kinematics.joints()
    }

    /// The names of a configuration's numbers, in the URDF's order: a joint's name, or for planar and floating joints
    /// the joint's name, a slash and the value's (`base/x`). Fixed joints and those that mimic another have none.
    pub fn values(&self) -> &[String] {
        self.group.as_ref().map_or(self.kinematics.values(), |group| &group.names)
    }

    /// The limits of each value of a configuration; infinite where the URDF has none.
    pub fn limits(&self) -> Vec<[f64; 2]> {
        let mut limits = vec![[f64::NEG_INFINITY, f64::INFINITY]; self.kinematics.values().len()];
        for (index, joint) in self.joints().iter().enumerate() {
            for value in self.kinematics.values_of(index) {
                limits[value] = joint.limits().unwrap_or(limits[value]);
            }
        }
        match &self.group {
            Some(group) => group.values.iter().map(|&value| limits[value]).collect(),
            None => limits,
        }
    }

    /// Whether each value of a configuration is that of a revolute or continuous joint without limits, and all joints
    /// that mimic it are back after its whole turn.
    pub(crate) fn turns(&self) -> Vec<bool> {
        let mut turns = vec![false; self.kinematics.values().len()];
        for (index, joint) in self.joints().iter().enumerate() {
            if joint.is_turn() && joint.limits().is_none() {
                turns[self.kinematics.values_of(index)].fill(true);
            }
        }
        for joint in self.joints() {
            if let Some((value, factor)) = joint.follows() {
                turns[value] &= if joint.is_turn() { factor.fract() == 0.0 } else { factor == 0.0 };
            }
        }
        match &self.group {
            Some(group) => group.values.iter().map(|&value| turns[value]).collect(),
            None => turns,
        }
    }

    /// The contents of the SRDF file; empty if none was read.
    pub fn srdf(&self) -> &Srdf {
        &self.srdf
    }

    /// The names of all bodies: the links in the URDF's order, then attached objects. Queries return bodies as indices
    /// in this list.
    pub fn bodies(&self) -> impl Iterator<Item = &str> {
        let attached = self.bodies.iter().filter(|body| body.number >= self.links().len());
        self.links().iter().chain(attached.map(|body| &body.body.name)).map(String::as_str)
    }

    /// The pairs of the robot's bodies that are compared, as indices in [`Robot::bodies`].
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [usize; 2]> + '_ {
        self.pairs.iter().map(|pair| pair.bodies.map(|body| self.bodies[body as usize].number))
    }

    /// The links' poses in the root's frame.
    ///
    /// # Errors
    /// If the configuration is invalid, or rounding has taken a matrix too far from a rotation, which takes thousands
    /// of joints.
    pub fn place(&self, configuration: &[f64]) -> Result<Vec<Pose>, RobotError> {
        let whole = self.whole(configuration)?;
        let mut frames = vec![Placement::IDENTITY; self.kinematics.frame_count()];
        self.kinematics.place(&whole, &mut frames);
        let placed = |link: usize| {
            let (frame, offset) = self.kinematics.frame_of(link);
            frames[frame].then(&offset).pose_of(&self.links()[link])
        };
        (0..self.links().len()).map(placed).collect()
    }

    /// A configuration of zeros, except that the quaternion of a floating joint is that of the identity.
    pub fn neutral(&self) -> Vec<f64> {
        let mut whole = vec![0.0; self.kinematics.values().len()];
        for (index, _) in self.joints().iter().enumerate().filter(|(_, joint)| joint.kind() == JointKind::Floating) {
            // A quaternion's w is the last value.
            whole[self.kinematics.values_of(index).end - 1] = 1.0;
        }
        self.of_whole(&whole)
    }

    /// Picks the values that this robot's configurations have from a configuration of all joints.
    pub(crate) fn of_whole(&self, whole: &[f64]) -> Vec<f64> {
        match &self.group {
            Some(group) => group.values.iter().map(|&value| whole[value]).collect(),
            None => whole.to_vec(),
        }
    }

    /// Values of all joints, to be filled from a configuration, which has all of them or only those of the group.
    pub(crate) fn rest(&self) -> Vec<f64> {
        match &self.group {
            Some(group) => group.rest.clone(),
            None => vec![0.0; self.kinematics.values().len()],
        }
    }

    /// The values of all joints: those outside the group keep their values at rest.
    pub(crate) fn whole(&self, configuration: &[f64]) -> Result<Vec<f64>, ConfigurationError> {
        let mut whole = self.rest();
        self.fill(configuration, &mut whole)?;
        Ok(whole)
    }

    /// Writes a configuration's values into a configuration of all joints, which keeps its values of joints outside the
    /// group.
    pub(crate) fn fill(&self, configuration: &[f64], whole: &mut [f64]) -> Result<(), ConfigurationError> {
        let expected = self.values().len();
        if configuration.len() != expected {
            return Err(ConfigurationError::Length { expected, found: configuration.len() });
        }
        match &self.group {
            Some(group) => group.values.iter().zip(configuration).for_each(|(&index, value)| whole[index] = *value),
            None => whole.copy_from_slice(configuration),
        }
        self.kinematics.check(whole)
    }

    /// The configuration of a named state of the SRDF; values that it doesn't name are those of `rest`.
    ///
    /// # Errors
    /// If there is no such state, or `rest` is not a valid configuration.
    pub fn state(&self, group: &str, state: &str, rest: &[f64]) -> Result<Vec<f64>, RobotError> {
        let known = self.srdf.states.iter().find(|known| known.group == group && known.name == state);
        let known = known.ok_or_else(|| unknown("state", &format!("{group}/{state}")))?;
        let mut whole = self.whole(rest)?;
        for (name, numbers) in &known.values {
            let Some(joint) = self.joints().iter().position(|joint| joint.name() == name) else { continue };
            for (value, number) in self.kinematics.values_of(joint).zip(numbers) {
                whole[value] = *number;
            }
        }
        Ok(self.of_whole(&whole))
    }

    /// The robot whose configurations have only the values of a group of joints, in the URDF's order, while other
    /// joints keep their values in `rest`. Bodies that the group does not move relative to each other are not compared,
    /// and those that it does not move in the world are not compared with the world's objects.
    ///
    /// # Errors
    /// If the SRDF has no such group, or `rest` is not a valid configuration.
    pub fn with_group(&self, name: &str, rest: &[f64]) -> Result<Self, RobotError> {
        let joints = self.srdf.groups.get(name).ok_or_else(|| unknown("group", name))?;
        self.with_joints(joints, rest)
    }

    /// [`Robot::with_group`] with joints given by name.
    ///
    /// # Errors
    /// If there is no such joint, or `rest` is not a valid configuration.
    pub fn with_joints(&self, joints: &[impl AsRef<str>], rest: &[f64]) -> Result<Self, RobotError> {
        let rest = self.whole(rest)?;
        let mut values = Vec::new();
        for name in joints {
            let joint = self.joints().iter().position(|joint| joint.name() == name.as_ref());
            values.extend(self.kinematics.values_of(joint.ok_or_else(|| unknown("joint", name.as_ref()))?));
        }
        values.sort_unstable();
        values.dedup();
        let names = values.iter().map(|&value| self.kinematics.values()[value].clone()).collect();
        let mut robot = self.clone();
        // Pairs that were left out before stay out.
        robot.pairs.retain(|pair| {
            let [a, b] = pair.bodies.map(|body| robot.bodies[body as usize].frame);
            self.moves_between(&values, a, b)
        });
        robot.group = Some(Group { values, names, rest });
        Ok(robot)
    }

    /// Whether some values move one frame relative to another.
    fn moves_between(&self, values: &[usize], mut a: usize, mut b: usize) -> bool {
        // Frames come after those they are fixed to.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            if self.kinematics.depends_on(*later, values) {
                return true;
            }
            *later = self.kinematics.parent_frame(*later);
        }
        false
    }

    /// Whether configurations move a body in the world; without a group, all bodies count as moved.
    pub(crate) fn moves(&self, body: usize) -> bool {
        self.group.as_ref().is_none_or(|group| self.moves_between(&group.values, self.bodies[body].frame, 0))
    }

    /// Leaves a pair of bodies out of all queries.
    ///
    /// # Errors
    /// If a name is unknown, or is that of a link without collision geometry.
    pub fn allow(&mut self, a: &str, b: &str) -> Result<(), RobotError> {
        let pair = [self.body(a)?, self.body(b)?];
        self.pairs.retain(|known| known.bodies != pair && known.bodies != [pair[1], pair[0]]);
        Ok(())
    }

    /// Sets the distance that queries add to their margin for a pair of bodies; 0 by default. This has no effect on a
    /// pair that is not compared.
    ///
    /// # Errors
    /// If a name is unknown, or is that of a link without collision geometry, or the margin is NaN.
    pub fn set_margin(&mut self, a: &str, b: &str, margin: f64) -> Result<(), RobotError> {
        if margin.is_nan() {
            return Err(RobotError::Margin { within: format!("`{a}` and `{b}`") });
        }
        let pair = [self.body(a)?, self.body(b)?];
        let is_meant = |known: &&mut Pair| known.bodies == pair || known.bodies == [pair[1], pair[0]];
        self.pairs.iter_mut().filter(is_meant).for_each(|known| known.margin = margin);
        Ok(())
    }

    /// Whether configurations have only the values of a group.
    pub(crate) fn has_group(&self) -> bool {
        self.group.is_some()
    }

    pub(crate) fn body(&self, name: &str) -> Result<u32, RobotError> {
        let index = self.bodies.iter().position(|known| known.body.name == name);
        Ok(index.ok_or_else(|| unknown("body with collision geometry", name))? as u32)
    }

    /// Attaches a convex shape, such as what a gripper holds, to a link, at a pose in the link's frame. It moves with
    /// the link, and is compared with all bodies but the link, those fixed to it, those in `touched`, and links that
    /// the SRDF [disables by default](Srdf::disabled_by_default); if the robot has a group, only with bodies that the
    /// group moves relative to the link.
    ///
    /// # Errors
    /// If a body already has this name, there is no such link, a name in `touched` is unknown or that of a link without
    /// collision geometry, or a coordinate is beyond f32.
    pub fn attach(
        &mut self,
        name: &str,
        link: &str,
        shape: &ConvexShape,
        pose: &Pose,
        touched: &[impl AsRef<str>],
    ) -> Result<(), RobotError> {
        self.attach_part(name, link, Part::new(convex(name, shape.transformed(pose))?, Pose::identity(), 0.0), touched)
    }

    /// [`Robot::attach`] with a tree, which counts as solid: for an open mesh, winding numbers decide what is inside.
    ///
    /// # Errors
    /// As [`Robot::attach`], except that no coordinate can be beyond f32.
    pub fn attach_tree(
        &mut self,
        name: &str,
        link: &str,
        tree: Arc<bvtree::BvTree>,
        pose: &Pose,
        touched: &[impl AsRef<str>],
    ) -> Result<(), RobotError> {
        let solid = bvtree::query::Solid::Robust;
        self.attach_part(name, link, Part::new(Shape::Tree { tree, solid }, *pose, 0.0), touched)
    }

    fn attach_part(
        &mut self,
        name: &str,
        link: &str,
        part: Part,
        touched: &[impl AsRef<str>],
    ) -> Result<(), RobotError> {
        if self.bodies().any(|known| known == name) {
            return Err(RobotError::Duplicate { at: Default::default(), kind: "body", name: name.to_owned() });
        }
        let link = self.kinematics.link(link).ok_or_else(|| unknown("link", link))?;
        let touched = touched.iter().map(|name| self.body(name.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let defaults = self.srdf.defaults();
        let number = self.bodies().count();
        let body = RobotBody::new(Body::new(name.to_owned(), vec![part]), number, link, &self.kinematics);
        let index = self.bodies.len() as u32;
        for (other, known) in self.bodies.iter().enumerate() {
            let is_moved = |group: &Group| self.moves_between(&group.values, known.frame, body.frame);
            let is_compared = known.frame != body.frame
                && !defaults.disable_first([known.name(), name])
                && !touched.contains(&(other as u32))
                && self.group.as_ref().is_none_or(is_moved);
            if is_compared {
                self.pairs.push(Pair { bodies: [other as u32, index], margin: 0.0 });
            }
        }
        self.bodies.push(body);
        Ok(())
    }

    /// Removes an attached object.
    ///
    /// # Errors
    /// If there is no attached object of this name.
    pub fn detach(&mut self, name: &str) -> Result<(), RobotError> {
        let index = self.body(name)?;
        if self.kinematics.link(name).is_some() {
            return Err(unknown("attached object", name));
        }
        let removed = self.bodies.remove(index as usize);
        self.bodies.iter_mut().filter(|body| body.number > removed.number).for_each(|body| body.number -= 1);
        self.pairs.retain(|pair| !pair.bodies.contains(&index));
        let bodies = self.pairs.iter_mut().flat_map(|pair| &mut pair.bodies);
        bodies.filter(|body| **body > index).for_each(|body| *body -= 1);
        Ok(())
    }
}

impl RobotBody {
    fn new(body: Body, number: usize, link: usize, kinematics: &Kinematics) -> Self {
        let (frame, offset) = kinematics.frame_of(link);
        let is_frame =
            offset.rotation == Placement::IDENTITY.rotation && offset.translation == Placement::IDENTITY.translation;
        Self { body: Arc::new(body), number, link, frame, offset: (!is_frame).then_some(offset) }
    }

    pub fn name(&self) -> &str {
        &self.body.name
    }
}

pub(crate) fn unknown(kind: &'static str, name: &str) -> RobotError {
    RobotError::Unknown { at: Default::default(), within: "robot".to_owned(), kind, name: name.to_owned() }
}
