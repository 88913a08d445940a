//! The triangle verdict and distance against an exact oracle.

mod distance;
mod oracle;
mod scenes;
mod verdict;
