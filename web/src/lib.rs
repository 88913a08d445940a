//! The library for JavaScript: meshes, trees and queries as classes of `wasm-bindgen`.
//!
//! The generated TypeScript types contain these comments; the Rust library's docs have more detail. Results are plain
//! objects and typed arrays that belong to JavaScript. Poses are column-major matrices, as in WebGL.

mod answers;
mod arguments;
mod character;
mod compound;
mod convex_contacts;
mod convex_shape;
mod distance_tracker;
mod errors;
mod mesh;
mod probe;
mod query;
mod scene;
mod tree;

use wasm_bindgen::prelude::*;

use bvtree::Pose;
use nalgebra::Quaternion;

use crate::arguments::{columns, pose, translation, vector};
use crate::errors::{JsResult, invalid, invalid_pose};

/// Returns the library's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Returns the SIMD instructions that queries use: `"simd128"`, or `"portable"` if the JavaScript engine lacks them.
#[wasm_bindgen(js_name = simdLevel)]
pub fn simd_level() -> String {
    bvtree::SimdLevel::detect().name().to_owned()
}

/// Computes B's pose in A's frame from the poses of both in the world.
#[wasm_bindgen(js_name = relativePose)]
pub fn relative_pose(
    #[wasm_bindgen(js_name = aToWorld, unchecked_param_type = "Matrix")] a_to_world: Option<Vec<f64>>,
    #[wasm_bindgen(js_name = bToWorld, unchecked_param_type = "Matrix")] b_to_world: Option<Vec<f64>>,
) -> JsResult<Vec<f64>> {
    Ok(columns(&Pose::relative(&pose(a_to_world)?, &pose(b_to_world)?)))
}

/// Creates a pose without rotation from a translation.
#[wasm_bindgen(js_name = poseFromTranslation)]
pub fn pose_from_translation(
    #[wasm_bindgen(js_name = translation, unchecked_param_type = "Numbers")] by: Vec<f64>,
) -> JsResult<Vec<f64>> {
    Pose::from_translation(translation(Some(by))?).map(|pose| columns(&pose)).map_err(invalid_pose)
}

/// Creates a pose from a quaternion x, y, z, w of any nonzero length and a translation. Rotations about a coordinate
/// axis leave that axis unchanged to the last bit, and quarter and half turns have entries 0, 1 and -1 only: bodies
/// that stand flush on a floor touch it.
#[wasm_bindgen(js_name = poseFromQuaternion)]
pub fn pose_from_quaternion(
    #[wasm_bindgen(unchecked_param_type = "Numbers")] xyzw: Vec<f64>,
    #[wasm_bindgen(js_name = translation, unchecked_optional_param_type = "Numbers")] by: Option<Vec<f64>>,
) -> JsResult<Vec<f64>> {
    let xyzw = <[f64; 4]>::try_from(xyzw).map_err(|_| invalid("a quaternion is four numbers x, y, z, w"))?;
    let pose = Pose::from_quaternion(&Quaternion::from(xyzw), translation(by)?);
    pose.map(|pose| columns(&pose)).map_err(invalid_pose)
}

/// Creates a pose from a right-handed rotation about an axis of any nonzero length, by an angle in radians, and a
/// translation. It is as exact as `poseFromQuaternion`.
#[wasm_bindgen(js_name = poseFromAxisAngle)]
pub fn pose_from_axis_angle(
    #[wasm_bindgen(unchecked_param_type = "Numbers")] axis: Vec<f64>,
    angle: f64,
    #[wasm_bindgen(js_name = translation, unchecked_optional_param_type = "Numbers")] by: Option<Vec<f64>>,
) -> JsResult<Vec<f64>> {
    let pose = Pose::from_axis_angle(&vector(&axis, "an axis")?, angle, translation(by)?);
    pose.map(|pose| columns(&pose)).map_err(invalid_pose)
}

/// Creates a pose from Euler angles in radians and a translation: it rotates about x by `roll`, then about y by
/// `pitch`, then about z by `yaw`, all about fixed axes (three.js's order `"ZYX"`). It is as exact as
/// `poseFromQuaternion`.
#[wasm_bindgen(js_name = poseFromEulerAngles)]
pub fn pose_from_euler_angles(
    roll: f64,
    pitch: f64,
    yaw: f64,
    #[wasm_bindgen(js_name = translation, unchecked_optional_param_type = "Numbers")] by: Option<Vec<f64>>,
) -> JsResult<Vec<f64>> {
    let pose = Pose::from_euler_angles(roll, pitch, yaw, translation(by)?);
    pose.map(|pose| columns(&pose)).map_err(invalid_pose)
}
