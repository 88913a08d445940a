//! What the benches share: meshes, scenes of two meshes with poses, and parry3d's traversal to compare with.

pub mod meshes;
pub mod parry;
pub mod peer;
pub mod random;
pub mod ratio;
pub mod scenes;
pub mod walk;

use std::time::Duration;

use criterion::Criterion;

/// Short runs, so that all benches together end within minutes; `--measurement-time` and `--sample-size` lengthen them.
pub fn criterion() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args()
}
