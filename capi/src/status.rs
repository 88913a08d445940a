//! Results of calls: a status, and the message of this thread's last error.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;

use bvtree::builder::BuildError;
use bvtree::character::CharacterError;
use bvtree::cook::CookError;
use bvtree::mesh::MeshError;
use bvtree::pose::PoseError;
use bvtree::query::QueryError;
use bvtree::refit::{NotRefittable, RefitError};
use bvtree::response::MassError;
use bvtree::scene::{CompoundError, SceneError};
use bvtree::shape::ConvexError;
use bvtree_robot::{ConfigurationError, RobotError};

/// Status of a call. Errors are negative; `bvt_last_error` returns their message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum BvtStatus {
    /// The call succeeded and wrote its result.
    BVT_OK = 0,
    /// The call succeeded, but there is no result: no hit, no closest point of an empty mesh, nothing within the bound.
    /// Nothing is written.
    BVT_NONE = 1,
    /// An argument is null, out of range or NaN, or a name or a value is unknown.
    BVT_ERROR_ARGUMENT = -1,
    /// The object is in use, by another thread or by the call that runs the current callback.
    BVT_ERROR_BUSY = -2,
    /// The arrays or the file are not a valid mesh.
    BVT_ERROR_MESH = -3,
    /// The matrix is not a rotation, the quaternion or axis is zero, or a number is not finite.
    BVT_ERROR_POSE = -4,
    /// The tree cannot be built with these options.
    BVT_ERROR_BUILD = -5,
    /// The data is not a cooked tree, or is damaged.
    BVT_ERROR_FILE = -6,
    /// The cooked tree has another format version: cook the mesh again.
    BVT_ERROR_FORMAT_VERSION = -7,
    /// The buffer does not begin at a multiple of `BVT_BUFFER_ALIGNMENT` bytes.
    BVT_ERROR_MISALIGNED = -8,
    /// A file cannot be read or written.
    BVT_ERROR_IO = -9,
    /// A callback failed: the caller's allocator returned no memory, its writer refused bytes, or its work returned an
    /// error.
    BVT_ERROR_CALLER = -10,
    /// The motion is too long for f64 times to resolve what happens near the meshes.
    BVT_ERROR_MOTION = -11,
    /// The scene does not contain the body.
    BVT_ERROR_NO_SUCH_BODY = -12,
    /// The scene cannot hold or change the body: it extends too far from the origin, is solid with a mesh that is not
    /// closed, has two motions, or is a shape or a compound where a tree is needed; or there are too many bodies.
    BVT_ERROR_SCENE = -13,
    /// The tree does not belong to this mesh, or the positions do not belong to its vertices.
    BVT_ERROR_REFIT = -14,
    /// The mesh or shape encloses no volume, so it has no mass.
    BVT_ERROR_MASS = -15,
    /// The library was built without a feature that the call needs.
    BVT_ERROR_NOT_BUILT_IN = -16,
    /// An internal error of the library. Free the objects that were passed: their state is undefined.
    BVT_ERROR_PANIC = -17,
    /// A mesh is not closed, so nothing is inside it.
    BVT_ERROR_OPEN_MESH = -18,
    /// A file does not describe a robot, or a name is unknown or already taken in a robot or its world.
    BVT_ERROR_ROBOT = -19,
}

/// An error to be reported to C.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) status: BvtStatus,
    pub(crate) text: String,
}

impl Error {
    pub(crate) fn new(status: BvtStatus, text: impl Display) -> Self {
        Self { status, text: text.to_string() }
    }

    pub(crate) fn argument(text: impl Display) -> Self {
        Self::new(BvtStatus::BVT_ERROR_ARGUMENT, text)
    }

    pub(crate) fn null(name: &str) -> Self {
        Self::argument(format_args!("{name} is null"))
    }

    #[cfg_attr(all(feature = "files", feature = "mmap", feature = "rayon"), allow(dead_code))]
    pub(crate) fn not_built_in(feature: &str) -> Self {
        Self::new(
            BvtStatus::BVT_ERROR_NOT_BUILT_IN,
            format_args!("the library was built without the feature {feature}"),
        )
    }
}

impl From<MeshError> for Error {
    fn from(error: MeshError) -> Self {
        Self::new(mesh_status(&error), &error)
    }
}

fn mesh_status(error: &MeshError) -> BvtStatus {
    match error {
        MeshError::File { error, .. } => mesh_status(error),
        MeshError::Io(_) => BvtStatus::BVT_ERROR_IO,
        MeshError::FormatOff { .. } => BvtStatus::BVT_ERROR_NOT_BUILT_IN,
        _ => BvtStatus::BVT_ERROR_MESH,
    }
}

impl From<CookError> for Error {
    fn from(error: CookError) -> Self {
        Self::new(cook_status(&error), &error)
    }
}

fn cook_status(error: &CookError) -> BvtStatus {
    match error {
        CookError::File { error, .. } => cook_status(error),
        CookError::Io(_) => BvtStatus::BVT_ERROR_IO,
        CookError::Version { .. } => BvtStatus::BVT_ERROR_FORMAT_VERSION,
        CookError::Misaligned { .. } => BvtStatus::BVT_ERROR_MISALIGNED,
        CookError::Build(_) => BvtStatus::BVT_ERROR_BUILD,
        _ => BvtStatus::BVT_ERROR_FILE,
    }
}

impl From<RobotError> for Error {
    fn from(error: RobotError) -> Self {
        let status = match &error {
            RobotError::Read { .. } | RobotError::Write { .. } => BvtStatus::BVT_ERROR_IO,
            RobotError::Mesh { source, .. } => mesh_status(source),
            RobotError::Configuration(_) => BvtStatus::BVT_ERROR_ARGUMENT,
            _ => BvtStatus::BVT_ERROR_ROBOT,
        };
        Self::new(status, error)
    }
}

impl From<SceneError> for Error {
    fn from(error: SceneError) -> Self {
        let status = match error {
            SceneError::NoSuchBody(_) => BvtStatus::BVT_ERROR_NO_SUCH_BODY,
            SceneError::NotARotation { .. } => BvtStatus::BVT_ERROR_POSE,
            SceneError::MotionTooLong => BvtStatus::BVT_ERROR_MOTION,
            SceneError::Refit(error) => return error.into(),
            _ => BvtStatus::BVT_ERROR_SCENE,
        };
        Self::new(status, error)
    }
}

impl From<CompoundError> for Error {
    fn from(error: CompoundError) -> Self {
        let status = match error {
            CompoundError::NotARotation { .. } => BvtStatus::BVT_ERROR_POSE,
            _ => BvtStatus::BVT_ERROR_ARGUMENT,
        };
        Self::new(status, error)
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        let status = match error {
            QueryError::OpenMesh { .. } => BvtStatus::BVT_ERROR_OPEN_MESH,
            _ => BvtStatus::BVT_ERROR_MOTION,
        };
        Self::new(status, error)
    }
}

impl From<CharacterError> for Error {
    fn from(error: CharacterError) -> Self {
        match error {
            CharacterError::Scene(error) => error.into(),
            _ => Self::new(BvtStatus::BVT_ERROR_ARGUMENT, error),
        }
    }
}

/// Maps each kind of error to one status.
macro_rules! statuses {
    ($($error:ty => $status:ident),+ $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::new(BvtStatus::$status, error)
            }
        })+
    };
}

statuses! {
    BuildError => BVT_ERROR_BUILD,
    PoseError => BVT_ERROR_POSE,
    NotRefittable => BVT_ERROR_REFIT,
    RefitError => BVT_ERROR_REFIT,
    MassError => BVT_ERROR_MASS,
    bvtree::UnknownName => BVT_ERROR_ARGUMENT,
    ConfigurationError => BVT_ERROR_ARGUMENT,
    ConvexError => BVT_ERROR_ARGUMENT,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Keeps the message for `bvt_last_error`.
pub(crate) fn remember(text: &str) {
    // A message that names a file may contain any character.
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // The thread-local value is gone while the thread ends.
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

/// Returns the message of this thread's last error, for people, in UTF-8; empty if there was none. It is valid until
/// the next call of this thread that fails; calls that succeed do not change it.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the name of a status, such as "BVT_ERROR_MESH", or "unknown" for any other number. The text lives as long as
/// the program.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"BVT_OK",
        1 => c"BVT_NONE",
        -1 => c"BVT_ERROR_ARGUMENT",
        -2 => c"BVT_ERROR_BUSY",
        -3 => c"BVT_ERROR_MESH",
        -4 => c"BVT_ERROR_POSE",
        -5 => c"BVT_ERROR_BUILD",
        -6 => c"BVT_ERROR_FILE",
        -7 => c"BVT_ERROR_FORMAT_VERSION",
        -8 => c"BVT_ERROR_MISALIGNED",
        -9 => c"BVT_ERROR_IO",
        -10 => c"BVT_ERROR_CALLER",
        -11 => c"BVT_ERROR_MOTION",
        -12 => c"BVT_ERROR_NO_SUCH_BODY",
        -13 => c"BVT_ERROR_SCENE",
        -14 => c"BVT_ERROR_REFIT",
        -15 => c"BVT_ERROR_MASS",
        -16 => c"BVT_ERROR_NOT_BUILT_IN",
        -17 => c"BVT_ERROR_PANIC",
        -18 => c"BVT_ERROR_OPEN_MESH",
        -19 => c"BVT_ERROR_ROBOT",
        _ => c"unknown",
    };
    name.as_ptr()
}
