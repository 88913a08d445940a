//! `bvtree clash`: reports the clashes of an assembly.

pub mod baseline;
mod glb;
pub mod manifest;
mod page;
mod report;
mod scene_file;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bvtree_clash::bcf::{self, BcfOptions};
use bvtree_clash::rules::{self, Classes, Limits, Rule, Rules};
use bvtree_clash::{Assembly, Clash, Details, Part, for_each_clash};
use clap::{Args, ValueEnum};

use crate::args::GroupNames;
use crate::args::{AnswerArgs, NamePair, Up, parse_whole};
use crate::atomic_write;
use crate::commands::clash::baseline::Baseline;
use crate::commands::clash::baseline::Statuses;
use crate::commands::clash::report::{By, Report};
use crate::date_time;
use crate::error::{CONTACT, CliError, note};
use crate::input::Meshes;
use crate::input::{TreeArgs, precision_warning, read_text};
use crate::output::Progress;
use crate::poses::parse_tolerance;

/// Find the bodies of an assembly that touch, cross, enclose each other or are too close
///
/// A manifest is JSON, or a glTF or GLB scene, in which each node with a mesh is a body named by its path. Every pair
/// of bodies is tested exactly, down to triangles. Rows are in the order of the bodies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ClashArgs {
    /// Scenes or manifests, which together form one assembly
    #[arg(required = true)]
    manifests: Vec<PathBuf>,
    /// Report bodies that are closer than this [default: the manifest's `clearance`, else 0]
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true, value_parser = parse_tolerance)]
    clearance: Option<f64>,
    /// Treat bodies that overlap as touching if their overlap depth is at most this; where a mesh is open, if a move by
    /// at most this distance separates them
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true, value_parser = parse_tolerance,
        default_value = "0")]
    tolerance: f64,
    /// Do not report bodies that only touch
    #[arg(long)]
    allow_touching: bool,
    /// Round world coordinates of glTF scenes to multiples of this, so that faces that are meant to touch do; 0 rounds
    /// nothing
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, value_parser = parse_tolerance, default_value = "0")]
    snap: f64,
    /// Also report pairs where one body is within the bounds of an open mesh, so that it is undefined whether it is
    /// inside
    #[arg(long)]
    undefined: bool,
    /// Test only bodies of one group against those of another, in place of all rules of the manifests and of --rules,
    /// whose groups can be named; `*` is all bodies; can be given several times
    #[arg(long, value_name = "GROUP,GROUP")]
    between: Vec<NamePair>,
    /// TOML file of groups and rules, which come before those of the manifests
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Do not test these two bodies; can be given several times
    #[arg(long, value_name = "BODY,BODY")]
    ignore: Vec<NamePair>,
    /// Fill the column penetration: the length of a move that separates the bodies
    #[arg(long, alias = "depths")]
    penetration: bool,
    /// Add columns group_a and group_b, the groups of the meshes (objects, nodes) or materials at the reported point
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    groups: Option<GroupNames>,
    /// Maximum number of rows, at which the search ends
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    limit: Option<usize>,
    /// Earlier report (in any format but text): rows are marked as new, same, worse or better and keep their status,
    /// and clashes that are gone come last
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Subject of each row
    #[arg(long, value_enum, default_value_t = By::Pair)]
    by: By,
    /// Edge length of the cells in the column `cell` [default: a power of ten, at most a tenth of the assembly's size]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, value_parser = parse_tolerance)]
    cell: Option<f64>,
    /// What the team has decided: a BCF file, an earlier report, or a table with the columns id, status (open,
    /// reopened, approved, resolved or ignored), author and reason; can be given several times, a later one overrides
    /// an earlier one
    #[arg(long, value_name = "FILE")]
    status: Vec<PathBuf>,
    /// Unit of lengths: BCF files are in metres, and the page shows metres or millimetres
    #[arg(long, value_enum, default_value = "m")]
    unit: Unit,
    /// Write a BCF file for viewers of building models, with a topic per issue and a viewpoint and a picture per clash
    #[arg(long, value_name = "FILE")]
    bcf: Option<PathBuf>,
    /// Version of the BCF file
    #[arg(long, value_name = "VERSION", value_enum, default_value = "2.1", requires = "bcf")]
    bcf_version: BcfVersion,
    /// Subject of a topic of the BCF file
    #[arg(long, value_enum, default_value = "issue", requires = "bcf")]
    bcf_topic: BcfTopic,
    /// Write a 3D model of the clashing bodies in color, with the curves along which they cross
    #[arg(long, value_name = "FILE")]
    glb: Option<PathBuf>,
    /// Write an HTML page with a list of the clashes, whose 3D view flies to each
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Up axis of the bodies [default: y for glTF scenes alone, else z]; BCF files are always turned to z
    #[arg(long, value_enum)]
    up: Option<Up>,
    /// Exit with 1 if there are clashes (with --baseline: new or worse ones) that are neither approved nor ignored, or
    /// if --limit ended the search before it found all clashes
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    trees: TreeArgs,
}

/// A version of BCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BcfVersion {
    #[value(name = "2.1")]
    V2,
    #[value(name = "3.0")]
    V3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BcfTopic {
    /// Clashes of an issue with the same decision
    Issue,
    /// A clash
    Clash,
}

/// A unit of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    #[value(name = "m")]
    Metre,
    #[value(name = "mm")]
    Millimetre,
}

impl Unit {
    fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Millimetre => 1e-3,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  bvtree clash plant.glb --clearance 0.05
  bvtree clash assembly.json --format csv > monday.csv
  bvtree clash assembly.json --baseline monday.csv --exit-code --bcf clashes.bcf
  bvtree clash assembly.json --baseline monday.csv --status answers.bcf
  bvtree clash assembly.json --between pipes,beams --allow-touching --by body

A manifest: {\"bodies\": [{\"name\": \"pump-1\", \"mesh\": \"pump.obj\",
  \"rotation\": [9 numbers, row by row], \"translation\": [3 numbers],
  \"groups\": [\"pipes\"]}], \"ignore\": [[\"pump-1\", \"pump-2\"]], \"clearance\": 0.01,
  \"rules\": [{\"between\": [\"pipes\", \"*\"], \"clearance\": 0.02, \"tolerance\": 0.001,
  \"touching\": true, \"ignore\": false}]}. The first rule that matches two bodies
applies; if there are rules, bodies that no rule matches are not tested. Mesh
paths are relative to the manifest. \"grid\" is a list of families of axes, each
{\"name\": \"B\", \"ends\": [[x, y], [x, y]]}; they name places. A body may have \"properties\", an object of
texts; GlobalId, name, class, type, storey, file and host have a meaning, and
GlobalIds that are unique make the ids of clashes.

A file of rules (the same keys are allowed in a manifest):
  [groups]                       # by globs on properties or `body`, its name
  pipes = { class = [\"IfcFlow*\", \"IfcPipe*\"], storey = \"!Roof\" }
  [[rules]]                      # the first that matches applies
  name = \"hosted\"
  between = [\"*\", \"*\"]
  hosted = true                  # one's `host` is the other's GlobalId or name
  ignore = true                  # also: same = [\"type\"], different = [\"file\"]
  [[rules]]
  name = \"pipes near anything\"
  between = [\"pipes\", \"*\"]
  clearance = 0.05
  tolerance = 0.002
  touching = true                # touching is no clash
  report = [\"hard\", \"clearance\", \"duplicate\"]  # or any classes

Columns: a, b, relation (touching, crossing, a_in_b, b_in_a, coincident,
separate or undefined), pairs (of intersecting triangles), distance, class
(duplicate, moved: the same part in two files and in two places, enveloped,
piercing: crossing in two or more places, protruding: crossing in one,
touching, too_near, undefined), depth (upper bound of how deep
one surface reaches into the other; empty where a mesh is open), penetration
(with --penetration: length of a move that separates them), moved (how far the
same part was moved), x, y, z (the position, the deepest point where it is
known), ax, ay, az, bx, by, bz (the closest points), cell, location (storey and
axes), id (the same in every run); with --baseline also change
(new, same, worse, better, gone) and was (the earlier relation); rule (the name
or number of the rule that was broken), issue (the title of the
clashes of one rule and kind between the same two types that are near each
other on one storey, or of parts that are repeated); with a decision
status, author and reason. What is resolved and found again is reopened. What is
ignored is in no file and no count.
With --groups, group_a and group_b come last: the objects, materials or nodes of
the triangles at x, y, z or of the closest triangles.";

/// The maximum number of clashes on the page; the worst ones are listed.
const MAX_LISTED: usize = 10_000;
/// The maximum number of clashes in the 3D model and in the BCF file, which contain the worst ones.
const MAX_DRAWN: usize = 2000;

pub fn run(args: &ClashArgs, quiet: bool) -> Result<ExitCode, CliError> {
    let outputs: Vec<&Path> = [&args.bcf, &args.glb, &args.html].into_iter().flatten().map(PathBuf::as_path).collect();
    let inputs: Vec<&Path> = args
        .manifests
        .iter()
        .chain(&args.baseline)
        .chain(&args.rules)
        .chain(&args.status)
        .map(PathBuf::as_path)
        .collect();
    outputs.iter().try_for_each(|output| atomic_write::refuse_stdout(output))?;
    atomic_write::check(&outputs, &inputs)?;
    if args.groups.is_some() && args.by != By::Pair {
        return Err(CliError::new("--groups: rows by body or place are not about two meshes"));
    }
    let simd = args.answers.simd()?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let statuses = Statuses::read(args.status.iter().map(PathBuf::as_path))?;
    let assembly = assembly(args)?;
    if !quiet {
        for part in assembly.parts.iter().filter(|part| part.tree.triangle_count() == 0) {
            note(format!("body '{}' has no triangles: it clashes with nothing", part.name));
        }
        let far =
            |part: &Part| precision_warning(part.tree.bounds()).map(|what| format!("body '{}': {what}", part.name));
        assembly.parts.iter().find_map(far).iter().for_each(note);
        if let Some(count) = ["no body", "one body"].get(assembly.parts.len()) {
            note(format!("there is {count}: nothing to compare"));
        }
    }
    let clearance = args.clearance.or(assembly.clearance).unwrap_or(0.0);
    let otherwise = Limits {
        clearance,
        tolerance: args.tolerance,
        may_touch: args.allow_touching,
        reports: if args.undefined { Classes::ALL } else { Classes::DEFINED },
        rule: None,
    };
    GroupNames::check(args.groups, assembly.parts.iter().map(|part| &*part.tree))?;
    let rules = Rules::new(&assembly, otherwise);
    let format = args.answers.format();
    let table = (format, !outputs.is_empty());
    let mut report = Report::new(&assembly, (args.by, args.groups), table, args.cell, (baseline, statuses));
    let mut progress = Progress::new(assembly.parts.len(), quiet, format);
    let curves = args.glb.is_some() || args.html.is_some() || args.bcf.is_some();
    let details = Details { penetration: args.penetration, faces: args.groups.is_some(), curves };
    let (mut listed, mut at, mut outcome) = (Vec::new(), 0, Ok(()));
    let undefined = for_each_clash(&rules, details, simd, |mut clash| {
        if args.limit.is_some_and(|limit| report.count() >= limit) {
            report.is_cut = true;
            return ControlFlow::Break(());
        }
        progress.advance(clash.parts[0] - at, &assembly.parts[clash.parts[0]].name);
        at = clash.parts[0];
        outcome = report.add(&mut clash);
        if !outputs.is_empty() && !clash.is_ignored() {
            listed.push(clash);
            if listed.len() == 2 * MAX_LISTED {
                listed = worst(std::mem::take(&mut listed), MAX_LISTED);
            }
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    drop(progress);
    outcome?;
    let (summary, issues) = report.finish()?;
    let up = args
        .up
        .unwrap_or_else(|| if args.manifests.iter().all(|path| scene_file::is_scene(path)) { Up::Y } else { Up::Z });
    let listed = worst(listed, MAX_LISTED);
    let about = page::About { summary: &summary, issues: &issues, up, metres: args.unit.metres() };
    write_files(args, &assembly, &listed, &about)?;
    if !quiet {
        summary.tell(args.limit);
        if undefined > 0 {
            note(format!(
                "{undefined} more pairs are undefined: one body is within the bounds of an open mesh; --undefined \
                 reports them"
            ));
        }
        let shown = summary.clashes - summary.ignored;
        for (output, limit) in [(&args.html, MAX_LISTED), (&args.bcf, MAX_DRAWN), (&args.glb, MAX_DRAWN)] {
            if let Some(path) = output.as_ref().filter(|_| shown > limit) {
                let name = path.file_name().unwrap_or(path.as_os_str());
                note(format!("{} has the worst {limit} of {shown} clashes", name.display()));
            }
        }
    }
    let may_settle = summary.to_settle > 0 || summary.is_cut;
    Ok(if args.exit_code && may_settle { ExitCode::from(CONTACT) } else { ExitCode::SUCCESS })
}

/// The `count` worst clashes, in the order of their bodies.
fn worst(mut clashes: Vec<Clash>, count: usize) -> Vec<Clash> {
    if clashes.len() > count {
        Clash::sort_worst_first(&mut clashes);
        clashes.truncate(count);
        clashes.sort_by_key(|clash| clash.parts);
    }
    clashes
}

/// The assembly of all manifests, with the rules and the ignored pairs of the command line.
fn assembly(args: &ClashArgs) -> Result<Assembly, CliError> {
    let mut assembly = Assembly::default();
    let mut meshes = Meshes::new(&args.trees);
    for path in &args.manifests {
        add_manifest(path, &mut meshes, &mut assembly, args.snap)?;
    }
    for NamePair(names) in &args.ignore {
        let [a, b] = names.each_ref().map(|name| {
            assembly.place(name).ok_or_else(|| CliError::new(format!("--ignore: there is no body '{name}'")))
        });
        assembly.ignore(a?, b?);
    }
    if let Some(path) = &args.rules {
        let text = read_text(path, "a file of rules")?;
        rules::add_toml(&text, &path.display().to_string(), &mut assembly)?;
    }
    if !args.between.is_empty() {
        assembly.rules.clear();
    }
    for NamePair(names) in &args.between {
        if let Some(name) = names.iter().find(|name| *name != "*" && !assembly.groups.contains(name)) {
            return Err(CliError::new(format!("--between: there is no group '{name}'")));
        }
        let between = names.each_ref().map(|name| (name != "*").then(|| assembly.group(name)));
        assembly.rules.push(Rule { between, ..Rule::default() });
    }
    Ok(assembly)
}

/// Adds the bodies of a scene, with world coordinates rounded to multiples of `snap` unless it is 0, or the bodies and
/// rules of a manifest.
pub fn add_manifest(path: &Path, meshes: &mut Meshes<'_>, assembly: &mut Assembly, snap: f64) -> Result<(), CliError> {
    if scene_file::is_scene(path) {
        scene_file::read(path, meshes, assembly, snap)
    } else {
        manifest::read(path, meshes, assembly)
    }
}

fn write_files(
    args: &ClashArgs,
    assembly: &Assembly,
    clashes: &[Clash],
    about: &page::About<'_>,
) -> Result<(), CliError> {
    let drawn = worst(clashes.to_vec(), MAX_DRAWN);
    // One thread writes the page while the others draw pictures.
    let (bcf, page) = rayon::join(
        || args.bcf.as_ref().map(|_| bcf_file(args, assembly, &drawn, about)).transpose(),
        || args.html.as_ref().map(|_| page::html(assembly, clashes, about)).transpose(),
    );
    if let (Some(path), Some(bytes)) = (&args.bcf, bcf?) {
        atomic_write::write(path, "the clashes", &bytes)?;
    }
    if let Some(path) = &args.glb {
        atomic_write::write(path, "the model", &glb::file(assembly, &drawn, about.up)?)?;
    }
    if let (Some(path), Some(page)) = (&args.html, page?) {
        atomic_write::write(path, "the page", page.as_bytes())?;
    }
    Ok(())
}

fn bcf_file(
    args: &ClashArgs,
    assembly: &Assembly,
    clashes: &[Clash],
    about: &page::About<'_>,
) -> Result<Vec<u8>, CliError> {
    let version = match args.bcf_version {
        BcfVersion::V2 => bcf::Version::V2,
        BcfVersion::V3 => bcf::Version::V3,
    };
    let (is_y_up, by_issue) = (about.up == Up::Y, args.bcf_topic == BcfTopic::Issue);
    let options = BcfOptions { version, is_y_up, metres: about.metres, by_issue, date: date_time::now() };
    bcf::file(assembly, clashes, about.issues.all(), &options)
        .map_err(|error| CliError::caused("cannot write BCF", &error))
}
