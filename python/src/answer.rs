//! Results as numpy types: numbers, truth values, and rows of structured arrays.

use numpy::{Element, IntoPyArray, PyArray1, PyArrayDescr};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};

/// The result type of a query, for one item and for many.
pub trait Answer: Element + Default + Copy + 'static {
    fn one(self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    fn many(py: Python<'_>, answers: Vec<Self>) -> Py<PyAny> {
        answers.into_pyarray(py).into_any().unbind()
    }
}

impl Answer for bool {
    fn one(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyBool::new(py, self).to_owned().into_any().unbind())
    }
}

impl Answer for f64 {
    fn one(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyFloat::new(py, self).into_any().unbind())
    }
}

impl Answer for i64 {
    fn one(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyInt::new(py, self).into_any().unbind())
    }
}

/// A row of a structured array whose fields can also be read as attributes.
pub trait Record: Element + Copy + Default + 'static {
    /// Whether the row means "no result", which becomes None if a single item was queried.
    fn is_none(&self) -> bool {
        false
    }
}

impl<T: Record> Answer for T {
    fn one(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.is_none() {
            return Ok(py.None());
        }
        Ok(PyArray1::from_slice(py, &[self]).as_any().get_item(0)?.unbind())
    }
}

/// Declares a record: its fields in order, each with numpy's name of its type. The record must have no padding.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $format:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name {
            $(pub $field: $type),+
        }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$type>())+, "no padding");

        // SAFETY: plain numbers in C's layout, which the dtype describes: numpy lays out fields one after the other.
        #[allow(unsafe_code)]
        unsafe impl Element for $name {
            const IS_COPY: bool = true;

            fn get_dtype(py: Python<'_>) -> Bound<'_, PyArrayDescr> {
                static DTYPE: PyOnceLock<Py<PyArrayDescr>> = PyOnceLock::new();
                let make = || dtype(py, &[$((stringify!($field), $format)),+], size_of::<$name>()).unbind();
                DTYPE.get_or_init(py, make).bind(py).clone()
            }

            fn clone_ref(&self, _py: Python<'_>) -> Self {
                *self
            }
        }
    };
}

pub(crate) use record;

/// Returns the dtype of a record.
///
/// # Panics
/// Panics if numpy cannot lay out the fields as Rust does, which the tests would show.
pub fn dtype<'py>(py: Python<'py>, fields: &[(&str, &str)], size: usize) -> Bound<'py, PyArrayDescr> {
    let make = || -> PyResult<Bound<'py, PyArrayDescr>> {
        let numpy = py.import("numpy")?;
        let options = PyDict::new(py);
        let fields: Vec<(&str, Bound<'_, PyAny>)> = fields
            .iter()
            .map(|&(name, format)| Ok((name, numpy.call_method1("dtype", (format,))?)))
            .collect::<PyResult<_>>()?;
        options.set_item("dtype", (numpy.getattr("record")?, fields))?;
        Ok(numpy.getattr("dtype")?.call((), Some(&options))?.cast_into()?)
    };
    let made = make().expect("numpy knows the types of numbers");
    let itemsize: usize = made.getattr("itemsize").and_then(|size| size.extract()).expect("dtypes have sizes");
    assert_eq!(itemsize, size);
    made
}
