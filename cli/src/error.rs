//! Errors, as one-line messages with their causes and an optional hint; notes; and the program's exit codes other than
//! 0 (answered) and 130 (interrupted).

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

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
            Self::OutputClosed => ExitCode::from(OUTPUT_CLOSED),
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

static IS_OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// For commands that also write files: the result of writing rows to stdout, without [`CliError::OutputClosed`]. The
/// command goes on without rows, and [`checked_output`] reports at its end that they are missing.
pub fn without_reader(written: Result<(), CliError>) -> Result<(), CliError> {
    match written {
        Err(CliError::OutputClosed) => {
            IS_OUTPUT_CLOSED.store(true, Ordering::Relaxed);
            Ok(())
        }
        written => written,
    }
}

/// The error of a command that went on [`without_reader`], or else the code.
pub fn checked_output(code: ExitCode) -> Result<ExitCode, CliError> {
    if IS_OUTPUT_CLOSED.swap(false, Ordering::Relaxed) { Err(CliError::OutputClosed) } else { Ok(code) }
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

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Turns notes off (`--quiet`) or on.
pub fn set_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Prints a note to stderr, unless notes are turned off.
pub fn note(text: impl Display) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        eprintln!("note: {}", printable(&text.to_string()));
    }
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
/// The exit code after the reader closed stdout: that of a process that SIGPIPE ended, as a shell shows it.
pub const OUTPUT_CLOSED: u8 = 141;
