//! Tiles of one surface: shapes of several colliders that know the triangles across their seams.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bvtree::pose::PoseError;
use bvtree::shape::Obb;
use bvtree::{BvTree, Pose};
use nalgebra::{Matrix3, Point3, Vector3};
use parry3d::math::{Pose as ParryPose, Vector};

use crate::TreeShape;
use crate::pair::{narrow_vector, with_probe};

/// The tiles of a level that is loaded in parts, each a collider of its own.
///
/// Contact normals at an edge are corrected by the triangles on both sides of it; see
/// [`InternalEdges`](crate::InternalEdges). A shape alone knows only its own triangles. A tile also knows those of the
/// other tiles of the same `Tiles`, so that bodies roll and slide over the seams as if the level were in one piece.
///
/// A tile stays among the tiles while its shape or a clone of it exists: rapier3d's `remove_collider` unloads it.
/// Tiles may come and go between steps, on any thread. Triangles meet at a seam if they share both ends of an edge,
/// up to the rounding of coordinates to f32.
///
/// ```
/// use bvtree::{BuildOptions, BvTree, Mesh};
/// use bvtree_parry::{Tiles, TreeDispatcher, TreeShape};
/// use rapier3d::prelude::*;
///
/// let square = [[0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [8.0, 0.0, 8.0], [8.0, 0.0, 0.0]];
/// let mesh = Mesh::from_slices(&square, &[[0, 1, 2], [0, 2, 3]])?;
///
/// let mut world = PhysicsWorld::new();
/// world.narrow_phase = NarrowPhase::with_query_dispatcher(TreeDispatcher);
/// let tiles = Tiles::new();
/// let mut loaded = Vec::new();
/// for x in [-8.0, 0.0] {
///     let pose = Pose::translation(x, 0.0, 0.0);
///     // A game opens the tile's cooked file instead: `BvTree::open("tile-3-7.bvt")?`.
///     let tree = BvTree::build(&mesh, &BuildOptions::default())?;
///     let tile = tiles.add(TreeShape::new(tree)?, &pose)?;
///     let collider = ColliderBuilder::new(SharedShape::new(tile)).position(pose).density(0.0);
///     loaded.push(world.insert_collider(collider, None));
/// }
/// // Removing a collider also removes its tile from `tiles`.
/// world.remove_collider(loaded[0]);
/// assert_eq!(tiles.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    loaded: RwLock<Vec<Arc<Placed>>>,
    /// Changes whenever a tile comes or goes.
    version: AtomicU64,
}

/// A tree among the tiles.
#[derive(Debug)]
struct Placed {
    tree: Arc<BvTree>,
    /// Maps the tree's coordinates into the frame of all tiles.
    pose: Pose,
}

impl Tiles {
    /// An empty set of tiles.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of loaded tiles.
    pub fn len(&self) -> usize {
        self.shared.loaded.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether no tile is loaded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a shape, and returns it as a tile of this set and of no other. `pose` places it in a frame that all tiles
    /// share: it is the position of the tile's collider.
    ///
    /// # Errors
    /// If the pose is not finite or its quaternion is zero.
    pub fn add(&self, shape: TreeShape, pose: &ParryPose) -> Result<TreeShape, PoseError> {
        let placed = Arc::new(Placed { tree: shape.tree().clone(), pose: (*pose).try_into()? });
        self.shared.edit(|loaded| loaded.push(placed.clone()));
        Ok(shape.with_tile(Arc::new(Tile { placed, shared: self.shared.clone() })))
    }
}

impl Shared {
    fn edit(&self, edit: impl FnOnce(&mut Vec<Arc<Placed>>)) {
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        edit(&mut loaded);
        self.version.fetch_add(1, Ordering::Release);
    }
}

/// The membership of a shape in a set of tiles, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Tile {
    placed: Arc<Placed>,
    shared: Arc<Shared>,
}

impl Drop for Tile {
    fn drop(&mut self) {
        self.shared.edit(|loaded| loaded.retain(|tile| !Arc::ptr_eq(tile, &self.placed)));
    }
}

/// How far two tiles may be apart at a seam, relative to the sum of their largest coordinates: vertices and
/// translations are rounded to f32 in both.
const SEAM_ROUNDING: f64 = 1.0 / (1 << 22) as f64;

impl Tile {
    /// A number that changes whenever a tile comes or goes.
    pub(crate) fn version(&self) -> u64 {
        self.shared.version.load(Ordering::Acquire)
    }

    /// Calls a function with the unit normals of the triangles of other tiles that have this edge; edge and normals are
    /// in this tile's frame.
    pub(crate) fn for_each_normal_at(&self, edge: [Vector; 2], mut add: impl FnMut(Vector)) {
        for neighbor in self.shared.loaded.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if Arc::ptr_eq(neighbor, &self.placed) {
                continue;
            }
            let to_neighbor = Pose::relative(&neighbor.pose, &self.placed.pose);
            let ends = edge.map(|end| to_neighbor.transform(&Point3::new(end.x, end.y, end.z)));
            let tolerance = SEAM_ROUNDING * (self.placed.largest_coordinate() + neighbor.largest_coordinate());
            let is_end = |corner: &Point3<f64>, end: &Point3<f64>| (corner - end).amax() <= tolerance;
            with_probe(|probe| {
                probe.for_each_face_in_obb(&neighbor.tree, &around(ends, tolerance), |face| {
                    if let Some(triangle) = neighbor.tree.triangle(face)
                        && ends.iter().all(|end| triangle.vertices.iter().any(|corner| is_end(corner, end)))
                        && let [a, b, c] = triangle.vertices
                        && let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0)
                    {
                        add(narrow_vector(&(to_neighbor.rotation().transpose() * normal)));
                    }
                    ControlFlow::Continue(())
                });
            });
        }
    }
}

impl Placed {
    fn largest_coordinate(&self) -> f64 {
        let bounds = self.tree.bounds();
        bounds.lower.coords.amax().max(bounds.upper.coords.amax()) + self.pose.translation().amax()
    }
}

/// A thin box around an edge.
pub(crate) fn around([from, to]: [Point3<f64>; 2], margin: f64) -> Obb {
    let along = (to - from).normalize();
    let beside = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
    Obb {
        center: nalgebra::center(&from, &to),
        axes: Matrix3::from_columns(&[along, beside, along.cross(&beside)]),
        half_extents: Vector3::new((to - from).norm() * 0.5, 0.0, 0.0).add_scalar(margin),
    }
}
