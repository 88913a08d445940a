//! Robots for [`bvtree`]: URDF, SRDF and their meshes in; exact collision checks of configurations out.
//!
//! | Task | Items |
//! |---|---|
//! | read a robot | [`Robot::open`], [`Robot::parse`], [`RobotOptions`] |
//! | the objects around a robot | [`World`] |
//! | one configuration: free, colliding pairs, distance | [`Checker`] |
//! | many configurations, on all threads | [`Robot::free`], [`Robot::colliding`], [`Robot::closest`] |
//! | a motion between two configurations, sampled or proven | [`Checker::first_blocked`], [`Checker::first_impact`] |
//! | a path of many configurations or a spline, sampled or proven | [`JointPath`], [`Checker::first_impact_on`] |
//! | a configuration of a motion, or the neutral one | [`Robot::interpolate`], [`Robot::neutral`] |
//! | pairs that can never meet, and an SRDF of them | [`Robot::certificates`], [`Robot::to_srdf`] |
//! | a group of joints, attached objects, allowed pairs | [`Robot::with_group`], [`Robot::attach`], [`Robot::allow`] |
//!
//! All links with collision geometry that move relative to each other are compared, except a joint's two links and the
//! pairs that the SRDF disables. Each link is also compared with each object of the world. Lengths are in metres,
//! angles in radians.
//!
//! Meshes are read from STL, OBJ, COLLADA, PLY, OFF and glTF files. URDF's boxes, cylinders, capsules and spheres are
//! exact [shapes](bvtree::shape::ConvexShape), not meshes of them.

#![deny(missing_docs)]
#![deny(unsafe_code)]

mod body;
mod cache;
mod certificate;
mod checker;
mod collada;
mod curve;
mod display;
mod edge;
mod error;
mod geometry;
mod interrupt;
mod kinematics;
mod motion;
mod narrow;
mod order;
mod pairs;
mod path;
mod placement;
mod resolve;
mod robot;
mod srdf;
mod urdf;
mod world;
mod xml;

pub use certificate::Certificate;
pub use checker::{Checker, Closest};
pub use edge::{Impact, ImpactOptions};
pub use error::{ConfigurationError, Location, RobotError};
pub use geometry::{OpenMeshes, RobotOptions};
pub use kinematics::Joint;
pub use path::{JointPath, PathError, PathImpact};
pub use robot::Robot;
pub use srdf::{GroupState, Srdf};
pub use urdf::{JointKind, Mimic};
pub use world::World;

/// Compiles the README's Rust code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
