//! Tiles whose trees are built elsewhere: by other processes, or on other machines.

use std::fmt;
use std::path::Path;

use nalgebra::Point3;

use super::Tiles;
use crate::builder::{BuildError, UnfittedTree};
use crate::cook::CookError;
use crate::cook::write::write_atomically;
use crate::mesh::{LargeMesh, Mesh};
use crate::options::BuildOptions;
use crate::parallel;
use crate::shape::Aabb;
use crate::tree::BvTree;

/// A mesh larger than memory, whose triangles are sorted into tiles by [`LargeMesh::divide`].
///
/// Each tile's tree may be built by another process or machine, with [`MeshTile::build`], and kept as a cooked file.
/// [`DividedMesh::cook`] joins the trees into the file that [`LargeMesh::cook`] writes, byte for byte.
pub struct DividedMesh {
    pub(super) mesh: LargeMesh,
    pub(super) tiles: Tiles,
}

impl fmt::Debug for DividedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DividedMesh").field("tiles", &self.tile_count()).finish_non_exhaustive()
    }
}

/// A tile of a divided mesh: all that is needed to build its tree.
#[derive(Clone, Debug)]
pub struct MeshTile {
    /// The tile's triangles, over the vertices that they use, both in the order of the whole mesh.
    pub mesh: Mesh,
    /// The box of all triangles of the whole mesh.
    pub whole: Aabb,
    /// The options of the whole tree, with `max_depth` reduced by the number of splits above the tile.
    pub options: BuildOptions,
}

impl MeshTile {
    /// Builds the tile's tree, in the frame of the whole mesh. The tree's face numbers are those of the tile, and the
    /// mesh's origin and digest are left at zero.
    ///
    /// # Errors
    /// Fails as [`BvTree::build`] does.
    pub fn build(&self) -> Result<BvTree, BuildError> {
        Ok(UnfittedTree::of_part(&self.mesh, &self.whole, &self.options)?.finish(&self.mesh))
    }
}

impl DividedMesh {
    /// The number of tiles, at least one; that of a mesh without triangles is empty.
    pub fn tile_count(&self) -> usize {
        self.tiles.tiles.len()
    }

    /// The mesh that was divided.
    pub fn mesh(&self) -> &LargeMesh {
        &self.mesh
    }

    /// Reads a tile from the temporary file, given its number, counted from 0.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    ///
    /// # Panics
    /// If `number` is not below [`DividedMesh::tile_count`].
    pub fn tile(&self, number: usize) -> Result<MeshTile, CookError> {
        let (_, mut triangles) = self.tiles.triangles(number)?;
        let mut used: Vec<u32> = triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        for corner in triangles.as_flattened_mut() {
            // Every corner is among the used vertices.
            *corner = used.partition_point(|vertex| vertex < corner) as u32;
        }
        let vertices = used.iter().map(|&vertex| self.mesh.vertices[vertex as usize]).collect();
        let origin = Point3::origin();
        let mesh = Mesh { vertices, triangles, polygons: Vec::new(), groups: Vec::new(), origin };
        Ok(MeshTile { mesh, whole: self.mesh.bounds, options: self.tiles.options_of(number) })
    }

    /// Joins the trees of all tiles into a cooked file, like [`LargeMesh::cook`]. `tree_of` returns the tree of the
    /// tile with the given number, built by [`MeshTile::build`] or opened from a cooked file; it is called once for
    /// each tile, from the first to the last, but not for the empty tile of a mesh without triangles. `progress` is
    /// called with the number of triangles in finished tiles and the total number of triangles.
    ///
    /// # Errors
    /// Fails as [`LargeMesh::cook`] does, if `tree_of` does, and with [`CookError::Tile`] if a tree does not have the
    /// tile's triangles and options, or is not in the frame of the whole mesh.
    pub fn cook(
        &self,
        path: impl AsRef<Path>,
        mut tree_of: impl FnMut(usize) -> Result<BvTree, CookError> + Send,
        progress: impl FnMut(usize, usize) + Send,
    ) -> Result<(), CookError> {
        let Self { mesh, tiles } = self;
        write_atomically(path.as_ref(), |file| {
            parallel::within_pool(|| tiles.cook(mesh, file, progress, Some(&mut tree_of)))
        })?;
        Ok(())
    }
}
