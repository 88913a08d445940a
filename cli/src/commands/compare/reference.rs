//! Volumes beside those that a tree stores, as a table in text and in the report.

use std::io;
use std::io::Write;

use serde_json::{Value, json};

use crate::commands::compare::charts::rounded;
use crate::commands::compare::measure::{AtNodes, Measured};
use crate::commands::compare::text::{number, volumes_for_one_percent};

/// A figure of volumes, in relation to those of the tree or not.
type Figure = fn(&AtNodes<'_>, &AtNodes<'_>) -> Option<f64>;

const FIGURES: [(&str, Figure); 12] = [
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

/// The titles of the report's columns.
pub fn titles() -> Value {
    FIGURES.iter().map(|(title, _)| *title).collect()
}

/// The report's rows: the tree's volumes, then the others at its nodes. None if no others were measured.
pub fn rows(tree: &Measured) -> Value {
    let stored = tree.stored();
    let row = |volumes: &AtNodes<'_>| {
        let values = FIGURES.iter().map(|(_, of)| of(volumes, &stored).map_or(Value::Null, rounded));
        json!({"name": volumes.name, "values": values.collect::<Value>()})
    };
    let others: Vec<Value> = tree.others().map(|volumes| row(&volumes)).collect();
    if others.is_empty() { json!([]) } else { std::iter::once(row(&stored)).chain(others).collect() }
}

fn ratio(own: Option<f64>, tree: Option<f64>) -> Option<f64> {
    Some(own? / tree?).filter(|ratio| ratio.is_finite())
}

/// Writes a line per figure: the tree's volumes, then the others at its nodes. Writes nothing if no others were
/// measured.
pub fn write(out: &mut impl Write, tree: &Measured) -> io::Result<()> {
    let columns: Vec<AtNodes<'_>> = std::iter::once(tree.stored()).chain(tree.others()).collect();
    let [stored, _, ..] = columns.as_slice() else { return Ok(()) };
    let title = format!("at the nodes of the {} tree", tree.kind);
    let width = FIGURES.iter().map(|(title, _)| title.len()).max().unwrap_or(0).max(title.len());
    let names: String = columns.iter().map(|volumes| format!("{:>12}", volumes.name)).collect();
    writeln!(out, "\n{title:width$}{names}")?;
    for (title, of) in FIGURES {
        let values: Vec<Option<f64>> = columns.iter().map(|volumes| of(volumes, stored)).collect();
        if values.iter().any(Option::is_some) {
            let cells: String = values.into_iter().map(|value| format!("{:>12}", number(value))).collect();
            writeln!(out, "{title:width$}{cells}")?;
        }
    }
    Ok(())
}
