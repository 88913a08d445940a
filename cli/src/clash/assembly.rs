//! An assembly: named bodies, each a posed tree, and what is said about comparing them.

use std::collections::HashMap;
use std::sync::Arc;

use bvtree::{BvTree, Pose};

use super::rule::Rule;
use crate::error::CliError;

/// A body.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    pub tree: Arc<BvTree>,
    pub pose: Pose,
    /// Places in [`Assembly::groups`].
    pub groups: Vec<usize>,
}

/// What manifests say, all together.
#[derive(Debug, Default)]
pub struct Assembly {
    pub parts: Vec<Part>,
    /// Names of groups.
    pub groups: Vec<String>,
    /// Bodies' places, the lesser first.
    pub ignored: Vec<[usize; 2]>,
    pub rules: Vec<Rule>,
    /// The largest that a manifest gives.
    pub clearance: Option<f64>,
    places: HashMap<String, usize>,
}

impl Assembly {
    /// Adds a body.
    pub fn add(&mut self, part: Part) -> Result<(), CliError> {
        if self.places.insert(part.name.clone(), self.parts.len()).is_some() {
            return Err(CliError::new(format!("two bodies have the name '{}'", part.name))
                .hint("reports name bodies, so each needs a name of its own"));
        }
        self.parts.push(part);
        Ok(())
    }

    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The place of a body.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The place of a group, which is a new one if need be.
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
