//! A scene of small meshes on an integer grid, which come and go, move by quarter turns and whole steps, and deform: after each step
//! every answer about pairs must be that of all pairs of triangles.

use bvtree::query::FacePair;
use bvtree::refit::{DeformingTree, ObbAxes, RefitOptions};
use bvtree::scene::{Body, BodyId, Scene};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Pose, Query, VolumeKind};
use nalgebra::{Point3, Vector3};

use super::grid::{mesh, rotation, small};

/// A body, and the tree that follows its mesh.
struct Actor {
    id: BodyId,
    tree: DeformingTree,
}

const MOST_BODIES: usize = 5;
const MOST_STEPS: usize = 24;

/// The first byte picks how trees are built, the next 108 give four triangles for each of three meshes; the rest are steps.
pub fn check(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let Some((points, steps)) = rest.split_at_checked(108) else { return };
    let coordinates: Vec<f32> = points.iter().map(|&byte| small(byte) as f32).collect();
    let mut world = World { scene: Scene::new(), actors: Vec::new(), ignored: Vec::new(), choice };
    for step in steps.chunks_exact(6).take(MOST_STEPS) {
        world.step(&coordinates, step);
        world.check();
    }
}

struct World {
    scene: Scene,
    actors: Vec<Actor>,
    ignored: Vec<[BodyId; 2]>,
    choice: u8,
}

impl World {
    fn step(&mut self, coordinates: &[f32], step: &[u8]) {
        let [what, who, x, y, z, more] = *step else { return };
        let pose = || Pose::new(rotation(more), Vector3::new(small(x), small(y), small(z))).expect("a rotation");
        let count = self.actors.len();
        if count == 0 || what % 7 == 0 {
            if count < MOST_BODIES {
                self.add(coordinates, who, pose());
            }
            return;
        }
        let number = usize::from(who) % count;
        let Actor { id, tree } = &mut self.actors[number];
        match what % 7 {
            1 => {
                let id = *id;
                self.scene.remove(id).expect("it is there");
                self.actors.remove(number);
                self.ignored.retain(|pair| !pair.contains(&id));
                assert!(self.scene.set_pose(id, pose()).is_err());
            }
            2 => {
                let positions = tree.mesh().vertices().iter().zip(0_u8..);
                let bytes = |i: u8| [x, y, z].map(|k| k.wrapping_mul(i).wrapping_add(more));
                let moved = |(p, i): (&Point3<f32>, u8)| p + Vector3::from(bytes(i).map(|k| small(k / 4) as f32));
                let positions: Vec<_> = positions.map(moved).collect();
                self.scene.refit(*id, tree, &positions).expect("whole numbers");
            }
            3 => {
                let position = Point3::from([x, y, z].map(|k| small(k) as f32));
                let vertices = tree.mesh().vertices().len() as u32;
                let moved = [u32::from(more) % vertices, u32::from(more / 3) % vertices].map(|v| (v, position));
                self.scene.refit_moved(*id, tree, &moved).expect("whole numbers");
            }
            4 => {
                tree.rebuild().expect("a tree");
                self.scene.set_tree(*id, tree.tree().clone()).expect("it is there");
            }
            5 if count > 1 => {
                let pair = [*id, self.actors[(number + 1) % count].id];
                let pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
                let is_ignored = x % 2 == 0;
                self.scene.set_ignored(pair[1], pair[0], is_ignored).expect("they are there");
                self.ignored.retain(|other| *other != pair);
                self.ignored.extend(is_ignored.then_some(pair));
            }
            _ => self.scene.set_pose(*id, pose()).expect("near"),
        }
    }

    fn add(&mut self, coordinates: &[f32], who: u8, pose: Pose) {
        let points = &coordinates[36 * usize::from(who % 3)..][..36];
        let triangles: Vec<[[f32; 3]; 3]> =
            points.chunks_exact(9).map(|t| [0, 3, 6].map(|i| [t[i], t[i + 1], t[i + 2]])).collect();
        let mesh = mesh(&triangles);
        let choice = usize::from(self.choice);
        let options = BuildOptions {
            max_leaf_triangles: 1 + self.choice as u32 / 9 % 3,
            ..BuildOptions::obbtree_rules(VolumeKind::ALL[choice % 3])
        };
        let refit =
            RefitOptions { obb_axes: ObbAxes::ALL[choice / 3 % 3], rebuild_above: (choice > 127).then_some(2.0) };
        let tree = BvTree::build(&mesh, &options).expect("a tree");
        let tree = DeformingTree::with_options(tree, mesh, refit).expect("its own mesh");
        let id = self.scene.add(Body::moving(tree.tree().clone(), pose)).expect("near");
        self.actors.push(Actor { id, tree });
    }

    fn check(&mut self) {
        let mut actors: Vec<&Actor> = self.actors.iter().collect();
        actors.sort_by_key(|actor| actor.id);
        let mut query = Query::new();
        let mut expected = Vec::new();
        for (i, a) in actors.iter().enumerate() {
            assert_eq!(a.tree.tree().validate_against(a.tree.mesh()), []);
            for b in &actors[i + 1..] {
                let [pose_a, pose_b] = [a, b].map(|actor| self.scene.body(actor.id).expect("it is there").pose);
                let pose = Pose::relative(&pose_a, &pose_b);
                let (pairs, distance) = all_pairs(a, b, &pose);
                assert_eq!(query.collect_pairs(a.tree.tree(), b.tree.tree(), &pose), pairs);
                if !self.ignored.contains(&[a.id, b.id]) {
                    expected.push(([a.id, b.id], distance));
                }
            }
        }
        let touching = expected.iter().filter(|(_, distance)| *distance == 0.0).map(|(pair, _)| *pair);
        assert_eq!(self.scene.touching_pairs(), touching.collect::<Vec<_>>());
        // But for what rounding leaves open.
        let clearance = 4.1;
        let near = expected.iter().filter(|(_, distance)| *distance <= clearance);
        let found = self.scene.pairs_within(clearance);
        assert_eq!(
            found.iter().map(|near| near.bodies).collect::<Vec<_>>(),
            near.clone().map(|(pair, _)| *pair).collect::<Vec<_>>()
        );
        for (found, (_, distance)) in found.iter().zip(near) {
            assert!((found.distance - distance).abs() <= 1e-12 * distance, "{} {distance}", found.distance);
        }
        let least = expected.iter().map(|(_, distance)| *distance).reduce(f64::min);
        match (self.scene.closest_pair(), least) {
            (Some(found), Some(least)) => assert!((found.distance - least).abs() <= 1e-12 * least),
            (found, least) => assert_eq!(found.map(|found| found.distance), least),
        }
    }
}

/// All that touch, and the least distance.
fn all_pairs(a: &Actor, b: &Actor, pose: &Pose) -> (Vec<FacePair>, f64) {
    let [a, b] = [a, b].map(|actor| actor.tree.mesh());
    let (mut pairs, mut least_sq) = (Vec::new(), f64::INFINITY);
    for (face_a, a) in (0..).zip(a.iter()) {
        for (face_b, corners) in (0..).zip(b.triangles()) {
            let b = Triangle { vertices: corners.map(|corner| pose.transform(&b.vertices()[corner as usize])) };
            if a.intersects(&b) {
                pairs.push(FacePair { face_a, face_b });
            }
            least_sq = least_sq.min(a.closest_points(&b).distance_sq);
        }
    }
    (pairs, least_sq.sqrt())
}
