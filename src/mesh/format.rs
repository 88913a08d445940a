//! Which format a file is in.

use std::path::Path;

use crate::enum_names::parsed_names;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// STL, binary or text.
    Stl,
    /// PLY, binary of either byte order or text.
    Ply,
    /// OFF, and its forms with colours, normals and texture coordinates.
    Off,
    /// glTF 2.0, as JSON (`.gltf`) or with everything in one file (`.glb`).
    Gltf,
}

parsed_names!(MeshFormat, "mesh format", Obj = "obj", Stl = "stl", Ply = "ply", Off = "off", Gltf = "gltf" | "glb");

impl MeshFormat {
    /// The bytes at a file's start that [`MeshFormat::of`] looks at, at most.
    pub const START: usize = 1024;

    /// The format of a file with this name that starts with these bytes. What a file starts with decides where a format
    /// has a mark of its own, then the name's extension; and then what the start looks like, OBJ at last.
    pub fn of(path: &Path, start: &[u8]) -> Self {
        if let Some(marked) = Self::marked(start) {
            return marked;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref().and_then(Self::with_extension) {
            Some(format) => format,
            None => Self::looks_like(start),
        }
    }

    /// The format that files with this extension, in lower case and without a dot, are in.
    pub fn with_extension(extension: &str) -> Option<Self> {
        match extension {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "off" => Some(Self::Off),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// As people write it.
    pub(in crate::mesh) fn title(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
        }
    }

    /// Whether this build of the library reads the format.
    pub fn is_readable(self) -> bool {
        match self {
            Self::Obj => true,
            Self::Stl => cfg!(feature = "stl"),
            Self::Ply => cfg!(feature = "ply"),
            Self::Off => cfg!(feature = "off"),
            Self::Gltf => cfg!(feature = "gltf"),
        }
    }

    /// By what only this format starts with.
    fn marked(start: &[u8]) -> Option<Self> {
        let first_line = start.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or(start);
        if start.starts_with(b"glTF") {
            Some(Self::Gltf)
        } else if first_line.trim_ascii_end() == b"ply" && first_line.len() < start.len() {
            Some(Self::Ply)
        } else if is_off(first_line) {
            Some(Self::Off)
        } else {
            None
        }
    }

    fn looks_like(start: &[u8]) -> Self {
        let text = start.trim_ascii_start();
        if text.starts_with(b"solid") || start.contains(&0) && !is_utf16(start) {
            Self::Stl
        } else if text.starts_with(b"{") {
            Self::Gltf
        } else {
            Self::Obj
        }
    }
}

/// Whether a line is `OFF`, in one of its forms, with or without the counts after it.
fn is_off(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or(line);
    let form = word.strip_suffix(b"OFF").unwrap_or_else(|| match word.windows(3).position(|part| part == b"OFF") {
        // The counts right behind, as in some collections.
        Some(at) if word[at + 3..].iter().all(u8::is_ascii_digit) => &word[..at],
        _ => b"-",
    });
    form.iter().all(|byte| b"STCN4n".contains(byte))
}

/// Whether a text begins as UTF-16 does.
pub(in crate::mesh) fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff])
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
