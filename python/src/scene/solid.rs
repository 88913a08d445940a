//! Solid bodies and surfaces.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::tree::PyTree;

/// The Python argument `solid`: False, True or "if_closed".
#[derive(Clone, Copy)]
pub enum Solid {
    No,
    Yes,
    IfClosed,
}

impl<'py> FromPyObject<'_, 'py> for Solid {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(is_solid) = object.extract::<bool>() {
            return Ok(if is_solid { Self::Yes } else { Self::No });
        }
        match object.extract::<String>() {
            Ok(text) if text == "if_closed" => Ok(Self::IfClosed),
            Ok(text) => Err(value_error(format_args!("solid: expected True, False or \"if_closed\", not {text:?}"))),
            Err(_) => Err(PyTypeError::new_err("solid: expected True, False or \"if_closed\"")),
        }
    }
}

impl Solid {
    /// Decides whether a body with this tree is solid.
    ///
    /// # Errors
    /// NotClosed if an open mesh must be solid.
    pub fn of(self, py: Python<'_>, tree: &PyTree) -> PyResult<bool> {
        match self {
            Self::No => Ok(false),
            Self::IfClosed => Ok(tree.watertightness(py)?.is_closed()),
            Self::Yes if tree.watertightness(py)?.is_closed() => Ok(true),
            Self::Yes => Err(tree.not_closed(py, "; solid=\"if_closed\" makes the body a surface")),
        }
    }
}
