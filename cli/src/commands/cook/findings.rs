//! Unusual input: what a mesh has of it, and the notes on all the meshes of a run.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bvtree::mesh::{MeshReport, Skipped};
use serde_json::{Map, Value};

use crate::output::object;

/// The unusual features of an asset's mesh.
#[derive(Default)]
pub struct Findings {
    /// The parts of the file that were not read.
    pub skipped: Vec<Skipped>,
    /// The mesh's counts; `None` if they were not requested.
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
        let left_out =
            |skipped: &Skipped| format!("left out {} {}, the first at {}", skipped.count, skipped.what, skipped.first);
        let mut notes: Vec<String> = self.skipped.iter().map(left_out).collect();
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

    /// The notes, where `cooked` meshes were cooked. `hint` ends the note with totals.
    pub fn notes(&self, cooked: usize, hint: &str) -> Vec<String> {
        // Assets that are cooked at once finish in any order.
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

/// The occurrences of one finding in several meshes.
struct Total<'a> {
    what: &'a str,
    /// Whether the occurrences were left out, not found in the mesh.
    is_skipped: bool,
    count: u64,
    meshes: usize,
    /// The mesh that has the most, and how many.
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

/// The totals of all findings with counts; what most meshes have comes first.
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
