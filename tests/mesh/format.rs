//! Formats of files, by their content and their names.

use std::path::Path;

use bvtree::mesh::MeshFormat;

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
