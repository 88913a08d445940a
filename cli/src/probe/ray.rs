//! `bvtree ray`: the first triangle that each ray meets.

use std::path::{Path, PathBuf};

use bvtree::probe::Ray;
use clap::Args;
use nalgebra::Vector3;
use serde_json::Value;

use super::asked::Asked;
use crate::error::CliError;
use crate::rows::for_each_row;

/// Ask a mesh where rays meet it first
///
/// Whether a ray meets a triangle is decided exactly: none slips through an edge or vertex that triangles share.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RayArgs {
    /// CSV file of rays, `-` for stdin: rows of ox,oy,oz,dx,dy,dz, an origin and a direction of any length but zero
    #[arg(long, value_name = "FILE")]
    rays: PathBuf,
    /// Hits after this time don't count [default: no limit]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = max_time, default_value = "inf", hide_default_value = true)]
    max_time: f64,
    #[command(flatten)]
    asked: Asked,
}

const HELP: &str = "\
Example:
  bvtree ray gear.obj --rays rays.csv

Columns: row, hit, time, face; time is in units of the ray's direction, a face
is a triangle's index in its mesh, counted from 0 in file order. Both are empty
where there is no hit. With --groups, group comes last.";

const COLUMNS: [&str; 5] = ["row", "hit", "time", "face", "group"];

pub fn run(args: &RayArgs, quiet: bool) -> Result<(), CliError> {
    let rays = read_rays(&args.rays)?;
    args.asked.answer(&rays, &COLUMNS, quiet, |probe, tree, ray| {
        // Rays are in the frame of the mesh's source.
        let ray = Ray { origin: ray.origin - tree.origin().coords, ..*ray };
        match probe.closest_hit(tree, &ray, args.max_time) {
            Some(hit) => (Some(hit.face), vec![true.into(), hit.time.into(), hit.face.into()]),
            None => (None, vec![false.into(), Value::Null, Value::Null]),
        }
    })
}

fn read_rays(path: &Path) -> Result<Vec<Ray>, CliError> {
    let mut rays = Vec::new();
    for_each_row(path, "rays", &["ox", "oy", "oz", "dx", "dy", "dz"], |row| {
        let [ox, oy, oz, dx, dy, dz] = row.numbers(0)?;
        let ray = Ray { origin: [ox, oy, oz].into(), direction: [dx, dy, dz].into() };
        if ray.direction == Vector3::zeros() {
            let message = format!("{}: the direction 0,0,0 leads nowhere", row.place());
            return Err(CliError::new(message).hint("fields 4 to 6 are a direction, of any length but zero"));
        }
        rays.push(ray);
        Ok(())
    })?;
    Ok(rays)
}

fn max_time(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|time| *time >= 0.0).ok_or_else(|| "expected a time from 0 on".into())
}
