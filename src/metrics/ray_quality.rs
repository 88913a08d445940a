//! Metrics that predict the cost of rays, beyond the surface area heuristic.

use nalgebra::{Matrix3, Point3, Vector3};

use super::MetricsOptions;
use super::estimate::Estimate;
use super::hierarchy::{Hierarchy, Nodes};
use super::measured::Measured;
use super::random::{Random, choose, point_on};
use super::tightness::{triangles_cost, visit_cost};
use crate::numeric::any_perpendicular;
use crate::parallel;
use crate::shape::{Aabb, KDop, Sphere};
use crate::tree::{BvTree, NodeInfo};
use crate::triangle::Triangle;
use crate::volume::Volume;

/// Ray metrics, most of them from Aila, Karras and Laine, "On quality metrics of bounding volume hierarchies" (2013).
/// They predict the cost of rays; for queries about two trees they are at most a hint. They are estimated from random
/// points and lines, [`MetricsOptions::samples`] of each, which are the same on every machine.
///
/// The formulas of the literature count every node whose volume contains a point or meets a line. A traversal reaches
/// such a node only if the same holds for all nodes above. For nested volumes, as those of AABB trees, there is no
/// difference; spheres and oriented boxes may stick out of the volumes above. The metrics whose names end in `reached`
/// count what a traversal reaches.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayQuality {
    /// Metrics of the tree that ends at each level, as in [`Tightness::levels`](super::Tightness::levels).
    pub levels: Vec<RayMetrics>,
    /// Metrics of the whole tree.
    pub total: RayMetrics,
}

/// Ray metrics of a tree. The end-point overlaps are `None` if the mesh has no area, the other metrics if the root's
/// volume has none, and all if [`MetricsOptions::samples`] is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayMetrics {
    /// End-point overlap (EPO): the cost of visits to nodes for surface that lies in their volumes without belonging to
    /// them, `sum over nodes n of cost(n) * area(S \ Q(n) within n) / area(S)`, where S are all triangles, Q(n) those
    /// below the node, and the costs those of [`LevelTightness::sah_cost`](super::LevelTightness::sah_cost).
    ///
    /// It is estimated as the mean, over random points of the surface, of the cost of the nodes that contain the point
    /// but not its triangle.
    pub epo: Option<Estimate>,
    /// [`epo`](Self::epo) for the nodes that a traversal with the point reaches.
    pub epo_reached: Option<Estimate>,
    /// Leaf count variability (LCV): the standard deviation of the number of leaf volumes that a line meets, over
    /// uniform random lines that meet the root's volume.
    pub lcv: Option<Estimate>,
    /// [`lcv`](Self::lcv) for the leaves that a traversal with the line reaches.
    pub lcv_reached: Option<Estimate>,
    /// The expected tests of a traversal with a uniform random line that meets the root: the mean of the costs of the
    /// nodes that it reaches. For nested volumes it is [`LevelTightness::sah_cost`](super::LevelTightness::sah_cost),
    /// up to its standard error; otherwise it is less.
    pub line_tests: Option<Estimate>,
}

impl RayQuality {
    /// Measures a tree, with the default options.
    pub fn new(tree: &BvTree) -> Self {
        Self::with_options(tree, &MetricsOptions::default())
    }

    /// Measures a tree, with the seed and the number of points and lines in `options`.
    pub fn with_options(tree: &BvTree, options: &MetricsOptions) -> Self {
        Self::with_hierarchy(tree, &Hierarchy::new(tree), options)
    }

    pub(super) fn with_hierarchy<V: Measured>(
        tree: &BvTree,
        hierarchy: &Hierarchy<V>,
        options: &MetricsOptions,
    ) -> Self {
        let levels = hierarchy.levels();
        let [epo, epo_reached] = end_point_overlap(tree, hierarchy, options);
        let [lcv, lcv_reached, line_tests] = line_metrics(hierarchy, options);
        let at = |level: usize| RayMetrics {
            epo: epo.get(level).copied(),
            epo_reached: epo_reached.get(level).copied(),
            lcv: lcv.get(level).copied(),
            lcv_reached: lcv_reached.get(level).copied(),
            line_tests: line_tests.get(level).copied(),
        };
        let levels: Vec<RayMetrics> = (0..levels).map(at).collect();
        // The tree that ends at its last level is the whole tree.
        Self { total: levels.last().copied().unwrap_or_default(), levels }
    }
}

/// For each level, the mean over random points of the surface of the total cost of the nodes that contain the point but
/// not its triangle: of all such nodes, and of those that a traversal reaches. Empty if the mesh has no area or no
/// point is drawn.
fn end_point_overlap<V: Measured>(
    tree: &BvTree,
    hierarchy: &Hierarchy<V>,
    options: &MetricsOptions,
) -> [Vec<Estimate>; 2] {
    let leaf_of = leaves_of_triangles(tree, hierarchy);
    let leaf_indices: Vec<usize> = (0..leaf_of.len()).collect();
    let triangle =
        |leaf_index: usize| Triangle { vertices: tree.view().triangle(leaf_index).map(|vertex| vertex.cast()) };
    let area = |leaf_index: &usize| 0.5 * triangle(*leaf_index).scaled_normal().norm();
    let foreign_costs = |(point, leaf): &(Point3<f64>, usize)| {
        let own: Vec<usize> = std::iter::successors(Some(*leaf), |&node| hierarchy.nodes[node].parent).collect();
        [Nodes::All, Nodes::Reached].map(|nodes| {
            let mut costs = CutCosts::new(hierarchy.levels());
            let visit = |index: usize, node: &NodeInfo<V>| {
                if !own.contains(&index) {
                    costs.add(node);
                }
            };
            let holds = |volume: &V| volume.contains(point);
            hierarchy.for_each(nodes, |bounds| bounds.contains(point), holds, visit);
            costs.by_level()
        })
    };
    let mut random = Random::new(options.seed);
    let chosen = choose(&leaf_indices, area, options.samples, &mut random);
    let on = |&&leaf_index: &&usize| (point_on(&triangle(leaf_index), &mut random), leaf_of[leaf_index]);
    let points: Vec<(Point3<f64>, usize)> = chosen.iter().map(on).collect();
    let by_point: Vec<[Vec<f64>; 2]> = parallel::map_with(&points, || (), |(), point| foreign_costs(point));
    [0, 1].map(|figure| mean_costs(hierarchy, by_point.iter().map(|costs| costs[figure].as_slice())))
}

/// The means of costs by level. Empty without samples.
fn mean_costs<'a, V>(
    hierarchy: &Hierarchy<V>,
    samples: impl ExactSizeIterator<Item = &'a [f64]> + Clone,
) -> Vec<Estimate>
where
    V: Measured,
{
    if samples.len() == 0 {
        return Vec::new();
    }
    // The root takes part in all samples; any other node may be in none.
    let mut greatest = CutCosts::new(hierarchy.levels());
    for node in hierarchy.nodes.iter().skip(1) {
        let level = node.level as usize;
        greatest.at[level] = greatest.at[level].max(triangles_cost(node));
        greatest.above[level] = greatest.above[level].max(visit_cost(node));
    }
    let rare = |level: usize| greatest.above[..level].iter().copied().fold(greatest.at[level], f64::max);
    let at = |level: usize| Estimate::mean(samples.clone().map(|costs| costs[level]), rare(level));
    (0..hierarchy.levels()).map(at).collect()
}

/// The leaf node of each triangle, in leaf order.
fn leaves_of_triangles<V: Measured>(tree: &BvTree, hierarchy: &Hierarchy<V>) -> Vec<usize> {
    let mut leaf_of = vec![0; tree.triangle_count()];
    for (index, node) in hierarchy.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
        leaf_of[node.first_triangle..node.first_triangle + node.triangles].fill(index);
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

    fn add<V>(&mut self, node: &NodeInfo<V>) {
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

/// The variability of the number of leaves that a line meets, that of the leaves that a traversal with the line
/// reaches, and the tests of the traversal. Empty if the root has no area or no line is drawn.
fn line_metrics<V: Measured>(hierarchy: &Hierarchy<V>, options: &MetricsOptions) -> [Vec<Estimate>; 3] {
    let Some(root) = hierarchy.nodes.first().map(|root| &root.volume).filter(|root| root.surface_area() > 0.0) else {
        return [const { Vec::new() }; 3];
    };
    let drawn = root.lines_through(options.samples, &mut Random::new(options.seed));
    // Up to rounding, all drawn lines meet the root.
    let lines: Vec<Line> = drawn.into_iter().filter(|line| root.meets(line)).collect();
    if lines.is_empty() {
        return [const { Vec::new() }; 3];
    }
    let of_line = |(), line: &Line| [Nodes::All, Nodes::Reached].map(|nodes| leaves_and_tests(hierarchy, nodes, line));
    let by_line: Vec<[(Vec<f64>, Vec<f64>); 2]> = parallel::map_with(&lines, || (), |&mut (), line| of_line((), line));
    let variability = |nodes: usize| {
        let at = |level: usize| Estimate::deviation(by_line.iter().map(|of| of[nodes].0[level]), level == 0);
        (0..hierarchy.levels()).map(at).collect()
    };
    [variability(0), variability(1), mean_costs(hierarchy, by_line.iter().map(|of| of[1].1.as_slice()))]
}

/// The number of leaves and the cost of all nodes that a line meets or, by `nodes`, that a traversal with the line
/// reaches, in the trees that end at each level.
fn leaves_and_tests<V: Measured>(hierarchy: &Hierarchy<V>, nodes: Nodes, line: &Line) -> (Vec<f64>, Vec<f64>) {
    let levels = hierarchy.levels();
    let mut costs = CutCosts::new(levels);
    // Nodes met at each level, and leaves among them.
    let (mut met, mut leaves) = (vec![0.0; levels], vec![0.0; levels]);
    let visit = |_, node: &NodeInfo<V>| {
        met[node.level as usize] += 1.0;
        leaves[node.level as usize] += f64::from(u8::from(node.is_leaf()));
        costs.add(node);
    };
    hierarchy.for_each(nodes, |bounds| line.meets_aabb(bounds), |volume| volume.meets(line), visit);
    let mut leaves_above = 0.0;
    for (met, leaves) in met.iter_mut().zip(leaves) {
        *met += leaves_above;
        leaves_above += leaves;
    }
    (met, costs.by_level())
}

/// Uniform random lines that meet a volume.
///
/// A line that goes through a uniform point of a convex surface, at an angle to the normal whose density is in
/// proportion to its cosine, is uniform among the lines that meet the volume (Santalo, "Integral Geometry and Geometric
/// Probability", 1976).
pub(super) fn lines_through(volume: &Volume, count: usize, random: &mut Random) -> Vec<Line> {
    if let Volume::Sphere(sphere) = volume {
        return lines_through_sphere(sphere, count, random);
    }
    let surface = surface(volume);
    let chosen = choose(&surface, |triangle| triangle.scaled_normal().norm(), count, random);
    let line = |triangle: &&Triangle| {
        let point = point_on(triangle, random);
        let normal = triangle.scaled_normal().normalize();
        // The height over a uniform point of the disk has the density of the cosine (Malley).
        let (u, v, radius_sq) = random.in_disk();
        let [x, y] = across(&normal);
        Line { point, direction: x * u + y * v + normal * (1.0 - radius_sq).sqrt() }
    };
    chosen.iter().map(line).collect()
}

/// Uniform random lines that meet a sphere.
pub(super) fn lines_through_sphere(sphere: &Sphere, count: usize, random: &mut Random) -> Vec<Line> {
    let line = |_| {
        let direction = random.direction().into_inner();
        let (u, v, _) = random.in_disk();
        let [x, y] = across(&direction);
        Line { point: sphere.center + (x * u + y * v) * sphere.radius, direction }
    };
    (0..count).map(line).collect()
}

/// Two unit vectors that are normal to a unit vector and to each other.
fn across(direction: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let first = any_perpendicular(direction);
    [first, direction.cross(&first)]
}

/// The surface of a volume other than a sphere, as triangles.
fn surface(volume: &Volume) -> Vec<Triangle> {
    const FACES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let of_box = |corners: [Point3<f64>; 8]| FACES.map(|face| face.map(|corner| corners[corner]).to_vec()).to_vec();
    let faces = match volume {
        Volume::Aabb(aabb) => of_box(aabb.corners()),
        Volume::Obb(obb) => of_box(obb.corners()),
        Volume::KDop(kdop) => kdop.faces(),
        Volume::Sphere(_) => Vec::new(),
    };
    let fan = |face: &Vec<Point3<f64>>| -> Vec<Triangle> {
        face.windows(2).skip(1).map(|ends| Triangle::new(face[0], ends[0], ends[1])).collect()
    };
    faces.iter().flat_map(fan).collect()
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) point: Point3<f64>,
    /// Unit vector.
    pub(super) direction: Vector3<f64>,
}

impl Line {
    pub(super) fn meets(&self, volume: &Volume) -> bool {
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
