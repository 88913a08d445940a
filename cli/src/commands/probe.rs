//! `bvtree ray` and `bvtree closest`: query one tree with the rays or points of a file, and write a row for each.

use std::path::{Path, PathBuf};

use bvtree::probe::{Containment, Ray, winding_number};
use bvtree::{BvTree, Probe};
use clap::Args;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;
use serde_json::Value;

use crate::args::AnswerArgs;
use crate::args::GroupNames;
use crate::csv_tables::{for_each_row, read_numbers};
use crate::error::CliError;
use crate::input::TreeArgs;
use crate::output::{Layout, Progress, Table};

/// The mesh, and how answers about it are computed and written.
#[derive(Debug, Args)]
struct MeshArgs {
    /// Cooked tree (.bvt), or mesh (OBJ, STL, PLY, OFF or glTF), for which a tree is built in memory
    mesh: PathBuf,
    /// Add a last column, group: the group (object, node) or material of each triangle
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    groups: Option<GroupNames>,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    trees: TreeArgs,
}

/// The number of rays or points between two updates of the progress bar.
const BLOCK: usize = 1 << 14;

impl MeshArgs {
    /// Answers all queries on all threads and writes a row for each, in order. `ask` returns the triangle, if any, and
    /// the row's values. The last of `columns` is `group`, which is left out if groups are not requested.
    fn answer<Q: Sync>(
        &self,
        questions: &[Q],
        columns: &'static [&'static str],
        quiet: bool,
        ask: impl Fn(&mut Probe, &BvTree, &Q) -> (Option<u32>, Vec<Value>) + Sync,
    ) -> Result<(), CliError> {
        let columns = if self.groups.is_some() { columns } else { &columns[..columns.len() - 1] };
        let simd = self.answers.simd()?;
        let tree = self.trees.open(&self.mesh)?;
        GroupNames::check(self.groups, [&tree])?;
        let format = self.answers.format();
        let mut table = Table::new(format, columns, Layout::Columns(columns));
        let mut progress = Progress::new(questions.len(), quiet, format);
        let mut row = 0_usize;
        for block in questions.chunks(BLOCK) {
            let ask = |probe: &mut Probe, question| ask(probe, &tree, question);
            let answers: Vec<_> = block.par_iter().map_init(|| Probe::with_simd(simd), ask).collect();
            for (face, answer) in answers {
                let group = self.groups.map(|names| face.and_then(|face| names.of(&tree, face)).into());
                table.row([vec![row.into()], answer, group.into_iter().collect()].concat())?;
                row += 1;
            }
            table.flush()?;
            progress.advance(block.len(), "");
        }
        drop(progress);
        table.finish()
    }
}

/// Find the first triangle that each ray hits
///
/// Whether a ray hits a triangle is decided exactly: no ray slips through an edge or vertex that triangles share.
#[derive(Debug, Args)]
#[command(after_help = RAY_HELP)]
pub struct RayArgs {
    /// CSV file of rays, `-` for stdin: rows of ox,oy,oz,dx,dy,dz, an origin and a direction of any nonzero length
    #[arg(long, value_name = "FILE")]
    rays: PathBuf,
    /// Ignore hits after this time, in multiples of the length of each ray's direction [default: no limit]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = max_time, default_value = "inf",
        hide_default_value = true)]
    max_time: f64,
    #[command(flatten)]
    mesh: MeshArgs,
}

const RAY_HELP: &str = "\
Example:
  bvtree ray gear.obj --rays rays.csv

Columns: row, hit, time, face. The hit is at origin + time * direction, with a
time of 0 or more; the direction is used as given, not normalized. A face is the
index of a triangle in its mesh, counted from 0 in file order. time and face are
empty where there is no hit. With --groups, group comes last.";

const RAY_COLUMNS: [&str; 5] = ["row", "hit", "time", "face", "group"];

pub fn run_ray(args: &RayArgs, quiet: bool) -> Result<(), CliError> {
    let rays = read_rays(&args.rays)?;
    args.mesh.answer(&rays, &RAY_COLUMNS, quiet, |probe, tree, ray| {
        // Rays are in the frame of the mesh's source file.
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
            let message = format!("{}: the direction is 0,0,0", row.place());
            return Err(CliError::new(message).hint("fields 4 to 6 are the direction, of any length but zero"));
        }
        rays.push(ray);
        Ok(())
    })?;
    Ok(rays)
}

fn max_time(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|time| *time >= 0.0).ok_or_else(|| "expected a time from 0 on".into())
}

/// Find the point of a mesh closest to each given point, and whether the given point is inside the mesh
#[derive(Debug, Args)]
#[command(after_help = CLOSEST_HELP)]
pub struct ClosestArgs {
    /// CSV file of points, `-` for stdin: rows of x,y,z
    #[arg(long, value_name = "FILE")]
    points: PathBuf,
    /// Also decide which points are inside a mesh that is not closed: those with a winding number above 1/2
    #[arg(long)]
    winding: bool,
    #[command(flatten)]
    mesh: MeshArgs,
}

const CLOSEST_HELP: &str = "\
Example:
  bvtree closest gear.obj --points points.csv

Columns: row, distance, x, y, z, face, inside. x, y, z is the closest point of
the mesh and face its triangle, counted from 0 in file order. inside is 1 if
the given point is inside the mesh or on its surface, decided exactly. It is
empty if the mesh is not closed and the point is not on it; with --winding the
generalized winding number decides then, as if the holes were filled.
With --groups, group comes last.";

const CLOSEST_COLUMNS: [&str; 8] = ["row", "distance", "x", "y", "z", "face", "inside", "group"];

pub fn run_closest(args: &ClosestArgs, quiet: bool) -> Result<(), CliError> {
    let points = read_numbers(&args.points, "points", &["x", "y", "z"])?;
    args.mesh.answer(&points, &CLOSEST_COLUMNS, quiet, |probe, tree, &point| {
        // Points are in the frame of the mesh's source file.
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
