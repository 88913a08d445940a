//! A question with a mask, against the same question about a mesh that has only the triangles let through.

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::{CastOptions, Ray, RayHit};
use bvtree::query::{DistanceOptions, DistanceTracker, FacePair, TimeOfImpact, Within, many};
use bvtree::refit::DeformingTree;
use bvtree::scene::{Body, Scene};
use bvtree::shape::{Aabb, Capsule, ConvexShape, Segment, Sphere};
use bvtree::tree::{Layers, LayersAlreadySet};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe, Query, VolumeKind};
use nalgebra::{Point3, UnitVector3, Vector3};
use proptest::prelude::*;

use super::cases::cases;
use super::oracle::meshes::{identical, soup};
use super::oracle::poses::rotations;

/// A mesh with layers, and the mesh of the triangles that a mask lets through.
struct Masked {
    all: BvTree,
    mask: u32,
    part: BvTree,
    /// The faces of the part's triangles in the whole mesh.
    faces: Vec<u32>,
}

impl Masked {
    fn new(
        mesh: &Mesh,
        kind: VolumeKind,
        layers: impl Fn(u32) -> Layers,
        mask: u32,
        keeps: impl Fn(u32) -> bool,
    ) -> Self {
        let all = BvTree::build(mesh, &built(kind)).unwrap();
        all.set_layers(&layers).unwrap();
        let passes = |&face: &u32| layers(face).bits & mask != 0 && keeps(face);
        let faces: Vec<u32> = (0..mesh.triangles().len() as u32).filter(passes).collect();
        let triangles = faces.iter().map(|&face| mesh.triangles()[face as usize]).collect();
        let part = Mesh::from_arrays(mesh.vertices().to_vec(), triangles).unwrap();
        Self { all, mask, part: BvTree::build(&part, &built(kind)).unwrap(), faces }
    }

    fn face(&self, face: u32) -> u32 {
        self.faces[face as usize]
    }

    fn hit(&self, hit: RayHit) -> RayHit {
        RayHit { face: self.face(hit.face), ..hit }
    }
}

fn collected<T>(ask: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>)) -> Vec<T> {
    let mut found = Vec::new();
    ask(&mut |item| {
        found.push(item);
        ControlFlow::Continue(())
    });
    found
}

/// Four layers, one for each triangle, none for some.
fn layer(face: u32) -> Layers {
    Layers { bits: [1, 2, 4, 8, 0, 3][face as usize * 7 % 11 % 6], is_one_sided: false }
}

fn built(kind: VolumeKind) -> BuildOptions {
    BuildOptions { kind, ..BuildOptions::default() }
}

fn kinds() -> impl Strategy<Value = VolumeKind> {
    prop::sample::select(VolumeKind::ALL.to_vec())
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-3f64..3.0)
}

proptest! {
    #![proptest_config(cases(64, 2048))]

    #[test]
    fn questions_about_one_mesh(
        mesh in soup(), kind in kinds(), mask in 0u32..16, p in point(), q in point(), size in 0.1f64..2.0,
    ) {
        let masked = Masked::new(&mesh, kind, layer, mask, |_| true);
        let (all, part) = (&masked.all, &masked.part);
        let (mut probe, mut plain) = (Probe::new(), Probe::new());
        probe.set_mask(Some(mask));
        let (from, way) = (Point3::from(p), Point3::from(q) - Point3::from(p));
        let ray = Ray::new(from, way);
        let hit = plain.closest_hit(part, &ray, 1.0).map(|hit| masked.hit(hit));
        prop_assert_eq!(probe.closest_hit(all, &ray, 1.0), hit);
        prop_assert_eq!(probe.any_hit(all, &ray, 1.0), hit.is_some());
        let sorted = |mut hits: Vec<RayHit>| { hits.sort_by_key(|hit| hit.face); hits };
        let hits = collected(|visit| plain.for_each_hit(part, &ray, 1.0, visit));
        let hits: Vec<RayHit> = hits.into_iter().map(|hit| masked.hit(hit)).collect();
        prop_assert_eq!(sorted(collected(|visit| probe.for_each_hit(all, &ray, 1.0, visit))), sorted(hits));

        let near = |found: bvtree::probe::ClosestOnMesh, face| (found.distance, found.point, face);
        let expected = plain.closest_point(part, &from).map(|found| near(found, masked.face(found.face)));
        prop_assert_eq!(probe.closest_point(all, &from).map(|found| near(found, found.face)), expected);

        let faces = |mut faces: Vec<u32>| { faces.sort_unstable(); faces };
        let mapped = |found: Vec<u32>| faces(found.into_iter().map(|face| masked.face(face)).collect());
        let aabb = Aabb::from_points(&[from, from + Vector3::repeat(size)]);
        let expected = collected(|visit| plain.for_each_face_in_aabb(part, &aabb, visit));
        prop_assert_eq!(faces(collected(|visit| probe.for_each_face_in_aabb(all, &aabb, visit))), mapped(expected));
        let sphere = Sphere { center: from, radius: size };
        let expected = collected(|visit| plain.for_each_face_in_sphere(part, &sphere, visit));
        prop_assert_eq!(faces(collected(|visit| probe.for_each_face_in_sphere(all, &sphere, visit))), mapped(expected));

        let shape = ConvexShape::cuboid(Vector3::new(size, 0.5, 0.3)).unwrap();
        let shape = shape.transformed(&Pose::from_translation(from.coords).unwrap());
        let expected = collected(|visit| plain.for_each_face_in_convex(part, &shape, visit));
        prop_assert_eq!(probe.intersects_convex(all, &shape), !expected.is_empty());
        prop_assert_eq!(faces(collected(|visit| probe.for_each_face_in_convex(all, &shape, visit))), mapped(expected));
        let expected = plain.closest_to_convex(part, &shape, 5.0).map(|found| found.distance);
        prop_assert_eq!(probe.closest_to_convex(all, &shape, 5.0).map(|found| found.distance), expected);
        let options = CastOptions::default();
        let cast = |probe: &mut Probe, tree| probe.cast_convex(tree, &shape, &way, &options);
        let expected = cast(&mut plain, part).map(|hit| (hit.time, masked.face(hit.face)));
        prop_assert_eq!(cast(&mut probe, all).map(|hit| (hit.time, hit.face)), expected);

        let capsule = Capsule { segment: Segment { start: from, end: from + Vector3::z() }, radius: 0.4 * size };
        let expected =
            plain.cast_capsule(part, &capsule, &way, &options).map(|hit| (hit.time, masked.face(hit.contact.face)));
        let found = probe.cast_capsule(all, &capsule, &way, &options).map(|hit| (hit.time, hit.contact.face));
        prop_assert_eq!(found, expected);
        let expected = collected(|visit| plain.for_each_capsule_contact(part, &capsule, size, visit));
        let expected = mapped(expected.into_iter().map(|contact| contact.face).collect());
        let found = collected(|visit| probe.for_each_capsule_contact(all, &capsule, size, visit));
        prop_assert_eq!(faces(found.into_iter().map(|contact| contact.face).collect()), expected);
        let expected = plain.closest_capsule_contact(part, &capsule, 5.0).map(|contact| masked.face(contact.face));
        prop_assert_eq!(probe.closest_capsule_contact(all, &capsule, 5.0).map(|contact| contact.face), expected);

        // A scene asks with its own mask, and leaves that of the probe as it was.
        let mut scene = Scene::new();
        let id = scene.add(Body { groups: 8, ..Body::fixed(Arc::new(masked.all.clone()), Pose::identity()) }).unwrap();
        let in_scene = if mask & 8 == 0 { None } else { hit.map(|hit| (id, hit)) };
        plain.set_mask(Some(0));
        let key = |hit: RayHit| (hit.time, hit.face);
        let found = scene.closest_hit(&mut plain, &ray, 1.0, mask).map(|found| (found.body, key(found.hit)));
        prop_assert_eq!(found, in_scene.map(|(id, hit)| (id, key(hit))));
        prop_assert_eq!(scene.any_hit(&mut plain, &ray, 1.0, mask), in_scene.is_some());
        let face = |found: bvtree::probe::CapsuleCastHit| (found.time, found.contact.face);
        let found = scene.cast_capsule(&mut plain, &capsule, &way, &options, mask).map(|found| face(found.hit));
        let expected = probe.cast_capsule(all, &capsule, &way, &options).map(face);
        prop_assert_eq!(found, expected.filter(|_| mask & 8 != 0));
        let found = scene.closest_point(&mut plain, &from, 9.0, mask).map(|found| found.face);
        let whole = probe.closest_point_within(all, &from, 9.0).map(|found| found.face);
        prop_assert_eq!(found, whole.filter(|_| mask & 8 != 0));
        prop_assert_eq!(plain.mask(), Some(0));
        // Without a mask, layers make no difference.
        probe.set_mask(None);
        let whole = BvTree::build(&mesh, &built(kind)).unwrap();
        prop_assert_eq!(probe.closest_hit(all, &ray, 1.0), Probe::new().closest_hit(&whole, &ray, 1.0));
    }

    #[test]
    fn questions_about_two_meshes(
        mesh_a in soup(),
        mesh_b in soup(),
        kinds in [kinds(), kinds()],
        masks in [0u32..16, 0u32..16],
        rotation in rotations(),
        shift in point(),
        way in point(),
    ) {
        let a = Masked::new(&mesh_a, kinds[0], layer, masks[0], |_| true);
        let b = Masked::new(&mesh_b, kinds[1], |face| layer(face + 1), masks[1], |_| true);
        let pose = Pose::new(rotation, Vector3::from(shift) * 0.5).unwrap();
        let faces = |faces: FacePair| FacePair { face_a: a.face(faces.face_a), face_b: b.face(faces.face_b) };
        let (mut query, mut plain) = (Query::new(), Query::new());
        query.set_masks(Some(masks[0]), Some(masks[1]));
        let pairs: Vec<FacePair> = plain.intersecting_pairs(&a.part, &b.part, &pose).into_iter().map(faces).collect();
        prop_assert_eq!(&query.intersecting_pairs(&a.all, &b.all, &pose), &pairs);
        prop_assert_eq!(query.count_pairs(&a.all, &b.all, &pose), pairs.len() as u64);
        prop_assert_eq!(query.intersects(&a.all, &b.all, &pose), !pairs.is_empty());
        let contacts: Vec<FacePair> =
            query.contacts(&a.all, &b.all, &pose).iter().map(|contact| contact.faces).collect();
        prop_assert_eq!(&contacts, &pairs);
        // Of triangles that touch, any may be found.
        let closest = |query: &mut Query, a: &BvTree, b: &BvTree| {
            let found = query.distance(a, b, &pose)?;
            Some((found.distance, if found.distance > 0.0 { found.on_a } else { Point3::origin() }))
        };
        prop_assert_eq!(closest(&mut query, &a.all, &b.all), closest(&mut plain, &a.part, &b.part));
        for tolerance in [0.0, 0.3, 2.0] {
            let within = query.within(&a.all, &b.all, &pose, tolerance).is_yes();
            prop_assert_eq!(within, matches!(plain.within(&a.part, &b.part, &pose, tolerance), Within::Yes));
            let sorted = |mut pairs: Vec<FacePair>| { pairs.sort_unstable(); pairs };
            let of = |query: &mut Query, a: &BvTree, b: &BvTree| {
                sorted(collected(|visit: &mut dyn FnMut(FacePair) -> ControlFlow<()>| {
                    query.for_each_pair_within(a, b, &pose, tolerance, |pair| visit(pair.faces));
                }))
            };
            let expected = of(&mut plain, &a.part, &b.part).into_iter().map(faces).collect();
            prop_assert_eq!(of(&mut query, &a.all, &b.all), sorted(expected));
        }
        // Along a path: one by one, at once and with memory.
        let way = Vector3::from(way);
        let at = |i: u8| Pose::new(rotation, Vector3::from(shift) * 0.5 + way * (0.01 * f64::from(i))).unwrap();
        let path: Vec<Pose> = (0..8).map(at).collect();
        let hits: Vec<bool> = path.iter().map(|pose| plain.intersects(&a.part, &b.part, pose)).collect();
        prop_assert_eq!(&query.intersects_many(&a.all, &b.all, &path), &hits);
        let init = || { let mut query = Query::new(); query.set_masks(Some(masks[0]), Some(masks[1])); query };
        prop_assert_eq!(many::first_hit(&a.all, &b.all, &path, init), hits.iter().position(|hit| *hit));
        let distances: Vec<_> =
            path.iter().map(|pose| plain.distance(&a.part, &b.part, pose).map(|found| found.distance)).collect();
        let found = query.distance_many(&a.all, &b.all, &path, &DistanceOptions::default());
        let along: Vec<_> = found.iter().map(|found| found.map(|found| found.distance)).collect();
        prop_assert_eq!(along, distances.clone());
        let mut tracker = DistanceTracker::new(&Arc::new(a.all.clone()), &Arc::new(b.all.clone()));
        for (pose, expected) in path.iter().zip(&distances) {
            prop_assert_eq!(tracker.distance(&mut query, pose).map(|found| found.distance), *expected);
            let whole = plain.distance(&a.all, &b.all, pose).map(|found| found.distance);
            prop_assert_eq!(tracker.distance(&mut plain, pose).map(|found| found.distance), whole);
        }
        if way.norm() < 0.01 {
            return Ok(());
        }
        let near = |p: f64, q: f64| p == q || (p - q).abs() < 1e-6;
        let motion = Motion::new(pose, Pose::new(rotation, way).unwrap());
        let time = |query: &mut Query, a: &BvTree, b: &BvTree| match query.time_of_impact(a, b, &motion, 0.0).unwrap() {
            TimeOfImpact::NoImpact => f64::INFINITY,
            TimeOfImpact::Impact(contact) | TimeOfImpact::Touching(contact) => contact.time,
        };
        let times = [time(&mut query, &a.all, &b.all), time(&mut plain, &a.part, &b.part)];
        prop_assert!(near(times[0], times[1]), "{times:?}");
        let direction = UnitVector3::new_normalize(way);
        let free = |query: &mut Query, a, b| query.free_interval_along(a, b, &pose, &direction);
        let (found, expected) = (free(&mut query, &a.all, &b.all), free(&mut plain, &a.part, &b.part));
        prop_assert!(near(found.start, expected.start) && near(found.end, expected.end), "{found:?} {expected:?}");
        let depth = |query: &mut Query, a, b| {
            query.penetration_along(a, b, &pose, &direction).map_or(-1.0, |found| found.depth)
        };
        let depths = [depth(&mut query, &a.all, &b.all), depth(&mut plain, &a.part, &b.part)];
        prop_assert!(near(depths[0], depths[1]), "{depths:?}");
    }

    /// Rays and shapes that move meet one-sided triangles only against their front.
    #[test]
    fn one_sided_triangles_are_passed_from_behind(
        mesh in soup(), kind in kinds(), p in point(), q in point(), size in 0.05f64..1.0,
    ) {
        let sided = |face: u32| Layers { is_one_sided: !face.is_multiple_of(3), ..layer(face) };
        let way = Point3::from(q) - Point3::from(p);
        let normal = |face: u32| mesh.triangle(face).scaled_normal();
        let masked = Masked::new(&mesh, kind, sided, 7, |face| face.is_multiple_of(3) || normal(face).dot(&way) < 0.0);
        let (mut probe, mut plain) = (Probe::new(), Probe::new());
        probe.set_mask(Some(masked.mask));
        let ray = Ray::new(Point3::from(p), way);
        let hits = collected(|visit| plain.for_each_hit(&masked.part, &ray, 1.0, visit));
        prop_assert_eq!(collected(|visit| probe.for_each_hit(&masked.all, &ray, 1.0, visit)).len(), hits.len());
        let hit = plain.closest_hit(&masked.part, &ray, 1.0).map(|hit| masked.hit(hit));
        prop_assert_eq!(probe.closest_hit(&masked.all, &ray, 1.0), hit);
        let shape = ConvexShape::cuboid(Vector3::repeat(size)).unwrap();
        let shape = shape.transformed(&Pose::from_translation(Vector3::from(p)).unwrap());
        let options = CastOptions::default();
        let expected =
            plain.cast_convex(&masked.part, &shape, &way, &options).map(|hit| (hit.time, masked.face(hit.face)));
        let hit = probe.cast_convex(&masked.all, &shape, &way, &options);
        prop_assert_eq!(hit.map(|hit| (hit.time, hit.face)), expected);

        // A capsule meets what the first of its triangles says, each asked by itself.
        let capsule =
            Capsule { segment: Segment { start: Point3::from(p), end: Point3::from(p) + Vector3::x() }, radius: size };
        let first = (0..mesh.triangles().len() as u32).filter_map(|face| {
            let vertices = mesh.triangle(face).vertices.map(|v| v.cast::<f32>()).to_vec();
            let alone = Mesh::from_arrays(vertices, vec![[0, 1, 2]]).unwrap();
            let alone = BvTree::build(&alone, &built(kind)).unwrap();
            alone.set_layers(|_| sided(face)).unwrap();
            let hit = probe.cast_capsule(&alone, &capsule, &way, &options)?;
            assert!(!sided(face).is_one_sided || hit.contact.normal.dot(&normal(face)) > 0.0);
            Some((hit.time, face))
        });
        let first = first.reduce(|p, q| if q.0 < p.0 { q } else { p });
        let hit = probe.cast_capsule(&masked.all, &capsule, &way, &options);
        prop_assert_eq!(hit.map(|hit| (hit.time, hit.contact.face)), first);
    }
}

/// Of equal triangles in large leaves, the one that stands for all may be left out by a mask.
#[test]
fn equal_triangles_in_different_layers_are_told_apart() {
    let mesh = identical(70);
    let options = BuildOptions { max_leaf_triangles: 100, ..BuildOptions::default() };
    let tree = BvTree::build(&mesh, &options).unwrap();
    tree.set_layers(|face| Layers { bits: if face == 69 { 2 } else { 1 }, ..Layers::default() }).unwrap();
    let mut query = Query::new();
    query.set_masks(Some(2), None);
    assert!(query.intersects(&tree, &tree, &Pose::identity()));
    assert_eq!(query.count_pairs(&tree, &tree, &Pose::identity()), 70);
    assert_eq!(query.distance(&tree, &tree, &Pose::identity()).unwrap().faces, FacePair { face_a: 69, face_b: 0 });
    query.set_masks(Some(4), None);
    assert!(!query.intersects(&tree, &tree, &Pose::identity()));
    assert_eq!(query.distance(&tree, &tree, &Pose::identity()), None);
}

#[test]
fn layers_are_set_once_and_stay_with_the_tree() {
    let mesh = identical(3);
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    assert_eq!(tree.layers_of(1), Layers::default());
    tree.set_layers(|face| Layers { bits: face, is_one_sided: face == 2 }).unwrap();
    assert_eq!(tree.set_layers(|_| Layers::default()), Err(LayersAlreadySet));
    let expected = Layers { bits: 2, is_one_sided: true };
    assert_eq!([tree.layers_of(2), tree.clone().layers_of(2)], [expected; 2]);
    assert_eq!(tree.layers_of(3), Layers::default());
    let mut deforming = DeformingTree::new(tree, mesh.clone()).unwrap();
    deforming.refit(mesh.vertices()).unwrap();
    assert_eq!(deforming.tree().layers_of(2), expected);
    deforming.rebuild().unwrap();
    assert_eq!(deforming.tree().layers_of(2), expected);
}
