//! The triangle verdict and distance against an exact oracle.

mod distance;
pub mod oracle;
mod scenes;
mod verdict;
