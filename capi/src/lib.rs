//! bvtree for C and C++: cbindgen generates `include/bvtree.h` from these files, and `include/bvtree.hpp` wraps it.
//!
//! A thin layer over the library: each function borrows what its pointers refer to, calls the library and writes the
//! result.
//!
//! * Handles are boxes that C frees. Objects for one thread at a time are behind a lock that never blocks: concurrent
//!   use of an object, or its use in a callback that it calls, is an error and not undefined behaviour.
//! * Pointers to handles and single structures arrive as `Option<&T>`: null is an error, and everything else meets the
//!   header's preconditions. Arrays, texts and callbacks pass through `ffi`.
//! * Every function that can fail runs in `panic_guard::panic_guard`, which turns errors and panics into a status and a
//!   message.

#![allow(non_camel_case_types, reason = "the names are those of C")]
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod character;
mod compound;
mod convex_shape;
mod ffi;
mod mesh;
mod pairs;
mod panic_guard;
mod pose;
mod probe;
mod refit;
mod robot;
mod runtime;
mod scene;
mod shape;
mod status;
mod tree;

pub use character::*;
pub use compound::*;
pub use convex_shape::*;
pub use mesh::*;
pub use pairs::*;
pub use pose::*;
pub use probe::*;
pub use refit::*;
pub use robot::*;
pub use runtime::*;
pub use scene::*;
pub use shape::*;
pub use status::*;
pub use tree::*;

/// Lets the compiler check that handles may be shared, as the header says.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<BvtMesh>();
    is_shared::<BvtTree>();
    is_shared::<BvtConvexShape>();
    is_shared::<BvtCompound>();
    is_shared::<BvtQuery>();
    is_shared::<BvtProbe>();
    is_shared::<BvtDistanceTracker>();
    is_shared::<BvtDeformingTree>();
    is_shared::<BvtCharacter>();
    is_shared::<BvtRobot>();
    is_shared::<BvtScene>();
    is_shared::<BvtPool>();
};
