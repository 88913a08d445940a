//! How tightly a tree's volumes fit the mesh: sums of volumes and areas, and the surface area heuristic.

use super::MeshFacts;
use super::measured::Measured;
use crate::parallel;
use crate::tree::{BvTree, NodeInfo};

/// How tightly a tree fits its mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tightness {
    /// Sums of the tree cut at each level, from the root down. Each cut includes the leaves above its level, so that it
    /// covers the whole mesh and sums of two trees are comparable. Empty for an empty mesh.
    pub levels: Vec<LevelTightness>,
    /// Sums over all stored volumes.
    pub total: LevelTightness,
    /// Mean number of triangles in a leaf; `None` for an empty mesh.
    pub leaf_triangles: Option<f64>,
    /// Mean number of triangles in a leaf, relative to the maximum that the build options allow; `None` for an empty
    /// mesh.
    pub leaf_fill: Option<f64>,
}

/// How tightly a set of a tree's volumes fits the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelTightness {
    /// Number of volumes.
    pub volumes: usize,
    /// Sum of volumes, relative to the convex hull's; at least 1 for the root, up to rounding. `None` for a flat mesh.
    pub volume_ratio: Option<f64>,
    /// Sum of volumes, relative to the volume that the mesh encloses; `None` if [`MeshFacts::mesh_volume`] is `None`.
    pub mesh_volume_ratio: Option<f64>,
    /// Sum of surface areas, relative to the mesh's area; `None` if the mesh has no area.
    pub area_ratio: Option<f64>,
    /// Overlap of siblings: the sum of intersection volumes over all pairs of siblings that first appear at this level
    /// (in the total: over all pairs of siblings), relative to the sum of their parents' volumes. `None` for the root,
    /// for a flat mesh, if the parents have no volume, and for volumes of your own whose
    /// [`intersection_volume`](super::MeasuredVolume::intersection_volume) is not known.
    pub sibling_overlap: Option<f64>,
    /// Surface area heuristic (SAH) of the tree that ends at this level: the sum over nodes of `cost * area / area of
    /// the root`. The cost is [`VOLUME_COST`] per child of an inner node and [`TRIANGLE_COST`] per triangle of a leaf
    /// (Goldsmith and Salmon 1987; MacDonald and Booth 1990). `None` if the root's volume has no area.
    ///
    /// For nested volumes it is the expected number of tests with a uniform random line that meets the root. Spheres
    /// and oriented boxes may stick out of the volumes above, and then a traversal reaches fewer nodes than the formula
    /// counts: [`RayMetrics::line_tests`](super::RayMetrics::line_tests) estimates the tests of such a traversal.
    pub sah_cost: Option<f64>,
}

impl Tightness {
    /// Measures a tree against the facts of its mesh.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        Self::with_nodes(tree, facts, &tree.nodes().collect::<Vec<_>>())
    }

    pub(super) fn with_nodes<V: Measured>(tree: &BvTree, facts: &MeshFacts, nodes: &[NodeInfo<V>]) -> Self {
        let levels: Vec<&[NodeInfo<V>]> = nodes.chunk_by(|a, b| a.level == b.level).collect();
        let root_area = nodes.first().map_or(0.0, |root| root.volume.surface_area());
        let measure = |sums: &Sums, sah: f64| LevelTightness {
            volumes: sums.volumes,
            volume_ratio: facts.hull_volume.and_then(|hull| ratio(sums.volume, hull)),
            mesh_volume_ratio: facts.mesh_volume.and_then(|mesh| ratio(sums.volume, mesh)),
            area_ratio: ratio(sums.area, facts.area),
            sibling_overlap: if facts.is_flat { None } else { ratio(sums.shared, sums.parents) },
            sah_cost: ratio(sah, root_area),
        };

        let (mut all, mut leaves_above) = (Sums::default(), Sums::default());
        // Area times cost of the nodes above the current level.
        let mut sah_above = 0.0;
        let mut cuts = Vec::with_capacity(levels.len());
        let mut parents: &[NodeInfo<V>] = &[];
        for level in levels {
            let own = Sums::of(level.iter()).with_overlap(level, parents);
            let sah_cut: f64 = level.iter().map(|node| node.volume.surface_area() * triangles_cost(node)).sum();
            cuts.push(measure(&(leaves_above + own), sah_above + sah_cut));

            all = all + own;
            leaves_above = leaves_above + Sums::of(level.iter().filter(|node| node.is_leaf()));
            sah_above += level.iter().map(|node| node.volume.surface_area() * visit_cost(node)).sum::<f64>();
            parents = level;
        }
        let leaf_triangles = (tree.leaf_count() > 0).then(|| tree.triangle_count() as f64 / tree.leaf_count() as f64);
        Self {
            levels: cuts,
            total: measure(&all, sah_above),
            leaf_triangles,
            leaf_fill: leaf_triangles.map(|mean| mean / f64::from(tree.options().max_leaf_triangles)),
        }
    }
}

/// The ratio of two sums; `None` if the base is not positive or the ratio is not finite.
pub(super) fn ratio(sum: f64, base: f64) -> Option<f64> {
    (base > 0.0).then(|| sum / base).filter(|ratio| ratio.is_finite())
}

#[derive(Clone, Copy, Default)]
struct Sums {
    volumes: usize,
    volume: f64,
    area: f64,
    /// The volume shared by siblings.
    shared: f64,
    /// The volume of the siblings' parents.
    parents: f64,
}

impl Sums {
    fn of<'a, V: Measured + 'a>(nodes: impl Iterator<Item = &'a NodeInfo<V>>) -> Self {
        nodes.fold(Self::default(), |sums, node| Self {
            volumes: sums.volumes + 1,
            volume: sums.volume + node.volume.volume(),
            area: sums.area + node.volume.surface_area(),
            ..sums
        })
    }

    /// Adds the overlap of siblings on one level, given the level above.
    fn with_overlap<V: Measured>(self, level: &[NodeInfo<V>], parents: &[NodeInfo<V>]) -> Self {
        // Collected before it is summed, because the order of a sum decides its last digits.
        let shared: Vec<f64> = parallel::map_runs(level.chunk_by(|a, b| a.parent == b.parent), shared_by_siblings);
        let parents = parents.iter().filter(|node| !node.is_leaf());
        Self { shared: shared.iter().sum(), parents: parents.map(|node| node.volume.volume()).sum(), ..self }
    }
}

impl std::ops::Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            volumes: self.volumes + other.volumes,
            volume: self.volume + other.volume,
            area: self.area + other.area,
            shared: self.shared + other.shared,
            parents: self.parents + other.parents,
        }
    }
}

/// The total volume that siblings share; NaN if it is not known for some pair.
fn shared_by_siblings<V: Measured>(siblings: &[NodeInfo<V>]) -> f64 {
    let pairs = siblings.iter().enumerate().flat_map(|(i, first)| siblings[i + 1..].iter().map(move |x| (first, x)));
    pairs.map(|(first, second)| first.volume.intersection_volume(&second.volume).unwrap_or(f64::NAN)).sum()
}

/// Cost of testing one volume, in the surface area heuristic.
pub const VOLUME_COST: f64 = 1.0;

/// Cost of testing one triangle, in the surface area heuristic.
pub const TRIANGLE_COST: f64 = 1.0;

/// Cost of a visit to a node, which tests the volumes of its children or its triangles.
pub(super) fn visit_cost<V>(node: &NodeInfo<V>) -> f64 {
    if node.is_leaf() { triangles_cost(node) } else { VOLUME_COST * node.children as f64 }
}

/// Cost of a visit to the node if it were a leaf.
pub(super) fn triangles_cost<V>(node: &NodeInfo<V>) -> f64 {
    TRIANGLE_COST * node.triangles as f64
}
