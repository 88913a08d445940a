//! The six sections: their order, their layout given the counts, and the encoding of groups.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::CookError;
use super::header::Encoding;
use super::open::read_header;
use crate::mesh::Group;
use crate::tree::BvTree;
use crate::volume::{self, PADDING, VolumeKind};

/// Length of the header in bytes; the first section follows.
pub(super) const HEADER_BYTES: usize = 384;

/// Sections of plain files begin on multiples of this number of bytes.
pub(super) const ALIGNMENT: u64 = 64;

pub(super) const NAMES: [&str; 6] = ["nodes", "vertices", "corners", "faces", "polygons", "groups"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) offset: u64,
    pub(super) length: u64,
    /// XXH3-64, seed 0, of the section's bytes.
    pub(super) checksum: u64,
}

impl Section {
    /// The range of the section in a file that [`check`] has accepted.
    pub(super) fn range(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length) as usize
    }
}

/// Assigns offsets to consecutive sections.
pub(super) struct Layout {
    pub(super) end: u64,
    alignment: u64,
}

impl Layout {
    pub(super) fn after_header(encoding: Encoding) -> Self {
        Self { end: HEADER_BYTES as u64, alignment: encoding.alignment() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> Section {
        self.add_hashed(bytes.len() as u64, xxh3_64(bytes))
    }

    pub(super) fn add_hashed(&mut self, length: u64, checksum: u64) -> Section {
        let offset = self.end.next_multiple_of(self.alignment);
        self.end = offset + length;
        Section { offset, length, checksum }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) volumes: u32,
    pub(super) vertices: u32,
    pub(super) triangles: u32,
    pub(super) groups: u32,
}

impl Counts {
    /// Converts counts to `u32`: mesh and builder keep all of them below 2^31.
    pub(super) fn new(volumes: usize, vertices: usize, triangles: usize, groups: usize) -> Self {
        let [volumes, vertices, triangles, groups] = [volumes, vertices, triangles, groups].map(|count| count as u32);
        Self { volumes, vertices, triangles, groups }
    }
}

/// Checks that the sections are consecutive, have the lengths that the counts require or allow, and fill the file.
pub(super) fn check(
    sections: &[Section; 6],
    counts: &Counts,
    encoding: Encoding,
    kind: VolumeKind,
    file_bytes: u64,
) -> Result<(), CookError> {
    let [volumes, vertices, triangles] = [counts.volumes, counts.vertices, counts.triangles].map(u64::from);
    let plain = [
        4 * (volumes * volume::fields(kind) as u64 + PADDING as u64),
        12 * vertices,
        12 * triangles,
        4 * triangles,
        // Polygon numbers are left out where every triangle is its own polygon.
        if sections[4].length == 0 { 0 } else { 4 * triangles },
    ];
    // A number of a compact file takes one byte to five. A vertex takes three numbers, or two if it repeats another.
    let numbers = [volumes, 3 * vertices + 1, 3 * triangles, triangles, triangles];
    let least = [volumes, 2 * vertices + 1, 3 * triangles, triangles, triangles];
    let compact = |i: usize| match sections[i].length {
        0 if i == 4 => 0,
        length => length.clamp(least[i], 5 * numbers[i]),
    };
    let mut end = HEADER_BYTES as u64;
    for (i, section) in sections.iter().enumerate() {
        let expected_offset = end.next_multiple_of(encoding.alignment());
        let expected_length = match encoding {
            _ if i == 5 => file_bytes.saturating_sub(expected_offset),
            Encoding::Plain => plain[i],
            Encoding::Compact => compact(i),
        };
        if (section.offset, section.length) != (expected_offset, expected_length) {
            let (section, Section { offset, length, .. }) = (NAMES[i], *section);
            return Err(CookError::Section { section, offset, length, expected_offset, expected_length });
        }
        end = expected_offset + expected_length;
    }
    // Only the groups' length adapts to the file's.
    if end == file_bytes { Ok(()) } else { Err(CookError::Truncated { actual: file_bytes, expected: end }) }
}

/// Checks that the bytes between the sections are zero.
pub(super) fn check_gaps(bytes: &[u8], sections: &[Section; 6]) -> Result<(), CookError> {
    for pair in sections.windows(2) {
        let gap = pair[0].range().end..pair[1].range().start;
        if let Some(index) = bytes[gap.clone()].iter().position(|&byte| byte != 0) {
            let offset = gap.start + index;
            return Err(CookError::NotZero { offset, found: bytes[offset] });
        }
    }
    Ok(())
}

impl BvTree {
    /// Names and sizes in bytes of the sections of the tree's plain cooked file, in the file's order, without the
    /// header and the padding between sections.
    pub fn section_sizes(&self) -> [(&'static str, usize); 6] {
        let view = self.view();
        let sizes = [
            size_of_val(view.nodes),
            size_of_val(view.vertices),
            size_of_val(view.corners),
            size_of_val(view.faces),
            size_of_val(view.polygons),
            encode_groups(self.groups()).len(),
        ];
        std::array::from_fn(|i| (NAMES[i], sizes[i]))
    }
}

/// The encoding of a cooked file, and the sizes of its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSections {
    /// The encoding of the sections.
    pub encoding: Encoding,
    /// Names and sizes in bytes of the sections, in the file's order, without the header and the padding between them.
    pub sizes: [(&'static str, u64); 6],
}

impl FileSections {
    /// Reads the header of a cooked file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or its header is not valid.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CookError> {
        let header = read_header(path.as_ref())?;
        let sizes = std::array::from_fn(|i| (NAMES[i], header.sections[i].length));
        Ok(Self { encoding: header.encoding, sizes })
    }
}

pub(super) fn encode_groups(groups: &[Group]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in groups {
        group.encode(|part| bytes.extend_from_slice(part));
    }
    bytes
}

/// Decodes the groups; the structural check covers their order and range.
pub(super) fn decode_groups(bytes: &[u8], count: u32) -> Result<Vec<Group>, CookError> {
    let mut rest = bytes;
    let mut groups = Vec::new();
    for group in 0..count {
        let offset = bytes.len() - rest.len();
        let problem = |problem| CookError::Group { group, offset, problem };
        let cut_off = || problem("reaches past the end of the section");
        let (first_triangle, after) = rest.split_first_chunk().ok_or_else(cut_off)?;
        let (name_length, after) = after.split_first_chunk().ok_or_else(cut_off)?;
        let (material_length, mut after) = after.split_first_chunk().ok_or_else(cut_off)?;
        let mut names = [const { String::new() }; 2];
        for (name, length) in names.iter_mut().zip([name_length, material_length]) {
            let text;
            (text, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut_off)?;
            *name = str::from_utf8(text).map_err(|_| problem("has a name that is not UTF-8"))?.to_owned();
        }
        let [name, material] = names;
        groups.push(Group { name, material, first_triangle: u32::from_le_bytes(*first_triangle) });
        rest = after;
    }
    if rest.is_empty() {
        return Ok(groups);
    }
    let offset = bytes.len() - rest.len();
    Err(CookError::Group { group: count, offset, problem: "is not counted in the header" })
}
