//! The digest against its documented bytes.

use std::collections::BTreeSet;

use bvtree::mesh::Mesh;

use super::{point, read_faces};

#[test]
fn the_digest_is_of_the_documented_bytes() {
    let mesh = read_faces("f 1 2 3 4\ng h\u{e9}\nf 4 3 2\n").unwrap();
    let mut bytes = vec![];
    for count in [4u64, 3, 3, 1] {
        bytes.extend(count.to_le_bytes());
    }
    for x in [0f32, 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.] {
        bytes.extend(x.to_le_bytes());
    }
    for index in [0u32, 1, 2, 0, 2, 3, 3, 2, 1, 0, 0, 1, 2] {
        bytes.extend(index.to_le_bytes());
    }
    bytes.extend(3u64.to_le_bytes());
    bytes.extend("h\u{e9}".as_bytes());
    assert_eq!(mesh.digest(), xxhash_rust::xxh3::xxh3_128(&bytes));
}

#[test]
fn the_digest_tells_meshes_apart() {
    let large = |first: f32| {
        let vertices: Vec<_> = (0..5000).map(|i| point(if i == 4321 { first } else { 1.0 }, i as f32, 0.0)).collect();
        Mesh::from_arrays(vertices, vec![[0, 1, 4999]]).unwrap().digest()
    };
    let faces =
        ["f 1 2 3", "f 1 3 2", "f 1 2 3 4", "f 1 2 3\nf 1 3 4", "g a\nf 1 2 3", "g b\nf 1 2 3", "v 0 0 0\nf 1 2 3"];
    let mut digests: BTreeSet<_> = faces.iter().map(|faces| read_faces(faces).unwrap().digest()).collect();
    digests.extend([large(0.0), large(-0.0), Mesh::from_arrays(vec![], vec![]).unwrap().digest()]);
    assert_eq!(digests.len(), faces.len() + 3);
    assert_eq!(large(0.0), large(0.0));
}
