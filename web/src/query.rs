//! Queries on two trees. `bToA` maps B's coordinates into A's frame; results are in A's frame.

use std::time::Duration;

use bvtree::Motion;
use bvtree::query::{DepthOptions, HausdorffDirection};
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{direction, name, pose};
use crate::errors::{JsResult, invalid, invalid_mesh};
use crate::tree::Tree;

/// Runs queries on two trees and reuses its memory from one query to the next: create one object and keep it.
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

    /// Number of pairs of volumes that the last query tested.
    #[wasm_bindgen(getter, js_name = volumeTests)]
    pub fn volume_tests(&self) -> f64 {
        self.query.stats().volume_tests as f64
    }

    /// Number of pairs of triangles that the last query tested.
    #[wasm_bindgen(getter, js_name = triangleTests)]
    pub fn triangle_tests(&self) -> f64 {
        self.query.stats().triangle_tests as f64
    }

    /// Chooses whether A and B of later queries are surfaces, `"no"` (the default), or solids: with `"if_closed"` an
    /// open mesh stays a surface, with `"robust"` it has an inside by winding numbers or the votes of rays. A mesh with
    /// a part inside a solid one intersects it, is at distance 0 and within any tolerance, and a motion that starts
    /// there has its impact at time 0.
    #[wasm_bindgen(js_name = setSolids)]
    pub fn set_solids(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Solid")] a: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Solid")] b: &JsValue,
    ) -> JsResult<()> {
        let solid = |given, what| name(given, what)?.ok_or_else(|| invalid(format_args!("{what}: expected a string")));
        self.query.set_solids(solid(a, "a")?, solid(b, "b")?);
        Ok(())
    }

    /// Restricts later queries to triangles of A and of B with a layer in a mask; see `Tree.setLayers`. `undefined`,
    /// the default, selects all triangles. The masks apply to intersection, pairs, contacts, tolerances, distance, time
    /// of impact, free intervals and penetration along a direction; the last two use whole meshes if a mesh is solid.
    /// Other queries are about whole meshes, and so is what is inside a solid.
    #[wasm_bindgen(js_name = setMasks)]
    pub fn set_masks(&mut self, a: Option<u32>, b: Option<u32>) {
        self.query.set_masks(a, b);
    }

    /// Tests exactly whether any triangles intersect; touching counts as intersecting.
    pub fn intersects(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<bool> {
        Ok(self.query.intersects(&a.tree, &b.tree, &pose(b_to_a)?))
    }

    /// Finds the pairs of intersecting triangles: A's face, then B's, for each pair, in no particular order.
    #[wasm_bindgen(js_name = intersectingPairs)]
    pub fn intersecting_pairs(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<Vec<u32>> {
        Ok(answers::face_pairs(self.query.intersecting_pairs(&a.tree, &b.tree, &pose(b_to_a)?).into_iter()))
    }

    /// Counts the pairs of intersecting triangles.
    #[wasm_bindgen(js_name = countPairs)]
    pub fn count_pairs(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<f64> {
        Ok(self.query.count_pairs(&a.tree, &b.tree, &pose(b_to_a)?) as f64)
    }

    /// Finds the self-intersections of a mesh: triangles that intersect beyond the corners and edges that they share.
    #[wasm_bindgen(js_name = selfPairs)]
    pub fn self_pairs(&mut self, tree: &Tree) -> Vec<u32> {
        answers::face_pairs(self.query.self_pairs(&tree.tree).into_iter())
    }

    /// Computes the least distance and the closest points, in A's frame; `undefined` if a mesh is empty.
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

    /// Tests whether the distance is at most a tolerance, which takes less time than `distance`.
    pub fn within(
        &mut self,
        a: &Tree,
        b: &Tree,
        tolerance: f64,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<bool> {
        Ok(self.query.within(&a.tree, &b.tree, &pose(b_to_a)?, tolerance).is_yes())
    }

    /// Determines the spatial relation: separate, touching, crossing or one inside the other; `"undefined"` if the
    /// relation depends on the inside of a mesh with holes.
    #[wasm_bindgen(unchecked_return_type = "Relation")]
    pub fn relation(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<String> {
        Ok(self.query.relation(&a.tree, &b.tree, &pose(b_to_a)?).to_string())
    }

    /// Computes the intersection of each pair of intersecting triangles, in A's frame, sorted by faces.
    #[wasm_bindgen(unchecked_return_type = "Contacts")]
    pub fn contacts(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        Ok(answers::contacts(&self.query.contacts(&a.tree, &b.tree, &pose(b_to_a)?)))
    }

    /// Computes the curves along which the surfaces intersect, and the pairs of triangles that intersect, in A's frame.
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

    /// Computes the contact manifolds that a rigid-body solver needs: up to four points with a common normal for each
    /// region of contact, the deepest first. Contacts are found up to a depth of `margin` and across a gap of up to
    /// `margin`.
    #[wasm_bindgen(js_name = contactManifolds, unchecked_return_type = "ContactManifolds")]
    pub fn contact_manifolds(
        &mut self,
        a: &Tree,
        b: &Tree,
        margin: f64,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        Ok(answers::contact_manifolds(self.query.contact_manifolds(&a.tree, &b.tree, &pose(b_to_a)?, margin).iter()))
    }

    /// Computes how far the surface of either of two solids reaches into the other solid, as a proven interval.
    /// `relativeTolerance` is the difference of the bounds at which the search ends, as a fraction of the lower one
    /// (default 0.01). After `timeLimit` seconds (unlimited by default) it ends with the interval that it has. Both
    /// meshes must be closed or `"robust"` (see `setSolids`); for open meshes, the interval is an estimate.
    #[wasm_bindgen(js_name = overlapDepth, unchecked_return_type = "OverlapDepth")]
    pub fn overlap_depth(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<JsValue> {
        let options = depth_options(relative_tolerance, time_limit)?;
        let found = self.query.overlap_depth(&a.tree, &b.tree, &pose(b_to_a)?, &options);
        found.map(|depth| answers::overlap_depth(&depth)).map_err(invalid_mesh)
    }

    /// Finds the regions in which two solids overlap, the deepest first: the connected pieces of their intersection,
    /// each with its depth as `overlapDepth` computes it. `relativeTolerance` and `timeLimit` are as for `overlapDepth`,
    /// and apply to each region. Both meshes must be closed or `"robust"`.
    #[wasm_bindgen(js_name = overlapRegions, unchecked_return_type = "OverlapRegion[]")]
    pub fn overlap_regions(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<JsValue> {
        let options = depth_options(relative_tolerance, time_limit)?;
        let found = self.query.overlap_regions(&a.tree, &b.tree, &pose(b_to_a)?, &options);
        found.map(|regions| answers::overlap_regions(&regions)).map_err(invalid_mesh)
    }

    /// Computes the Hausdorff distance between two surfaces, as a proven interval: the greatest distance from a point
    /// of one to the closest point of the other; `undefined` if a mesh is empty. `direction` selects the surfaces whose
    /// points are measured (default `"both"`), `relativeTolerance` and `timeLimit` are as for `overlapDepth`. Meshes
    /// may be open.
    #[wasm_bindgen(js_name = hausdorffDistance, unchecked_return_type = "HausdorffDistance | undefined")]
    pub fn hausdorff_distance(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "HausdorffDirection")] direction: &JsValue,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<JsValue> {
        let options = depth_options(relative_tolerance, time_limit)?;
        let direction = name(direction, "direction")?.unwrap_or(HausdorffDirection::Both);
        let found = self.query.hausdorff_distance(&a.tree, &b.tree, &pose(b_to_a)?, direction, &options);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::hausdorff_distance))
    }

    /// Computes the length of the shortest translation of B after which the interiors of two solids do not overlap, as
    /// a proven interval, and such a translation. `relativeTolerance` and `timeLimit` are as for `overlapDepth`. Both
    /// meshes must be closed.
    #[wasm_bindgen(js_name = penetrationDepth, unchecked_return_type = "PenetrationDepth")]
    pub fn penetration_depth(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = relativeTolerance, unchecked_optional_param_type = "number")]
        relative_tolerance: Option<f64>,
        #[wasm_bindgen(js_name = timeLimit, unchecked_optional_param_type = "number")] time_limit: Option<f64>,
    ) -> JsResult<JsValue> {
        let options = depth_options(relative_tolerance, time_limit)?;
        let found = self.query.penetration_depth(&a.tree, &b.tree, &pose(b_to_a)?, &options);
        found.map(|depth| answers::penetration_depth(&depth)).map_err(invalid_mesh)
    }

    /// Computes a short translation that separates B from A: an upper bound on the penetration depth; `undefined` if
    /// the meshes don't touch.
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

    /// Computes the last contact along a direction in A's frame: how far B can move that way and still touch A;
    /// `undefined` if the meshes don't touch.
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

    /// Computes how far B must move along a direction in A's frame to be free of A: the first interval of lengths such
    /// that B, moved by a length strictly within the interval, does not touch A. The interval is proven.
    #[wasm_bindgen(js_name = freeIntervalAlong, unchecked_return_type = "FreeInterval")]
    pub fn free_interval_along(
        &mut self,
        a: &Tree,
        b: &Tree,
        #[wasm_bindgen(js_name = direction, unchecked_param_type = "Numbers")] along: &[f64],
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let found = self.query.free_interval_along(&a.tree, &b.tree, &pose(b_to_a)?, &direction(along)?);
        Ok(answers::free_interval(&found))
    }

    /// Computes when B first touches A while B's origin moves in a straight line from one pose to another and B rotates
    /// about it at a constant rate. `"no_impact"` is proven for this motion only, not for other motions between the
    /// poses, such as those of joints. The time is never later than the true one. `accuracy` is the distance that may
    /// remain between the triangles at that time (default 0). It is not a clearance: B may pass A at a smaller distance
    /// without an impact.
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

pub fn depth_options(relative_tolerance: Option<f64>, time_limit: Option<f64>) -> JsResult<DepthOptions> {
    let defaults = DepthOptions::default();
    let relative_tolerance = relative_tolerance.unwrap_or(defaults.relative_tolerance);
    for (name, number) in [("relativeTolerance", relative_tolerance), ("timeLimit", time_limit.unwrap_or(0.0))] {
        if number.is_nan() || number < 0.0 {
            return Err(invalid(format_args!("{name}: expected 0 or more, not {number}")));
        }
    }
    #[cfg(target_family = "wasm")]
    if time_limit.is_some() {
        // Throws here if the host has no clock: an exception within a query would leave its object borrowed for ever.
        now()?;
        bvtree::query::set_clock(|| Duration::try_from_secs_f64(now().unwrap_or(0.0) / 1000.0).unwrap_or_default());
    }
    let time_limit = time_limit.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    Ok(DepthOptions { relative_tolerance, time_limit, ..defaults })
}

#[cfg(target_family = "wasm")]
#[wasm_bindgen]
extern "C" {
    /// The time in milliseconds since an arbitrary moment.
    #[wasm_bindgen(catch, js_namespace = performance)]
    fn now() -> JsResult<f64>;
}
