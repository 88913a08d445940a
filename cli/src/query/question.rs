//! A question that is asked at many poses, and how its answers are written.

use std::sync::Arc;

use bvtree::query::DistanceTracker;
use bvtree::{BvTree, SimdLevel};
use serde_json::Value;

use super::answer::Answer;
use super::mode::{Asker, Mode, ModeOptions};
use crate::output::Format;
use crate::poses::{PoseRow, Poses};
use crate::progress::Progress;

/// What is asked, of which trees, at which poses.
pub struct Question<'a> {
    pub mode: Mode,
    pub simd: SimdLevel,
    pub a: &'a Arc<BvTree>,
    pub b: &'a Arc<BvTree>,
    pub poses: Poses,
    pub options: ModeOptions,
    /// Whether distances start from the answer at the pose before.
    pub is_warm: bool,
}

impl Question<'_> {
    /// What a thread asks with.
    pub fn asker(&self) -> Asker {
        let tracker = self.is_warm.then(|| DistanceTracker::new(self.a, self.b));
        Asker::new(self.simd, tracker)
    }

    pub fn ask(&self, asker: &mut Asker, row: &PoseRow) -> Answer {
        self.mode.ask(asker, self.a, self.b, &row.pose, &self.options)
    }

    /// The values of the columns of groups, if these are asked for.
    pub fn groups(&self, names: &[Option<String>; 2]) -> Vec<Value> {
        if self.options.groups { names.iter().map(|name| name.as_deref().into()).collect() } else { Vec::new() }
    }

    pub fn label(&self, row: &PoseRow) -> &str {
        &self.poses.labels[row.label]
    }
}

/// How the answers are written.
pub struct Report {
    pub format: Format,
    pub quiet: bool,
}

impl Report {
    pub fn progress(&self, steps: usize) -> Progress {
        Progress::new(steps, self.quiet, self.format)
    }
}
