//! The triangle verdict and distance against an exact oracle.

mod distance;
mod scenes;
mod verdict;

pub use bvtree_test_support::triangle_oracle as oracle;
