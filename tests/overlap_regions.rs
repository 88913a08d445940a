//! Regions of overlap: solids of known regions, and solids of cells whose common cells are the oracle.

use bvtree::probe::Probe;
use bvtree::query::{DepthOptions, OverlapRegion};
use bvtree::shape::Aabb;
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::Rules;
use crate::oracle::meshes;
use crate::relation::cells::{Cells, cells, maps};
use crate::relation::solids::{cuboid as box_between, together};
use crate::solids::{cuboid, frame_with_opening, prism, tip_beside_a_bent_wall};

fn tree(mesh: &Mesh) -> BvTree {
    Rules::FINEST.tree(mesh, VolumeKind::Obb)
}

fn regions(a: &BvTree, b: &BvTree, pose: &Pose) -> Vec<OverlapRegion> {
    Query::new().overlap_regions(a, b, pose, &DepthOptions::default()).unwrap()
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

fn moved(mesh: &Mesh, by: [f64; 3]) -> Mesh {
    meshes::moved(mesh, |vertex| vertex + Vector3::from(by))
}

/// Whether a point is within bounds, up to rounding.
fn is_within(bounds: &Aabb, point: &Point3<f64>) -> bool {
    (0..3).all(|k| bounds.lower[k] - 1e-9 <= point[k] && point[k] <= bounds.upper[k] + 1e-9)
}

/// Checks that the depths are those, the deepest first.
fn assert_depths(found: &[OverlapRegion], depths: &[f64]) {
    assert_eq!(found.len(), depths.len(), "{found:?}");
    for (region, depth) in found.iter().zip(depths) {
        let interval = region.depth;
        assert!(interval.lower <= depth + 1e-6 && depth - 1e-6 <= interval.upper, "{found:?} {depths:?}");
        assert!(interval.upper <= 1.0101 * depth + 1e-6, "{found:?} {depths:?}");
        let deepest = interval.deepest.unwrap();
        assert!(is_within(&region.bounds, &deepest.point));
    }
}

/// Legs of several depths in one floor, whose upper side is two triangles.
#[test]
fn each_leg_of_a_table_is_a_region() {
    let floor = tree(&cuboid([10.0, 10.0, 1.0]));
    let depths = [0.02, 0.05, 0.1, 0.2];
    let legs: Vec<Mesh> = [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]
        .iter()
        .zip(depths)
        .map(|([x, y], depth)| moved(&cuboid([0.5, 0.5, 2.0]), [*x, *y, 1.5 - depth]))
        .collect();
    let top = moved(&cuboid([5.0, 3.0, 0.25]), [0.0, 0.0, 2.375]);
    let table = tree(&together(&[legs, vec![top]].concat()));
    let found = regions(&floor, &table, &Pose::identity());
    assert_depths(&found, &[0.2, 0.1, 0.05, 0.02]);
    for region in &found {
        let size = region.bounds.size();
        assert!((size.xy() - Vector3::new(0.5, 0.5, 0.0).xy()).amax() < 1e-6 && size.z <= 0.2 + 1e-6, "{found:?}");
    }
    assert_depths(&regions(&table, &floor, &Pose::identity()), &[0.2, 0.1, 0.05, 0.02]);
}

/// What crosses a slab has two contours, and one region between them; a pipe also has an inner wall.
#[test]
fn what_goes_through_is_one_region() {
    let slab = tree(&cuboid([6.0, 6.0, 0.5]));
    let rod = tree(&cuboid([0.5, 0.75, 4.0]));
    let pipe = tree(&frame_with_opening([0.75, 0.75], [0.5, 0.5], 4.0));
    // Across the diagonal of the slab's sides, across its edge, and inside one triangle or the other.
    for pose in [shift(0.3, 0.2, 0.1), shift(3.0, 0.2, 0.1), shift(1.7, -1.1, 0.1), shift(-1.7, 1.1, 0.1)] {
        for part in [&rod, &pipe] {
            assert_eq!(regions(&slab, part, &pose).len(), 1);
            assert_eq!(regions(part, &slab, &pose.inverse()).len(), 1);
        }
    }
    // Two rods and a slab of two layers: four regions.
    let slabs = tree(&together(&[cuboid([6.0, 6.0, 0.5]), moved(&cuboid([6.0, 6.0, 0.5]), [0.0, 0.0, 1.0])]));
    let rods = tree(&together(&[cuboid([0.5, 0.75, 4.0]), moved(&cuboid([0.5, 0.75, 4.0]), [1.0, 1.0, 0.0])]));
    assert_eq!(regions(&slabs, &rods, &shift(0.3, 0.2, 0.1)).len(), 4);
}

/// Parts that touch nothing are regions of their own.
#[test]
fn what_is_inside_is_a_region() {
    let cube = tree(&cuboid([2.0, 2.0, 2.0]));
    let small = cuboid([0.25, 0.25, 0.25]);
    let three = tree(&together(&[
        moved(&small, [0.5, 0.0, 0.0]),
        moved(&small, [-0.25, 0.0, 0.0]),
        moved(&small, [1.0, 0.0, 0.25]),
        moved(&small, [4.0, 0.0, 0.25]),
    ]));
    // Outer faces are 0.625, 0.875 and 0.125 from the cube's; inner ones deeper.
    assert_depths(&regions(&cube, &three, &Pose::identity()), &[0.875, 0.625, 0.125]);
    assert!(regions(&cube, &cube, &shift(2.0, 0.0, 0.0)).is_empty());
}

/// Checks the depths of A and B, and of B and A.
fn assert_depths_both_ways(meshes: [&Mesh; 2], pose: &Pose, depths: &[f64]) {
    let [a, b] = meshes.map(tree);
    assert_depths(&regions(&a, &b, pose), depths);
    assert_depths(&regions(&b, &a, &pose.inverse()), depths);
}

/// A triangle's deepest point of all is in another region, and rounding hides where the triangle meets the surface.
#[test]
fn deepest_points_are_those_of_their_region() {
    let long = prism([[-8.0, 0.0, 0.0], [32.0, -16.0, 0.0], [32.0, 16.0, 0.0]], 4.0);
    let boxes = [box_between([0.0, -32.0, -8.0], [64.0, 32.0, 8.0]), box_between([-9.0, -1.0, -1.0], [-7.0, 1.0, 1.0])];
    assert_depths_both_ways([&long, &together(&boxes)], &Pose::identity(), &[8.0, 1.0]);
    let [tip, walls] = tip_beside_a_bent_wall();
    assert_depths_both_ways([&tip, &walls], &Pose::identity(), &[0.015, 0.004]);
}

/// One solid is in a box, and another part of it is 1e-14 from a second part of the other solid: at a vertex, and at
/// the middle of a triangle.
#[test]
fn parts_that_nearly_touch_are_not_in_the_region() {
    let tetrahedron = |corners: [[f32; 3]; 4]| {
        let vertices = corners.map(Point3::from).to_vec();
        Mesh::from_arrays(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap()
    };
    let holder = box_between([0.0, -1.0, -1.0], [1.0, 1.0, 1.0]);
    let spike = tetrahedron([[3.0, 0.125, 0.25], [0.875, 0.25, 0.25], [0.875, -0.25, 0.25], [0.875, 0.0, -0.25]]);
    let both = together(&[holder.clone(), box_between([3.0, -1.0, -1.0], [4.0, 1.0, 1.0])]);
    for by in [-1e-9, -3e-14, -1e-14, 0.0, 1e-14, 3e-14] {
        let pose = shift(-by, 0.0, 0.0);
        assert_depths_both_ways([&spike, &both], &pose, &[0.125]);
        assert!(regions(&tree(&spike), &tree(&both), &pose)[0].bounds.upper.x < 1.0 + 1e-6, "{by:e}");
    }
    let cone = tetrahedron([[0.875, 0.0, 0.0], [3.0, 1.0, -1.0], [3.0, -1.0, -1.0], [3.0, 0.0, 1.0]]);
    // Half of the way from the middle of an edge to the opposite vertex.
    for [y, z] in [[0.25, -0.5], [0.0, 0.0], [-0.25, -0.5]] {
        let tip = tetrahedron([[3.0, y, z], [4.0, y - 0.1, z - 0.1], [4.0, y, z + 0.1], [4.0, y + 0.1, z - 0.1]]);
        let both = together(&[holder.clone(), tip]);
        assert_depths_both_ways([&cone, &both], &shift(1e-14, 0.0, 0.0), &[0.125]);
    }
}

/// The connected sets of common cells; cells that share a point are connected.
fn components(a: &Cells, b: &Cells) -> Vec<Vec<[i32; 3]>> {
    let mut rest: Vec<[i32; 3]> = a.filled.iter().copied().filter(|cell| b.filled.contains(cell)).collect();
    let mut components = Vec::new();
    while let Some(first) = rest.pop() {
        let mut component = vec![first];
        let mut next = 0;
        while next < component.len() {
            let from = component[next];
            next += 1;
            let is_near = |cell: &[i32; 3]| (0..3).all(|k| (cell[k] - from[k]).abs() <= 1);
            component.extend(rest.iter().copied().filter(is_near));
            rest.retain(|cell| !is_near(cell));
        }
        components.push(component);
    }
    components
}

/// The greatest depth of samples of each component, and its bounds: samples are the middles and corners of fine squares
/// of one surface that are between common cells and others.
fn oracle(fine: &Cells, map: &Matrix3<f64>, surfaces: [&BvTree; 2], shift: &Vector3<f64>) -> (f64, [Point3<f64>; 2]) {
    let mut probe = Probe::new();
    let mut depth = 0.0_f64;
    let mut bounds: [Point3<f64>; 2] = [[f64::INFINITY; 3].into(), [f64::NEG_INFINITY; 3].into()];
    for (axis, above) in fine.squares() {
        for (u, v) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)] {
            let mut corner = Vector3::from(above.map(f64::from));
            corner[(axis + 1) % 3] += u;
            corner[(axis + 2) % 3] += v;
            let point = Point3::from(map * corner);
            bounds = [bounds[0].inf(&point), bounds[1].sup(&point)];
            // It is on one surface, inside the other.
            for (point, tree) in [point, point - shift].iter().zip(surfaces) {
                depth = depth.max(-probe.signed_distance(tree, point).unwrap());
            }
        }
    }
    (depth, bounds)
}

proptest! {
    #![proptest_config(cases(60, 3000))]

    /// No faces are flush: A's cells are shifted by half of one.
    #[test]
    fn solids_of_cells((a, b) in (cells(), cells()), shift in prop::array::uniform3(-2..3i32), map in maps()) {
        let shift = shift.map(|x| 2 * x + 1);
        let [fine_a, fine_b] = [a.refined(2, [0; 3]), b.refined(2, shift)];
        let trees = [a.mesh(2, &map), b.mesh(2, &map)].map(|mesh| tree(&mesh));
        let by = map * Vector3::from(shift.map(f64::from));
        let pose = Pose::from_translation(by).unwrap();
        let found = regions(&trees[0], &trees[1], &pose);
        let mut probe = Probe::new();
        let mut expected: Vec<_> = components(&fine_a, &fine_b)
            .into_iter()
            .map(|filled| {
                let (depth, bounds) = oracle(&Cells { filled: filled.clone() }, &map, [&trees[0], &trees[1]], &by);
                (filled, depth, bounds)
            })
            .collect();
        prop_assert_eq!(found.len(), expected.len(), "{:?} {:?}", found, expected);
        for region in found {
            let bounds = region.bounds;
            let is_it = |(_, _, [lower, upper]): &(Vec<[i32; 3]>, f64, [Point3<f64>; 2])| {
                (bounds.lower - lower).amax() < 1e-9 && (bounds.upper - upper).amax() < 1e-9
            };
            let same: Vec<usize> = (0..expected.len()).filter(|&i| is_it(&expected[i])).collect();
            let deepest = region.depth.deepest.unwrap();
            // The deepest point is in one of the region's cells.
            let back = map.try_inverse().unwrap();
            let is_in_cell = |cell: &[i32; 3]| {
                let local = back * deepest.point.coords - Vector3::from(cell.map(f64::from));
                local.iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x))
            };
            let fits = |(filled, depth, _): &(Vec<[i32; 3]>, f64, _)| {
                *depth <= region.depth.upper + 1e-9 && filled.iter().any(is_in_cell)
            };
            let Some(&i) = same.iter().find(|&&i| fits(&expected[i])) else {
                return Err(TestCaseError::fail(format!("{region:?} is none of {expected:?}")));
            };
            expected.swap_remove(i);
            let (outer, point) = if deepest.is_on_b { (0, deepest.point) } else { (1, deepest.point - by) };
            let depth = -probe.signed_distance(&trees[outer], &point).unwrap();
            prop_assert!(region.depth.lower <= depth + 1e-9, "{} {:?}", depth, region);
        }
    }

    /// Everything is flush: regions may be joined where they touch, and the deepest is as deep as the whole.
    #[test]
    fn flush_solids_of_cells((a, b) in (cells(), cells()), shift in prop::array::uniform3(-2..3i32), map in maps()) {
        let trees = [a.mesh(1, &map), b.mesh(1, &map)].map(|mesh| tree(&mesh));
        let pose = Pose::from_translation(map * Vector3::from(shift.map(f64::from))).unwrap();
        let found = regions(&trees[0], &trees[1], &pose);
        let whole = Query::new().overlap_depth(&trees[0], &trees[1], &pose, &DepthOptions::default()).unwrap();
        let most = found.first().map_or(0.0, |region| region.depth.lower);
        prop_assert!(most <= whole.upper && whole.lower <= found.first().map_or(0.0, |region| region.depth.upper));
        prop_assert!(found.len() <= components(&a, &b.refined(1, shift)).len());
    }
}
