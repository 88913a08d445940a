//! The numbers of accessors, which must lie in their buffers.

use gltf::Accessor;
use gltf::accessor::{DataType, Dimensions};

use super::document::Document;
use super::part::unexpected;
use crate::mesh::MeshError;

/// Positions as they are, or, normalized, as the fractions that they mean.
pub(super) fn positions(document: &Document, accessor: &Accessor<'_>) -> Result<Vec<[f32; 3]>, MeshError> {
    if accessor.dimensions() != Dimensions::Vec3 {
        return Err(unexpected(place(accessor), "positions of three numbers", format!("{:?}", accessor.dimensions())));
    }
    let is_normalized = accessor.normalized();
    // By the specification's equations, section 3.11 (Accessor data types).
    let number = |bytes: &[u8]| match (accessor.data_type(), bytes) {
        (DataType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        (DataType::I8, &[a]) => signed(f32::from(a as i8), i8::MAX.into(), is_normalized),
        (DataType::U8, &[a]) => unsigned(f32::from(a), u8::MAX.into(), is_normalized),
        (DataType::I16, &[a, b]) => signed(f32::from(i16::from_le_bytes([a, b])), i16::MAX.into(), is_normalized),
        (DataType::U16, &[a, b]) => unsigned(f32::from(u16::from_le_bytes([a, b])), u16::MAX.into(), is_normalized),
        _ => f32::NAN,
    };
    if accessor.data_type() == DataType::U32 {
        return Err(unexpected(place(accessor), "positions of floats, bytes or shorts", "32-bit integers"));
    }
    let size = accessor.data_type().size();
    elements(document, accessor, |bytes| {
        [number(&bytes[..size]), number(&bytes[size..2 * size]), number(&bytes[2 * size..])]
    })
}

fn signed(number: f32, largest: f32, is_normalized: bool) -> f32 {
    if is_normalized { (number / largest).max(-1.0) } else { number }
}

fn unsigned(number: f32, largest: f32, is_normalized: bool) -> f32 {
    if is_normalized { number / largest } else { number }
}

pub(super) fn indices(document: &Document, accessor: &Accessor<'_>) -> Result<Vec<u32>, MeshError> {
    if accessor.dimensions() != Dimensions::Scalar {
        return Err(unexpected(place(accessor), "single indices", format!("{:?}", accessor.dimensions())));
    }
    match accessor.data_type() {
        DataType::U8 | DataType::U16 | DataType::U32 => elements(document, accessor, whole),
        other => Err(unexpected(place(accessor), "indices of unsigned integers", format!("{other:?}"))),
    }
}

/// A little-endian number of one, two or four bytes.
fn whole(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn place(accessor: &Accessor<'_>) -> String {
    format!("accessor {}", accessor.index())
}

/// An element, of at most sixteen numbers of four bytes.
const ZEROS: [u8; 64] = [0; 64];

/// An accessor's elements, with those that a sparse one replaces.
fn elements<T>(document: &Document, accessor: &Accessor<'_>, read: impl Fn(&[u8]) -> T) -> Result<Vec<T>, MeshError> {
    let wrong = || unexpected(place(accessor), "elements that lie in its buffer", "others, or none");
    let (size, count) = (accessor.size(), accessor.count());
    let mut elements: Vec<T> = match accessor.view() {
        Some(view) => {
            let stride = view.stride().unwrap_or(size);
            let bytes = slice(document, &view, accessor.offset(), count, size, stride).ok_or_else(wrong)?;
            (0..count).map(|i| read(&bytes[i * stride..i * stride + size])).collect()
        }
        // Zeros but for the sparse ones; no more of them than the file has bytes.
        None if accessor.sparse().is_some() && count <= document.buffers.iter().map(Vec::len).sum() => {
            (0..count).map(|_| read(&ZEROS[..size])).collect()
        }
        None => return Err(wrong()),
    };
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let index_size = indices.index_type().size();
        let at = slice(document, &indices.view(), indices.offset(), sparse.count(), index_size, index_size);
        let to = slice(document, &values.view(), values.offset(), sparse.count(), size, size);
        let (at, to) = at.zip(to).ok_or_else(wrong)?;
        for (index, value) in at.chunks_exact(index_size).zip(to.chunks_exact(size)).take(sparse.count()) {
            *elements.get_mut(whole(index) as usize).ok_or_else(wrong)? = read(value);
        }
    }
    Ok(elements)
}

/// The bytes of a view from an offset on, if so many elements lie there.
fn slice<'a>(
    document: &'a Document,
    view: &gltf::buffer::View<'_>,
    offset: usize,
    count: usize,
    size: usize,
    stride: usize,
) -> Option<&'a [u8]> {
    let buffer = document.buffers.get(view.buffer().index())?;
    let bytes = buffer.get(view.offset()..view.offset().checked_add(view.length())?)?.get(offset..)?;
    let needed = count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
    (stride >= size && needed <= bytes.len()).then_some(bytes)
}
