//! Queries on one tree: rays and points.

use std::ops::ControlFlow;

use bvtree::probe::Ray;
use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{point, vector};
use crate::errors::JsResult;
use crate::tree::Tree;

/// Runs queries on one tree, in the tree's own frame, and reuses its memory from one query to the next.
#[wasm_bindgen]
#[derive(Default)]
pub struct Probe {
    pub(crate) probe: bvtree::Probe,
}

#[wasm_bindgen]
impl Probe {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Probe {
        Self::default()
    }

    /// Number of volumes that the last query tested.
    #[wasm_bindgen(getter, js_name = volumeTests)]
    pub fn volume_tests(&self) -> f64 {
        self.probe.stats().volume_tests as f64
    }

    /// Number of triangles that the last query tested.
    #[wasm_bindgen(getter, js_name = triangleTests)]
    pub fn triangle_tests(&self) -> f64 {
        self.probe.stats().triangle_tests as f64
    }

    /// Restricts later queries to triangles with a layer in a mask, and lets rays and casts pass one-sided triangles
    /// from behind; see `Tree.setLayers`. `undefined`, the default, selects all triangles, from both sides.
    #[wasm_bindgen(js_name = setMask)]
    pub fn set_mask(&mut self, mask: Option<u32>) {
        self.probe.set_mask(mask);
    }

    /// Finds the first triangle that a ray hits; times are in units of the direction's length.
    #[wasm_bindgen(js_name = closestHit, unchecked_return_type = "RayHit | undefined")]
    pub fn closest_hit(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime)] max_time: Option<f64>,
    ) -> JsResult<JsValue> {
        let found = self.probe.closest_hit(&tree.tree, &ray(origin, direction)?, until(max_time));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::ray_hit))
    }

    /// Tests whether a ray hits any triangle.
    #[wasm_bindgen(js_name = anyHit)]
    pub fn any_hit(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime)] max_time: Option<f64>,
    ) -> JsResult<bool> {
        Ok(self.probe.any_hit(&tree.tree, &ray(origin, direction)?, until(max_time)))
    }

    /// Finds all triangles that a ray hits, in no particular order.
    #[wasm_bindgen(js_name = allHits, unchecked_return_type = "RayHit[]")]
    pub fn all_hits(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime)] max_time: Option<f64>,
    ) -> JsResult<Array> {
        let hits = Array::new();
        self.probe.for_each_hit(&tree.tree, &ray(origin, direction)?, until(max_time), |hit| {
            hits.push(&answers::ray_hit(&hit));
            ControlFlow::Continue(())
        });
        Ok(hits)
    }

    /// Finds the point of the mesh that is closest to a query point; `undefined` if none is within `maxDistance`.
    #[wasm_bindgen(js_name = closestPoint, unchecked_return_type = "ClosestOnMesh | undefined")]
    pub fn closest_point(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] to: &[f64],
        #[wasm_bindgen(js_name = maxDistance)] max_distance: Option<f64>,
    ) -> JsResult<JsValue> {
        let found = self.probe.closest_point_within(&tree.tree, &point(to, "a point")?, until(max_distance));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::closest_on_mesh))
    }

    /// Determines exactly whether a point is inside, outside or on the mesh; `"undefined"` if the mesh is not closed
    /// and the point is not on it.
    #[wasm_bindgen(unchecked_return_type = "Containment")]
    pub fn contains(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] at: &[f64],
    ) -> JsResult<String> {
        Ok(answers::containment(self.probe.contains(&tree.tree, &point(at, "a point")?)).to_owned())
    }

    /// Determines whether a point is inside a mesh that may have holes or inconsistently oriented triangles, and how
    /// certain that is: exactly if the mesh is closed, otherwise by the winding number or the votes of 15 rays.
    #[wasm_bindgen(js_name = containsRobust, unchecked_return_type = "RobustContainment")]
    pub fn contains_robust(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] at: &[f64],
    ) -> JsResult<JsValue> {
        Ok(answers::robust_containment(&self.probe.contains_robust(&tree.tree, &point(at, "a point")?)))
    }

    /// Computes the signed distance of a point from a closed mesh, negative inside; `undefined` if the mesh is empty or
    /// not closed.
    #[wasm_bindgen(js_name = signedDistance)]
    pub fn signed_distance(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] at: &[f64],
    ) -> JsResult<Option<f64>> {
        Ok(self.probe.signed_distance(&tree.tree, &point(at, "a point")?))
    }
}

pub fn ray(origin: &[f64], direction: &[f64]) -> JsResult<Ray> {
    Ok(Ray { origin: point(origin, "a ray's origin")?, direction: vector(direction, "a ray's direction")? })
}

pub fn until(limit: Option<f64>) -> f64 {
    limit.unwrap_or(f64::INFINITY)
}
