//! Cooking straight into a file gives the bytes of a tree built first and written then.

use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use bvtree::builder::BuildError;
use bvtree::cook::CookError;
use bvtree::{BuildOptions, BvTree, Mesh, Preset, VolumeKind};

use super::meshes::{self, sheet, soup};
use super::{all_options, bytes_of};

fn cooked(mesh: &Mesh, options: &BuildOptions) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    BvTree::cook_to(mesh, options, &mut file).unwrap();
    assert_eq!(file.position(), file.get_ref().len() as u64);
    file.into_inner()
}

#[test]
fn the_bytes_are_those_of_a_tree_built_and_written() {
    for (name, mesh) in meshes::all(200) {
        for options in all_options() {
            let built = bytes_of(&BvTree::build(&mesh, &options).unwrap());
            assert!(cooked(&mesh, &options) == built, "{name}, {options:?}");
        }
    }
}

#[test]
fn so_are_they_in_several_parts_and_on_any_number_of_threads() {
    let mesh = sheet(if cfg!(debug_assertions) { 140 } else { 300 }, 1.0);
    for kind in VolumeKind::ALL {
        for preset in [Preset::Fast, Preset::Balanced] {
            let options = preset.options(kind);
            let built = bytes_of(&BvTree::build(&mesh, &options).unwrap());
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert!(pool.install(|| cooked(&mesh, &options)) == built, "{options:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_file_may_begin_anywhere_in_the_writer() {
    let (mesh, options) = (soup(30, 5), BuildOptions::default());
    let mut file = Cursor::new(b"before".to_vec());
    file.seek(SeekFrom::End(0)).unwrap();
    BvTree::cook_to(&mesh, &options, &mut file).unwrap();
    file.write_all(b"after").unwrap();
    let expected = [b"before".as_slice(), &cooked(&mesh, &options), b"after"].concat();
    assert!(file.into_inner() == expected);
}

#[test]
fn a_cooked_tree_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    for mesh in [soup(90, 2), Mesh::from_arrays(vec![], vec![]).unwrap()] {
        let options = BuildOptions::obbtree_rules(VolumeKind::Sphere);
        let tree = BvTree::cook(&mesh, &options, &path).unwrap();
        assert_eq!(tree.validate_against(&mesh), []);
        assert!(fs::read(&path).unwrap() == bytes_of(&BvTree::build(&mesh, &options).unwrap()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn failures_leave_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    let mesh = soup(40, 1);
    BvTree::cook(&mesh, &BuildOptions::default(), &path).unwrap();
    let before = fs::read(&path).unwrap();
    let no_leaves = BuildOptions { max_leaf_triangles: 0, ..BuildOptions::default() };
    match BvTree::cook(&mesh, &no_leaves, &path) {
        Err(CookError::File { path: named, error }) => {
            assert_eq!(named, path);
            assert!(matches!(*error, CookError::Build(BuildError::EmptyLeaves)), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let missing = folder.path().join("missing/tree.bvt");
    let error = BvTree::cook(&mesh, &BuildOptions::default(), missing).unwrap_err();
    assert!(matches!(error, CookError::File { error, .. } if matches!(*error, CookError::Io(_))));
}

/// A file on a disk with room for this many bytes: writing beyond them is an error.
pub(super) struct Small(pub(super) Cursor<Vec<u8>>, pub(super) usize);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.1 - (self.0.position() as usize).min(self.1);
        match self.0.write(&bytes[..bytes.len().min(room)])? {
            0 => Err(io::ErrorKind::StorageFull.into()),
            written => Ok(written),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Small {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Seek for Small {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_full_writer_is_an_error() {
    let (mesh, options) = (soup(5, 1), BuildOptions::obbtree_rules(VolumeKind::Aabb));
    let length = cooked(&mesh, &options).len();
    for room in 0..=length {
        let outcome = BvTree::cook_to(&mesh, &options, Small(Cursor::default(), room));
        assert_eq!(outcome.is_ok(), room == length);
        if let Err(error) = outcome {
            assert!(matches!(error, CookError::Io(error) if error.kind() == io::ErrorKind::StorageFull));
        }
    }
}
