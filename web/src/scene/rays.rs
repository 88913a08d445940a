//! Rays, points, capsules and moving convex shapes against all bodies.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::Scene;
use crate::answers;
use crate::arguments::{point, pose, vector};
use crate::convex_shape::{ConvexShape, capsule, options};
use crate::errors::JsResult;
use crate::probe::{ray, until};

#[wasm_bindgen]
impl Scene {
    /// Finds the first triangle or convex shape that a ray hits; times are in units of the direction's length. Bodies
    /// in none of the mask's collision groups are ignored; the mask has all groups if it is omitted.
    #[wasm_bindgen(js_name = closestHit, unchecked_return_type = "BodyHit | undefined")]
    pub fn closest_hit(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime, unchecked_optional_param_type = "number")] max_time: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<JsValue> {
        let ray = ray(origin, direction)?;
        let found = self.scene.closest_hit(&mut self.probe, &ray, until(max_time), groups(mask));
        let hit = |found: bvtree::scene::BodyHit| {
            answers::of_body_part(self.number(found.body), found.part, answers::ray_hit(&found.hit))
        };
        Ok(found.map_or(JsValue::UNDEFINED, hit))
    }

    /// Tests whether a ray hits any body; see `closestHit`.
    #[wasm_bindgen(js_name = anyHit)]
    pub fn any_hit(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime, unchecked_optional_param_type = "number")] max_time: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<bool> {
        Ok(self.scene.any_hit(&mut self.probe, &ray(origin, direction)?, until(max_time), groups(mask)))
    }

    /// Finds all triangles and convex shapes that a ray hits, sorted by time; see `closestHit`.
    #[wasm_bindgen(js_name = allHits, unchecked_return_type = "BodyHit[]")]
    pub fn all_hits(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
        #[wasm_bindgen(js_name = maxTime, unchecked_optional_param_type = "number")] max_time: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<Array> {
        let found = self.scene.hits(&mut self.probe, &ray(origin, direction)?, until(max_time), groups(mask));
        let hits = found
            .iter()
            .map(|found| answers::of_body_part(self.number(found.body), found.part, answers::ray_hit(&found.hit)));
        Ok(hits.collect())
    }

    /// Finds the point of all bodies that is closest to a query point; `undefined` if none is within `maxDistance`.
    /// Meshes count as surfaces here; a point inside a convex shape is at distance 0.
    #[wasm_bindgen(js_name = closestPoint, unchecked_return_type = "BodyPoint | undefined")]
    pub fn closest_point(
        &mut self,
        #[wasm_bindgen(js_name = point, unchecked_param_type = "Numbers")] to: &[f64],
        #[wasm_bindgen(js_name = maxDistance, unchecked_optional_param_type = "number")] max_distance: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<JsValue> {
        let to = point(to, "a point")?;
        let found = self.scene.closest_point(&mut self.probe, &to, until(max_distance), groups(mask));
        Ok(found.map_or(JsValue::UNDEFINED, |found| {
            answers::of_body_part(
                self.number(found.body),
                found.part,
                answers::closest_on(found.distance, &found.point, found.face),
            )
        }))
    }

    /// Finds the first contact of a capsule that moves along a displacement, as `Probe.castCapsule` does for one tree.
    /// `undefined` proves that there is none. A capsule that starts in a convex shape has a contact at time 0.
    #[wasm_bindgen(js_name = castCapsule, unchecked_return_type = "BodyCastHit | undefined")]
    #[allow(clippy::too_many_arguments)]
    pub fn cast_capsule(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] displacement: &[f64],
        #[wasm_bindgen(unchecked_optional_param_type = "number")] tolerance: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<JsValue> {
        let (capsule, displacement) = (capsule(start, end, radius)?, vector(displacement, "a displacement")?);
        let options = options(tolerance);
        let found = self.scene.cast_capsule(&mut self.probe, &capsule, &displacement, &options, groups(mask));
        Ok(found.map_or(JsValue::UNDEFINED, |found| {
            answers::of_body_part(self.number(found.body), found.part, answers::capsule_cast_hit(&found.hit))
        }))
    }

    /// Finds the first contact of a convex shape that moves along a displacement without turning, as `Probe.castConvex`
    /// does for one tree, from a pose in the world. `undefined` proves that there is none.
    #[wasm_bindgen(js_name = castConvex, unchecked_return_type = "BodyHit | undefined")]
    pub fn cast_convex(
        &mut self,
        shape: &ConvexShape,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] displacement: &[f64],
        #[wasm_bindgen(js_name = shapeToWorld, unchecked_optional_param_type = "Matrix")] to_world: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] tolerance: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<JsValue> {
        let (start, displacement, options) =
            (pose(to_world)?, vector(displacement, "a displacement")?, options(tolerance));
        let found =
            self.scene.cast_convex(&mut self.probe, &shape.shape, &start, &displacement, &options, groups(mask));
        Ok(found.map_or(JsValue::UNDEFINED, |found| {
            answers::of_body_part(self.number(found.body), found.part, answers::convex_cast_hit(&found.hit))
        }))
    }

    /// Finds the contacts of a capsule with all triangles and convex shapes within `maxDistance`, sorted by body, part
    /// and face. Distances are negative where the capsule overlaps them.
    #[wasm_bindgen(js_name = capsuleContacts, unchecked_return_type = "BodyContact[]")]
    pub fn capsule_contacts(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<Array> {
        let capsule = capsule(start, end, radius)?;
        let found = self.scene.capsule_contacts(&mut self.probe, &capsule, max_distance, groups(mask));
        let contacts = found.iter().map(|found| {
            answers::of_body_part(self.number(found.body), found.part, answers::capsule_contact(&found.contact))
        });
        Ok(contacts.collect())
    }

    /// Finds the contact of a capsule with the triangle or convex shape that is closest to it or overlaps it most
    /// deeply; `undefined` if none is within `maxDistance`.
    #[wasm_bindgen(js_name = closestCapsuleContact, unchecked_return_type = "BodyContact | undefined")]
    pub fn closest_capsule_contact(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] mask: Option<u32>,
    ) -> JsResult<JsValue> {
        let capsule = capsule(start, end, radius)?;
        let found = self.scene.closest_capsule_contact(&mut self.probe, &capsule, max_distance, groups(mask));
        Ok(found.map_or(JsValue::UNDEFINED, |found| {
            answers::of_body_part(self.number(found.body), found.part, answers::capsule_contact(&found.contact))
        }))
    }
}

pub(super) fn groups(mask: Option<u32>) -> u32 {
    mask.unwrap_or(u32::MAX)
}
