//! From a mesh to a tree: split the triangles top-down, gather the splits into wide nodes, fit and pack the volumes.

mod binary;
mod items;
mod kernels;
mod options;
mod preset;
mod sah;
mod split;
mod top_down;
mod triangles;
mod volumes;
mod wide;

pub use options::{BuildError, BuildOptions, SplitRule};
pub use preset::Preset;

use items::Item;

use crate::mesh::Mesh;
use crate::packed::{Aabb8, Frame, Obb8, Sphere8};
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, Meta, Owned};
use crate::volume::VolumeKind;

/// Builds a tree; [`BvTree::build`] is its public name.
pub(crate) fn build(mesh: &Mesh, options: &BuildOptions) -> Result<BvTree, BuildError> {
    options.check()?;
    let level = SimdLevel::detect();
    let mut items = items::gather(mesh);
    let kernels::Ranges { lower, upper } = kernels::bounds(level, &items);
    let bounds = Aabb { lower: lower.into(), upper: upper.into() };
    let frame = frame_of(&bounds);
    let binary = top_down::build(level, &mut items, options);
    let (nodes, shape) = match options.volume {
        VolumeKind::Aabb => wide::pack::<Aabb8>(level, &binary, &items, &frame, options)?,
        VolumeKind::Obb => wide::pack::<Obb8>(level, &binary, &items, &frame, options)?,
        VolumeKind::Sphere => wide::pack::<Sphere8>(level, &binary, &items, &frame, options)?,
    };
    let faces: Vec<u32> = items.iter().map(Item::face).collect();
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
fn frame_of(bounds: &Aabb) -> Frame {
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
