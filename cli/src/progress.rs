//! A bar on stderr while long work runs: only on a terminal, and only once it has run for a while.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::output::Format;

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Counts steps of work for people to see.
pub struct Progress {
    total: u64,
    done: u64,
    began: Instant,
    bar: Option<ProgressBar>,
    silent: bool,
}

impl Progress {
    /// No bar is shown if `quiet`, where stderr is not a terminal, or where rows scroll by on one anyway.
    pub fn new(total: usize, quiet: bool, format: Format) -> Self {
        let rows_scroll = format != Format::Text && io::stdout().is_terminal();
        let silent = quiet || rows_scroll || !io::stderr().is_terminal();
        Self { total: total as u64, done: 0, began: Instant::now(), bar: None, silent }
    }

    /// Some more steps are done; `at` names what the work is at.
    pub fn advance(&mut self, steps: usize, at: &str) {
        self.done += steps as u64;
        if self.bar.is_none() && !self.silent && self.done < self.total && self.began.elapsed() > PATIENCE {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {per_sec}  {elapsed}, {eta} left  {msg}");
            self.bar = Some(ProgressBar::new(self.total).with_style(style.unwrap_or(ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(at.to_owned());
            bar.set_position(self.done);
        }
    }

    /// Writes to stderr, by `write`, without tearing the bar.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
