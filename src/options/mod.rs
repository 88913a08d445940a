//! What the caller chooses about a build; a cooked file keeps it.

mod build_options;
mod preset;
mod rules;

pub use build_options::BuildOptions;
pub use preset::Preset;
pub use rules::{Builder, Collapse, SplitRule};
