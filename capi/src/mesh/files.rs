//! Mesh files, on disk or in memory.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;

use bvtree::Mesh;
use bvtree::mesh::ReadOptions;

use super::BvtMesh;
use crate::ffi::{array, hand_over, optional_text, out, text};
use crate::ffi::{options, versioned};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Options for reading a mesh file. `{sizeof(BvtReadOptions)}`, with all other fields zero, is the same as null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtReadOptions {
    /// Must be `sizeof(BvtReadOptions)`.
    pub struct_size: usize,
    /// "obj", "stl", "ply", "off" or "gltf". If null, the format is detected from the file's content and name.
    pub format: *const c_char,
    /// "x", "y" or "z": the file's up axis, which becomes z. Null leaves the axes as they are.
    pub up: *const c_char,
    /// Factor for all coordinates, applied after the change of axes; 0 means 1.
    pub scale: f64,
    /// Largest number of triangles to accept; 0 means any number.
    pub max_triangles: usize,
    /// Source of the mesh's groups: "object", "material" or "both". Null means "object".
    pub group_by: *const c_char,
}

versioned!(BvtReadOptions);

impl Default for BvtReadOptions {
    fn default() -> Self {
        let none = std::ptr::null();
        Self { struct_size: size_of::<Self>(), format: none, up: none, scale: 0.0, max_triangles: 0, group_by: none }
    }
}

/// Converts the caller's options for reading a mesh file. A null pointer stands for the defaults.
///
/// # Safety
/// The pointer is null or points to a `BvtReadOptions` whose strings are null or NUL-terminated.
unsafe fn read_options(given: *const BvtReadOptions) -> Result<ReadOptions, Error> {
    // SAFETY: the caller promises it.
    let given = unsafe { options(given, "options") }?;
    let mut read = ReadOptions::default();
    // SAFETY: as above.
    if let Some(format) = unsafe { optional_text(given.format, "format") }? {
        read.format = Some(format.parse()?);
    }
    // SAFETY: as above.
    if let Some(up) = unsafe { optional_text(given.up, "up") }? {
        read.up = Some(up.parse()?);
    }
    // SAFETY: as above.
    if let Some(group_by) = unsafe { optional_text(given.group_by, "group_by") }? {
        read.group_by = group_by.parse()?;
    }
    if given.scale != 0.0 {
        read.scale = given.scale;
    }
    if given.max_triangles != 0 {
        read.max_triangles = given.max_triangles;
    }
    Ok(read)
}

/// Reads a mesh file: OBJ, and with the feature `formats` STL, PLY, OFF and glTF. The options may be null.
///
/// Errors: `BVT_ERROR_IO` if the file cannot be read; `BVT_ERROR_MESH` if it is not a valid mesh (the message names the
/// line or position if there is one), has more triangles than allowed, or the scale is negative or not finite;
/// `BVT_ERROR_NOT_BUILT_IN` if the library was built without the format; `BVT_ERROR_ARGUMENT` if a string in the
/// options is unknown.
///
/// # Safety
/// `path` is UTF-8 and NUL-terminated; strings in the options are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_mesh_open(
    path: *const c_char,
    options: *const BvtReadOptions,
    mesh: Option<&mut MaybeUninit<*mut BvtMesh>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(mesh, "mesh")?;
        // SAFETY: the caller promises it.
        let path = unsafe { text(path, "path") }?;
        // SAFETY: as above.
        let options = unsafe { read_options(options) }?;
        hand_over(out, BvtMesh { mesh: Mesh::open_with(path, &options)?.mesh });
        DONE
    })
}

/// Reads a mesh file from bytes in memory. The name may be null; its extension may be needed to detect the format, and
/// buffers that a glTF file refers to are read from the folder of the name. The options may be null.
///
/// Errors: see `bvt_mesh_open`.
///
/// # Safety
/// `data` points to `size` bytes; it may be null if `size` is 0. `name` and the strings in the options are null or
/// NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_mesh_read(
    data: *const u8,
    size: usize,
    name: *const c_char,
    options: *const BvtReadOptions,
    mesh: Option<&mut MaybeUninit<*mut BvtMesh>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(mesh, "mesh")?;
        // SAFETY: the caller promises it.
        let bytes = unsafe { array(data, size, "data") }?;
        // SAFETY: as above.
        let name = unsafe { optional_text(name, "name") }?.unwrap_or_default();
        // SAFETY: as above.
        let options = unsafe { read_options(options) }?;
        hand_over(out, BvtMesh { mesh: Mesh::read_with(bytes, Path::new(name), &options)?.mesh });
        DONE
    })
}
