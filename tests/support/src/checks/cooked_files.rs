//! Cooked files: refused, or a tree that every question ends on. Bytes are changed inside files that are sound, with
//! their checksums put right or not, for no guess would get past these.

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};

/// Edits of four bytes each: two for the place, how, and with what. The first byte of all picks the file.
pub fn check(data: &[u8]) {
    let Some((&choice, edits)) = data.split_first() else { return };
    let mut file = sound(choice);
    for edit in edits.chunks_exact(4).take(64) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % file.len();
        match edit[2] % 4 {
            0 => file[at] = edit[3],
            1 => file[at] ^= 1 << (edit[3] % 8),
            2 => file[at] = file[at].wrapping_add(edit[3]),
            _ => file.truncate(at.max(1)),
        }
    }
    open(&file);
    // The bytes themselves as a file, too.
    open(edits);
}

fn sound(choice: u8) -> Vec<u8> {
    let kind = VolumeKind::ALL[usize::from(choice) % VolumeKind::ALL.len()];
    let side = 1 + u32::from(choice / 3 % 6);
    let corner = |x: u32, y: u32| [x as f32, y as f32, (x * y % 3) as f32];
    let vertices: Vec<_> = (0..=side).flat_map(|y| (0..=side).map(move |x| corner(x, y))).collect();
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
    let triangles: Vec<_> = cells.flat_map(|a| [[a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1]]).collect();
    let mesh = Mesh::from_slices(&vertices, &triangles).expect("a sheet");
    let options = BuildOptions { kind, max_leaf_triangles: 1 + u32::from(choice / 18 % 3), ..BuildOptions::default() };
    let mut bytes = Vec::new();
    BvTree::build(&mesh, &options).expect("a tree").write_to(&mut bytes).expect("memory");
    bytes
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
