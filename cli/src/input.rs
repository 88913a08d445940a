//! Inputs: cooked trees, meshes for which trees are built in memory, text files and stdin; and the arguments that name
//! them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, StdinLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io};

use bvtree::builder::BuildError;
use bvtree::cook::{CookError, MAGIC};
use bvtree::mesh::{GroupBy, Import, MeshError, MeshFormat, ReadOptions, Skipped};
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use clap::Args;
use rayon::prelude::*;

use crate::args::BuildArgs;
use crate::error::{CliError, note};

/// The kind of an input file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Cooked,
    Mesh,
}

impl InputKind {
    /// Determines the kind from the file's first bytes; stdin and pipes, which can be read only once, count as meshes.
    /// A file named `.bvt` always counts as cooked, so that a damaged one is reported as such.
    pub fn of(path: &Path) -> Result<Self, CliError> {
        if is_stdin(path) {
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
        // A pipe can be read only once, and only meshes are read from pipes.
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == MAGIC)
}

/// The error for an input that cannot be read.
pub fn cannot_read(path: &Path, error: &io::Error) -> CliError {
    let failure = CliError::caused(format!("cannot read {}", path.display()), error);
    if path.is_dir() { failure.hint("give the files in it, for instance with DIR/*") } else { failure }
}

/// The text of a file, or of stdin if the path is `-`, without a byte order mark. `what` names the expected content in
/// errors.
pub fn read_text(path: &Path, what: &str) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let name = if is_stdin(path) { Path::new("stdin") } else { path };
    let read = match is_stdin(path) {
        true => take_stdin()?.read_to_end(&mut bytes),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| cannot_read(name, &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new(format!("{}: not {what}: it is not UTF-8 text", name.display())))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Reads a mesh, from stdin if the path is `-`, and notes what was skipped.
pub fn load_mesh(path: &Path, options: &ReadOptions) -> Result<Mesh, CliError> {
    let import = load_mesh_with(path, options)?;
    for skipped in &import.skipped {
        note(format!("{}: {}", path.display(), left_out(skipped)));
    }
    Ok(import.mesh)
}

/// What a note says about content of a mesh file that is not read.
pub fn left_out(skipped: &Skipped) -> String {
    format!("left out {} {}, the first at {}", skipped.count, skipped.what, skipped.first)
}

/// Reads a mesh with options; the result lists what was skipped.
pub fn load_mesh_with(path: &Path, options: &ReadOptions) -> Result<Import, CliError> {
    let read = if is_stdin(path) {
        Mesh::read_with(take_stdin()?, path, options)
            .map_err(|error| MeshError::File { path: "stdin".into(), error: Box::new(error) })
    } else {
        Mesh::open_with(path, options)
    };
    read.map_err(|error| no_mesh(&error))
}

/// The error for a file that cannot be read as a mesh.
pub fn no_mesh(error: &MeshError) -> CliError {
    let hint = match error {
        MeshError::File { error, .. } => match **error {
            MeshError::NoFaces => Some(FORMATS),
            MeshError::BeyondMemory { .. } => Some("give more --memory"),
            MeshError::TooManyTriangles { .. } => {
                Some("the limit is that of --max-triangles, or follows from --max-memory")
            }
            _ => None,
        },
        _ => None,
    };
    let failure = CliError::caused("cannot read mesh", error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

const FORMATS: &str = "meshes are read as Wavefront OBJ, STL, PLY, OFF and glTF (.gltf, .glb)";

/// A mesh file that an argument names.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    pub path: PathBuf,
    /// The file's folder relative to the folder that the argument names; `cook` recreates it in the output folder.
    pub below: PathBuf,
}

/// The files that a path names - a file, a folder or a glob - sorted by name. A missing file is included and fails when
/// it is read.
pub fn find_meshes(input: &Path) -> Result<Vec<MeshFile>, CliError> {
    let one = || vec![MeshFile { path: input.to_owned(), below: PathBuf::new() }];
    if is_stdin(input) || input.is_file() {
        return Ok(one());
    }
    if input.is_dir() {
        return in_folder(input);
    }
    match input.to_str() {
        Some(pattern) if pattern.contains(['*', '?', '[']) => matching(pattern),
        _ => Ok(one()),
    }
}

/// Finds the meshes below a folder by their extensions. Hidden files and folders are skipped.
fn in_folder(folder: &Path) -> Result<Vec<MeshFile>, CliError> {
    let mut found = Vec::new();
    for path in files_below(folder, |name| !name.as_encoded_bytes().starts_with(b"."))? {
        if is_mesh(&path) && is_file_or_lost(&path) {
            let below = path.parent().and_then(|parent| parent.strip_prefix(folder).ok()).unwrap_or(Path::new(""));
            found.push(MeshFile { below: below.to_owned(), path });
        }
    }
    if found.is_empty() {
        let message = format!("there is no mesh in the folder {}", folder.display());
        return Err(CliError::new(message).hint("meshes are files named .obj, .stl, .ply, .off, .gltf or .glb"));
    }
    Ok(found)
}

/// All entries below a folder that are not folders, folder by folder in the order of their names, except those that
/// `is_wanted` rejects by name. Links to folders are returned and not followed, because they may form cycles.
pub fn files_below(folder: &Path, is_wanted: impl Fn(&OsStr) -> bool) -> Result<Vec<PathBuf>, CliError> {
    let cannot_read =
        |error: &io::Error| CliError::caused(format!("cannot read the folder {}", folder.display()), error);
    let entries = |folder: &Path| -> io::Result<Vec<(PathBuf, bool)>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if is_wanted(&entry.file_name()) {
                entries.push((entry.path(), entry.file_type()?.is_dir()));
            }
        }
        // Reversed, because the next entry is taken from the end.
        entries.sort_unstable();
        entries.reverse();
        Ok(entries)
    };
    let (mut files, mut remaining) = (Vec::new(), entries(folder).map_err(|error| cannot_read(&error))?);
    while let Some((path, is_folder)) = remaining.pop() {
        if is_folder {
            remaining.extend(entries(&path).map_err(|error| cannot_read(&error))?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Whether the path is a file or a dangling link. A dangling link is read, so that it fails instead of being skipped.
pub fn is_file_or_lost(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

pub fn is_mesh(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| MeshFormat::with_extension(&extension).is_some())
}

fn matching(pattern: &str) -> Result<Vec<MeshFile>, CliError> {
    let wrong = |error: &dyn std::error::Error| CliError::caused(format!("the pattern '{pattern}'"), error);
    // The part of the pattern before the first component with a wildcard. Folders below it are recreated.
    let parts = Path::new(pattern).components();
    let base: PathBuf = parts
        .take_while(|part| part.as_os_str().to_str().is_some_and(|text| !text.contains(['*', '?', '['])))
        .collect();
    let mut found = Vec::new();
    for path in glob::glob(pattern).map_err(|error| wrong(&error))? {
        let path = path.map_err(|error| wrong(&error))?;
        if is_file_or_lost(&path) {
            let below = path.parent().and_then(|parent| parent.strip_prefix(&base).ok()).unwrap_or(Path::new(""));
            found.push(MeshFile { below: below.to_owned(), path });
        }
    }
    if found.is_empty() { Err(CliError::new(format!("no file matches '{pattern}'"))) } else { Ok(found) }
}

/// Opens a cooked tree and checks its checksums and structure. The file is mapped, since reading it takes two to three
/// times as long.
#[allow(unsafe_code)]
pub fn open_cooked(path: &Path) -> Result<BvTree, CliError> {
    // SAFETY: this process changes no file in place, and the help forbids it to other processes.
    unsafe { BvTree::open_mapped(path) }.map_err(|error| cannot_open(&error))
}

/// Opens a cooked tree without checking it: this process has just written it, or just compared its digest.
#[allow(unsafe_code)]
pub fn open_just_cooked(path: &Path) -> Result<BvTree, CliError> {
    // SAFETY: as above.
    unsafe { BvTree::open_mapped_trusted(path) }.map_err(|error| cannot_open(&error))
}

pub fn cannot_open(error: &CookError) -> CliError {
    let is_other = matches!(error, CookError::File { error, .. } if matches!(**error, CookError::NotCooked));
    let failure = CliError::caused("cannot open tree", error);
    let hint = "cook the mesh to this file; if it is a Git LFS pointer, run `git lfs pull`";
    if is_other { failure.hint(hint) } else { failure }
}

/// Opens a cooked tree, which must be of the requested kind, if any.
pub fn open_cooked_of(path: &Path, asked: Option<VolumeKind>) -> Result<BvTree, CliError> {
    let tree = open_cooked(path)?;
    match asked {
        Some(asked) if asked != tree.kind() => Err(CliError::new(format!(
            "{} holds a tree of kind {}, not {asked} as --kind asks",
            path.display(),
            tree.kind()
        ))
        .hint("leave --kind out, or cook the mesh again with it")),
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

/// Builds a tree of a mesh file, with a group for each object and material ([`GroupBy::Both`]).
pub fn load_and_build(path: &Path, options: &BuildOptions) -> Result<BvTree, CliError> {
    let mesh = load_mesh(path, &ReadOptions { group_by: GroupBy::Both, ..ReadOptions::default() })?;
    build(path, &mesh, options).map(|(tree, _)| tree)
}

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether the path can be read only once: stdin, a named pipe, a shell's `<(...)`.
pub fn is_read_once(path: &Path) -> bool {
    is_stdin(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Locks stdin for the first caller; any later call is an error.
pub fn take_stdin() -> Result<StdinLock<'static>, CliError> {
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return Err(
            CliError::new("stdin (-) is given twice but can be read only once").hint("give one of the two as a file")
        );
    }
    Ok(io::stdin().lock())
}

/// The expected kind of tree, and how it is built from a mesh.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Volume kind: aabb, obb, sphere or kdop [default: a cooked tree's, else obb]
    #[arg(long, alias = "volume", value_name = "KIND", help_heading = "Build options")]
    kind: Option<VolumeKind>,
    #[command(flatten)]
    build: BuildArgs,
}

impl TreeArgs {
    /// The options for trees of the requested kind.
    pub fn options(&self) -> BuildOptions {
        self.build.options(self.kind.unwrap_or(BuildOptions::default().kind))
    }

    /// Builds a tree of the requested kind.
    pub fn build(&self, mesh: &Mesh) -> Result<BvTree, BuildError> {
        BvTree::build(mesh, &self.options())
    }

    /// Opens a cooked tree, which must be of the requested kind, if any; or builds a tree of that kind for a mesh.
    pub fn open(&self, path: &Path) -> Result<BvTree, CliError> {
        self.open_beside(path, None)
    }

    /// Opens or builds a tree. If no kind is requested, a tree that is built gets the kind `other`, or else the default
    /// kind.
    fn open_beside(&self, path: &Path, other: Option<VolumeKind>) -> Result<BvTree, CliError> {
        match InputKind::of(path)? {
            InputKind::Cooked => open_cooked_of(path, self.kind),
            InputKind::Mesh => {
                let kind = self.kind.or(other).unwrap_or(BuildOptions::default().kind);
                load_and_build(path, &self.build.options(kind))
            }
        }
    }
}

/// Two inputs, the second posed in the first one's frame.
#[derive(Debug, Args)]
pub struct PairArgs {
    /// The fixed tree or mesh
    a: PathBuf,
    /// The tree or mesh that is placed in A's frame by the pose
    b: PathBuf,
    #[command(flatten)]
    trees: TreeArgs,
}

impl PairArgs {
    pub fn paths(&self) -> [&Path; 2] {
        [&self.a, &self.b]
    }

    /// The precision warnings for the two trees, without duplicates.
    pub fn warnings(&self, trees: &[Arc<BvTree>; 2]) -> Vec<String> {
        let said = |(path, tree): (&Path, &Arc<BvTree>)| {
            Some(format!("{}: {}", path.display(), precision_warning(tree.bounds())?))
        };
        let mut notes: Vec<String> = self.paths().into_iter().zip(trees).filter_map(said).collect();
        notes.dedup();
        notes
    }

    /// Opens or builds both trees. If `--kind` is not given, a tree that is built beside a cooked one gets its kind.
    /// Returns one tree twice if both paths are equal.
    pub fn open(&self) -> Result<[Arc<BvTree>; 2], CliError> {
        let open = |path, other| self.trees.open_beside(path, other).map(Arc::new);
        let [a, b] = self.paths();
        if a == b {
            let tree = open(a, None)?;
            return Ok([tree.clone(), tree]);
        }
        // The cooked tree is opened first, because the other is built to match it.
        if InputKind::of(a)? == InputKind::Mesh && InputKind::of(b)? == InputKind::Cooked {
            let b = open(b, None)?;
            return Ok([open(a, Some(b.kind()))?, b]);
        }
        let a = open(a, None)?;
        let b = open(b, Some(a.kind()))?;
        Ok([a, b])
    }
}

/// The largest spacing of f32 coordinates, as a fraction of the diagonal of a mesh's bounding box, that causes no
/// warning.
const MUCH: f64 = 1e-5;

/// The warning for a mesh far from its origin, with advice; `None` if its coordinates are precise enough.
pub fn precision_warning(bounds: &Aabb) -> Option<String> {
    if bounds.is_empty() {
        return None;
    }
    let reach = bounds.center().coords.abs() + bounds.half_extents();
    let (reach, size) = (reach.max() as f32, bounds.size().norm());
    let step = f64::from(reach.next_up()) - f64::from(reach);
    let is_much = size > 0.0 && step > MUCH * size;
    is_much.then(|| {
        format!(
            "coordinates reach {reach}, where f32 has steps of {step}: cook it with --origin auto to lose less \
             precision"
        )
    })
}

pub struct Meshes<'a> {
    pub args: &'a TreeArgs,
    trees: HashMap<PathBuf, Arc<BvTree>>,
}

impl<'a> Meshes<'a> {
    pub fn new(args: &'a TreeArgs) -> Self {
        Self { args, trees: HashMap::new() }
    }

    /// Opens or builds the trees of the files that are not loaded yet.
    pub fn load(&mut self, paths: &[&Path]) -> Result<(), CliError> {
        let mut new: Vec<&Path> = paths.iter().copied().filter(|path| !self.trees.contains_key(*path)).collect();
        new.sort_unstable();
        new.dedup();
        let trees: Vec<_> = new.par_iter().map(|path| self.args.open(path)).collect();
        for (path, tree) in new.into_iter().zip(trees) {
            self.trees.insert(path.to_owned(), Arc::new(tree?));
        }
        Ok(())
    }

    pub fn tree(&mut self, path: &Path) -> Result<Arc<BvTree>, CliError> {
        self.load(&[path])?;
        self.trees.get(path).cloned().ok_or_else(|| CliError::new(format!("cannot read {}", path.display())))
    }
}
