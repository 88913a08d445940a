//! What is inside meshes as they are: with holes, turned inconsistently, in pieces.

use bvtree::probe::Containment;
use bvtree::query::{DepthOptions, DistanceOptions, QueryError, Relation, Solid, TimeOfImpact};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe, Query, VolumeKind};
use nalgebra::{Point3, Vector3};

use crate::oracle::{Rules, meshes};
use crate::relation::solids::{cube, cuboid, inside_out, sphere, together, without_lid};
use crate::scene::Random;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

fn tree(mesh: &Mesh) -> BvTree {
    Rules::FINEST.tree(mesh, bvtree::VolumeKind::Obb)
}

/// A sphere with holes: every `hole`th triangle is missing, and some are turned.
fn damaged(radius: f32, hole: usize, turned: bool, random: &mut Random) -> Mesh {
    let round = meshes::sphere(24, 48, radius);
    let kept = round.triangles().iter().enumerate().filter(|(i, _)| i % hole != 7).map(|(_, corners)| *corners);
    let turn = |[a, b, c]: [u32; 3], swap: bool| if swap { [a, c, b] } else { [a, b, c] };
    let triangles = kept.map(|corners| turn(corners, turned && random.below(3) == 0)).collect();
    Mesh::from_arrays(round.vertices().to_vec(), triangles).unwrap()
}

/// The truth is that of the sphere: points near its surface are left out.
#[test]
fn holes_and_turned_triangles_do_not_matter_far_from_them() {
    let (mut random, mut probe) = (Random(3), Probe::new());
    for (turned, flipped) in [(false, false), (false, true), (true, false)] {
        let mesh = damaged(2.0, 40, turned, &mut random);
        let mesh = if flipped { inside_out(&mesh) } else { mesh };
        let tree = tree(&mesh);
        assert!(!tree.watertightness().is_closed());
        let (mut wrong, mut wrong_and_certain, mut certainty) = (0, 0, 0.0);
        for _ in 0..1_000 {
            let point = Point3::from(random.vector(2.2));
            let radius = point.coords.norm();
            if (radius - 2.0).abs() < 0.2 {
                continue;
            }
            let found = probe.contains_robust(&tree, &point);
            assert!((0.0..=1.0).contains(&found.certainty), "{found:?}");
            assert_ne!(found.containment, Containment::Undefined);
            let is_wrong = (found.containment == Containment::Inside) != (radius < 2.0);
            wrong += usize::from(is_wrong);
            wrong_and_certain += usize::from(is_wrong && found.certainty > 0.5);
            certainty += found.certainty / 1_000.0;
        }
        assert_eq!((wrong, wrong_and_certain), (0, 0), "{turned} {flipped}");
        assert!(certainty > 0.6, "{certainty}");
    }
}

#[test]
fn closed_meshes_are_certain_and_exact() {
    let (mut random, mut probe) = (Random(9), Probe::new());
    for mesh in [cube(1.0), inside_out(&sphere(1.0)), together(&[cube(1.0), inside_out(&cube(0.5))])] {
        let tree = tree(&mesh);
        for _ in 0..200 {
            let point = Point3::from(random.vector(1.2));
            let found = probe.contains_robust(&tree, &point);
            assert_eq!(found.certainty, 1.0);
            assert_eq!(found.containment, probe.contains(&tree, &point));
        }
    }
    let open = tree(&without_lid(&cube(1.0)));
    let on = probe.contains_robust(&open, &Point3::new(-1.0, 0.25, 0.5));
    assert_eq!((on.containment, on.certainty), (Containment::OnSurface, 1.0));
    let far = probe.contains_robust(&open, &Point3::new(9.0, 0.0, 0.0));
    assert_eq!((far.containment, far.certainty), (Containment::Outside, 1.0));
    let nowhere = probe.contains_robust(&open, &Point3::new(f64::NAN, 0.0, 0.0));
    assert_eq!(nowhere.containment, Containment::Outside);
}

/// The certainty is that of the last query's decisions: of all its poses, and none of an earlier query's.
#[test]
fn certainty_is_that_of_the_last_query() {
    let (open, small) = (tree(&without_lid(&cube(2.0))), tree(&cube(0.5)));
    let mut query = Query::new();
    query.set_solids(Solid::Robust, Solid::IfClosed);
    let poses = [at(9.0, 0.0, 0.0), at(0.0, 0.0, 0.0), at(1.0, -1.0, 0.0), at(2.0, 0.0, 0.0)];
    let mut certainties = poses.map(|pose| {
        query.intersects(&open, &small, &pose);
        query.certainty()
    });
    query.intersects_many(&open, &small, &poses);
    certainties.sort_by(f64::total_cmp);
    assert!(certainties[0] < 1.0);
    assert_eq!(query.certainty(), certainties[0]);
    query.distance_many(&open, &small, &poses, &DistanceOptions::default());
    assert_eq!(query.certainty(), certainties[0]);
    // The surfaces touch, so nothing has to be decided.
    let motion = Motion::new(at(2.0, 0.0, 0.0), at(3.0, 0.0, 0.0));
    let found = query.time_of_impact(&open, &small, &motion, 1e-6).unwrap();
    assert!(matches!(found, TimeOfImpact::Touching(_)));
    assert_eq!(query.certainty(), 1.0);
}

/// Five sides of a box, and a small box in it, beside it, and in its lid's place.
#[test]
fn relations_of_open_meshes() {
    let (open, small) = (tree(&without_lid(&cube(2.0))), tree(&cube(0.5)));
    let mut query = Query::new();
    let cases = [([0.0, 0.0, 0.0], Relation::BInA, true), ([1.0, -1.0, 0.0], Relation::BInA, true)];
    for (shift, expected, is_inside) in cases {
        let pose = at(shift[0], shift[1], shift[2]);
        query.set_solids(Solid::IfClosed, Solid::IfClosed);
        assert_eq!(query.relation(&open, &small, &pose), Relation::Undefined);
        assert!(!query.intersects(&open, &small, &pose));
        assert_eq!(query.certainty(), 1.0);
        query.set_solids(Solid::Robust, Solid::IfClosed);
        assert_eq!(query.relation(&open, &small, &pose), expected, "{shift:?}");
        assert!(query.certainty() > 0.2 && query.certainty() < 1.0);
        assert_eq!(query.intersects(&open, &small, &pose), is_inside);
        assert!(query.certainty() > 0.2 && query.certainty() < 1.0);
        query.set_solids(Solid::IfClosed, Solid::Robust);
        assert_eq!(query.relation(&small, &open, &pose.inverse()), Relation::AInB);
        // The surfaces cross.
        assert!(query.intersects(&open, &small, &at(2.0, 0.0, 0.0)));
        assert_eq!(query.certainty(), 1.0);
    }
}

/// A rod in a box without a lid is inside, unless it reaches out, whichever of its triangles is the first of a tree.
#[test]
fn what_reaches_out_of_an_open_mesh_is_outside() {
    let open = without_lid(&cube(1.0));
    let rod = |reach: f32, axis: usize, turned: bool| {
        let (mut lower, mut upper) = ([-0.1; 3], [0.1; 3]);
        if turned {
            lower[axis] = -reach;
        } else {
            upper[axis] = reach;
        }
        cuboid(lower, upper)
    };
    let mut through_the_lid = 0;
    for (axis, turned) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
        for kind in VolumeKind::ALL {
            let build = |mesh: &Mesh| BvTree::build(mesh, &BuildOptions::obbtree_rules(kind)).unwrap();
            let (open, short, long) = (build(&open), build(&rod(0.9, axis, turned)), build(&rod(1.5, axis, turned)));
            let mut query = Query::new();
            let is_through_a_side = query.intersects(&open, &long, &Pose::identity());
            query.set_solids(Solid::Robust, Solid::IfClosed);
            assert!(query.intersects(&open, &short, &Pose::identity()), "{axis} {turned} {kind}");
            assert_eq!(query.intersects(&open, &long, &Pose::identity()), is_through_a_side, "{axis} {turned} {kind}");
            assert_eq!(query.certainty(), 1.0, "a box decides");
            through_the_lid += usize::from(!is_through_a_side);
        }
    }
    assert_eq!(through_the_lid, VolumeKind::ALL.len());
}

/// Within the bounds of a bowl's triangles, but beyond a plane: not undefined.
#[test]
fn a_plane_tells_open_meshes_apart() {
    let mut random = Random(11);
    let corner = Mesh::from_slices(
        &[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
    );
    let (corner, small) = (tree(&corner.unwrap()), tree(&sphere(0.25)));
    let mut query = Query::new();
    let (mut apart, mut undefined) = (0, 0);
    for _ in 0..400 {
        let point = random.vector(2.0).map(|x| x + 2.0);
        let pose = Pose::from_translation(point).unwrap();
        let beyond = (point.sum() - 4.0) / 3.0_f64.sqrt();
        if query.intersects(&corner, &small, &pose) {
            continue;
        }
        for (relation, other) in
            [(query.relation(&corner, &small, &pose), "a"), (query.relation(&small, &corner, &pose.inverse()), "b")]
        {
            match relation {
                Relation::Separate => apart += 1,
                Relation::Undefined => undefined += 1,
                relation => panic!("{relation} {other}"),
            }
            // The corner's hull ends at a plane, and the sphere is 0.25 large.
            let expected = if beyond > 0.26 { Relation::Separate } else { Relation::Undefined };
            assert!(relation == expected || (0.0..0.26).contains(&beyond), "{point} {relation} {other}");
        }
    }
    assert!(apart > 200 && undefined > 40, "{apart} {undefined}");
}

/// A box without a lid is as deep in another box as a box with one, where the lid is not the nearest.
#[test]
fn overlap_depth_of_an_open_mesh() {
    let (closed, open, other) = (tree(&cube(1.0)), tree(&without_lid(&cube(1.0))), tree(&cube(1.0)));
    let mut query = Query::new();
    let pose = at(-1.9, 0.25, 0.5);
    let options = DepthOptions::default();
    let expected = query.overlap_depth(&closed, &other, &pose, &options).unwrap();
    assert_eq!(query.overlap_depth(&open, &other, &pose, &options), Err(QueryError::OpenMesh { mesh: 'A' }));
    query.set_solids(Solid::Robust, Solid::Robust);
    let found = query.overlap_depth(&open, &other, &pose, &options).unwrap();
    assert!(expected.lower > 0.09 && expected.upper < 0.11, "{expected:?}");
    assert!((found.lower - expected.lower).abs() < 0.01 && found.upper >= found.lower, "{found:?} {expected:?}");
    assert_eq!(query.overlap_depth(&closed, &other, &pose, &options), Ok(expected));
}

/// A spike that comes out of a box without a lid ends at the box's bounds, although there is no surface.
#[test]
fn what_leaves_an_open_mesh_is_not_deep() {
    let spike = meshes::sphere(48, 48, 1.0);
    let vertices = spike.vertices().iter().map(|p| Point3::new(0.2 * p.x, 0.2 * p.y, 6.0 * p.z + 4.0)).collect();
    let spike = Mesh::from_arrays(vertices, spike.triangles().to_vec()).unwrap();
    let mut query = Query::new();
    query.set_solids(Solid::Robust, Solid::Robust);
    let found = query.overlap_depth(
        &tree(&without_lid(&cube(1.0))),
        &tree(&spike),
        &at(0.0, 0.0, 0.0),
        &DepthOptions::default(),
    );
    let found = found.unwrap();
    assert!(found.lower > 0.5 && found.upper < 1.2, "{found:?}");
}
