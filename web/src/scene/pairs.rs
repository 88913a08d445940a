//! Queries about all pairs of bodies.

use std::ops::ControlFlow;

use bvtree::query::Solid;
use bvtree::scene::{BodyId, NearPair};
use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{Scene, of_scene};
use crate::answers;
use crate::arguments::name;
use crate::errors::JsResult;
use crate::query::depth_options;

#[wasm_bindgen]
impl Scene {
    /// Finds all pairs of bodies that touch, or of which one is solid and a part of the other is inside it: two body
    /// numbers for each pair, the smaller one first, sorted.
    #[wasm_bindgen(js_name = intersectingPairs)]
    pub fn intersecting_pairs(&mut self) -> JsResult<Vec<u32>> {
        let found = self.scene.intersecting_pairs();
        self.sorted(found)
    }

    /// Finds all pairs of bodies whose boxes in the broad phase are at most a margin apart (default 0); a pair that is
    /// farther apart may be among them. The format is that of `intersectingPairs`.
    #[wasm_bindgen(js_name = neighborPairs)]
    pub fn neighbor_pairs(&mut self, margin: Option<f64>) -> JsResult<Vec<u32>> {
        let mut found = Vec::new();
        self.scene.for_each_neighbor_pair(
            margin.unwrap_or(0.0),
            |_, near| Some(near.ids),
            |ids| {
                found.push(ids);
                ControlFlow::Continue(())
            },
        );
        self.sorted(found)
    }

    /// Finds all pairs of bodies whose distance is at most a clearance, with their closest points.
    #[wasm_bindgen(js_name = pairsWithin, unchecked_return_type = "NearPair[]")]
    pub fn pairs_within(&mut self, clearance: f64) -> JsResult<Array> {
        let found = self.scene.pairs_within(clearance);
        let found = self.filtered(found)?;
        Ok(found.iter().map(|pair| self.near(pair)).collect())
    }

    /// Finds the two bodies that are closest to each other; `undefined` if no two are compared.
    #[wasm_bindgen(js_name = closestPair, unchecked_return_type = "NearPair | undefined")]
    pub fn closest_pair(&mut self) -> JsResult<JsValue> {
        let found = self.scene.closest_pair();
        let found = self.filtered(found)?;
        Ok(found.map_or(JsValue::UNDEFINED, |pair| self.near(&pair)))
    }

    /// Determines the spatial relation of two bodies. They are `"coincident"` if each triangle of either is within a
    /// tolerance (default 0) of a single triangle of the other.
    #[wasm_bindgen(unchecked_return_type = "BodyRelation")]
    pub fn relation(&self, a: f64, b: f64, tolerance: Option<f64>) -> JsResult<String> {
        let found = self.scene.relation(self.id(a)?, self.id(b)?, tolerance.unwrap_or(0.0)).map_err(of_scene)?;
        Ok(found.name().to_owned())
    }

    /// Finds all pairs of bodies that are not separate, and their relations; see `relation`.
    #[wasm_bindgen(unchecked_return_type = "RelatedPair[]")]
    pub fn relations(&mut self, tolerance: Option<f64>) -> JsResult<Array> {
        let found = self.scene.relations(tolerance.unwrap_or(0.0));
        let found = self.filtered(found)?;
        let pairs = found.iter().map(|pair| (self.numbers(pair.bodies), pair.relation.name()));
        Ok(pairs.map(|(bodies, relation)| answers::related_pair(bodies, relation)).collect())
    }

    /// Computes how far inside the other body the deepest point of either surface lies, for all pairs that overlap.
    /// Returns a lower and an upper bound; the search for them ends once they differ by at most `relativeTolerance`
    /// (default 0.01) times the lower one, or after `timeLimit` seconds for each pair (unlimited by default). `solid`
    /// says whether open meshes have an inside: with `"robust"` they do; otherwise (the default is `"if_closed"`) their
    /// pairs are left out. A convex shape is replaced by a mesh inscribed in it, and the bounds are widened by the
    /// difference.
    #[wasm_bindgen(js_name = overlapDepths, unchecked_return_type = "OverlappingPair[]")]
    pub fn overlap_depths(
        &mut self,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "Solid")] solid: &JsValue,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<Array> {
        let open = name(solid, "solid")?.unwrap_or(Solid::IfClosed);
        let found = self.scene.overlap_depths(open, &depth_options(relative_tolerance, time_limit)?);
        let found = self.filtered(found)?;
        let pairs = found.iter().map(|pair| {
            let depth = answers::overlap_depth(&pair.depth);
            answers::of_parts(pair.parts, answers::of_pair(self.numbers(pair.bodies), depth))
        });
        Ok(pairs.collect())
    }

    /// Computes bounds on the length of the shortest translation that separates two bodies, for all pairs that overlap.
    /// `relativeTolerance` and `timeLimit` are as in `overlapDepths`. Pairs with an open mesh are left out.
    #[wasm_bindgen(js_name = penetrationDepths, unchecked_return_type = "PenetratingPair[]")]
    pub fn penetration_depths(
        &mut self,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<Array> {
        let found = self.scene.penetration_depths(&depth_options(relative_tolerance, time_limit)?);
        let found = self.filtered(found)?;
        let pairs = found.iter().map(|pair| (self.numbers(pair.bodies), answers::penetration_depth(&pair.depth)));
        Ok(pairs.map(|(bodies, depth)| answers::of_pair(bodies, depth)).collect())
    }

    /// Computes the contact manifolds of all pairs of bodies, as `Query.contactManifolds` does for one pair.
    #[wasm_bindgen(js_name = contactManifolds, unchecked_return_type = "BodyManifolds")]
    pub fn contact_manifolds(&mut self, margin: f64) -> JsResult<JsValue> {
        let found = self.scene.contact_manifolds(margin);
        let found = self.filtered(found)?;
        let bodies = found.iter().flat_map(|one| self.numbers(one.bodies)).collect();
        let parts = found.iter().flat_map(|one| one.parts).collect();
        Ok(answers::of_pairs(bodies, parts, answers::contact_manifolds(found.iter().map(|one| &one.manifold))))
    }
}

impl Scene {
    /// The body numbers of the pairs that a query found, sorted.
    fn sorted(&mut self, ids: Vec<[BodyId; 2]>) -> JsResult<Vec<u32>> {
        let ids = self.filtered(ids)?;
        let mut pairs: Vec<[u32; 2]> = ids.into_iter().map(|ids| self.numbers(ids)).collect();
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        Ok(pairs.into_flattened())
    }

    fn near(&self, pair: &NearPair) -> JsValue {
        let [on_a, on_b] = &pair.points;
        let answer = answers::pair(pair.distance, on_a, on_b, pair.faces);
        answers::of_parts(pair.parts, answers::of_pair(self.numbers(pair.bodies), answer))
    }
}
