//! What a team has decided about clashes, which is kept from one report to the next.

use std::collections::HashMap;
use std::path::Path;

use crate::commands::clash::baseline;
use crate::commands::clash::bcf;
use crate::error::CliError;
use crate::input::read_text;

/// A decision about a clash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub status: Status,
    pub author: String,
    pub reason: String,
}

/// The state of a clash in the work of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    #[default]
    Open,
    /// The clash was resolved, and has been found again.
    Reopened,
    /// The clash may remain.
    Approved,
    Resolved,
    /// The clash may remain, and is not shown.
    Ignored,
}

impl Status {
    const ALL: [Self; 5] = [Self::Open, Self::Reopened, Self::Approved, Self::Resolved, Self::Ignored];

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reopened => "reopened",
            Self::Approved => "approved",
            Self::Resolved => "resolved",
            Self::Ignored => "ignored",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Whether a clash of this status needs no more work.
    pub fn may_stay(self) -> bool {
        matches!(self, Self::Approved | Self::Ignored)
    }
}

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
            if is_bcf {
                statuses.0.extend(bcf::read(path)?);
            } else {
                let text = read_text(path, "statuses of clashes")?;
                let decisions = baseline::decisions(&text).map_err(|what| {
                    CliError::new(format!("{}: {what}", path.display()))
                        .hint("--status takes a BCF file, or a table with the columns id, status, author and reason")
                })?;
                statuses.0.extend(decisions);
            }
        }
        Ok(statuses)
    }

    /// The decision about a clash, or else that of an earlier report, now that the clash has been found.
    pub fn of_found(&self, id: &str, earlier: Option<Decision>) -> Option<Decision> {
        let mut decision = self.0.get(id).cloned().or(earlier)?;
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
