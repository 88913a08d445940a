//! Bodies that move: a character's path, collisions, a scene in which all turn.

use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::response::{MassProperties, Material, RigidBody, collide};
use bvtree::scene::{Body, Scene};
use bvtree::{BuildOptions, BvTree, Motion, Pose, VolumeKind};
use nalgebra::{Point3, Unit, Vector3};

use super::check;
use super::digest::Digest;
use super::meshes::{self, extent};

#[test]
fn a_walk() {
    let mesh = meshes::mesh("chain_link");
    let mut digests = Vec::new();
    for kind in VolumeKind::ALL {
        let tree = BvTree::build(&mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap();
        let size = extent(&tree);
        let start = tree.bounds().center() + Vector3::new(0.0, 0.0, 0.6 * size);
        let options = CharacterOptions {
            radius: 0.02 * size,
            height: 0.1 * size,
            skin: 0.0005 * size,
            max_step: 0.02 * size,
            snap_distance: 0.02 * size,
            gravity: 4.0 * size,
            ..CharacterOptions::default()
        };
        let mut scene = Scene::new();
        scene.add(Body::fixed(Arc::new(tree), Pose::identity())).unwrap();
        let mut character = Character::new(&options, start).unwrap();
        let mut digest = Digest::default();
        for i in 0..240 {
            // Round and round, with a jump now and then.
            let way = [[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6], [0.0, -1.0]][i / 20 % 4];
            let walk = Vector3::new(way[0], way[1], 0.0) * (0.3 * size);
            let jump = if i % 50 == 49 { 0.8 * size } else { 0.0 };
            character.step(&Surroundings::new(&scene), &Intent { walk, jump }, 1.0 / 60.0).unwrap();
            digest.point(&character.feet());
        }
        digests.push((kind.to_string(), digest));
    }
    assert!(digests.iter().all(|kind| kind.1.value() == digests[0].1.value()), "the kind of tree changes the path");
    check("character", digests);
}

#[test]
fn collisions() {
    let mesh = meshes::mesh("bolt");
    let whole = MassProperties::of(&mesh).unwrap();
    let mut digest = Digest::default();
    digest.real(whole.volume).point(&whole.center).reals(&whole.inertia);
    let mut bodies = [0.0, 1.0].map(|x| {
        let mut body = RigidBody::new(whole.volume, &whole.inertia, whole.center + Vector3::new(x, 0.0, 0.0)).unwrap();
        body.velocity = Vector3::new(1.0 - 2.0 * x, 0.3, 0.1 * x);
        body.angular_velocity = Vector3::new(0.1, -0.2, 0.3 + x);
        body
    });
    for i in 0..50 {
        let [a, b] = &mut bodies;
        let point = nalgebra::center(&a.center, &b.center) + Vector3::new(0.0, 0.01 * f64::from(i), -0.02);
        let normal = Unit::new_normalize(Vector3::new(if i % 2 == 0 { 1.0 } else { -1.0 }, 0.2, -0.1));
        let impulse = collide(a, b, &point, &normal, &Material { restitution: 0.7, friction: 0.4 });
        digest.vector(&impulse.on_b).vector(&a.velocity).vector(&b.angular_velocity);
    }
    check("response", vec![("bolt".to_owned(), digest)]);
}

#[test]
fn a_scene() {
    let trees = ["bolt", "chain_link"].map(|name| {
        let mesh = meshes::mesh(name);
        Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap())
    });
    let size = extent(&trees[0]).max(extent(&trees[1]));
    let mut scene = Scene::new();
    let mut motions = Vec::new();
    let rotations = meshes::rotations();
    for i in 0..12u32 {
        let corner = Point3::new(f64::from(i % 3), f64::from(i / 3 % 2), f64::from(i / 6)) * (0.45 * size);
        let rotation = rotations[i as usize % rotations.len()];
        let start = Pose::new(rotation, corner.coords).unwrap();
        let id = scene.add(Body::moving(trees[i as usize % 2].clone(), start)).unwrap();
        let turned = rotations[(i as usize + 1) % rotations.len()];
        let end = Pose::new(turned, corner.coords * 0.5 + Vector3::new(0.1 * size, 0.0, 0.0)).unwrap();
        motions.push((id, Motion::new(start, end)));
    }
    let mut touching = Digest::default();
    for pair in scene.intersecting_pairs() {
        touching.count(pair[0].index() as u64).count(pair[1].index() as u64);
    }
    let mut near = Digest::default();
    for pair in scene.pairs_within(0.2 * size) {
        near.real(pair.distance).count(pair.bodies[1].index() as u64);
    }
    let mut impacts = Digest::default();
    for impact in scene.impacts(&motions, 1e-4 * size).unwrap() {
        impacts.real(impact.time).real(impact.distance).point(&impact.points[0]);
    }
    let named = [("touching", touching), ("near", near), ("impacts", impacts)];
    check("scene", named.map(|(name, digest)| (name.to_owned(), digest)).into());
}
