//! Spatial relations of bodies.

use bvtree::query::many;
use bvtree::scene::{BodyId, BodyRelation};
use pyo3::prelude::*;

use super::{Object, PyScene};
use crate::arrays::{Asked, one_or_many};
use crate::errors::of_scene;

#[pymethods]
impl PyScene {
    /// Determines the spatial relation of two bodies, even if they are excluded from comparison; it is exact for
    /// meshes.
    ///
    /// Args:
    ///     a, b: Numbers of bodies, or (N,) arrays of them; one of either may be combined with many of the other.
    ///     tolerance: Distance in the world's unit: two bodies are "coincident" if each triangle of either is at most
    ///         this far from a single triangle of the other. With a negative tolerance, no bodies are.
    ///
    /// Returns:
    ///     str, or an (N,) array of them: the result of `bvtree.relation` ("separate", "touching", "crossing",
    ///     "a_in_b", "b_in_a" or "undefined"), or "coincident".
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain one of them.
    ///     ValueError: If the lengths of the arrays differ, or a number is negative or not an integer.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ///     >>> scene = bvtree.Scene()
    ///     >>> [scene.add(tree, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [x, 0, 0])) for x in (0, 0, 1, 9)]
    ///     [0, 1, 2, 3]
    ///     >>> scene.relation(0, 2)
    ///     'touching'
    ///     >>> scene.relation(0, [1, 2, 3]).tolist()
    ///     ['coincident', 'touching', 'separate']
    #[pyo3(signature = (a, b, *, tolerance = 0.0))]
    fn relation(&self, py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, tolerance: f64) -> Object {
        let pairs = one_or_many(a, "a")?.with(one_or_many(b, "b")?, ["bodies A", "bodies B"])?;
        let found = self.ask_in_pool(py, move |state, cancelled| {
            let ids = |(a, b): (u64, u64)| PyResult::Ok([state.id(a)?, state.id(b)?]);
            let relation = |&[a, b]: &[BodyId; 2]| state.scene.relation(a, b, tolerance).map_err(of_scene);
            match pairs {
                Asked::One(pair) => Ok(Asked::One(relation(&ids(pair)?)?)),
                Asked::Many(pairs) => {
                    let ids = pairs.into_iter().map(ids).collect::<PyResult<Vec<_>>>()?;
                    let ask = |(): &mut (), ids: &_| match cancelled.ends_work() {
                        // This value is never returned.
                        true => Ok(BodyRelation::Undefined),
                        false => relation(ids),
                    };
                    many::map(&ids, || (), ask).into_iter().collect::<PyResult<_>>().map(Asked::Many)
                }
            }
        })??;
        match found {
            Asked::One(relation) => Ok(relation.name().into_pyobject(py)?.into_any().unbind()),
            Asked::Many(relations) => names(py, relations),
        }
    }
}

/// Converts relations to an array of their names.
pub(super) fn names(py: Python<'_>, relations: impl IntoIterator<Item = BodyRelation>) -> Object {
    let names: Vec<&str> = relations.into_iter().map(BodyRelation::name).collect();
    Ok(py.import("numpy")?.call_method1("array", (names, "U10"))?.unbind())
}
