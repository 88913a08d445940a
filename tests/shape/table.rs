//! The tables in the docs of `shape` and `shape2`: every row has its questions, its source, a test and an example.

const SHAPE: &str = include_str!("../../src/shape/mod.rs");
const SHAPE2: &str = include_str!("../../src/shape2/mod.rs");
const SHAPE_TESTS: &str = concat!(
    include_str!("closest.rs"),
    include_str!("moving.rs"),
    include_str!("triangle.rs"),
    include_str!("volumes.rs")
);
const SHAPE2_TESTS: &str =
    concat!(include_str!("shape2/certified.rs"), include_str!("shape2/exact.rs"), include_str!("shape2/sector.rs"));

fn check(docs: &str, tests: &str, examples: &str) -> usize {
    let rows = docs.lines().filter_map(|line| line.strip_prefix("//! | ")).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [pair, questions, how, test, example] = cells[..] else { panic!("{row}") };
        assert!(!pair.is_empty() && questions.contains('`'), "{row}");
        assert!(how.contains("Ericson") || how.contains(" 1") || how.contains(" 2"), "no author and year: {row}");
        let defined = |name: &str, text: &str| text.contains(&format!("\nfn {}(", name.trim_matches('`')));
        assert!(defined(test, tests), "no test {test}");
        assert!(defined(example, examples), "no example {example}");
    })
    .count()
}

#[test]
fn every_row_has_a_test_an_example_and_a_source() {
    let examples = concat!(include_str!("../../examples/shapes.rs"), include_str!("../../examples/shapes_moving.rs"));
    assert_eq!(check(SHAPE, SHAPE_TESTS, examples), 24);
    assert_eq!(check(SHAPE2, SHAPE2_TESTS, include_str!("../../examples/shapes2.rs")), 12);
}
