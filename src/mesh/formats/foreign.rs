//! Formats that are not read, by what their files start with: so that the error names the format, and not a line that makes no sense.

use super::format::is_utf16;
use crate::mesh::MeshError;

/// What such files start with, what they are, and what to do about it.
const MARKS: [(&[u8], &str, &str); 11] = [
    (b"Kaydara FBX Binary", "FBX", AS_GLTF),
    (b"; FBX", "FBX", AS_GLTF),
    (b"BLENDER", "Blender", AS_GLTF),
    (b"#usda", "USD", AS_GLTF),
    (b"PXR-USDC", "USD", AS_GLTF),
    (b"#VRML", "VRML", AS_GLTF),
    (b"#X3D", "X3D", AS_GLTF),
    (b"ISO-10303-21", "STEP and IFC", "they hold surfaces and not triangles; write a mesh of them as glTF or STL"),
    (b"PK\x03\x04", "ZIP", "unpack it; of 3MF and USDZ write glTF (.glb), for instance with Blender"),
    (b"\x1f\x8b", "gzip", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "Zstandard", "unpack it"),
];

const AS_GLTF: &str = "write glTF (.glb), for instance with Blender";

/// That the format of a file which starts so is not read, if it is known for one.
pub(super) fn refused(start: &[u8]) -> Option<MeshError> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let marked = MARKS.iter().find(|(mark, ..)| start.starts_with(mark)).map(|&(_, name, advice)| (name, advice));
    let (name, advice) = marked.or_else(|| xml(text))?;
    Some(MeshError::Unsupported { what: format!("{name} files are not read: {advice}") })
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
        assert!(
            what(b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<COLLADA xmlns=").starts_with("COLLADA files are not read")
        );
        assert!(what(b"<html>").starts_with("XML files"));
        assert!(what(b"PK\x03\x04\x14\0").contains("3MF"));
    }

    #[test]
    fn formats_that_are_read_are_not_foreign() {
        for start in [&b"# v"[..], b"solid a", b"ply\n", b"OFF\n", b"glTF\x02", b"{\"asset\"", b"", b"\0\0"] {
            assert!(refused(start).is_none(), "{start:?}");
        }
    }
}
