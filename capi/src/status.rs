//! What becomes of a call: a status, and the text of the last error of this thread.

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
use bvtree::scene::SceneError;

/// What became of a call. Errors are negative; `bvt_last_error` has their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum BvtStatus {
    /// It is done, and the answer is written.
    BVT_OK = 0,
    /// It is done, and there is no answer to give: no hit, no closest point of an empty mesh, nothing within the bound.
    /// No answer is written.
    BVT_NONE = 1,
    /// An argument is null, out of range or not a number where it has to be one.
    BVT_ERROR_ARGUMENT = -1,
    /// The object is in use: by another thread, or by the call whose callback asks.
    BVT_ERROR_BUSY = -2,
    /// Arrays or a file that are not a mesh.
    BVT_ERROR_MESH = -3,
    /// A matrix that is not a rotation, or numbers that are not finite.
    BVT_ERROR_POSE = -4,
    /// A tree can't be built so.
    BVT_ERROR_BUILD = -5,
    /// Not a cooked tree, or a damaged one.
    BVT_ERROR_FILE = -6,
    /// A cooked tree of another format version: cook the mesh again.
    BVT_ERROR_FORMAT_VERSION = -7,
    /// A buffer does not begin at a multiple of `BVT_BUFFER_ALIGNMENT` bytes.
    BVT_ERROR_MISALIGNED = -8,
    /// A file can't be read or written.
    BVT_ERROR_IO = -9,
    /// The caller's allocator gave no memory, or the caller's writer refused bytes.
    BVT_ERROR_CALLER = -10,
    /// A motion is too long for f64's steps of time to resolve what happens near the meshes.
    BVT_ERROR_MOTION = -11,
    /// The body is not in the scene.
    BVT_ERROR_NO_SUCH_BODY = -12,
    /// A scene can't do that: a body reaches too far from the origin, is solid and its mesh is not closed, or has two
    /// motions; or there are too many.
    BVT_ERROR_SCENE = -13,
    /// A tree that can't follow this mesh, or positions that are not those of its vertices.
    BVT_ERROR_REFIT = -14,
    /// The mesh encloses no volume, so that it has no mass.
    BVT_ERROR_MASS = -15,
    /// The library was built without what this takes.
    BVT_ERROR_NOT_BUILT_IN = -16,
    /// An internal error of the library. Free the objects that were passed: their state is undefined.
    BVT_ERROR_PANIC = -17,
}

/// An error on its way to C.
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

/// Errors of one kind have one status.
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
    QueryError => BVT_ERROR_MOTION,
    NotRefittable => BVT_ERROR_REFIT,
    RefitError => BVT_ERROR_REFIT,
    MassError => BVT_ERROR_MASS,
    CharacterError => BVT_ERROR_ARGUMENT,
    bvtree::UnknownName => BVT_ERROR_ARGUMENT,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Keeps the text for `bvt_last_error`.
pub(crate) fn remember(text: &str) {
    // A text that names a file may have anything in it.
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // There is none any more where the thread is about to end.
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

/// The text of this thread's last error, in UTF-8 and for people; empty if there was none. It stays until the next call
/// of this thread that fails: calls that succeed leave it as it is.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status, as "BVT_ERROR_MESH"; of any other number "unknown". Lives as long as the program.
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
        _ => c"unknown",
    };
    name.as_ptr()
}
