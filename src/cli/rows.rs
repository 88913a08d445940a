//! Text files of rows: where their lines come from and which of them are rows.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::error::CliError;

/// Hands each row of a file, or of stdin if the path is `-`, to `parse`, with what tells its place for an error. Lines
/// that are blank or start with `#` are no rows. `what` names the rows.
pub fn for_each_row(
    path: &Path,
    what: &str,
    parse: impl FnMut(&str, &dyn Fn() -> String) -> Result<(), CliError>,
) -> Result<(), CliError> {
    if path == Path::new("-") {
        return for_each_row_in(io::stdin().lock(), "stdin", what, parse);
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| cannot_read(what, &name, &error))?;
    for_each_row_in(BufReader::new(file), &name, what, parse)
}

fn for_each_row_in(
    mut reader: impl BufRead,
    name: &str,
    what: &str,
    mut parse: impl FnMut(&str, &dyn Fn() -> String) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut line = Vec::new();
    for number in 1.. {
        let place = || format!("{name}, line {number}");
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(|error| cannot_read(what, name, &error))?;
        if length == 0 {
            break;
        }
        let text = str::from_utf8(&line).map_err(|_| CliError::new(format!("{}: not UTF-8 text", place())))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() && !text.starts_with('#') {
            parse(text, &place)?;
        }
    }
    Ok(())
}

fn cannot_read(what: &str, name: &str, error: &io::Error) -> CliError {
    CliError::caused(format!("cannot read {what} from {name}"), error)
}
