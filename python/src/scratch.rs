//! One query object per thread, which keeps its scratch memory from one call to the next.

use std::cell::Cell;

use bvtree::query::Solid;
use bvtree::{Probe, Query};

use crate::signals::is_interrupted;

thread_local! {
    static QUERY: Cell<Option<Box<Query>>> = const { Cell::new(None) };
    static PROBE: Cell<Option<Box<Probe>>> = const { Cell::new(None) };
}

/// Lends this thread's query object, whose queries end on Ctrl-C. If the thread waits and takes on other work
/// meanwhile, that work gets another query object.
pub fn with_query<R>(ask: impl FnOnce(&mut Query) -> R) -> R {
    let mut query = QUERY.take().unwrap_or_else(|| {
        let mut query = Query::new();
        query.interrupt_when(is_interrupted);
        Box::new(query)
    });
    let answer = ask(&mut query);
    // Clears the interruption, which the watcher has noticed, so that it does not end the next query.
    query.take_interrupted();
    query.set_solids(Solid::No, Solid::No);
    query.set_masks(None, None);
    QUERY.set(Some(query));
    answer
}

/// Lends this thread's probe. See [`with_query`].
pub fn with_probe<R>(ask: impl FnOnce(&mut Probe) -> R) -> R {
    let mut probe = PROBE.take().unwrap_or_default();
    let answer = ask(&mut probe);
    probe.set_mask(None);
    PROBE.set(Some(probe));
    answer
}
