//! bvtree for C and C++: `include/bvtree.h` is made of these files, `include/bvtree.hpp` wraps it.
//!
//! A thin face of the library: each function borrows what its pointers lead to, asks the library and writes the answer.
//!
//! * Handles are boxes, which C frees. What one thread at a time may use is behind a lock that is never waited for, so
//!   that two threads at once, or a callback that asks with the object that calls it, are an error and not undefined
//!   behaviour.
//! * Pointers to handles and to single structures come as `Option<&T>`: null is an error, and everything else what the
//!   header asks for. Arrays, texts and callbacks pass through `ffi` and `visit`.
//! * Every function that can fail runs in `panic_guard::panic_guard`, which makes a status and a message of errors and
//!   panics.

#![allow(non_camel_case_types, reason = "the names are those of C")]
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod character;
mod ffi;
mod mass;
mod mesh;
mod pairs;
mod panic_guard;
mod pool;
mod pose;
mod probe;
mod refit;
mod scene;
mod shape;
mod simd;
mod status;
mod tree;
mod version;
mod versioned_struct;
mod visit;

pub use character::*;
pub use mass::*;
pub use mesh::*;
pub use pairs::*;
pub use pool::*;
pub use pose::*;
pub use probe::*;
pub use refit::*;
pub use scene::*;
pub use shape::*;
pub use simd::*;
pub use status::*;
pub use tree::*;
pub use version::*;

/// What the header says of threads is the compiler's word.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<BvtMesh>();
    is_shared::<BvtTree>();
    is_shared::<BvtQuery>();
    is_shared::<BvtProbe>();
    is_shared::<BvtDistanceTracker>();
    is_shared::<BvtDeformingTree>();
    is_shared::<BvtCharacter>();
    is_shared::<BvtScene>();
    is_shared::<BvtPool>();
};
