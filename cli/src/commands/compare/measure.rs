//! Measures a mesh and each of its trees in turn.

use std::collections::HashMap;
use std::io;
use std::io::Write;
use std::time::Duration;

use bvtree::metrics::{
    CostTerms, Estimate, HausdorffError, LevelMetrics, MeshFacts, MetricsOptions, PoseCost, PoseSet, QueryCost,
    ReferenceVolume, SeparatedPose, TreeMetrics, VolumeMetrics, time_queries,
};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Preset, Query, VolumeKind};

use crate::error::CliError;

/// The number of timed passes over the poses, after an untimed one.
const PASSES: usize = 5;

/// A mesh whose trees are measured.
pub struct Subject {
    pub mesh: Mesh,
    facts: MeshFacts,
    set: PoseSet,
    /// The number of random points, and also of random lines.
    samples: usize,
    /// The kinds of volume that are measured at the nodes of each tree, in addition to the volumes that the tree
    /// stores.
    beside: Vec<ReferenceVolume>,
    /// The poses, read from a file or else computed with the first tree; all trees share them.
    poses: Option<Vec<LabelledPose>>,
    /// The cost of each pose with the first tree, to which the other trees are compared.
    first: Option<Vec<PoseCost>>,
}

/// A pose of the mesh against a copy of itself.
pub struct LabelledPose {
    /// The label, as in [`SeparatedPose::label`] or in a file.
    pub label: String,
    pub pose: Pose,
}

impl From<SeparatedPose> for LabelledPose {
    fn from(posed: SeparatedPose) -> Self {
        Self { label: posed.label(), pose: posed.pose }
    }
}

/// The measurements of one tree.
pub struct Measured {
    pub kind: VolumeKind,
    /// The preset; `None` for custom build options.
    pub preset: Option<Preset>,
    pub options: BuildOptions,
    /// The seed of all random poses, points and lines.
    pub seed: u64,
    /// The number of random points, and also of random lines.
    pub samples: usize,
    /// [`Mesh::geometry_digest`].
    pub mesh_digest: u128,
    /// Facts about the mesh, the same for all its trees.
    pub facts: MeshFacts,
    pub triangles: usize,
    pub nodes: usize,
    pub depth: u32,
    /// The size of the cooked file in bytes.
    pub bytes: u64,
    pub build_time: Duration,
    /// The metrics of the volumes, by level and in total, and the curve of errors against the number of volumes.
    pub metrics: TreeMetrics,
    /// The metrics of volumes that the tree does not store, at the tree's nodes.
    pub beside: Vec<(ReferenceVolume, VolumeMetrics)>,
    /// The cost of queries over all poses.
    pub cost: Cost,
    /// The cost of queries at each separation, in the requested order.
    pub by_separation: Vec<SeparationCost>,
    /// The times of a volume test and of a triangle test on this machine; `None` if the poses don't determine them.
    pub cost_terms: Option<CostTerms>,
}

/// The cost of queries at one separation.
pub struct SeparationCost {
    pub label: String,
    /// The separation as a fraction of the mesh's diagonal, negative if the meshes overlap; `None` if the label doesn't
    /// give it.
    pub separation: Option<f64>,
    pub cost: Cost,
}

/// The work and time of a set of queries.
///
/// Estimates are of the means over all possible poses; the measured poses along one line count as one sample.
pub struct Cost {
    pub work: QueryCost,
    /// The mean numbers of volume tests and of triangle tests per query.
    pub tests: [Option<Estimate>; 2],
    /// The ratios of volume tests, of triangle tests and of times to those with the mesh's first tree at the same
    /// poses.
    pub to_first: [Option<Estimate>; 3],
    /// The mean time of a query in microseconds; `None` without poses.
    pub micros_per_query: Option<f64>,
    /// The mean times of a query over each pose's fastest and slowest pass, in microseconds; `None` without poses.
    pub micros_range: Option<[f64; 2]>,
}

/// The figures of the volumes at a tree's nodes: those that the tree stores, or reference volumes.
pub struct AtNodes<'a> {
    /// The volumes' kind.
    pub name: &'static str,
    pub is_stored: bool,
    pub levels: Vec<LevelMetrics>,
    pub total: LevelMetrics,
    pub hausdorff: Option<&'a HausdorffError>,
}

impl Measured {
    /// The figures of the volumes that the tree stores.
    pub fn stored(&self) -> AtNodes<'_> {
        AtNodes {
            name: self.kind.name(),
            is_stored: true,
            levels: self.metrics.levels().collect(),
            total: self.metrics.total(),
            hausdorff: Some(&self.metrics.hausdorff),
        }
    }

    /// The figures of the reference volumes that were measured at the tree's nodes.
    pub fn others(&self) -> impl Iterator<Item = AtNodes<'_>> {
        self.beside.iter().map(|(kind, metrics)| AtNodes {
            name: kind.name(),
            is_stored: false,
            levels: metrics.levels().collect(),
            total: metrics.total(),
            hausdorff: metrics.hausdorff.as_ref(),
        })
    }

    /// The name shown for build options that are not a preset's.
    pub const CUSTOM: &str = "custom";

    /// The preset's name; `custom` for build options that are not a preset's.
    pub fn preset_name(&self) -> &'static str {
        self.preset.map_or(Self::CUSTOM, Preset::name)
    }

    /// The metrics of all volumes together.
    pub fn total(&self) -> LevelMetrics {
        self.metrics.total()
    }

    pub fn bytes_per_triangle(&self) -> f64 {
        self.bytes as f64 / self.triangles as f64
    }
}

impl Subject {
    /// A mesh to be measured at the given poses, or else at those of the set.
    pub fn new(
        mesh: Mesh,
        poses: Option<Vec<LabelledPose>>,
        set: PoseSet,
        samples: usize,
        beside: Vec<ReferenceVolume>,
    ) -> Self {
        let facts = MeshFacts::new(&mesh);
        Self { mesh, facts, set, samples, beside, poses, first: None }
    }

    /// The poses at which the trees so far were measured.
    pub fn poses(&self) -> &[LabelledPose] {
        self.poses.as_deref().unwrap_or(&[])
    }

    pub fn measure(
        &mut self,
        tree: &BvTree,
        preset: Option<Preset>,
        build_time: Duration,
    ) -> Result<Measured, CliError> {
        let poses = match self.poses.take() {
            Some(poses) => poses,
            None => self.set.poses(tree, tree).into_iter().map(Into::into).collect(),
        };
        let asked: Vec<Pose> = poses.iter().map(|posed| posed.pose).collect();
        let costs = time_queries(&mut Query::new(), tree, tree, &asked, PASSES);
        let first = self.first.get_or_insert_with(|| costs.clone());
        let posed: Vec<Posed> = by_line(&poses, &costs, first);
        let by_separation = by_separation(&poses, &posed);
        self.poses = Some(poses);
        let options = MetricsOptions { seed: self.set.seed, samples: self.samples, ..MetricsOptions::default() };
        let mut bytes = ByteCount(0);
        tree.write_to(&mut bytes).map_err(|error| CliError::caused("cannot measure a tree", &error))?;
        Ok(Measured {
            kind: tree.kind(),
            preset,
            options: *tree.options(),
            seed: self.set.seed,
            samples: self.samples,
            mesh_digest: self.mesh.geometry_digest(),
            facts: self.facts,
            triangles: tree.triangle_count(),
            nodes: tree.node_count(),
            depth: tree.depth(),
            bytes: bytes.0,
            build_time,
            metrics: TreeMetrics::with_options(tree, &self.facts, &options),
            beside: self.beside.iter().map(|&kind| (kind, kind.measure(tree, &self.facts, &options))).collect(),
            cost: Cost::of(&posed),
            by_separation,
            cost_terms: CostTerms::fit(&costs),
        })
    }
}

/// The cost of a pose, and the line that the pose is on.
#[derive(Clone, Copy)]
struct Posed {
    /// The index of the line along which the mesh approaches. Poses with the same label are on different lines; the
    /// n-th poses of all labels are on the same line.
    line: usize,
    cost: PoseCost,
    /// The cost with the mesh's first tree.
    first: PoseCost,
}

/// The cost of each pose, with its line.
fn by_line(poses: &[LabelledPose], costs: &[PoseCost], first: &[PoseCost]) -> Vec<Posed> {
    let mut lines: HashMap<&str, usize> = HashMap::new();
    let mut posed = Vec::with_capacity(poses.len());
    for ((LabelledPose { label, .. }, &cost), &first) in poses.iter().zip(costs).zip(first) {
        let next = lines.entry(label).or_default();
        posed.push(Posed { line: *next, cost, first });
        *next += 1;
    }
    posed
}

impl Cost {
    fn of(poses: &[Posed]) -> Self {
        let count = poses.len();
        let micros = |time: &dyn Fn(&PoseCost) -> Duration| {
            poses.iter().map(|posed| time(&posed.cost)).sum::<Duration>().as_secs_f64() * 1e6 / count as f64
        };
        let lines = poses.iter().map(|posed| posed.line + 1).max().unwrap_or(0);
        let estimate = |of: &dyn Fn(&PoseCost) -> f64, base: &dyn Fn(&Posed) -> f64| {
            let mut sums = vec![[0.0; 2]; lines];
            for posed in poses {
                sums[posed.line][0] += of(&posed.cost);
                sums[posed.line][1] += base(posed);
            }
            Estimate::ratio_of_sums(sums)
        };
        let tests: [fn(&PoseCost) -> f64; 2] = [|cost| cost.volume_tests as f64, |cost| cost.triangle_tests as f64];
        let [volumes, triangles] = tests;
        let seconds: fn(&PoseCost) -> f64 = |cost| cost.time.as_secs_f64();
        Self {
            work: poses.iter().map(|posed| &posed.cost).collect(),
            tests: tests.map(|of| estimate(&of, &|_| 1.0)),
            to_first: [volumes, triangles, seconds].map(|of| estimate(&of, &|posed| of(&posed.first))),
            micros_per_query: (count > 0).then(|| micros(&|pose| pose.time)),
            micros_range: (count > 0).then(|| [0, 1].map(|end| micros(&|pose| pose.time_range[end]))),
        }
    }
}

/// The cost of each label's poses, in the order in which the labels first appear.
fn by_separation(poses: &[LabelledPose], costs: &[Posed]) -> Vec<SeparationCost> {
    let mut groups: Vec<(&str, Vec<Posed>)> = Vec::new();
    for (LabelledPose { label, .. }, posed) in poses.iter().zip(costs) {
        match groups.iter_mut().find(|(known, _)| known == label) {
            Some((_, group)) => group.push(*posed),
            None => groups.push((label, vec![*posed])),
        }
    }
    let cost = |(label, costs): (&str, Vec<Posed>)| SeparationCost {
        label: label.to_owned(),
        separation: separation(label),
        cost: Cost::of(&costs),
    };
    groups.into_iter().map(cost).collect()
}

/// The separation that a label such as `sep=0.01` or `pen=0.01` gives; `None` for other labels.
fn separation(label: &str) -> Option<f64> {
    let (kind, distance) = label.split_once('=')?;
    let distance: f64 = distance.parse().ok()?;
    match kind {
        "sep" => Some(distance),
        "pen" => Some(-distance),
        _ => None,
    }
}

/// A writer that counts bytes and discards them.
struct ByteCount(u64);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
