//! Damaged, cut and forged files: always an error that tells, never a panic or a hang.

use std::fs;
use std::ops::{ControlFlow, Range};

use bvtree::cook::CookError;
use bvtree::{BvTree, Pose, Query, VolumeKind};
use bvtree_test_support::checks::cooked_files::seal;

use super::meshes::{Random, soup};
use super::{build, bytes_of, compact_bytes_of};

/// Plain and compact files of every kind.
fn kinds_and_encodings() -> impl Iterator<Item = (VolumeKind, bool)> {
    VolumeKind::ALL.into_iter().flat_map(|kind| [false, true].map(|is_compact| (kind, is_compact)))
}

fn encoded(tree: &BvTree, is_compact: bool) -> Vec<u8> {
    if is_compact { compact_bytes_of(tree) } else { bytes_of(tree) }
}

fn small(kind: VolumeKind) -> Vec<u8> {
    bytes_of(&build(&soup(14, 5), kind, 2))
}

/// The error, which has something to say.
fn refused(bytes: &[u8]) -> CookError {
    let error = BvTree::from_bytes(bytes).map(|_| ()).unwrap_err();
    assert!(error.to_string().len() > 10);
    error
}

#[test]
fn every_flipped_byte_is_found() {
    for (kind, is_compact) in kinds_and_encodings() {
        let mut bytes = encoded(&build(&soup(14, 5), kind, 2), is_compact);
        for offset in 0..bytes.len() {
            for pattern in [0x01, 0x10, 0x80, 0xff] {
                bytes[offset] ^= pattern;
                refused(&bytes);
                bytes[offset] ^= pattern;
            }
        }
        BvTree::from_bytes(&bytes).unwrap();
    }
}

#[test]
fn errors_say_which_part_is_damaged() {
    let intact = small(VolumeKind::Obb);
    let flipped = |offset: usize| {
        let mut bytes = intact.clone();
        bytes[offset] ^= 1;
        refused(&bytes)
    };
    assert!(matches!(flipped(3), CookError::NotCooked));
    let mut older = intact.clone();
    older[8] = 1;
    assert!(matches!(refused(&older), CookError::Version { found: 1, supported: 2 }));
    assert!(refused(&older).to_string().contains("older") && flipped(8).to_string().contains("newer"));
    assert!(matches!(flipped(16), CookError::Truncated { .. } | CookError::TooLong { .. }));
    assert!(matches!(flipped(12), CookError::NotZero { offset: 12, found: 1 }));
    for offset in [24, 40, 100, 150, 170, 200, 383] {
        assert!(matches!(flipped(offset), CookError::Checksum { part: "header", .. }), "{offset}");
    }
    for (i, name) in ["nodes", "vertices", "corners", "faces", "polygons", "groups"].into_iter().enumerate() {
        let section = section(&intact, i);
        // A damaged group may be found before its checksum.
        let found = flipped(section.end - 1);
        assert!(matches!(found, CookError::Checksum { part, .. } if part == name), "{name}: {found}");
        if i < 5 && !section.end.is_multiple_of(64) {
            assert!(matches!(flipped(section.end), CookError::NotZero { offset, found: 1 } if offset == section.end));
        }
    }
}

#[test]
fn every_truncation_is_found() {
    let bytes = small(VolumeKind::Aabb);
    assert!(matches!(refused(&[]), CookError::NotCooked));
    for length in 1..bytes.len() {
        match refused(&bytes[..length]) {
            CookError::Truncated { actual, expected } => {
                assert_eq!(actual, length as u64);
                assert_eq!(expected, if length < 384 { 384 } else { bytes.len() as u64 });
            }
            other => panic!("{length}: {other}"),
        }
    }
    let mut longer = bytes.clone();
    for extra in 1..200 {
        longer.push(0);
        let CookError::TooLong { actual, expected } = refused(&longer) else { panic!("{extra}") };
        assert_eq!((actual, expected), (longer.len() as u64, bytes.len() as u64));
    }
}

#[test]
fn damaged_files_are_found_on_disk_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    let bytes = small(VolumeKind::Sphere);
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = BvTree::open(&path).unwrap_err();
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    };
    for offset in (0..bytes.len()).step_by(7) {
        let mut bytes = bytes.clone();
        bytes[offset] ^= 0x40;
        refused(&bytes);
        refused(&bytes[..offset]);
    }
    // The trusting way finds what lies in the header.
    for offset in 0..384 {
        let mut bytes = bytes.clone();
        bytes[offset] ^= 0x04;
        fs::write(&path, &bytes).unwrap();
        assert!(BvTree::open_trusted(&path).is_err(), "{offset}");
        fs::write(&path, &bytes[..offset]).unwrap();
        assert!(BvTree::open_trusted(&path).is_err(), "{offset}");
    }
}

#[test]
fn garbage_is_refused() {
    let mut random = Random(11);
    let header = small(VolumeKind::Obb)[..24].to_vec();
    for round in 0..2000 {
        let mut garbage: Vec<u8> = (0..random.below(3000)).map(|_| random.bits() as u8).collect();
        if round % 2 == 0 && garbage.len() >= 384 {
            garbage[..24].copy_from_slice(&header);
            seal(&mut garbage);
        }
        refused(&garbage);
    }
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().unwrap())
}

pub fn section(bytes: &[u8], index: usize) -> Range<usize> {
    let offset = u64_at(bytes, 192 + 24 * index) as usize;
    offset..offset + u64_at(bytes, 200 + 24 * index) as usize
}

/// Changes one word or two, or some bytes, somewhere in the range.
fn mutate(bytes: &mut [u8], range: Range<usize>, random: &mut Random) {
    let words = range.len() / 4;
    if words == 0 {
        return;
    }
    let place = |random: &mut Random| range.start + 4 * random.below(words);
    let (at, other) = (place(random), place(random));
    let word = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let changed = match random.below(12) {
        0 => 0,
        1 => u32::MAX,
        2 => f32::NAN.to_bits(),
        3 => f32::INFINITY.to_bits(),
        4 => f32::MAX.to_bits(),
        5 => word.wrapping_add(1),
        6 => word.wrapping_sub(1),
        7 => word ^ (1 << 31),
        8 => word ^ (1 << (28 + random.below(3))),
        9 => random.below(40) as u32,
        10 => word ^ (1 << random.below(32)),
        _ => u32::from_le_bytes(bytes[other..other + 4].try_into().unwrap()),
    };
    bytes[at..at + 4].copy_from_slice(&changed.to_le_bytes());
    if random.below(4) == 0 {
        bytes[other..other + 4].copy_from_slice(&word.to_le_bytes());
    }
}

#[test]
fn forged_files_are_refused_or_harmless() {
    let rounds = if cfg!(debug_assertions) { 1_500 } else { 20_000 };
    let mut random = Random(17);
    let mut query = Query::new();
    for (kind, is_compact) in kinds_and_encodings() {
        let tree = build(&soup(40, 6), kind, 2);
        let intact = encoded(&tree, is_compact);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..rounds {
            let mut bytes = intact.clone();
            let range = match random.below(10) {
                0 => 32..192,
                1 => 192..336,
                2 => 336..384,
                3..6 => section(&intact, 0),
                part => section(&intact, part - 5 + usize::from(part > 8)),
            };
            for _ in 0..=random.below(2) {
                mutate(&mut bytes, range.clone(), &mut random);
            }
            seal(&mut bytes);
            match BvTree::from_bytes(&bytes) {
                Err(_) => refused += 1,
                Ok(forged) => {
                    accepted += 1;
                    let _ = forged.validate();
                    for [a, b] in [[&forged, &tree], [&tree, &forged], [&forged, &forged]] {
                        let mut pairs = 0;
                        query.for_each_intersecting_pair(a, b, &Pose::identity(), |_| {
                            pairs += 1;
                            ControlFlow::Continue(())
                        });
                        assert!(pairs <= a.triangle_count() * b.triangle_count());
                    }
                }
            }
        }
        // Of a compact file, whose numbers are differences, a change is hardly ever harmless.
        let least = if is_compact { 0 } else { rounds / 50 };
        assert!(accepted >= least && refused > rounds / 5, "{kind}: {accepted} accepted, {refused} refused");
    }
}
