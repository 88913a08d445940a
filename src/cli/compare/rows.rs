//! The comparison as CSV and JSON.

use std::path::Path;

use bvtree::metrics::LevelTightness;
use serde_json::{Map, Value};

use super::measure::Measured;
use super::{Report, name};
use crate::cli::error::CliError;
use crate::cli::output::{Format, Layout, Table};

const MESH_COLUMNS: [&str; 2] = ["mesh", "volume"];
const LEVEL_COLUMNS: [&str; 6] = ["level", "volumes", "volume_ratio", "area_ratio", "sibling_overlap", "sah_cost"];
const TREE_COLUMNS: [&str; 13] = [
    "triangles",
    "nodes",
    "depth",
    "leaf_triangles",
    "leaf_fill",
    "bytes",
    "bytes_per_triangle",
    "build_seconds",
    "queries",
    "hits",
    "volume_tests",
    "triangle_tests",
    "micros_per_query",
];
const CSV_COLUMNS: [&str; 21] = concat(&[&MESH_COLUMNS, &LEVEL_COLUMNS, &TREE_COLUMNS]);
const JSON_COLUMNS: [&str; 17] = concat(&[&MESH_COLUMNS, &TREE_COLUMNS, &["all", "levels"]]);

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

/// A row per mesh, kind and level, and one for all levels; what is of the whole tree stands in that.
pub struct Csv(Table);

impl Csv {
    pub fn new() -> Self {
        Self(Table::new(Format::Csv, &CSV_COLUMNS, Layout::Columns(&[])))
    }
}

impl Report for Csv {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        for tree in measured {
            let no_tree = [const { Value::Null }; TREE_COLUMNS.len()];
            for (level, figures) in tree.tightness.levels.iter().enumerate() {
                self.0.row([&mesh_values(path, tree)[..], &level_values(level.into(), figures), &no_tree].concat())?;
            }
            let all = level_values("all".into(), &tree.tightness.total);
            self.0.row([&mesh_values(path, tree)[..], &all, &tree_values(tree)].concat())?;
        }
        self.0.flush()
    }

    fn finish(self: Box<Self>) -> Result<(), CliError> {
        self.0.finish()
    }
}

/// An object per mesh and kind, with the levels as an array of objects.
pub struct Json(Table);

impl Json {
    pub fn new() -> Self {
        Self(Table::new(Format::Json, &JSON_COLUMNS, Layout::Columns(&[])))
    }
}

impl Report for Json {
    fn mesh(&mut self, path: &Path, measured: &[Measured]) -> Result<(), CliError> {
        for tree in measured {
            let levels = tree.tightness.levels.iter().enumerate();
            let levels: Value = levels.map(|(level, figures)| level_object(level.into(), figures)).collect();
            let nested = [level_object("all".into(), &tree.tightness.total), levels];
            self.0.row([&mesh_values(path, tree)[..], &tree_values(tree), &nested].concat())?;
        }
        self.0.flush()
    }

    fn finish(self: Box<Self>) -> Result<(), CliError> {
        self.0.finish()
    }
}

fn mesh_values(path: &Path, tree: &Measured) -> [Value; MESH_COLUMNS.len()] {
    [name(path).into(), tree.kind.name().into()]
}

fn level_values(level: Value, figures: &LevelTightness) -> [Value; LEVEL_COLUMNS.len()] {
    [
        level,
        figures.volumes.into(),
        figures.volume_ratio.into(),
        figures.area_ratio.into(),
        figures.sibling_overlap.into(),
        figures.sah_cost.into(),
    ]
}

fn level_object(level: Value, figures: &LevelTightness) -> Value {
    let members = LEVEL_COLUMNS.iter().map(|&column| column.to_owned()).zip(level_values(level, figures));
    Value::Object(members.collect::<Map<_, _>>())
}

fn tree_values(tree: &Measured) -> [Value; TREE_COLUMNS.len()] {
    [
        tree.triangles.into(),
        tree.nodes.into(),
        tree.depth.into(),
        tree.tightness.leaf_triangles.into(),
        tree.tightness.leaf_fill.into(),
        tree.bytes.into(),
        tree.bytes_per_triangle().into(),
        tree.build_time.as_secs_f64().into(),
        tree.cost.queries.into(),
        tree.cost.hits.into(),
        tree.cost.volume_tests_per_query().into(),
        tree.cost.triangle_tests_per_query().into(),
        tree.micros_per_query.into(),
    ]
}
