//! Levels in tiles, compared with the same levels in one piece.

use std::sync::Arc;

use bvtree::{BuildOptions, BvTree, Mesh};
use bvtree_parry::{InternalEdges, Tiles, TreeDispatcher, TreeShape};
use nalgebra::Point3;
use parry3d::math::{Pose, Vector};
use parry3d::query::{ContactManifold, PersistentQueryDispatcher};
use parry3d::shape::{Shape, SharedShape};
use rapier3d::prelude::*;

use crate::support::{Level, Random, bumpy, flat, shapes, terrain};

type Manifold = ContactManifold<(), ()>;

/// The level's faces in strips along x, each with the faces' indices in the level. Each strip's vertices are in a frame
/// of its own, and the pose maps that frame into the level's.
fn strips(level: &Mesh, cuts: &[f32], turn: f32) -> Vec<(Vec<u32>, Mesh, Pose)> {
    let vertex = |v: u32| level.vertices()[v as usize];
    let strip_of = |face: &[u32; 3]| {
        let middle = face.iter().map(|v| vertex(*v).x).sum::<f32>() / 3.0;
        cuts.iter().filter(|cut| **cut < middle).count()
    };
    let strip = |index| {
        let faces: Vec<u32> = (0..).zip(level.triangles()).filter(|(_, f)| strip_of(f) == index).map(|f| f.0).collect();
        let pose = Pose::new(Vector::new(index as f32, 0.0, -2.0), Vector::new(0.2, 1.0, 0.0) * turn * index as f32);
        let to_frame = |v: &Point3<f32>| {
            let local = pose.inverse_transform_point(Vector::new(v.x, v.y, v.z));
            Point3::new(local.x, local.y, local.z)
        };
        let triangles = faces.iter().map(|f| level.triangles()[*f as usize]).collect();
        let mesh = Mesh::from_arrays(level.vertices().iter().map(to_frame).collect(), triangles);
        (faces, mesh.expect("all numbers are finite"), pose)
    };
    (0..=cuts.len()).map(strip).collect()
}

fn tree(mesh: &Mesh) -> TreeShape {
    let tree = BvTree::build(mesh, &BuildOptions::default()).expect("the mesh is small");
    TreeShape::new(tree).expect("it has triangles")
}

const CUTS: [f32; 5] = [-6.0, -3.0, 0.0, 3.5, 6.0];

fn manifolds(level: &dyn Shape, pose: &Pose, shape: &dyn Shape) -> Vec<Manifold> {
    let mut manifolds = Vec::new();
    let result = TreeDispatcher.contact_manifolds(pose, level, shape, 0.05, &mut manifolds, &mut None);
    assert!(result.is_ok());
    manifolds.retain(|manifold| !manifold.points.is_empty());
    manifolds
}

/// Each triangle has the manifold that it has in the level in one piece.
#[test]
fn manifolds_at_seams_are_those_of_one_piece() {
    let mut random = Random(37);
    let level = bumpy();
    let (mut at_seams, mut wrong_alone) = (0, 0);
    for (edges, turn) in
        [(InternalEdges::OneSided, 0.0), (InternalEdges::TwoSided, 0.0), (InternalEdges::TwoSided, 0.7)]
    {
        let one = Level::new(&level, edges).tree;
        let tiles = Tiles::new();
        let strips: Vec<_> = strips(&level, &CUTS, turn)
            .into_iter()
            .map(|(faces, mesh, pose)| {
                let alone = tree(&mesh).with_internal_edges(edges);
                (faces, tiles.add(alone.clone(), &pose).expect("the pose is finite"), alone, pose)
            })
            .collect();
        for (name, shape) in shapes().iter().filter(|(name, _)| ["ball", "round cuboid"].contains(name)) {
            for _ in 0..150 {
                let cut = CUTS[(random.number().abs() * 5.0) as usize];
                let at = Vector::new(cut, 0.6, 0.0) + random.vector(1.0) * Vector::new(0.3, 0.9, 4.0);
                let pose = Pose { translation: at, ..random.pose(1.0) };
                let expected = manifolds(&one, &pose, &**shape);
                let mut found = 0;
                for (faces, tile, alone, tile_pose) in &strips {
                    let local = tile_pose.inv_mul(&pose);
                    let normal = |manifold: &Manifold| tile_pose.rotation * manifold.local_n1;
                    let expected_normal = |manifold: &Manifold| {
                        let face = faces[manifold.subshape1 as usize];
                        expected.iter().find(|expected| expected.subshape1 == face).map(|expected| expected.local_n1)
                    };
                    let is_close = |manifold: &Manifold| {
                        expected_normal(manifold).is_some_and(|expected| (normal(manifold) - expected).length() <= 2e-3)
                    };
                    let of_tile = manifolds(tile, &local, &**shape);
                    if turn == 0.0 {
                        for manifold in &of_tile {
                            assert!(is_close(manifold), "{name} at {pose:?}: {manifold:?}, {expected:?}");
                        }
                        found += of_tile.len();
                    } else {
                        // A turned vertex is rounded, and the deepest feature may be another one.
                        let close = of_tile.iter().filter(|manifold| is_close(manifold)).count();
                        assert!(close + 1 >= of_tile.len(), "{name} at {pose:?}: {of_tile:?}, {expected:?}");
                        found += close;
                    }
                    wrong_alone +=
                        manifolds(alone, &local, &**shape).iter().filter(|manifold| !is_close(manifold)).count();
                }
                assert!(found == expected.len() || turn != 0.0, "{name} at {pose:?}");
                at_seams += found;
            }
        }
    }
    assert!(at_seams > 1000 && wrong_alone > 100, "{at_seams}, {wrong_alone} wrong without neighbors");
}

/// The path of a frictionless shape during three seconds, and its greatest angular speed.
fn path(
    level: impl IntoIterator<Item = (TreeShape, Pose)>,
    shape: &SharedShape,
    start: Vector,
    speed: Vector,
) -> (Vec<Vector>, f32) {
    let mut world = PhysicsWorld::new();
    world.narrow_phase = NarrowPhase::with_query_dispatcher(TreeDispatcher);
    for (tile, pose) in level {
        let tile = ColliderBuilder::new(SharedShape::new(tile)).position(pose).density(0.0);
        world.insert_collider(tile.friction(0.0), None);
    }
    let body = RigidBodyBuilder::dynamic().translation(start).linvel(speed);
    let (body, _) = world.insert(body, ColliderBuilder::new(shape.clone()).friction(0.0));
    let mut spin: f32 = 0.0;
    let step = |_| {
        world.step();
        spin = spin.max(world.bodies[body].angvel().length());
        world.bodies[body].translation()
    };
    ((0..180).map(step).collect(), spin)
}

fn farthest(path: &[Vector], other: &[Vector]) -> f32 {
    path.iter().zip(other).map(|(a, b)| (*a - *b).length()).fold(0.0, f32::max)
}

fn tiles_of(strips: &[(Vec<u32>, Mesh, Pose)]) -> Vec<(TreeShape, Pose)> {
    let tiles = Tiles::new();
    strips.iter().map(|(_, mesh, pose)| (tiles.add(tree(mesh), pose).expect("the pose is finite"), *pose)).collect()
}

#[test]
fn bodies_slide_over_seams_as_over_one_piece() {
    let speed = Vector::new(3.0, 0.0, 0.0);
    for (name, shape) in shapes().iter().filter(|(name, _)| ["cuboid", "ball", "round cuboid"].contains(name)) {
        let start = Vector::new(-8.0, -shape.compute_local_aabb().mins.y, 0.3);
        let (one_piece, one_spin) = path([(tree(&flat()), Pose::IDENTITY)], shape, start, speed);
        let (in_tiles, spin) = path(tiles_of(&strips(&flat(), &CUTS, 0.0)), shape, start, speed);
        let apart = farthest(&in_tiles, &one_piece);
        assert!(apart < 1e-3, "the {name} is {apart} apart");
        assert!(spin < one_spin + 1e-3, "the {name} spins at {spin}, on one piece at {one_spin}");
        assert!(one_piece.last().is_some_and(|end| end.x > 0.5), "the {name} passes seams");
    }
}

/// A side of a roof allows the direction straight up from its ridge only if it knows the other side: a ball falls
/// through tiles that don't know each other.
#[test]
fn bodies_fall_on_a_ridge_between_tiles_as_on_one_piece() {
    let roof = terrain(4.0, 8, |x, _| -0.7 * x.abs());
    let strips = strips(&roof, &[0.0], 0.0);
    for (name, shape) in shapes().iter().filter(|(name, _)| ["ball", "round cuboid"].contains(name)) {
        let start = Vector::new(0.01, 0.7, 0.2);
        let (one_piece, _) = path([(tree(&roof), Pose::IDENTITY)], shape, start, Vector::ZERO);
        let (in_tiles, _) = path(tiles_of(&strips), shape, start, Vector::ZERO);
        let apart = farthest(&in_tiles, &one_piece);
        let alone = strips.iter().map(|(_, mesh, pose)| (tree(mesh), *pose));
        let (alone, _) = path(alone, shape, start, Vector::ZERO);
        assert!(apart < 0.01, "the {name} is {apart} apart");
        let alone_apart = farthest(&alone, &one_piece);
        assert!(alone_apart > 1.0, "the {name} is only {alone_apart} apart on tiles that don't know each other");
    }
}

/// A tile's contacts change when its neighbors do, even with a body that does not move.
#[test]
fn tiles_come_and_go() {
    let level = bumpy();
    let strips = strips(&level, &[2.0], 0.0);
    let tiles = Tiles::new();
    let [(_, left, left_pose), (_, right, right_pose)] = &strips[..] else { unreachable!("there is one cut") };
    let (alone, right) = (tree(left), tree(right));
    let tile = tiles.add(alone.clone(), left_pose).expect("the pose is finite");
    let ball = SharedShape::ball(0.3);
    let pose = left_pose.inv_mul(&Pose::translation(2.02, 0.9, 0.2));
    let (mut manifolds, mut workspace) = (Vec::<Manifold>::new(), None);
    let mut normals = |tile: &TreeShape| {
        let result = TreeDispatcher.contact_manifolds(&pose, tile, &*ball, 0.05, &mut manifolds, &mut workspace);
        assert!(result.is_ok());
        manifolds.iter().filter(|manifold| !manifold.points.is_empty()).map(|manifold| manifold.local_n1).collect()
    };
    let without: Vec<Vector> = normals(&tile);
    let neighbor = tiles.add(right.clone(), right_pose).expect("the pose is finite");
    let with: Vec<Vector> = normals(&tile);
    assert!(!with.is_empty());
    assert_ne!(with, without);
    assert_eq!(tiles.len(), 2);
    // A clone keeps the tile loaded.
    let clone = neighbor.clone();
    drop(neighbor);
    assert_eq!(normals(&tile), with);
    drop(clone);
    assert_eq!(tiles.len(), 1);
    assert_eq!(normals(&tile), without);

    // A tile elsewhere is no neighbor, and the same tree may be a tile twice.
    let elsewhere = tiles.add(right.clone(), &Pose::translation(50.0, 0.0, 0.0)).expect("the pose is finite");
    assert_eq!(normals(&tile), without);
    let back = tiles.add(right, right_pose).expect("the pose is finite");
    assert_eq!(normals(&tile), with);
    assert_eq!(tiles.len(), 3);
    // A tile that is added to another set leaves this one.
    let others = Tiles::new();
    let moved = others.add(back, right_pose).expect("the pose is finite");
    assert_eq!((tiles.len(), others.len()), (2, 1));
    assert_eq!(normals(&tile), without);
    assert!(Arc::ptr_eq(moved.tree(), elsewhere.tree()));

    assert!(tiles.add(alone, &Pose::translation(f32::NAN, 0.0, 0.0)).is_err());
    assert_eq!(tiles.len(), 2);
    drop((tile, elsewhere));
    assert!(tiles.is_empty());
}
