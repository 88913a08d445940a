//! What the program's exit codes mean, beside 0 for answered and 130 for interrupted.

/// Contact, clashes or stale trees, where `--exit-code` or `--check` asks for it.
pub const CONTACT: u8 = 1;
/// Bad usage or bad input.
pub const FAILED: u8 = 2;
