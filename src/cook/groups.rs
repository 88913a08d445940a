//! The groups section: for each run its first triangle (u32), its name's length in bytes (u64) and its name.

use super::error::CookError;
use crate::mesh::Group;

pub(super) fn encode(groups: &[Group]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in groups {
        bytes.extend_from_slice(&group.first_triangle.to_le_bytes());
        bytes.extend_from_slice(&(group.name.len() as u64).to_le_bytes());
        bytes.extend_from_slice(group.name.as_bytes());
    }
    bytes
}

/// The runs; their order and range is part of the structural check.
pub(super) fn decode(bytes: &[u8], count: u32) -> Result<Vec<Group>, CookError> {
    let mut rest = bytes;
    let mut groups = Vec::new();
    for group in 0..count {
        let offset = bytes.len() - rest.len();
        let problem = |problem| CookError::Group { group, offset, problem };
        let cut_off = || problem("reaches past the end of the section");
        let (first_triangle, after) = rest.split_first_chunk().ok_or_else(cut_off)?;
        let (length, after) = after.split_first_chunk().ok_or_else(cut_off)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut_off())?;
        let (name, after) = after.split_at_checked(length).ok_or_else(cut_off)?;
        let name = std::str::from_utf8(name).map_err(|_| problem("has a name that is not UTF-8"))?;
        groups.push(Group { name: name.to_owned(), first_triangle: u32::from_le_bytes(*first_triangle) });
        rest = after;
    }
    if rest.is_empty() {
        return Ok(groups);
    }
    let offset = bytes.len() - rest.len();
    Err(CookError::Group { group: count, offset, problem: "is not counted in the header" })
}
