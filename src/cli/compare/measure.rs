//! The measuring itself: a mesh, and each of its trees in turn.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use bvtree::metrics::{MeshFacts, PoseSet, QueryCost, SeparatedPose, Tightness, query_cost};
use bvtree::query::QueryError;
use bvtree::{BvTree, Mesh, Query, VolumeKind};

use super::CliError;

/// Timed passes over the poses, after an untimed one.
const PASSES: usize = 3;

/// A mesh whose trees are measured.
pub struct Subject {
    pub mesh: Mesh,
    facts: MeshFacts,
    set: PoseSet,
    /// The same for trees of all kinds, so found with the first.
    poses: Option<Vec<SeparatedPose>>,
}

/// What was measured of one tree.
pub struct Measured {
    pub kind: VolumeKind,
    pub triangles: usize,
    pub nodes: usize,
    pub depth: u32,
    /// Of the cooked file.
    pub bytes: u64,
    pub build_time: Duration,
    pub tightness: Tightness,
    pub cost: QueryCost,
    /// Median over the passes; `None` without poses.
    pub micros_per_query: Option<f64>,
}

impl Measured {
    pub fn bytes_per_triangle(&self) -> f64 {
        self.bytes as f64 / self.triangles as f64
    }
}

impl Subject {
    pub fn new(mesh: Mesh, set: PoseSet) -> Self {
        let facts = MeshFacts::new(&mesh);
        Self { mesh, facts, set, poses: None }
    }

    pub fn measure(&mut self, tree: &BvTree, build_time: Duration) -> Result<Measured, CliError> {
        let failed = |error: QueryError| CliError::caused("cannot measure queries", &error);
        let poses = match self.poses.take() {
            Some(poses) => poses,
            None => self.set.poses(tree, tree).map_err(failed)?,
        };
        let (cost, micros_per_query) = time_queries(tree, &poses).map_err(failed)?;
        self.poses = Some(poses);
        let mut bytes = ByteCount(0);
        tree.write_to(&mut bytes).map_err(|error| CliError::caused("cannot measure a tree", &error))?;
        Ok(Measured {
            kind: tree.volume(),
            triangles: tree.triangle_count(),
            nodes: tree.node_count(),
            depth: tree.depth(),
            bytes: bytes.0,
            build_time,
            tightness: Tightness::new(tree, &self.facts),
            cost,
            micros_per_query,
        })
    }
}

/// Asks about every pose once to count, then a few times to see how long that takes.
fn time_queries(tree: &BvTree, poses: &[SeparatedPose]) -> Result<(QueryCost, Option<f64>), QueryError> {
    let mut query = Query::new();
    let mut pass = || query_cost(&mut query, tree, tree, poses.iter().map(|posed| &posed.pose));
    let cost = pass()?;
    if poses.is_empty() {
        return Ok((cost, None));
    }
    let mut times = [Duration::ZERO; PASSES];
    for time in &mut times {
        let began = Instant::now();
        std::hint::black_box(pass()?);
        *time = began.elapsed();
    }
    times.sort();
    Ok((cost, Some(times[PASSES / 2].as_secs_f64() * 1e6 / poses.len() as f64)))
}

/// Takes bytes and keeps only their number.
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
