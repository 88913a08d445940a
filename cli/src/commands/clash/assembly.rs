//! An assembly: named bodies, each a posed tree, and the rules by which they are compared.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::{BvTree, Pose};
use rayon::prelude::*;

use crate::error::CliError;
use crate::input::TreeArgs;

/// A body of the assembly: a named, posed tree.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    pub tree: Arc<BvTree>,
    pub pose: Pose,
    /// Indices into [`Assembly::groups`].
    pub groups: Vec<usize>,
}

/// The bodies and rules of all manifests together.
#[derive(Debug, Default)]
pub struct Assembly {
    pub parts: Vec<Part>,
    /// Names of groups.
    pub groups: Vec<String>,
    /// Pairs of body indices that are not compared, the smaller index first.
    pub ignored: Vec<[usize; 2]>,
    pub rules: Vec<Rule>,
    /// The largest clearance given by a manifest.
    pub clearance: Option<f64>,
    places: HashMap<String, usize>,
}

impl Assembly {
    /// Adds a body.
    pub fn add(&mut self, part: Part) -> Result<(), CliError> {
        if self.places.insert(part.name.clone(), self.parts.len()).is_some() {
            return Err(CliError::new(format!("two bodies have the name '{}'", part.name))
                .hint("reports identify bodies by name: names must be unique"));
        }
        self.parts.push(part);
        Ok(())
    }

    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The index of a body.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The index of a group, which is added if it is new.
    pub fn group(&mut self, name: &str) -> usize {
        self.groups.iter().position(|known| known == name).unwrap_or_else(|| {
            self.groups.push(name.to_owned());
            self.groups.len() - 1
        })
    }

    pub fn ignore(&mut self, a: usize, b: usize) {
        self.ignored.push([a.min(b), a.max(b)]);
    }
}

/// A rule about the bodies of two groups; `None` is any body.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub between: [Option<usize>; 2],
    pub clearance: Option<f64>,
    pub tolerance: Option<f64>,
    pub may_touch: Option<bool>,
    /// Whether these bodies are skipped.
    pub ignore: bool,
}

impl Rule {
    /// Whether the rule applies to two bodies of these groups.
    pub fn fits(&self, a: &[usize], b: &[usize]) -> bool {
        let is_in = |groups: &[usize], group: Option<usize>| group.is_none_or(|group| groups.contains(&group));
        let [x, y] = self.between;
        is_in(a, x) && is_in(b, y) || is_in(a, y) && is_in(b, x)
    }
}

/// The limits that decide what counts as a clash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bodies nearer than this distance clash.
    pub clearance: f64,
    /// Overlapping bodies count as touching if their overlap depth is at most this; where a mesh is open, if a move of
    /// at most this length separates them.
    pub tolerance: f64,
    /// Whether bodies may touch.
    pub may_touch: bool,
}

/// All rules of an assembly, with the limits that apply where rules set none.
#[derive(Debug)]
pub struct Rules<'a> {
    assembly: &'a Assembly,
    otherwise: Limits,
}

impl<'a> Rules<'a> {
    pub fn new(assembly: &'a Assembly, otherwise: Limits) -> Self {
        Self { assembly, otherwise }
    }

    /// The limits for two bodies by the first rule that applies; `None` if the bodies are not compared. If the
    /// assembly has rules, pairs without an applicable rule are not compared.
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

    /// The largest clearance of any rule: bodies farther apart than this cannot clash.
    pub fn reach(&self) -> f64 {
        let clearances = self.assembly.rules.iter().filter_map(|rule| rule.clearance);
        clearances.fold(self.otherwise.clearance, f64::max)
    }
}

pub struct Meshes<'a> {
    pub args: &'a TreeArgs,
    trees: HashMap<PathBuf, Arc<BvTree>>,
}

impl<'a> Meshes<'a> {
    pub fn new(args: &'a TreeArgs) -> Self {
        Self { args, trees: HashMap::new() }
    }

    /// Reads the files that are not loaded yet.
    pub fn load(&mut self, paths: &[&Path]) -> Result<(), CliError> {
        let mut new: Vec<&Path> = paths.iter().copied().filter(|path| !self.trees.contains_key(*path)).collect();
        new.sort_unstable();
        new.dedup();
        let trees: Vec<_> = new.par_iter().map(|path| self.args.open(path)).collect();
        for (path, tree) in new.into_iter().zip(trees) {
            self.trees.insert(path.to_owned(), Arc::new(tree?));
        }
        Ok(())
    }

    pub fn tree(&mut self, path: &Path) -> Result<Arc<BvTree>, CliError> {
        self.load(&[path])?;
        self.trees.get(path).cloned().ok_or_else(|| CliError::new(format!("cannot read {}", path.display())))
    }
}
