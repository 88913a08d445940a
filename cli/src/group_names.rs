//! Which names `--groups` writes for triangles.

use bvtree::BvTree;
use bvtree::query::FacePair;
use clap::ValueEnum;

use crate::error::CliError;

/// The names of triangles' groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupNames {
    /// Objects, groups and nodes; of a tree that was cooked with --group-by material, materials
    Object,
    /// Materials; a cooked tree has them beside objects if it was cooked with --group-by both
    Material,
}

impl GroupNames {
    /// The name for a triangle; `None` if it has none.
    pub fn of(self, tree: &BvTree, face: u32) -> Option<&str> {
        let group = tree.group_of(face)?;
        match self {
            Self::Object => Some(&group.name),
            Self::Material => Some(&*group.material).filter(|name| !name.is_empty()),
        }
    }

    /// The names for a pair of triangles.
    pub fn of_pair(self, [a, b]: [&BvTree; 2], faces: FacePair) -> [Option<&str>; 2] {
        [self.of(a, faces.face_a), self.of(b, faces.face_b)]
    }

    /// An error if materials are requested and no triangle has one.
    pub fn check<'a>(names: Option<Self>, trees: impl IntoIterator<Item = &'a BvTree>) -> Result<(), CliError> {
        let has_materials = |tree: &BvTree| tree.groups().iter().any(|group| !group.material.is_empty());
        if names != Some(Self::Material) || trees.into_iter().any(has_materials) {
            return Ok(());
        }
        let hint = "cook meshes with --group-by both; --groups alone names the materials of --group-by material";
        Err(CliError::new("--groups=material: no triangle has a material beside its group").hint(hint))
    }
}
