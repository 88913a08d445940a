//! Compact files: the sections of a cooked file as streams of small numbers, without the volumes, which are fitted
//! again when the file is opened.
//!
//! Vertices are stored in the order of first use, each as its difference from the previous one unless it repeats an
//! earlier one. Corners count back from the newest vertex, and faces are stored as differences, so that most numbers
//! take one byte. Nothing is rounded.

use std::collections::HashMap;

use nalgebra::Point3;

use super::error::CookError;
use super::header::Header;
use super::sections::{NAMES, decode_groups};
use crate::builder::{Below, FirstUses, fit_volumes};
use crate::tree::{Owned, View, check_arrays};
use crate::volume::{NodeRef, VolumeKind};

/// The greatest depth of a tree in a compact file. Fitting the volumes takes time in proportion to the depth. Trees of
/// 200 million triangles have 14 levels, and trees of slivers a few tens.
pub(super) const MAX_COMPACT_DEPTH: u32 = 100;

/// Encodes the sections of a compact file except the groups, in the order of [`NAMES`]; also returns the number of
/// vertices, which are numbered by first use.
pub(super) fn encode(view: View<'_>, kind: VolumeKind) -> ([Vec<u8>; 5], usize) {
    let mut nodes = Vec::new();
    for_each_volume(view, kind, |below| {
        push(
            &mut nodes,
            match below {
                Below::Node { children } => children as u32 - 1,
                Below::Leaf { triangles } => LEAF + (triangles - 1) as u32,
            },
        );
    });
    let (mut corners, mut uses) = (Vec::new(), FirstUses::none(view.vertices.len()));
    for vertex in view.triangles().flatten() {
        let newest = uses.used.len() as u32;
        push(&mut corners, newest - uses.number_of(vertex));
    }
    let bits = |&vertex: &u32| view.vertices[vertex as usize].coords.map(f32::to_bits).into();
    let used: Vec<[u32; 3]> = uses.used.iter().map(bits).collect();
    ([nodes, encode_vertices(&used), corners, differences(view.faces), differences(view.polygons)], used.len())
}

/// Encodes the vertices, given by the bits of their coordinates.
fn encode_vertices(used: &[[u32; 3]]) -> Vec<u8> {
    let (mut repeated, mut distinct) = (Vec::new(), Vec::new());
    let (mut count, mut next_repeated, mut last) = (0, 0, [0; 3]);
    let mut newest: HashMap<&[u32; 3], u32> = HashMap::with_capacity(used.len());
    for (vertex, bits) in (0..).zip(used) {
        let position = bits.map(ordered);
        match newest.insert(bits, vertex) {
            Some(before) => {
                push(&mut repeated, vertex - next_repeated);
                push(&mut repeated, vertex - before - 1);
                (count, next_repeated) = (count + 1, vertex + 1);
            }
            None => {
                let differences = std::array::from_fn::<_, 3, _>(|k| position[k].wrapping_sub(last[k]));
                differences.iter().for_each(|&difference| push(&mut distinct, zigzag(difference)));
            }
        }
        last = position;
    }
    let mut vertices = Vec::new();
    push(&mut vertices, count);
    vertices.extend(repeated);
    vertices.extend(distinct);
    vertices
}

fn decode_vertices(stream: &mut Stream<'_>, count: u32) -> Result<Vec<Point3<f32>>, CookError> {
    let (mut repeated, mut next_repeated) = (Vec::new(), 0u32);
    for _ in 0..stream.next()? {
        let vertex = next_repeated.checked_add(stream.next()?).filter(|&vertex| vertex < count);
        let vertex = vertex.ok_or_else(|| stream.unexpected("the number of a vertex"))?;
        let before = vertex.checked_sub(1).and_then(|last| last.checked_sub(stream.next().ok()?));
        repeated.push((vertex, before.ok_or_else(|| stream.unexpected("the number of a vertex before"))?));
        next_repeated = vertex + 1;
    }
    let mut repeated = repeated.into_iter().peekable();
    let mut positions: Vec<[i32; 3]> = Vec::new();
    for vertex in 0..count {
        let mut position = positions.last().copied().unwrap_or_default();
        if let Some((_, before)) = repeated.next_if(|&(repeated, _)| repeated == vertex) {
            position = positions[before as usize];
        } else {
            for x in &mut position {
                *x = x.wrapping_add(unzigzag(stream.next()?));
            }
        }
        positions.push(position);
    }
    Ok(positions.iter().map(|position| position.map(|x| f32::from_bits(ordered(x as u32) as u32)).into()).collect())
}

/// Decodes the sections of a file whose header is checked, checks all arrays but the nodes, and fits the volumes.
pub(super) fn decode(header: &Header, bytes: &[u8]) -> Result<Owned, CookError> {
    let mut streams: [Stream<'_>; 5] =
        std::array::from_fn(|i| Stream { section: NAMES[i], bytes: &bytes[header.sections[i].range()], at: 0 });
    let [nodes, vertices, corners, faces, polygons] = &mut streams;
    let counts = &header.counts;
    let triangles = counts.triangles as usize;
    let mut tree = Owned { vertices: decode_vertices(vertices, counts.vertices)?, ..Owned::default() };
    let mut used: u32 = 0;
    for _ in 0..triangles {
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            let back = corners.next()?;
            *corner = match used.checked_sub(back) {
                Some(number) if number < counts.vertices => number,
                _ => return Err(corners.unexpected("the number of a vertex")),
            };
            used += u32::from(back == 0);
        }
        tree.corners.push(triangle);
    }
    if used != counts.vertices {
        return Err(corners.unexpected("a use of each vertex"));
    }
    tree.faces = faces.sums(triangles)?;
    tree.polygons = if polygons.bytes.is_empty() { Vec::new() } else { polygons.sums(triangles)? };
    tree.groups = decode_groups(&bytes[header.sections[5].range()], counts.groups)?;
    let mut volumes = Vec::new();
    for _ in 0..counts.volumes {
        volumes.push(match nodes.next()? {
            children @ ..LEAF => Below::Node { children: children as usize + 1 },
            more => Below::Leaf { triangles: (more - LEAF) as usize + 1 },
        });
    }
    for stream in &streams {
        if stream.at < stream.bytes.len() {
            return Err(stream.unexpected("the end of the section"));
        }
    }
    // Fits require finite vertices in the frame.
    check_arrays(tree.view(), &header.meta, &tree.groups)?;
    tree.nodes = fit_volumes(&header.meta, &volumes, &tree.vertices, &mut tree.corners)
        .ok_or_else(|| streams[0].unexpected("the nodes of one tree over all triangles"))?;
    Ok(tree)
}

/// `LEAF + n - 1` stands for a leaf of `n` triangles; `n - 1` stands for a node of `n` volumes, and is smaller than
/// `LEAF` because `n` is one to eight.
const LEAF: u32 = crate::volume::WIDTH as u32;

/// Visits what is below each volume, in the order of the file.
fn for_each_volume(view: View<'_>, kind: VolumeKind, mut visit: impl FnMut(Below)) {
    let fields = crate::volume::fields(kind);
    let mut nodes: Vec<NodeRef> = if view.corners.is_empty() { Vec::new() } else { vec![NodeRef::ROOT] };
    while let Some(node) = nodes.pop() {
        let (first, children) = (node.first_child(), node.children());
        let below = |lane: usize| NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane]);
        for lane in 0..children {
            let child = below(lane);
            visit(match child.is_leaf() {
                true => Below::Leaf { triangles: view.leaf(child.first_triangle()).len() },
                false => Below::Node { children: child.children() },
            });
        }
        nodes.extend((0..children).rev().map(below).filter(|child| !child.is_leaf()));
    }
}

/// Maps the bits of a float to an integer that grows with the float. Applied to that integer's bits, it returns the
/// float's bits.
fn ordered(bits: u32) -> i32 {
    let bits = bits as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Maps differences near 0, of either sign, to small numbers.
fn zigzag(difference: i32) -> u32 {
    ((difference << 1) ^ (difference >> 31)) as u32
}

fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

/// Encodes each number as its difference from the previous number, minus 1; the number before the first counts as -1.
fn differences(numbers: &[u32]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), u32::MAX);
    for &number in numbers {
        push(&mut bytes, zigzag(number.wrapping_sub(std::mem::replace(&mut last, number)).wrapping_sub(1) as i32));
    }
    bytes
}

/// Appends a number, seven bits in each byte, the lowest first; all bytes but the last have their top bit set (LEB128).
fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The numbers of a section.
struct Stream<'a> {
    section: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl Stream<'_> {
    fn next(&mut self) -> Result<u32, CookError> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else { return Err(self.unexpected("another number")) };
            let bits = u32::from(byte & 0x7f);
            // Each number has only one encoding: no zero byte at its end, no bits beyond the 32nd.
            if bits << shift >> shift != bits || byte == 0 && shift > 0 {
                return Err(self.unexpected("the shortest encoding of a number below 2^32"));
            }
            self.at += 1;
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.unexpected("at most five bytes"))
    }

    /// Reads `count` numbers from the [`differences`] in which they are stored.
    fn sums(&mut self, count: usize) -> Result<Vec<u32>, CookError> {
        let mut last = u32::MAX;
        let mut next = || {
            last = last.wrapping_add(unzigzag(self.next()?) as u32).wrapping_add(1);
            Ok(last)
        };
        (0..count).map(|_| next()).collect()
    }

    fn unexpected(&self, expected: &'static str) -> CookError {
        CookError::Encoding { section: self.section, offset: self.at, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_have_one_encoding() {
        let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| push(&mut bytes, number));
        let mut stream = Stream { section: "nodes", bytes: &bytes, at: 0 };
        assert!(numbers.iter().all(|&number| stream.next().unwrap() == number));
        assert!(stream.next().is_err());
        for longer in [&[0x80, 0][..], &[0xff, 0x80, 0], &[0xff, 0xff, 0xff, 0xff, 0x10], &[0x80; 6], &[0x80]] {
            assert!(Stream { section: "nodes", bytes: longer, at: 0 }.next().is_err(), "{longer:x?}");
        }
        for x in [0.0, -0.0, 1.0, -1.0, f32::MIN_POSITIVE, -1e-45, 1e-45, f32::MAX, f32::MIN] {
            assert_eq!(ordered(ordered(x.to_bits()) as u32) as u32, x.to_bits());
            assert!(ordered(x.to_bits()) < ordered(x.next_up().to_bits()));
        }
        for difference in [0, -1, 1, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(difference)), difference);
        }
    }
}
