//! Wavefront OBJ text.

use std::fmt;

use nalgebra::{Point2, Point3, Vector3};

use super::surface::Surface;

/// Digits of the largest coordinate. Any decimal of up to 6 digits survives the way through an f32.
const SIGNIFICANT_DIGITS: i32 = 5;
const NORMAL_DECIMALS: i32 = 3;
const TEXTURE_DECIMALS: i32 = 4;

/// The contents of an OBJ file; `to_string` makes the text.
#[derive(Debug)]
pub struct Obj {
    title: &'static str,
    material_library: Option<&'static str>,
    points: Vec<Point3<f64>>,
    texture: Vec<Point2<f64>>,
    normals: Vec<Vector3<f64>>,
    statements: Vec<Statement>,
}

#[derive(Debug)]
enum Statement {
    Object(String),
    Group(String),
    Material(String),
    Face(Vec<Corner>),
}

/// Indices from 0.
#[derive(Clone, Copy, Debug)]
struct Corner {
    point: usize,
    texture: Option<usize>,
    normal: Option<usize>,
}

/// What a surface carries besides its points, one for each of them; may be empty.
#[derive(Debug, Default)]
pub struct Shading {
    pub texture: Vec<Point2<f64>>,
    pub normals: Vec<Vector3<f64>>,
}

impl Obj {
    /// An empty file with a comment on its first line.
    pub fn new(title: &'static str) -> Self {
        Self { title, material_library: None, points: vec![], texture: vec![], normals: vec![], statements: vec![] }
    }

    /// Names the file's material library.
    pub fn with_material_library(mut self, name: &'static str) -> Self {
        self.material_library = Some(name);
        self
    }

    /// Starts an object.
    pub fn object(&mut self, name: impl Into<String>) -> &mut Self {
        self.push(Statement::Object(name.into()))
    }

    /// Starts a group.
    pub fn group(&mut self, name: impl Into<String>) -> &mut Self {
        self.push(Statement::Group(name.into()))
    }

    /// Uses a material for the faces that follow.
    pub fn material(&mut self, name: impl Into<String>) -> &mut Self {
        self.push(Statement::Material(name.into()))
    }

    /// Adds a surface's points and faces.
    pub fn surface(&mut self, surface: &Surface) -> &mut Self {
        self.shaded_surface(surface, Shading::default())
    }

    /// Adds a surface with texture coordinates, normals or both.
    pub fn shaded_surface(&mut self, surface: &Surface, shading: Shading) -> &mut Self {
        let first = Corner {
            point: self.points.len(),
            texture: (!shading.texture.is_empty()).then_some(self.texture.len()),
            normal: (!shading.normals.is_empty()).then_some(self.normals.len()),
        };
        self.points.extend(&surface.points);
        self.texture.extend(shading.texture);
        self.normals.extend(shading.normals);
        for face in &surface.faces {
            let corners = face.iter().map(|i| Corner {
                point: first.point + i,
                texture: first.texture.map(|first| first + i),
                normal: first.normal.map(|first| first + i),
            });
            self.push(Statement::Face(corners.collect()));
        }
        self
    }

    fn push(&mut self, statement: Statement) -> &mut Self {
        self.statements.push(statement);
        self
    }

    fn decimals(&self) -> i32 {
        let largest = self.points.iter().flat_map(|point| point.iter()).fold(0.0, |max: f64, x| max.max(x.abs()));
        let whole_digits = 1 + largest.log10().floor() as i32;
        SIGNIFICANT_DIGITS - whole_digits
    }
}

impl fmt::Display for Obj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# {}, written by examples/make_data", self.title)?;
        if let Some(name) = self.material_library {
            writeln!(f, "mtllib {name}")?;
        }
        let decimals = self.decimals();
        for point in &self.points {
            write_numbers(f, "v", point.iter(), decimals)?;
        }
        for texture in &self.texture {
            write_numbers(f, "vt", texture.iter(), TEXTURE_DECIMALS)?;
        }
        for normal in &self.normals {
            write_numbers(f, "vn", normal.iter(), NORMAL_DECIMALS)?;
        }
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement}"))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(name) => write!(f, "o {name}"),
            Self::Group(name) => write!(f, "g {name}"),
            Self::Material(name) => write!(f, "usemtl {name}"),
            Self::Face(corners) => {
                f.write_str("f")?;
                corners.iter().try_for_each(|corner| write!(f, " {corner}"))
            }
        }
    }
}

impl fmt::Display for Corner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.point + 1)?;
        match (self.texture, self.normal) {
            (None, None) => Ok(()),
            (Some(texture), None) => write!(f, "/{}", texture + 1),
            (None, Some(normal)) => write!(f, "//{}", normal + 1),
            (Some(texture), Some(normal)) => write!(f, "/{}/{}", texture + 1, normal + 1),
        }
    }
}

fn write_numbers<'a>(
    f: &mut fmt::Formatter<'_>,
    keyword: &str,
    numbers: impl Iterator<Item = &'a f64>,
    decimals: i32,
) -> fmt::Result {
    f.write_str(keyword)?;
    for &number in numbers {
        write!(f, " {}", rounded(number, decimals))?;
    }
    writeln!(f)
}

/// The nearest number with so many decimals, never -0.
///
/// A number halfway between two is pushed up, or its rounding would hang on the last bit of some platform's sine.
fn rounded(number: f64, decimals: i32) -> f32 {
    let scale = 10f64.powi(decimals);
    let whole = (number * scale + 0.5 + 1e-4).floor();
    (whole / scale + 0.0) as f32
}
