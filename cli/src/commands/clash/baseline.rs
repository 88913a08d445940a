//! Clash ids, which are stable between runs, and the baseline: an earlier report to compare with.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use crate::csv_writer::of_text_cell;
use crate::error::CliError;
use crate::input::read_text;

/// The clashes of an earlier report, by the bodies' names.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The clashes that have not been found again, with their relations.
    left: BTreeMap<[String; 2], String>,
}

impl Baseline {
    /// Reads a report that was written as CSV or as JSON lines.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let text = read_text(path, "a report of clashes")?;
        let rows = if text.trim_start().starts_with('{') { json_rows(&text) } else { csv_rows(&text) };
        let rows = rows.map_err(|what| {
            CliError::new(format!("{}: {what}", path.display()))
                .hint("a baseline is what `bvtree clash --format csv`, `spreadsheet` or `json` wrote")
        })?;
        // Clashes that were already gone are dropped.
        let left = rows.into_iter().filter(|row| row.status != "gone").map(|row| (row.names, row.relation)).collect();
        Ok(Self { left })
    }

    /// Removes and returns the relation that two bodies had, if they clashed.
    pub fn take(&mut self, a: &str, b: &str) -> Option<String> {
        // Manifests may have been reordered.
        let [forth, back] = [[a, b], [b, a]].map(|names| names.map(str::to_owned));
        self.left.remove(&forth).or_else(|| self.left.remove(&back).map(turned))
    }

    /// The clashes that were not found again.
    pub fn gone(self) -> impl Iterator<Item = ([String; 2], String)> {
        self.left.into_iter()
    }
}

/// The relation of two bodies with the bodies swapped.
fn turned(relation: String) -> String {
    match relation.as_str() {
        "a_in_b" => "b_in_a".to_owned(),
        "b_in_a" => "a_in_b".to_owned(),
        _ => relation,
    }
}

struct Row {
    names: [String; 2],
    relation: String,
    status: String,
}

fn csv_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let needed = |name: &str| column(name).ok_or_else(|| format!("there is no column '{name}'"));
    let (a, b, relation) = (needed("a")?, needed("b")?, needed("relation")?);
    let (id, status) = (column("id"), column("status"));
    let row = |record: csv::Result<csv::StringRecord>| {
        let record = record.map_err(|error| error.to_string())?;
        let field = |column: usize| record.get(column).unwrap_or_default().to_owned();
        let names = [a, b].map(|column| record.get(column).unwrap_or_default());
        // Names of a spreadsheet's report may have an apostrophe in front; the id tells.
        let meant = names.map(of_text_cell);
        let is_meant = id.is_some_and(|id| record.get(id) == Some(&clash_id(meant, "")));
        let names = if is_meant { meant } else { names };
        Ok(Row {
            names: names.map(str::to_owned),
            relation: field(relation),
            status: status.map(field).unwrap_or_default(),
        })
    };
    reader.records().map(row).collect()
}

fn json_rows(text: &str) -> Result<Vec<Row>, String> {
    let row = |(number, line): (usize, &str)| {
        let row: Value =
            serde_json::from_slice(line.as_bytes()).map_err(|error| format!("line {}: {error}", number + 1))?;
        let field = |key: &str| row[key].as_str().map(str::to_owned);
        let needed = |key: &str| field(key).ok_or_else(|| format!("line {}: there is no '{key}'", number + 1));
        Ok(Row {
            names: [needed("a")?, needed("b")?],
            relation: field("relation").unwrap_or_default(),
            status: field("status").unwrap_or_default(),
        })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(row).collect()
}

/// A UUID (version 8, RFC 9562) computed from two bodies' names, in either order, and its purpose.
pub fn clash_id(names: [&str; 2], purpose: &str) -> String {
    let [a, b] = if names[0] <= names[1] { names } else { [names[1], names[0]] };
    let mut hasher = Xxh3::new();
    for text in [a, b, purpose] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let bits = hasher.digest128();
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::clash_id;

    #[test]
    fn ids_depend_on_the_names_and_not_on_their_order() {
        assert_eq!(clash_id(["a", "b"], ""), clash_id(["b", "a"], ""));
        assert_ne!(clash_id(["a", "b"], ""), clash_id(["a", "b"], "viewpoint"));
        assert_ne!(clash_id(["ab", "c"], ""), clash_id(["a", "bc"], ""));
        let id = clash_id(["pump-1", "wall"], "");
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert!("89ab".contains(&id[19..20]));
    }
}
