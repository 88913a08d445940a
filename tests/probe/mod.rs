//! Questions about one tree, against brute force, integer arithmetic and parry3d: every kind of tree and every
//! instruction set.

mod bullets;
mod capsules;
mod casts;
pub mod convex;
mod convex_contacts;
mod exact;
mod insides;
mod meshes;
mod points;
mod rays;
mod support;
mod swept;
mod volumes;

use proptest::prelude::ProptestConfig;

/// So many random cases in debug builds, so many in release builds; what failed once is in `proptest-regressions`.
fn cases(debug: u32, release: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if cfg!(debug_assertions) { debug } else { release })
}
