//! Query objects keep their scratch memory from one call to the next: one for each thread.

use std::cell::Cell;

use bvtree::{Probe, Query};

thread_local! {
    static QUERY: Cell<Option<Box<Query>>> = const { Cell::new(None) };
    static PROBE: Cell<Option<Box<Probe>>> = const { Cell::new(None) };
}

/// Lends this thread's query object. One that is asked for meanwhile, by work that a waiting thread takes on, is another one.
pub fn with_query<R>(ask: impl FnOnce(&mut Query) -> R) -> R {
    let mut query = QUERY.take().unwrap_or_default();
    let answer = ask(&mut query);
    QUERY.set(Some(query));
    answer
}

/// Lends this thread's probe, likewise.
pub fn with_probe<R>(ask: impl FnOnce(&mut Probe) -> R) -> R {
    let mut probe = PROBE.take().unwrap_or_default();
    let answer = ask(&mut probe);
    PROBE.set(Some(probe));
    answer
}
