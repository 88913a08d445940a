//! The comparison as CSV and JSON.

use std::path::Path;

use bvtree::metrics::{CurvePoint, Estimate, LevelMetrics, NoSlope};
use serde_json::Value;

use crate::commands::compare::measure::{AtNodes, Cost, Measured};
use crate::commands::compare::provenance::{self, Provenance};
use crate::commands::compare::{Report, name};
use crate::error::CliError;
use crate::output::{Format, Layout, Table};

/// `nodes_of` is the kind of the tree at whose nodes the volumes are. It differs from `volume`, the volumes' kind, only
/// for volumes that the tree does not store.
const NAME_COLUMNS: [&str; 5] = ["mesh", "path", "volume", "nodes_of", "preset"];
/// The columns that identify what a CSV row is about; exactly one of them has a value.
const SUBJECT_COLUMNS: [&str; 3] = ["level", "error", "label"];
const LEVEL_COLUMNS: [&str; 24] = [
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
    "hausdorff_cut_short",
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
const COST_COLUMNS: [&str; 15] = [
    "queries",
    "hits",
    "volume_tests",
    "volume_tests_standard_error",
    "volume_tests_ratio",
    "volume_tests_ratio_standard_error",
    "triangle_tests",
    "triangle_tests_standard_error",
    "triangle_tests_ratio",
    "triangle_tests_ratio_standard_error",
    "micros_per_query",
    "micros_per_query_lower",
    "micros_per_query_upper",
    "micros_ratio",
    "micros_ratio_standard_error",
];
const TREE_COLUMNS: [&str; 17] = [
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
    "error_slope_missing",
    "volume_test_nanos",
    "triangle_test_nanos",
    "mesh_area",
    "mesh_diameter",
    "hull_volume",
    "mesh_volume",
];
const CSV_COLUMNS: [&str; 73] =
    concat(&[&NAME_COLUMNS, &SUBJECT_COLUMNS, &LEVEL_COLUMNS, &COST_COLUMNS, &TREE_COLUMNS, &provenance::COLUMNS]);
const JSON_COLUMNS: [&str; 51] = concat(&[
    &NAME_COLUMNS,
    &COST_COLUMNS,
    &TREE_COLUMNS,
    &provenance::COLUMNS,
    &["all", "levels", "errors", "separations", "beside"],
]);

/// The JSON keys of the reference volumes measured at a tree's nodes.
const BESIDE_COLUMNS: [&str; 7] =
    ["volume", "error_slope", "error_slope_standard_error", "error_slope_missing", "all", "levels", "errors"];

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

    /// Writes the rows of one kind of volume at a tree's nodes. The rows of the volumes that the tree stores include
    /// the costs of queries.
    fn volumes(&mut self, path: &Path, tree: &Measured, volumes: &AtNodes<'_>) -> Result<(), CliError> {
        let names = name_values(path, tree, volumes);
        let no_figures = [const { Value::Null }; LEVEL_COLUMNS.len()];
        let no_cost = [const { Value::Null }; COST_COLUMNS.len()];
        let no_tree = [const { Value::Null }; TREE_COLUMNS.len() + provenance::COLUMNS.len()];
        let of_tree = [&tree_values(tree, volumes)[..], &self.provenance.values(tree)].concat();
        let mut row = |subject: [Value; 3], figures: &[Value], cost: &[Value], of_tree: &[Value]| {
            self.table.row([&names[..], &subject, figures, cost, of_tree].concat())
        };
        for (level, figures) in volumes.levels.iter().enumerate() {
            row([level.into(), Value::Null, Value::Null], &level_values(figures), &no_cost, &no_tree)?;
        }
        for point in curve(volumes) {
            let mut figures = no_figures.clone();
            (figures[0], figures[1]) = (point.nodes.into(), point.nodes_lower.into());
            row([Value::Null, point.error.into(), Value::Null], &figures, &no_cost, &no_tree)?;
        }
        let by_separation = if volumes.is_stored { tree.by_separation.as_slice() } else { &[] };
        for at in by_separation {
            let label = at.label.as_str().into();
            row([Value::Null, Value::Null, label], &no_figures, &cost_values(&at.cost), &no_tree)?;
        }
        let cost = if volumes.is_stored { cost_values(&tree.cost) } else { no_cost };
        row(["all".into(), Value::Null, Value::Null], &level_values(&volumes.total), &cost, &of_tree)
    }
}

impl Report for Csv {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        for tree in measured {
            self.volumes(path, tree, &tree.stored())?;
            tree.others().try_for_each(|volumes| self.volumes(path, tree, &volumes))?;
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
            let stored = tree.stored();
            let separations: Value = tree
                .by_separation
                .iter()
                .map(|at| {
                    let values = [at.label.as_str().into(), at.separation.into()].into_iter();
                    object(["label", "separation"].iter().chain(&COST_COLUMNS), values.chain(cost_values(&at.cost)))
                })
                .collect();
            let [all, levels, errors] = nested_values(&stored);
            let beside = tree.others().map(|volumes| {
                let values = [volumes.name.into()].into_iter().chain(slope_values(&volumes));
                object(BESIDE_COLUMNS.iter(), values.chain(nested_values(&volumes)))
            });
            let nested = [all, levels, errors, separations, beside.collect()];
            let (names, cost) = (name_values(path, tree, &stored), cost_values(&tree.cost));
            let provenance = self.provenance.values(tree);
            self.table.row([&names[..], &cost, &tree_values(tree, &stored), &provenance, &nested].concat())?;
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

/// The values of `all`, `levels` and `errors`.
fn nested_values(volumes: &AtNodes<'_>) -> [Value; 3] {
    let level = |level: Value, figures: &LevelMetrics| {
        object(["level"].iter().chain(&LEVEL_COLUMNS), [level].into_iter().chain(level_values(figures)))
    };
    let levels = volumes.levels.iter().enumerate().map(|(index, figures)| level(index.into(), figures)).collect();
    [level("all".into(), &volumes.total), levels, curve(volumes).iter().map(error_object).collect()]
}

fn curve<'a>(volumes: &AtNodes<'a>) -> &'a [CurvePoint] {
    volumes.hausdorff.map_or(&[], |hausdorff| &hausdorff.curve)
}

/// The slope of the errors, its standard error, and the reason if there is no slope.
fn slope_values(volumes: &AtNodes<'_>) -> [Value; 3] {
    let slope = volumes.hausdorff.map(|hausdorff| hausdorff.slope);
    let known = slope.and_then(Result::ok);
    [value(known), standard_error(known), slope.and_then(Result::err).map(NoSlope::name).into()]
}

fn name_values(path: &Path, tree: &Measured, volumes: &AtNodes<'_>) -> [Value; NAME_COLUMNS.len()] {
    let path_as_given = path.to_string_lossy().into_owned();
    let [kind, nodes_of] = [volumes.name, tree.kind.name()];
    [name(path).into(), path_as_given.into(), kind.into(), nodes_of.into(), tree.preset_name().into()]
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
        hausdorff.mean.map(|_| hausdorff.cut_short).into(),
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
    let [volumes, triangles] = cost.tests;
    let [volume_ratio, triangle_ratio, time_ratio] = cost.to_first;
    [
        cost.work.queries.into(),
        cost.work.hits.into(),
        cost.work.volume_tests_per_query().into(),
        standard_error(volumes),
        value(volume_ratio),
        standard_error(volume_ratio),
        cost.work.triangle_tests_per_query().into(),
        standard_error(triangles),
        value(triangle_ratio),
        standard_error(triangle_ratio),
        cost.micros_per_query.into(),
        cost.micros_range.map(|[lower, _]| lower).into(),
        cost.micros_range.map(|[_, upper]| upper).into(),
        value(time_ratio),
        standard_error(time_ratio),
    ]
}

/// The values of a tree's columns; those that apply to stored volumes only are empty for others.
fn tree_values(tree: &Measured, volumes: &AtNodes<'_>) -> [Value; TREE_COLUMNS.len()] {
    let nanos = |seconds: f64| seconds * 1e9;
    let stored = |value: Value| if volumes.is_stored { value } else { Value::Null };
    let [slope, slope_error, no_slope] = slope_values(volumes);
    [
        tree.triangles.into(),
        tree.nodes.into(),
        tree.depth.into(),
        tree.metrics.tightness.leaf_triangles.into(),
        tree.metrics.tightness.leaf_fill.into(),
        stored(tree.bytes.into()),
        stored(tree.bytes_per_triangle().into()),
        stored(tree.build_time.as_secs_f64().into()),
        slope,
        slope_error,
        no_slope,
        stored(tree.cost_terms.map(|terms| nanos(terms.volume_test)).into()),
        stored(tree.cost_terms.map(|terms| nanos(terms.triangle_test)).into()),
        tree.facts.area.into(),
        tree.facts.diameter.into(),
        tree.facts.hull_volume.into(),
        tree.facts.mesh_volume.into(),
    ]
}
