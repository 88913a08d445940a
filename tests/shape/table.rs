//! The tables in the docs of `shape` and `shape2`: every row has its queries, its source, a test and an example.

const SHAPE: &str = include_str!("../../src/shape/mod.rs");
const SHAPE2: &str = include_str!("../../src/shape2/mod.rs");
const SHAPE_TESTS: &str = concat!(
    include_str!("closest.rs"),
    include_str!("convex.rs"),
    include_str!("convex_depth.rs"),
    include_str!("convex_pair.rs"),
    include_str!("moving.rs"),
    include_str!("triangle.rs"),
    include_str!("volumes.rs")
);
const SHAPE2_TESTS: &str =
    concat!(include_str!("shape2/certified.rs"), include_str!("shape2/exact.rs"), include_str!("shape2/sector.rs"));

/// A row's pair of shapes, the test and the example.
type Row = [&'static str; 3];

#[rustfmt::skip]
const SHAPE_ROWS: [Row; 27] = [
    ["point, sphere", "nearest_points_to_a_point_are_certified", "points"],
    ["point, AABB", "nearest_points_to_a_point_are_certified", "points"],
    ["point, OBB", "nearest_points_to_a_point_are_certified", "points"],
    ["point, segment", "nearest_points_to_a_point_are_certified", "thin_shapes"],
    ["point, capsule", "nearest_points_to_a_point_are_certified", "thin_shapes"],
    ["point, triangle", "triangles_against_points_spheres_and_boxes_are_certified", "thin_shapes"],
    ["sphere, sphere", "integer_spheres_touch_exactly", "volumes"],
    ["sphere, sphere, moving", "moving_spheres_meet_when_a_search_says", "moving"],
    ["sphere, AABB", "spheres_against_all_are_certified", "volumes"],
    ["sphere, OBB", "spheres_against_all_are_certified", "volumes"],
    ["sphere, segment", "spheres_against_all_are_certified", "thin_shapes"],
    ["sphere, capsule", "spheres_against_all_are_certified", "thin_shapes"],
    ["sphere, triangle", "triangles_against_points_spheres_and_boxes_are_certified", "thin_shapes"],
    ["AABB, AABB", "integer_boxes_share_the_points_of_their_intersection", "volumes"],
    ["AABB, AABB, moving", "moving_boxes_meet_when_a_search_says", "moving"],
    ["AABB, transform", "moved_box_is_the_box_of_the_moved_corners", "volumes"],
    ["OBB, OBB", "oriented_boxes_overlap_when_an_edge_of_one_meets_the_other", "volumes"],
    ["OBB, AABB", "oriented_boxes_overlap_when_an_edge_of_one_meets_the_other", "volumes"],
    ["segment, AABB", "segments_and_capsules_against_boxes_are_certified", "thin_shapes"],
    ["segment, OBB", "segments_and_capsules_against_boxes_are_certified", "thin_shapes"],
    ["triangle, AABB", "integer_triangles_and_boxes_touch_exactly", "thin_shapes"],
    ["triangle, OBB", "integer_triangles_and_boxes_touch_exactly", "thin_shapes"],
    ["capsule, AABB", "segments_and_capsules_against_boxes_are_certified", "thin_shapes"],
    ["capsule, OBB", "segments_and_capsules_against_boxes_are_certified", "thin_shapes"],
    ["convex shape, convex shape", "pairs_of_convex_shapes_are_certified", "convex_shapes"],
    ["convex shapes that overlap", "depths_of_convex_shapes_are_certified", "convex_shapes"],
    ["convex shape, triangle", "convex_shapes_and_triangles_are_certified", "convex_shapes"],
];

#[rustfmt::skip]
const SHAPE2_ROWS: [Row; 12] = [
    ["point, any", "nearest_points_to_a_point_are_certified", "sectors"],
    ["circle, circle", "circles_against_convex_shapes_are_certified", "circles"],
    ["circle, segment", "circles_against_convex_shapes_are_certified", "circles"],
    ["circle, capsule", "circles_against_convex_shapes_are_certified", "circles"],
    ["circle, sector", "sectors_are_as_near_as_their_sampled_outline", "sectors"],
    ["circle, convex polygon", "circles_against_convex_shapes_are_certified", "polygons"],
    ["circle, AABB", "circles_against_convex_shapes_are_certified", "circles"],
    ["circle, OBB", "circles_against_convex_shapes_are_certified", "circles"],
    ["AABB, AABB", "integer_rectangles_touch_exactly", "circles"],
    ["OBB, OBB", "rectangles_and_polygons_are_certified", "polygons"],
    ["two convex polygons", "rectangles_and_polygons_are_certified", "polygons"],
    ["segment, segment", "rectangles_and_polygons_are_certified", "circles"],
];

fn check(docs: &str, rows: &[Row], tests: &str, examples: &str) {
    let documented: Vec<Vec<&str>> = docs
        .lines()
        .filter_map(|line| line.strip_prefix("//! | "))
        .skip(1)
        .map(|row| row.trim_end_matches(" |").split(" | ").collect())
        .collect();
    assert_eq!(documented.len(), rows.len());
    for (cells, &[pair, test, example]) in documented.iter().zip(rows) {
        let [documented, queries, method] = cells[..] else { panic!("{cells:?}") };
        assert_eq!(documented, pair);
        assert!(queries.contains('`'), "{cells:?}");
        assert!(["Ericson", " 1", " 2"].iter().any(|source| method.contains(source)), "no author and year: {cells:?}");
        let defined = |name: &str, text: &str| text.contains(&format!("\nfn {name}("));
        assert!(defined(test, tests), "no test {test}");
        assert!(defined(example, examples), "no example {example}");
    }
}

#[test]
fn every_row_has_a_test_an_example_and_a_source() {
    let examples = concat!(include_str!("../../examples/shapes.rs"), include_str!("../../examples/shapes_moving.rs"));
    check(SHAPE, &SHAPE_ROWS, SHAPE_TESTS, examples);
    check(SHAPE2, &SHAPE2_ROWS, SHAPE2_TESTS, include_str!("../../examples/shapes2.rs"));
}
