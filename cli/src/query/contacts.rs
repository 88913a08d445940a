//! `--mode contacts`: where triangles intersect, a row per pair.

use bvtree::query::FacePair;
use bvtree::triangle::Triangle;
use bvtree::{Mesh, Pose};
use nalgebra::Vector3;
use serde_json::Value;

use super::answer::{Answer, GROUPS, joined, stable_and, stable_values};
use super::question::{Question, Report};
use crate::error::CliError;
use crate::output::{Layout, Table};

/// Normals of A's and B's triangle and, three numbers per point, the points; in A's frame.
const COLUMNS: [&str; 15] = stable_and(["face_a", "face_b", "nax", "nay", "naz", "nbx", "nby", "nbz", "points"]);
const WITH_GROUPS: [&str; 17] = joined(COLUMNS, GROUPS);

/// Rows sorted by faces, pose after pose. Pairs are collected, eight bytes each; where they intersect is found when its
/// row is written, for there may be many millions. Returns at how many poses there is contact.
pub fn run(question: &Question, report: &Report) -> Result<usize, CliError> {
    let mesh =
        |tree: &bvtree::BvTree| tree.to_mesh().map_err(|error| CliError::caused("cannot read triangles", &error));
    let (a, b) = (mesh(question.a)?, mesh(question.b)?);
    let columns: &[_] = if question.options.groups { &WITH_GROUPS } else { &COLUMNS };
    let mut table = Table::new(report.format, columns, Layout::Columns(columns));
    let mut progress = report.progress(question.poses.rows.len());
    let mut query = question.asker().query;
    let mut hits = 0;
    for (number, row) in question.poses.rows.iter().enumerate() {
        let pairs = query.intersecting_pairs(question.a, question.b, &row.pose);
        hits += usize::from(!pairs.is_empty());
        let answer = Answer { hit: true, pairs: Some(pairs.len() as u64), ..Answer::default() };
        let stable = stable_values(number, question.label(row), &answer);
        for pair in pairs {
            let groups = question.groups(&Answer::groups_of(question.a, question.b, pair));
            table.row([stable.clone(), contact(&a, &b, &row.pose, pair), groups].concat())?;
        }
        progress.advance(1, "");
        table.flush()?;
    }
    drop(progress);
    table.finish()?;
    Ok(hits)
}

/// The faces, their normals, and the points that they have in common, in the frame of A's source.
fn contact(a: &Mesh, b: &Mesh, b_to_a: &Pose, FacePair { face_a, face_b }: FacePair) -> Vec<Value> {
    let posed = b.triangles()[face_b as usize].map(|corner| b_to_a.transform(&b.vertices()[corner as usize]));
    let triangles = [a.triangle(face_a), Triangle { vertices: posed }];
    let points = triangles[0].intersection(&triangles[1]);
    let points: Vec<f64> = points.iter().flat_map(|point| <[f64; 3]>::from(point + a.origin().coords)).collect();
    let normals = triangles.map(|triangle| unit_normal(&triangle));
    let normals = normals.iter().flat_map(|normal| normal.iter().map(|&x| x.into()));
    [face_a.into(), face_b.into()].into_iter().chain(normals).chain([points.into()]).collect()
}

/// Zero for a triangle without area.
fn unit_normal(triangle: &Triangle) -> Vector3<f64> {
    triangle.scaled_normal().try_normalize(0.0).unwrap_or_default()
}
