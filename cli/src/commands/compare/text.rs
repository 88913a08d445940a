//! The comparison as text: a paragraph per mesh, the least figure of each line starred, a verdict, and a summary. If
//! there are several presets, each has its own tables.

use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

use bvtree::metrics::{Estimate, HausdorffError, LevelMetrics};
use serde_json::{Value, json};

use crate::commands::compare::charts::rounded;
use crate::commands::compare::measure::{AtNodes, Measured};
use crate::commands::compare::{Report, unique_name};
use crate::error::CliError;

/// The text report, written mesh by mesh.
pub struct Text {
    /// The largest number of levels shown.
    levels: usize,
    /// The files of all meshes.
    meshes: Vec<PathBuf>,
    /// The verdicts of the meshes so far, for the summary.
    verdicts: Vec<(String, [String; QUESTIONS.len()])>,
}

/// The width of a column in the tables of levels.
const LEVEL_WIDTH: usize = 8;
/// The width of the first column in the tables of levels, the level's number.
const LEVEL_COLUMN: usize = 5;

/// A figure of a level.
type LevelFigure = fn(&LevelMetrics) -> Option<f64>;

/// The figures in the tables of levels, in two groups; each figure has a column per kind.
const LEVEL_FIGURES: [[(&str, LevelFigure); 4]; 2] = [
    [
        ("volumes / hull", |level| level.tightness.volume_ratio),
        ("areas / mesh", |level| level.tightness.area_ratio),
        ("Hausdorff, mean", |level| level.hausdorff.mean.map(|error| error.upper)),
        ("sibling overlap", |level| level.tightness.sibling_overlap),
    ],
    [
        ("outside / mesh", |level| level.outside.map(|outside| outside.value)),
        ("SAH cost", |level| level.tightness.sah_cost),
        ("EPO", |level| level.rays.epo.map(|epo| epo.value)),
        ("LCV", |level| level.rays.lcv.map(|lcv| lcv.value)),
    ],
];

impl Text {
    pub fn new(levels: usize, meshes: &[PathBuf]) -> Self {
        Self { levels, meshes: meshes.to_vec(), verdicts: Vec::new() }
    }

    fn write_mesh(&mut self, path: &Path, trees: &[Measured]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Some(first) = trees.first() else { return Ok(()) };
        if !self.verdicts.is_empty() {
            writeln!(out)?;
        }
        let (name, triangles) = (unique_name(path, &self.meshes), first.triangles);
        let (queries, hits) = (first.cost.work.queries, first.cost.work.hits);
        writeln!(out, "{name}: {triangles} triangles, {queries} poses of which {hits} touch")?;
        let has_presets = trees.iter().any(|tree| tree.preset_name() != first.preset_name());
        for preset in trees.chunk_by(|a, b| a.preset_name() == b.preset_name()) {
            let title = if has_presets { format!("preset {}", preset[0].preset_name()) } else { String::new() };
            writeln!(out)?;
            write_figures(&mut out, &title, preset, trees)?;
            for figures in &LEVEL_FIGURES {
                write_levels(&mut out, figures, preset, self.levels)?;
            }
            for tree in preset {
                write_beside(&mut out, tree)?;
            }
        }
        let tree_name = |tree: &Measured| match has_presets {
            true => format!("{} {}", tree.kind, tree.preset_name()),
            false => tree.kind.to_string(),
        };
        let answers = QUESTIONS.map(|question| least(trees, question.of).map_or("-".into(), |i| tree_name(&trees[i])));
        if trees.len() > 1 {
            writeln!(out, "\n{}", verdict(trees, &answers, tree_name))?;
        }
        self.verdicts.push((name, answers));
        out.flush()
    }

    fn write_summary(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let titles = QUESTIONS.map(|question| question.title.to_owned());
        let lines = || [("mesh", &titles)].into_iter().chain(self.verdicts.iter().map(|(mesh, a)| (mesh.as_str(), a)));
        let width = lines().map(|(mesh, _)| mesh.chars().count()).max().unwrap_or(0);
        let widths: [usize; QUESTIONS.len()] =
            std::array::from_fn(|q| lines().map(|(_, cells)| cells[q].len()).max().unwrap_or(0));
        writeln!(out, "\nLeast of the trees, by mesh\n")?;
        for (mesh, cells) in lines() {
            let cells: Vec<_> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(out, "{}", format!("{mesh:<width$}  {}", cells.join("  ")).trim_end())?;
        }
        out.flush()
    }
}

impl Report for Text {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        self.write_mesh(path, measured).map_err(|error| CliError::output(&error))
    }

    fn finish(self: Box<Self>) -> Result<(), CliError> {
        let many = self.verdicts.len() > 1 && self.verdicts.iter().any(|(_, answers)| answers[0] != "-");
        if many { self.write_summary().map_err(|error| CliError::output(&error)) } else { Ok(()) }
    }
}

/// Writes a line per figure, with a column for each tree of a preset. A star marks the best of all the mesh's trees.
fn write_figures(out: &mut impl Write, title: &str, shown: &[Measured], trees: &[Measured]) -> io::Result<()> {
    let title_width = FIGURES.iter().map(|figure| figure.title.len()).max().unwrap_or(0);
    let kinds: String = shown.iter().map(|tree| format!("{:>11} ", tree.kind.name())).collect();
    writeln!(out, "{title:title_width$}{}", kinds.trim_end())?;
    for figure in FIGURES.iter().filter(|figure| trees.iter().any(|tree| (figure.of)(tree).is_some())) {
        let starred = figure.starred(trees);
        let cells = shown.iter().map(|tree| {
            let star = if starred.is_some_and(|starred| std::ptr::eq(tree, starred)) { '*' } else { ' ' };
            format!("{:>11}{star}", number((figure.of)(tree)))
        });
        writeln!(out, "{:title_width$}{}", figure.title, cells.collect::<String>().trim_end())?;
    }
    Ok(())
}

/// Writes a line per level, with a column per kind for each figure.
fn write_levels(
    out: &mut impl Write,
    figures: &[(&str, LevelFigure)],
    trees: &[Measured],
    levels: usize,
) -> io::Result<()> {
    let by_tree: Vec<Vec<LevelMetrics>> =
        trees.iter().map(|tree| tree.metrics.levels().take(levels).collect()).collect();
    let deepest = by_tree.iter().map(Vec::len).max().unwrap_or(0);
    let shown: Vec<_> =
        figures.iter().filter(|(_, of)| by_tree.iter().flatten().any(|level| of(level).is_some())).collect();
    if deepest == 0 || shown.is_empty() {
        return Ok(());
    }
    let group = LEVEL_WIDTH * trees.len();
    // More kinds than three leave room for fewer figures side by side.
    for shown in shown.chunks(((LINE_MAX - LEVEL_COLUMN) / (group + 2)).max(1)) {
        let titles: String = shown.iter().map(|(title, _)| format!("  {title:>0$}", group.max(title.len()))).collect();
        writeln!(out, "\n     {titles}")?;
        let line = |level: &str, cell: &dyn Fn(usize, LevelFigure) -> String| {
            let cells = shown.iter().map(|(title, of)| {
                let group_cells: String =
                    (0..trees.len()).map(|tree| format!("{:>LEVEL_WIDTH$}", cell(tree, *of))).collect();
                format!("  {group_cells:>0$}", group.max(title.len()))
            });
            format!("{level:>LEVEL_COLUMN$}{}", cells.collect::<String>())
        };
        writeln!(out, "{}", line("level", &|tree, _| trees[tree].kind.to_string()))?;
        for level in 0..deepest {
            let cell = |tree: usize, of: LevelFigure| {
                by_tree[tree].get(level).map_or(String::new(), |figures| number(of(figures)))
            };
            writeln!(out, "{}", line(&level.to_string(), &cell).trim_end())?;
        }
    }
    Ok(())
}

/// The number as text: integers below 10^9 unchanged, others to at least two significant digits; `-` for `None`.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(x) if x.fract() == 0.0 && x.abs() < 1e9 => format!("{x:.0}"),
        Some(x) if x.abs() >= 1e7 || x.abs() < 1e-3 => format!("{x:.1e}"),
        Some(x) if x.abs() >= 1e3 => format!("{x:.0}"),
        Some(x) if x.abs() >= 100.0 => format!("{x:.1}"),
        Some(x) if x.abs() >= 1.0 => format!("{x:.2}"),
        Some(x) => format!("{x:.4}"),
    }
}

/// The figures of the summary, which names the tree with the least of each.
pub const QUESTIONS: [Figure; 5] = [
    figure("tightest", tightness),
    figure("least area", |tree| tree.total().tightness.area_ratio),
    figure("fewest volume tests", volume_tests),
    figure("fewest triangle tests", triangle_tests),
    figure("fastest query", micros_per_query),
];

/// The maximum length of a line.
const LINE_MAX: usize = 120;

/// The verdict: the tightest tree, the tree with the fewest volume tests, and the tree with the fastest queries.
pub fn verdict(
    trees: &[Measured],
    answers: &[String; QUESTIONS.len()],
    tree_name: impl Fn(&Measured) -> String,
) -> String {
    let [tightest, _, volume_tests, _, fastest] = answers;
    let by = if trees.iter().any(|tree| tree.total().tightness.volume_ratio.is_some()) { "volume" } else { "area" };
    // The upper levels dominate the total.
    let below = match tightest_below(trees) {
        Some((tree, level)) if tree_name(tree) != *tightest => {
            format!(" in total, {} from level {level} down", tree_name(tree))
        }
        _ => String::new(),
    };
    let mut parts = vec![format!("Tightest by {by}: {tightest}{below}.")];
    if trees.iter().any(|tree| tree.cost.work.queries > 0) {
        parts.push(format!("Fewest volume tests: {volume_tests}."));
        parts.push(format!("Fastest here: {fastest}."));
    }
    let line = parts.join(" ");
    if line.len() > LINE_MAX { parts.join("\n") } else { line }
}

/// The tree that is tightest at the last level common to all trees, and the first level from which on it is the
/// tightest.
fn tightest_below(trees: &[Measured]) -> Option<(&Measured, usize)> {
    let levels = |tree: &Measured| tree.metrics.tightness.levels.len();
    let shared = trees.iter().map(levels).min()?;
    let tightest_at = |level: usize| {
        let at_level = |tree: &Measured| {
            tree.metrics.tightness.levels.get(level).and_then(|cut| cut.volume_ratio.or(cut.area_ratio))
        };
        least(trees, at_level)
    };
    let last = tightest_at(shared.checked_sub(1)?)?;
    let first = (0..shared).rev().take_while(|&level| tightest_at(level) == Some(last)).last()?;
    Some((&trees[last], first))
}

/// A figure of a tree.
pub struct Figure {
    pub title: &'static str,
    pub of: fn(&Measured) -> Option<f64>,
    star: Star,
}

/// Which tree of a mesh gets a star.
enum Star {
    /// The tree with the least figure.
    Least,
    /// The tree with the least figure, if its interval ends below all others.
    LeastBeyondDoubt(fn(&Measured) -> Option<[f64; 2]>),
    /// No tree: the figure does not show which tree is better, or does so only among trees of one kind.
    None,
}

pub const fn figure(title: &'static str, of: fn(&Measured) -> Option<f64>) -> Figure {
    Figure { title, of, star: Star::Least }
}

const fn description(title: &'static str, of: fn(&Measured) -> Option<f64>) -> Figure {
    Figure { star: Star::None, ..figure(title, of) }
}

impl Figure {
    /// The tree that gets the star, if there are several trees and one of them is best.
    fn starred<'a>(&self, trees: &'a [Measured]) -> Option<&'a Measured> {
        let best = least(trees, self.of).filter(|_| trees.len() > 1)?;
        let is_best = match self.star {
            Star::Least => true,
            Star::LeastBeyondDoubt(range) => range(&trees[best]).is_some_and(|[_, upper]| {
                let others = trees.iter().enumerate().filter(|(index, _)| *index != best);
                others.filter_map(|(_, tree)| range(tree)).all(|[lower, _]| upper < lower)
            }),
            Star::None => false,
        };
        is_best.then_some(&trees[best])
    }
}

pub const FIGURES: [Figure; 25] = [
    figure("sum of volumes / hull volume", |tree| tree.total().tightness.volume_ratio),
    figure("sum of volumes / mesh volume", |tree| tree.total().tightness.mesh_volume_ratio),
    Figure {
        star: Star::LeastBeyondDoubt(|tree| range(tree.total().outside)),
        ..figure("outside volume / mesh volume", |tree| tree.total().outside.map(|outside| outside.value))
    },
    figure("sum of surface areas / mesh area", |tree| tree.total().tightness.area_ratio),
    figure("Hausdorff error, mean", |tree| tree.total().hausdorff.mean.map(|error| error.upper)),
    description("  volumes cut short", |tree| Some(tree.total().hausdorff.cut_short as f64).filter(|cut| *cut > 0.0)),
    figure("volumes for an error of 1%", |tree| volumes_for_one_percent(&tree.metrics.hausdorff)),
    figure("sibling overlap", |tree| tree.total().tightness.sibling_overlap),
    description("SAH cost (rays)", |tree| tree.total().tightness.sah_cost),
    description("tests of a line (rays)", |tree| tree.total().rays.line_tests.map(|tests| tests.value)),
    Figure {
        star: Star::LeastBeyondDoubt(|tree| range(tree.total().rays.epo)),
        ..figure("EPO (rays)", |tree| tree.total().rays.epo.map(|epo| epo.value))
    },
    description("LCV (rays)", |tree| tree.total().rays.lcv.map(|lcv| lcv.value)),
    figure("volume tests per query", volume_tests),
    description("  over the first tree's", |tree| tree.cost.to_first[0].map(|ratio| ratio.value)),
    description("  two standard errors", |tree| tree.cost.to_first[0].map(|ratio| 2.0 * ratio.standard_error)),
    figure("triangle tests per query", triangle_tests),
    Figure {
        star: Star::LeastBeyondDoubt(|tree| tree.cost.micros_range),
        ..figure("microseconds per query", micros_per_query)
    },
    // Measured once.
    description("build seconds", |tree| Some(tree.build_time.as_secs_f64())),
    figure("bytes per triangle", |tree| Some(tree.bytes_per_triangle())),
    description("nanoseconds per volume test", |tree| tree.cost_terms.map(|terms| terms.volume_test * 1e9)),
    description("nanoseconds per triangle test", |tree| tree.cost_terms.map(|terms| terms.triangle_test * 1e9)),
    description("slope of volumes by error", |tree| tree.metrics.hausdorff.slope.ok().map(|slope| slope.value)),
    description("nodes", |tree| Some(tree.nodes as f64)),
    description("depth", |tree| Some(f64::from(tree.depth))),
    description("triangles per leaf", |tree| tree.metrics.tightness.leaf_triangles),
];

/// The interval of two standard errors on either side of an estimate.
fn range(estimate: Option<Estimate>) -> Option<[f64; 2]> {
    estimate.map(|Estimate { value, standard_error }| [value - 2.0 * standard_error, value + 2.0 * standard_error])
}

pub fn volumes_for_one_percent(hausdorff: &HausdorffError) -> Option<f64> {
    let point = hausdorff.curve.iter().find(|point| point.error == 0.01)?;
    point.nodes.map(|nodes| nodes as f64)
}

pub fn volume_tests(tree: &Measured) -> Option<f64> {
    tree.cost.work.volume_tests_per_query()
}

pub fn triangle_tests(tree: &Measured) -> Option<f64> {
    tree.cost.work.triangle_tests_per_query()
}

pub fn micros_per_query(tree: &Measured) -> Option<f64> {
    tree.cost.micros_per_query
}

/// The tightness by volume, or by area if the mesh's hull has no volume.
pub fn tightness(tree: &Measured) -> Option<f64> {
    let total = tree.total().tightness;
    total.volume_ratio.or(total.area_ratio)
}

/// The index of the tree with the least figure; of figures that differ by no more than rounding to f32, the first.
pub fn least(trees: &[Measured], of: impl Fn(&Measured) -> Option<f64>) -> Option<usize> {
    let figures = trees.iter().enumerate().filter_map(|(i, tree)| of(tree).map(|figure| (i, figure)));
    let less = |best: (usize, f64), next: (usize, f64)| if next.1 < best.1 * (1.0 - ROUNDING) { next } else { best };
    figures.reduce(less).map(|(i, _)| i)
}

/// An upper bound on the relative excess size of stored volumes due to rounding.
const ROUNDING: f64 = 1e-5;

/// A figure of volumes at a tree's nodes; the second argument is the tree's own volumes, for ratios to them.
type FigureBeside = fn(&AtNodes<'_>, &AtNodes<'_>) -> Option<f64>;

const FIGURES_BESIDE: [(&str, FigureBeside); 12] = [
    ("sum of volumes / the tree's", |own, tree| {
        ratio(own.total.tightness.volume_ratio, tree.total.tightness.volume_ratio)
    }),
    ("sum of surface areas / the tree's", |own, tree| {
        ratio(own.total.tightness.area_ratio, tree.total.tightness.area_ratio)
    }),
    ("sum of volumes / hull volume", |own, _| own.total.tightness.volume_ratio),
    ("sum of volumes / mesh volume", |own, _| own.total.tightness.mesh_volume_ratio),
    ("outside volume / mesh volume", |own, _| own.total.outside.map(|outside| outside.value)),
    ("sum of surface areas / mesh area", |own, _| own.total.tightness.area_ratio),
    ("Hausdorff error, mean", |own, _| own.total.hausdorff.mean.map(|error| error.upper)),
    ("volumes for an error of 1%", |own, _| own.hausdorff.and_then(volumes_for_one_percent)),
    ("sibling overlap", |own, _| own.total.tightness.sibling_overlap),
    ("tests of a line (rays)", |own, _| own.total.rays.line_tests.map(|tests| tests.value)),
    ("EPO (rays)", |own, _| own.total.rays.epo.map(|epo| epo.value)),
    ("LCV (rays)", |own, _| own.total.rays.lcv.map(|lcv| lcv.value)),
];

/// The titles of the columns of [`rows_beside`].
pub fn titles_beside() -> Value {
    FIGURES_BESIDE.iter().map(|(title, _)| *title).collect()
}

/// The rows of the HTML report: one for the tree's volumes, then one for each kind of reference volume at its nodes.
/// Empty if no reference volumes were measured.
pub fn rows_beside(tree: &Measured) -> Value {
    let stored = tree.stored();
    let row = |volumes: &AtNodes<'_>| {
        let values = FIGURES_BESIDE.iter().map(|(_, of)| of(volumes, &stored).map_or(Value::Null, rounded));
        json!({"name": volumes.name, "values": values.collect::<Value>()})
    };
    let others: Vec<Value> = tree.others().map(|volumes| row(&volumes)).collect();
    if others.is_empty() { json!([]) } else { std::iter::once(row(&stored)).chain(others).collect() }
}

fn ratio(own: Option<f64>, tree: Option<f64>) -> Option<f64> {
    Some(own? / tree?).filter(|ratio| ratio.is_finite())
}

/// Writes a line per figure, with a column for the tree's volumes and one for each kind of reference volume at its
/// nodes. Writes nothing if no reference volumes were measured.
fn write_beside(out: &mut impl Write, tree: &Measured) -> io::Result<()> {
    let columns: Vec<AtNodes<'_>> = std::iter::once(tree.stored()).chain(tree.others()).collect();
    let [stored, _, ..] = columns.as_slice() else { return Ok(()) };
    let title = format!("at the nodes of the {} tree", tree.kind);
    let width = FIGURES_BESIDE.iter().map(|(title, _)| title.len()).max().unwrap_or(0).max(title.len());
    let names: String = columns.iter().map(|volumes| format!("{:>12}", volumes.name)).collect();
    writeln!(out, "\n{title:width$}{names}")?;
    for (title, of) in FIGURES_BESIDE {
        let values: Vec<Option<f64>> = columns.iter().map(|volumes| of(volumes, stored)).collect();
        if values.iter().any(Option::is_some) {
            let cells: String = values.into_iter().map(|value| format!("{:>12}", number(value))).collect();
            writeln!(out, "{title:width$}{cells}")?;
        }
    }
    Ok(())
}
