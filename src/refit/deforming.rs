//! The tree that follows its mesh.

use std::fmt;
use std::sync::Arc;

use nalgebra::Point3;

use super::error::{NotRefittable, RefitError};
use super::moved_vertices::PartlyMoved;
use super::numbering::{mesh_vertices, numbered};
use super::options::{RefitOptions, Refitted};
use super::plan::Plan;
use super::state::AnyState;
use super::vertices::{VERTICES, all_finite};
use crate::mesh::Mesh;
use crate::parallel;
use crate::simd::SimdLevel;
use crate::tree::BvTree;

/// A mesh that deforms, and a tree that follows it.
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
/// The volumes depend on the tree, on the positions and on the options alone; not on threads, instructions or what the
/// positions were in between. (But where only a part of the mesh moves, volumes may be stored relative to a former
/// middle of the mesh, with other roundings.) A refit allocates nothing after the first of its kind, but where the tree
/// is shared or built anew.
pub struct DeformingTree {
    pub(super) tree: Arc<BvTree>,
    pub(super) mesh: Mesh,
    pub(super) options: RefitOptions,
    pub(super) level: SimdLevel,
    pub(super) plan: Plan,
    pub(super) state: AnyState,
    /// What visits to each node's volumes cost, in areas.
    pub(super) costs: Vec<f64>,
    pub(super) cost_at_build: f64,
    /// For each vertex of the tree that of the mesh.
    pub(super) mesh_vertices: Vec<u32>,
    /// Whether the volumes are all of refits, and the state knows of them.
    pub(super) is_refitted: bool,
    /// Made when a part of the mesh first moves.
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
    /// Of a mesh and the tree that was built of it, or opened: with the options' defaults.
    ///
    /// A tree that is shared, or in a file, is copied.
    ///
    /// # Errors
    /// If the tree is of another mesh, or unsound, as one from a damaged file that was trusted.
    pub fn new(tree: impl Into<Arc<BvTree>>, mesh: Mesh) -> Result<Self, NotRefittable> {
        Self::with_options(tree, mesh, RefitOptions::default())
    }

    /// As [`DeformingTree::new`].
    ///
    /// # Errors
    /// As [`DeformingTree::new`].
    pub fn with_options(
        tree: impl Into<Arc<BvTree>>,
        mesh: Mesh,
        options: RefitOptions,
    ) -> Result<Self, NotRefittable> {
        let tree = numbered(tree.into(), &mesh)?;
        let plan = Plan::new(&tree.view(), tree.kind());
        let state = AnyState::new(&tree, &plan, options.obb_axes);
        let mut deforming = Self {
            mesh_vertices: mesh_vertices(&tree, &mesh),
            costs: vec![0.0; plan.nodes.len()],
            cost_at_build: 1.0,
            level: SimdLevel::detect(),
            is_refitted: false,
            partly_moved: None,
            tree: Arc::new(tree),
            mesh,
            options,
            plan,
            state,
        };
        deforming.measure_at_build();
        Ok(deforming)
    }

    /// The tree as it is now. While somebody else holds it too, a refit copies it first.
    pub fn tree(&self) -> &Arc<BvTree> {
        &self.tree
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The options.
    pub fn options(&self) -> &RefitOptions {
        &self.options
    }

    /// Puts all vertices elsewhere, in the mesh's order, and fits all volumes again.
    ///
    /// # Errors
    /// If there is not one position for each vertex, or one is not finite: then nothing has changed. If the tree is to be built
    /// anew and can't be, it is refitted.
    pub fn refit(&mut self, positions: &[Point3<f32>]) -> Result<Refitted, RefitError> {
        if positions.len() <= VERTICES {
            return self.refit_here(positions);
        }
        // Otherwise this thread would wake the pool's for every pass.
        parallel::within_pool(|| self.refit_here(positions))
    }

    fn refit_here(&mut self, positions: &[Point3<f32>]) -> Result<Refitted, RefitError> {
        self.check(positions)?;
        let copy = |first: usize, run: &mut [Point3<f32>]| run.copy_from_slice(&positions[first..][..run.len()]);
        parallel::reduce_runs(&mut self.mesh.vertices, VERTICES, copy, |(), ()| ());
        self.refit_all();
        self.finished(self.plan.volumes())
    }

    /// Puts some vertices elsewhere, by their indices in the mesh, and fits again the volumes that have one of their
    /// triangles; of a vertex that is named several times the last position counts.
    ///
    /// All volumes are fitted again the first time, and where the mesh outgrows the frame that its volumes are stored
    /// in or becomes much smaller.
    ///
    /// # Errors
    /// If there is no such vertex, or a position is not finite: then nothing has changed. Else as [`DeformingTree::refit`].
    pub fn refit_moved(&mut self, moved: &[(u32, Point3<f32>)]) -> Result<Refitted, RefitError> {
        self.check_moved(moved)?;
        for &(vertex, position) in moved {
            self.mesh.vertices[vertex as usize] = position;
        }
        let volumes = self.refit_some(moved);
        self.finished(volumes)
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
