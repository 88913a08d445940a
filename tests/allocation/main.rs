//! A warmed-up query allocates nothing.

#[path = "../oracle/mod.rs"]
#[allow(dead_code)]
mod oracle;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

use bvtree::{Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use oracle::{Rules, levels, meshes};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread asks of it.
struct Counting;

// SAFETY: every call is handed on to the system's allocator as it came; counting in a constant-initialised thread-local
// without a destructor does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller guarantees.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn a_warmed_up_query_allocates_nothing() {
    assert!(allocations(|| drop(std::hint::black_box(Box::new(1)))) > 0, "the counter counts");

    let torus = meshes::torus(20, 16);
    let poses = [
        Pose::identity(),
        Pose::from(Isometry3::new(Vector3::new(0.9, 0.1, 0.0), Vector3::new(0.5, 1.0, 0.0))),
        Pose::from(Isometry3::translation(9.0, 0.0, 0.0)),
    ];
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        for level in levels() {
            let mut query = Query::with_simd(level);
            let mut ask = || {
                let mut pairs = 0;
                for pose in &poses {
                    query.intersects(&tree, &tree, pose);
                    let count = |_| {
                        pairs += 1;
                        ControlFlow::Continue(())
                    };
                    query.for_each_pair(&tree, &tree, pose, count);
                }
                query.for_each_self_pair(&tree, |_| ControlFlow::Continue(()));
                assert!(pairs > 0);
            };
            ask();
            assert_eq!(allocations(ask), 0, "{volume} trees, {level}");
        }
    }
}
