//! Questions about one tree: rays and points.

use std::ops::ControlFlow;

use bvtree::probe::{Containment, Ray};
use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{point, vector};
use crate::errors::JsResult;
use crate::tree::Tree;

/// Asks about one tree, in the tree's own frame, and keeps its memory from one question to the next.
#[wasm_bindgen]
#[derive(Default)]
pub struct Probe {
    probe: bvtree::Probe,
}

#[wasm_bindgen]
impl Probe {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Probe {
        Self::default()
    }

    /// Volumes that the last question tested.
    #[wasm_bindgen(getter, js_name = volumeTests)]
    pub fn volume_tests(&self) -> f64 {
        self.probe.stats().volume_tests as f64
    }

    /// Triangles that the last question tested.
    #[wasm_bindgen(getter, js_name = triangleTests)]
    pub fn triangle_tests(&self) -> f64 {
        self.probe.stats().triangle_tests as f64
    }

    /// The first triangle that a ray meets; times are multiples of the direction's length.
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

    /// Whether a ray meets any triangle.
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

    /// Every triangle that a ray meets, in no particular order.
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

    /// The point of the mesh that is nearest to a point; `undefined` if none is as near as `maxDistance`.
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

    /// Which side of the mesh a point is on, exactly.
    #[wasm_bindgen(unchecked_return_type = "Containment")]
    pub fn contains(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] at: &[f64],
    ) -> JsResult<String> {
        let name = match self.probe.contains(&tree.tree, &point(at, "a point")?) {
            Containment::Inside => "inside",
            Containment::Outside => "outside",
            Containment::OnSurface => "on_surface",
            Containment::Undefined => "undefined",
        };
        Ok(name.to_owned())
    }

    /// The distance of a point from a closed mesh, negative inside; `undefined` if the mesh is empty or not closed.
    #[wasm_bindgen(js_name = signedDistance)]
    pub fn signed_distance(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] at: &[f64],
    ) -> JsResult<Option<f64>> {
        Ok(self.probe.signed_distance(&tree.tree, &point(at, "a point")?))
    }
}

fn ray(origin: &[f64], direction: &[f64]) -> JsResult<Ray> {
    Ok(Ray { origin: point(origin, "a ray's origin")?, direction: vector(direction, "a ray's direction")? })
}

fn until(limit: Option<f64>) -> f64 {
    limit.unwrap_or(f64::INFINITY)
}
