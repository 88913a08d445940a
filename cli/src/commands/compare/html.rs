//! The comparison as a self-contained HTML page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bvtree::{BvTree, Mesh, Preset};
use serde_json::{Value, json};

use crate::args::Up;
use crate::atomic_write;
use crate::commands::compare::advice::Advice;
use crate::commands::compare::charts::{CHARTS, Chart, FIGURES, rounded};
use crate::commands::compare::measure::Measured;
use crate::commands::compare::name;
use crate::commands::compare::provenance::{Provenance, digest, options};
use crate::commands::compare::text::{rows_beside, titles_beside};
use crate::error::CliError;
use crate::output::object;
use crate::page::REPORT;
use crate::page::scene::{Limits, Part, palette, scene};

/// The approximate number of triangles in all meshes of a page together, limited to keep the page small; [`VOLUMES`]
/// limits the volumes.
const TRIANGLES: usize = 180_000;
const VOLUMES: usize = 90_000;
/// The smallest limit on the triangles of a mesh; a mesh with fewer would not be recognizable.
const TRIANGLES_MIN: usize = 1_000;
const VOLUMES_MIN: usize = 80;
/// The largest limit on the triangles of a mesh; more would make no visible difference.
const TRIANGLES_MAX: usize = 60_000;
const VOLUMES_MAX: usize = 5_000;

/// The HTML report, collected in memory and written to its file when all meshes are done.
pub struct Html {
    path: PathBuf,
    up: Up,
    limits: Limits,
    /// The mesh that is being measured, with its trees so far.
    part: Option<Part>,
    meshes: Vec<Value>,
    queries: u64,
    trees: usize,
    /// The program, the machine and the time of the run.
    provenance: Provenance,
    seed: u64,
    samples: usize,
    digests: Vec<String>,
}

impl Html {
    /// Starts a page of `meshes` meshes with `trees` trees each.
    pub fn new(path: &Path, up: Up, (seed, samples): (u64, usize), meshes: usize, trees: usize) -> Self {
        let limits = Limits {
            triangles: (TRIANGLES / meshes.max(1)).clamp(TRIANGLES_MIN, TRIANGLES_MAX),
            volumes: (VOLUMES / (meshes * trees).max(1)).clamp(VOLUMES_MIN, VOLUMES_MAX),
            highlighted: 0,
            owners: false,
        };
        Self {
            path: path.to_owned(),
            up,
            limits,
            part: None,
            meshes: Vec::new(),
            queries: 0,
            trees: 0,
            provenance: Provenance::now(),
            seed,
            samples,
            digests: Vec::new(),
        }
    }

    /// Adds a tree to the 3D view while it is in memory.
    pub fn tree(&mut self, path: &Path, mesh: &Mesh, tree: &BvTree, preset: Option<Preset>) {
        let limits = self.limits;
        let part = self.part.get_or_insert_with(|| Part::new(&name(path), mesh, limits));
        part.add_tree(tree, preset.map_or(Measured::CUSTOM, Preset::name));
    }

    /// Adds the measurements of the mesh whose trees were added.
    pub fn mesh(&mut self, path: &Path, measured: &[Measured]) {
        let Some(part) = self.part.take() else { return };
        let first = measured.first();
        self.queries = self.queries.max(first.map_or(0, |tree| tree.cost.work.queries));
        let separations = first.iter().flat_map(|tree| &tree.by_separation);
        let separations = separations.map(|at| at.separation.map_or(at.label.clone(), separation));
        self.trees += measured.len();
        self.digests.extend(first.map(|tree| format!("{}: {}", path.display(), digest(tree))));
        let advice = Advice::of(measured);
        let used = advice.tree.map(|tree| json!({"kind": tree.kind.name(), "preset": tree.preset_name()}));
        self.meshes.push(json!({
            "name": self.unique(&name(path)),
            "separations": separations.collect::<Value>(),
            "triangles": first.map_or(0, |tree| tree.triangles),
            "verdict": {"use": used, "because": advice.because, "otherwise": advice.otherwise},
            "rows": measured.iter().map(row).collect::<Value>(),
            "scene": scene(vec![part], self.up),
        }));
    }

    /// Drops a mesh that could not be measured.
    pub fn skip(&mut self) {
        self.part = None;
    }

    /// A name that no other mesh of the page has: files in different folders may share one.
    fn unique(&self, name: &str) -> String {
        let is_taken = |name: &str| self.meshes.iter().any(|mesh| mesh["name"] == name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// Writes the page and returns its size in bytes; `None` if no mesh was measured.
    pub fn finish(self) -> Result<Option<usize>, CliError> {
        if self.meshes.is_empty() {
            return Ok(None);
        }
        let title = match self.meshes.as_slice() {
            [mesh] => format!("Trees of {} compared", mesh["name"].as_str().unwrap_or_default()),
            meshes => format!("Trees of {} meshes compared", meshes.len()),
        };
        let html = REPORT.html(&title, &self.data(&title));
        atomic_write::write(&self.path, "the report", html.as_bytes())?;
        Ok(Some(html.len()))
    }

    /// The presets of all trees, as text.
    fn presets(&self) -> String {
        let rows = self.meshes.iter().flat_map(|mesh| mesh["rows"].as_array()).flatten();
        let mut names: Vec<&str> = rows.filter_map(|row| row["preset"].as_str()).collect();
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        match names.as_slice() {
            [Measured::CUSTOM] => "custom build options".into(),
            [one] => format!("the preset {one}"),
            names => format!("the presets {}", names.join(", ")),
        }
    }

    fn data(&self, title: &str) -> Value {
        let columns = FIGURES.iter().map(|figure| {
            json!({"key": figure.key, "title": figure.title, "hint": figure.meaning, "less": figure.less_is_better})
        });
        let digests = format!("XXH3-128 of the triangles. {}.", self.digests.join("; "));
        let source = self.provenance.sentence(self.seed, self.samples);
        let provenance = [json!(["Measured by", source]), json!(["Meshes", digests])];
        let notes = FIGURES.iter().map(|figure| json!([figure.title, figure.meaning])).chain(provenance);
        let queries = match self.queries {
            0 => "No queries were measured.".to_owned(),
            queries => format!(
                "Query figures are means over up to {queries} poses of each mesh against a copy of itself (the same \
                 poses for every tree), finding all pairs of touching triangles, on one thread of this machine."
            ),
        };
        json!({
            "title": title,
            "setup": format!("{} trees, built with {}. {queries}", self.trees, self.presets()),
            "palette": palette(),
            "columns": columns.collect::<Value>(),
            "charts": CHARTS.iter().map(Chart::json).collect::<Value>(),
            "notes": notes.collect::<Value>(),
            "provenance": source,
            "besideTitles": titles_beside(),
            "meshes": self.meshes,
            "footer": concat!(
                "Written by bvtree ",
                env!("CARGO_PKG_VERSION"),
                ". This file asks nothing of any network."
            ),
        })
    }
}

/// A tree's figures for the table, and its points for the charts.
fn row(tree: &Measured) -> Value {
    let values: Value = FIGURES.iter().map(|figure| (figure.of)(tree).map_or(Value::Null, rounded)).collect();
    let series = object(CHARTS.iter().map(|chart| (chart.id, chart.points(tree))));
    json!({
        "kind": tree.kind.name(),
        "preset": tree.preset_name(),
        "values": values,
        "series": series,
        "beside": rows_beside(tree),
        "options": options(tree),
        "digest": digest(tree),
    })
}

/// The text for a signed distance relative to the diagonal, such as `5% apart` or `2% in`.
fn separation(distance: f64) -> String {
    let percent = (distance.abs() * 1e4).round() / 1e2;
    format!("{percent}% {}", if distance < 0.0 { "in" } else { "apart" })
}
