//! Panics don't unwind into C, and an object that a panic has left half changed returns errors from then on.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::panic::{set_hook, take_hook};
use std::ptr::null;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use bvtree_capi::*;
use common::made;

#[allow(dead_code)]
mod common;

fn last_error() -> String {
    // SAFETY: the text is there until the next error.
    unsafe { CStr::from_ptr(bvt_last_error()) }.to_str().unwrap().to_owned()
}

#[test]
fn errors_are_those_of_their_thread() {
    printed();
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

/// Counts the panics that are printed, or rather would be. Each test calls it first: the library's own hook, which the
/// first call sets, passes on to this one what it doesn't keep.
fn printed() -> usize {
    static PRINTED: AtomicUsize = AtomicUsize::new(0);
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            PRINTED.fetch_add(1, Ordering::Relaxed);
            others(panic);
        }));
    });
    PRINTED.load(Ordering::Relaxed)
}

/// Calls `ask` with trees whose vertex indices are damaged, behind a valid header. Queries of these may panic.
fn for_each_damaged_tree(mut ask: impl FnMut(&BvtTree)) {
    let corners: Vec<f32> = (0..900).map(|i| ((i * 37) % 101) as f32).collect();
    let arrays = BvtMeshArrays {
        vertices: corners.as_ptr().cast(),
        vertex_count: 300,
        triangle_count: 100,
        ..BvtMeshArrays::default()
    };
    // SAFETY: the arrays are as large as told.
    let mesh = made(|out| unsafe { bvt_mesh_new(&arrays, out) });
    // SAFETY: the options may be null.
    let tree = made(|out| unsafe { bvt_tree_build(Some(&mesh), null(), out) });
    let mut bytes: Vec<u8> = Vec::new();
    unsafe extern "C" fn append(user: *mut c_void, data: *const u8, size: usize) -> i32 {
        // SAFETY: that is what it is called with.
        unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(data, size)) };
        0
    }
    // SAFETY: the callback takes this vector.
    assert_eq!(unsafe { bvt_tree_write(Some(&tree), Some(append), (&raw mut bytes).cast()) }, BvtStatus::BVT_OK);
    for seed in 0..200_usize {
        // The indices lie behind the nodes and the vertices.
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
        if status == BvtStatus::BVT_OK {
            // SAFETY: it says that it was opened.
            let damaged = unsafe { Box::from_raw(opened.assume_init()) };
            ask(&damaged);
        }
    }
}

#[test]
fn trusted_bytes_that_lie_end_in_an_error_or_an_answer() {
    printed();
    let mut panics = 0;
    for_each_damaged_tree(|damaged| {
        let query = made(|out| bvt_query_new(0, out));
        let mut count = MaybeUninit::uninit();
        let mut ask = || {
            let (query, tree, none) = (Some(&*query), Some(damaged), std::ptr::null_mut());
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
    });
    assert!(panics > 0, "no damage made a question panic: choose other bytes");
    assert_eq!(printed(), 0);
}

/// The caller's thread reports what failed on the threads of the pool.
#[test]
fn a_panic_on_a_thread_of_the_pool_is_reported_and_not_printed() {
    printed();
    let mut panics = 0;
    for_each_damaged_tree(|damaged| {
        let (poses, mut counts) = ([bvt_pose_identity(); 20], [0; 20]);
        let tree = Some(damaged);
        // SAFETY: there are as many counts as poses.
        let status = unsafe { bvt_count_pairs_many(tree, tree, poses.as_ptr(), poses.len(), counts.as_mut_ptr()) };
        if status == BvtStatus::BVT_ERROR_PANIC {
            panics += 1;
            let error = last_error();
            assert!(error.starts_with("internal error of bvtree: ") && error.contains(".rs:"), "{error}");
            // Another error, so that the next panic cannot pass with the message of this one.
            assert_eq!(bvt_query_new(99, None), BvtStatus::BVT_ERROR_ARGUMENT);
        }
    });
    assert!(panics > 0, "no damage made a question panic: choose other bytes");
    assert_eq!(printed(), 0);
}
