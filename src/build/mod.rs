//! From a mesh to a tree: make a binary tree of the triangles, optimise it, gather its nodes into wide ones, fit and pack
//! the volumes.
//!
//! | Step | Choices | Source |
//! |---|---|---|
//! | [`Builder`] | `TopDown`, by a [`SplitRule`]: `Mean`, `Midpoint`, `Median` | the described rules |
//! | | `Sah`, `SahOfKind` | Goldsmith and Salmon 1987; binned as in Wald 2007 |
//! | | `Ploc`, merging from below | Meister and Bittner 2018 |
//! | `optimise` | passes of tree rotations | Kensler 2008 |
//! | [`Collapse`] | `LargestFirst`, by area | Wald, Benthin and Boulos 2008 |
//! | | `LeastVolume`, by dynamic programming | after Ylitie, Karras and Laine 2017 |
//! | fits | see [`fit`](crate::fit) | |
//!
//! Every choice serves all three kinds of volume and gives the same answers to queries; [`Preset`] makes them for you.
//! Whichever it is, the tree depends on the mesh and the options alone, not on threads.

mod binary;
mod collapse;
mod items;
mod kernels;
mod least_volume;
mod linked;
mod options;
mod ploc;
mod preset;
mod ritter;
mod rotations;
mod sah;
mod side;
mod split;
mod top_down;
mod triangles;
mod volumes;
mod wide;

pub use options::{BuildError, BuildOptions, Builder, Collapse, SplitRule};
pub use preset::Preset;

use binary::Binary;
use items::Item;
use linked::Linked;
use side::{BoxSide, Side, SphereSide};
use volumes::Fitted;
use wide::Shape;

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
    let finest = match options.collapse {
        Collapse::LargestFirst => *options,
        // Which triangles share a leaf is decided by volume, from below.
        Collapse::LeastVolume => BuildOptions { max_leaf_triangles: 1, ..*options },
    };
    let binary = match options.volume {
        VolumeKind::Aabb | VolumeKind::Obb => binary_tree::<BoxSide>(level, &mut items, &bounds, &finest),
        VolumeKind::Sphere => binary_tree::<SphereSide>(level, &mut items, &bounds, &finest),
    };
    let (binary, nodes, shape) = match options.volume {
        VolumeKind::Aabb => pack::<Aabb8>(level, binary, &items, &frame, options)?,
        VolumeKind::Obb => pack::<Obb8>(level, binary, &items, &frame, options)?,
        VolumeKind::Sphere => pack::<Sphere8>(level, binary, &items, &frame, options)?,
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

/// The binary tree; brings the items into its order.
fn binary_tree<S: Side>(level: SimdLevel, items: &mut Vec<Item>, bounds: &Aabb, options: &BuildOptions) -> Binary {
    let middle = bounds.center().coords.into();
    let mut tree: Linked<S> = match options.builder {
        Builder::TopDown => {
            let binary = top_down::build(level, items, options);
            if options.optimise == 0 {
                return binary;
            }
            Linked::new(&binary, items, &middle)
        }
        Builder::Ploc => ploc::build(items, bounds, &middle),
    };
    let max_depth = tree.depth().max(2 * top_down::median_from(items.len())).min(options.max_depth);
    rotations::optimise(&mut tree, options.optimise, max_depth);
    tree.flatten(items, options)
}

/// The wide nodes, and the binary tree as far down as they go.
fn pack<V: Fitted>(
    level: SimdLevel,
    binary: Binary,
    items: &[Item],
    frame: &Frame,
    options: &BuildOptions,
) -> Result<(Binary, Vec<u32>, Shape), BuildError> {
    let (binary, chosen) = match options.collapse {
        Collapse::LargestFirst => (binary, None),
        Collapse::LeastVolume => {
            let (binary, chosen) = least_volume::choose::<V>(level, &binary, items, frame, options);
            (binary, Some(chosen))
        }
    };
    let (nodes, shape) = wide::pack::<V>(level, &binary, items, frame, options, chosen.as_ref())?;
    Ok((binary, nodes, shape))
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
