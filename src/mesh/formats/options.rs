//! How a mesh file is read: [`ReadOptions`], and the placement of coordinates that they ask for.

use std::str;

use nalgebra::Point3;

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

/// An axis that points up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// The first.
    X,
    /// The second, as in glTF.
    Y,
    /// The third, as in most of CAD.
    Z,
}

parsed_names!(UpAxis, "axis", X = "x", Y = "y", Z = "z");

/// Which point of the file's frame, turned and scaled, becomes the mesh's zero.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Origin {
    /// Its own zero.
    #[default]
    Zero,
    /// The first vertex, rounded to whole units: for meshes far from zero, whose coordinates would lose digits in f32.
    FirstVertex,
    /// This one.
    At(Point3<f64>),
}

/// What is done with each point of a file, in this order: turned so that z is up, scaled, moved, rounded to f32.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    pub(super) up: UpAxis,
    pub(super) scale: f64,
    /// None until the first vertex tells it.
    origin: Option<Point3<f64>>,
}

impl Placement {
    pub(super) fn new(up: Option<UpAxis>, scale: f64, origin: Origin) -> Self {
        let origin = match origin {
            Origin::Zero => Some(Point3::origin()),
            Origin::FirstVertex => None,
            Origin::At(origin) => Some(origin),
        };
        Self { up: up.unwrap_or(UpAxis::Z), scale, origin }
    }

    /// Whether points stay as they are.
    fn is_identity(&self) -> bool {
        self.up == UpAxis::Z && self.scale == 1.0 && self.origin == Some(Point3::origin())
    }

    pub(super) fn origin(&self) -> Point3<f64> {
        self.origin.unwrap_or(Point3::origin())
    }

    /// A number of a text. Where points stay as they are it is rounded to f32 at once, and not to f64 before, so that
    /// it is the nearest.
    pub(super) fn number(&self, word: &[u8]) -> Option<f64> {
        let word = str::from_utf8(word).ok()?;
        if self.is_identity() { word.parse::<f32>().ok().map(f64::from) } else { word.parse().ok() }
    }

    /// A point of the mesh; not finite if it is beyond f32.
    pub(super) fn place(&mut self, point: [f64; 3]) -> Point3<f32> {
        if self.is_identity() {
            return Point3::from(point).cast();
        }
        let [x, y, z] = point;
        let turned = match self.up {
            UpAxis::X => [-y, -z, x],
            UpAxis::Y => [x, -z, y],
            UpAxis::Z => point,
        };
        let scaled = Point3::from(turned) * self.scale;
        let origin = *self.origin.get_or_insert_with(|| scaled.map(f64::round));
        (scaled - origin.coords).cast()
    }
}
