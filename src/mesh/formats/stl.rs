//! STL, binary and text: triangles that share no vertices.
//!
//! Normals, colours and the header are ignored. Each named solid of a text file is a group; solids without a name after
//! it are in a group without a name.

use std::io::BufRead;

use super::bytes::Bytes;
use super::mesh_builder::MeshBuilder;
use super::options::{GroupBy, ReadOptions};
use super::text::{Words, quote};
use crate::mesh::{MeshError, SourceLocation};

/// Reads a file that begins with the bytes `start` into the builder.
pub(super) fn read(
    start: &[u8],
    reader: impl BufRead,
    builder: &mut MeshBuilder,
    options: &ReadOptions,
) -> Result<(), MeshError> {
    // Many binary files begin with "solid" too, but only they contain zero bytes.
    let is_text = start.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    if is_text && !start.contains(&0) {
        return read_text(reader, builder, options.group_by);
    }
    read_binary(reader, builder).map_err(|error| match error {
        // A text without `solid`, read as binary, has a count so large that the file ends too early.
        MeshError::Unexpected { .. }
            if start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) =>
        {
            let word = start.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
            MeshError::unexpected(SourceLocation::Line(1), "`solid`", quote(word))
        }
        error => error,
    })
}

fn read_binary(reader: impl BufRead, builder: &mut MeshBuilder) -> Result<(), MeshError> {
    const HEADER: usize = 80;
    let mut bytes = Bytes::new(reader);
    let _header: [u8; HEADER] = bytes.take(&|| "a header of 80 bytes, or a text that begins with `solid`".into())?;
    let count = u32::from_le_bytes(bytes.take(&|| "the number of triangles".into())?);
    for triangle in 0..count {
        let expected = || format!("triangle {triangle} of {count}");
        let _normal: [u8; 12] = bytes.take(&expected)?;
        let mut corners = [0; 3];
        for index in &mut corners {
            let location = bytes.location();
            let corner: [u8; 12] = bytes.take(&expected)?;
            let number =
                |at: usize| f64::from(f32::from_le_bytes([corner[at], corner[at + 1], corner[at + 2], corner[at + 3]]));
            let corner = [number(0), number(4), number(8)];
            *index = builder.corner(corner)?.ok_or_else(|| {
                MeshError::unexpected(location, "coordinates that are finite in f32", format!("{corner:?}"))
            })?;
        }
        let _attributes: [u8; 2] = bytes.take(&expected)?;
        builder.polygon(&corners)?;
    }
    bytes.end(format!("the end of the file after {count} triangles"))
}

fn read_text(reader: impl BufRead, builder: &mut MeshBuilder, group_by: GroupBy) -> Result<(), MeshError> {
    let (mut words, mut has_groups) = (Words::after_lines(reader, 0), false);
    while let Some(word) = words.next()? {
        if !word.eq_ignore_ascii_case(b"solid") {
            let word = word.to_vec();
            return Err(words.unexpected("`solid`, or the end of the file", Some(&word)));
        }
        let name = String::from_utf8_lossy(words.rest_of_line()).into_owned();
        has_groups |= !name.is_empty();
        if group_by != GroupBy::Material && has_groups {
            builder.group(name)?;
        }
        while words.parsed("`facet` or `endsolid`", facet_or_end)? {
            keyword(&mut words, "normal")?;
            for _ in 0..3 {
                // Some writers put other words than numbers here; normals are ignored anyway.
                words.parsed("three numbers after `normal`", |_| Some(()))?;
            }
            keyword(&mut words, "outer")?;
            keyword(&mut words, "loop")?;
            let mut corners = [0; 3];
            for index in &mut corners {
                keyword(&mut words, "vertex")?;
                let mut point = [0.0; 3];
                for number in &mut point {
                    *number = words.number("three finite numbers after `vertex`", &builder.placement)?;
                }
                *index = builder.corner(point)?.ok_or_else(|| {
                    MeshError::unexpected(words.location(), "coordinates that are finite in f32", format!("{point:?}"))
                })?;
            }
            keyword(&mut words, "endloop")?;
            keyword(&mut words, "endfacet")?;
            builder.polygon(&corners)?;
        }
        words.rest_of_line();
    }
    Ok(())
}

/// Whether a word begins a facet; `None` if it is neither `facet` nor `endsolid`.
fn facet_or_end(word: &[u8]) -> Option<bool> {
    let is_facet = word.eq_ignore_ascii_case(b"facet");
    (is_facet || word.eq_ignore_ascii_case(b"endsolid")).then_some(is_facet)
}

fn keyword(words: &mut Words<impl BufRead>, expected: &str) -> Result<(), MeshError> {
    words.parsed(&format!("`{expected}`"), |word| word.eq_ignore_ascii_case(expected.as_bytes()).then_some(()))
}
