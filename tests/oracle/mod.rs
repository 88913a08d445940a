//! The O(n*m) oracle of two-tree queries, and the meshes and poses to try it on.
//!
//! The oracle asks `Triangle::intersects` about all pairs on posed coordinates; that verdict has its own exact oracle
//! in `tests/triangle`.

pub mod meshes;
pub mod poses;

use std::ops::ControlFlow;

use bvtree::query::FacePair;
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, SimdLevel, SplitRule, VolumeKind};

/// All pairs of touching triangles, sorted.
pub fn intersecting_pairs(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Vec<FacePair> {
    let posed: Vec<Triangle> = b
        .triangles()
        .iter()
        .map(|t| Triangle { vertices: t.map(|v| b_to_a.transform(&b.vertices()[v as usize])) })
        .collect();
    let mut pairs = Vec::new();
    for face_a in 0..a.triangles().len() as u32 {
        let triangle = a.triangle(face_a);
        let touching = (0u32..).zip(&posed).filter(|(_, other)| triangle.intersects(other));
        pairs.extend(touching.map(|(face_b, _)| FacePair { face_a, face_b }));
    }
    pairs
}

/// The pairs that a query reports, sorted. Checks its counters, and that stopping at the first pair agrees.
pub fn queried_pairs(query: &mut Query, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<FacePair> {
    let mut pairs = Vec::new();
    query.for_each_intersecting_pair(a, b, b_to_a, |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    let all = query.stats();
    // Triangles of large leaves have boxes too, and are first tested against the whole other tree.
    let volumes = |tree: &BvTree| tree.node_count() + 2 * tree.triangle_count();
    assert!(all.volume_tests <= (volumes(a) * volumes(b)) as u64, "no pair of volumes is tested twice");
    assert!(all.triangle_tests <= (a.triangle_count() * b.triangle_count()) as u64);
    assert!(all.triangle_tests >= pairs.len() as u64);

    assert_eq!(query.intersects(a, b, b_to_a), !pairs.is_empty());
    let first = query.stats();
    assert!(first.volume_tests <= all.volume_tests && first.triangle_tests <= all.triangle_tests);
    if pairs.is_empty() {
        assert_eq!(first.volume_tests, all.volume_tests);
        // Of equal triangles one stands for all, in pairs of leaves that are that large.
        if all.triangle_tests < 4096 {
            assert_eq!(first, all, "without a hit there is nothing to stop at");
        }
    }
    pairs.sort_unstable();
    pairs
}

/// `pairs` seen from the other mesh.
pub fn transposed(pairs: &[FacePair]) -> Vec<FacePair> {
    let mut pairs: Vec<_> = pairs.iter().map(|p| FacePair { face_a: p.face_b, face_b: p.face_a }).collect();
    pairs.sort_unstable();
    pairs
}

/// Kinds of two trees: each with itself, and with one other.
pub const KINDS: [[VolumeKind; 2]; 6] = {
    use VolumeKind::{Aabb, Obb, Sphere};
    [[Aabb; 2], [Obb; 2], [Sphere; 2], [Aabb, Obb], [Obb, Sphere], [Sphere, Aabb]]
};

/// Asserts that trees of all kinds, built by the rule, with both leaf sizes and depths, find just `expected` on every
/// level of this CPU.
pub fn assert_queries_find(expected: &[FacePair], a: &Mesh, b: &Mesh, b_to_a: &Pose, rules: [Rules; 2]) {
    for kinds in KINDS {
        let (tree_a, tree_b) = (rules[0].tree(a, kinds[0]), rules[1].tree(b, kinds[1]));
        for level in levels() {
            let found = queried_pairs(&mut Query::with_simd(level), &tree_a, &tree_b, b_to_a);
            assert_eq!(found, expected, "{kinds:?} trees, {level}, {rules:?}");
        }
    }
}

/// The instruction sets of this CPU.
pub fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.into_iter().filter(|level| level.is_available())
}

/// Build options but for the kind.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub split: SplitRule,
    pub max_leaf_triangles: u32,
    pub max_depth: u32,
}

impl Rules {
    pub const LEAF_TRIANGLES: [u32; 5] = [1, 2, 4, 8, 100];
    pub const DEPTHS: [u32; 4] = [0, 1, 3, u32::MAX];

    /// One triangle per leaf.
    pub const FINEST: Rules = Rules { split: SplitRule::Mean, max_leaf_triangles: 1, max_depth: u32::MAX };

    pub fn all() -> impl Iterator<Item = Rules> {
        SplitRule::ALL.into_iter().flat_map(|split| {
            Self::LEAF_TRIANGLES.into_iter().flat_map(move |max_leaf_triangles| {
                Self::DEPTHS.into_iter().map(move |max_depth| Rules { split, max_leaf_triangles, max_depth })
            })
        })
    }

    /// The tree, checked against what the rules ask for.
    pub fn tree(self, mesh: &Mesh, volume: VolumeKind) -> BvTree {
        let Rules { split, max_leaf_triangles, max_depth } = self;
        let tree = BvTree::build(
            mesh,
            &BuildOptions { split, max_leaf_triangles, max_depth, ..BuildOptions::obbtree_rules(volume) },
        )
        .unwrap();
        let triangles = mesh.triangles().len();
        assert_eq!((tree.kind(), tree.triangle_count()), (volume, triangles));
        assert!(tree.split_depth() <= max_depth);
        assert!(tree.leaf_count() <= triangles && tree.leaf_triangles_max() <= triangles);
        // Twice a balanced tree's depth before the median takes over, and what equal offsets can peel off afterwards.
        assert!(tree.split_depth() <= 10 * (triangles.max(1).ilog2() + 2) + 20, "depth {}", tree.split_depth());
        tree
    }
}
