//! Build options by name.

use std::str::FromStr;

use bvtree::{BuildOptions, Preset, VolumeKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::value_error;

/// Returns a preset's options, with some replaced by name.
pub fn build_options(kind: &str, preset: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<BuildOptions> {
    let mut built = named::<Preset>(preset)?.options(named::<VolumeKind>(kind)?);
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        let number = || {
            value
                .extract::<u32>()
                .map_err(|_| value_error(format_args!("{name}: expected a number that is not negative")))
        };
        let text = || value.extract::<String>();
        match name.as_str() {
            "builder" => built.builder = named(&text()?)?,
            "split" => built.split = named(&text()?)?,
            "collapse" => built.collapse = named(&text()?)?,
            "obb_fit" => built.obb_fit = named(&text()?)?,
            "sphere_fit" => built.sphere_fit = named(&text()?)?,
            "rotation_passes" => built.rotation_passes = number()?,
            "max_depth" => built.max_depth = number()?,
            "max_leaf_triangles" => built.max_leaf_triangles = number()?,
            _ => {
                let text = format!("Tree got an unexpected keyword argument '{name}'");
                return Err(PyTypeError::new_err(text));
            }
        }
    }
    Ok(built)
}

fn named<T: FromStr<Err = bvtree::UnknownName>>(name: &str) -> PyResult<T> {
    name.parse().map_err(value_error)
}
