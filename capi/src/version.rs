//! Which version is this?

use std::ffi::{CStr, c_char};

/// The version of the library that this header is of.
pub const BVT_VERSION_MAJOR: u32 = 0;
/// The version of the library that this header is of.
pub const BVT_VERSION_MINOR: u32 = 2;
/// The version of the library that this header is of.
pub const BVT_VERSION_PATCH: u32 = 0;
/// The version of the binary interface that this header describes. Programs compiled with one don't work with another.
pub const BVT_ABI_VERSION: u32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// The version of the library in use, as "0.2.0". Lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The version of the binary interface of the library in use: compare it with `BVT_ABI_VERSION` where the library is
/// loaded at run time.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_abi_version() -> u32 {
    BVT_ABI_VERSION
}

/// The version of the .bvt format that the library reads and writes. Files of any other are refused.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_format_version() -> u32 {
    bvtree::cook::FORMAT_VERSION
}
