//! How many random cases a property is tried on.

use proptest::prelude::ProptestConfig;

/// So many in debug builds, so many in release builds. Failing inputs are printed, not stored.
pub fn cases(debug: u32, release: u32) -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { debug } else { release };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 1000, ..ProptestConfig::default() }
}
