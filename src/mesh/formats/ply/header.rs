//! The header of a PLY file: encoding, elements and properties.

use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::str;

use super::super::text::quote;
use crate::mesh::{MeshError, SourceLocation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"char" | b"int8" => Some(Self::I8),
            b"uchar" | b"uint8" => Some(Self::U8),
            b"short" | b"int16" => Some(Self::I16),
            b"ushort" | b"uint16" => Some(Self::U16),
            b"int" | b"int32" => Some(Self::I32),
            b"uint" | b"uint32" => Some(Self::U32),
            b"float" | b"float32" => Some(Self::F32),
            b"double" | b"float64" => Some(Self::F64),
            _ => None,
        }
    }

    pub(super) fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, items: Scalar },
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Length of the header in lines; `bytes` is its length in bytes.
    pub(super) lines: u64,
    pub(super) bytes: u64,
}

/// Whether a property is the list of a face's vertices.
pub(super) fn is_corners(name: &str) -> bool {
    matches!(name, "vertex_indices" | "vertex_index")
}

impl Header {
    /// Reads the header, including the end of the line `end_header`.
    pub(super) fn read(reader: &mut impl BufRead) -> Result<Self, MeshError> {
        let mut lines = HeaderLines { reader, end: b'\n', text: Vec::new(), count: 0, bytes: 0 };
        lines.first()?;
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            lines.advance()?;
            let mut words = lines.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            match words.next() {
                Some(b"end_header") => break,
                Some(b"comment" | b"obj_info") | None => {}
                Some(b"format") => encoding = Some(lines.format(words.next(), words.next())?),
                Some(b"element") => elements.push(lines.element(words.next(), words.next())?),
                Some(b"property") => {
                    let property = lines.property(words)?;
                    match elements.last_mut() {
                        Some(element) => element.properties.push(property),
                        None => return Err(lines.unexpected("`element` before `property`", Some(b"property"))),
                    }
                }
                other => {
                    let expected = "`format`, `comment`, `obj_info`, `element`, `property` or `end_header`";
                    return Err(lines.unexpected(expected, other));
                }
            }
        }
        let Some(encoding) = encoding else {
            return Err(lines.unexpected("`format` before `end_header`", Some(b"end_header")));
        };
        let header = Self { encoding, elements, lines: lines.count, bytes: lines.bytes };
        header.check(|expected, found| lines.unexpected(&expected, Some(found.as_bytes())))?;
        Ok(header)
    }

    pub(super) fn vertices(&self) -> u64 {
        self.elements.iter().find(|element| element.name == "vertex").map_or(0, |element| element.count)
    }

    /// Checks the elements: their names differ, each item takes bytes in the file, vertices have one `x`, `y` and `z`
    /// each, and faces, if there are any, have one list of vertices.
    fn check(&self, wrong: impl Fn(String, &str) -> MeshError) -> Result<(), MeshError> {
        let mut names = HashSet::new();
        for element in &self.elements {
            if element.properties.is_empty() && element.count > 0 {
                return Err(wrong(format!("properties of element `{}`", element.name), "end_header"));
            }
            if !names.insert(&element.name) {
                return Err(wrong("elements of different names".into(), &element.name));
            }
        }
        let element = |name: &str| self.elements.iter().find(|element| element.name == name);
        if element("tristrips").is_some() {
            let what = "PLY files of triangle strips are not read: write them with faces".into();
            return Err(MeshError::Unsupported { what });
        }
        let Some(vertex) = element("vertex") else {
            return Err(wrong("an element `vertex`".into(), "end_header"));
        };
        for axis in ["x", "y", "z"] {
            let is_axis = |p: &&Property| p.name == axis && matches!(p.kind, Kind::Scalar(_));
            if vertex.properties.iter().filter(is_axis).count() != 1 {
                return Err(wrong(format!("one property `{axis}` of element `vertex`"), "end_header"));
            }
        }
        let lists = |element: &Element| {
            let is_list = |p: &&Property| match p.kind {
                Kind::List { count, items } => is_corners(&p.name) && count.is_whole() && items.is_whole(),
                Kind::Scalar(_) => false,
            };
            element.properties.iter().filter(is_list).count()
        };
        match element("face") {
            Some(face) if face.count > 0 && lists(face) != 1 => {
                Err(wrong("one list of whole numbers `vertex_indices` of element `face`".into(), "end_header"))
            }
            _ => Ok(()),
        }
    }
}

struct HeaderLines<'a, R> {
    reader: &'a mut R,
    /// The last byte of a line.
    end: u8,
    text: Vec<u8>,
    count: u64,
    bytes: u64,
}

impl<R: BufRead> HeaderLines<'_, R> {
    /// Reads the line `ply`, whose ending is that of all lines of the header.
    fn first(&mut self) -> Result<(), MeshError> {
        let mut start = Vec::new();
        self.reader.by_ref().take(4).read_to_end(&mut start)?;
        (self.count, self.bytes) = (1, start.len() as u64);
        match start.as_slice() {
            b"ply\n" => Ok(()),
            b"ply\r" if self.reader.fill_buf()?.first() == Some(&b'\n') => {
                self.reader.consume(1);
                self.bytes += 1;
                Ok(())
            }
            b"ply\r" => {
                self.end = b'\r';
                Ok(())
            }
            // Trailing spaces.
            [b'p', b'l', b'y', b' ' | b'\t'] => {
                self.advance()?;
                self.count = 1;
                Ok(())
            }
            other => Err(self.unexpected("a line `ply`", (!other.is_empty()).then_some(other))),
        }
    }

    fn advance(&mut self) -> Result<(), MeshError> {
        self.text.clear();
        let read = self.reader.read_until(self.end, &mut self.text)?;
        (self.count, self.bytes) = (self.count + 1, self.bytes + read as u64);
        if self.text.last() == Some(&self.end) { Ok(()) } else { Err(self.unexpected("`end_header`", None)) }
    }

    fn unexpected(&self, expected: &str, found: Option<&[u8]>) -> MeshError {
        let found = found.map_or_else(|| "the end of the file".to_owned(), quote);
        MeshError::unexpected(SourceLocation::Line(self.count), expected, found)
    }

    /// The error for a word, or the end of the line, in place of the expected content.
    fn wrong(&self, expected: &str, word: Option<&[u8]>) -> MeshError {
        match word {
            Some(word) => self.unexpected(expected, Some(word)),
            None => MeshError::unexpected(SourceLocation::Line(self.count), expected, "the end of the line"),
        }
    }

    fn format(&self, encoding: Option<&[u8]>, version: Option<&[u8]>) -> Result<Encoding, MeshError> {
        let encoding = match encoding {
            Some(b"ascii") => Encoding::Text,
            Some(b"binary_little_endian") => Encoding::LittleEndian,
            Some(b"binary_big_endian") => Encoding::BigEndian,
            other => return Err(self.wrong("`ascii`, `binary_little_endian` or `binary_big_endian`", other)),
        };
        if version == Some(b"1.0") { Ok(encoding) } else { Err(self.wrong("version 1.0", version)) }
    }

    fn element(&self, name: Option<&[u8]>, count: Option<&[u8]>) -> Result<Element, MeshError> {
        let name = name.ok_or_else(|| self.wrong("an element's name", None))?;
        let parsed = count.and_then(|count| str::from_utf8(count).ok()?.parse().ok());
        let count = parsed.ok_or_else(|| self.wrong("how many elements there are", count))?;
        Ok(Element { name: String::from_utf8_lossy(name).into_owned(), count, properties: Vec::new() })
    }

    fn property<'w>(&self, mut words: impl Iterator<Item = &'w [u8]>) -> Result<Property, MeshError> {
        let scalar = |word: Option<&[u8]>| {
            word.and_then(Scalar::named).ok_or_else(|| self.wrong("a type of numbers such as `float` or `uchar`", word))
        };
        let kind = match words.next() {
            Some(b"list") => Kind::List { count: scalar(words.next())?, items: scalar(words.next())? },
            word => Kind::Scalar(scalar(word)?),
        };
        let name = words.next().ok_or_else(|| self.wrong("a property's name", None))?;
        Ok(Property { name: String::from_utf8_lossy(name).into_owned(), kind })
    }
}
