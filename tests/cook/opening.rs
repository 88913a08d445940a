//! Ways to open a file, and what may happen to it meanwhile.

use std::fs;
use std::sync::Arc;

use bvtree::cook::CookError;
use bvtree::{BvTree, VolumeKind};

use super::meshes::soup;
use super::{build, bytes_of};

/// Bytes that begin so many behind a multiple of 64.
struct Shifted {
    memory: Vec<u8>,
    begin: usize,
}

impl Shifted {
    fn new(bytes: &[u8], shift: usize) -> Self {
        let mut memory = vec![0; bytes.len() + 128];
        let begin = memory.as_ptr().align_offset(64) + shift;
        memory.truncate(begin);
        memory.extend_from_slice(bytes);
        Self { memory, begin }
    }
}

impl AsRef<[u8]> for Shifted {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.begin..]
    }
}

#[test]
fn buffers_are_used_where_they_are_aligned() {
    for kind in VolumeKind::ALL {
        let bytes = bytes_of(&build(&soup(70, 4), kind, 2));
        for shift in 0..64 {
            let opened = BvTree::from_buffer(Shifted::new(&bytes, shift));
            match shift % BvTree::BUFFER_ALIGNMENT {
                0 => assert_eq!(bytes_of(&opened.unwrap()), bytes),
                _ => assert!(matches!(opened, Err(CookError::Misaligned { alignment: 16 }))),
            }
            // Bytes anywhere are copied.
            assert_eq!(bytes_of(&BvTree::from_bytes(Shifted::new(&bytes, shift).as_ref()).unwrap()), bytes);
        }
    }
}

#[test]
fn trusted_buffers_are_opened_by_their_header() {
    let mut bytes = bytes_of(&build(&soup(70, 4), VolumeKind::Obb, 2));
    assert_eq!(bytes_of(&BvTree::from_buffer_trusted(Shifted::new(&bytes, 0)).unwrap()), bytes);
    assert!(matches!(BvTree::from_buffer_trusted(Shifted::new(&bytes, 4)), Err(CookError::Misaligned { .. })));
    assert!(matches!(BvTree::from_buffer_trusted(Shifted::new(&bytes[..500], 0)), Err(CookError::Truncated { .. })));
    // A damaged vertex is not seen, a damaged header is.
    let vertex = bytes.len() / 2;
    bytes[vertex] ^= 0x10;
    assert!(BvTree::from_buffer(Shifted::new(&bytes, 0)).is_err());
    assert!(BvTree::from_buffer_trusted(Shifted::new(&bytes, 0)).is_ok());
    bytes[20] ^= 0x10;
    assert!(BvTree::from_buffer_trusted(Shifted::new(&bytes, 0)).is_err());
}

#[test]
fn a_buffer_lives_as_long_as_its_tree() {
    let bytes = bytes_of(&build(&soup(20, 4), VolumeKind::Aabb, 1));
    let buffer = Arc::new(Shifted::new(&bytes, 0));
    struct Shared(Arc<Shifted>);
    impl AsRef<[u8]> for Shared {
        fn as_ref(&self) -> &[u8] {
            (*self.0).as_ref()
        }
    }
    let tree = BvTree::from_buffer(Shared(buffer.clone())).unwrap();
    assert_eq!(Arc::strong_count(&buffer), 2);
    drop(tree);
    assert_eq!(Arc::strong_count(&buffer), 1);
}

#[test]
fn damaged_buffers_are_refused() {
    let bytes = bytes_of(&build(&soup(20, 4), VolumeKind::Obb, 1));
    for offset in (0..bytes.len()).step_by(13) {
        let mut bytes = bytes.clone();
        bytes[offset] ^= 0x10;
        assert!(BvTree::from_buffer(Shifted::new(&bytes, 0)).is_err(), "{offset}");
        assert!(BvTree::from_buffer(Shifted::new(&bytes[..offset], 0)).is_err(), "{offset}");
    }
}

#[test]
fn what_happens_to_the_file_does_not_matter_to_a_tree_that_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    let tree = build(&soup(300, 4), VolumeKind::Obb, 1);
    tree.save(&path).unwrap();
    let opened = [BvTree::open(&path).unwrap(), BvTree::open_trusted(&path).unwrap()];
    let length = fs::metadata(&path).unwrap().len();
    // In place, and then cut off.
    fs::write(&path, vec![0xff; length as usize]).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(7).unwrap();
    for opened in opened {
        assert_eq!(bytes_of(&opened), bytes_of(&tree));
        assert_eq!(opened.validate(), []);
    }
}

#[cfg(feature = "mmap")]
#[test]
fn mapped_files_open_and_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    for kind in VolumeKind::ALL {
        let tree = build(&soup(60, 4), kind, 3);
        tree.save(&path).unwrap();
        // SAFETY: nobody changes the file in place while it is mapped.
        let opened = unsafe { [BvTree::open_mapped(&path).unwrap(), BvTree::open_mapped_trusted(&path).unwrap()] };
        // Replaced, not changed.
        build(&soup(9, 1), kind, 1).save(&path).unwrap();
        assert!(opened.iter().all(|opened| bytes_of(opened) == bytes_of(&tree)));
    }
    let bytes = fs::read(&path).unwrap();
    for offset in (0..bytes.len()).step_by(7) {
        let mut bytes = bytes.clone();
        bytes[offset] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        // SAFETY: as above.
        let error = unsafe { BvTree::open_mapped(&path) }.unwrap_err();
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        fs::write(&path, &bytes[..offset]).unwrap();
        // SAFETY: as above.
        assert!(unsafe { BvTree::open_mapped_trusted(&path) }.is_err(), "{offset}");
    }
}

/// A sparse file takes no room on disk, and must take none in memory either.
#[cfg(target_os = "linux")]
#[test]
fn a_huge_file_that_is_no_tree_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    fs::write(&path, bytes_of(&build(&soup(9, 1), VolumeKind::Aabb, 1))).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    for opened in [BvTree::open(&path), BvTree::open_trusted(&path)] {
        let Err(CookError::File { error, .. }) = opened else { panic!("it opens") };
        assert!(matches!(*error, CookError::TooLong { actual, .. } if actual == 1 << 40), "{error}");
    }
}
