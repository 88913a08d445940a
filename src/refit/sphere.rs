//! Spheres, refitted.

use nalgebra::{Matrix3, Point3, Vector3};

use super::landmarks::Landmarks;
use super::obb::put;
use super::options::ObbAxes;
use super::parts::Part;
use super::pass::{AtRest, Below, Box32, NO_BOX, Pass, Refit8, joined};
use super::plan::unmarked;
use crate::fit;
use crate::packed::{BallFit, Frame, Sphere8, Volume8, WIDTH};
use crate::simd::Simd;

/// Where the centre of a part's ball stood.
#[derive(Clone, Debug)]
pub(super) struct CenterAtRest {
    /// Seen from the middle of the landmarks, in their frame.
    offset: Vector3<f64>,
}

fn at_rest(
    words: &[u32],
    frame: &Frame,
    _: ObbAxes,
    vertices: &mut [u32],
    coordinates: &[&[f32]; 3],
) -> (Landmarks, CenterAtRest) {
    let center = frame.to_mesh(&Point3::from([0, 1, 2].map(|x| f64::from(f32::from_bits(words[x])))));
    let at = |vertex: u32| Point3::from([0, 1, 2].map(|k| f64::from(coordinates[k][vertex as usize])));
    let points: Vec<_> = vertices.iter().map(|&vertex| at(vertex)).collect();
    // The greatest spread comes first.
    let axes = fit::eigenvectors(&fit::covariance(&points, &fit::mean(&points)));
    let landmarks = Landmarks::new(vertices, at, &axes);
    let (middle, axes) = landmarks.frame(coordinates);
    let offset = axes.unwrap_or_else(Matrix3::identity).tr_mul(&(center - middle));
    (landmarks, CenterAtRest { offset })
}

impl Refit8 for Sphere8 {
    type Below = Box32;
    type Rest = CenterAtRest;
    const AT_REST: Option<AtRest<CenterAtRest>> = Some(at_rest);

    #[inline(always)]
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[Box32],
    ) -> (Box32, [u32; WIDTH]) {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut next, mut parts) = (number + 1, pass.parts.from_node(number).iter());
        let (mut all, mut tests) = (NO_BOX, [0; WIDTH]);
        for lane in 0..children {
            let (bounds, fit);
            (bounds, tests[lane], fit) = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => {
                    let (bounds, triangles) = pass.leaf_box(first);
                    let part = if triangles == 1 { None } else { parts.next() };
                    (
                        bounds,
                        triangles,
                        Some(part.map_or_else(|| single(pass, first), |part| about(s, pass, part, &bounds))),
                    )
                }
                Below::Node { number: child, children } => {
                    let bounds = below[child - number - 1];
                    let part = parts.next().filter(|_| !pass.is_clean(child));
                    (bounds, children, part.map(|part| about(s, pass, part, &bounds)))
                }
            };
            all = joined(&all, &bounds);
            if let Some(fit) = fit {
                let mut fields = [0; 16];
                Self::pack(&fit, &mut fields);
                put(words, children, lane, &fields);
            }
        }
        (all, tests)
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f64; WIDTH] {
        let mut areas = [0.0; WIDTH];
        for (area, &radius) in areas.iter_mut().zip(&words[3 * children..4 * children]) {
            *area = f64::from(f32::from_bits(radius)).powi(2);
        }
        areas
    }
}

/// About the centre that turned with the landmarks, or about the middle of the vertices' box.
#[inline(always)]
fn about<S: Simd>(s: S, pass: &Pass<'_, Sphere8>, part: &Part<CenterAtRest>, bounds: &Box32) -> BallFit {
    let (middle, frame) = part.landmarks.frame(&pass.coordinates);
    let turned = middle + frame.unwrap_or_else(Matrix3::identity) * part.rest.offset;
    let [lower, upper] = bounds.map(|end| Point3::from(end).map(f64::from));
    let centers = [turned, nalgebra::center(&lower, &upper)].map(|center| pass.frame.to_local(&center));
    let points = pass.parts.points(part, &pass.coordinates);
    BallFit::new(centers, |centers| points.farthest_sq(s, &pass.frame, centers))
}

/// The smallest ball around one triangle.
#[inline(always)]
fn single(pass: &Pass<'_, Sphere8>, place: usize) -> BallFit {
    let (corners, _) = unmarked(pass.corners[place]);
    let corners = corners.map(|vertex| pass.vertices[vertex].map(f64::from));
    let center = pass.frame.to_local(&fit::triangle_ball_center(&corners));
    let local = corners.map(|corner| pass.frame.to_local(&corner));
    BallFit::new([center], |[center]| {
        let [a, b, c] = local.map(|corner| (corner - center).norm_squared());
        [a.max(b).max(c)]
    })
}
