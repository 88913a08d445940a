//! Every error bound of the library: what rounding may add to a computed number, with its derivation and the test that
//! tries to break it. Elsewhere no bare margin stands in the code.
//!
//! `u` is the unit roundoff: 2^-24 in f32 and 2^-53 in f64.

// ---- volumes: tests of a wide node's children, frames, fits, refits -------------------------------------------------

// ---- builder and fits -----------------------------------------------------------------------------------------------

// ---- queries and probes ---------------------------------------------------------------------------------------------

// ---- triangles ------------------------------------------------------------------------------------------------------

// ---- scenes and characters ------------------------------------------------------------------------------------------

// ---- shapes ---------------------------------------------------------------------------------------------------------

// ---- poses, meshes and metrics --------------------------------------------------------------------------------------
