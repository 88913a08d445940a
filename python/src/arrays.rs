//! Arrays from Python: any dtype and layout, checked for their shape and copied while the interpreter is held.

use std::slice;

use bvtree::mesh::MeshError;
use nalgebra::Point3;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::value_error;

/// An array of numbers and its shape.
pub struct Numbers<'py> {
    array: Bound<'py, PyArrayDyn<f64>>,
}

impl<'py> Numbers<'py> {
    /// Converts anything that numpy can turn into an array of numbers. Contiguous arrays of f64 are not copied.
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

    /// Borrows the numbers for immediate use: later changes in Python are visible here. Copy first, then check.
    #[allow(unsafe_code)]
    pub fn values(&self) -> &[f64] {
        // SAFETY: `self` keeps the array, which is contiguous and aligned, and the thread stays attached to the
        // interpreter; a program that writes to the array from another thread meanwhile has a data race of its own, as
        // with numpy's functions. The numbers are copied first and then checked.
        unsafe { self.array.as_slice() }.unwrap_or(&[])
    }
}

/// One row of three numbers, or many.
pub enum Rows {
    One([f64; 3]),
    Many(Vec<[f64; 3]>),
}

impl Rows {
    /// Reads an array of shape (3,) or (N, 3) of finite numbers.
    pub fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let numbers = Numbers::new(object, what)?;
        let values = numbers.values();
        let rows = match *numbers.shape() {
            [3] => Self::One([values[0], values[1], values[2]]),
            [_, 3] => Self::Many(values.as_chunks::<3>().0.to_vec()),
            ref shape => return Err(wrong_shape(what, "(3,) or (N, 3)", shape)),
        };
        // Checks the copy, which nobody else can change.
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

    pub fn asked(self) -> Asked<[f64; 3]> {
        match self {
            Self::One(row) => Asked::One(row),
            Self::Many(rows) => Asked::Many(rows),
        }
    }

    pub fn points(self) -> Asked<Point3<f64>> {
        self.asked().map(Point3::from)
    }
}

/// One item to query, or many.
pub enum Asked<T> {
    One(T),
    Many(Vec<T>),
}

impl<T: Clone> Asked<T> {
    /// Pairs items with those of another argument; a single item is paired with every item of the other argument.
    pub fn with<U: Clone>(self, other: Asked<U>, what: [&str; 2]) -> PyResult<Asked<(T, U)>> {
        Ok(match (self, other) {
            (Self::One(one), Asked::One(other)) => Asked::One((one, other)),
            (Self::One(one), Asked::Many(others)) => {
                Asked::Many(others.into_iter().map(|other| (one.clone(), other)).collect())
            }
            (Self::Many(many), Asked::One(other)) => {
                Asked::Many(many.into_iter().map(|one| (one, other.clone())).collect())
            }
            (Self::Many(many), Asked::Many(others)) if many.len() == others.len() => {
                Asked::Many(many.into_iter().zip(others).collect())
            }
            (Self::Many(many), Asked::Many(others)) => {
                let ([p, q], [m, n]) = (what, [many.len(), others.len()]);
                return Err(value_error(format_args!("{m} {p} and {n} {q}: expected as many")));
            }
        })
    }
}

impl<T> Asked<T> {
    pub fn map<U>(self, map: impl Fn(T) -> U) -> Asked<U> {
        match self {
            Self::One(one) => Asked::One(map(one)),
            Self::Many(many) => Asked::Many(many.into_iter().map(map).collect()),
        }
    }
}

/// Reads three finite numbers.
pub fn row(object: &Bound<'_, PyAny>, what: &str) -> PyResult<[f64; 3]> {
    match Rows::new(object, what)? {
        Rows::One(row) => Ok(row),
        Rows::Many(rows) => Err(wrong_shape(what, "(3,)", &[rows.len(), 3])),
    }
}

/// Points in rows, borrowed from the array or converted.
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

    /// Creates a mesh of these vertices and triangles.
    pub fn mesh(&self, triangles: Vec<[u32; 3]>) -> Result<bvtree::Mesh, MeshError> {
        bvtree::Mesh::from_arrays(self.rounded(), triangles).map_err(|error| match error {
            MeshError::NotFinite { vertex } if self.is_finite(vertex) => MeshError::BeyondF32 { vertex },
            error => error,
        })
    }

    /// Rounds to f32. Values beyond its range become infinite, which the library rejects.
    fn rounded(&self) -> Vec<Point3<f32>> {
        match self {
            Self::Single(array) => rows(array).iter().map(|&row| row.into()).collect(),
            Self::Double(numbers) => {
                numbers.values().as_chunks::<3>().0.iter().map(|row| row.map(|x| x as f32).into()).collect()
            }
        }
    }

    /// Whether the coordinates of a point are finite before rounding.
    fn is_finite(&self, vertex: usize) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Double(numbers) => {
                numbers.values().as_chunks::<3>().0.get(vertex).is_some_and(|row| row.iter().all(|x| x.is_finite()))
            }
        }
    }
}

/// Reads points in rows, rounded to f32. Values beyond its range become infinite, which the library rejects.
pub fn positions(object: &Bound<'_, PyAny>) -> PyResult<Vec<Point3<f32>>> {
    Vertices::new(object).map(|vertices| vertices.rounded())
}

/// Reads triangles as rows of three indices, of any integer type.
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
    if let Some(array) = in_order::<u32>(&array) {
        return Ok(rows(array).to_vec());
    }
    // An integer that does not fit into i64 is no valid index either.
    match (in_order::<i64>(&array), in_order::<i32>(&array)) {
        (Some(array), _) => narrowed(array),
        (_, Some(array)) => narrowed(array),
        _ => narrowed(contiguous(array.as_any(), "int64")?.cast::<PyArrayDyn<i64>>()?),
    }
}

/// Reads the number of a body, or an array of such numbers.
pub fn one_or_many(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Asked<u64>> {
    match object.extract::<u64>() {
        Ok(number) => Ok(Asked::One(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
            Err(value_error(format_args!("{what}: {object} is no number of a body")))
        }
        Err(_) => numbers(object, what).map(Asked::Many),
    }
}

/// Reads numbers of bodies or vertices, of any integer type.
pub fn numbers(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u64>> {
    let array = as_array(object, what)?;
    if array.shape().len() != 1 {
        return Err(wrong_shape(what, "(N,)", array.shape()));
    }
    if array.is_empty() {
        return Ok(Vec::new());
    }
    if !"iu".contains(kind(&array)?) {
        return Err(value_error(format_args!("{what}: expected integers, got an array of {}", array.dtype())));
    }
    let wide = contiguous(array.as_any(), "int64")?.cast_into::<PyArrayDyn<i64>>()?.to_vec()?;
    let number = |number: i64| {
        u64::try_from(number)
            .map_err(|_| value_error(format_args!("{what}: there is no {number}, they are counted from 0")))
    };
    wide.into_iter().map(number).collect()
}

/// Returns the array if it has this dtype and can be read in place.
fn in_order<'a, 'py, T: Element>(array: &'a Bound<'py, PyUntypedArray>) -> Option<&'a Bound<'py, PyArrayDyn<T>>> {
    array.cast::<PyArrayDyn<T>>().ok().filter(|array| array.is_c_contiguous() && is_readable(array.as_untyped()))
}

/// Narrows indices to 32 bits.
fn narrowed<T: Element + Copy + Into<i64>>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<Vec<[u32; 3]>> {
    let wide = rows(array);
    // No early exit, and each index is read once.
    let mut bits = 0;
    let mut narrow = |index: T| {
        let index: i64 = index.into();
        bits |= index;
        index as u32
    };
    let narrowed = wide.iter().map(|&[a, b, c]| [narrow(a), narrow(b), narrow(c)]).collect();
    if u32::try_from(bits).is_ok() {
        return Ok(narrowed);
    }
    let indices = wide.iter().zip(0..).flat_map(|(row, face)| row.map(|index| (face, index.into())));
    let (face, index): (usize, i64) =
        indices.into_iter().find(|&(_, index)| u32::try_from(index).is_err()).unwrap_or((0, bits));
    let text = format!("face {face} refers to vertex {index}: indices are counted from 0");
    Err(crate::errors::InvalidMesh::new_err(text))
}

/// Borrows rows of three for immediate use, like `Numbers::values`.
#[allow(unsafe_code)]
fn rows<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> &'a [[T; 3]] {
    // SAFETY: as in `Numbers::values`.
    unsafe { array.as_slice() }.unwrap_or(&[]).as_chunks::<3>().0
}

pub fn wrong_shape(what: &str, expected: &str, shape: &[usize]) -> PyErr {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    value_error(format_args!("{what}: expected an array of shape {expected}, got ({}{comma})", sizes.join(", ")))
}

/// Whether an array is aligned. Callers also check that it is contiguous; the dtype of a cast array implies the
/// machine's byte order.
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

/// Converts to an aligned array in C order of the given dtype.
fn contiguous<'py>(array: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1(intern!(array.py(), "astype"), (dtype, "C"))
}
