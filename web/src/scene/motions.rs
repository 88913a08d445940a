//! Motions of bodies, and their impacts.

use bvtree::Motion;
use bvtree::scene::{BodyId, BodyImpact};
use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{Scene, of_scene};
use crate::answers;
use crate::arguments::pose;
use crate::errors::JsResult;

#[wasm_bindgen]
extern "C" {
    /// The motion of a body.
    #[wasm_bindgen(typescript_type = "BodyMotion")]
    pub type GivenMotion;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn body(this: &GivenMotion) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn start(this: &GivenMotion) -> JsResult<Option<Vec<f64>>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn end(this: &GivenMotion) -> JsResult<Option<Vec<f64>>>;
}

#[wasm_bindgen]
impl Scene {
    /// Finds when moving bodies first meet, for all pairs that do. Each body moves in a straight line from one pose to
    /// another and rotates about its origin at a constant rate; bodies without a motion are stationary. The times, 0 to
    /// 1, are never later than the true ones. `accuracy` is as in `Query.timeOfImpact`.
    #[wasm_bindgen(unchecked_return_type = "BodyImpact[]")]
    pub fn impacts(&mut self, motions: Vec<GivenMotion>, accuracy: Option<f64>) -> JsResult<Array> {
        let motions = self.motions(&motions)?;
        let found = self.scene.impacts(&motions, accuracy.unwrap_or(0.0));
        let found = self.filtered(found)?.map_err(of_scene)?;
        Ok(found.iter().map(|impact| self.impact(impact)).collect())
    }

    /// Finds the earliest of the impacts that `impacts` finds, in less time; `undefined` proves that no two bodies that
    /// the scene compares meet.
    #[wasm_bindgen(js_name = firstImpact, unchecked_return_type = "BodyImpact | undefined")]
    pub fn first_impact(&mut self, motions: Vec<GivenMotion>, accuracy: Option<f64>) -> JsResult<JsValue> {
        let motions = self.motions(&motions)?;
        let found = self.scene.first_impact(&motions, accuracy.unwrap_or(0.0));
        let found = self.filtered(found)?.map_err(of_scene)?;
        Ok(found.map_or(JsValue::UNDEFINED, |impact| self.impact(&impact)))
    }
}

impl Scene {
    /// Reads motions. A pose that is omitted is that of the body in the scene.
    pub(crate) fn motions(&self, given: &[GivenMotion]) -> JsResult<Vec<(BodyId, Motion)>> {
        let motion = |given: &GivenMotion| {
            let id = self.id(given.body()?.unwrap_or(f64::NAN))?;
            let or_here = |matrix: Option<Vec<f64>>| match matrix {
                None => Ok(self.pose_of(id)),
                matrix => pose(matrix),
            };
            Ok((id, Motion::new(or_here(given.start()?)?, or_here(given.end()?)?)))
        };
        given.iter().map(motion).collect()
    }

    fn impact(&self, found: &BodyImpact) -> JsValue {
        let [on_a, on_b] = &found.points;
        let contact = answers::pair(found.distance, on_a, on_b, found.faces);
        let impact = answers::body_impact(found.time, &found.normal, contact);
        answers::of_parts(found.parts, answers::of_pair(self.numbers(found.bodies), impact))
    }
}
