//! Errors, as one-line messages with their causes and an optional hint; and the program's exit codes other than 0
//! (answered) and 130 (interrupted).

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command stopped.
#[derive(Debug)]
pub enum CliError {
    /// Bad usage, bad input, or a file that can't be written.
    Failed { message: String, hint: Option<String> },
    /// Errors that have been reported already: the command went on with its next input after each.
    Reported,
    /// The reader of stdout has closed it (`bvtree ... | head`).
    OutputClosed,
}

impl CliError {
    pub fn new(message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self::Failed { message: printable(&message).into_owned(), hint: None }
    }

    /// An error with the message `context: error: cause: cause`.
    pub fn caused(context: impl Display, error: &dyn Error) -> Self {
        Self::new(format!("{context}: {}", chain(error)))
    }

    pub fn hint(mut self, text: impl Into<String>) -> Self {
        if let Self::Failed { hint, .. } = &mut self {
            *hint = Some(printable(&text.into()).into_owned());
        }
        self
    }

    /// The error's message, without its hint.
    pub fn message(&self) -> &str {
        match self {
            Self::Failed { message, .. } => message,
            Self::Reported => "reported already",
            Self::OutputClosed => "nobody reads the output",
        }
    }

    /// The error for a result that could not be written.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::caused("cannot write to stdout", error),
        }
    }

    /// Prints the error to stderr if it is [`CliError::Failed`], and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Failed { message, hint } => {
                eprintln!("error: {message}");
                if let Some(hint) = hint {
                    eprintln!("  hint: {hint}");
                }
                ExitCode::from(FAILED)
            }
            Self::Reported => ExitCode::from(FAILED),
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }

    /// Reports the error so that the command can continue with its next input. `Err` means that it should stop.
    pub fn report_and_go_on(self) -> Result<(), Self> {
        match self {
            Self::OutputClosed => Err(self),
            error => {
                error.report();
                Ok(())
            }
        }
    }
}

impl From<bvtree_clash::ClashError> for CliError {
    fn from(error: bvtree_clash::ClashError) -> Self {
        let known = Self::new(error.message);
        match error.hint {
            Some(hint) => known.hint(hint),
            None => known,
        }
    }
}

/// The text with its control characters escaped: file names may contain them, and terminals would execute them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    text.chars().map(|c| if c.is_control() { c.escape_debug().to_string() } else { c.into() }).collect()
}

/// Prints a note to stderr.
pub fn note(text: impl Display) {
    eprintln!("note: {}", printable(&text.to_string()));
}

/// The error and its causes as text: `error: cause: cause`.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The exit code for contact, collisions, clashes or stale trees, with `--exit-code` or `--check`.
pub const CONTACT: u8 = 1;
/// The exit code for bad usage, bad input, or output that can't be written.
pub const FAILED: u8 = 2;
