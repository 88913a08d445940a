//! The tree that follows a deforming mesh: refits after all or some vertices moved, and rebuilds.

use std::fmt;
use std::sync::Arc;

use nalgebra::Point3;

use super::moved::PartlyMoved;
use super::options::{NotRefittable, RefitError, RefitOptions, Refitted};
use super::state::{Request, State, costs_of, root_area, state_of, sum_of};
use super::topology::{Topology, mesh_vertices, numbered};
use super::vertices::{VERTICES, all_finite, bounds};
use crate::mesh::Mesh;
use crate::numeric::error_bounds::area_of_line;
use crate::parallel;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, Meta};
use crate::volume::Frame;

/// A partial refit keeps the tree's frame only if a new frame's unit would be at least this fraction of the present
/// unit.
const USED_UNIT: f64 = 0.5;

/// A deforming mesh and a tree that follows it: new positions require a refit, not a rebuild.
///
/// ```
/// use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, refit::DeformingTree};
///
/// let mesh = Mesh::load_obj("data/spring.obj")?;
/// let tree = BvTree::build(&mesh, &BuildOptions::default())?;
/// let mut spring = DeformingTree::new(tree, mesh)?;
/// let mut positions = spring.mesh().vertices().to_vec();
/// positions.iter_mut().for_each(|p| p.z *= 1.5);
/// let refitted = spring.refit(&positions)?;
/// println!("queries cost about {:.2} times what they did", refitted.cost_ratio);
/// assert!(Query::new().intersects(spring.tree(), spring.tree(), &Pose::identity()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The volumes depend only on the tree, the positions and the options: not on threads, SIMD level or earlier positions.
/// The exception is [`refit_moved`](Self::refit_moved), after which volumes may still be stored in an earlier frame
/// (centre and unit) of the mesh, and are then rounded differently. The first refit after construction or a rebuild
/// allocates memory. Later calls of [`refit`](Self::refit) allocate only if the tree is shared or rebuilt; those of
/// `refit_moved` also if more vertices move than in earlier calls.
pub struct DeformingTree {
    pub(super) tree: Arc<BvTree>,
    pub(super) mesh: Mesh,
    pub(super) options: RefitOptions,
    pub(super) level: SimdLevel,
    pub(super) topology: Topology,
    pub(super) state: Box<dyn State>,
    /// The cost of visits below each node's volumes, in units of area.
    pub(super) costs: Vec<f64>,
    /// The cost of queries when the tree was built, as [`Self::cost`] returns it.
    pub(super) cost_at_build: Option<f64>,
    /// The mesh's vertex for each vertex of the tree.
    pub(super) mesh_vertices: Vec<u32>,
    /// Whether all volumes have been refitted since construction or the last rebuild, so that the state matches them.
    pub(super) is_refitted: bool,
    /// The state of partial refits, created at the first one.
    pub(super) partly_moved: Option<PartlyMoved>,
}

impl fmt::Debug for DeformingTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeformingTree")
            .field("tree", &self.tree)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl DeformingTree {
    /// Creates a deforming tree from a mesh and the mesh's tree, with default options.
    ///
    /// The deforming tree keeps its own copy of the tree. The mesh takes over the tree's origin, groups and polygons,
    /// so that a rebuild keeps them.
    ///
    /// # Errors
    /// If the tree was built from another mesh, or is invalid because a damaged file was opened with
    /// [`BvTree::open_trusted`].
    pub fn new(tree: impl Into<Arc<BvTree>>, mesh: Mesh) -> Result<Self, NotRefittable> {
        Self::with_options(tree, mesh, RefitOptions::default())
    }

    /// Creates a deforming tree from a mesh and the mesh's tree, with options.
    ///
    /// # Errors
    /// The errors of [`DeformingTree::new`].
    pub fn with_options(
        tree: impl Into<Arc<BvTree>>,
        mut mesh: Mesh,
        options: RefitOptions,
    ) -> Result<Self, NotRefittable> {
        let tree = numbered(tree.into(), &mesh)?;
        (mesh.polygons, mesh.groups) = (tree.view().polygons.to_vec(), tree.groups().to_vec());
        mesh.origin = tree.origin();
        let topology = Topology::new(&tree.view(), tree.kind());
        let state = state_of(&tree, &topology, options.obb_axes);
        let mut deforming = Self {
            mesh_vertices: mesh_vertices(&tree, &mesh),
            costs: vec![0.0; topology.nodes.len()],
            cost_at_build: None,
            level: SimdLevel::detect(),
            is_refitted: false,
            partly_moved: None,
            tree: Arc::new(tree),
            mesh,
            options,
            topology,
            state,
        };
        deforming.measure_at_build();
        Ok(deforming)
    }

    /// The current tree. While others hold the `Arc` too, a refit copies the tree first.
    pub fn tree(&self) -> &Arc<BvTree> {
        &self.tree
    }

    /// The current mesh, with the tree's origin, groups and polygons.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The options.
    pub fn options(&self) -> &RefitOptions {
        &self.options
    }

    /// Moves all vertices, given in the mesh's order, and refits all volumes.
    ///
    /// # Errors
    /// If there are not as many positions as vertices, or a position is not finite; then nothing has changed. Also if a
    /// rebuild fails; then the tree has been refitted nevertheless.
    pub fn refit(&mut self, positions: &[Point3<f32>]) -> Result<Refitted, RefitError> {
        if positions.len() <= VERTICES {
            return self.refit_here(positions);
        }
        // Outside the pool, every pass would have to wake its threads.
        parallel::within_pool(|| self.refit_here(positions))
    }

    fn refit_here(&mut self, positions: &[Point3<f32>]) -> Result<Refitted, RefitError> {
        self.check(positions)?;
        let copy = |first: usize, run: &mut [Point3<f32>]| run.copy_from_slice(&positions[first..][..run.len()]);
        parallel::reduce_runs(&mut self.mesh.vertices, VERTICES, copy, |(), ()| ());
        self.refit_all();
        self.finished(self.topology.volumes())
    }

    /// Moves some vertices, given by their indices in the mesh, and refits the volumes above their triangles. The last
    /// position of a repeated vertex is used.
    ///
    /// All volumes are refitted by the first refit after construction or a rebuild, and whenever the mesh no longer
    /// lies within the frame in which its volumes are stored (it has grown or moved away) or has become much smaller
    /// than that frame.
    ///
    /// # Errors
    /// If a vertex does not exist, or a position is not finite; then nothing has changed. Also if a rebuild fails; then
    /// the tree has been refitted nevertheless.
    pub fn refit_moved(&mut self, moved: &[(u32, Point3<f32>)]) -> Result<Refitted, RefitError> {
        self.check_moved(moved)?;
        for &(vertex, position) in moved {
            self.mesh.vertices[vertex as usize] = position;
        }
        let volumes = self.refit_some(moved);
        self.finished(volumes)
    }

    /// The cost of queries according to the surface area heuristic (Goldsmith and Salmon 1987), relative to the tree as
    /// it was built. The cost is the sum, over all volumes, of area times the number of tests directly below, divided
    /// by the root's area. The ratio is 1 at first; above about 1.5 a rebuild soon pays.
    ///
    /// The root volume of a mesh that has collapsed to a point has no area except by rounding, nor has an oriented box
    /// around a line, or an AABB or k-DOP around a line along an axis. A tree built for such a mesh says nothing about
    /// others. Therefore the ratio is 1 while the root volume has no area, so that no refit rebuilds the tree, and
    /// infinite if it has area now but had none when the tree was built.
    pub fn cost_ratio(&self) -> f64 {
        match (self.cost(), self.cost_at_build) {
            (Some(cost), Some(at_build)) => cost / at_build,
            (Some(_), None) => f64::INFINITY,
            (None, _) => 1.0,
        }
    }

    /// Rebuilds the tree from the current mesh, with the tree's own build options.
    ///
    /// # Errors
    /// The errors of [`BvTree::build`]; the tree is unchanged then.
    pub fn rebuild(&mut self) -> Result<(), RefitError> {
        let tree = BvTree::build(&self.mesh, self.tree.options())?.with_layers_of(&self.tree);
        self.topology = Topology::new(&tree.view(), tree.kind());
        self.state = state_of(&tree, &self.topology, self.options.obb_axes);
        self.mesh_vertices = mesh_vertices(&tree, &self.mesh);
        (self.costs, self.partly_moved) = (vec![0.0; self.topology.nodes.len()], None);
        (self.tree, self.is_refitted) = (Arc::new(tree), false);
        self.measure_at_build();
        Ok(())
    }

    /// The result of a refit, after a rebuild if one is due.
    pub(super) fn finished(&mut self, volumes: usize) -> Result<Refitted, RefitError> {
        let cost_ratio = self.cost_ratio();
        let was_rebuilt = self.options.rebuild_above.is_some_and(|most| cost_ratio > most);
        if was_rebuilt {
            self.rebuild()?;
        }
        Ok(Refitted { volumes, cost_ratio, was_rebuilt })
    }

    pub(super) fn refit_all(&mut self) {
        let Some((meta, arrays)) = Arc::make_mut(&mut self.tree).arrays_mut() else { return };
        let (vertices, mesh_vertices) = (&self.mesh.vertices, &self.mesh_vertices);
        let reorder = |first: usize, run: &mut [_]| {
            for (vertex, &number) in run.iter_mut().zip(&mesh_vertices[first..]) {
                *vertex = vertices[number as usize];
            }
            bounds(self.level, run)
        };
        meta.bounds = parallel::reduce_runs(&mut arrays.vertices, VERTICES, reorder, |a, b| a.union(&b));
        meta.frame = Frame::of(&meta.bounds);
        meta.mesh_digest = 0;
        let request =
            Request { level: self.level, topology: &self.topology, frame: meta.frame, dirty: None, moved: None };
        self.state.refit(&request, arrays, &mut self.costs);
        self.is_refitted = true;
    }

    /// Refits volumes to the mesh's vertices, of which only `moved` have moved; returns the number of refitted volumes.
    pub(super) fn refit_some(&mut self, moved: &[(u32, Point3<f32>)]) -> usize {
        let (mesh, topology) = (&self.mesh, &self.topology);
        let parts = self
            .partly_moved
            .get_or_insert_with(|| PartlyMoved::new(&self.tree, mesh.vertices.len(), &self.mesh_vertices, topology));
        let Some((meta, arrays)) = Arc::make_mut(&mut self.tree).arrays_mut() else { return 0 };
        parts.clear();
        for &(vertex, _) in moved {
            if let Some(number) = parts.add(vertex, topology) {
                arrays.vertices[number] = mesh.vertices[vertex as usize];
            }
        }
        meta.mesh_digest = 0;
        meta.bounds = bounds(self.level, &arrays.vertices);
        let frame = Frame::of(&meta.bounds);
        let is_of_use = meta.frame.is_for(&meta.bounds) && frame.unit >= USED_UNIT * meta.frame.unit;
        let is_kept = is_of_use && self.is_refitted;
        self.is_refitted = true;
        let (dirty, volumes) =
            if is_kept { (Some(&parts.dirty), parts.dirty.volumes()) } else { (None, topology.volumes()) };
        if !is_kept {
            meta.frame = frame;
        }
        let request = Request { level: self.level, topology, frame: meta.frame, dirty, moved: Some(&parts.moved) };
        self.state.refit(&request, arrays, &mut self.costs);
        volumes
    }

    pub(super) fn measure_at_build(&mut self) {
        costs_of(self.level, &self.tree.view(), self.tree.kind(), &self.topology, &mut self.costs);
        self.cost_at_build = self.cost();
    }

    /// The cost according to the surface area heuristic; `None` for a mesh without area.
    pub(super) fn cost(&self) -> Option<f64> {
        if self.costs.is_empty() {
            return None;
        }
        let &Meta { frame, bounds, .. } = self.tree.meta();
        let largest = bounds.lower.coords.amax().max(bounds.upper.coords.amax());
        let area = root_area(self.tree.view().nodes, self.tree.kind());
        (area > area_of_line(largest, frame.unit)).then(|| sum_of(&self.costs) / area)
    }

    pub(crate) fn check(&self, positions: &[Point3<f32>]) -> Result<(), RefitError> {
        let vertices = self.mesh.vertices.len();
        if positions.len() != vertices {
            return Err(RefitError::VertexCount { given: positions.len(), vertices });
        }
        if all_finite(positions) {
            return Ok(());
        }
        let is_odd = |p: &Point3<f32>| !p.iter().all(|x| x.is_finite());
        let vertex = positions.iter().position(is_odd).unwrap_or(0) as u32;
        Err(RefitError::NotFinite { vertex })
    }

    pub(crate) fn check_moved(&self, moved: &[(u32, Point3<f32>)]) -> Result<(), RefitError> {
        let vertices = self.mesh.vertices.len();
        for &(vertex, position) in moved {
            if vertex as usize >= vertices {
                return Err(RefitError::NoSuchVertex { vertex, vertices });
            }
            if !position.iter().all(|x| x.is_finite()) {
                return Err(RefitError::NotFinite { vertex });
            }
        }
        Ok(())
    }
}
