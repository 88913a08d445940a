//! Queries on one tree, in its mesh's frame.

use std::mem::MaybeUninit;

mod capsule;
mod overlap;
mod point;
mod ray;

use std::sync::Mutex;

use bvtree::{BvTree, Probe};

use crate::ffi::{given, hand_over, lock, out};
use crate::pairs::BvtStats;
use crate::panic_guard::{DONE, Outcome, panic_guard};
use crate::simd::level;
use crate::status::BvtStatus;
use crate::tree::BvtTree;

pub use capsule::*;
pub use overlap::*;
pub use point::*;
pub use ray::*;

/// Runs queries on one tree (rays, points, volumes, moving capsules) and reuses its memory from one to the next. Keep
/// one per thread: one thread at a time may use it.
pub struct BvtProbe {
    pub(crate) probe: Mutex<Probe>,
}

/// Creates a probe. `simd` is a value of `BvtSimd`; 0 selects the best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_new(simd: u32, probe: Option<&mut MaybeUninit<*mut BvtProbe>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(probe, "probe")?, level(simd)?);
        hand_over(out, BvtProbe { probe: Mutex::new(Probe::with_simd(level)) });
        DONE
    })
}

/// Frees a probe. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_free(probe: Option<Box<BvtProbe>>) {
    drop(probe);
}

/// Writes the work done by a probe's last query.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_stats(probe: Option<&BvtProbe>, stats: Option<&mut MaybeUninit<BvtStats>>) -> BvtStatus {
    panic_guard(|| {
        let (probe, out) = (lock(probe.map(|probe| &probe.probe), "probe")?, out(stats, "stats")?);
        let found = probe.stats();
        out.write(BvtStats { volume_tests: found.volume_tests, triangle_tests: found.triangle_tests });
        DONE
    })
}

/// Runs a query on a tree.
fn ask(
    probe: Option<&BvtProbe>,
    tree: Option<&BvtTree>,
    question: impl FnOnce(&mut Probe, &BvTree) -> Outcome,
) -> BvtStatus {
    panic_guard(|| {
        let mut probe = lock(probe.map(|probe| &probe.probe), "probe")?;
        question(&mut probe, &given(tree, "tree")?.tree)
    })
}
