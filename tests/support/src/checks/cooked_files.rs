//! Cooked files: refused, or a tree that every question ends on. Bytes are changed inside files that are sound, plain
//! and compact, with their checksums put right or not, for no guess would get past these.

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use xxhash_rust::xxh3::xxh3_64;

/// Edits of four bytes each: two for the place, how, and with what. The first two bytes of all pick the file, its
/// encoding, and whether its checksums are put right.
pub fn check(data: &[u8]) {
    let Some((&[choice, how], edits)) = data.split_first_chunk() else { return };
    let mut file = sound(choice, how % 2 == 1);
    for edit in edits.chunks_exact(4).take(64) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % file.len();
        match edit[2] % 4 {
            0 => file[at] = edit[3],
            1 => file[at] ^= 1 << (edit[3] % 8),
            2 => file[at] = file[at].wrapping_add(edit[3]),
            _ => file.truncate(at.max(1)),
        }
    }
    if how / 2 % 2 == 1 {
        seal(&mut file);
    }
    open(&file);
    // The bytes themselves as a file, too.
    open(edits);
}

fn sound(choice: u8, is_compact: bool) -> Vec<u8> {
    let kind = VolumeKind::ALL[usize::from(choice) % VolumeKind::ALL.len()];
    let side = 1 + u32::from(choice / 3 % 6);
    let corner = |x: u32, y: u32| [x as f32, y as f32, (x * y % 3) as f32];
    let vertices: Vec<_> = (0..=side).flat_map(|y| (0..=side).map(move |x| corner(x, y))).collect();
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
    let triangles: Vec<_> = cells.flat_map(|a| [[a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1]]).collect();
    let mesh = Mesh::from_slices(&vertices, &triangles).expect("a sheet");
    let options = BuildOptions { kind, max_leaf_triangles: 1 + u32::from(choice / 18 % 3), ..BuildOptions::default() };
    let mut bytes = Vec::new();
    let tree = BvTree::build(&mesh, &options).expect("a tree");
    if is_compact { tree.write_compact_to(&mut bytes) } else { tree.write_to(&mut bytes) }.expect("memory");
    bytes
}

/// Makes the length and all checksums right, as far as the table of sections allows.
pub fn seal(file: &mut [u8]) {
    let length = file.len() as u64;
    if length < 384 {
        return;
    }
    file[16..24].copy_from_slice(&length.to_le_bytes());
    for entry in (192..336).step_by(24) {
        let number = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"));
        let (offset, size) = (number(entry), number(entry + 8));
        if let Some(end) = offset.checked_add(size).filter(|&end| end <= length) {
            let checksum = xxh3_64(&file[offset as usize..end as usize]);
            file[entry + 16..entry + 24].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    file[24..32].fill(0);
    let checksum = xxh3_64(&file[..384]);
    file[24..32].copy_from_slice(&checksum.to_le_bytes());
}

fn open(file: &[u8]) {
    let Ok(tree) = BvTree::from_bytes(file) else { return };
    let defects = tree.validate().len();
    let mut query = Query::new();
    let pose = Pose::new(nalgebra::Matrix3::identity(), nalgebra::Vector3::new(0.25, 0.5, 0.75)).expect("a pose");
    let pairs = query.intersecting_pairs(&tree, &tree, &pose);
    let hit = query.intersects(&tree, &tree, &pose);
    let distance = query.distance(&tree, &tree, &pose);
    if defects == 0 {
        assert_eq!(hit, !pairs.is_empty());
        assert_eq!(distance.is_some_and(|closest| closest.distance == 0.0), hit);
    }
    let _ = tree.to_mesh();
}
