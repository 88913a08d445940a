//! The fit of one node's volume to its triangles.

use nalgebra::{Matrix3, Point3, Vector3};
use smallvec::SmallVec;

use super::items::Item;
use super::options::BuildOptions;
use super::split;
use crate::fit::{self, ObbFit, SphereFit};
use crate::packed::{Aabb8, Frame, Obb8, Sphere8, Volume8};
use crate::triangle::Triangle;

/// Above this many triangles, fits that need not see every point see the extremes along a few directions.
const SEE_ALL: usize = 16;

/// A kind of volume that can be fitted to a node's triangles.
pub(super) trait Fitted: Volume8 {
    /// `items` hold mesh coordinates; the fit is in the frame's.
    fn fit(items: &[Item], options: &BuildOptions, frame: &Frame) -> Self::Fit;
}

impl Fitted for Aabb8 {
    fn fit(_: &[Item], _: &BuildOptions, _: &Frame) {}
}

impl Fitted for Obb8 {
    fn fit(items: &[Item], options: &BuildOptions, _: &Frame) -> Matrix3<f64> {
        match options.obb_fit {
            ObbFit::VertexCovariance => split::covariance_axes(items),
            ObbFit::AxisAligned => Matrix3::identity(),
            ObbFit::Tight => tight_axes(items),
            other => {
                let triangles: Vec<_> = items.iter().map(|item| Triangle { vertices: item.points() }).collect();
                other.fit_triangles(&triangles).axes
            }
        }
    }
}

impl Fitted for Sphere8 {
    fn fit(items: &[Item], options: &BuildOptions, frame: &Frame) -> Point3<f64> {
        let center = match options.sphere_fit {
            SphereFit::SmallestBall => smallest_ball_center(items),
            other => other.fit(&points(items).collect::<SmallVec<[_; 24]>>()).center,
        };
        frame.to_local(&center)
    }
}

fn points(items: &[Item]) -> impl Iterator<Item = Point3<f64>> + Clone + '_ {
    items.iter().flat_map(Item::points)
}

fn tight_axes(items: &[Item]) -> Matrix3<f64> {
    if let [item] = items
        && let Some(axes) = fit::triangle_axes(&item.points())
    {
        return axes;
    }
    let normal: Vector3<f64> = items.iter().map(|item| Triangle { vertices: item.points() }.scaled_normal()).sum();
    fit::tight_axes(&seen_points(items), &split::covariance_axes(items), &normal)
}

/// The exact smallest ball's: of a few points, joined by the point farthest outside until there is none (the pivot
/// rule of Gärtner 1999, "Fast and robust smallest enclosing balls").
fn smallest_ball_center(items: &[Item]) -> Point3<f64> {
    let mut seen = seen_points(items);
    loop {
        let ball = fit::smallest_ball(&seen).sphere;
        let distance_sq = |point: &Point3<f64>| (point - ball.center).norm_squared();
        let farthest = points(items).max_by(|p, q| distance_sq(p).total_cmp(&distance_sq(q)));
        match farthest {
            Some(point) if distance_sq(&point).sqrt() > ball.radius * (1.0 + 1e-12) && !seen.contains(&point) => {
                seen.push(point);
            }
            _ => return ball.center,
        }
    }
}

/// All points of few triangles; of many, the extremes along 13 directions.
fn seen_points(items: &[Item]) -> SmallVec<[Point3<f64>; 48]> {
    if items.len() <= SEE_ALL {
        return points(items).collect();
    }
    const NONE: (f64, [f32; 3]) = (f64::NEG_INFINITY, [0.0; 3]);
    let mut extremes = [NONE; 26];
    for corner in items.iter().flat_map(|item| item.corners) {
        let [x, y, z] = corner.map(f64::from);
        let along = [x, y, z, x + y, x - y, x + z, x - z, y + z, y - z, x + y + z, x + y - z, x - y + z, x - y - z];
        for (ends, along) in extremes.chunks_exact_mut(2).zip(along) {
            if along > ends[0].0 {
                ends[0] = (along, corner);
            }
            if -along > ends[1].0 {
                ends[1] = (-along, corner);
            }
        }
    }
    extremes.iter().map(|(_, corner)| Point3::from(corner.map(f64::from))).collect()
}
