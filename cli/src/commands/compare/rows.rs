//! The comparison as CSV and JSON.

use std::path::Path;

use bvtree::metrics::{CurvePoint, Estimate, LevelMetrics};
use serde_json::Value;

use crate::commands::compare::measure::{Cost, Measured};
use crate::commands::compare::provenance::{self, Provenance};
use crate::commands::compare::{Report, name};
use crate::error::CliError;
use crate::output::{Format, Layout, Table};

const NAME_COLUMNS: [&str; 4] = ["mesh", "path", "volume", "preset"];
/// The columns that identify what a CSV row is about; one of them has a value.
const SUBJECT_COLUMNS: [&str; 3] = ["level", "error", "label"];
const LEVEL_COLUMNS: [&str; 23] = [
    "volumes",
    "volumes_lower",
    "volume_ratio",
    "mesh_volume_ratio",
    "outside_ratio",
    "outside_standard_error",
    "area_ratio",
    "hausdorff_max",
    "hausdorff_max_lower",
    "hausdorff_mean",
    "hausdorff_mean_lower",
    "sibling_overlap",
    "sah_cost",
    "line_tests",
    "line_tests_standard_error",
    "epo",
    "epo_standard_error",
    "epo_reached",
    "epo_reached_standard_error",
    "lcv",
    "lcv_standard_error",
    "lcv_reached",
    "lcv_reached_standard_error",
];
const COST_COLUMNS: [&str; 7] = [
    "queries",
    "hits",
    "volume_tests",
    "triangle_tests",
    "micros_per_query",
    "micros_per_query_lower",
    "micros_per_query_upper",
];
const TREE_COLUMNS: [&str; 16] = [
    "triangles",
    "nodes",
    "depth",
    "leaf_triangles",
    "leaf_fill",
    "bytes",
    "bytes_per_triangle",
    "build_seconds",
    "error_slope",
    "error_slope_standard_error",
    "volume_test_nanos",
    "triangle_test_nanos",
    "mesh_area",
    "mesh_diameter",
    "hull_volume",
    "mesh_volume",
];
const CSV_COLUMNS: [&str; 61] =
    concat(&[&NAME_COLUMNS, &SUBJECT_COLUMNS, &LEVEL_COLUMNS, &COST_COLUMNS, &TREE_COLUMNS, &provenance::COLUMNS]);
const JSON_COLUMNS: [&str; 39] = concat(&[
    &NAME_COLUMNS,
    &COST_COLUMNS,
    &TREE_COLUMNS,
    &provenance::COLUMNS,
    &["all", "levels", "errors", "separations"],
]);

const fn concat<const N: usize>(parts: &[&[&'static str]]) -> [&'static str; N] {
    let mut columns = [""; N];
    let (mut part, mut at, mut place) = (0, 0, 0);
    while part < parts.len() {
        while at < parts[part].len() {
            columns[place] = parts[part][at];
            at += 1;
            place += 1;
        }
        part += 1;
        at = 0;
    }
    columns
}

/// A CSV writer: each tree has a row per level, one per error of the curve, one per separation, and one for all volumes
/// and poses, which also holds the figures of the whole tree.
pub struct Csv {
    table: Table,
    provenance: Provenance,
}

impl Csv {
    /// Starts a table in one of the CSV formats.
    pub fn new(format: Format) -> Self {
        Self { table: Table::new(format, &CSV_COLUMNS, Layout::Columns(&[])), provenance: Provenance::now() }
    }

    fn tree(&mut self, path: &Path, tree: &Measured) -> Result<(), CliError> {
        let names = name_values(path, tree);
        let no_figures = [const { Value::Null }; LEVEL_COLUMNS.len()];
        let no_cost = [const { Value::Null }; COST_COLUMNS.len()];
        let no_tree = [const { Value::Null }; TREE_COLUMNS.len() + provenance::COLUMNS.len()];
        let of_tree = [&tree_values(tree)[..], &self.provenance.values(tree)].concat();
        let mut row = |subject: [Value; 3], figures: &[Value], cost: &[Value], of_tree: &[Value]| {
            self.table.row([&names[..], &subject, figures, cost, of_tree].concat())
        };
        for (level, figures) in tree.metrics.levels().enumerate() {
            row([level.into(), Value::Null, Value::Null], &level_values(&figures), &no_cost, &no_tree)?;
        }
        for point in &tree.metrics.hausdorff.curve {
            let mut figures = no_figures.clone();
            (figures[0], figures[1]) = (point.nodes.into(), point.nodes_lower.into());
            row([Value::Null, point.error.into(), Value::Null], &figures, &no_cost, &no_tree)?;
        }
        for at in &tree.by_separation {
            let label = at.label.as_str().into();
            row([Value::Null, Value::Null, label], &no_figures, &cost_values(&at.cost), &no_tree)?;
        }
        let all = level_values(&tree.total());
        row(["all".into(), Value::Null, Value::Null], &all, &cost_values(&tree.cost), &of_tree)
    }
}

impl Report for Csv {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        for tree in measured {
            self.tree(path, tree)?;
        }
        self.table.flush()
    }

    fn finish(self: Box<Self>) -> Result<(), CliError> {
        self.table.finish()
    }
}

/// A JSON writer: an object per tree, with its levels, errors and separations as arrays of objects.
pub struct Json {
    table: Table,
    provenance: Provenance,
}

impl Json {
    pub fn new() -> Self {
        Self { table: Table::new(Format::Json, &JSON_COLUMNS, Layout::Columns(&[])), provenance: Provenance::now() }
    }
}

impl Report for Json {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        for tree in measured {
            let level = |level: Value, figures: &LevelMetrics| {
                object(["level"].iter().chain(&LEVEL_COLUMNS), [level].into_iter().chain(level_values(figures)))
            };
            let levels: Value =
                tree.metrics.levels().enumerate().map(|(index, figures)| level(index.into(), &figures)).collect();
            let errors: Value = tree.metrics.hausdorff.curve.iter().map(error_object).collect();
            let separations: Value = tree
                .by_separation
                .iter()
                .map(|at| {
                    let values = [at.label.as_str().into(), at.separation.into()].into_iter();
                    object(["label", "separation"].iter().chain(&COST_COLUMNS), values.chain(cost_values(&at.cost)))
                })
                .collect();
            let nested = [level("all".into(), &tree.total()), levels, errors, separations];
            let (names, cost) = (name_values(path, tree), cost_values(&tree.cost));
            let provenance = self.provenance.values(tree);
            self.table.row([&names[..], &cost, &tree_values(tree), &provenance, &nested].concat())?;
        }
        self.table.flush()
    }

    fn finish(self: Box<Self>) -> Result<(), CliError> {
        self.table.finish()
    }
}

fn object<'a>(keys: impl Iterator<Item = &'a &'static str>, values: impl Iterator<Item = Value>) -> Value {
    crate::output::object(keys.copied().zip(values)).into()
}

fn error_object(point: &CurvePoint) -> Value {
    let values = [point.error.into(), point.nodes.into(), point.nodes_lower.into()];
    object(["error", "volumes", "volumes_lower"].iter(), values.into_iter())
}

fn name_values(path: &Path, tree: &Measured) -> [Value; NAME_COLUMNS.len()] {
    let path_as_given = path.to_string_lossy().into_owned();
    [name(path).into(), path_as_given.into(), tree.kind.name().into(), tree.preset_name().into()]
}

fn level_values(figures: &LevelMetrics) -> [Value; LEVEL_COLUMNS.len()] {
    let LevelMetrics { tightness, outside, hausdorff, rays, .. } = figures;
    [
        tightness.volumes.into(),
        tightness.volumes.into(),
        tightness.volume_ratio.into(),
        tightness.mesh_volume_ratio.into(),
        value(*outside),
        standard_error(*outside),
        tightness.area_ratio.into(),
        hausdorff.max.map(|error| error.upper).into(),
        hausdorff.max.map(|error| error.lower).into(),
        hausdorff.mean.map(|error| error.upper).into(),
        hausdorff.mean.map(|error| error.lower).into(),
        tightness.sibling_overlap.into(),
        tightness.sah_cost.into(),
        value(rays.line_tests),
        standard_error(rays.line_tests),
        value(rays.epo),
        standard_error(rays.epo),
        value(rays.epo_reached),
        standard_error(rays.epo_reached),
        value(rays.lcv),
        standard_error(rays.lcv),
        value(rays.lcv_reached),
        standard_error(rays.lcv_reached),
    ]
}

fn value(estimate: Option<Estimate>) -> Value {
    estimate.map(|estimate| estimate.value).into()
}

fn standard_error(estimate: Option<Estimate>) -> Value {
    estimate.map(|estimate| estimate.standard_error).into()
}

fn cost_values(cost: &Cost) -> [Value; COST_COLUMNS.len()] {
    [
        cost.work.queries.into(),
        cost.work.hits.into(),
        cost.work.volume_tests_per_query().into(),
        cost.work.triangle_tests_per_query().into(),
        cost.micros_per_query.into(),
        cost.micros_range.map(|[lower, _]| lower).into(),
        cost.micros_range.map(|[_, upper]| upper).into(),
    ]
}

fn tree_values(tree: &Measured) -> [Value; TREE_COLUMNS.len()] {
    let nanos = |seconds: f64| seconds * 1e9;
    [
        tree.triangles.into(),
        tree.nodes.into(),
        tree.depth.into(),
        tree.metrics.tightness.leaf_triangles.into(),
        tree.metrics.tightness.leaf_fill.into(),
        tree.bytes.into(),
        tree.bytes_per_triangle().into(),
        tree.build_time.as_secs_f64().into(),
        value(tree.metrics.hausdorff.slope),
        standard_error(tree.metrics.hausdorff.slope),
        tree.cost_terms.map(|terms| nanos(terms.volume_test)).into(),
        tree.cost_terms.map(|terms| nanos(terms.triangle_test)).into(),
        tree.facts.area.into(),
        tree.facts.diameter.into(),
        tree.facts.hull_volume.into(),
        tree.facts.mesh_volume.into(),
    ]
}
