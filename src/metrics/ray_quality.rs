//! Metrics that predict the cost of rays, beyond the surface area heuristic.

use nalgebra::{Matrix3, Point3, Vector3};

use super::hierarchy::Hierarchy;
use super::random::{Random, choose, point_on};
use super::tightness::{triangles_cost, visit_cost};
use crate::parallel;
use crate::shape::{Aabb, KDop};
use crate::tree::{BvTree, NodeInfo};
use crate::triangle::Triangle;
use crate::volume::{NodeRef, Volume};

/// Ray metrics, from Aila, Karras and Laine, "On quality metrics of bounding volume hierarchies" (2013). They predict
/// the cost of rays; for queries about two trees they are at most a hint. They are estimated from random points and
/// lines, which are the same on every machine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayQuality {
    /// Metrics of the tree that ends at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<RayMetrics>,
    /// Metrics of the whole tree.
    pub total: RayMetrics,
}

/// Ray metrics of a tree; `None` if the mesh or the root's volume has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayMetrics {
    /// End-point overlap (EPO): the cost of visits to nodes for surface that lies in their volumes without belonging to
    /// them, `sum over nodes n of cost(n) * area(S \ Q(n) within n) / area(S)`, where S are all triangles, Q(n) those
    /// below the node, and the costs those of [`LevelTightness::sah_cost`](super::LevelTightness::sah_cost).
    ///
    /// It is estimated as the mean over [`RayQuality::POINTS`] random points of the surface of the cost of the nodes
    /// that contain the point but not its triangle.
    pub epo: Option<f64>,
    /// Leaf count variability (LCV): the standard deviation of the number of leaf volumes that a line meets, over
    /// uniform random lines that meet the root's volume; [`RayQuality::LINES`] are drawn through its bounding sphere.
    pub lcv: Option<f64>,
}

impl RayQuality {
    /// Number of points of the surface for the estimate of EPO.
    pub const POINTS: usize = 8192;
    /// Number of lines drawn for LCV; fewer meet the root.
    pub const LINES: usize = 4096;

    /// Measures a tree.
    pub fn new(tree: &BvTree) -> Self {
        Self::with_hierarchy(tree, &Hierarchy::new(tree))
    }

    pub(super) fn with_hierarchy(tree: &BvTree, hierarchy: &Hierarchy) -> Self {
        let (overlap, variability) = (end_point_overlap(tree, hierarchy), leaf_count_variability(hierarchy));
        let at = |level: usize| RayMetrics {
            epo: overlap.as_ref().map(|levels| levels[level]),
            lcv: variability.as_ref().map(|levels| levels[level]),
        };
        let levels: Vec<RayMetrics> = (0..hierarchy.levels()).map(at).collect();
        // The tree that ends at its last level is the whole tree.
        Self { total: levels.last().copied().unwrap_or_default(), levels }
    }
}

fn end_point_overlap(tree: &BvTree, hierarchy: &Hierarchy) -> Option<Vec<f64>> {
    let leaf_of = leaves_of_triangles(tree, hierarchy);
    let leaf_indices: Vec<usize> = (0..leaf_of.len()).collect();
    let triangle =
        |leaf_index: usize| Triangle { vertices: tree.view().triangle(leaf_index).map(|vertex| vertex.cast()) };
    let area = |leaf_index: &usize| 0.5 * triangle(*leaf_index).scaled_normal().norm();
    let mut random = Random::new(0);
    let chosen = choose(&leaf_indices, area, RayQuality::POINTS, &mut random);
    let points: Vec<(Point3<f64>, usize)> =
        chosen.iter().map(|&&leaf_index| (point_on(&triangle(leaf_index), &mut random), leaf_of[leaf_index])).collect();
    if points.is_empty() {
        return None;
    }
    let foreign_costs = |(point, leaf): &(Point3<f64>, usize)| {
        let own: Vec<usize> = std::iter::successors(Some(*leaf), |&node| hierarchy.nodes[node].parent).collect();
        let mut costs = CutCosts::new(hierarchy.levels());
        let holds = |volume: &Volume| volume.contains(point);
        hierarchy.for_each(
            |bounds| bounds.contains(point),
            holds,
            |index, node| {
                if !own.contains(&index) {
                    costs.add(node);
                }
            },
        );
        costs.by_level()
    };
    let by_point: Vec<Vec<f64>> = parallel::map_with(&points, || (), |(), point| foreign_costs(point));
    Some(means(&by_point, hierarchy.levels()))
}

/// The leaf node of each triangle, in leaf order.
fn leaves_of_triangles(tree: &BvTree, hierarchy: &Hierarchy) -> Vec<usize> {
    let mut leaf_of = vec![0; tree.triangle_count()];
    for (index, node) in hierarchy.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
        let first = NodeRef::first_triangle(node.below);
        leaf_of[first..first + node.triangles].fill(index);
    }
    leaf_of
}

/// Costs of a set of nodes in the trees that end at each level.
struct CutCosts {
    /// Costs of nodes in the tree that ends at their level: all their triangles are tested.
    at: Vec<f64>,
    /// Costs of nodes in trees that continue below their level.
    above: Vec<f64>,
}

impl CutCosts {
    fn new(levels: usize) -> Self {
        Self { at: vec![0.0; levels], above: vec![0.0; levels] }
    }

    fn add(&mut self, node: &NodeInfo) {
        self.at[node.level as usize] += triangles_cost(node);
        self.above[node.level as usize] += visit_cost(node);
    }

    fn by_level(&self) -> Vec<f64> {
        let mut sum_above = 0.0;
        let levels = self.at.iter().zip(&self.above);
        levels
            .map(|(at, above)| {
                let cost = sum_above + at;
                sum_above += above;
                cost
            })
            .collect()
    }
}

fn means(rows: &[Vec<f64>], levels: usize) -> Vec<f64> {
    (0..levels).map(|level| rows.iter().map(|row| row[level]).sum::<f64>() / rows.len() as f64).collect()
}

fn leaf_count_variability(hierarchy: &Hierarchy) -> Option<Vec<f64>> {
    let root = &hierarchy.nodes.first()?.volume;
    let mut random = Random::new(0);
    let lines: Vec<Line> = (0..RayQuality::LINES).map(|_| line_near(root, &mut random)).collect();
    let lines: Vec<Line> = lines.into_iter().filter(|line| line.meets(root)).collect();
    if lines.is_empty() || root.surface_area() <= 0.0 {
        return None;
    }
    let levels = hierarchy.levels();
    let leaf_counts = |line: &Line| {
        // Nodes met at each level, and leaves among them.
        let (mut met, mut leaves) = (vec![0.0; levels], vec![0.0; levels]);
        hierarchy.for_each(
            |bounds| line.meets_aabb(bounds),
            |volume| line.meets(volume),
            |_, node| {
                met[node.level as usize] += 1.0;
                leaves[node.level as usize] += f64::from(u8::from(node.is_leaf()));
            },
        );
        let mut leaves_above = 0.0;
        for (met, leaves) in met.iter_mut().zip(leaves) {
            *met += leaves_above;
            leaves_above += leaves;
        }
        met
    };
    let by_line: Vec<Vec<f64>> = parallel::map_with(&lines, || (), |(), line| leaf_counts(line));
    let means = means(&by_line, levels);
    let deviation = |level: usize| {
        let squares = by_line.iter().map(|counts| (counts[level] - means[level]).powi(2));
        (squares.sum::<f64>() / by_line.len() as f64).sqrt()
    };
    Some((0..levels).map(deviation).collect())
}

/// A uniform random line through the bounding sphere of a volume.
fn line_near(volume: &Volume, random: &mut Random) -> Line {
    let center = volume.center();
    // Around a k-DOP's box, for the k-DOP's own diameter is not centred.
    let diameter = if let Volume::KDop(kdop) = volume { kdop.aabb().size().norm() } else { volume.diameter() };
    let direction = random.direction().into_inner();
    let across = direction.cross(&Vector3::ith(direction.iamin(), 1.0)).normalize();
    let (u, v, _) = random.in_disk();
    let offset = (across * u + direction.cross(&across) * v) * (0.5 * diameter);
    Line { point: center + offset, direction }
}

#[derive(Clone, Copy, Debug)]
struct Line {
    point: Point3<f64>,
    /// Unit vector.
    direction: Vector3<f64>,
}

impl Line {
    fn meets(&self, volume: &Volume) -> bool {
        match volume {
            Volume::Aabb(aabb) => self.meets_aabb(aabb),
            Volume::Obb(obb) => self.meets_box(&obb.center, Some(&obb.axes), &obb.half_extents),
            Volume::KDop(kdop) => self.meets_kdop(kdop),
            Volume::Sphere(sphere) => {
                let offset = sphere.center - self.point;
                offset.cross(&self.direction).norm() <= sphere.radius
            }
        }
    }

    fn meets_aabb(&self, aabb: &Aabb) -> bool {
        self.meets_box(&aabb.center(), None, &aabb.half_extents())
    }

    fn meets_box(&self, center: &Point3<f64>, axes: Option<&Matrix3<f64>>, half_extents: &Vector3<f64>) -> bool {
        let to_box = |v: &Vector3<f64>| axes.map_or(*v, |axes| axes.tr_mul(v));
        let (origin, direction) = (to_box(&(self.point - center)), to_box(&self.direction));
        meets_slabs((0..3).map(|k| [origin[k], direction[k], half_extents[k]]))
    }

    fn meets_kdop(&self, kdop: &KDop) -> bool {
        let (origin, direction) = (KDop::offsets(&self.point), KDop::offsets(&self.direction.into()));
        meets_slabs((0..9).map(|k| {
            let (middle, half) = (0.5 * (kdop.lower[k] + kdop.upper[k]), 0.5 * (kdop.upper[k] - kdop.lower[k]));
            [origin[k] - middle, direction[k], half]
        }))
    }
}

/// Whether the intervals of a line in some slabs have a point in common (Kay and Kajiya 1986). A slab is given by the
/// line's offset from its middle, the line's direction along its normal, and half its width.
fn meets_slabs(slabs: impl Iterator<Item = [f64; 3]>) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for [origin, direction, half] in slabs {
        if direction == 0.0 {
            if origin.abs() > half {
                return false;
            }
            continue;
        }
        let (middle, half) = (-origin / direction, half / direction.abs());
        (enter, leave) = (enter.max(middle - half), leave.min(middle + half));
    }
    enter <= leave
}
