//! Ray metrics against cases worked by hand.

use bvtree::VolumeKind;
use bvtree::metrics::RayQuality;

use super::meshes::{build, mesh, sheet};

/// Two right triangles of one square: the box of either holds the other.
#[test]
fn boxes_of_half_squares_overlap_wholly() {
    let square = mesh(&[[0., 0., 0.], [2., 0., 0.], [2., 2., 0.], [0., 2., 0.]], &[[0, 1, 2], [0, 2, 3]]);
    let rays = RayQuality::new(&build(&square, VolumeKind::Aabb));
    assert_eq!((rays.levels[0].epo, rays.total.epo), (Some(0.0), Some(1.0)));
    // And every line that meets the root meets both.
    assert_eq!((rays.levels[0].lcv, rays.total.lcv), (Some(0.0), Some(0.0)));
}

/// Two right triangles three apart: boxes of 1 x 1 at the ends of one of 4 x 1, so that half of the lines miss both.
#[test]
fn leaves_apart_are_met_now_and_then() {
    let pair = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [3., 0., 0.], [4., 0., 0.], [3., 1., 0.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let rays = RayQuality::new(&build(&pair, VolumeKind::Aabb));
    assert_eq!((rays.levels.len(), rays.total.epo), (2, Some(0.0)));
    let variability = rays.total.lcv.unwrap();
    assert!((variability - 0.5).abs() < 0.02, "{variability}");
}

/// A small triangle in the box of a large one, a sixteenth of the area: the large one's leaf holds all of it.
#[test]
fn overlap_counts_by_area_and_cost() {
    let nested = mesh(
        &[[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [3., 3., 0.], [4., 3., 0.], [3., 4., 0.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let rays = RayQuality::new(&build(&nested, VolumeKind::Aabb));
    let overlap = rays.total.epo.unwrap();
    // Chosen by area to within one point of 8192.
    assert!((overlap - 1.0 / 17.0).abs() < 2.0 / 8192.0, "{overlap}");
}

#[test]
fn without_area_there_are_no_rays() {
    let points = mesh(&[[1., 2., 3.]], &[[0, 0, 0], [0, 0, 0]]);
    let segments = mesh(&[[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]], &[[0, 1, 1], [1, 2, 2]]);
    for mesh in [points, segments, mesh(&[], &[])] {
        for kind in VolumeKind::ALL {
            let rays = RayQuality::new(&build(&mesh, kind));
            assert!(rays.levels.iter().chain([&rays.total]).all(|metrics| metrics.epo.is_none()));
            assert!(rays.total.lcv.is_none_or(f64::is_finite));
        }
    }
}

/// The root is everyone's own; a tree that ends there is one leaf.
#[test]
fn a_root_alone_has_no_overlap_and_no_variability() {
    for kind in VolumeKind::ALL {
        let rays = RayQuality::new(&build(&sheet(6, |x, y| x * y), kind));
        assert_eq!((rays.levels[0].epo, rays.levels[0].lcv), (Some(0.0), Some(0.0)));
        assert_eq!(rays.levels.last(), Some(&rays.total));
        assert!(rays.total.epo > Some(0.0) && rays.total.lcv > Some(0.0));
    }
}
