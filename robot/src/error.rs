//! Errors of robots: of their files and of configurations.

use std::fmt;
use std::io;
use std::path::PathBuf;

use bvtree::builder::BuildError;
use bvtree::mesh::MeshError;
use bvtree::pose::PoseError;
use bvtree::shape::ConvexError;
use thiserror::Error;

/// A location in a file, or in a text that was given without a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file; empty for a text.
    pub path: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.as_os_str().is_empty() {
            write!(f, "line {}", self.line)
        } else if self.line == 0 {
            write!(f, "{}", self.path.display())
        } else {
            write!(f, "{}:{}", self.path.display(), self.line)
        }
    }
}

impl Location {
    /// The location as a prefix of a message; empty if the error is in no file and no text.
    fn before(&self) -> String {
        if *self == Self::default() { String::new() } else { format!("{self}: ") }
    }
}

/// Why a robot can't be read, or a question about it can't be answered. Messages name the file, the line, the link or
/// joint, and what was expected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RobotError {
    /// A file can't be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file of the [cache](crate::RobotOptions::cache) can't be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file or text is not well-formed XML.
    #[error("{at}: {message}")]
    Xml {
        /// The location of the error.
        at: Location,
        /// The message of the XML reader.
        message: String,
    },
    /// An element or attribute is missing, or it isn't what the format allows.
    #[error("{at}: {within}: {problem}")]
    Format {
        /// The location of the error.
        at: Location,
        /// The link, joint, group or element.
        within: String,
        /// What was expected, and what was found.
        problem: String,
    },
    /// Two links, joints, groups, bodies or objects have the same name.
    #[error("{}a second {kind} is called `{name}`", at.before())]
    Duplicate {
        /// The location of the second of the two; the default location if its name is not from a file or text.
        at: Location,
        /// The kind of both: link, joint, group, body or object.
        kind: &'static str,
        /// The name that both have.
        name: String,
    },
    /// A name in a file or in a call is unknown.
    #[error("{}{within}: there is no {kind} called `{name}`", at.before())]
    Unknown {
        /// The location of the error.
        at: Location,
        /// Where the name is used.
        within: String,
        /// What was expected, such as a link, joint or group.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The links and joints do not form a single tree.
    #[error("{at}: link `{link}` {problem}; a robot's links form one tree")]
    NotATree {
        /// The location of the error.
        at: Location,
        /// A link at which the structure is not a tree.
        link: String,
        /// How the link breaks the tree.
        problem: String,
    },
    /// A file that the robot refers to was not found.
    #[error("{at}: link `{link}`: no file for `{uri}`; tried {}", tried.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
    NotFound {
        /// The location of the error.
        at: Location,
        /// The link.
        link: String,
        /// The name of the file in the robot's description.
        uri: String,
        /// The paths that were tried.
        tried: Vec<PathBuf>,
    },
    /// A mesh can't be read or used, or a coordinate of a convex shape is beyond f32.
    #[error("link `{link}`: {source}")]
    Mesh {
        /// The link or object that has the mesh or the shape.
        link: String,
        /// The error of the mesh.
        source: MeshError,
    },
    /// A mesh is not closed, and [`OpenMeshes::Refuse`](crate::OpenMeshes::Refuse) was chosen.
    #[error("{at}: link `{link}`: the mesh is not closed, so that nothing is inside it")]
    OpenMesh {
        /// The location of the mesh.
        at: Location,
        /// The link.
        link: String,
    },
    /// The bounding-volume tree of a mesh can't be built.
    #[error("link `{link}`: {source}")]
    Build {
        /// The link or object that has the mesh.
        link: String,
        /// The error of the build.
        source: BuildError,
    },
    /// A convex shape is invalid, such as a primitive of a negative size.
    #[error("link `{link}`: {source}")]
    Shape {
        /// The link, or the object of the world.
        link: String,
        /// The error of the shape.
        source: ConvexError,
    },
    /// A pose is not a rotation and a translation.
    #[error("{within}: {source}")]
    Pose {
        /// The link or object that has the pose.
        within: String,
        /// The error of the pose.
        source: PoseError,
    },
    /// A margin is NaN.
    #[error("the margin of {within} is not a number")]
    Margin {
        /// The pair of bodies, or the object, that would have the margin.
        within: String,
    },
    /// A configuration is invalid.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
}

/// The reason why a configuration is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// There are too many or too few joint values, limits, or poses of links.
    #[error("a configuration has {found} numbers; this robot has {expected} joint values")]
    Length {
        /// The robot's number of joint values, or of links.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A number is NaN, infinite or above 1e9 in magnitude.
    #[error("joint value {index} of a configuration is not a finite number up to 1e9")]
    NotFinite {
        /// The index of the number among the values of all joints, even if the robot has a group.
        index: usize,
    },
    /// The quaternion of a floating joint is zero.
    #[error("joint values {index} to {} of a configuration are a quaternion of length zero", index + 3)]
    Quaternion {
        /// The index of the quaternion's first number among the values of all joints.
        index: usize,
    },
    /// The quaternion of a floating joint changes on a curved piece of a path.
    #[error("joint values {index} to {} are a quaternion, which must stay the same on a curved piece", index + 3)]
    CurvedQuaternion {
        /// The index of the quaternion's first number among the values of all joints.
        index: usize,
    },
}
