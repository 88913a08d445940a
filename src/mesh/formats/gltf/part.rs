//! Where in a glTF file something is, and that it is not as expected.

use crate::mesh::{MeshError, Place};

pub(super) fn part(part: impl std::fmt::Display) -> Place {
    Place::Part(part.to_string())
}

pub(super) fn unexpected(
    place: impl std::fmt::Display,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> MeshError {
    MeshError::Unexpected { place: part(place), expected: expected.into(), found: found.into() }
}
