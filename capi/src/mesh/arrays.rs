//! Meshes from the caller's arrays, in any memory layout.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bvtree::Mesh;
use bvtree::mesh::MeshError;
use nalgebra::Point3;

use super::BvtMesh;
use crate::ffi::{hand_over, out};
use crate::ffi::{options, versioned};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// Number type of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtScalar {
    /// float
    BVT_F32 = 0,
    /// double, rounded to float. If a mesh is far from the origin, first move it close to the origin.
    BVT_F64 = 1,
}

/// Number type of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtIndex {
    /// uint32_t
    BVT_U32 = 0,
    /// uint16_t
    BVT_U16 = 1,
}

/// A mesh's vertices and triangles in the caller's memory, at any alignment, such as an engine's vertex buffers with
/// other attributes in between. The arrays are copied into the mesh and not needed afterwards.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtMeshArrays {
    /// Must be `sizeof(BvtMeshArrays)`.
    pub struct_size: usize,
    /// The first vertex: three consecutive coordinates.
    pub vertices: *const c_void,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Bytes from one vertex to the next; 0 if they are contiguous.
    pub vertex_stride: usize,
    /// A value of `BvtScalar`.
    pub vertex_type: u32,
    /// A value of `BvtIndex`.
    pub index_type: u32,
    /// The first triangle: three vertex indices. If null, triangle `k` has the vertices `3k`, `3k + 1` and `3k + 2`.
    pub indices: *const c_void,
    /// Number of triangles.
    pub triangle_count: usize,
    /// Bytes from one triangle to the next; 0 if they are contiguous.
    pub triangle_stride: usize,
}

versioned!(BvtMeshArrays);

impl Default for BvtMeshArrays {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            vertices: std::ptr::null(),
            vertex_count: 0,
            vertex_stride: 0,
            vertex_type: 0,
            index_type: 0,
            indices: std::ptr::null(),
            triangle_count: 0,
            triangle_stride: 0,
        }
    }
}

/// Triples of numbers in the caller's memory.
pub(crate) struct Strided {
    first: *const u8,
    count: usize,
    stride: usize,
}

impl Strided {
    /// Describes triples of numbers of a given size; a stride of 0 means that they are contiguous.
    pub(crate) fn new(
        first: *const c_void,
        count: usize,
        stride: usize,
        number: usize,
        name: &str,
    ) -> Result<Self, Error> {
        let size = 3 * number;
        let stride = if stride == 0 { size } else { stride };
        if first.is_null() && count > 0 {
            return Err(Error::null(name));
        }
        if stride < size {
            return Err(Error::argument(format_args!(
                "{name}: a stride of {stride} bytes is less than the size, {size} bytes"
            )));
        }
        match count.checked_mul(stride) {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(Self { first: first.cast(), count, stride }),
            _ => Err(Error::argument(format_args!(
                "{name}: {count} items of {stride} bytes are more than memory can hold"
            ))),
        }
    }

    /// Borrows the triples as a slice if they are contiguous and aligned.
    ///
    /// # Safety
    /// See [`Strided::read`]; nobody changes the triples during `'a`.
    pub(crate) unsafe fn as_slice<'a, T>(&self) -> Option<&'a [T]> {
        let first = self.first.cast::<T>();
        let in_place = self.stride == size_of::<T>() && first.is_aligned() && !first.is_null();
        // SAFETY: there are `count` of them, aligned and contiguous; the caller promises the rest.
        in_place.then(|| unsafe { std::slice::from_raw_parts(first, self.count) })
    }

    /// Reads all triples in order and maps each.
    ///
    /// # Safety
    /// `first` points to `count` triples of `T`, `stride` bytes apart; it may be null if `count` is 0. Every bit
    /// pattern is valid for `T`, and nobody writes to the triples meanwhile.
    pub(crate) unsafe fn read<T: Copy, R>(&self, mut map: impl FnMut(usize, [T; 3]) -> R) -> Vec<R> {
        let read = |place| {
            // SAFETY: within what the caller promises; the product was checked.
            map(place, unsafe { self.first.add(place * self.stride).cast::<[T; 3]>().read_unaligned() })
        };
        (0..self.count).map(read).collect()
    }
}

/// Reads positions of vertices as f32, rounding those that are f64.
///
/// # Safety
/// See [`Strided::read`]; the triples are of the type that `scalar` names.
pub(crate) unsafe fn positions(
    first: *const c_void,
    count: usize,
    stride: usize,
    scalar: u32,
    name: &str,
) -> Result<Vec<Point3<f32>>, Error> {
    check_count(count, name)?;
    match scalar {
        0 => {
            let strided = Strided::new(first, count, stride, size_of::<f32>(), name)?;
            // SAFETY: the caller promises it.
            Ok(unsafe { strided.read(|_, three: [f32; 3]| three.into()) })
        }
        1 => {
            let strided = Strided::new(first, count, stride, size_of::<f64>(), name)?;
            let mut beyond = None;
            let rounded = |vertex, three: [f64; 3]| {
                let rounded = three.map(|x| x as f32);
                if three.iter().zip(rounded).any(|(x, rounded)| x.is_finite() && rounded.is_infinite()) {
                    beyond.get_or_insert(vertex);
                }
                rounded.into()
            };
            // SAFETY: the caller promises it.
            let rounded = unsafe { strided.read(rounded) };
            match beyond {
                Some(vertex) => Err(MeshError::BeyondF32 { vertex }.into()),
                None => Ok(rounded),
            }
        }
        _ => Err(Error::argument(format_args!("{scalar} is not a BvtScalar"))),
    }
}

/// Checks a count before memory is allocated for it.
fn check_count(count: usize, name: &str) -> Result<(), Error> {
    if count > Mesh::MAX_COUNT {
        return Err(Error::new(BvtStatus::BVT_ERROR_MESH, format_args!("{name}: more than {}", Mesh::MAX_COUNT)));
    }
    Ok(())
}

/// Reads the triangles of the caller's arrays as three vertex indices each.
///
/// # Safety
/// See [`Strided::read`]; the triples are of the type that `index_type` names.
unsafe fn triangles(arrays: &BvtMeshArrays) -> Result<Vec<[u32; 3]>, Error> {
    let BvtMeshArrays { indices, triangle_count: count, triangle_stride: stride, .. } = *arrays;
    check_count(count, "triangles")?;
    if indices.is_null() {
        let in_order = |triangle| [0, 1, 2].map(|corner| 3 * triangle + corner);
        // The mesh rejects what exceeds the range of its indices.
        return Ok((0..count.min(u32::MAX as usize / 3) as u32).map(in_order).collect());
    }
    match arrays.index_type {
        0 => {
            let strided = Strided::new(indices, count, stride, size_of::<u32>(), "indices")?;
            // SAFETY: the caller promises it.
            Ok(unsafe { strided.read(|_, three: [u32; 3]| three) })
        }
        1 => {
            let strided = Strided::new(indices, count, stride, size_of::<u16>(), "indices")?;
            // SAFETY: the caller promises it.
            Ok(unsafe { strided.read(|_, three: [u16; 3]| three.map(u32::from)) })
        }
        other => Err(Error::argument(format_args!("{other} is not a BvtIndex"))),
    }
}

/// Creates a mesh from the caller's arrays, which are copied.
///
/// Errors: `BVT_ERROR_MESH` if a coordinate is not finite or beyond the range of float, an index is out of range, or
/// there are too many vertices or triangles.
///
/// # Safety
/// The arrays are as large as their counts and strides say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_mesh_new(
    arrays: *const BvtMeshArrays,
    mesh: Option<&mut MaybeUninit<*mut BvtMesh>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(mesh, "mesh")?;
        if arrays.is_null() {
            return Err(Error::null("arrays"));
        }
        // SAFETY: the caller promises that it is such a structure.
        let arrays = unsafe { options(arrays, "arrays") }?;
        let BvtMeshArrays { vertices, vertex_count, vertex_stride, vertex_type, .. } = arrays;
        // SAFETY: the caller promises that the arrays are large enough.
        let vertices = unsafe { positions(vertices, vertex_count, vertex_stride, vertex_type, "vertices") }?;
        // SAFETY: as above.
        let triangles = unsafe { triangles(&arrays) }?;
        hand_over(out, BvtMesh { mesh: Mesh::from_arrays(vertices, triangles)? });
        DONE
    })
}
