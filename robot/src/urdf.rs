//! URDF: links with collision geometry and joints, as they are in the file; [`crate::kinematics`] makes a tree of them.
//!
//! Only what collision checks need is read: visuals, inertias, transmissions and simulators' elements are ignored.

use std::collections::HashMap;
use std::path::Path;

use bvtree::Pose;
use bvtree::pose::unit_vector;
use nalgebra::Vector3;

use crate::error::{Location, RobotError};
use crate::xml::{Element, parse};

pub struct Urdf {
    pub name: String,
    pub links: Vec<UrdfLink>,
    pub joints: Vec<UrdfJoint>,
}

pub struct UrdfLink {
    pub name: String,
    pub at: Location,
    pub collisions: Vec<Collision>,
}

pub struct Collision {
    pub at: Location,
    pub origin: Pose,
    pub geometry: Geometry,
}

pub enum Geometry {
    Box { size: Vector3<f64> },
    Cylinder { radius: f64, length: f64 },
    Capsule { radius: f64, length: f64 },
    Sphere { radius: f64 },
    Mesh { uri: String, scale: Vector3<f64> },
}

pub struct UrdfJoint {
    pub name: String,
    pub at: Location,
    pub kind: JointKind,
    pub parent: usize,
    pub child: usize,
    pub origin: Pose,
    /// A unit vector.
    pub axis: Vector3<f64>,
    pub limits: Option<[f64; 2]>,
    pub mimic: Option<Mimic>,
}

/// How a joint moves its child link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointKind {
    /// Does not move.
    Fixed,
    /// Turns about its axis, between limits if the URDF has them.
    Revolute,
    /// Turns about its axis without limits.
    Continuous,
    /// Slides along its axis.
    Prismatic,
    /// Slides in the plane normal to its axis and turns about that axis: three values, x, y and the angle. The plane's
    /// x and y axes are those of the joint's frame if the axis is z; otherwise they are those axes, turned by the least
    /// rotation from z to the axis.
    Planar,
    /// Moves freely: seven values, the translation and a quaternion x, y, z, w of any length.
    Floating,
}

impl JointKind {
    /// The number of values of a configuration for a joint that doesn't mimic another.
    pub fn values(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Continuous | Self::Prismatic => 1,
            Self::Planar => 3,
            Self::Floating => 7,
        }
    }
}

/// How a joint mimics another: its value is `multiplier * value + offset`, where `value` is that of the mimicked joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The name of the joint that is mimicked.
    pub joint: String,
    /// The factor of the mimicked joint's value.
    pub multiplier: f64,
    /// The joint's value when the mimicked joint's value is zero.
    pub offset: f64,
}

impl Urdf {
    pub fn read(text: &str, path: &Path) -> Result<Self, RobotError> {
        let document = parse(text, path)?;
        let root = Element::root(&document, path, "robot")?;
        let mut links = Vec::new();
        let mut index = HashMap::new();
        for element in root.all("link") {
            let link = link(&element)?;
            if index.insert(link.name.clone(), links.len()).is_some() {
                return Err(RobotError::Duplicate { at: link.at, kind: "link", name: link.name });
            }
            links.push(link);
        }
        let mut joints: Vec<UrdfJoint> = Vec::new();
        let mut names = HashMap::new();
        // Transmissions and simulators have elements called joint too, but not as children of the root.
        for element in root.all("joint") {
            let joint = joint(&element, &index)?;
            if names.insert(joint.name.clone(), joints.len()).is_some() {
                return Err(RobotError::Duplicate { at: joint.at, kind: "joint", name: joint.name });
            }
            joints.push(joint);
        }
        if links.is_empty() {
            return Err(root.error("expected at least one <link>"));
        }
        Ok(Self { name: root.attribute("name").unwrap_or("").to_owned(), links, joints })
    }
}

fn link(element: &Element<'_, '_>) -> Result<UrdfLink, RobotError> {
    let collisions = element.all("collision").map(|element| collision(&element)).collect::<Result<_, _>>()?;
    Ok(UrdfLink { name: element.required("name")?.to_owned(), at: element.at(), collisions })
}

fn collision(element: &Element<'_, '_>) -> Result<Collision, RobotError> {
    let geometry = element.child("geometry")?;
    let shape = geometry.children().next().ok_or_else(|| geometry.error("expected a shape in it"))?;
    let geometry = match shape.name() {
        "box" => {
            shape.required("size")?;
            Geometry::Box { size: shape.numbers::<3>("size")?.unwrap_or_default().into() }
        }
        "cylinder" => {
            Geometry::Cylinder { radius: shape.required_number("radius")?, length: shape.required_number("length")? }
        }
        "capsule" => {
            Geometry::Capsule { radius: shape.required_number("radius")?, length: shape.required_number("length")? }
        }
        "sphere" => Geometry::Sphere { radius: shape.required_number("radius")? },
        "mesh" => Geometry::Mesh {
            uri: shape.required("filename")?.to_owned(),
            scale: shape.numbers::<3>("scale")?.unwrap_or([1.0; 3]).into(),
        },
        other => {
            let kinds = "box, cylinder, capsule, sphere or mesh";
            return Err(shape.error(format!("expected {kinds}, found <{other}>")));
        }
    };
    Ok(Collision { at: element.at(), origin: origin(element)?, geometry })
}

/// The pose of an `<origin>` in an element; the identity without one.
fn origin(element: &Element<'_, '_>) -> Result<Pose, RobotError> {
    let Some(origin) = element.first("origin") else { return Ok(Pose::identity()) };
    let translation = Vector3::from(origin.numbers::<3>("xyz")?.unwrap_or_default());
    let [roll, pitch, yaw] = origin.numbers::<3>("rpy")?.unwrap_or_default();
    Pose::from_euler_angles(roll, pitch, yaw, translation).map_err(|error| origin.error(error.to_string()))
}

fn joint(element: &Element<'_, '_>, links: &HashMap<String, usize>) -> Result<UrdfJoint, RobotError> {
    let name = element.required("name")?.to_owned();
    let kind = match element.required("type")? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        other => {
            let kinds = "fixed, revolute, continuous, prismatic, planar or floating";
            return Err(element.error(format!("expected {kinds} as the type, found `{other}`")));
        }
    };
    let end = |which: &str| {
        let end = element.child(which)?;
        let link = end.required("link")?;
        links.get(link).copied().ok_or_else(|| RobotError::Unknown {
            at: end.at(),
            within: format!("joint `{name}`, <{which}>"),
            kind: "link",
            name: link.to_owned(),
        })
    };
    let (parent, child) = (end("parent")?, end("child")?);
    let mut axis = Vector3::x();
    if let Some(element) = element.first("axis") {
        axis = element.numbers::<3>("xyz")?.map_or(axis, Vector3::from);
        let moves = !matches!(kind, JointKind::Fixed | JointKind::Floating);
        axis = match unit_vector(&axis) {
            // A unit vector is kept as it is, so that coordinate axes stay exact.
            Some(_) if (axis.norm() - 1.0).abs() < 1e-15 => axis,
            Some(unit) => unit.into_inner(),
            None if moves => return Err(element.error("expected an axis that is not zero")),
            None => Vector3::x(),
        };
    }
    let mut limits = None;
    if let Some(element) = element.first("limit") {
        let (lower, upper) = (element.number("lower")?.unwrap_or(0.0), element.number("upper")?.unwrap_or(0.0));
        if lower > upper {
            return Err(
                element.error(format!("expected a lower limit of at most the upper, found {lower} and {upper}"))
            );
        }
        limits = matches!(kind, JointKind::Revolute | JointKind::Prismatic).then_some([lower, upper]);
    }
    let mut mimic = None;
    if let Some(element) = element.first("mimic") {
        let multiplier = element.number("multiplier")?.unwrap_or(1.0);
        let offset = element.number("offset")?.unwrap_or(0.0);
        if kind.values() > 1 {
            return Err(element.error("expected a joint of one value to mimic another"));
        }
        mimic =
            (kind.values() == 1).then_some(Mimic { joint: element.required("joint")?.to_owned(), multiplier, offset });
    }
    Ok(UrdfJoint { name, at: element.at(), kind, parent, child, origin: origin(element)?, axis, limits, mimic })
}
