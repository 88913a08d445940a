//! Bytes of cooked files.

use bvtree::{BvTree, Preset, VolumeKind};

use super::digest::Digest;
use super::{check, meshes};

fn bytes(tree: &BvTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes).unwrap();
    bytes
}

fn digest(bytes: &[u8]) -> Digest {
    let mut digest = Digest::default();
    for &byte in bytes {
        digest.count(byte);
    }
    digest
}

#[test]
fn cooked_bytes() {
    let mut digests = Vec::new();
    for name in meshes::names() {
        let mesh = meshes::mesh(name);
        for kind in VolumeKind::ALL {
            for preset in Preset::ALL {
                // The slowest of all, and of interest on small meshes only.
                if preset == Preset::Tight && mesh.triangles().len() > 2000 {
                    continue;
                }
                let tree = BvTree::build(&mesh, &preset.options(kind)).unwrap();
                digests.push((format!("{name}.{kind}.{preset}"), digest(&bytes(&tree))));
            }
        }
    }
    check("cooked", digests);
}

/// On one thread as on many.
#[test]
#[cfg(feature = "threads")]
fn threads_change_nothing() {
    let mesh = meshes::mesh("teapot");
    let options = bvtree::BuildOptions::default();
    let built = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bytes(&BvTree::build(&mesh, &options).unwrap()))
    };
    let one = built(1);
    assert!(one == built(2) && one == built(5));
}
