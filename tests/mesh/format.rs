//! Formats of files, by their content and their names.

use std::path::Path;

use bvtree::mesh::{Mesh, MeshError, MeshFormat, ReadOptions};

#[test]
fn content_comes_before_the_name() {
    let of = |name: &str, start: &[u8]| MeshFormat::of(Path::new(name), start);
    assert_eq!(of("a.obj", b"glTF\x02\0\0\0"), MeshFormat::Gltf);
    assert_eq!(of("a.stl", b"ply\nformat"), MeshFormat::Ply);
    assert_eq!(of("a", b"ply\r\nformat"), MeshFormat::Ply);
    assert_eq!(of("a.txt", b"COFF\n3 1 0"), MeshFormat::Off);
    assert_eq!(of("a.txt", b"OFF490 518 0\n"), MeshFormat::Off);
    assert_eq!(of("a.txt", b"OFFENSE\n"), MeshFormat::Obj);
    assert_eq!(of("a.STL", b"anything"), MeshFormat::Stl);
    assert_eq!(of("a.obj", b"solid v"), MeshFormat::Obj);
    assert_eq!(of("-", b"solid v"), MeshFormat::Stl);
    assert_eq!(of("-", &[b'x', 0, 0]), MeshFormat::Stl);
    assert_eq!(of("-", b" {\"asset\""), MeshFormat::Gltf);
    assert_eq!(of("-", b"# cube\nv 0 0 0"), MeshFormat::Obj);
    assert_eq!(of("-", b""), MeshFormat::Obj);
    assert_eq!(of("-", b"\xff\xfev\0"), MeshFormat::Obj);
}

#[test]
fn every_format_has_an_extension() {
    for format in MeshFormat::ALL {
        assert_eq!(MeshFormat::with_extension(format.name()), Some(format));
    }
}

fn read(file: &[u8]) -> Result<(), MeshError> {
    Mesh::read_with(file, Path::new("-"), &ReadOptions::default()).map(drop)
}

#[test]
fn formats_that_are_not_read_are_named() {
    let what = |file: &[u8]| read(file).unwrap_err().to_string();
    assert!(what(b"Kaydara FBX Binary  \0").starts_with("FBX files are not read: write glTF"));
    assert!(what(b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=").starts_with("COLLADA files are not read"));
    assert!(what(b"<scene>").starts_with("XML files"));
    assert!(what(b"<!DOCTYPE html>\n<HTML lang=en>").starts_with("HTML files"));
    assert!(what(b"version https://git-lfs.github.com/spec/v1\noid").contains("`git lfs pull`"));
    assert!(what(&bvtree::cook::MAGIC).starts_with("the file is a cooked tree"));
    assert_eq!([what(b""), what(b" \r\n")], ["the file is empty", "the file is blank"]);
    assert!(what(b"\xff\xfes\0o\0l\0i\0d\0 \0a\0").starts_with("UTF-16 files are not read: save them"));
    assert!(what(b"v\0 \x000\0 \x000\0 \x000\0").starts_with("UTF-16 files are not read"));
    assert!(what(b"PK\x03\x04\x14\0").contains("3MF"));
}

#[test]
fn formats_that_are_read_are_not_foreign() {
    for start in
        [&b"# v"[..], b"solid a", b"ply\n", b"OFF\n", b"glTF\x02", b"{\"asset\"", b"\0\0", b"\xff\xfev\0 \x000\0 \0"]
    {
        assert!(!matches!(read(start), Err(MeshError::Unsupported { .. })), "{start:?}");
    }
}
