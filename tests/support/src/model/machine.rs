//! What a model is: operations as data, of which bytes decide, so that random tests and fuzzing share them.

use std::fmt::Debug;

/// What something that remembers must answer, as far as operations decide it.
pub trait Model: Clone + Debug + 'static {
    /// What may be done, or asked.
    type Op: Clone + Debug;
    /// What remembers.
    type System;

    /// The model that bytes decide on.
    fn new(bytes: [u8; BYTES]) -> Self;
    /// The operation that bytes decide on; zeros decide on the simplest.
    fn op(bytes: [u8; BYTES]) -> Self::Op;
    /// Whether an operation makes sense now.
    fn allows(&self, _op: &Self::Op) -> bool {
        true
    }
    /// What an operation changes.
    fn apply(&mut self, op: &Self::Op);
    /// What remembers, before all operations.
    fn system(&self) -> Self::System;
    /// Does the operation, which the model has applied, and compares the answers.
    fn run(&self, system: &mut Self::System, op: &Self::Op);
}

/// Bytes that decide on an operation.
pub const BYTES: usize = 8;

/// More operations of one input find no more than those of several.
const MAX_OPS: usize = 64;

/// Runs the model and the operations that bytes decide on.
pub fn run_bytes<M: Model>(data: &[u8]) {
    let (chunks, _) = data.as_chunks::<BYTES>();
    let Some((first, ops)) = chunks.split_first() else { return };
    let mut model = M::new(*first);
    let mut system = model.system();
    for op in ops.iter().take(MAX_OPS).map(|bytes| M::op(*bytes)) {
        if model.allows(&op) {
            model.apply(&op);
            model.run(&mut system, &op);
        }
    }
}
