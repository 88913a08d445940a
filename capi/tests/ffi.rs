//! Panics don't unwind into C, and an object that a panic has left half changed returns errors from then on.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::null;

use bvtree_capi::*;

fn last_error() -> String {
    // SAFETY: the text is there until the next error.
    unsafe { CStr::from_ptr(bvt_last_error()) }.to_str().unwrap().to_owned()
}

#[test]
fn errors_are_those_of_their_thread() {
    let mut query = MaybeUninit::uninit();
    assert_eq!(bvt_query_new(99, Some(&mut query)), BvtStatus::BVT_ERROR_ARGUMENT);
    assert_eq!(last_error(), "99 is not a BvtSimd");
    std::thread::spawn(|| {
        assert_eq!(last_error(), "");
        assert_eq!(bvt_query_new(0, None), BvtStatus::BVT_ERROR_ARGUMENT);
        assert_eq!(last_error(), "query is null");
    })
    .join()
    .unwrap();
    assert_eq!(last_error(), "99 is not a BvtSimd");
}

#[test]
fn trusted_bytes_that_lie_end_in_an_error_or_an_answer() {
    // Queries of a tree with damaged bytes and a valid header may panic, which must become an error.
    let corners: Vec<f32> = (0..900).map(|i| ((i * 37) % 101) as f32).collect();
    let arrays = BvtMeshArrays {
        vertices: corners.as_ptr().cast(),
        vertex_count: 300,
        triangle_count: 100,
        ..BvtMeshArrays::default()
    };
    let mut mesh = MaybeUninit::uninit();
    let mut tree = MaybeUninit::uninit();
    // SAFETY: the arrays are as large as told, and the mesh is there if it says so.
    unsafe {
        assert_eq!(bvt_mesh_new(&arrays, Some(&mut mesh)), BvtStatus::BVT_OK);
        assert_eq!(bvt_tree_build(Some(&*mesh.assume_init()), null(), Some(&mut tree)), BvtStatus::BVT_OK);
        bvt_mesh_free(Some(Box::from_raw(mesh.assume_init())));
    }
    // SAFETY: it was built.
    let tree = unsafe { Box::from_raw(tree.assume_init()) };
    let mut bytes: Vec<u8> = Vec::new();
    unsafe extern "C" fn append(user: *mut c_void, data: *const u8, size: usize) -> i32 {
        // SAFETY: that is what it is called with.
        unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(data, size)) };
        0
    }
    // SAFETY: the callback takes this vector.
    assert_eq!(unsafe { bvt_tree_write(Some(&tree), Some(append), (&raw mut bytes).cast()) }, BvtStatus::BVT_OK);
    let mut panics = 0;
    for seed in 0..200_usize {
        // Damages a byte of the vertex indices, behind the nodes and the vertices, so that an index is out of range.
        let mut words: Vec<u128> = vec![0; bytes.len().div_ceil(16)];
        // SAFETY: there are at least as many bytes.
        let copy = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), bytes.len()) };
        copy.copy_from_slice(&bytes);
        let place = bytes.len() * 3 / 4 + (seed * 41) % (bytes.len() / 4);
        copy[place] ^= 0x80;
        let mut opened = MaybeUninit::uninit();
        let (data, flags) = (copy.as_ptr(), BVT_OPEN_TRUSTED);
        // SAFETY: the words live longer than the tree.
        let status =
            unsafe { bvt_tree_from_buffer(data, bytes.len(), flags, None, std::ptr::null_mut(), Some(&mut opened)) };
        if status != BvtStatus::BVT_OK {
            continue;
        }
        // SAFETY: it says that it was opened.
        let damaged = unsafe { Box::from_raw(opened.assume_init()) };
        let (mut query, mut count) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        assert_eq!(bvt_query_new(0, Some(&mut query)), BvtStatus::BVT_OK);
        // SAFETY: it says that it was made.
        let query = unsafe { Box::from_raw(query.assume_init()) };
        let mut ask = || {
            let (query, tree, none) = (Some(&*query), Some(&*damaged), std::ptr::null_mut());
            // SAFETY: there is no room for pairs.
            unsafe { bvt_intersecting_pairs(query, tree, tree, Some(&bvt_pose_identity()), none, 0, Some(&mut count)) }
        };
        if ask() == BvtStatus::BVT_ERROR_PANIC {
            panics += 1;
            assert!(last_error().starts_with("internal error of bvtree: "), "{}", last_error());
            // The query object may be half changed, so it returns the error from then on.
            assert_eq!(ask(), BvtStatus::BVT_ERROR_PANIC);
            assert_eq!(last_error(), "an earlier call failed inside query: free it");
        }
    }
    assert!(panics > 0, "no damage made a question panic: choose other bytes");
}
