//! Questions about one tree, in its mesh's frame.

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

/// Answers questions about one tree: rays, points, volumes, moving capsules. It keeps its memory from one question to
/// the next: use one per thread. One thread at a time may use it.
pub struct BvtProbe {
    pub(crate) probe: Mutex<Probe>,
}

/// A probe. `simd` is a BvtSimd; 0 is best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_new(simd: u32, probe: Option<&mut MaybeUninit<*mut BvtProbe>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(probe, "probe")?, level(simd)?);
        hand_over(out, BvtProbe { probe: Mutex::new(Probe::with_simd(level)) });
        DONE
    })
}

/// Frees a probe; null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_free(probe: Option<Box<BvtProbe>>) {
    drop(probe);
}

/// How much work a probe's last question was.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_probe_stats(probe: Option<&BvtProbe>, stats: Option<&mut MaybeUninit<BvtStats>>) -> BvtStatus {
    panic_guard(|| {
        let (probe, out) = (lock(probe.map(|probe| &probe.probe), "probe")?, out(stats, "stats")?);
        let found = probe.stats();
        out.write(BvtStats { volume_tests: found.volume_tests, triangle_tests: found.triangle_tests });
        DONE
    })
}

/// Asks about a tree.
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
