//! A report in a line.

use super::find::Class;

/// How many clashes there are.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub clashes: usize,
    pub by_class: [usize; Class::ALL.len()],
    /// With a baseline, those that were not in it.
    pub new: Option<usize>,
    /// Those in the baseline that are not there any more.
    pub gone: usize,
    /// Whether there may be more.
    pub is_cut: bool,
}

impl Summary {
    pub fn add(&mut self, class: Class) {
        self.clashes += 1;
        self.by_class[class as usize] += 1;
    }

    /// In words.
    pub fn text(&self) -> String {
        let counts = Class::ALL.iter().zip(self.by_class).filter(|(_, count)| *count > 0);
        let counts: Vec<_> =
            counts.map(|(class, count)| format!("{count} {}", class.name().replace('_', " "))).collect();
        let what = if self.clashes == 1 { "clash" } else { "clashes" };
        let mut text = format!("{} {what}", self.clashes);
        if !counts.is_empty() {
            text += &format!(": {}", counts.join(", "));
        }
        if let Some(new) = self.new {
            text += &format!("; {new} new, {} same", self.clashes - new);
            if !self.is_cut {
                text += &format!(", {} gone", self.gone);
            }
        }
        text
    }

    /// To stderr.
    pub fn tell(&self, limit: Option<usize>) {
        eprintln!("{}", self.text());
        if let (true, Some(limit)) = (self.is_cut, limit) {
            eprintln!("note: the search ended at --limit {limit}: there are more");
        }
    }
}
