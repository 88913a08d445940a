//! A mesh outside the scene against all bodies.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::Scene;
use super::rays::groups;
use crate::answers;
use crate::arguments::pose;
use crate::errors::JsResult;
use crate::tree::Tree;

#[wasm_bindgen]
impl Scene {
    /// Finds the numbers of the bodies that a mesh at a pose in the world touches or, where a body is solid, lies in.
    /// Bodies in none of the mask's collision groups are ignored; the mask has all groups if it is omitted.
    #[wasm_bindgen(js_name = bodiesIntersecting)]
    pub fn bodies_intersecting(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<Vec<u32>> {
        let found = self.scene.bodies_intersecting(&mut self.query, &tree.tree, &pose(to_world)?, groups(mask));
        Ok(found.into_iter().map(|id| self.number(id)).collect())
    }

    /// Finds the bodies whose distance from a mesh at a pose in the world is at most a clearance, with the closest
    /// points, in the world; A is the mesh. See `bodiesIntersecting`.
    #[wasm_bindgen(js_name = bodiesWithin, unchecked_return_type = "NearBody[]")]
    pub fn bodies_within(
        &mut self,
        tree: &Tree,
        clearance: f64,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<Array> {
        let (pose, mask) = (pose(to_world)?, groups(mask));
        let found = self.scene.bodies_within(&mut self.query, &tree.tree, &pose, clearance, mask);
        let near = found.iter().map(|near| {
            let [on_a, on_b] = &near.points;
            answers::of_body_part(
                self.number(near.body),
                near.part,
                answers::pair(near.distance, on_a, on_b, near.faces),
            )
        });
        Ok(near.collect())
    }

    /// Finds the numbers of the bodies whose boxes in the broad phase are at most a margin (default 0) from the box of
    /// a mesh at a pose in the world; bodies farther away may be among them.
    #[wasm_bindgen(js_name = bodiesNear)]
    pub fn bodies_near(
        &self,
        tree: &Tree,
        #[wasm_bindgen(js_name = toWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] margin: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<Vec<u32>> {
        let found = self.scene.bodies_near(&tree.tree, &pose(to_world)?, margin.unwrap_or(0.0), groups(mask));
        Ok(found.into_iter().map(|id| self.number(id)).collect())
    }
}
