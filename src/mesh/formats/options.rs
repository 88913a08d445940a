//! Options for reading mesh files, and the placement of coordinates that they describe.

use std::str;

use nalgebra::Point3;

use crate::enum_names::parsed_names;
use crate::mesh::{Mesh, MeshFormat};

/// Options for reading a mesh file. The defaults keep the mesh as it is, except that equal vertices of STL are welded.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Format of the file; `None` detects it by content and name.
    pub format: Option<MeshFormat>,
    /// Whether to weld vertices whose coordinates are equal bit for bit; `None` welds in STL only. Results of queries
    /// do not depend on welding.
    pub weld: Option<bool>,
    /// The source of the mesh's groups.
    pub group_by: GroupBy,
    /// The axis that points up in the file; the mesh is rotated so that z points up. `None` does not rotate.
    pub up: Option<UpAxis>,
    /// Factor by which all coordinates are multiplied, after the rotation; finite and above 0.
    pub scale: f64,
    /// The point that becomes the origin of the mesh's frame.
    pub origin: Origin,
    /// Maximum number of triangles to accept.
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

/// The source of a mesh's groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// Objects and groups of OBJ, solids of STL, nodes of glTF by their paths, group numbers of PLY faces.
    #[default]
    Object,
    /// Materials, in formats that have them.
    Material,
    /// Objects with their materials: a group's name is the object's, and [`Group::material`](crate::mesh::Group) names
    /// its material.
    Both,
}

parsed_names!(GroupBy, "grouping", Object = "object", Material = "material", Both = "both");

/// The axis that points up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// First axis.
    X,
    /// Second axis, as in glTF.
    Y,
    /// Third axis, as in most CAD systems.
    Z,
}

parsed_names!(UpAxis, "axis", X = "x", Y = "y", Z = "z");

/// The point that becomes the origin of the mesh's frame, in the file's frame after rotation and scaling.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Origin {
    /// The origin of the file's frame.
    #[default]
    Zero,
    /// The first vertex, rounded to whole units. Use it for meshes far from zero, whose coordinates would lose digits
    /// in f32.
    FirstVertex,
    /// A given point.
    At(Point3<f64>),
}

/// The transform of a file's points: rotate so that z is up, scale, translate, round to f32.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    pub(super) up: UpAxis,
    pub(super) scale: f64,
    /// The point that becomes the origin; `None` until the first vertex decides it.
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

    fn is_identity(&self) -> bool {
        self.up == UpAxis::Z && self.scale == 1.0 && self.origin == Some(Point3::origin())
    }

    pub(super) fn origin(&self) -> Point3<f64> {
        self.origin.unwrap_or(Point3::origin())
    }

    /// Parses a number of a text. If points are only rounded, it is parsed as f32, which avoids a double rounding.
    pub(super) fn number(&self, word: &[u8]) -> Option<f64> {
        let word = str::from_utf8(word).ok()?;
        if self.is_identity() { word.parse::<f32>().ok().map(f64::from) } else { word.parse().ok() }
    }

    /// Transforms a point; the result is not finite if it is beyond the range of f32.
    pub(super) fn apply(&mut self, point: [f64; 3]) -> Point3<f32> {
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
