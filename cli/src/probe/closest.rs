//! `bvtree closest`: the mesh's point that is nearest to each given one.

use std::path::PathBuf;

use bvtree::probe::{Containment, winding_number};
use clap::Args;
use nalgebra::Point3;
use serde_json::Value;

use super::asked::Asked;
use crate::error::CliError;
use crate::rows::read_numbers;

/// Ask a mesh for its points nearest to others, and whether those are inside it
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ClosestArgs {
    /// CSV file of points, `-` for stdin: rows of x,y,z
    #[arg(long, value_name = "FILE")]
    points: PathBuf,
    /// Tell of a mesh that is not closed too what is inside: where it winds around a point more than half a time
    #[arg(long)]
    winding: bool,
    #[command(flatten)]
    asked: Asked,
}

const HELP: &str = "\
Example:
  bvtree closest gear.obj --points points.csv

Columns: row, distance, x, y, z, face, inside; x, y, z is the nearest point of
the mesh and face its triangle, counted from 0 in file order. inside is 1 if
the mesh encloses the given point or has it on its surface, exactly, and empty
if the mesh is not closed and the point is not on it. --winding decides those
by the generalised winding number, which says what is inside up to the holes.
With --groups, group comes last.";

const COLUMNS: [&str; 8] = ["row", "distance", "x", "y", "z", "face", "inside", "group"];

pub fn run(args: &ClosestArgs, quiet: bool) -> Result<(), CliError> {
    let points = read_numbers(&args.points, "points", &["x", "y", "z"])?;
    args.asked.answer(&points, &COLUMNS, quiet, |probe, tree, &point| {
        // Points are in the frame of the mesh's source.
        let origin = tree.origin().coords;
        let point = Point3::from(point) - origin;
        let closest = probe.closest_point(tree, &point);
        let mut values = match &closest {
            Some(closest) => {
                let [x, y, z] = (closest.point + origin).into();
                vec![closest.distance.into(), x.into(), y.into(), z.into(), closest.face.into()]
            }
            None => vec![Value::Null; 5],
        };
        values.push(match probe.contains(tree, &point) {
            Containment::Inside | Containment::OnSurface => true.into(),
            Containment::Outside => false.into(),
            Containment::Undefined if args.winding => (winding_number(tree, &point) > 0.5).into(),
            Containment::Undefined => Value::Null,
        });
        (closest.map(|closest| closest.face), values)
    })
}
