//! `bvtree compare`: how tightly trees of each kind fit meshes, and what queries cost with them.

mod advice;
mod charts;
mod html;
mod measure;
mod provenance;
mod rows;
mod text;

use std::path::{Path, PathBuf};

use bvtree::mesh::ReadOptions;
use bvtree::metrics::{MetricsOptions, PoseSet};
use bvtree::{BuildOptions, Preset, VolumeKind};
use clap::Args;

use crate::args::{BuildRules, Presets, ReferenceVolumes, Up, VolumeKinds, parse_whole};
use crate::commands::compare::html::Html;
use crate::commands::compare::measure::{LabelledPose, Measured, Subject};
use crate::error::{CliError, note, printable, without_reader};
use crate::input::{InputKind, find_meshes};
use crate::output::{Format, Progress};
use crate::poses::{PoseFile, Poses};
use crate::{atomic_write, input};

/// Compare how tightly trees of each volume kind fit meshes
///
/// Builds a tree of each kind for each mesh (OBJ, STL, PLY, OFF or glTF) and measures its size, how closely its volumes
/// fit the mesh, per level and in total, and how much work queries do between the mesh and a copy of itself in
/// reproducible poses.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Mesh files, folders (all meshes below them) or globs
    #[arg(required = true, value_name = "MESH")]
    meshes: Vec<PathBuf>,
    /// Volume kinds: aabb, obb, sphere, kdop, several separated by commas, or all
    #[arg(long, alias = "volume", value_name = "KINDS", default_value = "all")]
    kind: VolumeKinds,
    /// Volumes to measure beside those that a tree stores, at the nodes of each tree: hull, kdop14, kdop18, kdop26,
    /// shared-axes, rss, several separated by commas, or all [default: none]
    #[arg(long, value_name = "VOLUMES")]
    beside: Option<ReferenceVolumes>,
    /// Presets to compare: fast, balanced, tight, several separated by commas, or all; build options override each of
    /// them [default: balanced; all with --html and no build options]
    #[arg(long, value_name = "PRESETS")]
    preset: Option<Presets>,
    /// Number of levels to show in text, from the root [default: all]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = ALL_LEVELS, default_value = ALL_LEVELS,
        value_parser = parse_whole::<usize>, hide_default_value = true)]
    levels: usize,
    /// Output format of the comparison
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also write a report: an HTML page with recommendations, charts, a table and the volumes in 3D. Compares all
    /// presets unless --preset or a build option is given
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Up axis of the meshes, for the report
    #[arg(long, value_enum, default_value_t = Up::Z, requires = "html", allow_hyphen_values = true)]
    up: Up,
    #[command(flatten)]
    build: BuildRules,
    /// Number of poses per separation; 0 measures no queries
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, 
        default_value_t = PoseSet::default().approaches, help_heading = "Poses")]
    poses: usize,
    /// Separations of the meshes, relative to the diagonal of their box; negative values make them overlap [default:
    /// 0.05,0.01,0.001,-0.01]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true, help_heading = "Poses",
        default_value = SEPARATIONS, value_parser = separation, hide_default_value = true)]
    separations: Vec<f64>,
    /// Also write the poses of each mesh against its copy to a file, as `query --poses` reads them. Meshes of the same
    /// name are told apart by their paths
    #[arg(long, value_name = "FILE", help_heading = "Poses")]
    save_poses: Option<PathBuf>,
    /// Poses of a file that --save-poses wrote, in place of random ones, so that the same queries run elsewhere. A row
    /// without mesh names is for every mesh
    #[arg(long, value_name = "FILE", help_heading = "Poses", conflicts_with_all = ["poses", "separations"])]
    load_poses: Option<PathBuf>,
    /// Seed of all random poses, points and lines
    #[arg(long, value_name = "N", default_value_t = PoseSet::default().seed)]
    seed: u64,
    /// Number of random lines, of points of the surface, and of points in the volumes of each level: four times as many
    /// halve the standard errors of estimates. At most 100 million
    #[arg(long, value_name = "N", value_parser = parse_samples, default_value_t = MetricsOptions::default().samples)]
    samples: usize,
}

const ALL_LEVELS: &str = "100000";
/// The default separations of [`PoseSet`], as `--separations` takes them.
const SEPARATIONS: &str = "0.05,0.01,0.001,-0.01";

const EXAMPLES: &str = "\
Examples:
  bvtree compare gear.obj
  bvtree compare data/*.obj --levels 0
  bvtree compare gear.obj --preset all
  bvtree compare data/*.obj --html report.html
  bvtree compare gear.obj --kind obb --beside all --poses 0
  bvtree compare gear.obj --kind obb,sphere --poses 50 --format csv

Figures; less is better for all of them:
  volume_ratio, mesh_volume_ratio
                   sum of the volumes over the volume of the mesh's convex hull, and over that of the mesh itself
  outside_ratio    volume of the union of all volumes outside the mesh, over the mesh's volume; estimated
  area_ratio       sum of the volumes' surface areas over the mesh's area
  hausdorff_max, hausdorff_mean
                   greatest distance of a volume's points from its triangles, over the volume's diameter: a proven upper
                   bound; hausdorff_max_lower and hausdorff_mean_lower are lower bounds, within 1% or 0.001 of it
                   for all volumes but hausdorff_cut_short, whose search ended after 100,000 parts
  error            for each error, relative to the mesh's diameter, the number of volumes that are proven to reach no
                   farther from the mesh, and volumes_lower: how many are needed at least; error_slope is the exponent
                   of their growth, by least squares of the logarithms over the errors with more than one volume; of
                   equal numbers at the end only the first counts. error_slope_standard_error is from the scatter about
                   the line; error_slope_missing says why fewer than three errors are left
  sibling_overlap  volume shared by siblings, over the volume of their parent
  sah_cost         for rays: surface area heuristic, the nodes' areas times their costs over the root's area (Goldsmith
                   and Salmon 1987; MacDonald and Booth 1990)
  line_tests       expected volume and triangle tests of a traversal with a random line that meets the root; estimated.
                   It is sah_cost where volumes are nested, and less where they stick out of the volumes above
  epo, lcv         for rays: end-point overlap, leaf count variability (Aila, Karras and Laine 2013); estimated. In
                   epo_reached and lcv_reached only nodes count that a traversal reaches
  volume_tests, triangle_tests, micros_per_query
                   means over the poses, finding all pairs of touching triangles, on one thread; per label and in total
                   (a query ends at 65,536 pairs or 4,194,304 tests of triangles). The time of a pose is the median of
                   five passes; micros_per_query_lower and micros_per_query_upper are of the fastest and slowest passes.
                   Standard errors are for all poses of which these are a sample, by the lines of approach: poses along
                   one line count as one
  volume_tests_ratio, triangle_tests_ratio, micros_ratio
                   the means over those of the mesh's first tree. Costs vary much more between poses than ratios do at
                   the same poses, so print ratios
  volume_test_nanos, triangle_test_nanos
                   time of one test of either kind, fitted to the times of the queries
--beside measures volumes that no tree stores, fitted to the triangles below each node of a tree, by the same formulas:
  hull             the convex hull: no convex volume is tighter
  kdop14, kdop18, kdop26
                   slabs along the axes and the diagonals of a cube, of its faces, or both (Klosowski et al. 1998)
  shared-axes      boxes along the axes of the covariance of the mesh's vertices, the same for all nodes
  rss              rectangle swept spheres: the points within a radius of a rectangle (Larsen et al. 1999)
The figures of a level are those of the tree cut there; leaves above count too, so that every level covers the mesh.
Estimates have a column with their standard error. Those from --samples points or lines are within two of them in 95 of
100 cases. For means and ratios over n lines of approach, take Student's distribution with n - 1 degrees of freedom: for
25 lines 2.06 standard errors. Costs are skewed, so print no figures of fewer lines. For slopes, n is one less than the
number of errors with several volumes.
In text, * marks the least figure of all trees of a mesh: of times only if no other's passes overlap with it, of
estimates only if no other is within two standard errors of both. There is none for SAH cost, tests of a line and LCV,
since their lines are those that meet the tree's own root, and none for build seconds, which are measured once.
CSV has a row for each level, error and label, and a row `all` for all volumes together; JSON has an object per tree.
With --beside, rows of such a volume follow those of the tree at whose nodes it is: `nodes_of` is the tree's kind and
`volume` its own; in JSON they are the objects of `beside`.
The row `all` and each JSON object also have the version, the commit if the build was told it, the date, the CPU, its
instructions, the seed, the samples, the build options and a digest of the mesh's triangles. Lengths and areas are in
the mesh's unit. Undefined figures are empty: a flat mesh, for instance, has no hull volume. The module `metrics` of
the library has the formulas.";

/// Each sample takes memory.
fn parse_samples(text: &str) -> Result<usize, String> {
    let known = parse_whole(text)?;
    if known <= 100_000_000 { Ok(known) } else { Err("expected at most 100,000,000".to_owned()) }
}

pub fn run(args: &CompareArgs, quiet: bool) -> Result<(), CliError> {
    let mut meshes = Vec::new();
    for path in &args.meshes {
        meshes.extend(find_meshes(path)?.into_iter().map(|found| found.path));
    }
    let trees = args.recipes().len() * args.kind.0.len();
    let inputs: Vec<&Path> = meshes.iter().chain(&args.load_poses).map(PathBuf::as_path).collect();
    let outputs: Vec<&Path> = args.html.iter().chain(&args.save_poses).map(PathBuf::as_path).collect();
    outputs.iter().try_for_each(|output| atomic_write::refuse_stdout(output))?;
    atomic_write::check(&outputs, &inputs)?;
    let given = args.load_poses.as_deref().map(Poses::read).transpose()?;
    let mut poses = args.save_poses.as_ref().map(|_| PoseFile::new());
    let mut html = match &args.html {
        Some(path) => {
            if !quiet && args.preset.is_none() && trees > args.kind.0.len() {
                note("the report compares all presets: fast, balanced and tight; choose with --preset");
            }
            Some(Html::new(path, args.up, (args.seed, args.samples), meshes.len(), trees))
        }
        None => None,
    };
    let mut progress = Progress::new(meshes.len() * trees, quiet, args.format);
    let mut report: Box<dyn Report> = match args.format {
        Format::Text => Box::new(text::Text::new(args.levels, &meshes)),
        Format::Csv | Format::Spreadsheet => Box::new(rows::Csv::new(args.format)),
        Format::Json => Box::new(rows::Json::new()),
    };
    let written = |rows: Result<(), CliError>| if outputs.is_empty() { rows } else { without_reader(rows) };
    let mut any_failed = false;
    for path in &meshes {
        match measure(args, path, &meshes, given.as_ref(), &mut html, &mut poses, &mut progress) {
            Ok(measured) => {
                if let Some(html) = &mut html {
                    html.mesh(path, &measured);
                }
                written(progress.suspend(|| report.mesh(path, &measured)))?;
            }
            Err(error) => {
                html.iter_mut().for_each(Html::skip);
                progress.suspend(|| error.report_and_go_on())?;
                any_failed = true;
            }
        }
    }
    drop(progress);
    written(report.finish())?;
    if let (Some(path), Some(file)) = (&args.save_poses, poses) {
        file.write(path)?;
    }
    if let (Some(path), Some(html)) = (&args.html, html)
        && let Some(bytes) = html.finish()?
        && !quiet
    {
        eprintln!("wrote {}: {} kB", printable(&path.to_string_lossy()), bytes.div_ceil(1000));
    }
    if any_failed { Err(CliError::Reported) } else { Ok(()) }
}

/// Measures a mesh with one tree after the other, so that only one is in memory at a time.
fn measure(
    args: &CompareArgs,
    path: &Path,
    meshes: &[PathBuf],
    given: Option<&Poses>,
    html: &mut Option<Html>,
    poses: &mut Option<PoseFile>,
    progress: &mut Progress,
) -> Result<Vec<Measured>, CliError> {
    if InputKind::of(path)? == InputKind::Cooked {
        let message = format!("{} is a cooked tree: compare builds trees of its own", path.display());
        return Err(CliError::new(message).hint("give the mesh that it was cooked from"));
    }
    let mesh = progress.suspend(|| input::load_mesh(path, &ReadOptions::default()))?;
    let set = PoseSet { separations: args.separations.clone(), approaches: args.poses, seed: args.seed };
    let beside = args.beside.as_ref().map_or(Vec::new(), |beside| beside.0.clone());
    let poses_of_file = given.map(|poses| of_mesh(poses, path, meshes, args)).transpose()?;
    let mut subject = Subject::new(mesh, poses_of_file, set, args.samples, beside);
    let mut measured = Vec::new();
    for recipe in args.recipes() {
        for &kind in &args.kind.0 {
            let (preset, options) = args.options(recipe, kind);
            let at = format!("{} {kind} {}", name(path), preset.map_or("", Preset::name));
            progress.advance(0, &at);
            let (tree, build_time) = input::build(path, &subject.mesh, &options)?;
            measured.push(subject.measure(&tree, preset, build_time)?);
            if let Some(html) = html {
                html.tree(path, &subject.mesh, &tree, preset);
            }
            progress.advance(1, &at);
        }
    }
    if let Some(file) = poses {
        subject.poses().iter().for_each(|posed| file.add(&unique_name(path, meshes), &posed.label, &posed.pose));
    }
    Ok(measured)
}

/// The poses that a file has for a mesh against itself; an error if there are none, if several names in the file could
/// mean the mesh, or if a name could mean several of the meshes.
fn of_mesh(poses: &Poses, path: &Path, meshes: &[PathBuf], args: &CompareArgs) -> Result<Vec<LabelledPose>, CliError> {
    let mesh = unique_name(path, meshes);
    let file = args.load_poses.as_deref().unwrap_or(path).display();
    let names = poses.names_of(path);
    let mut told_apart = names.iter().filter(|name| !name.is_empty());
    let is_name_of_several = mesh != name(path) && names.contains(&name(path).as_str());
    if let (Some(first), Some(second)) = (told_apart.next(), told_apart.next()) {
        let message = format!("{file} has poses of {first} and of {second}, and {mesh} could be either");
        return Err(CliError::new(message).hint("give the mesh with more of its path"));
    }
    if is_name_of_several {
        let message = format!("{file} has poses of {}, which is the name of several of the meshes", name(path));
        return Err(CliError::new(message).hint("compare one of them, or write paths in its first two fields"));
    }
    let own = poses.with_names(&names).map(|(label, pose)| LabelledPose { label: label.to_owned(), pose });
    let own: Vec<LabelledPose> = own.collect();
    if own.is_empty() {
        return Err(CliError::new(format!("{file} has no pose of {mesh} against itself")).hint(
            "its first two fields name the meshes, without folder and extension or by the end of a path, or are empty",
        ));
    }
    Ok(own)
}

impl CompareArgs {
    /// The requested presets, or `None` for the build options alone. A report compares all presets by default.
    fn recipes(&self) -> Vec<Option<Preset>> {
        match &self.preset {
            Some(presets) => presets.0.iter().copied().map(Some).collect(),
            None if self.html.is_some() && self.build == BuildRules::default() => Preset::ALL.map(Some).to_vec(),
            None => vec![None],
        }
    }

    /// The build options of a tree, and the preset that was requested or else has the same options.
    fn options(&self, recipe: Option<Preset>, kind: VolumeKind) -> (Option<Preset>, BuildOptions) {
        let options = self.build.over(recipe.unwrap_or_default(), kind);
        let is_same = |preset: &Preset| preset.options(kind) == options;
        (recipe.or_else(|| Preset::ALL.into_iter().find(is_same)), options)
    }
}

fn separation(text: &str) -> Result<f64, String> {
    let separation: f64 = text.trim().parse().map_err(|_| format!("'{text}' is not a number"))?;
    if separation.abs() <= 1e6 { Ok(separation) } else { Err("expected a number between -1e6 and 1e6".into()) }
}

/// A writer of comparisons, mesh by mesh.
pub trait Report {
    /// Writes the measurements of a mesh: one for each kind, preset by preset.
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError>;

    /// Writes the rest when all meshes are done.
    fn finish(self: Box<Self>) -> Result<(), CliError>;
}

/// The name of a mesh; its path if another of the meshes has the same name.
pub fn unique_name(path: &Path, meshes: &[PathBuf]) -> String {
    let own = name(path);
    let is_shared = meshes.iter().filter(|mesh| name(mesh) == own && *mesh != path).count() > 0;
    if is_shared { path.display().to_string() } else { own }
}

/// The file's name without folder and extension.
pub fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_separations_are_the_librarys() {
        let numbers: Result<Vec<f64>, _> = SEPARATIONS.split(',').map(separation).collect();
        assert_eq!(numbers, Ok(PoseSet::default().separations));
    }
}
