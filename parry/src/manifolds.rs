//! Contact manifolds of a tree and another shape, one for each triangle near it, kept from step to step.

use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::query::details::NormalConstraints;
use parry3d::query::{
    ContactManifold, ContactManifoldsWorkspace, PersistentQueryDispatcher, TypedWorkspaceData, WorkspaceData,
};
use parry3d::shape::Shape;

use crate::TreeDispatcher;
use crate::normals::{NearTriangle, Neighborhood};
use crate::pair::{Pair, PlacedBox};
use crate::tiles::Tile;

/// What is kept of a pair from step to step: for each part of the other shape, the triangles near the part. The
/// manifolds are in the same order as these triangles.
#[derive(Clone)]
struct Workspace {
    is_composite: bool,
    /// The parts of the other shape, in ascending order of their ids; one part if the shape is not a composite.
    parts: Vec<Part>,
}

/// The other shape, or a part of it if it is a composite.
#[derive(Clone)]
struct Part {
    id: u32,
    /// The box for which the triangles were gathered, which is larger than the part.
    aabb: Aabb,
    /// The triangles near the part, in ascending order of their face numbers.
    triangles: Vec<NearTriangle>,
    /// The version of the tiles for which the triangles' normals were computed; `None` if the tree is not a tile.
    tiles: Option<u64>,
}

impl WorkspaceData for Workspace {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

/// How far the box in which triangles are gathered extends beyond the shape's box on each side, as a fraction of that
/// box's extent along the axis; at most [`MAX_MARGIN`]. parry3d's `TriMesh` takes a tenth, at most 0.1. More costs
/// little here: in each step, a box test skips triangles outside the shape's own box.
const MARGIN_OF_SIZE: f32 = 0.25;
const MAX_MARGIN: f32 = 0.2;

impl Pair<'_> {
    /// Updates the manifolds, one for each triangle near each part of the other shape.
    pub(crate) fn contact_manifolds<M, C>(
        &self,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) where
        M: Default + Clone + Send + Sync,
        C: Default + Copy + Send + Sync,
    {
        let ids = self.parts(Some(&self.tree.compute_local_aabb().loosened(prediction)));
        let is_composite = ids.is_some();
        let known = workspace.take().and_then(|known| known.0.into_any().downcast::<Workspace>().ok());
        // If the counts differ, the manifolds are of other shapes.
        let known = known.filter(|known| {
            let count = known.parts.iter().map(|part| part.triangles.len()).sum::<usize>();
            count == manifolds.len() && known.is_composite == is_composite
        });
        let mut known = known.unwrap_or_else(|| {
            manifolds.clear();
            let parts = if is_composite { Vec::new() } else { vec![Part::new(0)] };
            Box::new(Workspace { is_composite, parts })
        });
        match ids {
            None => known.parts[0].update(self, None, None, prediction, manifolds),
            Some(ids) => self.parts_manifolds(&ids, &mut known, prediction, manifolds),
        }
        *workspace = Some(ContactManifoldsWorkspace(known));
    }

    fn parts_manifolds<M, C>(
        &self,
        ids: &[u32],
        known: &mut Workspace,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) where
        M: Default + Clone + Send + Sync,
        C: Default + Copy + Send + Sync,
    {
        let mut old_manifolds = std::mem::take(manifolds).into_iter();
        let mut old_parts = std::mem::take(&mut known.parts).into_iter().peekable();
        for &id in ids {
            // Drops parts that are no longer near.
            while let Some(left) = old_parts.next_if(|part| part.id < id) {
                old_manifolds.by_ref().take(left.triangles.len()).for_each(drop);
            }
            let mut part = old_parts.next_if(|part| part.id == id).unwrap_or_else(|| Part::new(id));
            let mut of_part: Vec<_> = old_manifolds.by_ref().take(part.triangles.len()).collect();
            self.map_part(id, &mut |pair, pose, constraints| {
                part.update(&pair, pose, constraints, prediction, &mut of_part);
            });
            manifolds.append(&mut of_part);
            known.parts.push(part);
        }
    }
}

impl Part {
    fn new(id: u32) -> Self {
        Self { id, aabb: Aabb::new_invalid(), triangles: Vec::new(), tiles: None }
    }

    /// Updates the part's manifolds. `pair` is of the tree and the part, which `pose` places in its composite.
    fn update<M, C>(
        &mut self,
        pair: &Pair<'_>,
        pose: Option<&Pose>,
        constraints: Option<&dyn NormalConstraints>,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) where
        M: Default + Clone + Send + Sync,
        C: Default + Copy + Send + Sync,
    {
        let near = pair.other.compute_aabb(&pair.pose).loosened(prediction);
        if !self.aabb.contains(&near) {
            self.gather(pair, pose, &near, manifolds);
        }
        let tiles = pair.tree.tile().map(Tile::version);
        if self.tiles != tiles {
            self.tiles = tiles;
            self.triangles.iter_mut().for_each(NearTriangle::forget_normals);
        }
        let inverse = pair.pose.inverse();
        let placed = PlacedBox::new(&pair.pose, &pair.other.compute_local_aabb().loosened(prediction));
        let all = Neighborhood { shape: pair.tree, aabb: &self.aabb, triangles: &self.triangles };
        for (near_triangle, manifold) in self.triangles.iter().zip(manifolds) {
            let NearTriangle { aabb, triangle, normal, .. } = near_triangle;
            if !aabb.intersects(&near) || placed.is_apart_from(triangle, *normal) {
                manifold.clear();
                continue;
            }
            let of_triangle = near_triangle.normals(&all);
            // An error means that parry3d has no manifolds for these shapes.
            let _ = if pair.swapped {
                TreeDispatcher.contact_manifold_convex_convex(
                    &inverse,
                    pair.other,
                    triangle,
                    constraints,
                    of_triangle,
                    prediction,
                    manifold,
                )
            } else {
                TreeDispatcher.contact_manifold_convex_convex(
                    &pair.pose,
                    triangle,
                    pair.other,
                    of_triangle,
                    constraints,
                    prediction,
                    manifold,
                )
            };
        }
    }

    /// Finds the triangles near the part again. Triangles found before keep their manifolds.
    fn gather<M, C>(
        &mut self,
        pair: &Pair<'_>,
        pose: Option<&Pose>,
        near: &Aabb,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) where
        M: Default + Clone,
        C: Default + Copy,
    {
        let margin = ((near.maxs - near.mins) * MARGIN_OF_SIZE).min(Vector::splat(MAX_MARGIN));
        self.aabb = Aabb::new(near.mins - margin, near.maxs + margin);
        let old_triangles = std::mem::take(&mut self.triangles);
        let mut old = old_triangles.into_iter().zip(std::mem::take(manifolds)).peekable();
        for (face, triangle) in pair.triangles_in(&self.aabb) {
            while old.next_if(|(triangle, _)| triangle.face < face).is_some() {}
            let (triangle, manifold) = old.next_if(|(triangle, _)| triangle.face == face).unwrap_or_else(|| {
                let ids = if pair.swapped { [self.id, face] } else { [face, self.id] };
                let mut manifold = ContactManifold::with_data(ids[0], ids[1], M::default());
                if pair.swapped {
                    manifold.set_subshape_pos1(pose.copied());
                } else {
                    manifold.set_subshape_pos2(pose.copied());
                }
                (NearTriangle::new(face, triangle), manifold)
            });
            self.triangles.push(triangle);
            manifolds.push(manifold);
        }
    }
}
