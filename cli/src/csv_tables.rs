//! CSV: reads rows of numbers, such as poses, rays and points; and writes fields, quoted where necessary, and protected
//! from spreadsheets that would read them as formulas.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use crate::error::CliError;
use crate::input;

/// A row with one field for each of the expected names.
pub struct Row<'a> {
    pub fields: Vec<&'a str>,
    names: &'a [&'a str],
    /// Returns the row's file and line number.
    place: &'a dyn Fn() -> String,
    is_first: bool,
}

impl Row<'_> {
    /// The row's file and line number, for an error message.
    pub fn place(&self) -> String {
        (self.place)()
    }

    /// The finite numbers in the `N` fields from `first` on.
    pub fn numbers<const N: usize>(&self, first: usize) -> Result<[f64; N], CliError> {
        let mut numbers = [0.0; N];
        for (field, number) in (first..).zip(&mut numbers) {
            *number = parse_finite(self.fields[field]).ok_or_else(|| self.no_number(field))?;
        }
        Ok(numbers)
    }

    fn no_number(&self, field: usize) -> CliError {
        let (name, text) = (self.names[field], self.fields[field]);
        let shown: String = text.chars().take(32).collect();
        let shown = shown.escape_debug();
        let place = format!("{}, field {} ({name})", self.place(), field + 1);
        let error = CliError::new(format!("{place}: expected a finite number, found '{shown}'"));
        let is_header = self.is_first && text == name;
        if is_header { error.hint("a header line starts with '#'") } else { error }
    }
}

/// Reads a file, or stdin if the path is `-`, whose rows are `N` numbers each.
pub fn read_numbers<const N: usize>(path: &Path, what: &str, names: &[&str; N]) -> Result<Vec<[f64; N]>, CliError> {
    let mut rows = Vec::new();
    for_each_row(path, what, names, |row| {
        rows.push(row.numbers(0)?);
        Ok(())
    })?;
    Ok(rows)
}

/// Calls `parse` with each row of a file, or of stdin if the path is `-`. Fields are separated by commas; lines that
/// are blank or start with `#` are ignored. In errors, `what` names the rows and `names` the fields.
pub fn for_each_row(
    path: &Path,
    what: &str,
    names: &[&str],
    mut parse: impl FnMut(&Row) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut is_first = true;
    for_each_line(path, what, |text, place| {
        if text.starts_with('#') {
            return Ok(());
        }
        with_row(text, names, place, is_first, &mut parse)?;
        is_first = false;
        Ok(())
    })
}

/// A table of numbers with named columns.
pub struct NumberTable {
    pub names: Vec<String>,
    /// The header's file and line number.
    pub header: String,
    pub rows: Vec<Vec<f64>>,
    /// Each row's file and line number.
    pub places: Vec<String>,
}

/// Reads a table whose first line that is not blank names the columns; a `#` before the first name is ignored. Later
/// lines that start with `#` are ignored too.
pub fn read_table(path: &Path, what: &str) -> Result<NumberTable, CliError> {
    let mut table: Option<NumberTable> = None;
    for_each_line(path, what, |text, place| match &mut table {
        None => {
            let header = text.strip_prefix('#').unwrap_or(text);
            let names = with_fields(header, place, |fields| Ok(fields.into_iter().map(str::to_owned).collect()))?;
            table = Some(NumberTable { names, header: place(), rows: Vec::new(), places: Vec::new() });
            Ok(())
        }
        Some(_) if text.starts_with('#') => Ok(()),
        Some(NumberTable { names, rows, places, .. }) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            with_row(text, &names, place, false, |row| {
                let numbers = (0..names.len()).map(|field| row.numbers::<1>(field).map(|[number]| number));
                rows.push(numbers.collect::<Result<_, _>>()?);
                places.push(row.place());
                Ok(())
            })
        }
    })?;
    let no_header = || CliError::new(format!("{}: expected a line with the names of columns", path.display()));
    table.ok_or_else(no_header)
}

/// Calls `take` with the text and the place of each non-blank line of a file, or of stdin if the path is `-`.
fn for_each_line(
    path: &Path,
    what: &str,
    take: impl FnMut(&str, &dyn Fn() -> String) -> Result<(), CliError>,
) -> Result<(), CliError> {
    if input::is_stdin(path) {
        return for_each_line_in(input::take_stdin()?, "stdin", what, take);
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| cannot_read(what, &name, &error))?;
    for_each_line_in(BufReader::new(file), &name, what, take)
}

fn for_each_line_in(
    mut reader: impl BufRead,
    name: &str,
    what: &str,
    mut take: impl FnMut(&str, &dyn Fn() -> String) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut lines = Vec::new();
    let mut number = 0;
    loop {
        lines.clear();
        let length = reader.read_until(b'\n', &mut lines).map_err(|error| cannot_read(what, name, &error))?;
        if length == 0 {
            return Ok(());
        }
        let ended = lines.strip_suffix(b"\n").unwrap_or(&lines);
        // Lines may end in CR alone.
        for line in ended.strip_suffix(b"\r").unwrap_or(ended).split(|&byte| byte == b'\r') {
            number += 1;
            let place = || format!("{name}, line {number}");
            let text = str::from_utf8(line).map_err(|_| CliError::new(format!("{}: not UTF-8 text", place())))?;
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                take(text, &place)?;
            }
        }
    }
}

/// Calls `parse` with the row in a line; an error if the line does not have as many fields as there are names.
fn with_row(
    text: &str,
    names: &[&str],
    place: &dyn Fn() -> String,
    is_first: bool,
    parse: impl FnOnce(&Row) -> Result<(), CliError>,
) -> Result<(), CliError> {
    with_fields(text, place, |fields| {
        if fields.len() != names.len() {
            let message = format!("{}: expected {} fields, found {}", place(), names.len(), fields.len());
            return Err(CliError::new(message).hint(format!("a row is {}", names.join(","))));
        }
        parse(&Row { fields, names, place, is_first })
    })
}

/// Calls `take` with the fields of a line.
fn with_fields<R>(
    text: &str,
    place: &dyn Fn() -> String,
    take: impl FnOnce(Vec<&str>) -> Result<R, CliError>,
) -> Result<R, CliError> {
    let quoted = quoted_fields(text).map_err(|problem| CliError::new(format!("{}: {problem}", place())))?;
    take(match &quoted {
        Some(record) => record.iter().map(str::trim).collect(),
        None => text.split(',').map(str::trim).collect(),
    })
}

/// The fields of a line with quoted fields (RFC 4180); `None` if no field begins with a quote.
fn quoted_fields(line: &str) -> Result<Option<csv::StringRecord>, String> {
    // Quotes inside a field that does not begin with a quote are literal.
    if !line.split(',').any(|field| field.trim_start().starts_with('"')) {
        return Ok(None);
    }
    if line.matches('"').count() % 2 == 1 {
        return Err("a quoted field does not end on its line".into());
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let mut record = csv::StringRecord::new();
    reader.read_record(&mut record).map_err(|error| error.to_string())?;
    Ok(Some(record))
}

fn cannot_read(what: &str, name: &str, error: &io::Error) -> CliError {
    CliError::caused(format!("cannot read {what} from {name}"), error)
}

/// Parses a number; `None` if the text is not a number, or the number is infinite or NaN.
pub fn parse_finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|x: &f64| x.is_finite())
}

/// The CSV field of a value, quoted where necessary (RFC 4180). An array's values go into one field, separated by
/// spaces.
pub fn csv_field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => u8::from(*yes).to_string(),
        Value::String(text) => quoted(text),
        Value::Array(values) => values.iter().map(csv_field).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// The CSV field of a value, protected from being read as a formula by spreadsheets.
pub fn spreadsheet_field(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(&as_text_cell(text)),
        Value::Array(_) => as_text_cell(&csv_field(value)).into_owned(),
        other => csv_field(other),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The text with an apostrophe in front if a spreadsheet would evaluate it as a formula (OWASP, "CSV Injection"). A
/// formula that already has apostrophes in front gets one more, so that [`of_text_cell`] is the inverse.
fn as_text_cell(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// The original text of a field written for spreadsheets: without the apostrophe that protects a formula.
pub fn of_text_cell(field: &str) -> &str {
    field.strip_prefix('\'').filter(|text| is_formula(text.trim_start_matches('\''))).unwrap_or(field)
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_text_lead_back_to_it() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("-pump", "'-pump"),
            ("@", "'@"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("''+", "'''+"),
            ("pump-1", "pump-1"),
            ("'pump'", "'pump'"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!((as_text_cell(text).as_ref(), of_text_cell(cell)), (cell, text));
        }
    }
}
