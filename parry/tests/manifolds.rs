//! Contact manifolds, compared with those of parry3d's `TriMesh`.

use bvtree_parry::{InternalEdges, TreeDispatcher};
use parry3d::math::{Pose, Vector};
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

use crate::support::{Level, Random, bumpy, flat, shapes, soup};

type Manifold = ContactManifold<u32, u32>;

/// The manifolds that have points, sorted by their sub-shapes.
fn touching(manifolds: &[Manifold]) -> Vec<&Manifold> {
    let mut touching: Vec<_> = manifolds.iter().filter(|manifold| !manifold.points.is_empty()).collect();
    touching.sort_by_key(|manifold| (manifold.subshape1, manifold.subshape2));
    touching
}

/// Asserts that sub-shapes are equal, and normals and points within a tolerance.
fn assert_equal(ours: &[Manifold], theirs: &[Manifold], tolerance: f32, case: &str) {
    let (ours, theirs) = (touching(ours), touching(theirs));
    assert_eq!(ours.len(), theirs.len(), "{case}");
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        let close = |a: Vector, b: Vector| (a - b).length() <= tolerance;
        assert_eq!((ours.subshape1, ours.subshape2), (theirs.subshape1, theirs.subshape2), "{case}");
        assert_eq!(ours.subshape_pos1(), theirs.subshape_pos1(), "{case}");
        assert_eq!(ours.subshape_pos2(), theirs.subshape_pos2(), "{case}");
        assert!(close(ours.local_n1, theirs.local_n1) && close(ours.local_n2, theirs.local_n2), "{case}");
        assert_eq!(ours.points.len(), theirs.points.len(), "{case}");
        for (ours, theirs) in ours.points.iter().zip(&theirs.points) {
            let are_close = close(ours.local_p1, theirs.local_p1) && close(ours.local_p2, theirs.local_p2);
            assert!(are_close && (ours.dist - theirs.dist).abs() <= tolerance, "{case}: {ours:?} {theirs:?}");
            assert_eq!((ours.fid1, ours.fid2), (theirs.fid1, theirs.fid2), "{case}");
        }
    }
}

/// parry3d computes each triangle's manifold for both, with the same normals, so that manifolds are equal to the last
/// bit, except for parts of compounds, which are placed by another product of poses.
#[test]
fn manifolds_are_those_of_trimesh() {
    let mut random = Random(9);
    let meshes = [soup(&mut random), bumpy(), flat()];
    let mut points = 0;
    for (mesh, edges) in meshes.iter().flat_map(|mesh| {
        [InternalEdges::Uncorrected, InternalEdges::OneSided, InternalEdges::TwoSided].map(|edges| (mesh, edges))
    }) {
        let level = Level::new(mesh, edges);
        for (name, shape) in &shapes() {
            for _ in 0..12 {
                let pose = Pose { translation: random.vector(2.0) * Vector::new(1.0, 0.2, 1.0), ..random.pose(1.0) };
                let (mut ours, mut theirs) = (Vec::<Manifold>::new(), Vec::<Manifold>::new());
                let of_ours =
                    TreeDispatcher.contact_manifolds(&pose, &level.tree, &**shape, 0.05, &mut ours, &mut None);
                let of_theirs = DefaultQueryDispatcher.contact_manifolds(
                    &pose,
                    &level.trimesh,
                    &**shape,
                    0.05,
                    &mut theirs,
                    &mut None,
                );
                assert!(of_ours.is_ok() && of_theirs.is_ok(), "{name}");
                points += ours.iter().map(|manifold| manifold.points.len()).sum::<usize>();
                let tolerance = if *name == "compound" { 1e-3 } else { 0.0 };
                assert_equal(&ours, &theirs, tolerance, &format!("{name} {edges:?}"));

                ours.clear();
                theirs.clear();
                let back = pose.inverse();
                let of_ours =
                    TreeDispatcher.contact_manifolds(&back, &**shape, &level.tree, 0.05, &mut ours, &mut None);
                let of_theirs = DefaultQueryDispatcher.contact_manifolds(
                    &back,
                    &**shape,
                    &level.trimesh,
                    0.05,
                    &mut theirs,
                    &mut None,
                );
                assert!(of_ours.is_ok() && of_theirs.is_ok(), "{name}");
                assert_equal(&ours, &theirs, 1e-3, &format!("{name} {edges:?}, swapped"));
            }
        }
    }
    assert!(points > 1000, "{points}");
}

/// A solver keeps impulses in a manifold's data from step to step.
#[test]
fn manifolds_keep_their_data_while_the_shape_moves() {
    let level = Level::new(&flat(), InternalEdges::default());
    for (name, shape) in &shapes() {
        let (mut manifolds, mut workspace) = (Vec::<Manifold>::new(), None);
        let mut next = 1;
        let mut by_ids = std::collections::HashMap::new();
        let lowest = shape.compute_local_aabb().mins.y;
        for step in 0..60 {
            let pose = Pose::translation(-3.0 + 0.05 * step as f32, 0.001 - lowest, 0.02 * step as f32);
            let result =
                TreeDispatcher.contact_manifolds(&pose, &level.tree, &**shape, 0.01, &mut manifolds, &mut workspace);
            assert!(result.is_ok());
            assert!(manifolds.iter().any(|manifold| !manifold.points.is_empty()), "{name} at {step}");
            let mut now = std::collections::HashMap::new();
            for manifold in &mut manifolds {
                let ids = (manifold.subshape1, manifold.subshape2);
                // New manifolds have no data yet.
                assert_eq!(manifold.data, by_ids.get(&ids).copied().unwrap_or(0), "{name} {ids:?} at {step}");
                if manifold.data == 0 {
                    manifold.data = next;
                    next += 1;
                }
                assert!(now.insert(ids, manifold.data).is_none(), "{name} {ids:?} twice");
            }
            by_ids = now;
        }
        assert!(next > by_ids.len() as u32 + 1, "{name}: triangles come and go");

        // A little higher, within the box for which the triangles were gathered.
        let pose = Pose::translation(-0.05, 0.021 - lowest, 1.18);
        let result =
            TreeDispatcher.contact_manifolds(&pose, &level.tree, &**shape, 0.01, &mut manifolds, &mut workspace);
        assert!(result.is_ok());
        assert!(manifolds.iter().all(|manifold| manifold.points.is_empty()), "{name}");
    }
}

/// A workspace and manifolds of another shape are left behind.
#[test]
fn a_workspace_of_another_shape_is_replaced() {
    let level = Level::new(&flat(), InternalEdges::default());
    let (_, cuboid) = &shapes()[1];
    let pose = Pose::translation(0.1, 0.2, 0.3);
    let (mut manifolds, mut workspace) = (Vec::<Manifold>::new(), None);
    let _ = DefaultQueryDispatcher.contact_manifolds(
        &pose,
        &level.trimesh,
        &**cuboid,
        0.05,
        &mut manifolds,
        &mut workspace,
    );
    manifolds.iter_mut().for_each(|manifold| manifold.data = 7);
    let result = TreeDispatcher.contact_manifolds(&pose, &level.tree, &**cuboid, 0.05, &mut manifolds, &mut workspace);
    assert!(result.is_ok() && !manifolds.is_empty());
    assert!(manifolds.iter().all(|manifold| manifold.data == 0));

    // Another shape with the same workspace, and manifolds that somebody has dropped.
    let (_, compound) = &shapes()[10];
    let pose = Pose::translation(0.1, 0.2, 0.3);
    for shape in [compound, cuboid, compound] {
        let mut expected = Vec::new();
        let fresh = TreeDispatcher.contact_manifolds(&pose, &level.tree, &**shape, 0.05, &mut expected, &mut None);
        let result =
            TreeDispatcher.contact_manifolds(&pose, &level.tree, &**shape, 0.05, &mut manifolds, &mut workspace);
        assert!(fresh.is_ok() && result.is_ok() && !expected.is_empty());
        assert_equal(&manifolds, &expected, 1e-6, "after another shape");
        manifolds.pop();
    }
}
