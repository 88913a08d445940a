//! Arguments from JavaScript: poses, points and directions as arrays of numbers.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use bvtree::Pose;
use bvtree::pose::unit_vector;
use js_sys::{Float64Array, Uint32Array};
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

#[wasm_bindgen(module = "/js/arguments.js")]
extern "C" {
    /// A copy of the array, as a `Uint32Array` if it is a typed array of integers, otherwise as a `Float64Array`;
    /// `undefined` if it is no array of numbers.
    #[wasm_bindgen(catch, js_name = copyOfNumbers)]
    fn copy_of_numbers(array: &JsValue) -> JsResult<JsValue>;
}

/// Reads whole numbers as their lowest 32 bits. Typed arrays of integers may have any; of other arrays, `wrong` makes
/// the error of a number that is outside the range or not whole, or of a value that is no array.
pub fn whole_numbers(
    array: &JsValue,
    range: RangeInclusive<i64>,
    wrong: impl Fn(&dyn Display) -> JsValue,
) -> JsResult<Vec<u32>> {
    let numbers = match copy_of_numbers(array)?.dyn_into::<Uint32Array>() {
        Ok(integers) => return Ok(integers.to_vec()),
        Err(numbers) => numbers.dyn_into::<Float64Array>(),
    };
    let whole = |x: f64| {
        let number = x as i64;
        if number as f64 == x && range.contains(&number) { Ok(number as u32) } else { Err(wrong(&x)) }
    };
    numbers.map_err(|_| wrong(&"a value that is no array of numbers"))?.to_vec().into_iter().map(whole).collect()
}

/// Reads a name, such as that of a kind of volume; `None` if it is `undefined` or null.
pub fn name<T: FromStr<Err: Display>>(given: &JsValue, what: &str) -> JsResult<Option<T>> {
    text(given, what)?.map(|name| name.parse().map_err(invalid)).transpose()
}

/// Reads a string; `None` if it is `undefined` or null.
pub fn text(given: &JsValue, what: &str) -> JsResult<Option<String>> {
    if given.is_null() || given.is_undefined() {
        return Ok(None);
    }
    given.as_string().map(Some).ok_or_else(|| invalid(format_args!("{what}: expected a string")))
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
