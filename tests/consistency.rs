//! Answers to different questions about two meshes agree with each other, and with those about the two swapped.

use bvtree::query::{Relation, TimeOfImpact, Within};
use bvtree::{BvTree, Mesh, Motion, Pose, Query, VolumeKind};
use nalgebra::{Unit, UnitVector3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, any_mesh, small_mesh};
use crate::oracle::poses::{meetings, near_rotations, quarter_turns, rotations};
use crate::oracle::{Rules, transposed};

/// What coordinates may be off by: posed ones are rounded.
fn rounding(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> f64 {
    let reach = |mesh: &Mesh| mesh.vertices().iter().map(|v| f64::from(v.coords.amax())).fold(0.0, f64::max);
    1e-13 * (reach(a) + reach(b) + b_to_a.translation().amax())
}

/// What is asked of two meshes, in one place.
struct Scene {
    trees: [BvTree; 2],
    query: Query,
    rounding: f64,
}

impl Scene {
    fn new(a: &Mesh, b: &Mesh, b_to_a: &Pose, kind: VolumeKind) -> Self {
        let trees = [a, b].map(|mesh| Rules::FINEST.tree(mesh, kind));
        Self { trees, query: Query::new(), rounding: rounding(a, b, b_to_a) }
    }

    fn hit(&mut self, pose: &Pose) -> bool {
        self.query.intersects(&self.trees[0], &self.trees[1], pose)
    }

    fn distance(&mut self, pose: &Pose) -> Option<f64> {
        self.query.distance(&self.trees[0], &self.trees[1], pose).map(|found| found.distance)
    }

    /// All questions at one pose against each other. Returns whether there is contact.
    fn check(&mut self, pose: &Pose) -> bool {
        let hit = self.hit(pose);
        let distance = self.distance(pose);
        let [a, b] = &self.trees;
        let query = &mut self.query;
        let pairs = query.intersecting_pairs(a, b, pose);
        assert_eq!(hit, !pairs.is_empty());
        assert_eq!(query.count_pairs(a, b, pose), pairs.len() as u64);
        let contacts = query.contacts(a, b, pose);
        assert!(contacts.iter().map(|contact| contact.faces).eq(pairs.iter().copied()));
        let patches = query.contact_patches(a, b, pose);
        let mut in_patches: Vec<usize> = patches.iter().flat_map(|patch| patch.contacts.iter().copied()).collect();
        in_patches.sort_unstable();
        assert!(in_patches.into_iter().eq(0..contacts.len()), "each contact is in one patch");

        let Some(distance) = distance else {
            assert!(a.triangle_count() == 0 || b.triangle_count() == 0);
            assert_eq!(query.relation(a, b, pose), Relation::Separate);
            assert_eq!(query.within(a, b, pose, 1e300), Within::No { lower_bound: f64::INFINITY });
            return false;
        };
        assert_eq!(distance == 0.0, hit);
        assert_eq!(query.within(a, b, pose, distance), Within::Yes);
        assert_eq!(query.within(a, b, pose, 0.0).is_yes(), hit);
        if let Within::No { lower_bound } = query.within(a, b, pose, 0.5 * distance) {
            assert!(0.5 * distance <= lower_bound && lower_bound <= distance);
        } else {
            assert!(hit);
        }
        let near = query.pairs_within(a, b, pose, distance);
        assert_eq!(near[0].distance, distance);
        let touching: Vec<_> = near.iter().filter(|pair| pair.distance == 0.0).map(|pair| pair.faces).collect();
        assert_eq!(touching, pairs);

        match query.relation(a, b, pose) {
            Relation::Separate | Relation::Undefined => assert!(!hit),
            Relation::Touching => assert!(hit),
            Relation::Crossing | Relation::AInB | Relation::BInA => {}
        }
        let still = query.time_of_impact(a, b, &Motion::new(*pose, *pose), 0.0).unwrap();
        assert_eq!(matches!(still, TimeOfImpact::Touching(_)), hit);
        hit
    }

    /// Moved by the separation along a direction and a tolerance the meshes are apart, and stay so; a tolerance before
    /// that they are nearer than it.
    fn check_separation(&mut self, pose: &Pose, direction: &UnitVector3<f64>) {
        let [a, b] = &self.trees;
        let Some(found) = self.query.penetration_along(a, b, pose, direction) else {
            assert!(!self.hit(pose));
            return;
        };
        let moved = |by: f64| Pose::new(*pose.rotation(), pose.translation() + direction.into_inner() * by).unwrap();
        let tolerance = 100.0 * self.rounding + 1e-9 * found.depth;
        for beyond in [tolerance, 3.0 * tolerance, 0.2 * found.depth + tolerance, 2.0 * found.depth + tolerance] {
            let pose = moved(found.depth + beyond);
            assert!(!self.hit(&pose), "contact {beyond:e} after {found:?}");
            assert!(self.distance(&pose).is_some_and(|distance| distance > 0.0));
        }
        if found.depth > tolerance {
            let before = self.distance(&moved(found.depth - tolerance)).unwrap();
            assert!(before <= 2.0 * tolerance, "{before:e} apart {tolerance:e} before {found:?}");
        }
        let [a, b] = &self.trees;
        let bound = self.query.penetration(a, b, pose).unwrap();
        let along = self.query.penetration_along(a, b, pose, &bound.direction).unwrap().depth;
        assert!((along - bound.upper_bound).abs() <= tolerance);
    }
}

proptest! {
    #![proptest_config(cases(60, 3000))]

    /// At every scale and place, for poses that are not quite rotations.
    #[test]
    fn questions_agree(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), prop_oneof![rotations(), near_rotations()], meetings()),
        kind in prop::sample::select(&VolumeKind::ALL),
    ) {
        let pose = meeting.pose(&a, &b, rotation);
        Scene::new(&a, &b, &pose, kind).check(&pose);
    }

    /// On an integer grid the two can be swapped exactly.
    #[test]
    fn swapped_meshes_answer_alike(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        shift in prop::array::uniform3(-6i8..=6),
        kind in prop::sample::select(&VolumeKind::ALL),
    ) {
        let pose = Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap();
        let (mut scene, mut swapped) = (Scene::new(&a, &b, &pose, kind), Scene::new(&b, &a, &pose, kind));
        let back = pose.inverse();
        prop_assert_eq!(scene.check(&pose), swapped.check(&back));
        let [tree_a, tree_b] = &scene.trees;
        let (there, query) = (scene.query.intersecting_pairs(tree_a, tree_b, &pose), &mut swapped.query);
        prop_assert_eq!(&there, &transposed(&query.intersecting_pairs(tree_b, tree_a, &back)));
        let relation = |relation| match relation {
            Relation::AInB => Relation::BInA,
            Relation::BInA => Relation::AInB,
            other => other,
        };
        let expected = scene.query.relation(tree_a, tree_b, &pose);
        prop_assert_eq!(relation(query.relation(tree_b, tree_a, &back)), expected);
        let distances = [scene.query.distance(tree_a, tree_b, &pose), query.distance(tree_b, tree_a, &back)]
            .map(|answer| answer.map(|found| found.distance));
        prop_assert!(distances[0].zip(distances[1]).is_none_or(|(x, y)| (x - y).abs() <= 1e-13 * x), "{:?}", distances);
        prop_assert_eq!(distances[0].is_some(), distances[1].is_some());
        let direction = Vector3::z_axis();
        let seen_by_b = Unit::new_unchecked(-(turn.transpose() * direction.into_inner()));
        let lengths = [
            scene.query.penetration_along(tree_a, tree_b, &pose, &direction),
            query.penetration_along(tree_b, tree_a, &back, &seen_by_b),
        ].map(|answer| answer.map(|found| found.depth));
        prop_assert!(lengths[0].zip(lengths[1]).is_none_or(|(x, y)| (x - y).abs() <= 1e-12), "{:?}", lengths);
        prop_assert_eq!(lengths[0].is_some(), lengths[1].is_some());
    }
}

proptest! {
    #![proptest_config(cases(20, 1000))]

    #[test]
    fn separations_are_where_contact_ends(
        (a, b, rotation) in (small_mesh(), small_mesh(), rotations()),
        shift in prop::array::uniform3(-1.0..1.0f64),
        direction in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let pose = Pose::new(rotation, shift.into()).unwrap();
        let Some(direction) = Unit::try_new(Vector3::from(direction), 0.1) else { return Ok(()) };
        let mut scene = Scene::new(&a, &b, &pose, VolumeKind::Obb);
        scene.check(&pose);
        scene.check_separation(&pose, &direction);
    }

    /// An impact is where the distance first comes down to the tolerance.
    #[test]
    fn impacts_agree_with_distances(
        (a, b) in (small_mesh(), small_mesh()),
        turns in [rotations(), rotations()],
        shifts in [prop::array::uniform3(-3.0..3.0f64), prop::array::uniform3(-3.0..3.0f64)],
    ) {
        let [start, end] = [0, 1].map(|i| Pose::new(turns[i], shifts[i].into()).unwrap());
        let motion = Motion::new(start, end);
        let mut scene = Scene::new(&a, &b, &start, VolumeKind::Obb);
        let [tree_a, tree_b] = &scene.trees;
        match scene.query.time_of_impact(tree_a, tree_b, &motion, 1e-6).unwrap() {
            TimeOfImpact::Touching(contact) => prop_assert!(contact.time == 0.0 && scene.hit(&start)),
            TimeOfImpact::Impact(contact) => {
                let pose = motion.at(contact.time);
                prop_assert!(scene.distance(&pose).unwrap() <= 1e-6);
                prop_assert!(scene.distance(&motion.at(0.999 * contact.time)).unwrap() > 0.0);
                prop_assert!(!scene.hit(&start));
            }
            TimeOfImpact::NoImpact => {
                for i in 0..=20 {
                    prop_assert!(!scene.hit(&motion.at(f64::from(i) / 20.0)));
                }
            }
        }
    }
}

/// The square of the larger one's size, measured by the smaller one's, leaves f32's range.
#[test]
fn meshes_of_very_different_size() {
    let torus = meshes::torus(6, 5);
    for exponent in [-16, -18, -19, -20, -22, -25, -30, -40] {
        let speck = meshes::placed(&torus, 10f64.powi(exponent), Vector3::zeros());
        for place in
            [Vector3::zeros(), Vector3::new(0.1, 0.2, 0.3), Vector3::new(1.5, 0.0, 0.0), Vector3::new(9.0, 8.0, 7.0)]
        {
            let pose = Pose::new(*Pose::identity().rotation(), place).unwrap();
            for kind in VolumeKind::ALL {
                Scene::new(&torus, &speck, &pose, kind).check(&pose);
                Scene::new(&speck, &torus, &pose, kind).check(&pose.inverse());
            }
        }
    }
}

/// The nearer to parallel surfaces glide, the more rounding counts: by the angle's sine, and never too short.
#[test]
fn gliding_at_small_angles() {
    let slab = meshes::moved(&meshes::flat_square(4), |v| v - Vector3::new(2.0, 2.0, 0.0));
    let tilted = |angle: f64| Unit::new_normalize(Vector3::new(1.0, 0.0, angle));
    // A triangle that dips its lowest corner through the square by a hundredth.
    let corner = meshes::unconnected(&[
        [[-1.0, 0.0, -0.0078125], [-0.5, 0.25, 1.0], [-0.5, -0.25, 1.0]].map(nalgebra::Point3::from)
    ]);
    let mut scene = Scene::new(&slab, &corner, &Pose::identity(), VolumeKind::Obb);
    for angle in [1.0, 1e-1, 1e-2, 3e-3, 1e-3, 1e-6, 1e-9, 1e-12] {
        let direction = tilted(angle);
        let [a, b] = &scene.trees;
        let length = scene.query.penetration_along(a, b, &Pose::identity(), &direction).unwrap().depth;
        // Up through the square, or past its border at 2: there the triangle's part below it is still in.
        let up = 0.0078125 / direction.z;
        let beside = 3.0 / direction.x;
        let (least, most) = (up.min(0.99 * beside), up.min(beside));
        let error = 1e-13 / direction.z.max(1e-3);
        assert!(length >= least - 1e-15 && length <= most + error, "{length} at {angle:e}, not {least} to {most}");
        for beyond in [error, 10.0 * error, 0.1, 1.0] {
            assert!(
                !scene
                    .hit(&Pose::new(*Pose::identity().rotation(), direction.into_inner() * (length + beyond)).unwrap())
            );
        }
    }
    // Flush with it, what is rounding in height is as much longer along the direction.
    let flat =
        meshes::unconnected(&[[[-1.0, 0.0, 0.0], [-0.5, 0.25, 0.0], [-0.5, -0.25, 0.0]].map(nalgebra::Point3::from)]);
    let mut scene = Scene::new(&slab, &flat, &Pose::identity(), VolumeKind::Obb);
    let [a, b] = &scene.trees;
    for angle in [1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 0.0] {
        let direction = tilted(angle);
        let length = scene.query.penetration_along(a, b, &Pose::identity(), &direction).unwrap().depth;
        let most = if angle == 0.0 { 3.0 } else { (1e-13 / direction.z).min(3.0 / direction.x) };
        assert!((0.0..=most * (1.0 + 1e-12)).contains(&length), "{length:e} at {angle:e}");
    }
}
