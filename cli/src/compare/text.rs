//! The comparison laid out for people: a paragraph per mesh, the least figure of each line starred, and a summary.
//! Where there are several presets, each has tables of its own.

use std::io::{self, Write};
use std::path::Path;

use bvtree::metrics::LevelMetrics;

use super::figures::{FIGURES, STARRED, least};
use super::measure::Measured;
use super::report::{Report, name};
use super::verdict::{QUESTIONS, verdict};
use crate::error::CliError;

/// Written mesh by mesh.
pub struct Text {
    /// How many levels are shown, at most.
    levels: usize,
    /// What the meshes so far say, for the summary.
    verdicts: Vec<(String, [String; QUESTIONS.len()])>,
}

/// Width of a column in the table of levels, which has up to twelve.
const LEVEL_WIDTH: usize = 8;

/// A figure of a level.
type LevelFigure = fn(&LevelMetrics) -> Option<f64>;

/// The columns of a level, one for each kind, in two tables.
const LEVEL_FIGURES: [[(&str, LevelFigure); 4]; 2] = [
    [
        ("volumes / hull", |level| level.tightness.volume_ratio),
        ("areas / mesh", |level| level.tightness.area_ratio),
        ("Hausdorff, mean", |level| level.hausdorff.mean),
        ("sibling overlap", |level| level.tightness.sibling_overlap),
    ],
    [
        ("outside / mesh", |level| level.outside.map(|outside| outside.value)),
        ("SAH cost", |level| level.tightness.sah_cost),
        ("EPO", |level| level.rays.epo),
        ("LCV", |level| level.rays.lcv),
    ],
];

impl Text {
    pub fn new(levels: usize) -> Self {
        Self { levels, verdicts: Vec::new() }
    }

    fn write_mesh(&mut self, path: &Path, trees: &[Measured]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Some(first) = trees.first() else { return Ok(()) };
        if !self.verdicts.is_empty() {
            writeln!(out)?;
        }
        let (queries, hits) = (first.cost.work.queries, first.cost.work.hits);
        writeln!(out, "{}: {} triangles, {queries} poses of which {hits} touch", name(path), first.triangles)?;
        let has_presets = trees.iter().any(|tree| tree.preset_name() != first.preset_name());
        for preset in trees.chunk_by(|a, b| a.preset_name() == b.preset_name()) {
            let title = if has_presets { format!("preset {}", preset[0].preset_name()) } else { String::new() };
            writeln!(out)?;
            write_figures(&mut out, &title, preset, trees)?;
            for figures in &LEVEL_FIGURES {
                write_levels(&mut out, figures, preset, self.levels)?;
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
        self.verdicts.push((name(path), answers));
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

/// A line per figure, a column for each tree of a preset; the star is for the best of all the mesh's trees.
fn write_figures(out: &mut impl Write, title: &str, shown: &[Measured], trees: &[Measured]) -> io::Result<()> {
    let title_width = FIGURES.iter().map(|figure| figure.title.len()).max().unwrap_or(0);
    let kinds: String = shown.iter().map(|tree| format!("{:>11} ", tree.kind.name())).collect();
    writeln!(out, "{title:title_width$}{}", kinds.trim_end())?;
    for (i, figure) in FIGURES.iter().enumerate() {
        let Some(best) = least(trees, figure.of) else { continue };
        let is_starred = i < STARRED && trees.len() > 1;
        let cells = shown.iter().map(|tree| {
            let star = if is_starred && std::ptr::eq(tree, &trees[best]) { '*' } else { ' ' };
            format!("{:>11}{star}", number((figure.of)(tree)))
        });
        writeln!(out, "{:title_width$}{}", figure.title, cells.collect::<String>().trim_end())?;
    }
    Ok(())
}

/// A line per level; for each figure a column per kind.
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
    let titles: String = shown.iter().map(|(title, _)| format!("  {title:>0$}", group.max(title.len()))).collect();
    writeln!(out, "\n     {titles}")?;
    let line = |level: &str, cell: &dyn Fn(usize, LevelFigure) -> String| {
        let cells = shown.iter().map(|(title, of)| {
            let group_cells: String =
                (0..trees.len()).map(|tree| format!("{:>LEVEL_WIDTH$}", cell(tree, *of))).collect();
            format!("  {group_cells:>0$}", group.max(title.len()))
        });
        format!("{level:>5}{}", cells.collect::<String>())
    };
    writeln!(out, "{}", line("level", &|tree, _| trees[tree].kind.to_string()))?;
    for level in 0..deepest {
        let cell = |tree: usize, of: LevelFigure| {
            by_tree[tree].get(level).map_or(String::new(), |figures| number(of(figures)))
        };
        writeln!(out, "{}", line(&level.to_string(), &cell).trim_end())?;
    }
    Ok(())
}

/// Whole numbers as they are, others to three digits or more.
fn number(value: Option<f64>) -> String {
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
