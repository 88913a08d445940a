//! Contacts of convex shapes with one tree, and of two convex shapes.

use std::ops::ControlFlow;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{pose, vector};
use crate::convex_shape::ConvexShape;
use crate::errors::JsResult;
use crate::probe::{Probe, until};
use crate::tree::Tree;

#[wasm_bindgen]
impl Probe {
    /// Finds the contact of a convex shape, which is solid, with each triangle within `maxDistance`, in no particular
    /// order. Distances are negative where the shape and the triangle overlap.
    #[wasm_bindgen(js_name = convexContacts, unchecked_return_type = "ConvexContact[]")]
    pub fn convex_contacts(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
    ) -> JsResult<Array> {
        let contacts = Array::new();
        let shape = shape.shape.transformed(&pose(to_mesh)?);
        self.probe.for_each_convex_contact(&tree.tree, &shape, max_distance, |contact| {
            contacts.push(&answers::convex_contact(&contact));
            ControlFlow::Continue(())
        });
        Ok(contacts)
    }

    /// Finds the contact of a convex shape, which is solid, with the triangle that overlaps it most deeply or else is
    /// closest to it; `undefined` if none is within `maxDistance`.
    #[wasm_bindgen(js_name = closestConvexContact, unchecked_return_type = "ConvexContact | undefined")]
    pub fn closest_convex_contact(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let shape = shape.shape.transformed(&pose(to_mesh)?);
        let found = self.probe.closest_convex_contact(&tree.tree, &shape, max_distance);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::convex_contact))
    }

    /// Computes the contact manifolds of a mesh, A, and a convex shape, B, for a rigid-body solver, in the mesh's
    /// frame. They are as in `Query.contactManifolds`.
    #[wasm_bindgen(js_name = convexContactManifolds, unchecked_return_type = "ContactManifolds")]
    pub fn convex_contact_manifolds(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        margin: f64,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let shape = shape.shape.transformed(&pose(to_mesh)?);
        Ok(answers::contact_manifolds(self.probe.convex_contact_manifolds(&tree.tree, &shape, margin).iter()))
    }

    /// Finds the vertex of the mesh that is farthest along a direction of any length. For the half-space of all points
    /// with `normal . x <= d` and a unit normal, the mesh's lowest vertex `x` is the one farthest along `-normal`; its
    /// height is `normal . x - d`. `undefined` if the mesh is empty, or the direction is zero or not finite.
    #[wasm_bindgen(js_name = supportPoint, unchecked_return_type = "SupportPoint | undefined")]
    pub fn support_point(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
    ) -> JsResult<JsValue> {
        let found = self.probe.support_point(&tree.tree, &vector(direction, "a direction")?);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::support_point))
    }
}

#[wasm_bindgen]
impl ConvexShape {
    /// Finds the contact of this shape, A, with another one, B: where they are nearest, or how far they overlap.
    /// `undefined` if they are farther apart than `maxDistance`.
    #[wasm_bindgen(unchecked_return_type = "ShapeContact | undefined")]
    pub fn contact(
        &self,
        other: &ConvexShape,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = maxDistance, unchecked_optional_param_type = "number")] max_distance: Option<f64>,
    ) -> JsResult<JsValue> {
        let found = self.shape.contact(&other.shape.transformed(&pose(b_to_a)?), until(max_distance));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::shape_contact))
    }

    /// Computes the contact manifolds of this shape, A, with another one, B, for a rigid-body solver, in A's frame.
    /// They are as in `Query.contactManifolds`.
    #[wasm_bindgen(js_name = contactManifolds, unchecked_return_type = "ContactManifolds")]
    pub fn contact_manifolds(
        &self,
        other: &ConvexShape,
        margin: f64,
        #[wasm_bindgen(js_name = bToA, unchecked_optional_param_type = "Matrix")] b_to_a: Option<Vec<f64>>,
    ) -> JsResult<JsValue> {
        let other = other.shape.transformed(&pose(b_to_a)?);
        Ok(answers::contact_manifolds(self.shape.contact_manifolds(&other, margin).iter()))
    }

    /// Computes a point of the shape that is farthest along a direction of any length, three numbers.
    #[wasm_bindgen(js_name = supportPoint, unchecked_return_type = "Point")]
    pub fn support_point(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] direction: &[f64],
    ) -> JsResult<Array> {
        Ok(answers::three(self.shape.support_point(&vector(direction, "a direction")?).into()))
    }
}
