//! Questions about two trees. A stands still, and `pose` takes B's points into A's frame, in which points of answers
//! are.

use bvtree::Motion;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{direction, pose};
use crate::errors::{JsResult, invalid};
use crate::tree::Tree;

/// Asks about two trees, and keeps its memory from one question to the next: make one and keep it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Query {
    pub(crate) query: bvtree::Query,
}

#[wasm_bindgen]
impl Query {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Query {
        Self::default()
    }

    /// Pairs of volumes that the last question tested.
    #[wasm_bindgen(getter, js_name = volumeTests)]
    pub fn volume_tests(&self) -> f64 {
        self.query.stats().volume_tests as f64
    }

    /// Pairs of triangles that the last question tested.
    #[wasm_bindgen(getter, js_name = triangleTests)]
    pub fn triangle_tests(&self) -> f64 {
        self.query.stats().triangle_tests as f64
    }

    /// Whether any triangles intersect, exactly; touching counts.
    pub fn intersects(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<bool> {
        Ok(self.query.intersects(&a.tree, &b.tree, &pose(b_to_a)?))
    }

    /// Which triangles intersect: A's and B's of each pair, one after the other, in no particular order.
    #[wasm_bindgen(js_name = intersectingPairs)]
    pub fn intersecting_pairs(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<Vec<u32>> {
        Ok(answers::face_pairs(self.query.intersecting_pairs(&a.tree, &b.tree, &pose(b_to_a)?).into_iter()))
    }

    /// How many pairs of triangles intersect.
    #[wasm_bindgen(js_name = countPairs)]
    pub fn count_pairs(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<f64> {
        Ok(self.query.count_pairs(&a.tree, &b.tree, &pose(b_to_a)?) as f64)
    }

    /// Which triangles of one mesh intersect beyond what they share.
    #[wasm_bindgen(js_name = selfPairs)]
    pub fn self_pairs(&mut self, tree: &Tree) -> Vec<u32> {
        answers::face_pairs(self.query.self_pairs(&tree.tree).into_iter())
    }

    /// The least distance and the closest points; `undefined` if a mesh is empty.
    #[wasm_bindgen(unchecked_return_type = "ClosestPair | undefined")]
    pub fn distance(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.query.distance(&a.tree, &b.tree, &pose(b_to_a)?);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::closest_pair))
    }

    /// Whether the distance is at most a tolerance, in less time than the distance takes.
    pub fn within(
        &mut self,
        a: &Tree,
        b: &Tree,
        tolerance: f64,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<bool> {
        Ok(self.query.within(&a.tree, &b.tree, &pose(b_to_a)?, tolerance).is_yes())
    }

    /// Separate, touching, crossing or one in the other; undefined for what has holes.
    #[wasm_bindgen(unchecked_return_type = "Relation")]
    pub fn relation(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<String> {
        Ok(self.query.relation(&a.tree, &b.tree, &pose(b_to_a)?).to_string())
    }

    /// Where each pair of intersecting triangles intersects, sorted by faces.
    #[wasm_bindgen(unchecked_return_type = "Contacts")]
    pub fn contacts(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        Ok(answers::contacts(&self.query.contacts(&a.tree, &b.tree, &pose(b_to_a)?)))
    }

    /// The curves along which the surfaces intersect, and the triangles that do.
    #[wasm_bindgen(js_name = intersectionCurves, unchecked_return_type = "IntersectionCurves")]
    pub fn intersection_curves(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.query.contacts(&a.tree, &b.tree, &pose(b_to_a)?);
        Ok(answers::intersection_curves(&found, &bvtree::query::intersection_curves(&found)))
    }

    /// A translation that frees B, as short as was found: an upper bound of the penetration depth; `undefined` if
    /// nothing touches.
    #[wasm_bindgen(unchecked_return_type = "Penetration | undefined")]
    pub fn penetration(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.query.penetration(&a.tree, &b.tree, &pose(b_to_a)?);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::penetration))
    }

    /// The last contact along a direction: how far B can be moved that way and still touch; `undefined` if nothing
    /// touches.
    #[wasm_bindgen(js_name = penetrationAlong, unchecked_return_type = "DirectionalPenetration | undefined")]
    pub fn penetration_along(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = direction, unchecked_param_type = "Numbers")] along: &[f64],
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.query.penetration_along(&a.tree, &b.tree, &pose(b_to_a)?, &direction(along)?);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::penetration_along))
    }

    /// When B first touches A, as its origin moves straight from one pose to another while it turns about that evenly.
    /// `"no_impact"` is proven for this motion alone, and not for other ways between the poses, as joints take. A time
    /// is never later than the true one; `accuracy` is how far apart the triangles may still be then (0 if left out),
    /// and no clearance: B may pass A nearer than that and have no impact.
    #[wasm_bindgen(js_name = timeOfImpact, unchecked_return_type = "TimeOfImpact")]
    pub fn time_of_impact(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Matrix")] start: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_param_type = "Matrix")] end: Option<Vec<f64>>,
        accuracy: Option<f64>,
    ) -> JsResult<JsValue> {
        let motion = Motion::new(pose(start)?, pose(end)?);
        let found = self.query.time_of_impact(&a.tree, &b.tree, &motion, accuracy.unwrap_or(0.0)).map_err(invalid)?;
        Ok(answers::time_of_impact(&found))
    }
}
