//! What may be wrong with a robot's files.

use std::fmt;
use std::io;
use std::path::PathBuf;

use bvtree::builder::BuildError;
use bvtree::mesh::MeshError;
use bvtree::pose::PoseError;
use bvtree::shape::ConvexError;
use thiserror::Error;

/// A place in a file, or in a text that was given without one.
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
    /// The place before a message; nothing if the error is in no file and no text.
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
        /// What the system says.
        source: io::Error,
    },
    /// A file or text is not well-formed XML.
    #[error("{at}: {message}")]
    Xml {
        /// The place.
        at: Location,
        /// What the XML reader says.
        message: String,
    },
    /// An element or attribute is missing, or it isn't what the format allows.
    #[error("{at}: {within}: {problem}")]
    Format {
        /// The place.
        at: Location,
        /// The link, joint, group or element.
        within: String,
        /// What was expected and found.
        problem: String,
    },
    /// Two links, joints or groups have the same name.
    #[error("{}a second {kind} is called `{name}`", at.before())]
    Duplicate {
        /// The place of the second; the default for one that was not read.
        at: Location,
        /// What they are.
        kind: &'static str,
        /// Their name.
        name: String,
    },
    /// A name stands for nothing, in a file or in a call.
    #[error("{}{within}: there is no {kind} called `{name}`", at.before())]
    Unknown {
        /// The place.
        at: Location,
        /// Where the name is used.
        within: String,
        /// What was expected: a link, joint, group or package.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The links and joints are not one tree.
    #[error("{at}: link `{link}` {problem}; a robot's links form one tree")]
    NotATree {
        /// The place.
        at: Location,
        /// One link where it isn't a tree.
        link: String,
        /// How.
        problem: String,
    },
    /// A file that the robot refers to was not found.
    #[error("{at}: link `{link}`: no file for `{uri}`; tried {}", tried.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
    NotFound {
        /// The place.
        at: Location,
        /// The link.
        link: String,
        /// The name of the file in the robot's description.
        uri: String,
        /// Where it was searched for.
        tried: Vec<PathBuf>,
    },
    /// A mesh can't be read or used.
    #[error("link `{link}`: {source}")]
    Mesh {
        /// The link.
        link: String,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A mesh is not closed, and [`OpenMeshes::Refuse`](crate::OpenMeshes::Refuse) was chosen.
    #[error("{at}: link `{link}`: the mesh is not closed, so that nothing is inside it")]
    OpenMesh {
        /// The mesh.
        at: Location,
        /// The link.
        link: String,
    },
    /// A tree can't be built of a mesh.
    #[error("link `{link}`: {source}")]
    Build {
        /// The link.
        link: String,
        /// Why.
        source: BuildError,
    },
    /// A primitive shape has a wrong size.
    #[error("link `{link}`: {source}")]
    Shape {
        /// The link, or the object of the world.
        link: String,
        /// What is wrong.
        source: ConvexError,
    },
    /// A pose is none.
    #[error("{within}: {source}")]
    Pose {
        /// Whose.
        within: String,
        /// What is wrong.
        source: PoseError,
    },
    /// A configuration has the wrong number of values, or one that is not finite.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
}

/// What is wrong with a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// It has too many or too few numbers.
    #[error("a configuration has {found} numbers; this robot has {expected} joint values")]
    Length {
        /// As many as joint values.
        expected: usize,
        /// As many as given.
        found: usize,
    },
    /// A number is NaN or infinite, or so large that its angle is lost.
    #[error("joint value {index} of a configuration is not a finite number up to 1e9")]
    NotFinite {
        /// Its index in the configuration.
        index: usize,
    },
    /// The quaternion of a floating joint is zero.
    #[error("joint values {index} to {} of a configuration are a quaternion of length zero", index + 3)]
    Quaternion {
        /// The index of its first number.
        index: usize,
    },
}
