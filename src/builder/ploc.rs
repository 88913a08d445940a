//! Bottom-up building by parallel locally-ordered clustering (Meister and Bittner 2018, "Parallel locally-ordered
//! clustering for bounding volume hierarchy construction").
//!
//! The clusters of triangles are in Morton order. In each round, every cluster finds its nearest neighbour among the
//! clusters at most [`RADIUS`] positions away, and clusters that are each other's nearest merge. The distance between
//! two clusters is the surface area of the axis-aligned box around both; in trees of spheres, that of the sphere around
//! this box.

use super::binary_tree::{Link, LinkedTree};
use super::sah::SahBounds;
use super::triangle_bounds::TriangleBounds;
use crate::parallel;
use crate::shape::Aabb;

/// Number of clusters on each side that are searched for the nearest one.
const RADIUS: usize = 14;
/// A round that would merge fewer pairs than one per this many clusters merges neighbours in Morton order instead. This
/// bounds the number of rounds, and with it the depth of the tree, for any input.
const MIN_MERGED: usize = 8;
/// Fewer clusters than this are processed by one thread.
const CHUNK: usize = 256;

#[derive(Clone, Copy)]
struct Cluster<S> {
    link: Link,
    side: S,
}

/// Sorts the primitives into Morton order and builds a tree over them.
pub(super) fn build<S: SahBounds>(primitives: &mut Vec<TriangleBounds>, bounds: &Aabb) -> LinkedTree {
    sort_along_morton_curve(primitives, bounds);
    let mut tree = LinkedTree::of_leaves(primitives.len());
    let leaf = |(i, primitive)| Cluster { link: Link::leaf(i), side: S::of(primitive) };
    let mut clusters: Vec<Cluster<S>> = primitives.iter().enumerate().map(leaf).collect();
    while clusters.len() > 1 {
        let nearest = nearest_neighbours(&clusters);
        let merges = |i: usize| nearest[nearest[i]] == i;
        let merged = (0..clusters.len()).filter(|&i| merges(i)).count() / 2;
        let too_few = merged * MIN_MERGED < clusters.len();
        let mut next = Vec::with_capacity(clusters.len());
        for (i, cluster) in clusters.iter().enumerate() {
            let partner =
                if !too_few { if merges(i) { nearest[i] } else { i } } else { (i ^ 1).min(clusters.len() - 1) };
            if partner > i {
                let Cluster { link, side } = &clusters[partner];
                let parent = tree.add([cluster.link, *link]);
                next.push(Cluster { link: Link::inner(parent), side: cluster.side.joined(side) });
            } else if partner == i {
                next.push(*cluster);
            }
        }
        clusters = next;
    }
    if let Some(root) = clusters.first() {
        tree.root = root.link;
    }
    tree
}

fn nearest_neighbours<S: SahBounds>(clusters: &[Cluster<S>]) -> Vec<usize> {
    let nearest = |i: usize| {
        let around = i.saturating_sub(RADIUS)..(i + RADIUS + 1).min(clusters.len());
        // All clusters order pairs in the same way, so the least pair of all merges. Of many equally near clusters,
        // such as copies of a triangle, every other one merges with its successor.
        let order = |j: usize| (i.abs_diff(j), i.min(j) % 2);
        let area = |j: usize| clusters[i].side.joined(&clusters[j].side).area();
        let others = around.filter(|&j| j != i).map(|j| (area(j), order(j), j));
        others.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2))).map_or(i, |(.., j)| j)
    };
    parallel::map_range(0..clusters.len(), CHUNK, nearest)
}

/// Sorts by the Morton code of the centroid's cell in the bounds (Morton 1966), then by the index in the mesh.
fn sort_along_morton_curve(primitives: &mut Vec<TriangleBounds>, bounds: &Aabb) {
    const CELLS: f64 = (1 << 21) as f64;
    let size = bounds.half_extents().amax() * 2.0;
    let per_cell = if size > 0.0 { CELLS / size } else { 0.0 };
    let code = |primitive: &TriangleBounds| {
        let sum = primitive.corner_sum.map(f64::from);
        // The cast saturates and turns NaN into 0.
        let cell = |k: usize| (((sum[k] / 3.0 - bounds.lower[k]) * per_cell) as u64).min(CELLS as u64 - 1);
        spread_bits(cell(0)) | spread_bits(cell(1)) << 1 | spread_bits(cell(2)) << 2
    };
    let mut keys: Vec<(u64, u32, u32)> =
        (0u32..).zip(primitives.iter()).map(|(i, primitive)| (code(primitive), primitive.face(), i)).collect();
    keys.sort_unstable();
    *primitives = parallel::map(&keys, |&(.., i)| primitives[i as usize]);
}

/// Inserts two zero bits between neighbours of the lowest 21 bits.
fn spread_bits(bits: u64) -> u64 {
    let mut spread = bits & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        spread = (spread | spread << shift) & mask;
    }
    spread
}
