//! Files appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bvtree::cook::CookError;
use bvtree::{BvTree, VolumeKind};

use super::meshes::soup;
use super::{build, bytes_of};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn replaces_a_file_under_trees_that_are_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    let (old, new) = (build(&soup(40, 1), VolumeKind::Obb, 1), build(&soup(90, 2), VolumeKind::Aabb, 1));
    old.save(&path).unwrap();
    let opened = BvTree::open(&path).unwrap();
    new.save(&path).unwrap();
    assert_eq!(names(folder.path()), ["tree.bvt"]);
    assert_eq!(bytes_of(&opened), bytes_of(&old));
    assert_eq!(fs::read(&path).unwrap(), bytes_of(&new));
    opened.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes_of(&old));
}

#[test]
fn nothing_is_left_behind_by_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let tree = build(&soup(40, 1), VolumeKind::Sphere, 1);
    let directory = folder.path().join("directory.bvt");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("occupied"), "").unwrap();
    for path in [directory, folder.path().join("missing/tree.bvt"), folder.path().join("")] {
        match tree.save(&path) {
            Err(CookError::File { path: named, error }) => {
                assert_eq!(named, path);
                assert!(matches!(*error, CookError::Io(_)), "{error}");
            }
            other => panic!("{}: {other:?}", path.display()),
        }
    }
    assert_eq!(names(folder.path()), ["directory.bvt"]);
}

#[cfg(unix)]
#[test]
fn files_are_as_readable_as_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (cooked, other) = (folder.path().join("tree.bvt"), folder.path().join("other"));
    build(&soup(4, 1), VolumeKind::Aabb, 1).save(&cooked).unwrap();
    fs::write(&other, "").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&cooked), mode(&other));
}

/// Takes some bytes and then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_writer_is_an_error() {
    let tree = build(&soup(5, 1), VolumeKind::Aabb, 1);
    let length = bytes_of(&tree).len();
    for room in 0..length {
        assert_eq!(tree.write_to(Full(room)).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
    tree.write_to(Full(length)).unwrap();
}

#[test]
fn what_is_no_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing.bvt")] {
        for opened in [BvTree::open(&path), BvTree::open_trusted(&path)] {
            let error = opened.unwrap_err();
            assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
            assert!(matches!(error, CookError::File { error, .. } if matches!(*error, CookError::Io(_))));
        }
    }
}
