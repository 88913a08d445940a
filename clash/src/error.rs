//! The error type of this crate.

use thiserror::Error;

/// An error in an assembly, its rules or a BCF file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ClashError {
    /// What is wrong, and where.
    pub message: String,
    /// A hint on what to do about the error.
    pub hint: Option<String>,
}

impl ClashError {
    /// An error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The error with a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// An error with the message `context: error: cause`, with all causes of the given error.
    pub(crate) fn caused(context: &str, error: &dyn std::error::Error) -> Self {
        let mut message = format!("{context}: {error}");
        let mut source = error.source();
        while let Some(cause) = source {
            message += &format!(": {cause}");
            source = cause.source();
        }
        Self::new(message)
    }
}
