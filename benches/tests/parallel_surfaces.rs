//! The experiment of the example `parallel_surfaces`, small, and what the book says of it.

#[path = "../examples/parallel_surfaces/experiment.rs"]
mod experiment;

use bvtree::VolumeKind;

#[test]
fn volume_tests_grow_more_slowly_with_oriented_boxes() {
    let steps = if cfg!(debug_assertions) { 64 } else { 128 };
    let least = 2.0 * experiment::edge_length(steps);
    let gaps: Vec<f64> = (4..20).map(|k| 2f64.powf(-0.5 * f64::from(k))).take_while(|&gap| gap > least).collect();
    let series = experiment::run(steps, &gaps, 0.0..1.0).unwrap();
    let slopes =
        VolumeKind::ALL.map(|kind| series.iter().find(|series| series.kind == kind).unwrap().slope.unwrap().value);
    let [aabb, obb, sphere, _] = slopes;
    // Gottschalk 2000: 2 for volumes that keep their shape, 1 for those that become flat.
    assert!((-2.6..-1.8).contains(&aabb) && (-2.6..-1.8).contains(&sphere), "{slopes:?}");
    assert!((-1.7..-0.8).contains(&obb), "{slopes:?}");
    assert!(obb > aabb.max(sphere) + 0.4, "{slopes:?}");
    // In debug builds the surfaces are too coarse for the slopes that the book has.
    if !cfg!(debug_assertions) {
        let told = ["AABBs", "OBBs", "spheres", "k-DOPs"].map(slope_of_the_book);
        assert!(slopes.iter().zip(told).all(|(slope, told)| (slope - told).abs() < 0.15), "{slopes:?} {told:?}");
    }
    for series in &series {
        assert!(series.counts.windows(2).all(|pair| pair[0].volume_tests < pair[1].volume_tests), "{}", series.kind);
    }
    for (boxes, others) in series[1].counts.iter().flat_map(|obb| series.iter().map(move |s| (obb, s))) {
        let at_gap = others.counts.iter().find(|count| count.gap == boxes.gap).unwrap();
        assert!(boxes.volume_tests <= at_gap.volume_tests);
    }
}

/// The power in `g^-2.2 with AABBs`.
fn slope_of_the_book(kind: &str) -> f64 {
    let page = include_str!("../../docs/book/src/volumes.md");
    let words: Vec<&str> = page.split_whitespace().map(|word| word.trim_end_matches([',', '.'])).collect();
    let found = words.windows(3).find_map(|words| words[0].strip_prefix("g^").filter(|_| words[1..] == ["with", kind]));
    found.unwrap_or_else(|| panic!("the book does not tell the slope of {kind}")).parse().unwrap()
}

#[test]
fn surfaces_that_touch_are_refused() {
    assert!(experiment::run(4, &[0.0], 0.0..1.0).is_err());
}
