//! The trees of an assembly's meshes, each read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::BvTree;
use rayon::prelude::*;

use crate::error::CliError;
use crate::input::TreeArgs;

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
