//! Compounds against the same parts as bodies of their own, by every question, in sequences of moves.

mod exact;

use std::sync::Arc;

use bvtree::probe::{CastOptions, Ray};
use bvtree::query::{DepthOptions, Solid};
use bvtree::scene::{Body, BodyId, BodyRelation, Compound, CompoundError, Geometry, NearPair, Part, Scene};
use bvtree::shape::{Capsule, ConvexShape, Segment};
use bvtree::{Motion, Pose, Probe, Query};
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::shapes::shapes;
use super::{Random, trees};

/// The pose of a part in the world.
fn of_part(body: &Pose, local: &Pose) -> Pose {
    let translation = body.rotation() * local.translation() + body.translation();
    Pose::new(body.rotation() * local.rotation(), translation).unwrap()
}

/// A scene, and one in which each part is a body of its own.
struct Twin {
    scene: Scene,
    ids: Vec<BodyId>,
}

/// The scene of parts, and the body and the part that each of its bodies is.
struct Apart {
    scene: Scene,
    owners: Vec<(BodyId, BodyId, u32)>,
}

impl Twin {
    fn new(random: &mut Random, count: usize) -> Self {
        let simple: Vec<Geometry> =
            trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
        let mut scene = Scene::new();
        let body = |random: &mut Random| {
            let pose = random.pose(2.5);
            let geometry = if random.below(3) == 0 {
                simple[random.below(simple.len())].clone()
            } else {
                let parts: Vec<Part> = (0..random.below(5))
                    .map(|_| Part { geometry: simple[random.below(simple.len())].clone(), pose: random.pose(1.5) })
                    .collect();
                Compound::new(parts).unwrap().into()
            };
            let is_closed = |geometry: &Geometry| geometry.tree().is_none_or(|tree| tree.watertightness().is_closed());
            let is_solid = random.below(2) == 0 && parts(&geometry).iter().all(|part| is_closed(&part.geometry));
            Body { is_solid, is_static: random.below(5) == 0, ..Body::moving(geometry, pose) }
        };
        let ids = (0..count).map(|_| scene.add(body(random)).unwrap()).collect();
        Self { scene, ids }
    }

    fn apart(&self) -> Apart {
        let mut apart = Apart { scene: Scene::new(), owners: Vec::new() };
        for (id, body) in self.scene.bodies() {
            let mut own: Vec<BodyId> = Vec::new();
            for (part, index) in parts(&body.geometry).into_iter().zip(0..) {
                let pose = of_part(&body.pose, &part.pose);
                let new = apart.scene.add(Body { geometry: part.geometry, pose, ..body.clone() }).unwrap();
                own.iter().for_each(|other| apart.scene.set_ignored(*other, new, true).unwrap());
                own.push(new);
                apart.owners.push((id, new, index));
            }
        }
        apart
    }
}

/// The parts of a geometry, which is its own part unless it is a compound.
fn parts(geometry: &Geometry) -> Vec<Part> {
    match geometry.compound() {
        Some(compound) => compound.parts().to_vec(),
        None => vec![Part { geometry: geometry.clone(), pose: Pose::identity() }],
    }
}

impl Apart {
    fn owner(&self, id: BodyId) -> (BodyId, u32) {
        let (owner, _, part) = self.owners[id.index()];
        (owner, part)
    }

    fn owners(&self, ids: [BodyId; 2]) -> ([BodyId; 2], [u32; 2]) {
        let [(a, p), (b, q)] = ids.map(|id| self.owner(id));
        ([a, b], [p, q])
    }

    /// The nearest parts of each pair of bodies.
    fn near(&mut self, clearance: f64) -> Vec<NearPair> {
        let mut best: Vec<NearPair> = Vec::new();
        for pair in self.scene.pairs_within(clearance) {
            let (bodies, parts) = self.owners(pair.bodies);
            let pair = NearPair { bodies, parts, ..pair };
            match best.iter_mut().find(|known| known.bodies == bodies) {
                Some(known) if (pair.distance, parts) < (known.distance, known.parts) => *known = pair,
                Some(_) => {}
                None => best.push(pair),
            }
        }
        best.sort_by_key(|pair| pair.bodies);
        best
    }
}

#[test]
fn pairs_in_sequences_are_those_of_the_parts() {
    let mut random = Random(41);
    let mut counts = [0; 3];
    for _ in 0..12 {
        let mut twin = Twin::new(&mut random, 6);
        for _ in 0..24 {
            let id = twin.ids[random.below(twin.ids.len())];
            let pose = twin.scene.body(id).unwrap().pose;
            let size = [0.0, 1e-12, 1e-3, 0.3, 3.0][random.below(5)];
            let translation = pose.translation() + random.vector(size);
            let rotation = if random.below(3) == 0 { *random.pose(1.0).rotation() } else { *pose.rotation() };
            twin.scene.set_pose(id, Pose::new(rotation, translation).unwrap()).unwrap();
            let mut apart = twin.apart();
            let clearance = [0.0, 0.1, 1.0, 20.0][random.below(4)];
            if random.below(2) == 0 {
                let mut touching: Vec<_> =
                    apart.scene.intersecting_pairs().iter().map(|ids| apart.owners(*ids).0).collect();
                touching.sort_unstable();
                touching.dedup();
                assert_eq!(twin.scene.intersecting_pairs(), touching);
                counts[0] += touching.len();
            } else {
                let found = twin.scene.pairs_within(clearance);
                assert_eq!(found, apart.near(clearance), "{clearance}");
                counts[1] += found.len();
            }
            if random.below(4) == 0 {
                let found = twin.scene.closest_pair();
                let expected = apart.scene.closest_pair();
                assert_eq!(found.map(|pair| pair.distance), expected.map(|pair| pair.distance));
                counts[2] += usize::from(found.is_some());
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// The relation of two bodies by all pairs of parts, of which those with an undefined one may be separate.
fn relation_of(apart: &Apart, bodies: [BodyId; 2], undefined: BodyRelation) -> BodyRelation {
    use BodyRelation::{AInB, BInA, Coincident, Crossing, Separate, Touching, Undefined};
    let own = |owner: BodyId, apart: &Apart| {
        let own = apart.owners.iter().filter(|(id, ..)| *id == owner).map(|(_, own, _)| *own);
        own.filter(|id| !apart.scene.body(*id).unwrap().geometry.bounds().is_empty()).collect::<Vec<_>>()
    };
    let [a, b] = bodies.map(|id| own(id, apart));
    let of_parts = |p: BodyId, q: BodyId| match apart.scene.relation(p, q, 0.01).unwrap() {
        Undefined => undefined,
        found => found,
    };
    let rows: Vec<Vec<BodyRelation>> = a.iter().map(|p| b.iter().map(|q| of_parts(*p, *q)).collect()).collect();
    let any = |relation| rows.iter().flatten().any(|found| *found == relation);
    let all_a = |relation| rows.iter().all(|row| row.contains(&relation));
    let all_b = |relation| (0..b.len()).all(|q| rows.iter().any(|row| row[q] == relation));
    if any(Coincident) && all_a(Coincident) && all_b(Coincident) {
        return Coincident;
    }
    match (any(Crossing), any(Undefined), any(AInB), any(BInA)) {
        (true, ..) => Crossing,
        (_, true, ..) => Undefined,
        (_, _, true, false) if all_a(AInB) => AInB,
        (_, _, false, true) if all_b(BInA) => BInA,
        (_, _, true, _) | (_, _, _, true) => Crossing,
        _ if any(Touching) || any(Coincident) => Touching,
        _ => Separate,
    }
}

#[test]
fn relations_depths_and_manifolds_are_those_of_the_parts() {
    let mut random = Random(43);
    let options = DepthOptions::default();
    let (mut deep, mut deepest, mut manifolds_seen) = (0, 0, 0);
    for _ in 0..80 {
        let mut twin = Twin::new(&mut random, 4);
        let mut apart = twin.apart();
        for (i, a) in twin.ids.iter().enumerate() {
            for b in &twin.ids[i + 1..] {
                // Boxes in a body's frame may be apart where a plane between two parts was not found.
                let expected = [BodyRelation::Undefined, BodyRelation::Separate]
                    .map(|undefined| relation_of(&apart, [*a, *b], undefined));
                let found = twin.scene.relation(*a, *b, 0.01).unwrap();
                assert!(expected.contains(&found), "{found:?} {expected:?}");
            }
        }
        let overlaps = apart.scene.overlap_depths(Solid::IfClosed, &options);
        for found in twin.scene.overlap_depths(Solid::IfClosed, &options) {
            let own = overlaps.iter().filter(|pair| apart.owners(pair.bodies).0 == found.bodies);
            let greatest = own.clone().map(|pair| pair.depth.lower).fold(0.0, f64::max);
            assert_eq!(found.depth.lower, greatest);
            assert_eq!(found.depth.upper, own.clone().map(|pair| pair.depth.upper).fold(0.0, f64::max));
            let own = own.clone().find(|pair| apart.owners(pair.bodies).1 == found.parts).unwrap();
            assert_eq!(own.depth.deepest, found.depth.deepest);
            deep += 1;
        }
        let penetrations = apart.scene.penetration_depths(&options);
        let found = twin.scene.penetration_depths(&options);
        let mut owners: Vec<_> = penetrations.iter().map(|pair| apart.owners(pair.bodies).0).collect();
        owners.sort_unstable();
        owners.dedup();
        assert_eq!(found.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), owners);
        for pair in found {
            let own = penetrations.iter().filter(|own| apart.owners(own.bodies).0 == pair.bodies);
            assert_eq!(pair.depth.lower, own.map(|own| own.depth.lower).fold(0.0, f64::max));
            assert!(pair.depth.lower <= pair.depth.upper);
            assert!((pair.depth.upper - pair.depth.translation.norm()).abs() < 1e-9);
            let b = twin.scene.body(pair.bodies[1]).unwrap().pose;
            let freed = Pose::new(*b.rotation(), b.translation() + pair.depth.translation).unwrap();
            twin.scene.set_pose(pair.bodies[1], freed).unwrap();
            let mut free = twin.apart();
            let still = free.scene.penetration_depths(&options);
            let still = still.iter().filter(|own| free.owners(own.bodies).0 == pair.bodies);
            let still = still.map(|own| own.depth.upper).fold(0.0, f64::max);
            assert!(still < 1e-5, "{still:e} of {pair:?}");
            twin.scene.set_pose(pair.bodies[1], b).unwrap();
            deepest += 1;
        }
        let manifolds = apart.scene.contact_manifolds(0.05);
        let found = twin.scene.contact_manifolds(0.05);
        assert_eq!(found.len(), manifolds.len());
        for own in manifolds {
            let (bodies, parts) = apart.owners(own.bodies);
            let is_same = |found: &&bvtree::scene::BodyManifold| {
                (found.bodies, found.parts) == (bodies, parts) && found.manifold == own.manifold
            };
            assert!(found.iter().any(|found| is_same(&found)), "{own:?}");
            manifolds_seen += 1;
        }
        let depth = |found: &bvtree::scene::BodyManifold| found.manifold.points[0].depth;
        assert!(
            found.windows(2).all(|two| two[0].bodies < two[1].bodies
                || two[0].bodies == two[1].bodies && depth(&two[0]) >= depth(&two[1]))
        );
    }
    assert!(deep > 10 && deepest > 10 && manifolds_seen > 10, "{deep} {deepest} {manifolds_seen}");
}

#[test]
fn impacts_on_arcs_are_not_late() {
    let mut random = Random(47);
    let (mut straight, mut turning) = (0, 0);
    for round in 0..40 {
        let mut twin = Twin::new(&mut random, 3);
        let turns = round % 2 == 0;
        let motions: Vec<(BodyId, Motion)> = twin.ids[..2]
            .iter()
            .map(|id| {
                let start = twin.scene.body(*id).unwrap().pose;
                let rotation = if turns { *random.pose(1.0).rotation() } else { *start.rotation() };
                (*id, Motion::new(start, Pose::new(rotation, random.vector(3.0)).unwrap()))
            })
            .collect();
        let found = twin.scene.impacts(&motions, 1e-6).unwrap();
        let mut apart = twin.apart();
        let first = found.iter().map(|found| (found.time, found.bodies)).reduce(|p, q| if q < p { q } else { p });
        assert_eq!(twin.scene.first_impact(&motions, 1e-6).unwrap().map(|found| (found.time, found.bodies)), first);
        if !turns {
            let motion_of = |owner: BodyId| motions.iter().find(|(id, _)| *id == owner).map(|(_, motion)| motion);
            let own = apart.owners.iter().filter_map(|(owner, own, part)| {
                let local = parts(&twin.scene.body(*owner).unwrap().geometry)[*part as usize].pose;
                let motion = motion_of(*owner)?;
                Some((*own, Motion::new(of_part(motion.start(), &local), of_part(motion.end(), &local))))
            });
            let own: Vec<_> = own.collect();
            let expected = apart.scene.impacts(&own, 1e-6).unwrap();
            for found in &found {
                let own = expected.iter().filter(|own| apart.owners(own.bodies).0 == found.bodies);
                let least = own
                    .clone()
                    .map(|own| (own.time, apart.owners(own.bodies).1))
                    .reduce(|p, q| if q < p { q } else { p });
                assert_eq!(Some((found.time, found.parts)), least);
                straight += 1;
            }
            let mut owners: Vec<_> = expected.iter().map(|own| apart.owners(own.bodies).0).collect();
            owners.sort_unstable();
            owners.dedup();
            assert_eq!(found.iter().map(|found| found.bodies).collect::<Vec<_>>(), owners);
            continue;
        }
        // At times before, nothing touches; at the time, the parts are near each other.
        for step in 0..=64 {
            let time = f64::from(step) / 64.0;
            for (id, motion) in &motions {
                twin.scene.set_pose(*id, motion.at(time)).unwrap();
            }
            for bodies in twin.apart().near(0.0).iter().map(|pair| pair.bodies) {
                let impact = found.iter().find(|found| found.bodies == bodies);
                // Bodies that stand still may touch without an impact.
                let is_moved = bodies.iter().any(|id| motions.iter().any(|(moved, _)| moved == id));
                assert!(!is_moved || impact.is_some_and(|impact| impact.time <= time + 1e-9), "{bodies:?} at {time}");
            }
        }
        for impact in &found {
            for (id, motion) in &motions {
                twin.scene.set_pose(*id, motion.at(impact.time)).unwrap();
            }
            let near = twin.apart().near(1.0);
            let near = near.iter().find(|near| near.bodies == impact.bodies).unwrap();
            assert!(near.distance <= 1e-4 && (impact.distance - near.distance).abs() < 1e-4, "{near:?} {impact:?}");
            turning += 1;
        }
    }
    assert!(straight > 10 && turning > 10, "{straight} {turning}");
}

#[test]
fn probes_meet_the_parts() {
    let mut random = Random(53);
    let (mut probe, mut query) = (Probe::new(), Query::new());
    let mut counts = [0; 6];
    let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
    for _ in 0..24 {
        let twin = Twin::new(&mut random, 5);
        let apart = twin.apart();
        for _ in 0..20 {
            let ray = Ray { origin: Point3::from(random.vector(6.0)), direction: Vector3::zeros() };
            let ray = Ray { direction: (random.vector(1.5) - ray.origin.coords) / 6.0, ..ray };
            let hits = twin.scene.hits(&mut probe, &ray, 10.0, 1);
            let own = apart.scene.hits(&mut probe, &ray, 10.0, 1);
            assert_eq!(hits.len(), own.len());
            assert!(hits.iter().zip(&own).all(|(found, own)| close(found.hit.time, own.hit.time)));
            let key = |body: BodyId, part: u32, face: u32| (body, part, face);
            let mut found: Vec<_> = hits.iter().map(|hit| key(hit.body, hit.part, hit.hit.face)).collect();
            let mut expected: Vec<_> = own
                .iter()
                .map(|hit| {
                    let (body, part) = apart.owner(hit.body);
                    key(body, part, hit.hit.face)
                })
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            counts[0] += hits.len();
            let first = twin.scene.closest_hit(&mut probe, &ray, 10.0, 1);
            assert_eq!(first.map(|hit| hit.hit.time), hits.first().map(|hit| hit.hit.time));
            assert_eq!(twin.scene.any_hit(&mut probe, &ray, 10.0, 1), first.is_some());

            let nearest = twin.scene.closest_point(&mut probe, &ray.origin, 3.0, 1);
            let own = apart.scene.closest_point(&mut probe, &ray.origin, 3.0, 1);
            assert_eq!(nearest.is_some(), own.is_some());
            assert!(nearest.zip(own).is_none_or(
                |(found, own)| close(found.distance, own.distance) && (found.point - own.point).norm() < 1e-5
            ));
            counts[1] += usize::from(nearest.is_some());

            let segment = Segment { start: ray.origin, end: ray.origin + random.vector(0.5) };
            let capsule = Capsule { segment, radius: 0.3 };
            let way = -ray.origin.coords;
            let options = CastOptions::default();
            let hit = twin.scene.cast_capsule(&mut probe, &capsule, &way, &options, 1);
            let own = apart.scene.cast_capsule(&mut probe, &capsule, &way, &options, 1);
            assert_eq!(hit.is_some(), own.is_some());
            assert!(hit.zip(own).is_none_or(|(found, own)| (found.hit.time - own.hit.time).abs() < 1e-4));
            counts[2] += usize::from(hit.is_some());
            let (shape, at) = (ConvexShape::cuboid(Vector3::new(0.1, 0.2, 0.3)).unwrap(), random.pose(6.0));
            let way = -at.translation();
            let hit = twin.scene.cast_convex(&mut probe, &shape, &at, &way, &options, 1);
            let own = apart.scene.cast_convex(&mut probe, &shape, &at, &way, &options, 1);
            assert_eq!(hit.is_some(), own.is_some());
            assert!(hit.zip(own).is_none_or(|(found, own)| {
                let owner = apart.owner(own.body);
                (found.hit.time - own.hit.time).abs() < 1e-4 && (found.body, found.part) == owner
            }));
            counts[5] += usize::from(hit.is_some());
            let contacts = twin.scene.capsule_contacts(&mut probe, &capsule, 1.0, 1);
            let own = apart.scene.capsule_contacts(&mut probe, &capsule, 1.0, 1);
            let found = contacts.iter().map(|found| key(found.body, found.part, found.contact.face));
            let expected = own.iter().map(|own| {
                let (body, part) = apart.owner(own.body);
                key(body, part, own.contact.face)
            });
            assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            let closest = twin.scene.closest_capsule_contact(&mut probe, &capsule, 1.0, 1);
            let least = own.iter().map(|own| own.contact.distance).reduce(f64::min);
            assert_eq!(closest.is_some(), least.is_some());
            assert!(closest.zip(least).is_none_or(|(found, least)| close(found.contact.distance, least)));
        }
        for tree in trees() {
            let pose = random.pose(2.0);
            let touching = twin.scene.bodies_intersecting(&mut query, &tree, &pose, 1);
            let own = apart.scene.bodies_intersecting(&mut query, &tree, &pose, 1);
            let mut own: Vec<_> = own.iter().map(|id| apart.owner(*id).0).collect();
            own.dedup();
            assert_eq!(touching, own);
            counts[3] += touching.len();
            let near = twin.scene.bodies_within(&mut query, &tree, &pose, 1.0, 1);
            let own = apart.scene.bodies_within(&mut query, &tree, &pose, 1.0, 1);
            let mut owners: Vec<_> = own.iter().map(|near| apart.owner(near.body).0).collect();
            owners.dedup();
            assert_eq!(near.iter().map(|near| near.body).collect::<Vec<_>>(), owners);
            for found in &near {
                let own = own.iter().filter(|own| apart.owner(own.body).0 == found.body);
                let least = own.map(|own| (own.distance, apart.owner(own.body).1));
                let least = least.reduce(|p, q| if q < p { q } else { p }).unwrap();
                assert_eq!((found.distance, found.part), least);
                counts[4] += 1;
            }
            for max_distance in [0.0, 1.0, f64::INFINITY] {
                let near = twin.scene.bodies_within(&mut query, &tree, &pose, max_distance, 1);
                let ignored = near.first().map(|near| near.body).filter(|_| random.below(2) == 0);
                let others = near.into_iter().filter(|near| Some(near.body) != ignored);
                let least = others.reduce(|p, q| if q.distance < p.distance { q } else { p });
                assert_eq!(twin.scene.closest_body(&mut query, &tree, &pose, max_distance, 1, ignored), least);
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// Hundreds of parts: the work grows with what is near, not with the product of the numbers.
#[test]
fn many_parts_are_culled() {
    let shape: Geometry = shapes()[0].clone().into();
    let grid = |offset: f64| {
        let part = |i: i32| {
            let at = Vector3::new(f64::from(i % 30), f64::from(i / 30), offset) * 2.0;
            Part { geometry: shape.clone(), pose: Pose::from_translation(at).unwrap() }
        };
        Arc::new(Compound::new((0..900).map(part)).unwrap())
    };
    let mut scene = Scene::new();
    scene.add(Body::moving(grid(0.0), Pose::identity())).unwrap();
    scene.add(Body::moving(grid(0.6), Pose::identity())).unwrap();
    let near = scene.pairs_within(0.5);
    assert!((near[0].distance - 0.2).abs() < 1e-9 && near[0].parts == [0, 0], "{near:?}");
    assert!(scene.stats().queried < 3000, "{:?}", scene.stats());
    assert!(scene.intersecting_pairs().is_empty());
}

#[test]
fn parts_with_poses_of_no_numbers_are_refused() {
    let nowhere = Pose::from(Isometry3::translation(0.0, f64::NAN, 0.0));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    let turned = Pose::from(Isometry3::from_parts(Vector3::zeros().into(), turn));
    let simple = trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from));
    for geometry in simple {
        let compound = |pose| {
            let parts = [Pose::identity(), pose].map(|pose| Part { geometry: geometry.clone(), pose });
            Compound::new(parts).map(|compound| compound.bounds())
        };
        assert!(compound(Pose::identity()).is_ok());
        assert!(matches!(compound(nowhere), Err(CompoundError::TooFar { part: 1 })), "{geometry:?}");
        assert!(matches!(compound(turned), Err(CompoundError::NotARotation { part: 1, .. })), "{geometry:?}");
    }
}
