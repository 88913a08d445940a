//! Files with the same count of numbers in each row.

use std::path::Path;

use crate::cli::error::CliError;
use crate::cli::poses::parse_finite;
use crate::cli::rows::for_each_row;

/// Reads all rows; `fields` names the numbers.
pub fn read<const N: usize>(path: &Path, what: &str, fields: &[&str; N]) -> Result<Vec<[f64; N]>, CliError> {
    let mut rows = Vec::new();
    for_each_row(path, what, |text, place| {
        let texts: Vec<&str> = text.split(',').map(str::trim).collect();
        if texts.len() != N {
            let error = CliError::new(format!("{}: expected {N} fields, found {}", place(), texts.len()));
            return Err(error.hint(format!("a row is {}", fields.join(","))));
        }
        let mut row = [0.0; N];
        for (field, (number, text)) in row.iter_mut().zip(texts).enumerate() {
            *number = parse_finite(text).ok_or_else(|| {
                let name = fields[field];
                let shown: String = text.chars().take(32).collect();
                let error = CliError::new(format!(
                    "{}, field {} ({name}): expected a finite number, found '{}'",
                    place(),
                    field + 1,
                    shown.escape_debug()
                ));
                let is_header = rows.is_empty() && text == name;
                if is_header { error.hint("a header line starts with '#'") } else { error }
            })?;
        }
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}
