//! How many random cases a property is tried on.

use proptest::prelude::ProptestConfig;

/// A number of cases, times the variable `BVTREE_TIMES` of the environment: 100, say, for a run of hours, or 0.5 for
/// half of them; at least one.
pub fn repeated(cases: usize) -> usize {
    let times = std::env::var("BVTREE_TIMES").map_or(1.0, |times| times.parse().expect("BVTREE_TIMES: a number"));
    (cases as f64 * times).ceil() as usize
}

/// The number of cases in debug builds and in release builds, [`repeated`]. Failing inputs are printed, not stored.
pub fn cases(debug: u32, release: u32) -> ProptestConfig {
    let cases = repeated(if cfg!(debug_assertions) { debug } else { release } as usize) as u32;
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 1000, ..ProptestConfig::default() }
}
