//! The border of a part of a mesh: what its triangles' edges add up to.

/// An edge that triangles run along more often one way than the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryEdge {
    /// Vertices, the lesser one first.
    pub(crate) ends: [u32; 2],
    /// How much more often triangles run from the first to the second than back.
    pub(crate) excess: i32,
}

impl BoundaryEdge {
    /// A triangle's edges that have two ends.
    pub(crate) fn of_triangle([a, b, c]: [u32; 3]) -> impl Iterator<Item = Self> {
        let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
        edges.map(|(from, to)| Self { ends: [from.min(to), from.max(to)], excess: if from < to { 1 } else { -1 } })
    }
}

/// Each edge once, and none that is run along as often both ways: what is left of the borders of parts around all of
/// them.
pub(crate) fn border(mut edges: Vec<BoundaryEdge>) -> Vec<BoundaryEdge> {
    edges.sort_unstable_by_key(|edge| edge.ends);
    let once = edges.chunk_by(|a, b| a.ends == b.ends).filter_map(|same| {
        let excess = same.iter().map(|edge| edge.excess).sum();
        (excess != 0).then_some(BoundaryEdge { excess, ..same[0] })
    });
    once.collect()
}
