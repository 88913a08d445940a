//! What a team has decided about a clash, and what has become of it.

/// A decision about a clash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The state of the clash.
    pub status: Status,
    /// Who decided, or nothing.
    pub author: String,
    /// Why, or nothing.
    pub reason: String,
}

/// The state of a clash in the work of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Nobody has decided yet.
    #[default]
    Open,
    /// The clash was resolved, and has been found again.
    Reopened,
    /// The clash may remain.
    Approved,
    /// The clash is said to be gone.
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

    /// The status of a name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Whether a clash of this status needs no more work.
    pub fn may_stay(self) -> bool {
        matches!(self, Self::Approved | Self::Ignored)
    }
}

/// The change of a clash since an earlier report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    New,
    /// Nothing has changed.
    Same,
    /// It is deeper, or nearer.
    Worse,
    /// It is less deep, or farther apart.
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
