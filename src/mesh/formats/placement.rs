//! Where a file's coordinates end up: turned, scaled, and moved near zero before they are rounded to f32.

use std::str;

use nalgebra::Point3;

use crate::enum_names::parsed_names;

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
