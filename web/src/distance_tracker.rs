//! Distance tracking for two meshes that move little from one query to the next.

use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::pose;
use crate::errors::JsResult;
use crate::query::Query;
use crate::tree::Tree;

/// Tracks the least distance between two meshes that are dragged or animated. Each search starts from the last result.
/// Results are those of `Query.distance`.
#[wasm_bindgen]
pub struct DistanceTracker {
    tracker: bvtree::query::DistanceTracker,
}

#[wasm_bindgen]
impl DistanceTracker {
    /// Creates a tracker for two trees, which may be freed before it.
    #[wasm_bindgen(constructor)]
    pub fn new(a: &Tree, b: &Tree) -> DistanceTracker {
        Self { tracker: bvtree::query::DistanceTracker::new(&a.tree, &b.tree) }
    }

    /// Computes the least distance and the closest points at the next pose, in A's frame; `undefined` if a mesh is
    /// empty. `query` counts the tests.
    #[wasm_bindgen(unchecked_return_type = "ClosestPair | undefined")]
    pub fn distance(
        &mut self,
        query: &mut Query,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.tracker.distance(&mut query.query, &pose(b_to_a)?);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::closest_pair))
    }
}
