//! The function that chooses the pairs of bodies that a scene compares.

use std::sync::{Arc, Mutex, PoisonError};

use bvtree::scene::Neighbors;
use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::Scene;
use crate::errors::{JsResult, invalid};

/// The filter function, and the first exception that it threw in a query.
pub(super) struct PairFilter {
    accepts: Function,
    thrown: Mutex<Option<JsValue>>,
}

impl PairFilter {
    /// Whether the function accepts two bodies; no more bodies are accepted once it has thrown an exception.
    fn accepts(&self, pair: &Neighbors<'_>) -> bool {
        let mut thrown = self.thrown.lock().unwrap_or_else(PoisonError::into_inner);
        if thrown.is_some() {
            return false;
        }
        let [a, b] = pair.bodies.map(|body| body.user as u32);
        match self.accepts.call2(&JsValue::UNDEFINED, &a.min(b).into(), &a.max(b).into()) {
            Ok(accepted) => accepted.is_truthy(),
            Err(error) => {
                *thrown = Some(error);
                false
            }
        }
    }
}

#[wasm_bindgen]
impl Scene {
    /// Sets a function that chooses which pairs of bodies are compared, among those that groups, masks, `setIgnored`
    /// and the rule for static bodies leave. Without a function, all of these are compared.
    ///
    /// The function gets two bodies' numbers, the smaller first, when the bodies come near each other, and returns
    /// whether they are to be compared. The scene remembers the result until the bodies part or one is replaced, so it
    /// must depend only on the numbers; set the function again if its results change. If the function throws an
    /// exception, the query ends and throws the same exception. The function must not use the scene.
    #[wasm_bindgen(js_name = setPairFilter)]
    pub fn set_pair_filter(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "(a: number, b: number) => boolean")] accepts: Option<Function>,
    ) -> JsResult<()> {
        if accepts.as_ref().is_some_and(|accepts| !accepts.is_function()) {
            return Err(invalid("a filter must be a function"));
        }
        self.filter = accepts.map(|accepts| Arc::new(PairFilter { accepts, thrown: Mutex::default() }));
        self.apply_filter();
        Ok(())
    }
}

impl Scene {
    /// Sets the scene's filter; the scene forgets earlier results of filters.
    fn apply_filter(&mut self) {
        match self.filter.clone() {
            Some(filter) => self.scene.set_pair_filter(move |pair| filter.accepts(pair)),
            None => self.scene.set_pair_filter(|_| true),
        }
    }

    /// Returns what a query found, or the exception that the filter threw during the query.
    pub(super) fn filtered<T>(&mut self, found: T) -> JsResult<T> {
        let Some(filter) = &self.filter else { return Ok(found) };
        let thrown = filter.thrown.lock().unwrap_or_else(PoisonError::into_inner).take();
        thrown.map_or(Ok(found), |error| {
            self.apply_filter();
            Err(error)
        })
    }
}
