//! The triangle verdict and distance against an exact oracle.

mod oracle;
mod scenes;
mod verdict;
