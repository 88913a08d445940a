//! Fields of CSV: quoting, and the protection of text that a spreadsheet would evaluate as a formula.

use std::borrow::Cow;

use serde_json::Value;

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

/// The original text of a field of a spreadsheet's CSV.
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
