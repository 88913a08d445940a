//! The comparison laid out for people: a paragraph per mesh, the least figure of each line starred, and a summary.

use std::io::{self, Write};
use std::path::Path;

use bvtree::metrics::LevelTightness;

use super::measure::Measured;
use super::{Report, name};
use crate::cli::error::CliError;

/// Written mesh by mesh.
pub struct Text {
    /// How many levels are shown, at most.
    levels: usize,
    /// What the meshes so far say, for the summary.
    verdicts: Vec<(String, [String; QUESTIONS.len()])>,
}

/// A figure of a tree, the less the better.
struct Figure {
    title: &'static str,
    of: fn(&Measured) -> Option<f64>,
}

const fn figure(title: &'static str, of: fn(&Measured) -> Option<f64>) -> Figure {
    Figure { title, of }
}

const FIGURES: [Figure; 12] = [
    figure("sum of volumes / hull volume", |tree| tree.tightness.total.volume_ratio),
    figure("sum of surface areas / mesh area", |tree| tree.tightness.total.area_ratio),
    figure("sibling overlap", |tree| tree.tightness.total.sibling_overlap),
    figure("SAH cost", |tree| tree.tightness.total.sah_cost),
    figure("volume tests per query", |tree| tree.cost.volume_tests_per_query()),
    figure("triangle tests per query", |tree| tree.cost.triangle_tests_per_query()),
    figure("microseconds per query", |tree| tree.micros_per_query),
    figure("build seconds", |tree| Some(tree.build_time.as_secs_f64())),
    figure("bytes per triangle", |tree| Some(tree.bytes_per_triangle())),
    figure("nodes", |tree| Some(tree.nodes as f64)),
    figure("depth", |tree| Some(f64::from(tree.depth))),
    figure("triangles per leaf", |tree| tree.tightness.leaf_triangles),
];

/// Figures that say nothing about which tree is better are not starred.
const STARRED: usize = 9;

/// What the summary tells of each mesh: the kind with the least figure.
const QUESTIONS: [Figure; 5] = [
    figure("tightest", tightness),
    figure("least area", |tree| tree.tightness.total.area_ratio),
    figure("fewest volume tests", |tree| tree.cost.volume_tests_per_query()),
    figure("fewest triangle tests", |tree| tree.cost.triangle_tests_per_query()),
    figure("fastest query", |tree| tree.micros_per_query),
];

/// By volume; by area where the mesh has no hull volume.
fn tightness(tree: &Measured) -> Option<f64> {
    tree.tightness.total.volume_ratio.or(tree.tightness.total.area_ratio)
}

/// Width of a column in the table of levels, which has up to twelve.
const LEVEL_WIDTH: usize = 8;

/// A figure of a level.
type LevelFigure = fn(&LevelTightness) -> Option<f64>;

/// The columns of a level, one for each kind.
const LEVEL_FIGURES: [(&str, LevelFigure); 4] = [
    ("volumes / hull", |level| level.volume_ratio),
    ("areas / mesh", |level| level.area_ratio),
    ("sibling overlap", |level| level.sibling_overlap),
    ("SAH cost", |level| level.sah_cost),
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
        let (queries, hits) = (first.cost.queries, first.cost.hits);
        writeln!(out, "{}: {} triangles, {queries} poses of which {hits} touch", name(path), first.triangles)?;
        writeln!(out)?;
        write_figures(&mut out, trees)?;
        write_levels(&mut out, trees, self.levels)?;
        let answers =
            QUESTIONS.map(|question| least(trees, question.of).map_or("-".into(), |i| trees[i].kind.to_string()));
        if trees.len() > 1 {
            writeln!(out, "\n{}", verdict(trees, &answers))?;
        }
        self.verdicts.push((name(path), answers));
        out.flush()
    }

    fn write_summary(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let titles = QUESTIONS.map(|question| question.title.to_owned());
        let width = self.verdicts.iter().map(|(mesh, _)| mesh.chars().count()).max().unwrap_or(0).max("mesh".len());
        let line = |mesh: &str, cells: &[String]| {
            let cells: Vec<_> =
                QUESTIONS.iter().zip(cells).map(|(q, cell)| format!("{cell:<0$}", q.title.len())).collect();
            format!("{mesh:<width$}  {}", cells.join("  ")).trim_end().to_owned()
        };
        writeln!(out, "\nLeast of the kinds, by mesh\n\n{}", line("mesh", &titles))?;
        for (mesh, answers) in &self.verdicts {
            writeln!(out, "{}", line(mesh, answers))?;
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

/// A line per figure, a column per kind.
fn write_figures(out: &mut impl Write, trees: &[Measured]) -> io::Result<()> {
    let title_width = FIGURES.iter().map(|figure| figure.title.len()).max().unwrap_or(0);
    let kinds: String = trees.iter().map(|tree| format!("{:>11} ", tree.kind.name())).collect();
    writeln!(out, "{:title_width$}{}", "", kinds.trim_end())?;
    for (i, figure) in FIGURES.iter().enumerate() {
        let best = least(trees, figure.of).filter(|_| i < STARRED && trees.len() > 1);
        let cells = trees.iter().enumerate().map(|(tree, measured)| {
            let star = if best == Some(tree) { '*' } else { ' ' };
            format!("{:>11}{star}", number((figure.of)(measured)))
        });
        writeln!(out, "{:title_width$}{}", figure.title, cells.collect::<String>().trim_end())?;
    }
    Ok(())
}

/// A line per level; for each figure a column per kind.
fn write_levels(out: &mut impl Write, trees: &[Measured], levels: usize) -> io::Result<()> {
    let deepest = trees.iter().map(|tree| tree.tightness.levels.len()).max().unwrap_or(0);
    if deepest.min(levels) == 0 {
        return Ok(());
    }
    let shown: Vec<_> = LEVEL_FIGURES
        .iter()
        .filter(|(_, of)| trees.iter().any(|tree| tree.tightness.levels.iter().any(|level| of(level).is_some())))
        .collect();
    let group = LEVEL_WIDTH * trees.len();
    let titles: String = shown.iter().map(|(title, _)| format!("  {title:>0$}", group.max(title.len()))).collect();
    writeln!(out, "\n     {titles}")?;
    let line = |level: &str, cell: &dyn Fn(&Measured, LevelFigure) -> String| {
        let cells = shown.iter().map(|(title, of)| {
            let group_cells: String = trees.iter().map(|tree| format!("{:>LEVEL_WIDTH$}", cell(tree, *of))).collect();
            format!("  {group_cells:>0$}", group.max(title.len()))
        });
        format!("{level:>5}{}", cells.collect::<String>())
    };
    writeln!(out, "{}", line("level", &|tree, _| tree.kind.to_string()))?;
    for level in 0..deepest.min(levels) {
        let cell = |tree: &Measured, of: LevelFigure| {
            tree.tightness.levels.get(level).map_or(String::new(), |figures| number(of(figures)))
        };
        writeln!(out, "{}", line(&level.to_string(), &cell).trim_end())?;
    }
    Ok(())
}

/// Which kind is tightest, which needs the fewest tests, which is fastest.
fn verdict(trees: &[Measured], answers: &[String; QUESTIONS.len()]) -> String {
    let [tightest, _, volume_tests, _, fastest] = answers;
    let by = if trees.iter().any(|tree| tree.tightness.total.volume_ratio.is_some()) { "volume" } else { "area" };
    // The total is mostly the upper levels'.
    let below = match tightest_below(trees) {
        Some((kind, level)) if kind != *tightest => format!(" in all, {kind} from level {level} on"),
        _ => String::new(),
    };
    let mut parts = vec![format!("Tightest by {by}: {tightest}{below}.")];
    if trees.iter().any(|tree| tree.cost.queries > 0) {
        parts.push(format!("Fewest volume tests: {volume_tests}."));
        parts.push(format!("Fastest here: {fastest}."));
    }
    parts.join(" ")
}

/// The kind that is tightest at the last level that all trees have, and the level from which on it is.
fn tightest_below(trees: &[Measured]) -> Option<(String, usize)> {
    let levels = trees.iter().map(|tree| tree.tightness.levels.len()).min()?;
    let tightest_at = |level: usize| {
        let at_level =
            |tree: &Measured| tree.tightness.levels.get(level).and_then(|cut| cut.volume_ratio.or(cut.area_ratio));
        least(trees, at_level)
    };
    let last = tightest_at(levels.checked_sub(1)?)?;
    let first = (0..levels).rev().take_while(|&level| tightest_at(level) == Some(last)).last()?;
    Some((trees[last].kind.to_string(), first))
}

/// The tree with the least figure, the first of several.
fn least(trees: &[Measured], of: impl Fn(&Measured) -> Option<f64>) -> Option<usize> {
    let figures = trees.iter().enumerate().filter_map(|(i, tree)| of(tree).map(|figure| (i, figure)));
    figures.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(i, _)| i)
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
