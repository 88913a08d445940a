//! Exceptions: the library's errors with the library's messages.

use std::fmt::Display;

use wasm_bindgen::prelude::*;

pub type JsResult<T> = Result<T, JsValue>;

#[wasm_bindgen(module = "/js/answers.js")]
extern "C" {
    fn failure(name: &str, text: &str) -> JsValue;
}

/// Returns the exception for arrays or a file that are not a valid mesh.
pub fn invalid_mesh(error: impl Display) -> JsValue {
    failure("InvalidMesh", &error.to_string())
}

/// Returns the exception for bytes that are not a cooked tree, or are damaged.
pub fn invalid_file(error: impl Display) -> JsValue {
    failure("InvalidFile", &error.to_string())
}

/// Returns the exception for a matrix that is not a pose.
pub fn invalid_pose(error: impl Display) -> JsValue {
    failure("InvalidPose", &error.to_string())
}

/// Returns the exception for any other invalid argument.
pub fn invalid(error: impl Display) -> JsValue {
    failure("InvalidArgument", &error.to_string())
}
