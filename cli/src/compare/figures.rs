//! The figures of a tree that are compared, and which tree has the least.

use super::measure::Measured;

/// A figure of a tree, the less the better.
pub struct Figure {
    pub title: &'static str,
    pub of: fn(&Measured) -> Option<f64>,
}

pub const fn figure(title: &'static str, of: fn(&Measured) -> Option<f64>) -> Figure {
    Figure { title, of }
}

pub const FIGURES: [Figure; 21] = [
    figure("sum of volumes / hull volume", |tree| tree.total().tightness.volume_ratio),
    figure("sum of volumes / mesh volume", |tree| tree.total().tightness.mesh_volume_ratio),
    figure("outside volume / mesh volume", |tree| tree.total().outside.map(|outside| outside.value)),
    figure("sum of surface areas / mesh area", |tree| tree.total().tightness.area_ratio),
    figure("Hausdorff error, mean", |tree| tree.total().hausdorff.mean),
    figure("volumes for an error of 1%", volumes_for_one_percent),
    figure("sibling overlap", |tree| tree.total().tightness.sibling_overlap),
    figure("SAH cost (rays)", |tree| tree.total().tightness.sah_cost),
    figure("EPO (rays)", |tree| tree.total().rays.epo),
    figure("LCV (rays)", |tree| tree.total().rays.lcv),
    figure("volume tests per query", volume_tests),
    figure("triangle tests per query", triangle_tests),
    figure("microseconds per query", micros_per_query),
    figure("build seconds", |tree| Some(tree.build_time.as_secs_f64())),
    figure("bytes per triangle", |tree| Some(tree.bytes_per_triangle())),
    figure("nanoseconds per volume test", |tree| tree.cost_terms.map(|terms| terms.volume_test * 1e9)),
    figure("nanoseconds per triangle test", |tree| tree.cost_terms.map(|terms| terms.triangle_test * 1e9)),
    figure("slope of volumes by error", |tree| tree.metrics.hausdorff.slope),
    figure("nodes", |tree| Some(tree.nodes as f64)),
    figure("depth", |tree| Some(f64::from(tree.depth))),
    figure("triangles per leaf", |tree| tree.metrics.tightness.leaf_triangles),
];

/// Figures that say nothing about which tree is better are not starred.
pub const STARRED: usize = 15;

fn volumes_for_one_percent(tree: &Measured) -> Option<f64> {
    let point = tree.metrics.hausdorff.curve.iter().find(|point| point.error == 0.01)?;
    point.nodes.map(|nodes| nodes as f64)
}

pub fn volume_tests(tree: &Measured) -> Option<f64> {
    tree.cost.work.volume_tests_per_query()
}

pub fn triangle_tests(tree: &Measured) -> Option<f64> {
    tree.cost.work.triangle_tests_per_query()
}

pub fn micros_per_query(tree: &Measured) -> Option<f64> {
    tree.cost.micros_per_query
}

/// By volume; by area where the mesh has no hull volume.
pub fn tightness(tree: &Measured) -> Option<f64> {
    let total = tree.total().tightness;
    total.volume_ratio.or(total.area_ratio)
}

/// The tree with the least figure, the first of several that differ by rounding to f32 at most.
pub fn least(trees: &[Measured], of: impl Fn(&Measured) -> Option<f64>) -> Option<usize> {
    let figures = trees.iter().enumerate().filter_map(|(i, tree)| of(tree).map(|figure| (i, figure)));
    let less = |best: (usize, f64), next: (usize, f64)| if next.1 < best.1 * (1.0 - ROUNDING) { next } else { best };
    figures.reduce(less).map(|(i, _)| i)
}

/// What stored volumes are larger than they need be, relatively, and some more.
const ROUNDING: f64 = 1e-5;
