//! Oracles, models and checks that the tests, benches and fuzz targets of several packages share.

pub mod dataset_folder;
pub mod triangle_oracle;
pub mod walking_level;

/// Checks of bytes: each takes any input and panics if the library answers wrongly. The fuzz targets run them on random
/// bytes, `tests/fuzz` on the corpus.
pub mod checks {
    pub mod cooked_files;
    mod grid;
    pub mod mesh_files;
    pub mod questions;
    pub mod triangles;
}

/// Models of the objects that remember something between calls: sequences of operations whose every answer is compared
/// with a fresh computation and with brute force.
pub mod model {
    pub mod brute;
    pub mod character;
    pub mod deforming;
    pub mod ingredients;
    pub mod machine;
    pub mod scene;
    pub mod tracker;
}
