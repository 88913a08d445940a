//! Oriented boxes, refitted.

use nalgebra::{Matrix3, Point3};

use super::landmarks::Landmarks;
use super::leaf_corners::Corners;
use super::node_cost::box_areas;
use super::options::ObbAxes;
use super::parts::Part;
use super::pass::{AtRest, Below, Pass, Refit8, Told};
use super::points::Points;
use super::positions::Positions;
use crate::numeric::denormals::rounded;
use crate::numeric::insertion_sort::insertion_sort;
use crate::simd::Simd;
use crate::triangle::Triangle;
use crate::volume::fit::{self, LeafBoxes, ObbFit, leaf_boxes};
use crate::volume::{FittedBox, Frame, MAX_FIELDS, PackedObb, PackedVolume, WIDTH, box_parts};

/// Where the axes of a part's box come from.
#[derive(Clone, Debug)]
pub(super) enum AxesAtRest {
    /// They stay these.
    Kept(Matrix3<f32>),
    /// These, in the landmarks' frame.
    Turned(Matrix3<f32>),
    /// The vertices' covariance.
    Refitted,
}

impl AxesAtRest {
    #[inline(always)]
    fn axes<S: Simd>(
        &self,
        s: S,
        landmarks: &Landmarks,
        positions: &Positions<'_>,
        points: Points<'_>,
    ) -> Matrix3<f64> {
        match self {
            Self::Kept(axes) => axes.map(f64::from),
            Self::Turned(axes) => {
                landmarks.frame(s, positions).1.map_or_else(Matrix3::identity, |frame| frame * axes.map(f64::from))
            }
            Self::Refitted => covariance_axes(points),
        }
    }
}

fn at_rest(
    words: &[u32],
    _: &Frame,
    obb_axes: ObbAxes,
    vertices: &mut [u32],
    positions: &Positions<'_>,
) -> (Landmarks, AxesAtRest) {
    let (axes, _, half_extents) = box_parts(words);
    let mut order = [0, 1, 2];
    insertion_sort(&mut order, |&i, &j| half_extents[j].total_cmp(&half_extents[i]));
    let by_length = Matrix3::from_columns(&order.map(|k| axes.column(k).into_owned()));
    let at = |vertex: u32| positions.point(vertex);
    let landmarks = Landmarks::new(vertices, at, &by_length);
    let rest = match (obb_axes, landmarks.frame_at_rest(positions).1) {
        (ObbAxes::Refitted, _) => AxesAtRest::Refitted,
        (ObbAxes::Turned, Some(frame)) => AxesAtRest::Turned(frame.tr_mul(&axes).map(rounded)),
        (ObbAxes::Turned, None) | (ObbAxes::Kept, _) => AxesAtRest::Kept(axes.map(rounded)),
    };
    (landmarks, rest)
}

fn covariance_axes(points: Points<'_>) -> Matrix3<f64> {
    let count = points.iter().len() as f64;
    let mean = points.iter().fold(Point3::origin(), |sum, point| sum + point.coords) / count;
    let add = |sum, point: Point3<f64>| sum + (point - mean) * (point - mean).transpose();
    fit::eigenvectors(&points.iter().fold(Matrix3::zeros(), add))
}

impl Refit8 for PackedObb {
    type Below = ();
    type Rest = AxesAtRest;
    type Scratch = ();
    const SCRATCH: () = ();
    const AT_REST: Option<AtRest<AxesAtRest>> = Some(at_rest);

    #[inline(always)]
    fn node<S: Simd>(s: S, pass: &Pass<'_, Self>, number: usize, words: &mut [u32], _: &[()]) -> Told<()> {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut next, mut parts) = (number + 1, pass.parts.at_node(number).iter());
        let (mut single, mut has_single) = ([false; WIDTH], false);
        let mut corners = Corners::default();
        for (lane, is_single) in single.iter_mut().enumerate().take(children) {
            let is_clean = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => {
                    if corners.put_leaf(pass, lane, first) {
                        (*is_single, has_single) = (true, true);
                        continue;
                    }
                    false
                }
                Below::Node { number } => pass.is_clean(number),
            };
            if let Some(part) = parts.next()
                && !is_clean
            {
                let fit = part_fit(s, pass, part);
                let mut fields = [0; MAX_FIELDS];
                Self::pack(&fit, &mut fields);
                put(words, children, lane, &fields);
            }
        }
        if has_single {
            corners.fill(children);
            singles(pass, words, children, &single, &corners.rows(s));
        }
        Told { below: (), areas: Self::areas(words, children) }
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, 9)
    }
}

#[inline(always)]
fn part_fit<S: Simd>(s: S, pass: &Pass<'_, PackedObb>, part: &Part<AxesAtRest>) -> FittedBox {
    let points = pass.parts.points(part, &pass.positions);
    let axes = part.rest.axes(s, &part.landmarks, &pass.positions, points);
    let axes = FittedBox::stored(&axes);
    FittedBox::along(axes, points.ranges(s, &pass.frame, &axes))
}

/// Puts a volume's words, but for its reference, into a node's.
#[inline(always)]
pub(super) fn put(words: &mut [u32], children: usize, lane: usize, fields: &[u32]) {
    for (row, word) in fields.iter().take(words.len() / children - 1).enumerate() {
        words[row * children + lane] = *word;
    }
}

/// The boxes of single triangles, where a lane has one.
#[inline(always)]
fn singles(
    pass: &Pass<'_, PackedObb>,
    words: &mut [u32],
    children: usize,
    single: &[bool; WIDTH],
    coordinates: &[[f32; WIDTH]; 9],
) {
    let LeafBoxes { rows, fitted } = leaf_boxes::<true>(coordinates, &pass.frame);
    for lane in 0..children {
        if !single[lane] {
            continue;
        }
        if fitted[lane] {
            for (row, words) in rows.iter().take(PackedObb::FIELDS - 1).zip(words.chunks_exact_mut(children)) {
                words[lane] = row[lane];
            }
        } else {
            put(words, children, lane, &line_box(pass, &coordinates.map(|row| row[lane])));
        }
    }
}

/// The box of a triangle that is as good as a line or a point.
#[cold]
fn line_box(pass: &Pass<'_, PackedObb>, coordinates: &[f32; 9]) -> [u32; MAX_FIELDS] {
    let x = coordinates.map(f64::from);
    let vertices = [Point3::new(x[0], x[1], x[2]), Point3::new(x[3], x[4], x[5]), Point3::new(x[6], x[7], x[8])];
    let axes = ObbFit::Tight.fit_triangles(&[Triangle { vertices }]).axes;
    let fit = FittedBox::new(&axes, |axes| {
        let along = vertices.map(|vertex| axes.tr_mul(&pass.frame.to_local(&vertex).coords));
        [along[0].inf(&along[1]).inf(&along[2]).into(), along[0].sup(&along[1]).sup(&along[2]).into()]
    });
    let mut words = [0; MAX_FIELDS];
    PackedObb::pack(&fit, &mut words);
    words
}
