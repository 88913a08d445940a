//! Scenes of many bodies: created and changed here, queried in the submodules.

mod meshes;
mod motions;
mod pair_filter;
mod pairs;
mod rays;

use std::collections::BTreeMap;
use std::sync::Arc;

use bvtree::Pose;
use bvtree::scene::{Body, BodyId, Geometry, SceneError};
use wasm_bindgen::prelude::*;

use crate::arguments::{columns, pose};
use crate::compound::Compound;
use crate::convex_shape::ConvexShape;
use crate::errors::{JsResult, invalid, invalid_mesh, invalid_pose};
use crate::tree::Tree;

pub use motions::GivenMotion;
use pair_filter::PairFilter;

#[wasm_bindgen]
extern "C" {
    /// Options for a body; all are optional.
    pub type GivenBody;
    #[wasm_bindgen(method, getter, structural, catch, js_name = isStatic)]
    fn is_static(this: &GivenBody) -> JsResult<Option<bool>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn solid(this: &GivenBody) -> JsResult<JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn groups(this: &GivenBody) -> JsResult<Option<u32>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn mask(this: &GivenBody) -> JsResult<Option<u32>>;
}

/// A scene of many posed bodies, which are queried together.
///
/// Bodies have numbers that are never reused: 0, 1, 2 and so on. Thousands of bodies may share one tree. Each pair is
/// compared once. A scene keeps results of bodies that did not move from one query to the next. Points are in the
/// world; a convex shape has the face -1. Results name the parts of a compound; other bodies have the part 0.
///
/// Results have the same order in every run. They are ordered by the bodies' numbers until a new body takes the place
/// of a removed one: then `a` may be the greater number, and A's fields refer to that body.
#[wasm_bindgen]
#[derive(Default)]
pub struct Scene {
    pub(crate) scene: bvtree::scene::Scene,
    ids: BTreeMap<u32, BodyId>,
    /// The number of the next body.
    next: u32,
    filter: Option<Arc<PairFilter>>,
    probe: bvtree::Probe,
    query: bvtree::Query,
}

#[wasm_bindgen]
impl Scene {
    /// Creates an empty scene. `includeStaticPairs` says whether static bodies are compared with each other, as for a
    /// report about an assembly in which nothing moves; by default they are not.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(js_name = includeStaticPairs)] include_static_pairs: Option<bool>) -> Scene {
        let mut scene = Self::default();
        scene.scene.include_static_pairs(include_static_pairs.unwrap_or(false));
        scene
    }

    /// Adds a mesh at a pose in the world, and returns the body's number. The tree may be freed before the scene.
    pub fn add(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "BodyOptions")] options: Option<GivenBody>,
    ) -> JsResult<u32> {
        let is_solid = is_solid(options.as_ref(), || tree.tree.watertightness().is_closed())?;
        self.insert(tree.tree.clone().into(), is_solid, to_world, options)
    }

    /// Adds a convex shape, which is solid, at a pose in the world, and returns the body's number.
    #[wasm_bindgen(js_name = addShape)]
    pub fn add_shape(
        &mut self,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "BodyOptions")] options: Option<GivenBody>,
    ) -> JsResult<u32> {
        self.insert(Arc::clone(&shape.shape).into(), false, to_world, options)
    }

    /// Adds a compound at a pose in the world, and returns the body's number. If it is solid, each part is a solid by
    /// itself, and all meshes must be closed. The compound may be freed before the scene.
    #[wasm_bindgen(js_name = addCompound)]
    pub fn add_compound(
        &mut self,
        compound: &Compound,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "BodyOptions")] options: Option<GivenBody>,
    ) -> JsResult<u32> {
        let is_solid = is_solid(options.as_ref(), || compound.is_closed())?;
        self.insert(compound.geometry()?, is_solid, to_world, options)
    }

    fn insert(
        &mut self,
        geometry: Geometry,
        is_solid: bool,
        to_world: Option<Vec<f64>>,
        options: Option<GivenBody>,
    ) -> JsResult<u32> {
        let number = self.next;
        let next = number.checked_add(1).ok_or_else(|| invalid("the scene has numbered 2^32 bodies"))?;
        let body = Body { is_solid, user: number.into(), ..Body::moving(geometry, pose(to_world)?) };
        let body = match options {
            None => body,
            Some(options) => Body {
                is_static: options.is_static()?.unwrap_or(body.is_static),
                groups: options.groups()?.unwrap_or(body.groups),
                mask: options.mask()?.unwrap_or(body.mask),
                ..body
            },
        };
        let id = self.scene.add(body).map_err(of_scene)?;
        self.ids.insert(number, id);
        self.next = next;
        Ok(number)
    }

    /// Removes a body.
    pub fn remove(&mut self, body: f64) -> JsResult<()> {
        let id = self.id(body)?;
        self.scene.remove(id).map_err(of_scene)?;
        self.ids.remove(&(body as u32));
        Ok(())
    }

    /// Moves a body to another pose in the world.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(
        &mut self,
        body: f64,
        #[wasm_bindgen(js_name = toWorld, unchecked_param_type = "Matrix")] to_world: Option<Vec<f64>>,
    ) -> JsResult<()> {
        self.scene.set_pose(self.id(body)?, pose(to_world)?).map_err(of_scene)
    }

    /// Moves many bodies, given their numbers and one array of column-major 4x4 matrices, 16 numbers for each: faster
    /// than one by one if many of them move far. If a body's number or a matrix is invalid, no body moves; if a body
    /// would be too far away, those before it have moved.
    #[wasm_bindgen(js_name = setPoses)]
    pub fn set_poses(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] bodies: &[f64],
        #[wasm_bindgen(js_name = toWorld, unchecked_param_type = "Numbers")] to_world: &[f64],
    ) -> JsResult<()> {
        if to_world.len() != 16 * bodies.len() {
            return Err(invalid_pose(format_args!(
                "{} bodies and {} numbers of poses: expected 16 for each",
                bodies.len(),
                to_world.len()
            )));
        }
        let moved = bodies.iter().zip(to_world.chunks_exact(16));
        let moved = moved.map(|(&body, matrix)| Ok((self.id(body)?, pose(Some(matrix.to_vec()))?)));
        let moved = moved.collect::<JsResult<Vec<_>>>()?;
        self.scene.set_poses(moved).map_err(of_scene)
    }

    /// Replaces a body's geometry by a mesh. The body stays solid if it was added as a solid mesh or compound.
    #[wasm_bindgen(js_name = setTree)]
    pub fn set_tree(&mut self, body: f64, tree: &Tree) -> JsResult<()> {
        self.scene.set_geometry(self.id(body)?, tree.tree.clone()).map(drop).map_err(of_scene)
    }

    /// Replaces a body's geometry by a convex shape.
    #[wasm_bindgen(js_name = setShape)]
    pub fn set_shape(&mut self, body: f64, shape: &ConvexShape) -> JsResult<()> {
        self.scene.set_geometry(self.id(body)?, Arc::clone(&shape.shape)).map(drop).map_err(of_scene)
    }

    /// Replaces a body's geometry by a compound. The body stays solid if it was added as a solid mesh or compound.
    #[wasm_bindgen(js_name = setCompound)]
    pub fn set_compound(&mut self, body: f64, compound: &Compound) -> JsResult<()> {
        self.scene.set_geometry(self.id(body)?, compound.geometry()?).map(drop).map_err(of_scene)
    }

    /// Sets a body's collision groups and the groups that it is compared with, as bits. Two bodies are compared if each
    /// one's mask includes a group of the other.
    #[wasm_bindgen(js_name = setGroups)]
    pub fn set_groups(&mut self, body: f64, groups: u32, mask: u32) -> JsResult<()> {
        self.scene.set_groups(self.id(body)?, groups, mask).map_err(of_scene)
    }

    /// Sets whether a pair of bodies is excluded from comparison. `ignored` is true by default.
    #[wasm_bindgen(js_name = setIgnored)]
    pub fn set_ignored(&mut self, a: f64, b: f64, ignored: Option<bool>) -> JsResult<()> {
        let (a, b) = (self.id(a)?, self.id(b)?);
        self.scene.set_ignored(a, b, ignored.unwrap_or(true)).map_err(of_scene)
    }

    /// Returns a body's pose in the world, a matrix of 16 numbers.
    pub fn pose(&self, body: f64) -> JsResult<Vec<f64>> {
        Ok(columns(&self.pose_of(self.id(body)?)))
    }

    /// The numbers of all bodies, in ascending order.
    #[wasm_bindgen(getter)]
    pub fn bodies(&self) -> Vec<u32> {
        self.ids.keys().copied().collect()
    }

    /// Number of bodies.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.scene.len()
    }
}

impl Scene {
    /// Returns the id of the body with a number. The number comes from JavaScript and can have any value; an error if
    /// there is no such body.
    pub(crate) fn id(&self, number: f64) -> JsResult<BodyId> {
        let known = self.ids.get(&(number as u32)).filter(|_| f64::from(number as u32) == number);
        known.copied().ok_or_else(|| invalid(format_args!("there is no body {number} in the scene")))
    }

    pub(crate) fn number(&self, id: BodyId) -> u32 {
        self.scene.body(id).map_or(u32::MAX, |body| body.user as u32)
    }

    fn numbers(&self, ids: [BodyId; 2]) -> [u32; 2] {
        ids.map(|id| self.number(id))
    }

    fn pose_of(&self, id: BodyId) -> Pose {
        self.scene.body(id).map_or_else(Pose::identity, |body| body.pose)
    }
}

/// The option `solid` of a body; false by default.
fn is_solid(options: Option<&GivenBody>, is_closed: impl FnOnce() -> bool) -> JsResult<bool> {
    match options.map(GivenBody::solid).transpose()? {
        None => Ok(false),
        Some(solid) if solid.is_undefined() => Ok(false),
        Some(solid) => match (solid.as_bool(), solid.as_string().as_deref()) {
            (Some(is_solid), _) => Ok(is_solid),
            (None, Some("if_closed")) => Ok(is_closed()),
            _ => Err(invalid("solid: expected true, false or \"if_closed\"")),
        },
    }
}

/// Returns the exception for an error of a scene.
pub fn of_scene(error: SceneError) -> JsValue {
    match error {
        SceneError::TooFar | SceneError::NotARotation { .. } => invalid_pose(error),
        SceneError::OpenSolid => invalid_mesh(error),
        _ => invalid(error),
    }
}
