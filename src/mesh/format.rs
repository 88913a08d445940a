//! The formats of mesh files, recognised by a file's first bytes and its name, and the formats that are rejected with
//! advice.
//!
//! COLLADA and FBX are not read because no suitable crate existed in November 2026. `mesh-loader` 0.1.13 panicked at
//! 848 of 200,000 small COLLADA files with a few bytes changed, and used metres for a node that the file placed in
//! centimetres. `dae-parser` 0.11 allocates as much memory as a file's `count` says (171 GB, which ends the process).
//! `ufbx` 0.11 is well maintained (a release every few months since 2024), but consists of 1.2 MB of C, which needs a C
//! compiler, adds 430 kB to the program and requires `unsafe` code. Errors therefore recommend glTF.

use std::path::Path;

use super::MeshError;
use crate::enum_names::parsed_names;

/// File format of a mesh.
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
    /// Number of bytes from the start of a file to pass to [`MeshFormat::of`]; of a shorter file, pass all bytes.
    pub const START: usize = 1024;

    /// Detects the format of a file from its first bytes and its name. Magic bytes decide first, then the extension,
    /// then what the first bytes look like; OBJ is the fallback.
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

    /// The format of files with this extension, given in lower case and without a dot; `None` if it is unknown.
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

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
        }
    }

    /// Whether this build reads the format, that is, its Cargo feature is enabled.
    pub fn is_readable(self) -> bool {
        match self {
            Self::Obj => true,
            Self::Stl => cfg!(feature = "stl"),
            Self::Ply => cfg!(feature = "ply"),
            Self::Off => cfg!(feature = "off"),
            Self::Gltf => cfg!(feature = "gltf"),
        }
    }

    /// The format whose magic bytes the file starts with.
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

/// Whether a line is `OFF` or one of its variants, with or without the counts after it.
fn is_off(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or(line);
    let form = word.strip_suffix(b"OFF").unwrap_or_else(|| match word.windows(3).position(|part| part == b"OFF") {
        // The counts right behind, as in some collections.
        Some(at) if word[at + 3..].iter().all(u8::is_ascii_digit) => &word[..at],
        _ => b"-",
    });
    form.iter().all(|byte| b"STCN4n".contains(byte))
}

/// Whether a text begins with the byte order mark of UTF-16.
pub(super) fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff])
}

/// Magic bytes of formats that are not read, their names, and advice.
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

/// Start of a Git LFS pointer, the placeholder for a large file that was not fetched.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/";

/// Magic bytes of cooked trees.
const COOKED: &[u8] = b"\x89BVT\r\n\x1a\n";

const AS_GLTF: &str = "write glTF (.glb), for instance with Blender";

/// The error for a file whose first bytes show that it is not a readable mesh; `None` for any other file.
pub(super) fn refused_format(start: &[u8]) -> Option<MeshError> {
    let unsupported = |what: String| Some(MeshError::Unsupported { what });
    let text = start.trim_ascii_start();
    if text.is_empty() {
        return unsupported(if start.is_empty() { "the file is empty" } else { "the file is blank" }.into());
    }
    if text.starts_with(LFS_POINTER) {
        return unsupported("the file is a Git LFS pointer: fetch its content with `git lfs pull`".into());
    }
    if start.starts_with(COOKED) {
        return unsupported(
            "the file is a cooked tree, not a mesh; trees are opened by file name, not from stdin".into(),
        );
    }
    let marked = MARKS.iter().find(|(mark, ..)| start.starts_with(mark)).map(|&(_, name, advice)| (name, advice));
    let (name, advice) = marked.or_else(|| xml(text)).or_else(|| utf16(start))?;
    unsupported(format!("{name} files are not read: {advice}"))
}

/// Recognises UTF-16, with or without a byte order mark. UTF-16 OBJ files with a mark are reported by the OBJ reader.
fn utf16(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let is_letter = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    // Without a mark, all bytes must look like UTF-16: a binary STL may begin with such letters.
    let letters = if is_utf16(start) { start.get(2..14) } else { start.get(..start.len() / 2 * 2) }?;
    let every_other = |first: usize, is: &dyn Fn(&u8) -> bool| letters.iter().skip(first).step_by(2).all(is);
    let is_wide = |first: usize| every_other(first, &is_letter) && every_other(1 - first, &|&byte| byte == 0);
    let is_marked =
        |mark: &[u8]| letters.iter().filter(|&&byte| byte != 0).zip(mark).all(|(a, b)| a.eq_ignore_ascii_case(b));
    let is_other = !is_utf16(start) || [&b"solid"[..], b"ply", b"off", b"{"].iter().any(|mark| is_marked(mark));
    (letters.len() >= 12 && (is_wide(0) || is_wide(1)) && is_other).then_some(("UTF-16", "save them as UTF-8"))
}

fn xml(text: &[u8]) -> Option<(&'static str, &'static str)> {
    if !text.starts_with(b"<") || is_utf16(text) {
        return None;
    }
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    if has(b"<html") {
        return Some(("HTML", "the file is a web page; check the address it was downloaded from"));
    }
    let names: [(&[u8], &str); 2] = [(b"<COLLADA", "COLLADA"), (b"<X3D", "X3D")];
    let name = names.into_iter().find(|(word, _)| has(word)).map_or("XML", |(_, name)| name);
    Some((name, AS_GLTF))
}
