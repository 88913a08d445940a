//! From a mesh to a tree: split the triangles top-down, gather the splits into wide nodes, fit and pack the volumes.

mod binary;
mod items;
mod options;
mod sah;
mod split;
mod top_down;
mod triangles;
mod volumes;
mod wide;

pub use options::{BuildError, BuildOptions, SplitRule};

use crate::mesh::Mesh;
use crate::packed::{Aabb8, Frame, Obb8, Sphere8};
use crate::tree::{BvTree, Meta, Owned};
use crate::volume::VolumeKind;

/// Builds a tree; [`BvTree::build`] is its public name.
pub(crate) fn build(mesh: &Mesh, options: &BuildOptions) -> Result<BvTree, BuildError> {
    options.check()?;
    let bounds = mesh.aabb();
    let frame = frame_of(mesh);
    let mut items = items::gather(mesh);
    let binary = top_down::build(&mut items, options);
    let (nodes, shape) = match options.volume {
        VolumeKind::Aabb => wide::pack::<Aabb8>(&binary, &items, &frame, options)?,
        VolumeKind::Obb => wide::pack::<Obb8>(&binary, &items, &frame, options)?,
        VolumeKind::Sphere => wide::pack::<Sphere8>(&binary, &items, &frame, options)?,
    };
    let faces: Vec<u32> = items.iter().map(|item| item.face).collect();
    drop(items);
    let (vertices, corners) = triangles::reorder(mesh, &faces, &binary);
    let meta = Meta {
        options: *options,
        frame,
        bounds,
        mesh_digest: mesh.digest(),
        split_depth: binary.depth(),
        depth: shape.depth,
        leaves: shape.leaves,
        leaf_triangles_max: binary.leaf_triangles_max(),
    };
    Ok(BvTree::from_parts(
        meta,
        Owned { nodes, vertices, corners, faces, polygons: mesh.polygons.clone(), groups: mesh.groups.clone() },
    ))
}

/// Volumes are stored relative to the middle of the mesh's box, in a power-of-two unit not below its half diagonal.
fn frame_of(mesh: &Mesh) -> Frame {
    let bounds = mesh.aabb();
    if bounds.is_empty() {
        return Frame { origin: nalgebra::Point3::origin(), unit: 1.0 };
    }
    Frame { origin: bounds.center(), unit: power_of_two_from(bounds.half_extents().norm()) }
}

/// The least power of two not below `x`; 1 for 0.
fn power_of_two_from(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let below = f64::from_bits(x.to_bits() & EXPONENT);
    if x == 0.0 {
        1.0
    } else if below < x {
        2.0 * below
    } else {
        below
    }
}
