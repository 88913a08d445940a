//! The library for JavaScript: meshes, trees and questions as classes of `wasm-bindgen`.
//!
//! What everything means stands in the library's docs and, in a line, in the types that are made of these comments.
//! Answers are plain objects and typed arrays that belong to JavaScript; poses are matrices as WebGL has them.

mod answers;
mod arguments;
mod distance_tracker;
mod errors;
mod mesh;
mod probe;
mod query;
mod tree;

use wasm_bindgen::prelude::*;

use crate::arguments::{columns, pose};
use crate::errors::JsResult;

/// The library's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The instructions that questions are answered with: `"simd128"`, or `"portable"` where the engine lacks them.
#[wasm_bindgen(js_name = simdLevel)]
pub fn simd_level() -> String {
    bvtree::SimdLevel::detect().name().to_owned()
}

/// Where B stands in A's frame, of where both stand in the world.
#[wasm_bindgen(js_name = relativePose)]
pub fn relative_pose(
    #[wasm_bindgen(js_name = aToWorld, unchecked_param_type = "Matrix")] a_to_world: Option<Vec<f64>>,
    #[wasm_bindgen(js_name = bToWorld, unchecked_param_type = "Matrix")] b_to_world: Option<Vec<f64>>,
) -> JsResult<Vec<f64>> {
    Ok(columns(&bvtree::Pose::relative(&pose(a_to_world)?, &pose(b_to_world)?)))
}
