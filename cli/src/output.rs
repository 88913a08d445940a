//! Results on stdout as tables with stable keys (text, CSV, JSON), and the progress bar on stderr.

use std::io::{BufWriter, IsTerminal, Stdout, Write};
use std::time::{Duration, Instant};
use std::{io, mem};

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::csv_tables::{csv_field, spreadsheet_field};
use crate::error::{CliError, printable, without_reader};

/// The output format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns for people
    Text,
    /// A header line, then one line per row (RFC 4180); text is unchanged
    Csv,
    /// CSV for spreadsheets: an apostrophe precedes text that begins with =, +, -, @, a tab or a line break, so that it
    /// is not run as a formula
    Spreadsheet,
    /// One object per row and line
    Json,
}

/// Writes rows that all have the same columns. Text is laid out after the last row; CSV and JSON are written row by
/// row.
pub struct Table {
    format: Format,
    layout: Layout,
    columns: &'static [&'static str],
    /// Rows kept for the layout of text.
    kept: Vec<Vec<Value>>,
    has_started: bool,
    /// Whether the command goes on when the reader closes stdout.
    writes_files: bool,
    out: BufWriter<Stdout>,
}

/// The layout of text; CSV and JSON don't depend on it.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// A line per row: only the named columns, and of them only those that have a value in some row.
    Columns(&'static [&'static str]),
    /// A paragraph per row: a line for each column that has a value.
    Paragraphs,
}

impl Table {
    /// A table on stdout; nothing is written yet.
    pub fn new(format: Format, columns: &'static [&'static str], layout: Layout) -> Self {
        let out = BufWriter::new(io::stdout());
        Self { format, layout, columns, kept: Vec::new(), has_started: false, writes_files: false, out }
    }

    /// With `writes_files`, no call fails because the reader has closed stdout: the command is to write its files all
    /// the same.
    pub fn beside_files(self, writes_files: bool) -> Self {
        Self { writes_files, ..self }
    }

    fn result(&self, written: io::Result<()>) -> Result<(), CliError> {
        let written = written.map_err(|error| CliError::output(&error));
        if self.writes_files { without_reader(written) } else { written }
    }

    /// Adds a row: a value for each column, null where the row has none.
    pub fn row(&mut self, values: Vec<Value>) -> Result<(), CliError> {
        debug_assert_eq!(values.len(), self.columns.len(), "a value for each column");
        let line = match self.format {
            Format::Csv => values.iter().map(csv_field).collect::<Vec<_>>().join(","),
            Format::Spreadsheet => values.iter().map(spreadsheet_field).collect::<Vec<_>>().join(","),
            Format::Json => json_object(self.columns, &values),
            Format::Text => {
                self.kept.push(values);
                return Ok(());
            }
        };
        let written = self.start().and_then(|()| writeln!(self.out, "{line}"));
        self.result(written)
    }

    /// Flushes the rows so far to stdout.
    pub fn flush(&mut self) -> Result<(), CliError> {
        let written = self.out.flush();
        self.result(written)
    }

    /// Writes the remaining rows.
    pub fn finish(mut self) -> Result<(), CliError> {
        let rest = self.start().and_then(|()| match self.layout {
            Layout::Columns(shown) => self.write_columns(shown),
            Layout::Paragraphs => self.write_paragraphs(),
        });
        let written = rest.and_then(|()| self.out.flush());
        self.result(written)
    }

    /// Writes the CSV header, once: before the first row, or at the end of a table without rows. It is not written if
    /// an error ends the command earlier.
    fn start(&mut self) -> io::Result<()> {
        let has_header = matches!(self.format, Format::Csv | Format::Spreadsheet);
        if mem::replace(&mut self.has_started, true) || !has_header {
            return Ok(());
        }
        writeln!(self.out, "{}", self.columns.join(","))
    }

    fn write_columns(&mut self, shown: &[&str]) -> io::Result<()> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let columns: Vec<Vec<String>> = (0..self.columns.len())
            .filter(|&c| shown.contains(&self.columns[c]) && self.kept.iter().any(|row| !row[c].is_null()))
            .map(|c| {
                let cells = texts(self.kept.iter().map(|row| &row[c]));
                let is_text = self.kept.iter().any(|row| row[c].is_string());
                aligned(self.columns[c].replace('_', " "), cells, is_text)
            })
            .collect();
        for line in 0..=self.kept.len() {
            let cells: Vec<_> = columns.iter().map(|column| column[line].as_str()).collect();
            writeln!(self.out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    fn write_paragraphs(&mut self) -> io::Result<()> {
        let width = self.columns.iter().map(|column| column.len()).max().unwrap_or(0);
        for (i, row) in self.kept.iter().enumerate() {
            if i > 0 {
                writeln!(self.out)?;
            }
            for (column, value) in self.columns.iter().zip(row).filter(|(_, value)| !value.is_null()) {
                let text = texts([value].into_iter()).concat();
                writeln!(self.out, "{:width$}  {text}", column.replace('_', " "))?;
            }
        }
        Ok(())
    }
}

/// The column's lines, the header first, padded to the same width: text is aligned left, numbers right.
fn aligned(header: String, cells: Vec<String>, is_text: bool) -> Vec<String> {
    let lines = || std::iter::once(&header).chain(&cells);
    let width = lines().map(|line| line.chars().count()).max().unwrap_or(0);
    lines().map(|line| if is_text { format!("{line:<width$}") } else { format!("{line:>width$}") }).collect()
}

/// A JSON object with the keys in the columns' order. Checksums are repeated at the end as strings, `KEY_text`, because
/// many readers of JSON round numbers beyond 2^53.
fn json_object(columns: &[&str], values: &[Value]) -> String {
    let member = |(key, value): (&&str, &Value)| format!("\"{key}\":{value}");
    let is_checksum = |(key, value): &(&&str, &Value)| key.ends_with("checksum") && value.is_u64();
    let texts = columns.iter().zip(values).filter(is_checksum);
    let texts = texts.map(|(key, value)| format!("\"{key}_text\":\"{value}\""));
    let members: Vec<_> = columns.iter().zip(values).map(member).chain(texts).collect();
    format!("{{{}}}", members.join(","))
}

/// Values formatted for people. Fractional numbers have as many decimals as give the largest of them five significant
/// digits, or scientific notation if the largest is below 1e-4 or at least 1e9. Control characters are escaped.
fn texts<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Vec<String> {
    let fractions = values.clone().filter(|value| value.is_f64()).filter_map(Value::as_f64);
    let decimals = Decimals::of(fractions.fold(0.0, |max, x| x.abs().max(max)));
    values.map(|value| text(value, decimals)).collect()
}

fn text(value: &Value, decimals: Decimals) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::String(text) => printable(text).into_owned(),
        Value::Array(values) => texts(values.iter()).join(" "),
        Value::Number(number) => match number.as_f64() {
            Some(x) if number.is_f64() => decimals.format(x),
            _ => number.to_string(),
        },
        Value::Object(_) => value.to_string(),
    }
}

/// A number with five significant digits.
pub fn digits(x: f64) -> String {
    Decimals::of(x).format(x)
}

/// The notation of fractional numbers.
#[derive(Clone, Copy, Debug)]
enum Decimals {
    Fixed(usize),
    Scientific,
}

impl Decimals {
    const DIGITS: i32 = 5;

    fn of(largest: f64) -> Self {
        let magnitude = largest.log10().floor();
        if largest == 0.0 {
            Self::Fixed(0)
        } else if (-4.0..9.0).contains(&magnitude) {
            Self::Fixed((Self::DIGITS - 1 - magnitude as i32).max(0) as usize)
        } else {
            Self::Scientific
        }
    }

    fn format(self, x: f64) -> String {
        match self {
            Self::Fixed(decimals) => format!("{x:.decimals$}"),
            Self::Scientific => format!("{x:.*e}", Self::DIGITS as usize - 1),
        }
    }
}

/// Builds a JSON object; of several members with the same name, the last is kept. (`collect` would sort them first,
/// with separate code for each iterator.)
pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    members.into_iter().for_each(|(name, value)| {
        object.insert(name.into(), value);
    });
    object
}

/// The time before a progress bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two updates of a progress bar.
const UPDATE: Duration = Duration::from_millis(50);
/// The width of a progress line, which fits on a line of most terminals.
const PROGRESS_WIDTH: usize = 78;
/// The width of the bar in a progress line.
const BAR_WIDTH: usize = 30;

/// A progress bar that counts steps of work on stderr.
pub struct Progress {
    total: usize,
    done: usize,
    began: Instant,
    /// When the bar was last drawn; `None` before it appears.
    drawn: Option<Instant>,
    /// The name of the current item.
    at: String,
    silent: bool,
}

impl Progress {
    /// Starts the count. No bar is shown if `quiet`, if stderr is not a terminal, or if rows are printed to a terminal.
    pub fn new(total: usize, quiet: bool, format: Format) -> Self {
        let rows_scroll = format != Format::Text && io::stdout().is_terminal();
        let silent = quiet || rows_scroll || !io::stderr().is_terminal();
        Self { total, done: 0, began: Instant::now(), drawn: None, at: String::new(), silent }
    }

    /// Records that more steps are done; `at` names the current item.
    pub fn advance(&mut self, steps: usize, at: &str) {
        self.done += steps;
        let is_due = match self.drawn {
            None => self.done < self.total && self.began.elapsed() > PATIENCE,
            Some(drawn) => drawn.elapsed() > UPDATE,
        };
        if is_due && !self.silent {
            at.clone_into(&mut self.at);
            self.drawn = Some(Instant::now());
            self.draw();
        }
    }

    fn draw(&self) {
        let seconds = self.began.elapsed().as_secs_f64();
        let line = progress_line(self.done, self.total, seconds, &self.at);
        eprint!("\r{line:PROGRESS_WIDTH$}");
    }

    fn clear(&self) {
        if self.drawn.is_some() {
            eprint!("\r{:PROGRESS_WIDTH$}\r", "");
        }
    }

    /// Calls `write`, which may write to stderr, with the bar cleared, and then redraws the bar.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.clear();
        let result = write();
        if self.drawn.is_some() {
            self.draw();
        }
        result
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The text of the progress line, such as `[####      ] 4/10  0.8/s  5 s, 8 s left  gear`, cut to [`PROGRESS_WIDTH`].
fn progress_line(done: usize, total: usize, seconds: f64, at: &str) -> String {
    let bar = "#".repeat(BAR_WIDTH * done / total.max(1));
    let rate = done as f64 / seconds;
    let rest = if done > 0 { format!(", {:.0} s left", (total - done) as f64 / rate) } else { String::new() };
    let line = format!("[{bar:BAR_WIDTH$}] {done}/{total}  {rate:.1}/s  {seconds:.0} s{rest}  {}", printable(at));
    line.chars().take(PROGRESS_WIDTH).collect()
}

/// The columns `first` and then the columns `then`.
pub const fn joined<const L: usize, const N: usize, const M: usize>(
    first: [&'static str; L],
    then: [&'static str; N],
) -> [&'static str; M] {
    let mut columns = [""; M];
    let mut i = 0;
    while i < M {
        columns[i] = if i < L { first[i] } else { then[i - L] };
        i += 1;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_fits_on_a_line() {
        let line = progress_line(4, 10, 5.0, "gear");
        assert_eq!(line, format!("[{:30}] 4/10  0.8/s  5 s, 8 s left  gear", "#".repeat(12)));
        assert_eq!(progress_line(0, 0, 1.0, ""), format!("[{:30}] 0/0  0.0/s  1 s  ", ""));
        assert_eq!(progress_line(1, 1, 1e9, &"x".repeat(999)).len(), PROGRESS_WIDTH);
        let line = progress_line(1, 2, 1.0, "\u{1b}[2J");
        assert!(line.ends_with("  \\u{1b}[2J"), "{line:?}");
    }
}
