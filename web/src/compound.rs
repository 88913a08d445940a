//! Compounds: several trees and convex shapes in one body of a scene.

use std::sync::Arc;

use bvtree::scene::{CompoundError, Geometry, Part};
use wasm_bindgen::prelude::*;

use crate::arguments::pose;
use crate::convex_shape::ConvexShape;
use crate::errors::{JsResult, invalid, invalid_pose};
use crate::tree::Tree;

/// Several trees and convex shapes that move as one body of a `Scene`, each with a pose in the body's frame.
///
/// The parts are compared with those of other bodies, each as a body of its own would be, and never with each other.
/// They may overlap. Parts have numbers in the order in which they are added, 0, 1, 2 and so on, which results name.
/// Bodies that have been added to scenes do not change when a part is added.
#[wasm_bindgen]
#[derive(Default)]
pub struct Compound {
    parts: Vec<Part>,
}

#[wasm_bindgen]
impl Compound {
    /// Creates a compound without parts, which nothing touches.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Compound {
        Self::default()
    }

    /// Adds a mesh at a pose in the body's frame, and returns the part's number. The tree may be freed before the
    /// compound.
    #[wasm_bindgen(js_name = addTree)]
    pub fn add_tree(
        &mut self,
        tree: &Tree,
        #[wasm_bindgen(js_name = toBody, unchecked_optional_param_type = "Matrix")] to_body: Option<Vec<f64>>,
    ) -> JsResult<usize> {
        self.insert(tree.tree.clone().into(), to_body)
    }

    /// Adds a convex shape at a pose in the body's frame, and returns the part's number.
    #[wasm_bindgen(js_name = addShape)]
    pub fn add_shape(
        &mut self,
        shape: &ConvexShape,
        #[wasm_bindgen(js_name = toBody, unchecked_optional_param_type = "Matrix")] to_body: Option<Vec<f64>>,
    ) -> JsResult<usize> {
        self.insert(Arc::clone(&shape.shape).into(), to_body)
    }

    fn insert(&mut self, geometry: Geometry, to_body: Option<Vec<f64>>) -> JsResult<usize> {
        self.parts.push(Part { geometry, pose: pose(to_body)? });
        Ok(self.parts.len() - 1)
    }

    /// Number of parts.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.parts.len()
    }
}

impl Compound {
    /// The compound of the parts so far.
    pub(crate) fn geometry(&self) -> JsResult<Geometry> {
        let compound = bvtree::scene::Compound::new(self.parts.iter().cloned()).map_err(|error| match error {
            CompoundError::NotARotation { .. } | CompoundError::TooFar { .. } => invalid_pose(error),
            _ => invalid(error),
        })?;
        Ok(compound.into())
    }

    pub(crate) fn is_closed(&self) -> bool {
        let is_closed = |part: &Part| part.geometry.tree().is_none_or(|tree| tree.watertightness().is_closed());
        self.parts.iter().all(is_closed)
    }
}
