//! Arithmetic that every layer uses: rounding that avoids denormal numbers, and sorting of a few values.

pub(crate) mod denormals;
#[allow(unused)]
pub(crate) mod error_bounds;
pub(crate) mod insertion_sort;
