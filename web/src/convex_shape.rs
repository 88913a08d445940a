//! Convex shapes, and capsules, against one tree.

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::CastOptions;
use bvtree::shape::{Capsule, ConvexError, Segment};
use js_sys::Array;
use nalgebra::Point3;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{point, pose, vector};
use crate::errors::{JsResult, invalid};
use crate::probe::{Probe, until};
use crate::tree::Tree;

/// A convex solid in a frame of its own: a sphere, capsule, box, cylinder, cone or convex hull, rounded or not. Axes of
/// capsules, cylinders and cones are along z.
///
/// Whether boxes and hulls that are not rounded touch is decided exactly, on their posed coordinates. For other shapes
/// no contact is missed, but a gap within rounding may be reported as a contact, and for cylinders and cones a gap of
/// up to a millionth of the size.
#[wasm_bindgen]
pub struct ConvexShape {
    pub(crate) shape: Arc<bvtree::shape::ConvexShape>,
}

fn made(shape: Result<bvtree::shape::ConvexShape, ConvexError>) -> JsResult<ConvexShape> {
    shape.map(|shape| ConvexShape { shape: Arc::new(shape) }).map_err(invalid)
}

#[wasm_bindgen]
impl ConvexShape {
    /// Makes a sphere.
    pub fn sphere(radius: f64) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::sphere(radius))
    }

    /// Makes a capsule: all points within the radius of the segment from `-halfLength` to `halfLength` on the z axis.
    pub fn capsule(#[wasm_bindgen(js_name = halfLength)] half_length: f64, radius: f64) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::capsule(half_length, radius))
    }

    /// Makes a box from its half extents, three numbers.
    pub fn cuboid(
        #[wasm_bindgen(js_name = halfExtents, unchecked_param_type = "Numbers")] half_extents: &[f64],
    ) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::cuboid(vector(half_extents, "a box's half extents")?))
    }

    /// Makes a cylinder from `-halfHeight` to `halfHeight` on the z axis.
    pub fn cylinder(#[wasm_bindgen(js_name = halfHeight)] half_height: f64, radius: f64) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::cylinder(half_height, radius))
    }

    /// Makes a cone with its base at `-halfHeight` and its apex at `halfHeight` on the z axis.
    pub fn cone(#[wasm_bindgen(js_name = halfHeight)] half_height: f64, radius: f64) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::cone(half_height, radius))
    }

    /// Makes the convex hull of points, three numbers each.
    pub fn hull(#[wasm_bindgen(unchecked_param_type = "Numbers")] points: &[f64]) -> JsResult<ConvexShape> {
        if !points.len().is_multiple_of(3) {
            return Err(invalid("points are three numbers each"));
        }
        let points: Vec<Point3<f64>> = points.chunks_exact(3).map(Point3::from_slice).collect();
        made(bvtree::shape::ConvexShape::hull(&points))
    }

    /// Makes the shape enlarged by a radius on all sides, which rounds its edges.
    pub fn rounded(&self, radius: f64) -> JsResult<ConvexShape> {
        made(bvtree::shape::ConvexShape::clone(&self.shape).rounded(radius))
    }
}

#[wasm_bindgen]
impl Probe {
    /// Tests whether a convex shape, which is solid, shares a point with a triangle. A shape inside a closed mesh
    /// touches no triangle.
    #[wasm_bindgen(js_name = intersectsConvex)]
    pub fn intersects_convex(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
    ) -> JsResult<bool> {
        Ok(self.probe.intersects_convex(&tree.tree, &shape.shape.transformed(&pose(to_mesh)?)))
    }

    /// Finds the triangles that touch a convex shape, in no particular order.
    #[wasm_bindgen(js_name = facesInConvex)]
    pub fn faces_in_convex(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
    ) -> JsResult<Vec<u32>> {
        let mut faces = Vec::new();
        self.probe.for_each_face_in_convex(&tree.tree, &shape.shape.transformed(&pose(to_mesh)?), |face| {
            faces.push(face);
            ControlFlow::Continue(())
        });
        Ok(faces)
    }

    /// Finds the closest points of a convex shape and the mesh; `undefined` if the mesh is farther than `maxDistance`.
    #[wasm_bindgen(js_name = closestToConvex, unchecked_return_type = "ClosestToConvex | undefined")]
    pub fn closest_to_convex(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = maxDistance, unchecked_optional_param_type = "number")] max_distance: Option<f64>,
    ) -> JsResult<JsValue> {
        let shape = shape.shape.transformed(&pose(to_mesh)?);
        let found = self.probe.closest_to_convex(&tree.tree, &shape, until(max_distance));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::closest_to_convex))
    }

    /// Finds the first contact of a convex shape that moves along a displacement without turning; times are fractions
    /// of the displacement, and the normal points from the triangle to the shape. `undefined` proves that there is
    /// none.
    #[wasm_bindgen(js_name = castConvex, unchecked_return_type = "RayHit | undefined")]
    pub fn cast_convex(
        &mut self,
        tree: &Tree,
        shape: &ConvexShape,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] displacement: &[f64],
        #[wasm_bindgen(js_name = shapeToMesh, unchecked_optional_param_type = "Matrix")] to_mesh: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] tolerance: Option<f64>,
    ) -> JsResult<JsValue> {
        let (shape, displacement) = (shape.shape.transformed(&pose(to_mesh)?), vector(displacement, "a displacement")?);
        let found = self.probe.cast_convex(&tree.tree, &shape, &displacement, &options(tolerance));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::convex_cast_hit))
    }

    /// Finds the first contact of a capsule, all points within a radius of a segment, that moves along a displacement;
    /// equal ends make it a sphere. Times are fractions of the displacement. `undefined` proves that there is none.
    #[wasm_bindgen(js_name = castCapsule, unchecked_return_type = "CapsuleCastHit | undefined")]
    pub fn cast_capsule(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] displacement: &[f64],
        tolerance: Option<f64>,
    ) -> JsResult<JsValue> {
        let (capsule, displacement) = (capsule(start, end, radius)?, vector(displacement, "a displacement")?);
        let found = self.probe.cast_capsule(&tree.tree, &capsule, &displacement, &options(tolerance));
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::capsule_cast_hit))
    }

    /// Finds the contact of a capsule with each triangle within `maxDistance`, in no particular order. Distances are
    /// negative where the capsule and the triangle overlap.
    #[wasm_bindgen(js_name = capsuleContacts, unchecked_return_type = "CapsuleContact[]")]
    pub fn capsule_contacts(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
    ) -> JsResult<Array> {
        let contacts = Array::new();
        self.probe.for_each_capsule_contact(&tree.tree, &capsule(start, end, radius)?, max_distance, |contact| {
            contacts.push(&answers::capsule_contact(&contact));
            ControlFlow::Continue(())
        });
        Ok(contacts)
    }

    /// Finds the contact of a capsule with the triangle that is closest to it or overlaps it most deeply; `undefined`
    /// if none is within `maxDistance`.
    #[wasm_bindgen(js_name = closestCapsuleContact, unchecked_return_type = "CapsuleContact | undefined")]
    pub fn closest_capsule_contact(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] end: &[f64],
        radius: f64,
        #[wasm_bindgen(js_name = maxDistance)] max_distance: f64,
    ) -> JsResult<JsValue> {
        let found = self.probe.closest_capsule_contact(&tree.tree, &capsule(start, end, radius)?, max_distance);
        Ok(found.as_ref().map_or(JsValue::UNDEFINED, answers::capsule_contact))
    }
}

pub fn options(tolerance: Option<f64>) -> CastOptions {
    CastOptions { tolerance: tolerance.unwrap_or(0.0), ..CastOptions::default() }
}

pub fn capsule(start: &[f64], end: &[f64], radius: f64) -> JsResult<Capsule> {
    if !(radius >= 0.0 && radius.is_finite()) {
        return Err(invalid(format!("a radius is a finite number that is not negative, not {radius}")));
    }
    let segment = Segment { start: point(start, "a capsule's start")?, end: point(end, "a capsule's end")? };
    Ok(Capsule { segment, radius })
}
