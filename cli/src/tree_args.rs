//! Trees as arguments: cooked ones, and those that are built of meshes in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::builder::BuildError;
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use clap::Args;

use super::build_args::BuildArgs;
use super::error::CliError;
use super::input::{self, InputKind};
use super::precision;

/// Which kind of tree is expected, and how it is built of a mesh.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Volume kind: aabb, obb, sphere or kdop [default: a cooked tree's, else obb]
    #[arg(long, value_name = "KIND", help_heading = "Build options")]
    volume: Option<VolumeKind>,
    #[command(flatten)]
    build: BuildArgs,
}

impl TreeArgs {
    /// Builds a tree of the kind asked for.
    pub fn build(&self, mesh: &Mesh) -> Result<BvTree, BuildError> {
        BvTree::build(mesh, &self.build.options(self.volume.unwrap_or(BuildOptions::default().kind)))
    }

    /// Opens a cooked tree, which must be of the kind asked for if one is, or builds one of that kind.
    pub fn open(&self, path: &Path) -> Result<BvTree, CliError> {
        self.open_beside(path, None)
    }

    /// The same; what is built is of the other tree's kind if none is asked for.
    fn open_beside(&self, path: &Path, other: Option<VolumeKind>) -> Result<BvTree, CliError> {
        match InputKind::of(path)? {
            InputKind::Cooked => input::open_cooked_of(path, self.volume),
            InputKind::Mesh => {
                let volume = self.volume.or(other).unwrap_or(BuildOptions::default().kind);
                input::load_and_build(path, &self.build.options(volume))
            }
        }
    }
}

/// Two inputs, the second posed in the first one's frame.
#[derive(Debug, Args)]
pub struct PairArgs {
    /// The tree or mesh that stands still
    a: PathBuf,
    /// The tree or mesh that is posed in A's frame
    b: PathBuf,
    #[command(flatten)]
    trees: TreeArgs,
}

impl PairArgs {
    pub fn paths(&self) -> [&Path; 2] {
        [&self.a, &self.b]
    }

    /// What to note of them, each once.
    pub fn surprises(&self, trees: &[Arc<BvTree>; 2]) -> Vec<String> {
        let said =
            |(path, tree): (&Path, &Arc<BvTree>)| Some(format!("{}: {}", path.display(), precision::surprise(tree)?));
        let mut notes: Vec<String> = self.paths().into_iter().zip(trees).filter_map(said).collect();
        notes.dedup();
        notes
    }

    /// Opens or builds both, of one kind; one tree twice where both are the same file.
    pub fn open(&self) -> Result<[Arc<BvTree>; 2], CliError> {
        let open = |path, other| self.trees.open_beside(path, other).map(Arc::new);
        let [a, b] = self.paths();
        if a == b {
            let tree = open(a, None)?;
            return Ok([tree.clone(), tree]);
        }
        // The cooked one first, for the other is built to match it.
        if InputKind::of(a)? == InputKind::Mesh && InputKind::of(b)? == InputKind::Cooked {
            let b = open(b, None)?;
            return Ok([open(a, Some(b.kind()))?, b]);
        }
        let a = open(a, None)?;
        let b = open(b, Some(a.kind()))?;
        Ok([a, b])
    }
}
