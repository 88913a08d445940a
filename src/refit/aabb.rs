//! Axis-aligned boxes, refitted.
//!
//! All is done in the frame's coordinates, to which each vertex is brought once. Of a small subtree first the boxes of
//! all triangles are made, then nodes are packed from the last to the first: no step of either asks what a volume
//! holds.

use super::local_vertices::NEGLIGIBLE;
use super::node_cost::box_areas;
use super::pass::{AtRest, Below, Pass, Refit8, Sweep, Told};
use super::plan::{BLOCK, WideNode, unmarked};
use crate::simd::Simd;
use crate::volume::{PackedAabb, WIDTH};

/// What rounding to f32 may add to a half extent, in the frame's unit: 4e-8 of an end, and as
/// much each for the centre, the difference of both and this sum.
const ROUNDING: f32 = 2.5e-7;

/// Least coordinates in the frame, negated so that a maximum joins both ends, and greatest ones; the fourth numbers
/// count for nothing.
pub(super) type LocalBox = [[f32; 4]; 2];

impl Refit8 for PackedAabb {
    type Below = LocalBox;
    type Rest = ();
    /// The boxes of a small subtree's volumes.
    type Scratch = [LocalBox; BLOCK];
    const AT_REST: Option<AtRest<()>> = None;
    const SCRATCH: Self::Scratch = [[[0.0; 4]; 2]; BLOCK];

    #[inline(always)]
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[LocalBox],
    ) -> Told<LocalBox> {
        let node = &pass.plan.nodes[number];
        let children = node.children as usize;
        let (mut boxes, mut next) = ([LocalBox::default(); WIDTH], number + 1);
        for (lane, bounds) in boxes.iter_mut().enumerate().take(children) {
            *bounds = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => leaf_box(s, pass, first),
                Below::Node { number: child } => below[child - number - 1],
            };
        }
        packed(s, &boxes[..children], words)
    }

    #[inline(always)]
    fn subtree<S: Simd>(s: S, pass: &Pass<'_, Self>, sweep: &mut Sweep<'_, LocalBox>, boxes: &mut Self::Scratch) {
        let top = &pass.plan.nodes[sweep.nodes.start];
        triangle_boxes(s, pass, top, boxes);
        for number in sweep.nodes.clone().rev() {
            let node = &pass.plan.nodes[number];
            let first = (node.first - top.first) as usize;
            let told = packed(s, &boxes[first..first + node.children as usize], sweep.words::<Self>(node));
            if number > sweep.nodes.start {
                boxes[(node.volume - top.first) as usize] = told.below;
            }
            sweep.note(s, pass, number, told);
        }
    }

    #[inline(always)]
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH] {
        box_areas(words, children, 3)
    }
}

/// The box of a triangle.
#[inline(always)]
fn triangle_box<S: Simd>(s: S, pass: &Pass<'_, PackedAabb>, corners: [usize; 3]) -> S::F32x8 {
    let signs = s.load_halves(&[-1.0; 4], &[1.0; 4]);
    let vertices = pass.local_vertices;
    let [a, b, c] = [vertices.get(corners[0]), vertices.get(corners[1]), vertices.get(corners[2])];
    let [a, b, c] = [s.load_halves(a, a), s.load_halves(b, b), s.load_halves(c, c)];
    s.max(s.max(s.mul(a, signs), s.mul(b, signs)), s.mul(c, signs))
}

#[inline(always)]
fn load<S: Simd>(s: S, [lower, upper]: &LocalBox) -> S::F32x8 {
    s.load_halves(lower, upper)
}

#[inline(always)]
fn stored<S: Simd>(s: S, bounds: S::F32x8) -> LocalBox {
    let [a, b, c, d, e, f, g, h] = s.to_array(bounds);
    [[a, b, c, d], [e, f, g, h]]
}

/// The box of a leaf's triangles.
#[inline(always)]
fn leaf_box<S: Simd>(s: S, pass: &Pass<'_, PackedAabb>, first: usize) -> LocalBox {
    let (corners, mut is_last) = unmarked(pass.corners[first]);
    let (mut bounds, mut triangle) = (triangle_box(s, pass, corners), first);
    while !is_last {
        triangle += 1;
        let corners;
        (corners, is_last) = unmarked(pass.corners[triangle]);
        bounds = s.max(bounds, triangle_box(s, pass, corners));
    }
    stored(s, bounds)
}

/// Puts the boxes of all leaves below a node where its volumes are counted from.
#[inline(always)]
fn triangle_boxes<S: Simd>(s: S, pass: &Pass<'_, PackedAabb>, top: &WideNode, boxes: &mut [LocalBox; BLOCK]) {
    let triangles = top.triangles.start as usize..top.triangles.end as usize;
    let mut is_first = true;
    for (corners, leaf) in pass.corners[triangles.clone()].iter().zip(&pass.plan.leaves[triangles]) {
        let (corners, is_last) = unmarked(*corners);
        let mut bounds = triangle_box(s, pass, corners);
        let leaf = &mut boxes[(leaf - top.first) as usize];
        if !is_first {
            bounds = s.max(bounds, load(s, leaf));
        }
        *leaf = stored(s, bounds);
        is_first = is_last;
    }
}

/// Packs the boxes of a node.
#[inline(always)]
fn packed<S: Simd>(s: S, boxes: &[LocalBox], words: &mut [u32]) -> Told<LocalBox> {
    let last = boxes.len() - 1;
    let zeros = [s.splat(0.0); 4];
    // Rows of a box of the first four and one of the others. Past the children it is the last one again.
    let (mut lower, mut upper, mut around) = (zeros, zeros, load(s, &boxes[0]));
    for i in 0..4 {
        let (one, other) = (&boxes[i.min(last)], &boxes[(4 + i).min(last)]);
        lower[i] = s.load_halves(&one[0], &other[0]);
        upper[i] = s.load_halves(&one[1], &other[1]);
        around = s.max(around, s.max(load(s, one), load(s, other)));
    }
    let (lower, upper) = (s.transposed(&lower), s.transposed(&upper));
    let mut rows = [s.splat(0.0); 6];
    for x in 0..3 {
        let center = s.mul(s.sub(upper[x], lower[x]), s.splat(0.5));
        let is_normal = s.gt(s.abs(center), s.splat(NEGLIGIBLE));
        let center = s.select(is_normal, center, s.splat(0.0));
        let reach = s.max(s.sub(upper[x], center), s.add(center, lower[x]));
        (rows[x], rows[3 + x]) = (center, s.add(reach, s.splat(ROUNDING)));
    }
    s.store_rows(&rows, words, boxes.len());
    let [.., x, y, z] = rows;
    let areas = s.add(s.mul(x, s.add(y, z)), s.mul(y, z));
    Told { below: stored(s, around), areas: s.to_array(areas) }
}
