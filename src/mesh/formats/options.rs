//! How a mesh file is read.

use super::placement::{Origin, UpAxis};
use crate::enum_names::parsed_names;
use crate::mesh::{Mesh, MeshFormat};

/// How a mesh file is read. The default changes nothing but that equal vertices of STL, which has no others, become
/// one.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// The file's format; none: found from its content and its name.
    pub format: Option<MeshFormat>,
    /// Whether vertices with the same coordinates become one; none: in STL only. Answers do not depend on it.
    pub weld: Option<bool>,
    /// What the mesh's groups are.
    pub group_by: GroupBy,
    /// The axis that points up in the file: the mesh is turned so that its third one does. None: it is left as it is.
    pub up: Option<UpAxis>,
    /// What coordinates are multiplied by; after the turn.
    pub scale: f64,
    /// The point that becomes the mesh's zero; after scaling.
    pub origin: Origin,
    /// The most triangles to accept.
    pub max_triangles: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            weld: None,
            group_by: GroupBy::Object,
            up: None,
            scale: 1.0,
            origin: Origin::Zero,
            max_triangles: Mesh::MAX_COUNT,
        }
    }
}

/// What makes a group of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// An object or group of OBJ, a solid of STL, a node of glTF, named by its path.
    #[default]
    Object,
    /// A material, where the format has them.
    Material,
}

parsed_names!(GroupBy, "grouping", Object = "object", Material = "material");
