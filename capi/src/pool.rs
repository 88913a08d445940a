//! On which threads the library works.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::{given, hand_over, out};
use crate::panic_guard::panic_guard;
use crate::status::{BvtStatus, Error};

/// Threads of the library. Any number of threads may use it at once.
pub struct BvtPool {
    #[cfg(feature = "rayon")]
    pool: rayon::ThreadPool,
}

/// What `bvt_pool_run` runs: anything but 0 is handed back as an error.
pub type BvtWork = Option<unsafe extern "C" fn(user: *mut c_void) -> i32>;

/// A pool of so many threads; 0 is one for each core. Errors: `BVT_ERROR_NOT_BUILT_IN` without the feature `rayon`,
/// where all work is done on the calling thread.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pool_new(threads: usize, pool: Option<&mut MaybeUninit<*mut BvtPool>>) -> BvtStatus {
    panic_guard(|| {
        let out = out(pool, "pool")?;
        hand_over(out, new(threads)?);
        Ok(BvtStatus::BVT_OK)
    })
}

#[cfg(feature = "rayon")]
fn new(threads: usize) -> Result<BvtPool, Error> {
    if threads > 4096 {
        return Err(Error::argument(format_args!("threads: {threads} are more than 4096")));
    }
    let name = |index| format!("bvtree-{index}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    Ok(BvtPool { pool: pool.map_err(|error| Error::new(BvtStatus::BVT_ERROR_CALLER, error))? })
}

#[cfg(not(feature = "rayon"))]
fn new(_: usize) -> Result<BvtPool, Error> {
    Err(Error::not_built_in("rayon"))
}

/// Frees a pool; null is nothing. Not to be called by work that runs in it.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pool_free(pool: Option<Box<BvtPool>>) {
    drop(pool);
}

/// Calls `work` with `user` on one of the pool's threads and waits for it. Whatever it asks bvtree to do on several
/// threads (building, many poses, scenes, checking files) is done on those of this pool; elsewhere on those of a pool
/// that is made when first needed, with a thread for each core or as the environment variable RAYON_NUM_THREADS tells,
/// and that lives as long as the program. Texts of errors are kept by the thread that `work` runs on.
///
/// Errors: `BVT_ERROR_CALLER` if `work` gives anything but 0.
///
/// # Safety
/// `work` may be called with `user` on another thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_pool_run(pool: Option<&BvtPool>, work: BvtWork, user: *mut c_void) -> BvtStatus {
    panic_guard(|| {
        let (pool, work) = (given(pool, "pool")?, work.ok_or_else(|| Error::null("work"))?);
        let user = Sent(user);
        // SAFETY: the caller promises it.
        match run(pool, move || unsafe { work(user.pointer()) }) {
            0 => Ok(BvtStatus::BVT_OK),
            error => Err(Error::new(BvtStatus::BVT_ERROR_CALLER, format_args!("the work gave {error}"))),
        }
    })
}

#[cfg(feature = "rayon")]
fn run(pool: &BvtPool, work: impl FnOnce() -> i32 + Send) -> i32 {
    pool.pool.install(work)
}

#[cfg(not(feature = "rayon"))]
fn run(_: &BvtPool, work: impl FnOnce() -> i32 + Send) -> i32 {
    work()
}

/// A pointer of the caller's on its way to another thread.
struct Sent(*mut c_void);

impl Sent {
    fn pointer(self) -> *mut c_void {
        self.0
    }
}

// SAFETY: the caller of `bvt_pool_run` lets it be used there.
unsafe impl Send for Sent {}
