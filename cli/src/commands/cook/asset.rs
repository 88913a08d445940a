//! Cooks one asset: reads the mesh, splits it by group if requested, and writes a tree for each kind.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, mem};

use bvtree::cook::CookError;
use bvtree::mesh::{LargeMesh, ReadOptions};
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, BvTree, Mesh};

use crate::commands::cook::build_cache::{self, Output, Record};
use crate::commands::cook::jobs::{self, Pass};
use crate::commands::cook::plan::{Asset, Plan};
use crate::commands::cook::report::Findings;
use crate::error::CliError;
use crate::input::{InputKind, is_read_once};
use crate::{atomic_write, input};

/// A cooked tree that was written.
pub struct Cooked {
    pub path: PathBuf,
    /// The group's name, for a tree of one group.
    pub group: Option<String>,
    pub measures: Measures,
    pub bytes: u64,
    pub parse: Duration,
    pub build: Duration,
    pub write: Duration,
}

/// What reports say about a cooked tree.
pub struct Measures {
    pub options: BuildOptions,
    pub triangles: usize,
    pub nodes: usize,
    pub leaves: usize,
    pub depth: u32,
    pub split_depth: u32,
    pub leaf_triangles_max: usize,
    pub mesh_digest: u128,
    pub bounds: Aabb,
}

impl From<&BvTree> for Measures {
    fn from(tree: &BvTree) -> Self {
        Self {
            options: *tree.options(),
            triangles: tree.triangle_count(),
            nodes: tree.node_count(),
            leaves: tree.leaf_count(),
            depth: tree.depth(),
            split_depth: tree.split_depth(),
            leaf_triangles_max: tree.leaf_triangles_max(),
            mesh_digest: tree.mesh_digest(),
            bounds: *tree.bounds(),
        }
    }
}

/// The result of cooking an asset: its trees, their record for the cache, and what is unusual about the mesh.
pub struct Done {
    pub trees: Vec<Cooked>,
    /// The record; `None` for stdin and pipes, which can't be read again, and for an input that changed while it was
    /// read.
    pub record: Option<Record>,
    pub findings: Findings,
}

/// Cooks an asset. A mesh that is cooked as a whole may have at most `most_triangles`, and its defects are counted if
/// `examines` is set.
pub fn cook(
    asset: &Asset,
    plan: &Plan,
    examines: bool,
    most_triangles: usize,
    pass: &Pass<'_>,
    progress: &(impl Fn(usize, usize) + Sync),
) -> Result<Done, CliError> {
    let (Asset { input, recipe, .. }, folder) = (asset, &*plan.output);
    if input.to_str().is_none() {
        let message = format!("{}: its path is not UTF-8, which the build cache requires", input.display());
        return Err(CliError::new(message).hint("rename it"));
    }
    if InputKind::of(input)? == InputKind::Cooked {
        return Err(CliError::new(format!("{} is already a cooked tree: expected a mesh", input.display())));
    }
    if let Some(most) = recipe.max_bytes.filter(|&most| asset.bytes > most) {
        let message = format!("{} has {} bytes, more than the limit of {most}", input.display(), asset.bytes);
        return Err(CliError::new(message));
    }
    // The key is computed before the mesh is read: if the file changes meanwhile, it is cooked again the next time.
    let cannot_read = |error: &std::io::Error| input::cannot_read(input, error);
    let key_before =
        (!is_read_once(input)).then(|| build_cache::key(asset, &[])).transpose().map_err(|e| cannot_read(&e))?;
    if let Some(memory) = jobs::in_tiles(asset) {
        let (trees, left_out) = cook_in_tiles(asset, folder, memory, progress)?;
        let record = key_before.map(|key| record_of(asset, folder, key, Vec::new(), &trees)).transpose()?;
        let findings = Findings { precision: precision(&trees), left_out, ..Findings::default() };
        return Ok(Done { trees, record, findings });
    }
    let began = Instant::now();
    let max_triangles = recipe.read.max_triangles.min(most_triangles);
    let read = || input::load_mesh_with(input, &ReadOptions { max_triangles, ..recipe.read.clone() });
    let (mut import, mut key) = (read()?, key_before);
    let files = mem::take(&mut import.files);
    if key.is_some() && !files.is_empty() {
        // Only reading tells which files the input names, so it is read once more after the key of their content.
        drop(import);
        key = Some(build_cache::key(asset, &files).map_err(|error| cannot_read(&error))?);
        import = read()?;
        if import.files != files {
            // The input was replaced meanwhile: without a record it is cooked again the next time.
            key = None;
        }
    }
    let parse = began.elapsed();
    pass.tell(import.mesh.triangles().len());
    let mut findings = Findings { skipped: import.skipped, ..Findings::default() };
    let triangles = import.mesh.triangles().len();
    let mesh = recipe.cooked_part(import.mesh);
    findings.left_out = triangles - mesh.triangles().len();
    if mesh.triangles().is_empty() {
        return Err(all_left_out(input));
    }
    let mut trees = Vec::new();
    if recipe.by_group {
        let mut taken = HashSet::new();
        let parts = mesh.split_by_group();
        let names = parts.iter().map(|(group, _)| format!("{}.{}", asset.name, file_name(group, &mut taken)));
        let names: Vec<_> = names.collect();
        names.iter().find_map(|name| plan.conflict_of_group(asset, name)).map_or(Ok(()), Err)?;
        for (name, (group, part)) in names.iter().zip(&parts) {
            cook_kinds(asset, folder, name, part, Some(group), parse, &mut trees)?;
        }
    } else {
        cook_kinds(asset, folder, &asset.name, &mesh, None, parse, &mut trees)?;
    }
    // Done last, because allocators keep some of the memory that a report takes.
    if examines {
        findings.counts = Some(mesh.report());
        findings.precision = precision(&trees);
    }
    let record = key.map(|key| record_of(asset, folder, key, files, &trees)).transpose()?;
    Ok(Done { trees, record, findings })
}

/// The precision warning of the first tree that has one; see [`input::precision_warning`].
fn precision(trees: &[Cooked]) -> Option<String> {
    trees.iter().find_map(|cooked| input::precision_warning(&cooked.measures.bounds))
}

fn cook_kinds(
    asset: &Asset,
    folder: &Path,
    name: &str,
    mesh: &Mesh,
    group: Option<&str>,
    parse: Duration,
    trees: &mut Vec<Cooked>,
) -> Result<(), CliError> {
    // One kind after the other, so that at most one tree is in memory at a time.
    for options in &asset.recipe.trees {
        let path = folder.join(format!("{name}.{}.bvt", options.kind));
        let (tree, [build, write]) = cook_file(asset, mesh, options, &path)?;
        let bytes = fs::metadata(&path).map_err(|error| input::cannot_read(&path, &error))?.len();
        let measures = Measures::from(&tree);
        trees.push(Cooked { path, group: group.map(str::to_owned), measures, bytes, parse, build, write });
    }
    Ok(())
}

/// Cooks a mesh in tiles, because as a whole it would take more than `memory`; also returns the number of triangles
/// that the recipe leaves out.
fn cook_in_tiles(
    asset: &Asset,
    folder: &Path,
    memory: u64,
    progress: &(impl Fn(usize, usize) + Sync),
) -> Result<(Vec<Cooked>, usize), CliError> {
    let Asset { input, name, recipe, .. } = asset;
    if recipe.compact {
        let message =
            format!("{} is larger than --memory allows, and compact files are not written in tiles", input.display());
        return Err(CliError::new(message).hint("leave out --compact or --memory"));
    }
    if recipe.by_group {
        let message =
            format!("{} is larger than --memory allows, and tiles make one tree of all its groups", input.display());
        return Err(CliError::new(message).hint("leave out --by-group or --memory"));
    }
    let began = Instant::now();
    let stem = folder.join(name);
    let mesh = LargeMesh::open(input, &recipe.read, stem.parent().unwrap_or(folder), memory)
        .map_err(|error| input::no_mesh(&error))?;
    let triangles = mesh.triangle_count();
    let mesh = recipe.large_part(mesh).map_err(|error| input::no_mesh(&error))?;
    if mesh.triangle_count() == 0 {
        return Err(all_left_out(input));
    }
    let parse = began.elapsed();
    let mut trees = Vec::new();
    for options in &recipe.trees {
        let path = folder.join(format!("{name}.{}.bvt", options.kind));
        let began = Instant::now();
        let [build, write] = atomic_write::write_by(&path, |file| {
            let mut writer = Timed::new(file);
            mesh.cook_to(options, &mut writer, progress)?;
            Ok([began.elapsed() - writer.spent, writer.spent])
        })
        .map_err(|error| cannot_cook(input, &path, &error))?;
        let tree = input::open_just_cooked(&path)?;
        let bytes = fs::metadata(&path).map_err(|error| input::cannot_read(&path, &error))?.len();
        trees.push(Cooked { path, group: None, measures: (&tree).into(), bytes, parse, build, write });
    }
    Ok((trees, triangles - mesh.triangle_count()))
}

fn all_left_out(input: &Path) -> CliError {
    CliError::new(format!("{}: all triangles are left out", input.display()))
}

/// Builds a tree into its file and opens the file. Returns the tree, and the times for building and for writing and
/// opening.
fn cook_file(
    asset: &Asset,
    mesh: &Mesh,
    options: &BuildOptions,
    output: &Path,
) -> Result<(BvTree, [Duration; 2]), CliError> {
    let began = Instant::now();
    let built = atomic_write::write_by(output, |file| {
        let mut writer = Timed::new(file);
        let began = Instant::now();
        if asset.recipe.compact {
            BvTree::build(mesh, options)?.write_compact_to(&mut writer)?;
        } else {
            BvTree::cook_to(mesh, options, &mut writer)?;
        }
        Ok(began.elapsed() - writer.spent)
    })
    .map_err(|error| cannot_cook(&asset.input, output, &error))?;
    let tree = input::open_just_cooked(output)?;
    Ok((tree, [built, began.elapsed() - built]))
}

fn cannot_cook(input: &Path, output: &Path, error: &CookError) -> CliError {
    match error {
        CookError::Build(error) => CliError::caused(format!("cannot build a tree of {}", input.display()), error),
        CookError::Memory { .. } | CookError::Inseparable { .. } => {
            CliError::caused(format!("cannot cook {} in tiles", input.display()), error).hint("give more --memory")
        }
        error => CliError::caused(format!("cannot write the tree to {}", output.display()), error),
    }
}

fn record_of(
    asset: &Asset,
    folder: &Path,
    key: String,
    files: Vec<PathBuf>,
    trees: &[Cooked],
) -> Result<Record, CliError> {
    let output = |cooked: &Cooked| {
        let below = cooked.path.strip_prefix(folder).unwrap_or(&cooked.path);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        Output::of(folder, &parts.join("/")).map_err(|error| input::cannot_read(&cooked.path, &error))
    };
    let outputs = trees.iter().map(output).collect::<Result<_, _>>()?;
    Ok(Record { asset: asset.name.clone(), input: asset.input.clone(), files, key, outputs, replaced: Vec::new() })
}

/// The part of a file name for a group, unique among the mesh's groups.
fn file_name(group: &str, taken: &mut HashSet<String>) -> String {
    /// The largest length of the part in bytes, before a number is appended; file systems allow names of 255 bytes.
    const LONGEST: usize = 100;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut plain: String = group.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    while plain.len() > LONGEST {
        plain.pop();
    }
    if plain.is_empty() {
        plain.push_str("ungrouped");
    }
    let mut names = (1..).map(|n| if n == 1 { plain.clone() } else { format!("{plain}-{n}") });
    // File systems may not distinguish upper and lower case.
    let name = names.find(|name| !taken.contains(&name.to_lowercase())).unwrap_or_default();
    taken.insert(name.to_lowercase());
    name
}

/// Wraps a writer or reader, and measures the time that its calls take.
struct Timed<W> {
    writer: W,
    pub spent: Duration,
}

impl<W> Timed<W> {
    pub fn new(writer: W) -> Self {
        Self { writer, spent: Duration::ZERO }
    }

    fn time<T>(&mut self, task: impl FnOnce(&mut W) -> T) -> T {
        let began = Instant::now();
        let outcome = task(&mut self.writer);
        self.spent += began.elapsed();
        outcome
    }
}

impl<W: Write> Write for Timed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.time(|writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.time(W::flush)
    }
}

impl<W: Read> Read for Timed<W> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.time(|writer| writer.read(bytes))
    }
}

impl<W: Seek> Seek for Timed<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.time(|writer| writer.seek(to))
    }
}
