//! The argument `solid`: surfaces and solids.

use bvtree::query;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::tree::{PyTree, tree_argument};

/// The Python argument `solid`: False, True, "if_closed" or, where a query takes it, "robust".
#[derive(Clone, Copy)]
pub enum Solid {
    No,
    Yes,
    IfClosed,
    Robust,
}

const EXPECTED: &str = "solid: expected True, False, \"if_closed\" or, of two trees, \"robust\"";

impl<'py> FromPyObject<'_, 'py> for Solid {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(is_solid) = object.extract::<bool>() {
            return Ok(if is_solid { Self::Yes } else { Self::No });
        }
        match object.extract::<String>() {
            Ok(text) if text == "if_closed" => Ok(Self::IfClosed),
            Ok(text) if text == "robust" => Ok(Self::Robust),
            Ok(text) => Err(value_error(format_args!("{EXPECTED}, not {text:?}"))),
            Err(_) => Err(PyTypeError::new_err(EXPECTED)),
        }
    }
}

impl Solid {
    /// Decides whether a body with this tree is solid.
    ///
    /// # Errors
    /// NotClosed if the mesh is open but must be solid; ValueError for "robust".
    pub fn of(self, py: Python<'_>, tree: &PyTree) -> PyResult<bool> {
        match self {
            Self::No => Ok(false),
            Self::Robust => Err(value_error("solid: \"robust\" is for questions about two trees, not for scenes")),
            Self::IfClosed => Ok(tree.watertightness(py)?.is_closed()),
            Self::Yes if tree.watertightness(py)?.is_closed() => Ok(true),
            Self::Yes => Err(tree.not_closed(py, "; solid=\"if_closed\" makes the body a surface")),
        }
    }
}

/// The Python argument `solid` of a question about two meshes: a choice for both, or one for A and one for B.
#[derive(Clone, Copy)]
pub struct Solids([Solid; 2]);

impl Solids {
    pub const NO: Self = Self([Solid::No; 2]);

    /// The choice for a query about two trees.
    ///
    /// # Errors
    /// NotClosed if a mesh is open but must be solid, TypeError if the argument for such a mesh is not a tree.
    pub fn of(self, py: Python<'_>, [a, b]: [&Bound<'_, PyAny>; 2]) -> PyResult<[query::Solid; 2]> {
        let Self(choices) = self;
        let mut solids = [query::Solid::No; 2];
        for (i, (argument, name)) in [(a, "a"), (b, "b")].into_iter().enumerate() {
            solids[i] = match choices[i] {
                Solid::Robust => query::Solid::Robust,
                Solid::No => query::Solid::No,
                choice if choice.of(py, tree_argument(argument, name)?)? => query::Solid::IfClosed,
                _ => query::Solid::No,
            };
        }
        Ok(solids)
    }
}

impl<'py> FromPyObject<'_, 'py> for Solids {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<(Solid, Solid)>() {
            Ok((a, b)) => Ok(Self([a, b])),
            Err(_) => object.extract().map(|both| Self([both; 2])),
        }
    }
}
