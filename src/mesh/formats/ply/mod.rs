//! PLY, as text and binary in either byte order.
//!
//! The reader uses the coordinates `x`, `y`, `z` of the element `vertex` and the list `vertex_indices` (or
//! `vertex_index`) of the element `face`. Integer properties `group`, `object` or `layer`, and `material`, of faces
//! (also `group_id` and so on, and `material_index`) name their groups and materials. All other properties and elements
//! are ignored.

mod header;

use std::fmt;
use std::io::BufRead;
use std::str;

use super::bytes::Bytes;
use super::mesh_builder::MeshBuilder;
use super::options::GroupBy;
use super::text::Words;
use crate::mesh::{MeshError, SourceLocation};
use header::{Element, Encoding, Header, Kind, Property, Scalar};

/// Reads a file into the builder.
pub(super) fn read(mut reader: impl BufRead, builder: &mut MeshBuilder, group_by: GroupBy) -> Result<(), MeshError> {
    let header = Header::read(&mut reader)?;
    match header.encoding {
        Encoding::Text => read_body(&header, Text(Words::after_lines(reader, header.lines)), builder, group_by),
        encoding => {
            let bytes = Bytes::after(reader, header.bytes);
            let values = Binary { bytes, is_big_endian: encoding == Encoding::BigEndian };
            read_body(&header, values, builder, group_by)
        }
    }
}

fn read_body(
    header: &Header,
    mut values: impl Values,
    builder: &mut MeshBuilder,
    group_by: GroupBy,
) -> Result<(), MeshError> {
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, builder)?,
            "face" => read_faces(element, header.vertices(), &mut values, builder, group_by)?,
            _ => {
                for number in 0..element.count {
                    for property in &element.properties {
                        skip(&mut values, property, builder, || described(element, number, property))?;
                    }
                }
            }
        }
    }
    values.end()
}

/// Describes an expected value for errors.
fn described(element: &Element, number: u64, property: &Property) -> String {
    format!("property `{}` of {} {number} of {}", property.name, element.name, element.count)
}

fn read_vertices(element: &Element, values: &mut impl Values, builder: &mut MeshBuilder) -> Result<(), MeshError> {
    for number in 0..element.count {
        let begin = values.location();
        let mut point = [0.0; 3];
        for property in &element.properties {
            let what = || described(element, number, property);
            match (["x", "y", "z"].iter().position(|&axis| axis == property.name), property.kind) {
                (Some(axis), Kind::Scalar(scalar)) => {
                    point[axis] = values.value(scalar, builder, &what)?.number();
                }
                _ => skip(values, property, builder, what)?,
            }
        }
        if !(point.iter().all(|x| x.is_finite()) && builder.vertex(point)?) {
            let expected = format!("vertex {number} of {}: coordinates that are finite in f32", element.count);
            return Err(MeshError::unexpected(begin, expected, format!("{point:?}")));
        }
    }
    Ok(())
}

/// The use of a property of faces.
enum Role {
    Corners {
        count: Scalar,
        items: Scalar,
    },
    /// The number of the face's group.
    Group(Scalar),
    /// The number of the face's material, if groups are both objects and materials.
    Material(Scalar),
    Ignored,
}

impl Role {
    fn of(property: &Property, group_by: GroupBy) -> Self {
        let name = property.name.as_str();
        match property.kind {
            Kind::List { count, items } if header::is_corners(name) => Self::Corners { count, items },
            Kind::Scalar(scalar) if scalar.is_whole() => match (name.trim_end_matches("_id"), group_by) {
                ("group" | "object" | "layer", GroupBy::Object | GroupBy::Both) => Self::Group(scalar),
                ("material" | "material_index", GroupBy::Material) => Self::Group(scalar),
                ("material" | "material_index", GroupBy::Both) => Self::Material(scalar),
                _ => Self::Ignored,
            },
            _ => Self::Ignored,
        }
    }
}

fn read_faces(
    element: &Element,
    vertices: u64,
    values: &mut impl Values,
    builder: &mut MeshBuilder,
    group_by: GroupBy,
) -> Result<(), MeshError> {
    let roles: Vec<Role> = element.properties.iter().map(|property| Role::of(property, group_by)).collect();
    let (mut group, mut material) = (None, None);
    let mut corners = Vec::new();
    for number in 0..element.count {
        for (property, role) in element.properties.iter().zip(&roles) {
            let what = || described(element, number, property);
            match *role {
                Role::Corners { count, items } => {
                    corners.clear();
                    read_corners([count, items], vertices, values, builder, &what, &mut corners)?;
                }
                Role::Group(scalar) => {
                    if let Some(name) = new_name(&mut group, values.value(scalar, builder, &what)?) {
                        builder.group(name)?;
                    }
                }
                Role::Material(scalar) => {
                    if let Some(name) = new_name(&mut material, values.value(scalar, builder, &what)?) {
                        builder.material(name)?;
                    }
                }
                Role::Ignored => skip(values, property, builder, what)?,
            }
        }
        // The group and the material of a face may come after its corners.
        builder.polygon(&corners)?;
    }
    Ok(())
}

fn read_corners(
    [count, items]: [Scalar; 2],
    vertices: u64,
    values: &mut impl Values,
    builder: &MeshBuilder,
    what: &impl Fn() -> String,
    corners: &mut Vec<u32>,
) -> Result<(), MeshError> {
    let begin = values.location();
    let count = values.value(count, builder, what)?;
    let Some(count) = count.whole().filter(|&count| count >= 3) else {
        let expected = format!("{}: at least three corners", what());
        return Err(MeshError::unexpected(begin, expected, count.to_string()));
    };
    for _ in 0..count {
        let begin = values.location();
        let corner = values.value(items, builder, what)?;
        let Some(vertex) = corner.whole().filter(|&vertex| vertex < vertices) else {
            let expected = format!("{}: a vertex from 0 to {}", what(), vertices.saturating_sub(1));
            return Err(MeshError::unexpected(begin, expected, corner.to_string()));
        };
        corners.push(u32::try_from(vertex).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// The number as a name, if it differs from that of the previous face; a negative number is an empty name.
fn new_name(last: &mut Option<Option<u64>>, number: Value) -> Option<String> {
    let number = number.whole();
    (last.replace(number) != Some(number)).then(|| number.map_or(String::new(), |number| number.to_string()))
}

fn skip(
    values: &mut impl Values,
    property: &Property,
    builder: &MeshBuilder,
    what: impl Fn() -> String,
) -> Result<(), MeshError> {
    match property.kind {
        Kind::Scalar(scalar) => values.value(scalar, builder, &what).map(drop),
        Kind::List { count, items } => {
            let begin = values.location();
            let count = values.value(count, builder, &what)?;
            let Some(count) = count.whole() else {
                let expected = format!("{}: a number of items", what());
                return Err(MeshError::unexpected(begin, expected, count.to_string()));
            };
            (0..count).try_for_each(|_| values.value(items, builder, &what).map(drop))
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Whole(i64),
    Float(f64),
}

impl Value {
    fn number(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// The number as an unsigned integer; `None` if it is negative or a float.
    fn whole(self) -> Option<u64> {
        match self {
            Self::Whole(number) => u64::try_from(number).ok(),
            Self::Float(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}

trait Values {
    /// Takes the next number, of the given type; `expected` describes it for errors.
    fn value(
        &mut self,
        scalar: Scalar,
        builder: &MeshBuilder,
        expected: &impl Fn() -> String,
    ) -> Result<Value, MeshError>;

    /// The location of the next number; in a text, the line of the previous one.
    fn location(&self) -> SourceLocation;

    fn end(&mut self) -> Result<(), MeshError>;
}

struct Text<R>(Words<R>);

impl<R: BufRead> Values for Text<R> {
    fn value(
        &mut self,
        scalar: Scalar,
        builder: &MeshBuilder,
        expected: &impl Fn() -> String,
    ) -> Result<Value, MeshError> {
        let word = self.0.next()?;
        let value = word.and_then(|word| match scalar {
            Scalar::F32 | Scalar::F64 => builder.placement.number(word).map(Value::Float),
            _ => str::from_utf8(word).ok()?.parse().ok().map(Value::Whole),
        });
        if let Some(value) = value {
            return Ok(value);
        }
        let found = word.map(<[u8]>::to_vec);
        Err(self.0.unexpected(expected(), found.as_deref()))
    }

    fn location(&self) -> SourceLocation {
        self.0.location()
    }

    fn end(&mut self) -> Result<(), MeshError> {
        match self.0.next()?.map(<[u8]>::to_vec) {
            None => Ok(()),
            found => Err(self.0.unexpected("the end of the file", found.as_deref())),
        }
    }
}

struct Binary<R> {
    bytes: Bytes<R>,
    is_big_endian: bool,
}

impl<R: BufRead> Binary<R> {
    /// Takes the bytes of a number, in little-endian order.
    fn take<const N: usize>(&mut self, expected: &impl Fn() -> String) -> Result<[u8; N], MeshError> {
        let mut bytes = self.bytes.take(expected)?;
        if self.is_big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl<R: BufRead> Values for Binary<R> {
    fn value(
        &mut self,
        scalar: Scalar,
        _builder: &MeshBuilder,
        expected: &impl Fn() -> String,
    ) -> Result<Value, MeshError> {
        Ok(match scalar {
            Scalar::I8 => Value::Whole(i8::from_le_bytes(self.take(expected)?).into()),
            Scalar::U8 => Value::Whole(u8::from_le_bytes(self.take(expected)?).into()),
            Scalar::I16 => Value::Whole(i16::from_le_bytes(self.take(expected)?).into()),
            Scalar::U16 => Value::Whole(u16::from_le_bytes(self.take(expected)?).into()),
            Scalar::I32 => Value::Whole(i32::from_le_bytes(self.take(expected)?).into()),
            Scalar::U32 => Value::Whole(u32::from_le_bytes(self.take(expected)?).into()),
            Scalar::F32 => Value::Float(f32::from_le_bytes(self.take(expected)?).into()),
            Scalar::F64 => Value::Float(f64::from_le_bytes(self.take(expected)?)),
        })
    }

    fn location(&self) -> SourceLocation {
        self.bytes.location()
    }

    fn end(&mut self) -> Result<(), MeshError> {
        self.bytes.end("the end of the file")
    }
}
