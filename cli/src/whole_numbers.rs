//! Whole numbers as arguments: what is wrong with one is said in words.

use std::str::FromStr;

/// A count that is not zero, of a `NonZero` type.
pub fn parse_positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number, 1 or more".to_owned())
}

pub fn parse_whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}
