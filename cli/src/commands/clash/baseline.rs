//! Results of earlier runs: the baseline (a report to compare with) and the team's decisions about clashes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use bvtree::scene::BodyRelation;
use bvtree_clash::{Change, Clash, Decision, Status, bcf, clash_id};
use serde_json::Value;

use crate::csv_tables::of_text_cell;
use crate::error::CliError;
use crate::input::read_text;

/// The clashes of an earlier report that have not been found again, keyed by id.
#[derive(Debug, Default)]
pub struct Baseline {
    left: BTreeMap<String, Earlier>,
    /// The ids, keyed by the bodies' names, for bodies whose GlobalIds have changed since.
    ids: HashMap<[String; 2], String>,
}

/// A clash of an earlier report.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    pub names: [String; 2],
    pub relation: String,
    depth: Option<f64>,
    distance: Option<f64>,
    pub decision: Option<Decision>,
}

/// Depths and distances that differ by at most this fraction count as the same, because depths are computed to one
/// percent.
const SAME_DEPTH: f64 = 0.025;

impl Earlier {
    /// The change of a clash since the earlier report. Bodies that did not overlap and do now are worse, however deep
    /// the overlap is. The change is [`Change::Same`] if one of two depths, or one of two distances, is unknown, and if
    /// the relation is [`BodyRelation::Undefined`] now.
    pub fn change_to(&self, clash: &Clash) -> Change {
        if let Some(before) = rank(&self.relation)
            && let Some(now) = rank(clash.relation.name()).filter(|now| *now != before)
            && clash.relation != BodyRelation::Undefined
        {
            return if now > before { Change::Worse } else { Change::Better };
        }
        let now = severity(clash.relation.name(), clash.depth, Some(clash.distance));
        let (Some(before), Some(now)) = (severity(&self.relation, self.depth, self.distance), now) else {
            return Change::Same;
        };
        if (now - before).abs() <= SAME_DEPTH * now.abs().max(before.abs()) {
            Change::Same
        } else if now > before {
            Change::Worse
        } else {
            Change::Better
        }
    }
}

/// The rank of a relation: the surfaces are apart, the bodies touch, or they overlap; `None` if the name is unknown.
fn rank(relation: &str) -> Option<u8> {
    match relation {
        "separate" | "undefined" => Some(0),
        "touching" => Some(1),
        "crossing" | "a_in_b" | "b_in_a" | "coincident" => Some(2),
        _ => None,
    }
}

/// The depth of an overlap, 0 for bodies that touch, and the negative distance of bodies apart; `None` if unknown.
fn severity(relation: &str, depth: Option<f64>, distance: Option<f64>) -> Option<f64> {
    match relation {
        "separate" => distance.map(|distance| -distance),
        "touching" => Some(0.0),
        _ => depth,
    }
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
        let mut baseline = Self::default();
        // Clashes that were already gone are dropped.
        for row in rows.into_iter().filter(|row| row.change != "gone") {
            let names = row.earlier.names.each_ref().map(String::as_str);
            let id = row.id.unwrap_or_else(|| clash_id(names, ""));
            baseline.ids.insert(row.earlier.names.clone(), id.clone());
            baseline.left.insert(id, row.earlier);
        }
        Ok(baseline)
    }

    /// Removes and returns the clash of this id, or else the clash of the two bodies with these names, in either order.
    pub fn take(&mut self, id: &str, names: [&str; 2]) -> Option<Earlier> {
        let [forth, back] = [names, [names[1], names[0]]].map(|names| names.map(str::to_owned));
        let by_name = || [&forth, &back].into_iter().find_map(|names| self.ids.get(names).map(String::as_str));
        let known = if self.left.contains_key(id) { id } else { by_name()? };
        let mut earlier = self.left.remove(known)?;
        // Manifests may have been reordered.
        if earlier.names == back && forth != back {
            earlier.relation = turned(earlier.relation);
        }
        Some(earlier)
    }

    /// The clashes that were not found again, with their ids, in the order of the bodies' names.
    pub fn gone(self) -> Vec<(String, Earlier)> {
        let mut gone: Vec<_> = self.left.into_iter().collect();
        gone.sort_by(|a, b| a.1.names.cmp(&b.1.names));
        gone
    }
}

/// The relation's name after the two bodies are swapped.
fn turned(relation: String) -> String {
    match relation.as_str() {
        "a_in_b" => "b_in_a".to_owned(),
        "b_in_a" => "a_in_b".to_owned(),
        _ => relation,
    }
}

struct Row {
    earlier: Earlier,
    id: Option<String>,
    change: String,
}

fn csv_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let needed = |name: &str| column(name).ok_or_else(|| format!("there is no column '{name}'"));
    let (a, b, relation) = (needed("a")?, needed("b")?, needed("relation")?);
    let (id, depth, distance) = (column("id"), column("depth"), column("distance"));
    let change = column("change");
    let decided = ["status", "author", "reason"].map(column);
    let row = |record: csv::Result<csv::StringRecord>| {
        let record = record.map_err(|error| error.to_string())?;
        let field = |column: usize| record.get(column).unwrap_or_default().to_owned();
        let names = [a, b].map(|column| record.get(column).unwrap_or_default());
        // In a report for spreadsheets, names may have a protective apostrophe in front; the id shows whether they do.
        let meant = names.map(of_text_cell);
        let is_meant = id.is_some_and(|id| record.get(id) == Some(&clash_id(meant, "")));
        let names = if is_meant { meant } else { names };
        let number = |column: Option<usize>| column.and_then(|column| record.get(column)?.parse().ok());
        Ok(Row {
            earlier: Earlier {
                names: names.map(str::to_owned),
                relation: field(relation),
                depth: number(depth),
                distance: number(distance),
                decision: decision(decided.map(|column| record.get(column?)))?,
            },
            id: id.map(field).filter(|id| !id.is_empty()),
            change: change.map(field).unwrap_or_default(),
        })
    };
    reader.records().map(row).collect()
}

fn json_rows(text: &str) -> Result<Vec<Row>, String> {
    for_each_object(text, |row| {
        let field = |key: &str| row[key].as_str().map(str::to_owned);
        Ok(Row {
            earlier: Earlier {
                names: [needed(row, "a")?, needed(row, "b")?],
                relation: field("relation").unwrap_or_default(),
                depth: row["depth"].as_f64(),
                distance: row["distance"].as_f64(),
                decision: decision_in(row)?,
            },
            id: field("id"),
            change: field("change").unwrap_or_default(),
        })
    })
}

/// What `parse` makes of the JSON object of each line that is not blank; its errors get the line's number.
fn for_each_object<T>(text: &str, parse: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    let parsed = |(number, line): (usize, &str)| {
        let row = serde_json::from_slice(line.as_bytes()).map_err(|error| error.to_string());
        row.and_then(|row| parse(&row)).map_err(|what| format!("line {}: {what}", number + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parsed).collect()
}

fn needed(row: &Value, key: &str) -> Result<String, String> {
    row[key].as_str().map(str::to_owned).ok_or_else(|| format!("there is no '{key}'"))
}

fn decision_in(row: &Value) -> Result<Option<Decision>, String> {
    decision(["status", "author", "reason"].map(|key| row[key].as_str()))
}

/// The decision that a row's status, author and reason give; `None` without a status.
fn decision([status, author, reason]: [Option<&str>; 3]) -> Result<Option<Decision>, String> {
    let Some(word) = status.map(str::trim).filter(|word| !word.is_empty()) else { return Ok(None) };
    let status = Status::from_name(word).ok_or_else(|| {
        format!("expected open, reopened, approved, resolved or ignored as the status, found '{}'", word.escape_debug())
    })?;
    let text = |text: Option<&str>| of_text_cell(text.unwrap_or_default()).into();
    Ok(Some(Decision { status, author: text(author), reason: text(reason) }))
}

/// The decisions in a report, or in another table with at least the columns `id` and `status`, as pairs of a clash's id
/// and a decision.
pub fn decisions(text: &str) -> Result<Vec<(String, Decision)>, String> {
    if text.trim_start().starts_with('{') {
        let rows = for_each_object(text, |row| Ok((needed(row, "id")?.to_ascii_lowercase(), decision_in(row)?)))?;
        return Ok(rows.into_iter().filter_map(|(id, decision)| Some((id, decision?))).collect());
    }
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let needed = |name: &str| column(name).ok_or_else(|| format!("there is no column '{name}'"));
    let (id, status) = (needed("id")?, needed("status")?);
    let columns = [Some(status), column("author"), column("reason")];
    let mut decisions = Vec::new();
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(number as u64 + 2, |position| position.line());
        let decided = decision(columns.map(|column| record.get(column?)));
        let decided = decided.map_err(|what| format!("line {line}: {what}"))?;
        let id = record.get(id).unwrap_or_default().trim().to_ascii_lowercase();
        decisions.extend(decided.map(|decision| (id, decision)));
    }
    Ok(decisions)
}

/// Decisions, keyed by the ids of clashes.
#[derive(Clone, Debug, Default)]
pub struct Statuses(HashMap<String, Decision>);

impl Statuses {
    /// Reads reports and other tables, as CSV or JSON lines, and BCF files. Where two files decide about the same
    /// clash, the later one decides.
    pub fn read<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, CliError> {
        let mut statuses = Self::default();
        for path in paths {
            let is_bcf = path
                .extension()
                .is_some_and(|extension| ["bcf", "bcfzip"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
            let decisions = if is_bcf {
                bcf::read(path)?
            } else {
                let text = read_text(path, "statuses of clashes")?;
                decisions(&text).map_err(|what| {
                    CliError::new(format!("{}: {what}", path.display()))
                        .hint("--status takes a BCF file, or a table with the columns id, status, author and reason")
                })?
            };
            statuses.0.extend(decisions);
        }
        Ok(statuses)
    }

    /// The decision about a clash that has been found: that of the files read, or else that of the earlier report. A
    /// resolved clash is reopened.
    pub fn of_found(&self, id: &str, earlier: Option<Decision>) -> Option<Decision> {
        let mut decision = self.of_gone(id, earlier)?;
        if decision.status == Status::Resolved {
            decision.status = Status::Reopened;
        }
        Some(decision)
    }

    /// The decision about a clash that was not found again: that of the files read, or else that of the earlier report.
    pub fn of_gone(&self, id: &str, earlier: Option<Decision>) -> Option<Decision> {
        self.0.get(id).cloned().or(earlier)
    }
}
