//! Versions of the library, the binary interface and the file format.

use std::ffi::{CStr, c_char};

/// Major version of the library that this header belongs to.
pub const BVT_VERSION_MAJOR: u32 = 0;
/// Minor version of the library that this header belongs to.
pub const BVT_VERSION_MINOR: u32 = 2;
/// Patch version of the library that this header belongs to.
pub const BVT_VERSION_PATCH: u32 = 0;
/// Version of the binary interface that this header describes. A program compiled with one version does not work with a
/// library of another.
pub const BVT_ABI_VERSION: u32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// Returns the version of the library in use, such as "0.2.0". The text lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the version of the binary interface of the library in use. Compare it with `BVT_ABI_VERSION` if the library
/// is loaded at run time.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_abi_version() -> u32 {
    BVT_ABI_VERSION
}

/// Returns the version of the .bvt format that the library reads and writes. Files of any other version are refused.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_format_version() -> u32 {
    bvtree::cook::FORMAT_VERSION
}
