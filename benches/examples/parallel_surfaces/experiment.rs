//! Two parallel surfaces, and the work of telling that they do not touch.

use std::error::Error;
use std::f64::consts::FRAC_PI_4;
use std::ops::Range;

use bvtree::metrics::{Estimate, log_log_slope};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

/// What was counted with one kind of volume.
pub struct Series {
    pub kind: VolumeKind,
    pub counts: Vec<Count>,
    /// Volume tests grow like `gap^slope`, over the gaps asked for.
    pub slope: Option<Estimate>,
}

/// The work at one gap.
pub struct Count {
    pub gap: f64,
    pub volume_tests: u64,
}

/// Both surfaces are the sixth part of a sphere that a cube's face covers as seen from the centre, of `2 * steps *
/// steps` triangles; B's is larger by each gap in turn. Neither is aligned with its mesh's axes, nor those with each
/// other. The slope is over the gaps that `fit` holds.
pub fn run(steps: u16, gaps: &[f64], fit: Range<f64>) -> Result<Vec<Series>, Box<dyn Error>> {
    let frames = [[0.3, 0.5, 0.7], [-1.1, 0.4, 2.0]];
    let [frame_a, frame_b] = frames.map(|[x, y, z]| Rotation3::from_euler_angles(x, y, z).into_inner());
    let b_to_a = Pose::new(frame_a * frame_b.transpose(), Vector3::zeros())?;
    let a = surface(1.0, steps, &frame_a)?;
    let trees = VolumeKind::ALL
        .map(|kind| BvTree::build(&a, &BuildOptions { kind, max_leaf_triangles: 1, ..BuildOptions::default() }));

    let mut all = Vec::new();
    for (kind, a) in VolumeKind::ALL.into_iter().zip(trees) {
        all.push((a?, Series { kind, counts: Vec::new(), slope: None }));
    }
    let mut query = Query::new();
    for &gap in gaps {
        let b = surface(1.0 + gap, steps, &frame_b)?;
        for (a, series) in &mut all {
            let b = BvTree::build(&b, a.options())?;
            if query.intersects(a, &b, &b_to_a) {
                return Err(format!("the surfaces touch at a gap of {gap}").into());
            }
            series.counts.push(Count { gap, volume_tests: query.stats().volume_tests });
        }
    }
    let fitted = |(_, series): (BvTree, Series)| {
        let counts = series.counts.iter().filter(|count| fit.contains(&count.gap));
        let slope = log_log_slope(counts.map(|count| (count.gap, count.volume_tests as f64)));
        Series { slope, ..series }
    };
    Ok(all.into_iter().map(fitted).collect())
}

/// Length of a triangle's short edges, about.
pub fn edge_length(steps: u16) -> f64 {
    2.0 * FRAC_PI_4 / f64::from(steps)
}

/// A part of the sphere about the origin, turned by the frame's rotation.
fn surface(radius: f64, steps: u16, frame: &Matrix3<f64>) -> Result<Mesh, Box<dyn Error>> {
    let at = |i: u16| ((2.0 * f64::from(i) / f64::from(steps) - 1.0) * FRAC_PI_4).tan();
    let places = (0..=steps).flat_map(|j| (0..=steps).map(move |i| Vector3::new(at(i), at(j), 1.0)));
    let vertices = places.map(|place| Point3::from(frame * place.normalize() * radius).cast::<f32>()).collect();
    let row = u32::from(steps) + 1;
    let corners = (0..row - 1).flat_map(|j| (0..row - 1).map(move |i| j * row + i));
    let triangles = corners.flat_map(|at| [[at, at + 1, at + row + 1], [at, at + row + 1, at + row]]).collect();
    Ok(Mesh::from_arrays(vertices, triangles)?)
}
