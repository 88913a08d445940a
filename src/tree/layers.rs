//! Layers: which queries find a triangle, and whether the triangle is one-sided.

use thiserror::Error;

use super::BvTree;

/// The layers of a triangle, and whether it is one-sided. A query's mask and the layers decide whether the query finds
/// the triangle.
///
/// ```
/// use bvtree::probe::Ray;
/// use bvtree::tree::Layers;
/// use bvtree::{BuildOptions, BvTree, Mesh, Probe};
/// use nalgebra::{Point3, Vector3};
///
/// const SIGHT: u32 = 1 << 0;
/// const BULLETS: u32 = 1 << 1;
///
/// let text = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 1\nv 4 0 1\nv 0 4 1\ng floor\nf 1 2 3\ng glass\nf 4 5 6\n";
/// let level = BvTree::build(&Mesh::read_obj(text.as_bytes())?, &BuildOptions::default())?;
/// level.set_layers(|face| match level.group_of(face).map(|group| group.name.as_str()) {
///     Some("glass") => Layers { bits: BULLETS, ..Layers::default() },
///     _ => Layers::default(),
/// })?;
/// let (mut probe, down) = (Probe::new(), Ray::new(Point3::new(1.0, 1.0, 5.0), -Vector3::z()));
/// for (mask, distance) in [(SIGHT, 5.0), (BULLETS, 4.0)] {
///     probe.set_mask(Some(mask));
///     assert_eq!(probe.closest_hit(&level, &down, f64::INFINITY).map(|hit| hit.time), Some(distance));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "collision filter")]
#[doc(alias = "material")]
pub struct Layers {
    /// The layers as a bit set: a query with a mask finds the triangle if the mask and the layers have a bit in common.
    /// All bits are set by default.
    pub bits: u32,
    /// Whether queries with a mask ignore the triangle from behind. Its front is the side from which its corners run
    /// counterclockwise. False by default.
    ///
    /// A ray or a moving convex shape meets the triangle only while moving against its front. A moving capsule meets
    /// the triangle only from the front, and only if it does not already overlap the triangle by more than a tenth of
    /// the capsule's radius. Distances, contacts and overlaps find the triangle from both sides.
    #[doc(alias = "back-face culling")]
    pub is_one_sided: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self { bits: u32::MAX, is_one_sided: false }
    }
}

impl Layers {
    /// Whether a query with a mask finds the triangle.
    pub(crate) fn is_in(self, mask: u32) -> bool {
        self.bits & mask != 0
    }
}

/// The error of setting the layers of a tree a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the layers of the tree are already set")]
pub struct LayersAlreadySet;

/// The layers of all triangles, by face.
#[derive(Clone, Debug)]
pub(crate) struct LayerTable(Vec<Layers>);

impl LayerTable {
    pub(crate) fn of(&self, face: u32) -> Layers {
        self.0.get(face as usize).copied().unwrap_or_default()
    }
}

/// Selects the triangles that a query considers: those in a layer of `mask`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerFilter<'a> {
    pub(crate) layers: &'a LayerTable,
    pub(crate) mask: u32,
}

impl LayerFilter<'_> {
    pub(crate) fn passes(&self, face: u32) -> bool {
        self.layers.of(face).is_in(self.mask)
    }
}

impl BvTree {
    /// Assigns layers to all triangles, by face: `layers` is called once for each. Layers can be set only once, after
    /// building or opening, since a tree may be shared; files don't contain layers. [`BvTree::group_ids`] gives the
    /// group of each face, such as its object or material.
    ///
    /// Only queries with a mask observe layers: those of [`Probe::set_mask`](crate::Probe::set_mask), of
    /// [`Query::set_masks`](crate::Query::set_masks), of a [`Scene`](crate::scene::Scene) if they take a mask, and of a
    /// [`Character`](crate::Character). Without layers, a mask makes no difference. Takes 8 bytes per triangle.
    ///
    /// # Errors
    /// If the layers have been set before; they stay as they are.
    pub fn set_layers(&self, layers: impl FnMut(u32) -> Layers) -> Result<(), LayersAlreadySet> {
        let faces = 0..self.triangle_count() as u32;
        self.layer_table().set(LayerTable(faces.map(layers).collect())).map_err(|_| LayersAlreadySet)
    }

    /// The layers of a triangle, given its face number as in results; the default if there is no such triangle or no
    /// layers have been set.
    pub fn layers_of(&self, face: u32) -> Layers {
        self.layer_table().get().map_or_else(Layers::default, |layers| layers.of(face))
    }

    /// The filter of a query with a mask; `None` if all triangles pass, because there is no mask or no layers are set.
    pub(crate) fn layer_filter(&self, mask: Option<u32>) -> Option<LayerFilter<'_>> {
        mask.and_then(|mask| Some(LayerFilter { layers: self.layer_table().get()?, mask }))
    }
}
