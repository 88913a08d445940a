//! Helpers that call the library as C code would.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use bvtree::{Mesh, VolumeKind};
use bvtree_capi::*;

/// Returns what a function writes through its out pointer; `None` if its status is `BVT_NONE`.
pub fn written<T>(ask: impl FnOnce(Option<&mut MaybeUninit<T>>) -> BvtStatus) -> Option<T> {
    let mut out = MaybeUninit::uninit();
    match ask(Some(&mut out)) {
        // SAFETY: it has written the answer.
        BvtStatus::BVT_OK => Some(unsafe { out.assume_init() }),
        BvtStatus::BVT_NONE => None,
        // SAFETY: the text is there until the next error.
        error => panic!("{error:?}: {:?}", unsafe { CStr::from_ptr(bvt_last_error()) }),
    }
}

/// Returns the object that a function creates.
pub fn made<T>(make: impl FnOnce(Option<&mut MaybeUninit<*mut T>>) -> BvtStatus) -> Box<T> {
    // SAFETY: handles are boxes.
    unsafe { Box::from_raw(written(make).unwrap()) }
}

/// Creates the mesh through C, from arrays with other data between the vertices.
pub fn c_mesh(mesh: &Mesh) -> Box<BvtMesh> {
    let spaced: Vec<[f64; 4]> =
        mesh.vertices().iter().map(|p| [p.x.into(), p.y.into(), p.z.into(), f64::NAN]).collect();
    let arrays = BvtMeshArrays {
        vertices: spaced.as_ptr().cast(),
        vertex_count: spaced.len(),
        vertex_stride: 32,
        vertex_type: BvtScalar::BVT_F64 as u32,
        indices: mesh.triangles().as_ptr().cast(),
        triangle_count: mesh.triangles().len(),
        ..BvtMeshArrays::default()
    };
    // SAFETY: the arrays are as large as told.
    made(|out| unsafe { bvt_mesh_new(&arrays, out) })
}

/// Builds the mesh's tree through C.
pub fn tree(mesh: &Mesh, kind: VolumeKind) -> Box<BvtTree> {
    let mesh = c_mesh(mesh);
    let kind = [BvtKind::BVT_KIND_AABB, BvtKind::BVT_KIND_OBB, BvtKind::BVT_KIND_SPHERE, BvtKind::BVT_KIND_KDOP]
        [kind as usize] as u32;
    let options = BvtBuildOptions { kind, ..BvtBuildOptions::default() };
    // SAFETY: there are no texts in the options.
    made(|out| unsafe { bvt_tree_build(Some(&mesh), &options, out) })
}
