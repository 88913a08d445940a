//! What a team has decided about clashes, which is kept from one report to the next.

use std::collections::HashMap;
use std::path::Path;

use bvtree_clash::{Decision, Status, bcf};

use crate::commands::clash::baseline;
use crate::error::CliError;
use crate::input::read_text;

/// Decisions by the ids of clashes.
#[derive(Clone, Debug, Default)]
pub struct Statuses(HashMap<String, Decision>);

impl Statuses {
    /// Reads reports and other tables, as CSV or JSON lines, and BCF files. Where two files decide about the same
    /// clash, the later one counts.
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
                baseline::decisions(&text).map_err(|what| {
                    CliError::new(format!("{}: {what}", path.display()))
                        .hint("--status takes a BCF file, or a table with the columns id, status, author and reason")
                })?
            };
            statuses.0.extend(decisions);
        }
        Ok(statuses)
    }

    /// The decision about a clash, or else that of an earlier report, now that the clash has been found.
    pub fn of_found(&self, id: &str, earlier: Option<Decision>) -> Option<Decision> {
        let mut decision = self.of_gone(id, earlier)?;
        if decision.status == Status::Resolved {
            decision.status = Status::Reopened;
        }
        Some(decision)
    }

    /// The decision about a clash that no longer exists.
    pub fn of_gone(&self, id: &str, earlier: Option<Decision>) -> Option<Decision> {
        self.0.get(id).cloned().or(earlier)
    }
}
