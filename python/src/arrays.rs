//! Arrays from Python: any dtype and layout, checked for their shape and copied while the interpreter is held.

use std::slice;

use nalgebra::Point3;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::value_error;

/// Numbers and their shape.
pub struct Numbers<'py> {
    array: Bound<'py, PyArrayDyn<f64>>,
}

impl<'py> Numbers<'py> {
    /// Whatever numpy makes an array of numbers of. Arrays of f64 that lie in order are taken as they are.
    pub fn new(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArrayDyn<f64>>()
            && array.is_c_contiguous()
            && is_readable(array.as_untyped())
        {
            return Ok(Self { array: array.clone() });
        }
        let array = as_array(object, what)?;
        let kind = kind(&array)?;
        if !"fiub".contains(kind) {
            return Err(value_error(format_args!("{what}: expected numbers, got an array of {}", array.dtype())));
        }
        let array = contiguous(array.as_any(), "float64")?.cast_into::<PyArrayDyn<f64>>()?;
        Ok(Self { array })
    }

    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// For use at once: what Python does to the array later changes them. Copy, then check.
    #[allow(unsafe_code)]
    pub fn values(&self) -> &[f64] {
        // SAFETY: `self` keeps the array, which is contiguous and aligned, and the thread stays attached to the interpreter; a program
        // that writes to the array from another thread meanwhile has a race of its own, as it has with numpy's functions. What is
        // read is copied first and then checked.
        unsafe { self.array.as_slice() }.unwrap_or(&[])
    }
}

/// One row of three numbers, or many.
pub enum Rows {
    One([f64; 3]),
    Many(Vec<[f64; 3]>),
}

impl Rows {
    /// Of an array of shape (3,) or (N, 3) of finite numbers.
    pub fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let numbers = Numbers::new(object, what)?;
        let values = numbers.values();
        let rows = match *numbers.shape() {
            [3] => Self::One([values[0], values[1], values[2]]),
            [_, 3] => Self::Many(values.as_chunks::<3>().0.to_vec()),
            ref shape => return Err(wrong_shape(what, "(3,) or (N, 3)", shape)),
        };
        // The copy is looked at, which nobody else can change any more.
        match rows.all().iter().position(|row| row.iter().any(|x| !x.is_finite())) {
            Some(row) => Err(value_error(format_args!("{what}: row {row} has a number that is not finite"))),
            None => Ok(rows),
        }
    }

    fn all(&self) -> &[[f64; 3]] {
        match self {
            Self::One(row) => slice::from_ref(row),
            Self::Many(rows) => rows,
        }
    }

    pub fn points(self) -> Asked<Point3<f64>> {
        match self {
            Self::One(row) => Asked::One(row.into()),
            Self::Many(rows) => Asked::Many(rows.into_iter().map(Point3::from).collect()),
        }
    }
}

/// One thing to ask about, or many.
pub enum Asked<T> {
    One(T),
    Many(Vec<T>),
}

/// Three finite numbers.
pub fn row(object: &Bound<'_, PyAny>, what: &str) -> PyResult<[f64; 3]> {
    match Rows::new(object, what)? {
        Rows::One(row) => Ok(row),
        Rows::Many(rows) => Err(wrong_shape(what, "(3,)", &[rows.len(), 3])),
    }
}

/// Points in rows, as they lie in the array or converted.
pub enum Vertices<'py> {
    Single(Bound<'py, PyArrayDyn<f32>>),
    Double(Numbers<'py>),
}

impl<'py> Vertices<'py> {
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let what = "vertices";
        let vertices = match object.cast::<PyArrayDyn<f32>>() {
            Ok(array) if array.is_c_contiguous() && is_readable(array.as_untyped()) => Self::Single(array.clone()),
            _ => Self::Double(Numbers::new(object, what)?),
        };
        let shape = match &vertices {
            Self::Single(array) => array.shape(),
            Self::Double(numbers) => numbers.shape(),
        };
        match shape {
            [_, 3] | [0] => Ok(vertices),
            shape => Err(wrong_shape(what, "(N, 3)", shape)),
        }
    }

    /// The same for use at once.
    #[allow(unsafe_code)]
    pub fn mesh(&self, triangles: &[[u32; 3]]) -> Result<bvtree::Mesh, bvtree::mesh::MeshError> {
        match self {
            Self::Single(array) => {
                // SAFETY: as in `Numbers::values`.
                let values = unsafe { array.as_slice() }.unwrap_or(&[]);
                bvtree::Mesh::from_slices(values.as_chunks::<3>().0, triangles)
            }
            Self::Double(numbers) => bvtree::Mesh::from_f64_slices(numbers.values().as_chunks::<3>().0, triangles),
        }
    }
}

/// Points in rows, rounded to f32. What is beyond its range becomes infinite, which is for the library to refuse.
pub fn positions(object: &Bound<'_, PyAny>) -> PyResult<Vec<Point3<f32>>> {
    let points = match Vertices::new(object)? {
        Vertices::Single(array) => copied(&array).into_iter().map(Point3::from).collect(),
        Vertices::Double(numbers) => {
            numbers.values().as_chunks::<3>().0.iter().map(|row| row.map(|x| x as f32).into()).collect()
        }
    };
    Ok(points)
}

/// Triangles as rows of three indices, of any integer type.
pub fn triangles(object: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let what = "faces";
    let array = as_array(object, what)?;
    match array.shape() {
        [_, 3] | [0] => {}
        shape => return Err(wrong_shape(what, "(M, 3)", shape)),
    }
    if array.is_empty() {
        return Ok(Vec::new());
    }
    if !"iu".contains(kind(&array)?) {
        return Err(value_error(format_args!("{what}: expected integers, got an array of {}", array.dtype())));
    }
    if let Ok(array) = array.cast::<PyArrayDyn<u32>>()
        && array.is_c_contiguous()
        && is_readable(array.as_untyped())
    {
        return Ok(copied(array));
    }
    // What does not fit in 64 bits with a sign is no index either.
    let array = contiguous(array.as_any(), "int64")?.cast_into::<PyArrayDyn<i64>>()?;
    let wide: Vec<[i64; 3]> = copied(&array);
    let narrow = |face: usize, index: i64| {
        u32::try_from(index).map_err(|_| {
            let text = format!("face {face} refers to vertex {index}: indices are counted from 0");
            crate::errors::InvalidMesh::new_err(text)
        })
    };
    let rows = wide.iter().enumerate();
    rows.map(|(face, &[a, b, c])| Ok([narrow(face, a)?, narrow(face, b)?, narrow(face, c)?])).collect()
}

#[allow(unsafe_code)]
fn copied<T: numpy::Element + Copy>(array: &Bound<'_, PyArrayDyn<T>>) -> Vec<[T; 3]> {
    // SAFETY: as in `Numbers::values`.
    let values = unsafe { array.as_slice() }.unwrap_or(&[]);
    values.as_chunks::<3>().0.to_vec()
}

pub fn wrong_shape(what: &str, expected: &str, shape: &[usize]) -> PyErr {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    value_error(format_args!("{what}: expected an array of shape {expected}, got ({}{comma})", sizes.join(", ")))
}

/// Aligned, and in this machine's order of bytes: the dtype of a cast array sees to that.
fn is_readable(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.is_aligned()
}

fn as_array<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = AS_ARRAY.import(object.py(), "numpy", "asarray")?.call1((object,)).map_err(|error| {
        let py = object.py();
        if !error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let chained = value_error(format_args!("{what}: not an array"));
        chained.set_cause(py, Some(error));
        chained
    })?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

fn kind(array: &Bound<'_, PyUntypedArray>) -> PyResult<char> {
    array.dtype().getattr(intern!(array.py(), "kind"))?.extract()
}

/// A copy in C's order, aligned, of another dtype.
fn contiguous<'py>(array: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1(intern!(array.py(), "astype"), (dtype, "C"))
}
