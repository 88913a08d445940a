//! The library at run time: its versions, SIMD instruction sets and thread pools.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use bvtree::SimdLevel;

use crate::ffi::{given, hand_over, out};
use crate::panic_guard::panic_guard;
use crate::status::{BvtStatus, Error};

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

/// Instruction set to use. Results are the same with every instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtSimd {
    /// The best instructions of this CPU.
    BVT_SIMD_DETECT = 0,
    /// Instructions that every CPU has.
    BVT_SIMD_PORTABLE = 1,
    /// Instructions on registers of 128 bits.
    BVT_SIMD_128 = 2,
    /// x86-64 with AVX2 and FMA.
    BVT_SIMD_AVX2 = 3,
    /// x86-64 with AVX-512.
    BVT_SIMD_AVX512 = 4,
}

/// Converts a value of `BvtSimd` to a SIMD level. Where the CPU lacks the level, queries use one that it has.
pub(crate) fn simd_level(simd: u32) -> Result<SimdLevel, Error> {
    match simd {
        0 => Ok(SimdLevel::detect()),
        1 => Ok(SimdLevel::Portable),
        2 => Ok(SimdLevel::Simd128),
        3 => Ok(SimdLevel::Avx2),
        4 => Ok(SimdLevel::Avx512),
        _ => Err(Error::argument(format_args!("{simd} is not a BvtSimd"))),
    }
}

/// Returns the best instruction set of this CPU.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_simd_detect() -> BvtSimd {
    match SimdLevel::detect() {
        SimdLevel::Simd128 => BvtSimd::BVT_SIMD_128,
        SimdLevel::Avx2 => BvtSimd::BVT_SIMD_AVX2,
        SimdLevel::Avx512 => BvtSimd::BVT_SIMD_AVX512,
        _ => BvtSimd::BVT_SIMD_PORTABLE,
    }
}

/// A pool of threads for the library. Any number of threads may use it at the same time.
pub struct BvtPool {
    #[cfg(feature = "rayon")]
    pool: rayon::ThreadPool,
}

/// Work for `bvt_pool_run`. Returns 0 for success; anything else becomes an error.
pub type BvtWork = Option<unsafe extern "C" fn(user: *mut c_void) -> i32>;

/// Creates a pool of `threads` threads; 0 means one per core, or the number that the environment variable
/// RAYON_NUM_THREADS gives.
///
/// Errors: `BVT_ERROR_ARGUMENT` above 4096 threads; `BVT_ERROR_CALLER` if the threads cannot be created;
/// `BVT_ERROR_NOT_BUILT_IN` if the library was built without the feature `rayon`: all work then runs on the calling
/// thread.
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
        return Err(Error::argument(format_args!("threads: {threads} is more than 4096")));
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
/// on a default pool, which is created on first use, has one thread per core, or the number that the environment
/// variable RAYON_NUM_THREADS gives, and lives as long as the program. Errors of calls in `work` are kept for
/// `bvt_last_error` on the thread that runs `work`.
///
/// Errors: `BVT_ERROR_CALLER` if `work` returns nonzero.
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
            error => Err(Error::new(BvtStatus::BVT_ERROR_CALLER, format_args!("work returned {error}"))),
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
