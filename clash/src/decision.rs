//! What a team has decided about a clash, and how the clash has changed since an earlier report.

use std::sync::Arc;

/// A decision about a clash. Clones share their texts: a topic's decision is that of each of its clashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The state of the clash.
    pub status: Status,
    /// Who decided; empty if unknown.
    pub author: Arc<str>,
    /// The reason; empty if none is given.
    pub reason: Arc<str>,
}

/// The state of a clash in the work of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Nobody has decided about the clash yet.
    #[default]
    Open,
    /// The clash was resolved, and has been found again.
    Reopened,
    /// The clash may remain.
    Approved,
    /// The team has marked the clash as resolved.
    Resolved,
    /// The clash may remain, and is not shown.
    Ignored,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Open, Self::Reopened, Self::Approved, Self::Resolved, Self::Ignored];

    /// The status in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reopened => "reopened",
            Self::Approved => "approved",
            Self::Resolved => "resolved",
            Self::Ignored => "ignored",
        }
    }

    /// The status with this name, ignoring case and surrounding spaces; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Whether a clash of this status may remain: it is approved or ignored.
    pub fn may_stay(self) -> bool {
        matches!(self, Self::Approved | Self::Ignored)
    }
}

/// The change of a clash since an earlier report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The earlier report does not have the clash.
    New,
    /// The clash is about as deep, or the bodies about as near, as before; or one of the depths or distances to compare
    /// is unknown.
    Same,
    /// The clash is deeper, or the bodies are nearer.
    Worse,
    /// The clash is less deep, or the bodies are farther apart.
    Better,
}

impl Change {
    /// The change in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Same => "same",
            Change::Worse => "worse",
            Change::Better => "better",
        }
    }
}
