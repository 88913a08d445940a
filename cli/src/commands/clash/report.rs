//! The clash report: rows on stdout and a one-line summary.

use std::collections::BTreeMap;

use bvtree_clash::{Assembly, Change, Clash, Class, Decision, Issue, Issues, clash_id};
use clap::ValueEnum;
use nalgebra::Point3;
use serde_json::Value;

use crate::args::GroupNames;
use crate::commands::clash::baseline::Statuses;
use crate::commands::clash::baseline::{Baseline, Earlier};
use crate::commands::query::GROUPS;
use crate::error::CliError;
use crate::output::{Format, Layout, Table, joined};

const COLUMNS: [&str; 28] = [
    "a",
    "b",
    "relation",
    "pairs",
    "distance",
    "class",
    "depth",
    "penetration",
    "moved",
    "x",
    "y",
    "z",
    "ax",
    "ay",
    "az",
    "bx",
    "by",
    "bz",
    "cell",
    "location",
    "id",
    "change",
    "was",
    "rule",
    "issue",
    "status",
    "author",
    "reason",
];
const WITH_GROUPS: [&str; 30] = joined(COLUMNS, GROUPS);
const SHOWN: [&str; 17] = [
    "a",
    "b",
    "relation",
    "pairs",
    "distance",
    "class",
    "depth",
    "penetration",
    "moved",
    "x",
    "y",
    "z",
    "change",
    "rule",
    "status",
    "group_a",
    "group_b",
];

/// The columns with the numbers of clashes by class.
const COUNTS: [&str; 9] =
    ["clashes", "duplicate", "moved", "enveloped", "piercing", "protruding", "touching", "too_near", "undefined"];
const COUNTS_OF_BODIES: [&str; 10] = joined(["body"], COUNTS);
const COUNTS_OF_CELLS: [&str; 10] = joined(["cell"], COUNTS);
const COUNTS_OF_ISSUES: [&str; 12] = joined(joined::<1, 9, 10>(["issue"], COUNTS), ["bodies", "depth"]);

/// The subject of a row of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Two bodies
    Pair,
    /// A body, with its number of clashes
    Body,
    /// A cell of space, with its number of clashes
    Place,
    /// Clashes of one rule and kind between the same two types, near each other on one storey or of parts that are
    /// repeated, with their number, the number of bodies and the largest depth
    Issue,
}

/// Writes a row for each clash, or counts clashes by body, place or issue.
pub struct Report<'a> {
    assembly: &'a Assembly,
    identities: Vec<String>,
    by: By,
    /// Whether rows name the groups of the meshes.
    groups: Option<GroupNames>,
    table: Table,
    cell: f64,
    baseline: Option<Baseline>,
    statuses: Statuses,
    /// Counts of clashes by class, for each body or place.
    counts: BTreeMap<String, [usize; Class::ALL.len()]>,
    issues: Issues,
    summary: Summary,
    /// Whether the search ended before all clashes were found.
    pub is_cut: bool,
}

impl<'a> Report<'a> {
    pub fn new(
        assembly: &'a Assembly,
        (by, groups): (By, Option<GroupNames>),
        (format, writes_files): (Format, bool),
        cell: Option<f64>,
        (baseline, statuses): (Option<Baseline>, Statuses),
    ) -> Self {
        let table = match by {
            By::Pair if groups.is_some() => Table::new(format, &WITH_GROUPS, Layout::Columns(&SHOWN)),
            By::Pair => Table::new(format, &COLUMNS, Layout::Columns(&SHOWN)),
            By::Body => Table::new(format, &COUNTS_OF_BODIES, Layout::Columns(&COUNTS_OF_BODIES)),
            By::Place => Table::new(format, &COUNTS_OF_CELLS, Layout::Columns(&COUNTS_OF_CELLS)),
            By::Issue => Table::new(format, &COUNTS_OF_ISSUES, Layout::Columns(&COUNTS_OF_ISSUES)),
        };
        let table = table.beside_files(writes_files);
        let cell = cell.filter(|&cell| cell > 0.0).unwrap_or_else(|| assembly.cell());
        let summary = Summary { new: baseline.as_ref().map(|_| 0), ..Summary::default() };
        let identities = assembly.identities();
        Self {
            assembly,
            identities,
            by,
            groups,
            table,
            cell,
            baseline,
            statuses,
            counts: BTreeMap::new(),
            issues: Issues::new(Issues::CELLS * cell),
            summary,
            is_cut: false,
        }
    }

    /// The number of clashes so far.
    pub fn count(&self) -> usize {
        self.summary.clashes
    }

    /// Adds a clash, and sets its decision and its change since the baseline.
    pub fn add(&mut self, clash: &mut Clash) -> Result<(), CliError> {
        let names = clash.parts.map(|part| self.assembly.parts[part].name.as_str());
        let id = clash_id(clash.parts.map(|part| self.identities[part].as_str()), "");
        let earlier = self.baseline.as_mut().and_then(|baseline| baseline.take(&id, names));
        clash.change = self.baseline.is_some().then(|| earlier.as_ref().map_or(Change::New, |e| e.change_to(clash)));
        let (was, decided) = earlier.map(|earlier| (earlier.relation, earlier.decision)).unzip();
        clash.decision = self.statuses.of_found(&id, decided.flatten());
        self.summary.add(clash);
        if self.by != By::Pair && clash.is_ignored() {
            return Ok(());
        }
        self.issues.add(self.assembly, clash);
        let cell = self.cell(&clash.place);
        match self.by {
            By::Pair => {
                let mut values = values(clash, names, cell);
                let change = clash.change.map(Change::name);
                values.push(self.assembly.location(clash.parts, &clash.place).into());
                values.extend([id.into(), change.into(), was.into(), self.assembly.rule_name(clash.rule).into()]);
                values.push(self.issues.all()[clash.issue].title.as_str().into());
                values.extend(decision_values(clash.decision.as_ref()));
                if let Some(names) = self.groups {
                    values.extend(self.group_names(clash, names));
                }
                self.table.row(values)
            }
            By::Body => {
                names
                    .into_iter()
                    .for_each(|name| self.counts.entry(name.to_owned()).or_default()[clash.class as usize] += 1);
                Ok(())
            }
            By::Place => {
                self.counts.entry(cell).or_default()[clash.class as usize] += 1;
                Ok(())
            }
            By::Issue => Ok(()),
        }
    }

    /// Writes the remaining rows and returns the summary and the issues.
    pub fn finish(mut self) -> Result<(Summary, Issues), CliError> {
        // A search that was cut short cannot tell which clashes are gone.
        if let Some(baseline) = self.baseline.filter(|_| !self.is_cut) {
            for (id, earlier) in baseline.gone() {
                self.summary.gone += 1;
                if self.by == By::Pair {
                    let decision = self.statuses.of_gone(&id, earlier.decision.clone());
                    let mut values = gone(id, earlier, decision.as_ref());
                    values.resize(if self.groups.is_some() { WITH_GROUPS.len() } else { COLUMNS.len() }, Value::Null);
                    self.table.row(values)?;
                }
            }
        }
        let mut counts: Vec<_> = self.counts.into_iter().collect();
        counts.sort_by_key(|(_, classes)| std::cmp::Reverse(classes.iter().sum::<usize>()));
        for (name, classes) in counts {
            let all = classes.iter().sum::<usize>();
            self.table.row([name.into(), all.into()].into_iter().chain(classes.map(Value::from)).collect())?;
        }
        if self.by == By::Issue {
            let mut issues: Vec<&Issue> = self.issues.all().iter().collect();
            issues.sort_by_key(|issue| std::cmp::Reverse(issue.count));
            for issue in issues {
                let counts = [issue.title.as_str().into(), issue.count.into()].into_iter();
                let counts = counts.chain(issue.by_class.map(Value::from));
                self.table.row(counts.chain([issue.parts.len().into(), issue.depth.into()]).collect())?;
            }
        }
        self.table.finish()?;
        self.summary.is_cut = self.is_cut;
        Ok((self.summary, self.issues))
    }

    /// The names of the groups that the clashing triangles belong to.
    fn group_names(&self, clash: &Clash, names: GroupNames) -> [Value; 2] {
        let trees = clash.parts.map(|part| &*self.assembly.parts[part].tree);
        clash.faces.map(|faces| names.of_pair(trees, faces)).unwrap_or_default().map(Value::from)
    }

    fn cell(&self, place: &Point3<f64>) -> String {
        let [i, j, k] = [place.x, place.y, place.z].map(|x| (x / self.cell).floor() as i64);
        format!("{i} {j} {k}")
    }
}

/// The values of the columns up to `cell`.
fn values(clash: &Clash, names: [&str; 2], cell: String) -> Vec<Value> {
    let mut values: Vec<Value> = names.map(Value::from).into();
    values.extend([clash.relation.name().into(), clash.pairs.into(), clash.distance.into(), clash.class.name().into()]);
    values.extend([clash.depth.into(), clash.penetration.into(), clash.moved.into()]);
    for point in [&clash.place, &clash.points[0], &clash.points[1]] {
        values.extend(point.iter().map(|&x| Value::from(x)));
    }
    values.push(cell.into());
    values
}

/// The values of the columns from `status` on.
fn decision_values(decision: Option<&Decision>) -> [Value; 3] {
    let text = |text: fn(&Decision) -> &str| decision.map(text).filter(|text| !text.is_empty()).into();
    [text(|decision| decision.status.name()), text(|decision| &decision.author), text(|decision| &decision.reason)]
}

fn gone(id: String, earlier: Earlier, decision: Option<&Decision>) -> Vec<Value> {
    let mut values: Vec<Value> = earlier.names.map(Value::from).into();
    values.resize(COLUMNS.len() - 8, Value::Null);
    values.extend([id.into(), "gone".into(), earlier.relation.into(), Value::Null, Value::Null]);
    values.extend(decision_values(decision));
    values
}

/// Counts of the clashes found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub clashes: usize,
    pub by_class: [usize; Class::ALL.len()],
    /// The number of clashes that the baseline lacks; `None` without a baseline.
    pub new: Option<usize>,
    /// The number of clashes that are deeper or nearer than in the baseline.
    pub worse: usize,
    /// The number of clashes that are less deep or farther apart than in the baseline.
    pub better: usize,
    /// The number of clashes of the baseline that no longer exist; 0 if the search was cut short.
    pub gone: usize,
    /// The number of clashes that were approved.
    pub approved: usize,
    pub ignored: usize,
    /// The number of clashes that the team must settle: neither approved nor ignored and, with a baseline, new or
    /// worse.
    pub to_settle: usize,
    /// Whether the search was cut short, so that more clashes may exist.
    pub is_cut: bool,
}

impl Summary {
    /// Counts a clash and its change since the baseline.
    fn add(&mut self, clash: &Clash) {
        self.clashes += 1;
        self.by_class[clash.class as usize] += 1;
        match clash.change {
            Some(Change::New) => self.new = self.new.map(|new| new + 1),
            Some(Change::Worse) => self.worse += 1,
            Some(Change::Better) => self.better += 1,
            Some(Change::Same) | None => {}
        }
        let may_stay = clash.decision.as_ref().is_some_and(|decision| decision.status.may_stay());
        let is_known = matches!(clash.change, Some(Change::Same | Change::Better));
        self.ignored += usize::from(clash.is_ignored());
        self.approved += usize::from(may_stay && !clash.is_ignored());
        self.to_settle += usize::from(!may_stay && !is_known);
    }

    /// The summary as one line of text.
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
            text += &format!("; {new} new");
            for (count, what) in [(self.worse, "worse"), (self.better, "better")] {
                if count > 0 {
                    text += &format!(", {count} {what}");
                }
            }
            text += &format!(", {} same", self.clashes - new - self.worse - self.better);
            if !self.is_cut {
                text += &format!(", {} gone", self.gone);
            }
        }
        for (count, what) in [(self.approved, "approved"), (self.ignored, "ignored")] {
            if count > 0 {
                text += &format!("; {count} {what}");
            }
        }
        text
    }

    /// Prints the summary to stderr.
    pub fn tell(&self, limit: Option<usize>) {
        eprintln!("{}", self.text());
        if let (true, Some(limit)) = (self.is_cut, limit) {
            eprintln!("note: the search ended at --limit {limit}: there are more");
        }
    }
}
