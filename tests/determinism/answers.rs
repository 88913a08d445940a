//! Answers about two trees and about one, of every kind and at every level of instructions.

use std::ops::ControlFlow;

use bvtree::probe::{CastOptions, Ray, Watertightness};
use bvtree::query::{FacePair, MotionContact, TimeOfImpact};
use bvtree::shape::{Capsule, Segment};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe, Query, SimdLevel, VolumeKind};
use nalgebra::{Point3, Unit, Vector3};

use super::check;
use super::digest::Digest;
use super::meshes::{self, extent};

fn tree(mesh: &Mesh, kind: VolumeKind) -> BvTree {
    BvTree::build(mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap()
}

fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.into_iter().filter(|level| level.is_available())
}

impl Digest {
    fn faces(&mut self, faces: FacePair) -> &mut Self {
        self.count(faces.face_a).count(faces.face_b)
    }

    fn impact(&mut self, contact: &MotionContact) -> &mut Self {
        self.real(contact.time).real(contact.distance).point(&contact.on_a).point(&contact.on_b)
    }
}

/// What two trees answer at some poses, question by question.
fn pairs(query: &mut Query, a: &BvTree, b: &BvTree, poses: &[Pose]) -> Vec<(&'static str, Digest)> {
    let mut of = |ask: &mut dyn FnMut(&mut Query, &Pose, &mut Digest)| {
        let mut digest = Digest::default();
        for pose in poses {
            ask(query, pose, &mut digest);
        }
        digest
    };
    let pairs = of(&mut |query, pose, digest| {
        digest.count(query.intersects(a, b, pose));
        for faces in query.intersecting_pairs(a, b, pose) {
            digest.faces(faces);
        }
    });
    let distance = of(&mut |query, pose, digest| {
        digest.option(query.distance(a, b, pose), |digest, found| {
            digest.real(found.distance);
        });
    });
    let within = of(&mut |query, pose, digest| {
        for pair in query.pairs_within(a, b, pose, 0.01 * extent(a)) {
            digest.real(pair.distance).faces(pair.faces);
        }
    });
    let relation = of(&mut |query, pose, digest| {
        digest.count(query.relation(a, b, pose) as u64);
    });
    let contacts = of(&mut |query, pose, digest| {
        for contact in query.contacts(a, b, pose) {
            digest.faces(contact.faces);
            contact.points.as_slice().iter().for_each(|point| {
                digest.point(point);
            });
        }
    });
    let penetration = of(&mut |query, pose, digest| {
        let along = Unit::new_unchecked(Vector3::new(0.6, 0.0, 0.8));
        digest.option(query.penetration_along(a, b, pose, &along), |digest, found| {
            digest.real(found.depth);
        });
    });
    vec![
        ("pairs", pairs),
        ("distance", distance),
        ("within", within),
        ("relation", relation),
        ("contacts", contacts),
        ("penetration", penetration),
    ]
}

/// The digests of every `step`th pose from the first one on, question by question, of those of single poses.
fn joined(single: &[Vec<(&'static str, Digest)>], first: usize, step: usize) -> Vec<(&'static str, Digest)> {
    let poses = || single.iter().skip(first).step_by(step);
    let names = single[0].iter().map(|(name, _)| *name).enumerate();
    names.map(|(k, name)| (name, poses().map(|pose| &pose[k].1).collect())).collect()
}

/// Times of impact of motions that turn and move.
fn motions(query: &mut Query, a: &BvTree, b: &BvTree) -> Digest {
    let mut digest = Digest::default();
    let poses = meshes::poses(a, b);
    for (start, end) in poses.iter().zip(poses.iter().skip(5)) {
        let away = Vector3::new(0.0, 0.0, 2.0 * extent(a));
        let start = Pose::new(*start.rotation(), start.translation() + away).unwrap();
        match query.time_of_impact(a, b, &Motion::new(start, *end), 1e-6).unwrap() {
            TimeOfImpact::NoImpact => digest.count(0u64),
            TimeOfImpact::Touching(contact) => digest.count(1u64).impact(&contact),
            TimeOfImpact::Impact(contact) => digest.count(2u64).impact(&contact),
        };
    }
    digest
}

/// Every kind and every level gives the same, and that is the golden digest.
fn same_of_all(name: &str, digests: &mut Vec<(String, Digest)>, ask: impl Fn(SimdLevel, VolumeKind) -> Digest) {
    let mut first: Option<Digest> = None;
    for level in levels() {
        for kind in VolumeKind::ALL {
            let digest = ask(level, kind);
            let found = digest.value();
            assert_eq!(found, first.get_or_insert(digest).value(), "{name}, {level}, {kind}");
        }
    }
    digests.extend(first.map(|digest| (name.to_owned(), digest)));
}

/// One kind at one level is asked at all poses, the others at a third of them each: an emulator takes minutes for more.
#[test]
fn of_two_trees() {
    let mut digests = Vec::new();
    for [first, second] in meshes::PAIRS {
        let of_kind = |kind| [first, second].map(|name| tree(&meshes::mesh(name), kind));
        let trees = VolumeKind::ALL.map(of_kind);
        let [a, b] = &trees[0];
        let poses = meshes::poses(a, b);
        let mut query = Query::with_simd(SimdLevel::Portable);
        let named = |(question, digest)| (format!("{first}-{second}.{question}"), digest);
        let single: Vec<_> = poses.iter().map(|pose| pairs(&mut query, a, b, &[*pose])).collect();
        digests.extend(joined(&single, 0, 1).into_iter().map(named));
        let thirds = [0, 1, 2].map(|third| poses.iter().skip(third).step_by(3).copied().collect::<Vec<_>>());
        let expected = [0, 1, 2].map(|third| joined(&single, third, 3));
        for (i, level) in levels().enumerate() {
            for (j, [a, b]) in trees.iter().enumerate() {
                let third = (i + j) % 3;
                if level == SimdLevel::Portable && j == 0 {
                    continue;
                }
                let found = pairs(&mut Query::with_simd(level), a, b, &thirds[third]);
                for (expected, found) in expected[third].iter().zip(&found) {
                    let what = format!("{first}-{second} {}, {level}, {}", found.0, a.kind());
                    assert_eq!(expected.1.value(), found.1.value(), "{what}");
                }
            }
        }
    }
    check("two_trees", digests);
}

#[test]
fn of_motions() {
    let mut digests = Vec::new();
    for [first, second] in meshes::PAIRS {
        let of_kind = |kind| [first, second].map(|name| tree(&meshes::mesh(name), kind));
        let trees = VolumeKind::ALL.map(of_kind);
        same_of_all(&format!("{first}-{second}"), &mut digests, |level, kind| {
            let [a, b] = trees.iter().find(|trees| trees[0].kind() == kind).unwrap();
            motions(&mut Query::with_simd(level), a, b)
        });
    }
    check("motions", digests);
}

/// Rays, casts, closest points, insides: a digest for each rotation.
fn probes(probe: &mut Probe, tree: &BvTree, rotations: impl Iterator<Item = usize>) -> Vec<Digest> {
    let (center, size) = (tree.bounds().center(), extent(tree));
    let of_rotation = |i| {
        let mut digest = Digest::default();
        let rotation = meshes::rotations()[i];
        for j in 0..8 {
            let offset =
                rotation * Vector3::new(f64::from(j) - 3.5, i as f64 - 1.5, 0.3 * f64::from(j % 3)) * (0.125 * size);
            let point = center + offset;
            digest.option(probe.closest_point(tree, &point), |digest, found| {
                digest.real(found.distance).point(&found.point);
            });
            digest.count(probe.contains(tree, &point) as u64);
            let ray = Ray { origin: point, direction: rotation * Vector3::new(0.0, 0.6, 0.8) };
            let mut hits = Vec::new();
            probe.for_each_hit(tree, &ray, f64::INFINITY, |hit| {
                hits.push((hit.face, hit.time));
                ControlFlow::Continue(())
            });
            hits.sort_by_key(|hit| hit.0);
            for (face, time) in hits {
                digest.count(face).real(time);
            }
            let start = point + ray.direction * size;
            let capsule = Capsule {
                segment: Segment { start, end: start + ray.direction * (0.125 * size) },
                radius: 0.02 * size,
            };
            let motion = -2.0 * size * ray.direction;
            digest.option(probe.cast_capsule(tree, &capsule, &motion, &CastOptions::default()), |digest, hit| {
                digest.real(hit.time).real(hit.contact.distance);
            });
        }
        digest
    };
    rotations.map(of_rotation).collect()
}

/// A tree against itself.
fn whole(query: &mut Query, tree: &BvTree) -> Digest {
    let mut digest = Digest::default();
    digest.count(tree.watertightness() == Watertightness::Oriented);
    for faces in query.self_pairs(tree) {
        digest.faces(faces);
    }
    digest
}

/// One kind at one level is asked in all rotations, the others in half of them each.
#[test]
fn of_one_tree() {
    let mut digests = Vec::new();
    let count = meshes::rotations().len();
    for name in meshes::names() {
        let mesh = meshes::mesh(name);
        let trees = VolumeKind::ALL.map(|kind| tree(&mesh, kind));
        let expected = probes(&mut Probe::with_simd(SimdLevel::Portable), &trees[0], 0..count);
        let expected_whole = whole(&mut Query::with_simd(SimdLevel::Portable), &trees[0]);
        for (i, level) in levels().enumerate() {
            for (j, tree) in trees.iter().enumerate() {
                if level == SimdLevel::Portable && j == 0 {
                    continue;
                }
                let half = || ((i + j) % 2..count).step_by(2);
                let found = probes(&mut Probe::with_simd(level), tree, half());
                for (rotation, found) in half().zip(&found) {
                    assert_eq!(found.value(), expected[rotation].value(), "{name}, {level}, {}", tree.kind());
                }
                let found = whole(&mut Query::with_simd(level), tree);
                assert_eq!(found.value(), expected_whole.value(), "{name} itself, {level}, {}", tree.kind());
            }
        }
        digests.push((name.to_owned(), expected.iter().chain([&expected_whole]).collect()));
    }
    check("one_tree", digests);
}

#[test]
fn of_points_far_from_the_middle() {
    let mesh = meshes::mesh("crate");
    let tree = tree(&mesh, VolumeKind::Obb);
    let mut digest = Digest::default();
    for far in [1e3, 1e6, 1e9] {
        let found = Probe::new().closest_point(&tree, &Point3::new(far, -0.3 * far, 0.7)).unwrap();
        digest.real(found.distance).point(&found.point);
    }
    check("far_points", vec![("crate".to_owned(), digest)]);
}
