//! Texts as cells of a spreadsheet, which must not run them as formulas.

use std::borrow::Cow;

/// The text with an apostrophe in front if spreadsheets take what begins so for a formula (OWASP, "CSV Injection").
/// What has apostrophes before that gets one more, so that [`of_text_cell`] is the way back.
pub fn as_text_cell(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}").into() } else { text.into() }
}

/// The text that a field of a spreadsheet's CSV stands for.
pub fn of_text_cell(field: &str) -> &str {
    field.strip_prefix('\'').filter(|text| is_formula(text.trim_start_matches('\''))).unwrap_or(field)
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::{as_text_cell, of_text_cell};

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
