//! PLY, as text and binary in either byte order.
//!
//! Read are the coordinates `x`, `y`, `z` of the element `vertex` and the list `vertex_indices` (or `vertex_index`) of
//! the element `face`; all other properties and elements are passed over. There are no groups.

mod header;
mod values;

use std::io::BufRead;

use super::builder::Builder;
use super::import::Import;
use super::options::ReadOptions;
use crate::mesh::{MeshError, MeshFormat};
use header::{Element, Encoding, Header, Kind, Property};
use values::{Binary, Text, Values};

pub(super) fn read(mut reader: impl BufRead, options: &ReadOptions) -> Result<Import, MeshError> {
    let header = Header::read(&mut reader)?;
    let builder = Builder::new(options, options.weld.unwrap_or(false));
    match header.encoding {
        Encoding::Text => read_body(&header, Text::new(reader, &header), builder),
        Encoding::LittleEndian => read_body(&header, Binary::new(reader, &header, false), builder),
        Encoding::BigEndian => read_body(&header, Binary::new(reader, &header, true), builder),
    }
}

fn read_body(header: &Header, mut values: impl Values, mut builder: Builder) -> Result<Import, MeshError> {
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, &mut builder)?,
            "face" => read_faces(element, header.vertices(), &mut values, &mut builder)?,
            _ => {
                for number in 0..element.count {
                    for property in &element.properties {
                        skip(&mut values, property, &builder, || place(element, number, property))?;
                    }
                }
            }
        }
    }
    values.end()?;
    builder.finish(MeshFormat::Ply).map(Import::from)
}

/// What is expected, for an error.
fn place(element: &Element, number: u64, property: &Property) -> String {
    format!("property `{}` of {} {number} of {}", property.name, element.name, element.count)
}

fn read_vertices(element: &Element, values: &mut impl Values, builder: &mut Builder) -> Result<(), MeshError> {
    for number in 0..element.count {
        let begin = values.place();
        let mut point = [0.0; 3];
        for property in &element.properties {
            let place = || place(element, number, property);
            match (["x", "y", "z"].iter().position(|&axis| axis == property.name), property.kind) {
                (Some(axis), Kind::Scalar(scalar)) => {
                    point[axis] = values.value(scalar, builder, &place)?.number();
                }
                _ => skip(values, property, builder, place)?,
            }
        }
        if !(point.iter().all(|x| x.is_finite()) && builder.vertex(point)?) {
            let expected = format!("vertex {number} of {}: coordinates that are finite in f32", element.count);
            return Err(MeshError::Unexpected { place: begin, expected, found: format!("{point:?}") });
        }
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    vertices: u64,
    values: &mut impl Values,
    builder: &mut Builder,
) -> Result<(), MeshError> {
    let mut corners = Vec::new();
    for number in 0..element.count {
        for property in &element.properties {
            let place = || place(element, number, property);
            let (true, Kind::List { count, items }) = (header::is_corners(&property.name), property.kind) else {
                skip(values, property, builder, place)?;
                continue;
            };
            let begin = values.place();
            let count = values.value(count, builder, &place)?;
            let Some(count) = count.whole().filter(|&count| count >= 3) else {
                let expected = format!("{}: at least three corners", place());
                return Err(MeshError::Unexpected { place: begin, expected, found: count.to_string() });
            };
            corners.clear();
            for _ in 0..count {
                let begin = values.place();
                let corner = values.value(items, builder, &place)?;
                let Some(vertex) = corner.whole().filter(|&vertex| vertex < vertices) else {
                    let expected = format!("{}: a vertex from 0 to {}", place(), vertices.saturating_sub(1));
                    return Err(MeshError::Unexpected { place: begin, expected, found: corner.to_string() });
                };
                corners.push(u32::try_from(vertex).unwrap_or(u32::MAX));
            }
            builder.polygon(&corners)?;
        }
    }
    Ok(())
}

fn skip(
    values: &mut impl Values,
    property: &Property,
    builder: &Builder,
    place: impl Fn() -> String,
) -> Result<(), MeshError> {
    match property.kind {
        Kind::Scalar(scalar) => values.value(scalar, builder, &place).map(drop),
        Kind::List { count, items } => {
            let begin = values.place();
            let count = values.value(count, builder, &place)?;
            let Some(count) = count.whole() else {
                let expected = format!("{}: a number of items", place());
                return Err(MeshError::Unexpected { place: begin, expected, found: count.to_string() });
            };
            (0..count).try_for_each(|_| values.value(items, builder, &place).map(drop))
        }
    }
}
