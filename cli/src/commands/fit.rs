//! `bvtree fit`: fits a single volume to whole meshes, with every method.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::mesh::ReadOptions;
use bvtree::triangle::Triangle;
use bvtree::{Mesh, fit};
use clap::Args;
use nalgebra::Point3;
use serde_json::Value;

use crate::error::CliError;
use crate::input;
use crate::input::InputKind;
use crate::output::{Format, Layout, Progress, Table};

/// Fit a single volume to each mesh with every available method
///
/// Fits the axis-aligned box, and oriented boxes and spheres by every method, to all triangles of each mesh (OBJ, STL,
/// PLY, OFF or glTF), and prints their sizes and the time of each fit.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FitArgs {
    /// Mesh files
    #[arg(required = true, value_name = "MESH")]
    meshes: Vec<PathBuf>,
    /// Output format of the rows
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bvtree fit gear.obj
  bvtree fit data/*.obj --format csv

Columns: mesh, fit, volume, surface_area, radius, seconds. Volume, area and radius are in the mesh's unit; boxes have
no radius. Vertices that no triangle uses are not fitted.";

const COLUMNS: [&str; 6] = ["mesh", "fit", "volume", "surface_area", "radius", "seconds"];

pub fn run(args: &FitArgs, quiet: bool) -> Result<(), CliError> {
    let mut table = Table::new(args.format, &COLUMNS, Layout::Columns(&COLUMNS));
    let mut progress = Progress::new(args.meshes.len(), quiet, args.format);
    let mut any_failed = false;
    for path in &args.meshes {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        progress.advance(0, &name);
        match progress.suspend(|| load(path)) {
            Ok(mesh) => rows(&mesh, &name).into_iter().try_for_each(|row| table.row(row))?,
            Err(error) => {
                progress.suspend(|| error.report_and_go_on())?;
                any_failed = true;
            }
        }
        progress.advance(1, &name);
        progress.suspend(|| table.flush())?;
    }
    drop(progress);
    table.finish()?;
    if any_failed { Err(CliError::Reported) } else { Ok(()) }
}

fn load(path: &Path) -> Result<Mesh, CliError> {
    if InputKind::of(path)? == InputKind::Cooked {
        let message = format!("{} is a cooked tree: fit takes meshes", path.display());
        return Err(CliError::new(message).hint("give the mesh that it was cooked from"));
    }
    input::load_mesh(path, &ReadOptions::default())
}

/// A row for each fit.
fn rows(mesh: &Mesh, name: &str) -> Vec<Vec<Value>> {
    let triangles: Vec<Triangle> = (0..mesh.triangles().len()).map(|face| mesh.triangle(face as u32)).collect();
    let points = used_points(mesh);
    let row = |fit: String, [volume, area]: [f64; 2], radius: Option<f64>, time: Duration| {
        let seconds = time.as_secs_f64();
        vec![name.into(), fit.into(), volume.into(), area.into(), radius.into(), seconds.into()]
    };
    let (aabb, time) = timed(|| fit::aabb(&points));
    let mut rows = vec![row("aabb".into(), [aabb.volume(), aabb.surface_area()], None, time)];
    for fit in ObbFit::ALL {
        let (obb, time) = timed(|| match fit {
            // These fits weigh triangles, not points.
            ObbFit::SurfaceCovariance | ObbFit::Tight | ObbFit::TightVolume => fit.fit_triangles(&triangles),
            _ => fit.fit(&points),
        });
        rows.push(row(format!("obb-{fit}"), [obb.volume(), obb.surface_area()], None, time));
    }
    for fit in SphereFit::ALL {
        let (sphere, time) = timed(|| fit.fit(&points));
        let sizes = [sphere.volume(), sphere.surface_area()];
        rows.push(row(format!("sphere-{fit}"), sizes, Some(sphere.radius), time));
    }
    rows
}

/// The vertices that triangles use, each once.
fn used_points(mesh: &Mesh) -> Vec<Point3<f64>> {
    let mut is_used = vec![false; mesh.vertices().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        is_used[vertex as usize] = true;
    }
    let used = mesh.vertices().iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(vertex, _)| vertex.cast()).collect()
}

fn timed<T>(fit: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let fitted = fit();
    (fitted, began.elapsed())
}
