//! The only module that divides work among threads: those of the current rayon pool, or the calling thread without the
//! feature `rayon`. Results have the order of their inputs, so nothing depends on the number of threads.

#[cfg(not(feature = "rayon"))]
pub(crate) use alone::*;
#[cfg(feature = "rayon")]
pub(crate) use pool::*;

/// Whether a sort may use the pool. A thread that holds a lock must sort alone: while it waits for the pool it may take
/// on other work that needs the same lock, and deadlock.
#[derive(Clone, Copy)]
pub(crate) enum Sorting {
    InPool,
    Alone,
}

impl Sorting {
    /// Sorts; equal items may change places.
    pub(crate) fn sort_unstable<T: Ord + Send>(self, items: &mut [T]) {
        match self {
            Self::InPool => sort_unstable(items),
            Self::Alone => items.sort_unstable(),
        }
    }

    /// Sorts by a key; items with equal keys may change places.
    pub(crate) fn sort_unstable_by_key<T: Send, K: Ord>(self, items: &mut [T], key: impl Fn(&T) -> K + Sync) {
        match self {
            Self::InPool => sort_unstable_by_key(items, key),
            Self::Alone => items.sort_unstable_by_key(key),
        }
    }
}

/// Calls `f` with runs of at most `most` items and the index of each run's first item, and joins the results without
/// allocating.
pub(crate) fn reduce_runs<T: Send, R: Send>(
    items: &mut [T],
    most: usize,
    f: impl Fn(usize, &mut [T]) -> R + Sync,
    joined: impl Fn(R, R) -> R + Sync,
) -> R {
    fn reduce<T: Send, R: Send>(
        first: usize,
        items: &mut [T],
        most: usize,
        f: &(impl Fn(usize, &mut [T]) -> R + Sync),
        joined: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        if items.len() <= most {
            return f(first, items);
        }
        let middle = items.len() / 2;
        let (left, right) = items.split_at_mut(middle);
        let (left, right) =
            join(|| reduce(first, left, most, f, joined), || reduce(first + middle, right, most, f, joined));
        joined(left, right)
    }
    reduce(0, items, most, &f, &joined)
}

#[cfg(feature = "rayon")]
mod pool {
    use std::ops::Range;
    use std::sync::{Mutex, PoisonError};

    use rayon::prelude::*;

    /// Runs both closures, possibly in parallel.
    pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        let (mut a, mut b) = (Work::Ahead(a), Work::Ahead(b));
        join_any(&mut || a.work(), &mut || b.work());
        (a.done(), b.done())
    }

    /// `rayon::join` compiled once, for all closures.
    fn join_any(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }

    /// A closure that is yet to run, or its result.
    enum Work<F, R> {
        Ahead(F),
        Done(R),
        Begun,
    }

    impl<R, F: FnOnce() -> R> Work<F, R> {
        fn work(&mut self) {
            if let Self::Ahead(f) = std::mem::replace(self, Self::Begun) {
                *self = Self::Done(f());
            }
        }

        fn done(self) -> R {
            match self {
                Self::Done(result) => result,
                Self::Ahead(f) => f(),
                Self::Begun => unreachable!("a panic in the closure propagates"),
            }
        }
    }

    pub(crate) fn threads() -> usize {
        rayon::current_num_threads()
    }

    /// Runs `work` on a thread of the pool, so that calls in it do not each wake the pool.
    pub(crate) fn within_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
        rayon::scope(|_| work())
    }

    /// Maps the numbers of a range. A thread takes at least `least` of them at a time.
    pub(crate) fn map_range<R: Send>(numbers: Range<usize>, least: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        numbers.into_par_iter().with_min_len(least).map(&f).collect()
    }

    pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
        items.par_iter().map(&f).collect()
    }

    /// Maps items, with a scratch value that is made for each run of items that a thread takes.
    pub(crate) fn map_with<T: Sync, S, R: Send>(
        items: &[T],
        make: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, &T) -> R + Sync,
    ) -> Vec<R> {
        // Items are grouped into runs, so that rayon's loop is compiled once and not for each type.
        let length = run_length(items.len());
        let runs = map_runs(items.chunks(length), |run| {
            let mut state = make();
            run.iter().map(|item| f(&mut state, item)).collect::<Vec<R>>()
        });
        runs.into_iter().flatten().collect()
    }

    /// Maps runs of items.
    pub(crate) fn map_runs<'a, T: Sync + 'a, R: Send>(
        runs: impl Iterator<Item = &'a [T]>,
        f: impl Fn(&[T]) -> R + Sync,
    ) -> Vec<R> {
        let runs: Vec<&[T]> = runs.collect();
        results(runs.len(), |number| f(runs[number]))
    }

    /// Maps runs of `length` mutable items.
    pub(crate) fn map_chunks_mut<T: Send, R: Send>(
        items: &mut [T],
        length: usize,
        f: impl Fn(&mut [T]) -> R + Sync,
    ) -> Vec<R> {
        let chunks: Vec<Mutex<&mut [T]>> = items.chunks_mut(length).map(Mutex::new).collect();
        results(chunks.len(), |number| f(&mut chunks[number].lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Maps the numbers below `count`.
    fn results<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
        for_each_number(count, &|number| {
            let result = f(number);
            *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        let taken = |result: Mutex<Option<R>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        let missing = || unreachable!("every number was mapped, or a panic propagated");
        results.into_iter().map(|result| taken(result).unwrap_or_else(missing)).collect()
    }

    /// The length of the runs of items that a thread takes at a time: many runs per thread, because items take
    /// different times.
    fn run_length(count: usize) -> usize {
        count.div_ceil(32 * threads()).max(1)
    }

    /// A parallel loop compiled once, for work that takes much longer than a call.
    fn for_each_number(count: usize, f: &(dyn Fn(usize) + Sync)) {
        (0..count).into_par_iter().for_each(f);
    }

    /// Calls `f` with each item and its index.
    pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
        let length = run_length(items.len());
        let runs: Vec<Mutex<&mut [T]>> = items.chunks_mut(length).map(Mutex::new).collect();
        for_each_number(runs.len(), &|number| {
            let mut run = runs[number].lock().unwrap_or_else(PoisonError::into_inner);
            run.iter_mut().enumerate().for_each(|(index, item)| f(number * length + index, item));
        });
    }

    /// Maps items and appends the results; a thread takes at least `least` items at a time.
    pub(crate) fn extend<T: Send, R: Send>(all: &mut Vec<R>, items: Vec<T>, least: usize, f: impl Fn(T) -> R + Sync) {
        all.par_extend(items.into_par_iter().with_min_len(least).map(&f));
    }

    pub(crate) fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
        items.par_sort_unstable();
    }

    pub(crate) fn sort_unstable_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
        items.par_sort_unstable_by_key(&key);
    }
}

/// The functions of [`pool`] on one thread.
#[cfg(not(feature = "rayon"))]
mod alone {
    use std::ops::Range;

    pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    pub(crate) fn threads() -> usize {
        1
    }

    pub(crate) fn within_pool<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    pub(crate) fn map_range<R>(numbers: Range<usize>, _least: usize, f: impl Fn(usize) -> R) -> Vec<R> {
        numbers.map(f).collect()
    }

    pub(crate) fn map<T, R>(items: &[T], f: impl Fn(&T) -> R) -> Vec<R> {
        items.iter().map(f).collect()
    }

    pub(crate) fn map_with<T, S, R>(items: &[T], make: impl Fn() -> S, f: impl Fn(&mut S, &T) -> R) -> Vec<R> {
        let mut state = make();
        items.iter().map(|item| f(&mut state, item)).collect()
    }

    pub(crate) fn map_runs<'a, T: 'a, R>(runs: impl Iterator<Item = &'a [T]>, f: impl Fn(&[T]) -> R) -> Vec<R> {
        runs.map(f).collect()
    }

    pub(crate) fn map_chunks_mut<T, R>(items: &mut [T], length: usize, f: impl Fn(&mut [T]) -> R) -> Vec<R> {
        items.chunks_mut(length).map(f).collect()
    }

    pub(crate) fn for_each_mut<T>(items: &mut [T], f: impl Fn(usize, &mut T)) {
        items.iter_mut().enumerate().for_each(|(index, item)| f(index, item));
    }

    pub(crate) fn extend<T, R>(all: &mut Vec<R>, items: Vec<T>, _least: usize, f: impl Fn(T) -> R) {
        all.extend(items.into_iter().map(f));
    }

    pub(crate) fn sort_unstable<T: Ord>(items: &mut [T]) {
        items.sort_unstable();
    }

    pub(crate) fn sort_unstable_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
        items.sort_unstable_by_key(key);
    }
}
