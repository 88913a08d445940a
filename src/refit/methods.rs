//! The two ways to refit a node: from the bounds of the volumes below, or from all vertices below.

use super::pass::{AtRest, Below, NodeRange, Pass, RefitMethod, Refitted};
use super::topology::{BLOCK, WideNode, unmarked};
use crate::simd::Simd;
use crate::volume::{
    FitFromBelow, FitFromVertices, FromBelow, FromVertices, LaneCorners, MAX_FIELDS, MovedPart, PartBox, WIDTH, put,
};

impl<V: FitFromBelow> RefitMethod for FromBelow<V> {
    type Volume = V;
    type Below = V::Bounds;
    type AtRest = ();
    /// The bounds of a small subtree's volumes.
    type Scratch = [V::Bounds; BLOCK];
    const AT_REST: Option<AtRest<()>> = None;
    const UNSET: V::Bounds = V::UNSET;
    const SCRATCH: Self::Scratch = [V::UNSET; BLOCK];

    #[inline(always)]
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[V::Bounds],
    ) -> Refitted<V::Bounds> {
        let node = &pass.topology.nodes[number];
        let children = node.children as usize;
        let (mut bounds, mut next) = ([V::UNSET; WIDTH], number + 1);
        for (lane, bounds) in bounds.iter_mut().enumerate().take(children) {
            *bounds = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => leaf_bounds(s, pass, first),
                Below::Node { number: child } => below[child - number - 1],
            };
        }
        let (below, areas) = V::pack_bounds(s, &bounds[..children], words);
        Refitted { below, areas }
    }

    /// Computes the bounds of all leaves first, then packs the nodes, so that neither step branches on the content of a
    /// volume.
    #[inline(always)]
    fn subtree<S: Simd>(s: S, pass: &Pass<'_, Self>, nodes: &mut NodeRange<'_, V::Bounds>, bounds: &mut Self::Scratch) {
        let top = &pass.topology.nodes[nodes.numbers.start];
        all_leaf_bounds(s, pass, top, bounds);
        for number in nodes.numbers.clone().rev() {
            let node = &pass.topology.nodes[number];
            let first = (node.first - top.first) as usize;
            let (below, areas) =
                V::pack_bounds(s, &bounds[first..first + node.children as usize], nodes.words::<Self>(node));
            if number > nodes.numbers.start {
                bounds[(node.volume - top.first) as usize] = below;
            }
            nodes.note(s, pass, number, Refitted { below, areas });
        }
    }
}

#[inline(always)]
fn triangle<S: Simd, V: FitFromBelow>(s: S, pass: &Pass<'_, FromBelow<V>>, corners: [usize; 3]) -> V::Registers<S> {
    let vertices = pass.local_vertices;
    V::triangle(s, [vertices.get(corners[0]), vertices.get(corners[1]), vertices.get(corners[2])])
}

#[inline(always)]
fn leaf_bounds<S: Simd, V: FitFromBelow>(s: S, pass: &Pass<'_, FromBelow<V>>, first: usize) -> V::Bounds {
    let (corners, mut is_last) = unmarked(pass.corners[first]);
    let (mut bounds, mut index) = (triangle(s, pass, corners), first);
    while !is_last {
        index += 1;
        let corners;
        (corners, is_last) = unmarked(pass.corners[index]);
        bounds = V::join(s, bounds, triangle(s, pass, corners));
    }
    V::store(s, bounds)
}

/// Writes the bounds of all leaves below a node, each at its volume's index less the index of the node's first volume.
#[inline(always)]
fn all_leaf_bounds<S: Simd, V: FitFromBelow>(
    s: S,
    pass: &Pass<'_, FromBelow<V>>,
    top: &WideNode,
    all: &mut [V::Bounds; BLOCK],
) {
    let triangles = top.triangles.start as usize..top.triangles.end as usize;
    let mut is_first = true;
    for (corners, leaf) in pass.corners[triangles.clone()].iter().zip(&pass.topology.leaves[triangles]) {
        let (corners, is_last) = unmarked(*corners);
        let mut bounds = triangle(s, pass, corners);
        let leaf = &mut all[(leaf - top.first) as usize];
        if !is_first {
            bounds = V::join(s, bounds, V::load(s, leaf));
        }
        *leaf = V::store(s, bounds);
        is_first = is_last;
    }
}

impl<V: FitFromVertices> RefitMethod for FromVertices<V> {
    type Volume = V;
    type Below = V::PartBox;
    type AtRest = V::AtRest;
    type Scratch = ();
    const AT_REST: Option<AtRest<V::AtRest>> = Some(V::at_rest);
    const UNSET: V::PartBox = V::PartBox::UNSET;
    const SCRATCH: () = ();

    #[inline(always)]
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[V::PartBox],
    ) -> Refitted<V::PartBox> {
        let node = &pass.topology.nodes[number];
        let children = node.children as usize;
        let (mut next, mut parts) = (number + 1, pass.parts.at_node(number).iter());
        let (mut is_single, mut has_single) = ([false; WIDTH], false);
        let mut corners = LaneCorners::default();
        for (lane, is_single) in is_single.iter_mut().enumerate().take(children) {
            let (part_box, is_clean) = match pass.below(node, words, lane, &mut next) {
                Below::Leaf { first } => {
                    let (vertices, is_last) = unmarked(pass.corners[first]);
                    if is_last {
                        corners.put_triangle(lane, vertices.map(|vertex| pass.positions.at(vertex)));
                        (*is_single, has_single) = (true, true);
                        continue;
                    }
                    (V::PartBox::of(|| pass.leaf_box(first)), false)
                }
                Below::Node { number: child } => (below[child - number - 1], pass.is_clean(child)),
            };
            if let Some(part_box) = part_box.get() {
                corners.put_box(lane, part_box);
            }
            if let Some(part) = parts.next()
                && !is_clean
            {
                let points = pass.parts.points(part, &pass.positions);
                let (landmarks, at_rest) = (&part.landmarks, &part.at_rest);
                let part = MovedPart { landmarks, at_rest, positions: &pass.positions, points };
                let mut fields = [0; MAX_FIELDS];
                V::pack(&V::fit_part(s, &pass.frame, part, &part_box), &mut fields);
                put(words, children, lane, &fields);
            }
        }
        if has_single || size_of::<V::PartBox>() > 0 {
            corners.fill(children);
        }
        if has_single {
            V::fit_triangles(s, &pass.frame, &corners, &is_single, words, children);
        }
        let mut below = V::PartBox::UNSET;
        if size_of::<V::PartBox>() > 0 {
            // Outside the closure, which is compiled without the level's instructions where it is not inlined.
            let (lower, upper) = corners.boxes(s);
            let joined = corners.joined(s, &lower, &upper);
            below = V::PartBox::of(|| joined);
        }
        Refitted { below, areas: V::areas(words, children) }
    }
}
