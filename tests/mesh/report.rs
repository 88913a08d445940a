//! The report against counting by definition.

use std::collections::{BTreeMap, BTreeSet};

use bvtree::mesh::{Mesh, Watertightness};
use bvtree::{BuildOptions, BvTree};
use nalgebra::Point3;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{read, read_faces};
use crate::cases::cases;

/// Counts by definition: points by value, edges in a map, components by merging sets.
fn assert_report_is_right(mesh: &Mesh, collinear: impl Fn(&[Point3<f32>; 3]) -> bool) {
    let key = |p: &Point3<f32>| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let (mut zero_area, mut duplicates) = (0, 0);
    let (mut seen, mut edges) = (BTreeSet::new(), BTreeMap::<_, Vec<bool>>::new());
    let mut components: Vec<BTreeSet<[u32; 3]>> = vec![];
    for triangle in mesh.triangles() {
        let corners = triangle.map(|index| mesh.vertices()[index as usize]);
        zero_area += usize::from(collinear(&corners));
        let [a, b, c] = corners.each_ref().map(key);
        let set = BTreeSet::from([a, b, c]);
        let mut sorted = [a, b, c];
        sorted.sort();
        duplicates += usize::from(!seen.insert(sorted));
        if set.len() == 3 {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.entry((from.min(to), from.max(to))).or_default().push(from < to);
            }
        }
        let (touched, mut apart): (Vec<_>, Vec<_>) = components.into_iter().partition(|c| !c.is_disjoint(&set));
        apart.push(touched.into_iter().fold(set, |union, component| &union | &component));
        components = apart;
    }
    let count = |condition: fn(&[bool]) -> bool| edges.values().filter(|uses| condition(uses)).count();
    let report = mesh.report();
    assert_eq!(report.triangles, mesh.triangles().len());
    assert_eq!(report.vertices, mesh.vertices().len());
    assert_eq!(report.distinct_vertices, mesh.vertices().iter().map(key).collect::<BTreeSet<_>>().len());
    assert_eq!(report.zero_area_triangles, zero_area);
    assert_eq!(report.duplicate_triangles, duplicates);
    assert_eq!(report.open_edges, count(|uses| uses.len() == 1));
    assert_eq!(report.non_manifold_edges, count(|uses| uses.len() > 2));
    assert_eq!(report.inconsistent_edges, count(|uses| uses.len() == 2 && uses[0] == uses[1]));
    assert_eq!(report.components, components.len());
    let unbalanced = count(|uses| 2 * uses.iter().filter(|&&forward| forward).count() != uses.len());
    let watertightness = match (count(|uses| uses.len() % 2 == 1), unbalanced) {
        (0, 0) => Watertightness::Oriented,
        (0, _) => Watertightness::Unoriented,
        _ => Watertightness::Open,
    };
    assert_eq!((report.watertightness, mesh.watertightness()), (watertightness, watertightness));
    assert_eq!(BvTree::build(mesh, &BuildOptions::default()).unwrap().watertightness(), watertightness);
}

/// Exact for small integer coordinates.
fn collinear_on_grid(corners: &[Point3<f32>; 3]) -> bool {
    (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm_squared() == 0.0
}

proptest! {
    #![proptest_config(cases(200, 5000))]

    #[test]
    fn the_report_counts_right(
        coordinates in vec([-1..2i8, -1..2i8, -1..2i8], 1..40),
        corners in vec(any::<[prop::sample::Index; 3]>(), 0..60),
        negative_zero: bool,
    ) {
        let zero = if negative_zero { -0.0 } else { 0.0 };
        let mut vertices: Vec<_> = coordinates.iter().map(|c| Point3::from(c.map(f32::from))).collect();
        vertices[0].iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = zero);
        let triangles = corners.iter().map(|t| t.map(|corner| corner.index(vertices.len()) as u32)).collect();
        assert_report_is_right(&Mesh::from_arrays(vertices, triangles).unwrap(), collinear_on_grid);
    }
}

#[test]
fn zero_area_is_decided_exactly() {
    let zero_area = |corners: [[f32; 3]; 3]| {
        let mesh = Mesh::from_arrays(corners.map(Point3::from).into(), vec![[0, 1, 2]]).unwrap();
        mesh.report().zero_area_triangles == 1
    };
    assert!(!zero_area([[0.0, 0.0, 0.0], [1e-45, 0.0, 0.0], [0.0, 1e-45, 0.0]]));
    assert!(!zero_area([[0.0, f32::MAX, 0.0], [f32::MAX, 0.0, 0.0], [f32::MIN, 0.0, f32::MIN]]));
    // f64 differences lose the first corner's coordinate.
    assert!(!zero_area([[1e-30, 0.0, 0.0], [1e30, 1e30, 0.0], [-1e30, -1e30, 0.0]]));
    assert!(zero_area([[0.0, 0.0, 0.0], [1e30, 1e30, 1e30], [-1e-30, -1e-30, -1e-30]]));
    assert!(zero_area([[1.5, 2.0, 3.0], [1.5, 2.0, 3.0], [1.5, 2.0, 3.0]]));
    assert!(!zero_area([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
    assert!(!zero_area([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.000_000_1]]));
}

/// No edge is open, but the wall between the two halves ends at edges of three triangles: neither half is inside.
#[test]
fn a_bipyramid_with_an_inner_wall_is_not_closed() {
    let bipyramid = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 1 2\nv 1 1 -2
f 1 2 4\nf 2 3 4\nf 3 1 4\nf 2 1 5\nf 3 2 5\nf 1 3 5\n";
    let of = |text: &str| read(text).unwrap();
    assert_eq!(of(bipyramid).report().watertightness, Watertightness::Oriented);
    let report = of(&format!("{bipyramid}f 1 2 3\n")).report();
    assert_eq!((report.open_edges, report.non_manifold_edges), (0, 3));
    assert!(!report.is_closed());
    // Two walls make chambers that a path crosses in pairs.
    let report = of(&format!("{bipyramid}f 1 2 3\nf 1 3 2\n")).report();
    assert_eq!((report.watertightness, report.is_closed()), (Watertightness::Oriented, true));
}

#[test]
fn the_report_is_readable() {
    let report = read_faces("f 1 2 3 4\nf 1 2 1\n").unwrap().report();
    assert!(!report.is_closed() && report.is_edge_manifold());
    assert_eq!(
        report.to_string(),
        "\
triangles                     3
vertices                      4
distinct vertices             4
zero-area triangles           1
duplicate triangles           0
open edges                    4
non-manifold edges            0
inconsistent edges            0
components                    1
closed                       no"
    );
    assert!(Mesh::from_arrays(vec![], vec![]).unwrap().report().is_closed());
}
