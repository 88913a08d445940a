//! An assembly: named bodies, each a posed tree with properties, and the rules by which they are compared.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::{BvTree, Pose};
use rayon::prelude::*;

use crate::commands::clash::rules::Rule;
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
    pub properties: Properties,
}

/// The properties of a body: `GlobalId`, `name`, `class`, `type`, `storey`, `file` and any others.
pub type Properties = BTreeMap<String, String>;

impl Part {
    pub fn property(&self, key: &str) -> Option<&str> {
        self.properties.get(key).map(String::as_str)
    }

    /// The IFC GlobalId: the property of this name, or the last part of the body's name if it looks like one. Scenes
    /// number bodies of one name: `#2` after it does not count.
    pub fn global_id(&self) -> Option<&str> {
        let last = self.name.rsplit('/').next().and_then(|last| last.split('#').next());
        self.property("GlobalId").or(last).filter(|id| is_global_id(id))
    }

    /// The name for people: the property `name`, or the body's name.
    pub fn title(&self) -> &str {
        self.property("name").filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }
}

fn is_global_id(text: &str) -> bool {
    text.len() == 22 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
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

    /// The text that identifies each body from one run to the next: its GlobalId if no other body has it, or else its
    /// name.
    pub fn identities(&self) -> Vec<&str> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        self.parts.iter().filter_map(Part::global_id).for_each(|id| *counts.entry(id).or_default() += 1);
        let is_unique = |id: &&str| counts.get(id) == Some(&1);
        self.parts.iter().map(|part| part.global_id().filter(is_unique).unwrap_or(&part.name)).collect()
    }

    /// The name of a rule, or else its number, counted from 1.
    pub fn rule_name(&self, rule: Option<usize>) -> Option<String> {
        let index = rule?;
        let name = self.rules.get(index).and_then(|rule| rule.name.clone());
        name.or_else(|| Some((index + 1).to_string()))
    }

    pub fn ignore(&mut self, a: usize, b: usize) {
        self.ignored.push([a.min(b), a.max(b)]);
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
