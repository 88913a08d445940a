//! Thread pools for the library's parallel work.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::{given, hand_over, out};
use crate::panic_guard::panic_guard;
use crate::status::{BvtStatus, Error};

/// A pool of threads for the library. Any number of threads may use it at once.
pub struct BvtPool {
    #[cfg(feature = "rayon")]
    pool: rayon::ThreadPool,
}

/// Work for `bvt_pool_run`. Returns 0 for success; anything else becomes an error.
pub type BvtWork = Option<unsafe extern "C" fn(user: *mut c_void) -> i32>;

/// Creates a pool of `threads` threads; 0 means one per core.
///
/// Errors: `BVT_ERROR_NOT_BUILT_IN` without the feature `rayon`, where all work runs on the calling thread.
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

/// Frees a pool. Null is ignored. Work that runs in the pool must not call this.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pool_free(pool: Option<Box<BvtPool>>) {
    drop(pool);
}

/// Calls `work` with `user` on one of the pool's threads and waits for it. Parallel bvtree functions that `work` calls
/// (building, many poses, scenes, checking files) run on the threads of this pool. Outside of `bvt_pool_run` they run
/// on a default pool, which is created on first use, has one thread per core or as many as the environment variable
/// RAYON_NUM_THREADS says, and lives as long as the program. Error messages are kept by the thread that runs `work`.
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

/// A caller's pointer that is sent to another thread.
struct Sent(*mut c_void);

impl Sent {
    fn pointer(self) -> *mut c_void {
        self.0
    }
}

// SAFETY: the caller of `bvt_pool_run` lets it be used there.
unsafe impl Send for Sent {}
