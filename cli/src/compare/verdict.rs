//! Which tree is best at what, in a line or two.

use super::figures::{Figure, figure, least, micros_per_query, tightness, triangle_tests, volume_tests};
use super::measure::Measured;

/// What is asked of the trees: which has the least of each figure.
pub const QUESTIONS: [Figure; 5] = [
    figure("tightest", tightness),
    figure("least area", |tree| tree.total().tightness.area_ratio),
    figure("fewest volume tests", volume_tests),
    figure("fewest triangle tests", triangle_tests),
    figure("fastest query", micros_per_query),
];

/// Lines are no longer than this.
const LINE_MAX: usize = 120;

/// Which tree is tightest, which needs the fewest tests, which is fastest.
pub fn verdict(
    trees: &[Measured],
    answers: &[String; QUESTIONS.len()],
    tree_name: impl Fn(&Measured) -> String,
) -> String {
    let [tightest, _, volume_tests, _, fastest] = answers;
    let by = if trees.iter().any(|tree| tree.total().tightness.volume_ratio.is_some()) { "volume" } else { "area" };
    // The total is mostly the upper levels'.
    let below = match tightest_below(trees) {
        Some((tree, level)) if tree_name(tree) != *tightest => {
            format!(" in all, {} from level {level} on", tree_name(tree))
        }
        _ => String::new(),
    };
    let mut parts = vec![format!("Tightest by {by}: {tightest}{below}.")];
    if trees.iter().any(|tree| tree.cost.work.queries > 0) {
        parts.push(format!("Fewest volume tests: {volume_tests}."));
        parts.push(format!("Fastest here: {fastest}."));
    }
    let line = parts.join(" ");
    if line.len() > LINE_MAX { parts.join("\n") } else { line }
}

/// The tree that is tightest at the last level that all trees have, and the level from which on it is.
fn tightest_below(trees: &[Measured]) -> Option<(&Measured, usize)> {
    let levels = |tree: &Measured| tree.metrics.tightness.levels.len();
    let shared = trees.iter().map(levels).min()?;
    let tightest_at = |level: usize| {
        let at_level = |tree: &Measured| {
            tree.metrics.tightness.levels.get(level).and_then(|cut| cut.volume_ratio.or(cut.area_ratio))
        };
        least(trees, at_level)
    };
    let last = tightest_at(shared.checked_sub(1)?)?;
    let first = (0..shared).rev().take_while(|&level| tightest_at(level) == Some(last)).last()?;
    Some((&trees[last], first))
}
