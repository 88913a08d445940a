//! Input files: cooked trees, and meshes that are built into trees in memory. The content says which.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use bvtree::cook::{CookError, MAGIC};
use bvtree::mesh::{Import, MeshError, ReadOptions};
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};

use super::error::CliError;
use super::stdin;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Cooked,
    Mesh,
}

impl InputKind {
    /// Looks at the file's first bytes. A file named `.bvt` is a cooked one whatever it holds, so that a damaged one is
    /// reported as such.
    pub fn of(path: &Path) -> Result<Self, CliError> {
        if stdin::is_stdin(path) {
            return Ok(Self::Mesh);
        }
        let starts_with_magic = starts_with_magic(path).map_err(|error| cannot_read(path, &error))?;
        let is_named_cooked = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bvt"));
        Ok(if is_named_cooked || starts_with_magic { Self::Cooked } else { Self::Mesh })
    }
}

fn starts_with_magic(path: &Path) -> io::Result<bool> {
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        // What is read from a pipe is gone; and only meshes are read from there.
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == MAGIC)
}

/// The operating system's error for a file that should have been there.
pub fn cannot_read(path: &Path, error: &io::Error) -> CliError {
    let failure = CliError::caused(format!("cannot read {}", path.display()), error);
    if path.is_dir() { failure.hint("give the files in it, for instance with DIR/*") } else { failure }
}

/// The text of a file, or of stdin if the path is `-`, without the mark that some editors begin it with. `what` names
/// what it should be.
pub fn read_text(path: &Path, what: &str) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let name = if stdin::is_stdin(path) { Path::new("stdin") } else { path };
    let read = match stdin::is_stdin(path) {
        true => stdin::take()?.read_to_end(&mut bytes),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| cannot_read(name, &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new(format!("{}: not {what}: it is no text in UTF-8", name.display())))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Reads a mesh, of stdin if the path is `-`, and measures how long that takes.
pub fn load_mesh(path: &Path) -> Result<(Mesh, Duration), CliError> {
    let began = Instant::now();
    let import = load_mesh_with(path, &ReadOptions::default())?;
    Ok((import.mesh, began.elapsed()))
}

/// The same, with options and with what was left out.
pub fn load_mesh_with(path: &Path, options: &ReadOptions) -> Result<Import, CliError> {
    let read = if stdin::is_stdin(path) {
        Mesh::read_with(stdin::take()?, path, options)
            .map_err(|error| MeshError::File { path: "stdin".into(), error: Box::new(error) })
    } else {
        Mesh::open_with(path, options)
    };
    read.map_err(|error| {
        let hint = match &error {
            MeshError::File { error, .. } => match **error {
                MeshError::NoFaces => Some(FORMATS),
                MeshError::TooManyTriangles { .. } => {
                    Some("it is of --max-triangles, or what --max-memory has room for")
                }
                _ => None,
            },
            _ => None,
        };
        let failure = CliError::caused("cannot read mesh", &error);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

const FORMATS: &str = "meshes are read as Wavefront OBJ, STL, PLY, OFF and glTF (.gltf, .glb)";

/// Opens a cooked tree, and checks all of it. Mapped: to read it would take two to three times as long.
#[allow(unsafe_code)]
pub fn open_cooked(path: &Path) -> Result<BvTree, CliError> {
    // SAFETY: nothing here changes a file in place, and what does so beside this process is told not to, in the help.
    unsafe { BvTree::open_mapped(path) }.map_err(|error| cannot_open(&error))
}

/// Opens a cooked tree that this process has just written, without another look at it.
#[allow(unsafe_code)]
pub fn open_just_cooked(path: &Path) -> Result<BvTree, CliError> {
    // SAFETY: as above.
    unsafe { BvTree::open_mapped_trusted(path) }.map_err(|error| cannot_open(&error))
}

fn cannot_open(error: &CookError) -> CliError {
    let is_other = matches!(error, CookError::File { error, .. } if matches!(**error, CookError::NotCooked));
    let failure = CliError::caused("cannot open tree", error);
    let hint = "cook the mesh to it; a pointer of Git LFS in its place is replaced by `git lfs pull`";
    if is_other { failure.hint(hint) } else { failure }
}

/// Opens a cooked tree, which must be of the kind asked for if one is.
pub fn open_cooked_of(path: &Path, asked: Option<VolumeKind>) -> Result<BvTree, CliError> {
    let tree = open_cooked(path)?;
    match asked {
        Some(asked) if asked != tree.kind() => Err(CliError::new(format!(
            "{} holds a tree of kind {}, not {asked} as --volume asks",
            path.display(),
            tree.kind()
        ))
        .hint("leave --volume out, or cook the mesh again with it")),
        _ => Ok(tree),
    }
}

/// Builds a tree and measures how long that takes.
pub fn build(path: &Path, mesh: &Mesh, options: &BuildOptions) -> Result<(BvTree, Duration), CliError> {
    let began = Instant::now();
    let tree = BvTree::build(mesh, options)
        .map_err(|error| CliError::caused(format!("cannot build a tree of {}", path.display()), &error))?;
    Ok((tree, began.elapsed()))
}

/// Builds a tree of a mesh file.
pub fn load_and_build(path: &Path, options: &BuildOptions) -> Result<BvTree, CliError> {
    let (mesh, _) = load_mesh(path)?;
    build(path, &mesh, options).map(|(tree, _)| tree)
}
