//! The one place where work is divided among threads: those of the rayon pool that a call runs in, or, without the
//! feature `rayon`, the calling thread alone.
//!
//! Results come in the order of what they are made from, so that nothing depends on the number of threads.

#[cfg(not(feature = "rayon"))]
pub(crate) use alone::*;
#[cfg(feature = "rayon")]
pub(crate) use pool::*;

/// Who sorts. Whoever holds a lock does it alone: a pool's thread that waits for others takes on other work meanwhile,
/// which may want that lock and would wait for itself.
#[derive(Clone, Copy)]
pub(crate) enum Sorting {
    InPool,
    Alone,
}

impl Sorting {
    /// Equal items may change places.
    pub(crate) fn sort_unstable<T: Ord + Send>(self, items: &mut [T]) {
        match self {
            Self::InPool => sort_unstable(items),
            Self::Alone => items.sort_unstable(),
        }
    }

    /// By a key; items of equal keys may change places.
    pub(crate) fn sort_unstable_by_key<T: Send, K: Ord>(self, items: &mut [T], key: impl Fn(&T) -> K + Sync) {
        match self {
            Self::InPool => sort_unstable_by_key(items, key),
            Self::Alone => items.sort_unstable_by_key(key),
        }
    }
}

/// Calls `f` with runs of at most `most` items and the index of their first, and joins what it returns. Allocates
/// nothing, unlike [`map_chunks_mut`].
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

    /// Does both at once.
    pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        let (mut a, mut b) = (Work::Ahead(a), Work::Ahead(b));
        join_any(&mut || a.work(), &mut || b.work());
        (a.done(), b.done())
    }

    /// What the pool does to have two things done is compiled once, whatever these are.
    fn join_any(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }

    /// What is to be done, or was done.
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
                Self::Begun => unreachable!("a panic of the work is the caller's"),
            }
        }
    }

    /// How many threads there are.
    pub(crate) fn threads() -> usize {
        rayon::current_num_threads()
    }

    /// Does the work on one of the pool's threads, so that many calls below don't each wake the pool.
    pub(crate) fn within_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
        rayon::scope(|_| work())
    }

    /// What `f` makes of each number; at least so many are one thread's work.
    pub(crate) fn map_range<R: Send>(numbers: Range<usize>, least: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        numbers.into_par_iter().with_min_len(least).map(&f).collect()
    }

    /// What `f` makes of each item.
    pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
        items.par_iter().map(&f).collect()
    }

    /// As [`map`], with something that each thread makes once in a while and may write to.
    pub(crate) fn map_with<T: Sync, S, R: Send>(
        items: &[T],
        make: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, &T) -> R + Sync,
    ) -> Vec<R> {
        items.par_iter().map_init(&make, &f).collect()
    }

    /// What `f` makes of each run of so many items.
    pub(crate) fn map_chunks<T: Sync, R: Send>(items: &[T], length: usize, f: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
        let chunks: Vec<&[T]> = items.chunks(length).collect();
        results(chunks.len(), |number| f(chunks[number]))
    }

    /// As [`map_chunks`], of items that it may write to.
    pub(crate) fn map_chunks_mut<T: Send, R: Send>(
        items: &mut [T],
        length: usize,
        f: impl Fn(&mut [T]) -> R + Sync,
    ) -> Vec<R> {
        let chunks: Vec<Mutex<&mut [T]>> = items.chunks_mut(length).map(Mutex::new).collect();
        results(chunks.len(), |number| f(&mut chunks[number].lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What `f` makes of each run of items that belong together pair by pair.
    pub(crate) fn map_chunks_by<T: Sync, R: Send>(
        items: &[T],
        together: impl Fn(&T, &T) -> bool,
        f: impl Fn(&[T]) -> R + Sync,
    ) -> Vec<R> {
        let chunks: Vec<&[T]> = items.chunk_by(together).collect();
        results(chunks.len(), |number| f(chunks[number]))
    }

    /// What `f` makes of each number.
    fn results<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
        for_each_number(count, &|number| {
            let result = f(number);
            *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// As [`join_any`], compiled once: only for what takes long enough for a call not to matter.
    fn for_each_number(count: usize, f: &(dyn Fn(usize) + Sync)) {
        (0..count).into_par_iter().for_each(f);
    }

    /// Calls `f` with each item and its index.
    pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
        items.par_iter_mut().enumerate().for_each(|(index, item)| f(index, item));
    }

    /// Appends what `f` makes of each item; at least so many are one thread's work.
    pub(crate) fn extend<T: Send, R: Send>(all: &mut Vec<R>, items: Vec<T>, least: usize, f: impl Fn(T) -> R + Sync) {
        all.par_extend(items.into_par_iter().with_min_len(least).map(&f));
    }

    /// Sorts; equal items may change places.
    pub(crate) fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
        items.par_sort_unstable();
    }

    /// Sorts by a key; items of equal keys may change places.
    pub(crate) fn sort_unstable_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
        items.par_sort_unstable_by_key(&key);
    }
}

/// The same for one thread.
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

    pub(crate) fn map_chunks<T, R>(items: &[T], length: usize, f: impl Fn(&[T]) -> R) -> Vec<R> {
        items.chunks(length).map(f).collect()
    }

    pub(crate) fn map_chunks_mut<T, R>(items: &mut [T], length: usize, f: impl Fn(&mut [T]) -> R) -> Vec<R> {
        items.chunks_mut(length).map(f).collect()
    }

    pub(crate) fn map_chunks_by<T, R>(items: &[T], together: impl Fn(&T, &T) -> bool, f: impl Fn(&[T]) -> R) -> Vec<R> {
        items.chunk_by(together).map(f).collect()
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
