//! The JSON and the buffers of a glTF file, with checks that the crate `gltf` leaves out.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::json::deserialize::from_slice;
use gltf::json::{Root, Value};

use crate::mesh::{MeshError, SourceLocation};

/// A document with valid indices, and its buffers.
pub(super) struct Document {
    pub(super) gltf: gltf::Document,
    /// The nodes as JSON, because the crate `gltf` rounds their numbers to f32, which is too coarse far from zero.
    pub(super) nodes: Vec<Value>,
    /// Buffers that name the same file share its content.
    pub(super) buffers: Vec<Rc<Vec<u8>>>,
    /// The number of bytes of all buffers, in which shared ones count once.
    pub(super) buffer_bytes: usize,
    pub(super) files: Vec<PathBuf>,
}

/// Prefixes of required extensions that this reader supports or that do not change the geometry.
const HARMLESS: [&str; 7] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
];

const INSTANCING: &str = "EXT_mesh_gpu_instancing";

impl Document {
    /// Reads a document; `folder` contains its buffer files.
    pub(super) fn read(file: &[u8], folder: &Path) -> Result<Self, MeshError> {
        let (json, binary) = if file.starts_with(b"glTF") {
            let (json, binary) = chunks(file).map_err(|found| unexpected("its chunks", "a sound GLB file", found))?;
            (json.to_vec(), binary.map(<[u8]>::to_vec))
        } else {
            (file.to_vec(), None)
        };
        let mut root: Value = from_slice(&json).map_err(|error| wrong_json(&error))?;
        check_version(&root)?;
        check_extensions(&root)?;
        check_positions(&root)?;
        let mut typed = Root::from_slice(&json).map_err(|error| wrong_json(&error))?;
        // Checked above; the crate rejects extensions that it does not know.
        typed.extensions_required.clear();
        let gltf = gltf::Document::from_json(typed)
            .map_err(|error| unexpected("its JSON", "a valid glTF document", invalid(&error.to_string())))?;
        let nodes = match root.get_mut("nodes").map(Value::take) {
            Some(Value::Array(nodes)) => nodes,
            _ => Vec::new(),
        };
        let mut sources = Sources::new(&gltf, binary, folder);
        let buffers = gltf.buffers().map(|buffer| sources.buffer(&buffer)).collect::<Result<_, _>>()?;
        let Sources { bytes: buffer_bytes, paths: files, .. } = sources;
        Ok(Self { gltf, nodes, buffers, buffer_bytes, files })
    }
}

fn wrong_json(error: &gltf::json::Error) -> MeshError {
    let message = error.to_string();
    let what = message.split_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let (place, column) = match error.line() {
        0 => (element("its JSON"), String::new()),
        line => (SourceLocation::Line(line as u64), format!(", column {}", error.column())),
    };
    let found = format!("something else ({what}{column})");
    MeshError::unexpected(place, "the JSON of glTF", found)
}

/// Describes an error of the crate `gltf` about invalid references.
fn invalid(message: &str) -> String {
    let message = message.strip_prefix("invalid glTF:").unwrap_or(message);
    format!("something else ({})", message.trim().trim_end_matches(';'))
}

/// Rejects glTF 1.0, whose structure would give a misleading error.
fn check_version(root: &Value) -> Result<(), MeshError> {
    match root.pointer("/asset/version").and_then(Value::as_str) {
        Some(version) if version.starts_with("1.") => Err(MeshError::Unsupported {
            what: format!("glTF {version} is not read: write glTF 2.0, for instance with Blender"),
        }),
        _ => Ok(()),
    }
}

fn check_extensions(root: &Value) -> Result<(), MeshError> {
    let array = |key: &str| root.get(key).and_then(Value::as_array).into_iter().flatten();
    // Files that use instancing without requiring it are rejected too: their nodes would be in the wrong places.
    let has_instances = |node: &Value| node.get("extensions").is_some_and(|known| known.get(INSTANCING).is_some());
    let instances = array("nodes").any(has_instances).then_some(INSTANCING);
    for name in array("extensionsRequired").filter_map(Value::as_str).chain(instances) {
        let what = match name {
            "KHR_draco_mesh_compression" => "Draco-compressed meshes (KHR_draco_mesh_compression) are not read: \
                decompress the file first, for instance with `gltf-transform copy`"
                .to_owned(),
            "EXT_meshopt_compression" | "KHR_meshopt_compression" => format!(
                "meshopt-compressed meshes ({name}) are not read: write the file without, for instance by `gltfpack` \
                 without `-c`"
            ),
            INSTANCING => format!("instances of {INSTANCING} are not read: write a node for each"),
            name if HARMLESS.iter().any(|harmless| name.starts_with(harmless)) => continue,
            name => format!("the file requires the extension {name}, which is not read"),
        };
        return Err(MeshError::Unsupported { what });
    }
    Ok(())
}

/// The JSON and the binary chunk of a GLB file (glTF 2.0, section 4.4), or a description of what was found. The
/// crate `gltf` is not used, because it subtracts from a length that may be too small.
fn chunks(file: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let word = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*word))
    };
    let end_of_file = || "the end of the file".to_owned();
    let version = word(file, 4).ok_or_else(end_of_file)?;
    if version != 2 {
        return Err(format!("version {version}"));
    }
    let length = word(file, 8).ok_or_else(end_of_file)? as usize;
    let cut = || format!("{} bytes of the {length} that its header states: the file is truncated", file.len());
    let mut rest = file.get(12..length).ok_or_else(cut)?;
    let mut next = || {
        let (length, kind) = (word(rest, 0)?, word(rest, 4)?);
        let (chunk, after) = rest[8..].split_at_checked(length as usize)?;
        rest = after;
        Some((kind, chunk))
    };
    let json = next().filter(|(kind, _)| *kind == u32::from_le_bytes(*b"JSON"));
    let (_, json) = json.ok_or_else(|| "no chunk of JSON at its beginning".to_owned())?;
    let binary = next().filter(|(kind, _)| *kind == u32::from_le_bytes(*b"BIN\0"));
    Ok((json, binary.map(|(_, chunk)| chunk)))
}

/// Checks the indices of the accessors of positions, which the crate `gltf` uses without a check.
fn check_positions(root: &Value) -> Result<(), MeshError> {
    let array = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let accessors = root.get("accessors").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    for (number, mesh) in array(root, "meshes").iter().enumerate() {
        for primitive in array(mesh, "primitives") {
            let position = primitive.pointer("/attributes/POSITION");
            if let Some(index) = position.filter(|index| index.as_u64().is_none_or(|index| index >= accessors)) {
                return Err(unexpected(format!("mesh {number}"), "positions in an accessor", index.to_string()));
            }
        }
    }
    Ok(())
}

/// The sources of a document's buffers. Each file is read once, however many buffers name it.
struct Sources<'a> {
    binary: Option<Vec<u8>>,
    folder: &'a Path,
    /// The length of the longest buffer in each file, by the file's name in the folder.
    lengths: HashMap<PathBuf, usize>,
    contents: HashMap<PathBuf, Rc<Vec<u8>>>,
    /// The number of bytes that were read.
    bytes: usize,
    /// The paths of the files that were read, in the order of their first buffers.
    paths: Vec<PathBuf>,
}

impl<'a> Sources<'a> {
    fn new(gltf: &gltf::Document, binary: Option<Vec<u8>>, folder: &'a Path) -> Self {
        let mut lengths = HashMap::new();
        for buffer in gltf.buffers() {
            if let gltf::buffer::Source::Uri(uri) = buffer.source()
                && !uri.starts_with("data:")
                && let Some(name) = name_in_folder(uri)
            {
                let length = lengths.entry(name).or_insert(0);
                *length = buffer.length().max(*length);
            }
        }
        Self { binary, folder, lengths, contents: HashMap::new(), bytes: 0, paths: Vec::new() }
    }

    fn buffer(&mut self, buffer: &gltf::Buffer<'_>) -> Result<Rc<Vec<u8>>, MeshError> {
        let place = format!("buffer {}", buffer.index());
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => {
                let missing = || unexpected(&place, "the file's binary chunk", "none");
                // Only the first buffer is the binary chunk; others without a URI belong to extensions.
                let binary = self.binary.take().filter(|_| buffer.index() == 0).ok_or_else(missing)?;
                self.counted(binary)
            }
            gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
                    let encoded = encoded.ok_or_else(|| unexpected(&place, "data in base64", "other data"))?;
                    let decoded = STANDARD.decode(encoded);
                    let wrong = |error: base64::DecodeError| unexpected(&place, "data in base64", error.to_string());
                    self.counted(decoded.map_err(wrong)?)
                }
                None => self.file(&place, uri)?,
            },
        };
        if bytes.len() < buffer.length() {
            let expected = format!("{} bytes, as it says", buffer.length());
            return Err(unexpected(place, expected, format!("{}", bytes.len())));
        }
        Ok(bytes)
    }

    fn counted(&mut self, bytes: Vec<u8>) -> Rc<Vec<u8>> {
        self.bytes += bytes.len();
        Rc::new(bytes)
    }

    /// Reads a file in or below the folder, unless it was read before; untrusted scenes must not have other files read.
    fn file(&mut self, place: &str, uri: &str) -> Result<Rc<Vec<u8>>, MeshError> {
        let Some(name) = name_in_folder(uri) else {
            return Err(unexpected(place, "a file in the folder of the glTF file, or below", format!("`{uri}`")));
        };
        if let Some(content) = self.contents.get(&name) {
            return Ok(Rc::clone(content));
        }
        let (path, length) = (self.folder.join(&name), self.lengths.get(&name).copied().unwrap_or(0));
        let read = || {
            // Checked first, because opening a pipe would block.
            if !fs::metadata(&path)?.is_file() {
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file"));
            }
            let mut bytes = Vec::new();
            File::open(&path)?.take(length as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let content = read().map_err(|error| MeshError::Io(error).of_file(&path))?;
        let content = self.counted(content);
        self.paths.push(path);
        self.contents.insert(name, Rc::clone(&content));
        Ok(content)
    }
}

/// The name of a file in the folder of the glTF file, or below, without `.` in it; `None` for another URI.
fn name_in_folder(uri: &str) -> Option<PathBuf> {
    let name = decoded(uri).filter(|name| !name.contains("://"))?;
    let mut in_folder = PathBuf::new();
    for part in Path::new(&name).components() {
        match part {
            Component::Normal(part) => in_folder.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(in_folder)
}

/// Decodes percent-encoding such as `%20`; `None` if the result is not UTF-8.
fn decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

pub(super) fn element(name: impl std::fmt::Display) -> SourceLocation {
    SourceLocation::Element(name.to_string())
}

pub(super) fn unexpected(
    place: impl std::fmt::Display,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> MeshError {
    MeshError::unexpected(element(place), expected, found)
}
