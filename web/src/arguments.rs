//! Arguments from JavaScript: poses, points and directions as arrays of numbers.

use std::ops::RangeInclusive;

use bvtree::Pose;
use bvtree::pose::unit_vector;
use js_sys::{ArrayBuffer, Float32Array, Float64Array, Uint32Array};
use nalgebra::{Matrix3, Point3, UnitVector3, Vector3};
use wasm_bindgen::prelude::*;

use crate::errors::{JsResult, invalid, invalid_pose};

/// Reads a column-major matrix of 16 numbers, as in WebGL and three.js; `None` is the identity.
pub fn pose(matrix: Option<Vec<f64>>) -> JsResult<Pose> {
    let Some(matrix) = matrix else { return Ok(Pose::identity()) };
    let Ok(columns) = <[f64; 16]>::try_from(matrix) else {
        return Err(invalid_pose("a pose is a matrix of 16 numbers, column by column"));
    };
    let [a, b, c, d, e, f, g, h, i, j, k, l, x, y, z, w] = columns;
    if [d, h, l, w] != [0.0, 0.0, 0.0, 1.0] {
        return Err(invalid_pose("the last row of a pose is 0 0 0 1"));
    }
    Pose::new(Matrix3::new(a, e, i, b, f, j, c, g, k), Vector3::new(x, y, z)).map_err(invalid_pose)
}

/// Converts a pose to a column-major matrix of 16 numbers.
pub fn columns(pose: &Pose) -> Vec<f64> {
    let (rotation, translation) = (pose.rotation(), pose.translation());
    let column = |column: Vector3<f64>, last| [column.x, column.y, column.z, last];
    let axes = rotation.column_iter().flat_map(|axis| column(axis.into_owned(), 0.0));
    axes.chain(column(*translation, 1.0)).collect()
}

/// Reads whole numbers as their lowest 32 bits. Typed arrays of integers may have any; of other arrays, a number that
/// is outside the range or not whole is returned as the error.
pub fn whole_numbers(array: &JsValue, range: RangeInclusive<i64>) -> Result<Vec<u32>, f64> {
    let is_float = array.is_instance_of::<Float32Array>() || array.is_instance_of::<Float64Array>();
    if ArrayBuffer::is_view(array) && !is_float {
        return Ok(Uint32Array::new(array).to_vec());
    }
    if !array.is_object() {
        return Err(array.as_f64().unwrap_or(f64::NAN));
    }
    let whole = |x: f64| {
        let number = x as i64;
        if number as f64 == x && range.contains(&number) { Ok(number as u32) } else { Err(x) }
    };
    Float64Array::new(array).to_vec().into_iter().map(whole).collect()
}

pub fn vector(numbers: &[f64], what: &str) -> JsResult<Vector3<f64>> {
    let numbers = <[f64; 3]>::try_from(numbers).map_err(|_| invalid(format!("{what} is three numbers")))?;
    Ok(numbers.into())
}

/// Reads a translation, three numbers; `None` is zero.
pub fn translation(numbers: Option<Vec<f64>>) -> JsResult<Vector3<f64>> {
    numbers.map_or(Ok(Vector3::zeros()), |numbers| vector(&numbers, "a translation"))
}

pub fn point(numbers: &[f64], what: &str) -> JsResult<Point3<f64>> {
    vector(numbers, what).map(Point3::from)
}

pub fn direction(numbers: &[f64]) -> JsResult<UnitVector3<f64>> {
    let vector = vector(numbers, "a direction")?;
    unit_vector(&vector).ok_or_else(|| invalid("a direction is finite and has a length"))
}
