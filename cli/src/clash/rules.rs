//! Which bodies are compared, and what counts as a clash between them.

use super::assembly::Assembly;

/// What counts as a clash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bodies that are nearer clash.
    pub clearance: f64,
    /// Bodies that a move of at most this frees count as touching.
    pub tolerance: f64,
    /// Whether bodies may touch.
    pub may_touch: bool,
}

/// All rules of an assembly, and the limits where they say nothing.
#[derive(Debug)]
pub struct Rules<'a> {
    assembly: &'a Assembly,
    otherwise: Limits,
}

impl<'a> Rules<'a> {
    pub fn new(assembly: &'a Assembly, otherwise: Limits) -> Self {
        Self { assembly, otherwise }
    }

    /// The limits for two bodies by the first rule that fits them; none if they are not compared. Where there are
    /// rules, bodies that none fits are not.
    pub fn limits(&self, a: usize, b: usize) -> Option<Limits> {
        let parts = &self.assembly.parts;
        if self.assembly.rules.is_empty() {
            return Some(self.otherwise);
        }
        let rule = self.assembly.rules.iter().find(|rule| rule.fits(&parts[a].groups, &parts[b].groups))?;
        (!rule.ignore).then_some(Limits {
            clearance: rule.clearance.unwrap_or(self.otherwise.clearance),
            tolerance: rule.tolerance.unwrap_or(self.otherwise.tolerance),
            may_touch: rule.may_touch.unwrap_or(self.otherwise.may_touch),
        })
    }

    /// No two bodies that are farther apart clash.
    pub fn reach(&self) -> f64 {
        let clearances = self.assembly.rules.iter().filter_map(|rule| rule.clearance);
        clearances.fold(self.otherwise.clearance, f64::max)
    }
}
