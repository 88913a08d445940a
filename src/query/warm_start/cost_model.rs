//! Whether a front saves work.

/// What takes long, in one unit: a test of a volume against eight or of eight pairs of triangles,
pub(super) const TEST: u64 = 5;
/// a search for planes between a volume and eight, or between eight pairs of triangles,
pub(super) const SEARCH: u64 = 15;
/// and asking eight planes whether they still keep enough apart. Measured (`benches/NOTES.md`); only the ratios matter.
const EIGHT_PLANES: u64 = 1;

/// Adds up what a front costs, and compares it with descents from the roots.
///
/// Tests save nothing and searches are extra while a front is built, so its first question, searches not counted, tells
/// what a descent from the roots takes. A front has paid if its questions, that first one included, took on average
/// less than two thirds of that: what is not counted takes half as much again. After one that has not paid there is a
/// pause of one question without a front, and after the next such one of 3, 7 and so on up to 63.
#[derive(Debug, Default)]
pub(super) struct CostModel {
    /// Of this question so far.
    question: u64,
    /// Of a descent from the roots.
    from_roots: u64,
    /// Of all the front's questions, and how many those are.
    total: u64,
    questions: u64,
    /// Questions that are left of the pause, and how long it was.
    pause: u32,
    last_pause: u32,
}

impl CostModel {
    pub(super) fn add_test(&mut self) {
        self.question += TEST;
        self.from_roots += if self.questions == 0 { TEST } else { 0 };
    }

    pub(super) fn add_search(&mut self) {
        self.question += SEARCH;
    }

    /// For so many planes that are asked.
    pub(super) fn add_planes(&mut self, count: usize) {
        self.question += EIGHT_PLANES * count.div_ceil(8) as u64;
    }

    /// Whether work of this cost is more than starting from the roots.
    pub(super) fn exceeds_descent(&self, cost: u64) -> bool {
        cost > self.from_roots
    }

    pub(super) fn is_paused(&self) -> bool {
        self.pause > 0
    }

    /// Counts a question off the pause; whether there was none.
    pub(super) fn take_turn(&mut self) -> bool {
        let is_paused = self.is_paused();
        self.pause = self.pause.saturating_sub(1);
        !is_paused
    }

    pub(super) fn end_question(&mut self) {
        self.total += std::mem::take(&mut self.question);
        self.questions += 1;
    }

    pub(super) fn end_front(&mut self) {
        let has_paid = 3 * self.total < 2 * self.from_roots * self.questions;
        let pause = if has_paid { 0 } else { (2 * self.last_pause + 1).min(63) };
        *self = Self { pause, last_pause: pause, ..Self::default() };
    }
}
