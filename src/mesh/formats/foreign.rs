//! Formats that are not read, by what their files start with: so that the error names the format, and not a line that makes no sense.

use crate::mesh::MeshError;
use crate::mesh::format::is_utf16;

/// What such files start with, what they are, and what to do about it.
const MARKS: [(&[u8], &str, &str); 12] = [
    (b"Kaydara FBX Binary", "FBX", AS_GLTF),
    (b"; FBX", "FBX", AS_GLTF),
    (b"BLENDER", "Blender", AS_GLTF),
    (b"#usda", "USD", AS_GLTF),
    (b"PXR-USDC", "USD", AS_GLTF),
    (b"#VRML", "VRML", AS_GLTF),
    (b"#X3D", "X3D", AS_GLTF),
    (b"ISO-10303-21", "STEP and IFC", "they hold surfaces and not triangles; write a mesh of them as glTF or STL"),
    (b"PK\x03\x04", "ZIP", "unpack them; of 3MF and USDZ write glTF (.glb), for instance with Blender"),
    (b"\x1f\x8b", "gzip", "unpack them"),
    (b"\x28\xb5\x2f\xfd", "Zstandard", "unpack them"),
    (b"\x89PNG", "PNG", "they hold pictures"),
];

const AS_GLTF: &str = "write glTF (.glb), for instance with Blender";

/// That the format of a file which starts so is not read, if it is known for one.
pub(super) fn refused(start: &[u8]) -> Option<MeshError> {
    let text = start.trim_ascii_start();
    let marked = MARKS.iter().find(|(mark, ..)| start.starts_with(mark)).map(|&(_, name, advice)| (name, advice));
    let (name, advice) = marked.or_else(|| xml(text)).or_else(|| utf16(start))?;
    Some(MeshError::Unsupported { what: format!("{name} files are not read: {advice}") })
}

/// Text of two bytes for each letter; that of OBJ has an error of its own.
fn utf16(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let letters = start.get(2..12).filter(|_| is_utf16(start))?;
    let zeros = |from: usize| letters.iter().skip(from).step_by(2).all(|&byte| byte == 0);
    let is_marked =
        |mark: &[u8]| letters.iter().filter(|&&byte| byte != 0).zip(mark).all(|(a, b)| a.eq_ignore_ascii_case(b));
    let is_other = [&b"solid"[..], b"ply", b"off", b"{"].iter().any(|mark| is_marked(mark));
    ((zeros(0) || zeros(1)) && is_other).then_some(("UTF-16", "save them as UTF-8"))
}

fn xml(text: &[u8]) -> Option<(&'static str, &'static str)> {
    if !text.starts_with(b"<") || is_utf16(text) {
        return None;
    }
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    let names: [(&[u8], &str); 2] = [(b"<COLLADA", "COLLADA"), (b"<X3D", "X3D")];
    let name = names.into_iter().find(|(word, _)| has(word)).map_or("XML", |(_, name)| name);
    Some((name, AS_GLTF))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_are_not_read_are_named() {
        let what = |start: &[u8]| refused(start).map(|error| error.to_string()).unwrap_or_default();
        assert!(what(b"Kaydara FBX Binary  \0").starts_with("FBX files are not read: write glTF"));
        assert!(what(b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=").starts_with("COLLADA files are not read"));
        assert!(what(b"<html>").starts_with("XML files"));
        assert!(what(b"\xff\xfes\0o\0l\0i\0d\0 \0a\0").starts_with("UTF-16 files are not read: save them"));
        assert!(what(b"PK\x03\x04\x14\0").contains("3MF"));
    }

    #[test]
    fn formats_that_are_read_are_not_foreign() {
        for start in [
            &b"# v"[..],
            b"solid a",
            b"ply\n",
            b"OFF\n",
            b"glTF\x02",
            b"{\"asset\"",
            b"",
            b"\0\0",
            b"\xff\xfev\0 \x000\0 \0",
        ] {
            assert!(refused(start).is_none(), "{start:?}");
        }
    }
}
