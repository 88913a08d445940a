//! The outcome of a run: rows on stdout, a line per asset in the report's file, a summary, and the depfile;
//! and what is unusual about the input.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bvtree::mesh::{MeshReport, Skipped};
use serde_json::{Map, Value, json};

use crate::commands::cook::args::CookArgs;
use crate::commands::cook::asset::{Cooked, Measures};
use crate::commands::cook::build_cache::{Record, Records};
use crate::commands::cook::plan::{Asset, Plan};
use crate::commands::info::digest;
use crate::error::CliError;
use crate::output::{Format, Layout, Table, object};
use crate::{atomic_write, input};

const COLUMNS: [&str; 18] = [
    "input",
    "output",
    "volume",
    "split",
    "triangles",
    "nodes",
    "leaves",
    "depth",
    "split_depth",
    "leaf_triangles_max",
    "bytes",
    "bytes_per_triangle",
    "parse_seconds",
    "build_seconds",
    "write_seconds",
    "mesh_digest",
    "status",
    "group",
];
const TEXT_COLUMNS: [&str; 9] = [
    "output",
    "triangles",
    "nodes",
    "depth",
    "leaf_triangles_max",
    "bytes",
    "bytes_per_triangle",
    "parse_seconds",
    "build_seconds",
];
const LIST_COLUMNS: [&str; 3] = ["input", "asset", "status"];

/// The report of a run: counts, a table of trees (or of listed assets), and a line per asset for `--report`.
pub struct Report {
    table: Table,
    format: Format,
    lines: Option<String>,
    unusual: UnusualMeshes,
    began: Instant,
    trees: usize,
    triangles: usize,
    left_out: usize,
    bytes: u64,
    pub cooked: usize,
    pub unchanged: usize,
    pub failed: usize,
    pub removed: usize,
}

impl Report {
    /// Starts a report of cooked assets, or of assets that are only listed.
    pub fn new(args: &CookArgs, is_list: bool) -> Self {
        let table = if is_list {
            Table::new(args.format, &LIST_COLUMNS, Layout::Columns(&LIST_COLUMNS))
        } else {
            Table::new(args.format, &COLUMNS, Layout::Columns(&TEXT_COLUMNS))
        };
        let table = table.beside_files(!is_list || args.runs.report.is_some());
        let lines = args.runs.report.is_some().then(String::new);
        let began = Instant::now();
        Self {
            table,
            format: args.format,
            lines,
            unusual: UnusualMeshes::default(),
            began,
            trees: 0,
            triangles: 0,
            left_out: 0,
            bytes: 0,
            cooked: 0,
            unchanged: 0,
            failed: 0,
            removed: 0,
        }
    }

    pub fn cooked(&mut self, asset: &Asset, trees: &[Cooked], findings: Findings) -> Result<(), CliError> {
        self.cooked += 1;
        self.trees += trees.len();
        for cooked in trees {
            self.triangles += cooked.measures.triangles;
            self.bytes += cooked.bytes;
            let times = [cooked.parse, cooked.build, cooked.write].map(|time| Value::from(time.as_secs_f64()));
            let group = cooked.group.as_deref();
            self.table.row(row(asset, &cooked.path, &cooked.measures, cooked.bytes, times, "cooked", group))?;
        }
        let outputs: Vec<_> = trees.iter().map(|cooked| cooked.path.display().to_string()).collect();
        let more = json!({
            "outputs": outputs,
            "defects": findings.counts(),
            "notes": findings.notes(),
            "left_out_triangles": findings.left_out,
        });
        self.left_out += findings.left_out;
        self.line(asset, "cooked", more);
        self.unusual.add(&asset.input, findings);
        self.table.flush()
    }

    /// Writes the rows of an unchanged asset; text output shows only the number of unchanged assets.
    pub fn unchanged(&mut self, asset: &Asset, folder: &Path, record: &Record) -> Result<(), CliError> {
        self.unchanged += 1;
        let outputs: Vec<_> = record.outputs.iter().map(|output| folder.join(&output.path)).collect();
        if self.format != Format::Text {
            for (path, output) in outputs.iter().zip(&record.outputs) {
                let tree = input::open_just_cooked(path)?;
                let none = [const { Value::Null }; 3];
                self.table.row(row(asset, path, &(&tree).into(), output.bytes, none, "unchanged", None))?;
            }
        }
        let outputs: Vec<_> = outputs.iter().map(|path| path.display().to_string()).collect();
        self.line(asset, "unchanged", json!({"outputs": outputs}));
        Ok(())
    }

    pub fn failed(&mut self, asset: &Asset, error: &CliError) {
        self.failed += 1;
        self.line(asset, "failed", json!({"error": error.message()}));
    }

    /// Reports a cooked file that was removed.
    pub fn removed(&mut self, path: &Path) {
        self.removed += 1;
        if let Some(lines) = &mut self.lines {
            let _ = writeln!(lines, "{}", json!({"status": "removed", "output": path.display().to_string()}));
        }
    }

    /// Adds the row of an asset that is only listed.
    pub fn list(&mut self, asset: &Asset, status: &str) -> Result<(), CliError> {
        self.line(asset, status, json!({}));
        self.table.row(vec![asset.input.display().to_string().into(), asset.name.as_str().into(), status.into()])
    }

    fn line(&mut self, asset: &Asset, status: &str, mut more: Value) {
        let Some(lines) = &mut self.lines else { return };
        more["input"] = asset.input.display().to_string().into();
        more["asset"] = asset.name.as_str().into();
        more["status"] = status.into();
        let _ = writeln!(lines, "{more}");
    }

    /// Writes the remaining rows, and the file of `--report`.
    pub fn finish(self, args: &CookArgs) -> Result<(), CliError> {
        if let (Some(path), Some(lines)) = (&args.runs.report, &self.lines) {
            atomic_write::write(path, "the report", lines.as_bytes())?;
        }
        self.table.finish()
    }

    /// The notes on unusual meshes; a single note with totals if several meshes are unusual.
    pub fn notes(&self) -> Vec<String> {
        let hint = if self.lines.is_some() { "" } else { " (--report FILE lists them by mesh)" };
        self.unusual.notes(self.cooked, hint)
    }

    /// The summary as one line of text, with the totals of the trees that were cooked.
    pub fn summary(&self) -> String {
        let mut text = format!("{} cooked, {} unchanged", self.cooked, self.unchanged);
        for (count, what) in [(self.removed, "files removed"), (self.failed, "failed")] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        let seconds = self.began.elapsed().as_secs_f64();
        let _ = write!(text, ", in {seconds:.1} s");
        if self.trees > 0 {
            let Self { trees, triangles, bytes, .. } = self;
            let _ = write!(text, ": {trees} trees, {triangles} triangles, {bytes} bytes");
        }
        if self.left_out > 0 {
            let _ = write!(text, ", {} triangles left out", self.left_out);
        }
        text
    }
}

fn row(
    asset: &Asset,
    output: &Path,
    tree: &Measures,
    bytes: u64,
    [parse, build, write]: [Value; 3],
    status: &str,
    group: Option<&str>,
) -> Vec<Value> {
    vec![
        asset.input.display().to_string().into(),
        output.display().to_string().into(),
        tree.options.kind.name().into(),
        tree.options.split.name().into(),
        tree.triangles.into(),
        tree.nodes.into(),
        tree.leaves.into(),
        tree.depth.into(),
        tree.split_depth.into(),
        tree.leaf_triangles_max.into(),
        bytes.into(),
        (bytes as f64 / tree.triangles as f64).into(),
        parse,
        build,
        write,
        digest(tree.mesh_digest),
        status.into(),
        group.into(),
    ]
}

/// Writes a make rule for each asset of the plan that has been cooked, in this run or before.
pub fn write_depfile(path: &Path, plan: &Plan, known: &Records, manifest: Option<&Path>) -> Result<(), CliError> {
    let mut text = String::new();
    for asset in &plan.assets {
        let Some(record) = known.by_asset.get(&asset.name) else { continue };
        let outputs: Result<Vec<_>, _> =
            record.outputs.iter().map(|output| escaped(&plan.output.join(&output.path))).collect();
        let inputs = [asset.input.as_path()].into_iter().chain(record.files.iter().map(|file| file.as_path()));
        let inputs: Result<Vec<_>, _> = inputs.chain(manifest).map(escaped).collect();
        text += &format!("{}: {}\n", outputs?.join(" "), inputs?.join(" "));
    }
    atomic_write::write(path, "the dependencies", text.as_bytes())
}

/// The path escaped for make and ninja, which cannot read line breaks.
fn escaped(path: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' | ':' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            '\n' | '\r' => {
                let message =
                    format!("{} has a line break in its name, which make and ninja can't read", path.display());
                return Err(CliError::new(message).hint("rename it, or leave out --depfile"));
            }
            _ => text.push(c),
        }
    }
    Ok(text)
}

/// The unusual features of an asset's mesh.
#[derive(Default)]
pub struct Findings {
    /// The parts of the file that were not read.
    pub skipped: Vec<Skipped>,
    /// The mesh's counts; `None` if they were not requested or the mesh was cooked in tiles.
    pub counts: Option<MeshReport>,
    /// The warning for a mesh far from its origin.
    pub precision: Option<String>,
    /// The number of triangles that the options leave out.
    pub left_out: usize,
}

/// A defect's key in JSON, its name in text, and its count.
type Defect = (&'static str, &'static str, usize);

fn defects(report: &MeshReport) -> [Defect; 5] {
    [
        ("zero_area_triangles", "zero-area triangles", report.zero_area_triangles),
        ("duplicate_triangles", "duplicate triangles", report.duplicate_triangles),
        ("open_edges", "open edges", report.open_edges),
        ("non_manifold_edges", "non-manifold edges", report.non_manifold_edges),
        ("inconsistent_edges", "edges with inconsistent normals", report.inconsistent_edges),
    ]
}

impl Findings {
    /// The defects that the mesh has.
    fn defects(&self) -> impl Iterator<Item = Defect> {
        self.counts.iter().flat_map(defects).filter(|(_, _, count)| *count > 0)
    }

    /// The notes on this mesh alone.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.skipped.iter().map(input::left_out).collect();
        let found: Vec<_> = self.defects().map(|(_, what, count)| format!("{count} {what}")).collect();
        notes.extend((!found.is_empty()).then(|| found.join(", ")));
        notes.extend(self.precision.clone());
        notes
    }

    /// The defects' counts, zeros included; `None` if the mesh was not examined.
    pub fn counts(&self) -> Option<Map<String, Value>> {
        let report = self.counts.as_ref()?;
        Some(object(defects(report).map(|(key, _, count)| (key, count.into()))))
    }
}

/// The notes on a run's meshes: those on the mesh itself if only one is unusual, and otherwise one note with totals.
#[derive(Default)]
pub struct UnusualMeshes {
    meshes: Vec<(PathBuf, Findings)>,
}

impl UnusualMeshes {
    /// Adds a mesh, unless nothing about it is unusual.
    pub fn add(&mut self, input: &Path, findings: Findings) {
        if !findings.notes().is_empty() {
            self.meshes.push((input.to_owned(), findings));
        }
    }

    /// The notes; `cooked` is the number of meshes that were cooked, and `hint` ends the note with totals.
    pub fn notes(&self, cooked: usize, hint: &str) -> Vec<String> {
        // Assets that are cooked concurrently finish in any order.
        let mut meshes: Vec<_> = self.meshes.iter().map(|(input, findings)| (input.as_path(), findings)).collect();
        meshes.sort_by_key(|(input, _)| *input);
        match &meshes[..] {
            [] => Vec::new(),
            [(input, findings)] => findings.notes().iter().map(|text| format!("{}: {text}", input.display())).collect(),
            meshes => {
                let found: Vec<_> = totals(meshes).iter().map(Total::text).chain(imprecise(meshes)).collect();
                vec![format!("{} of {cooked} meshes are unusual: {}{hint}", meshes.len(), found.join("; "))]
            }
        }
    }
}

/// All occurrences of one finding, in one or more meshes.
struct Total<'a> {
    what: &'a str,
    /// Whether the occurrences were left out while reading the file, rather than found in the mesh.
    is_skipped: bool,
    count: u64,
    meshes: usize,
    /// The largest number of occurrences in one mesh, and that mesh.
    most: (u64, &'a Path),
}

impl Total<'_> {
    fn text(&self) -> String {
        let Self { what, is_skipped, count, meshes, most: (most, input) } = self;
        let place = match meshes {
            1 => input.display().to_string(),
            _ => format!("{meshes} meshes (at most {most}, in {})", input.display()),
        };
        if *is_skipped { format!("left out of {place}: {count} {what}") } else { format!("{count} {what} in {place}") }
    }
}

/// The totals of all findings with counts; the finding that most meshes have comes first.
fn totals<'a>(meshes: &[(&'a Path, &'a Findings)]) -> Vec<Total<'a>> {
    let mut totals: Vec<Total<'a>> = Vec::new();
    for &(input, findings) in meshes {
        let defects = findings.defects().map(|(_, what, count)| (what, false, count as u64));
        let skipped = findings.skipped.iter().map(|skipped| (skipped.what, true, skipped.count));
        for (what, is_skipped, count) in defects.chain(skipped) {
            match totals.iter_mut().find(|total| total.what == what) {
                Some(total) => {
                    total.count += count;
                    total.meshes += 1;
                    if count > total.most.0 {
                        total.most = (count, input);
                    }
                }
                None => totals.push(Total { what, is_skipped, count, meshes: 1, most: (count, input) }),
            }
        }
    }
    totals.sort_by_key(|total| Reverse(total.meshes));
    totals
}

/// The warning for meshes far from their origins.
fn imprecise(meshes: &[(&Path, &Findings)]) -> Option<String> {
    let imprecise = meshes.iter().filter(|(_, findings)| findings.precision.is_some());
    // A file may be cooked in several ways.
    let imprecise: BTreeSet<_> = imprecise.map(|(input, _)| input).collect();
    let first = imprecise.first()?.display();
    Some(match imprecise.len() - 1 {
        0 => format!("{first} loses precision in f32, less with --origin auto"),
        others => format!("{first} and {others} more lose precision in f32, less with --origin auto"),
    })
}
