//! Objects that cache results give the same results as fresh ones: random sequences of calls, with each result compared
//! to that of new objects and, for boxes, to a formula.

mod common;

use std::collections::HashSet;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null;
use std::sync::OnceLock;

use bvtree::{Mesh, VolumeKind};
use bvtree_capi::*;
use common::{c_mesh, made, tree, written};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};

/// Bounds and clearances, including extreme ones that rounding must not distort.
static BOUNDS: [f64; 11] = [0.0, 5e-324, 1e-300, 1e-12, 0.25, 1.0, 3.0, 9.0, 1e10, 1e300, f64::INFINITY];
/// Coordinates of meshes along each axis, with which cubes touch to the last bit.
static GRID: [f64; 14] = [-3.0, -2.375, -2.0, -1.5, -1.0, -0.75, -0.375, -0.25, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0];
static NUDGES: [f64; 6] = [1e-9, -1e-9, 1e-6, -1e-4, 1e-3, 0.25];
static WAYS: [f64; 6] = [1e3, 1e8, 1e10, 1e12, 1e16, 9e29];

/// Half the side lengths of the cubes; the mesh after them is a sphere.
const HALVES: [f64; 2] = [1.0, 4.0];
const MESHES: usize = 3;

fn cube(half: f32, center: [f32; 3]) -> Mesh {
    let corner = |i: usize| {
        let at = |k: usize| center[k] + if i >> k & 1 == 0 { -half } else { half };
        Point3::new(at(0), at(1), at(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), triangles).unwrap()
}

/// Creates a sphere of 6 rings and 8 segments.
fn sphere(radius: f64) -> Mesh {
    let (rings, segments) = (6, 8);
    let point = |i: usize, j: usize| {
        let (u, v) = (std::f64::consts::PI * i as f64 / 6.0, std::f64::consts::TAU * j as f64 / 8.0);
        Point3::new(u.sin() * v.cos(), u.sin() * v.sin(), u.cos()).map(|x| (radius * x) as f32)
    };
    let mut vertices = vec![point(0, 0)];
    vertices.extend((1..rings).flat_map(|i| (0..segments).map(move |j| point(i, j))));
    vertices.push(point(rings, 0));
    let at = |i: usize, j: usize| (1 + (i - 1) * segments + j % segments) as u32;
    let mut triangles = Vec::new();
    for j in 0..segments {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        triangles.push([vertices.len() as u32 - 1, at(rings - 1, j + 1), at(rings - 1, j)]);
        for i in 1..rings - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

fn mesh(number: usize) -> Mesh {
    HALVES.get(number).map_or_else(|| sphere(0.8), |&half| cube(half as f32, [0.0; 3]))
}

/// The trees of the meshes, shared by all sequences.
fn trees() -> &'static [Box<BvtTree>; MESHES] {
    static TREES: OnceLock<[Box<BvtTree>; MESHES]> = OnceLock::new();
    let kinds = [VolumeKind::Obb, VolumeKind::Aabb, VolumeKind::Obb];
    TREES.get_or_init(|| std::array::from_fn(|number| tree(&mesh(number), kinds[number])))
}

fn pose(at: [f64; 3]) -> BvtPose {
    BvtPose { translation: at, ..bvt_pose_identity() }
}

fn moved(mut at: [f64; 3], axis: usize, by: f64) -> [f64; 3] {
    at[axis] += by;
    at
}

/// Returns the distance between the surfaces of two cubes A and B, and for each whether it is inside the other.
/// `middle` is B's centre in A's frame.
fn of_cubes(halves: [f64; 2], middle: [f64; 3]) -> (f64, [bool; 2]) {
    let gaps = middle.map(|x| (x.abs() - halves[0] - halves[1]).max(0.0));
    let depth = middle.map(|x| (halves[0] - halves[1]).abs() - x.abs()).into_iter().fold(f64::INFINITY, f64::min);
    if gaps != [0.0; 3] {
        (gaps.map(|x| x * x).iter().sum::<f64>().sqrt(), [false; 2])
    } else if depth > 0.0 {
        (depth, [halves[0] < halves[1], halves[1] < halves[0]])
    } else {
        (0.0, [false; 2])
    }
}

fn is_close(x: f64, y: f64) -> bool {
    (x == 0.0) == (y == 0.0) && (x - y).abs() <= 1e-9 * y
}

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(31), failure_persistence: None, ..Config::default() }
}

fn grid() -> impl Strategy<Value = [f64; 3]> {
    proptest::array::uniform3(select(&GRID[..]))
}

fn bound() -> impl Strategy<Value = f64> {
    prop_oneof![select(&BOUNDS[..3]), select(&BOUNDS[..]), Just(9.0)]
}

/// The next position of B in A's frame.
#[derive(Clone, Debug)]
enum Step {
    To([f64; 3]),
    /// Moved along an axis from the last grid position.
    Nudged(usize, f64),
    FarAndBack(usize, f64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => grid().prop_map(Step::To),
        2 => (0..3_usize, select(&NUDGES[..])).prop_map(|(axis, by)| Step::Nudged(axis, by)),
        1 => (0..3_usize, select(&WAYS[..])).prop_map(|(axis, way)| Step::FarAndBack(axis, way)),
    ]
}

proptest! {
    #![proptest_config(config(if cfg!(debug_assertions) { 150 } else { 400 }))]

    #[test]
    fn a_tracker(a in 0..MESHES, b in 0..MESHES, steps in prop::collection::vec((step(), prop::option::of(bound())),
        1..40)) {
        let [tree_a, tree_b] = [a, b].map(|number| &*trees()[number]);
        let tracker = made(|out| bvt_distance_tracker_new(Some(tree_a), Some(tree_b), out));
        let query = made(|out| bvt_query_new(0, out));
        let mut at = [0.0; 3];
        let ask = |at: [f64; 3], bound: Option<f64>| {
            let options = BvtDistanceOptions {
                has_upper_bound: u32::from(bound.is_some()),
                upper_bound: bound.unwrap_or(0.0),
                ..BvtDistanceOptions::default()
            };
            let cold = made(|out| bvt_query_new(0, out));
            // SAFETY: the options' size is set.
            let warm = written(|out| unsafe { bvt_distance_tracker_distance(Some(&tracker), Some(&query),
                Some(&pose(at)), &options, out) });
            // SAFETY: likewise.
            let cold = written(|out| unsafe { bvt_distance(Some(&cold), Some(tree_a), Some(tree_b), Some(&pose(at)),
                &options, out) });
            prop_assert_eq!(warm.map(|found| found.distance), cold.map(|found| found.distance), "{:?} {:?}", at, bound);
            if let (Some(&p), Some(&q)) = (HALVES.get(a), HALVES.get(b)) {
                let distance = of_cubes([p, q], at).0;
                match warm {
                    Some(found) => prop_assert!(is_close(found.distance, distance), "{:?} {}", found, distance),
                    None => {
                        prop_assert!(bound.is_some_and(|bound| distance > 0.0 && distance >= bound * (1.0 - 1e-12)));
                    }
                }
            }
            Ok(())
        };
        for (step, bound) in steps {
            match step {
                Step::To(to) => {
                    at = to;
                    ask(at, bound)?;
                }
                Step::Nudged(axis, by) => ask(moved(at, axis, by), bound)?,
                Step::FarAndBack(axis, way) => {
                    ask(moved(at, axis, way), bound)?;
                    ask(at, bound)?;
                }
            }
        }
    }
}

/// A call, or several that belong together. Bodies are given by their index among those in the scene.
#[derive(Clone, Debug)]
enum Call {
    Add {
        mesh: usize,
        at: [f64; 3],
        is_static: bool,
        solid: u32,
    },
    Remove(usize),
    Move(usize, Step),
    /// Puts B beside A along an axis, so that cubes touch.
    Flush(usize, usize, usize),
    MoveAll(Vec<[f64; 3]>),
    Groups(usize, u32, u32),
    Ignore(usize, usize, bool),
    CompareStatic(bool),
    SetTree(usize, usize),
    /// Refits the body to its mesh, shifted.
    Refit(usize, [f64; 3]),
    Nothing,
}

fn call() -> impl Strategy<Value = Call> {
    let body = || 0..4_usize;
    prop_oneof![
        3 => (0..MESHES, grid(), prop::bool::weighted(0.2), 0..3_u32)
            .prop_map(|(mesh, at, is_static, solid)| Call::Add { mesh, at, is_static, solid }),
        1 => body().prop_map(Call::Remove),
        6 => (body(), step()).prop_map(|(body, step)| Call::Move(body, step)),
        2 => (body(), body(), 0..3_usize).prop_map(|(a, b, axis)| Call::Flush(a, b, axis)),
        1 => prop::collection::vec(grid(), 4).prop_map(Call::MoveAll),
        1 => (body(), 0..4_u32, 0..4_u32).prop_map(|(body, groups, mask)| Call::Groups(body, groups, mask)),
        1 => (body(), body(), any::<bool>()).prop_map(|(a, b, ignored)| Call::Ignore(a, b, ignored)),
        1 => any::<bool>().prop_map(Call::CompareStatic),
        1 => (body(), 0..MESHES).prop_map(|(body, mesh)| Call::SetTree(body, mesh)),
        1 => (body(), grid()).prop_map(|(body, by)| Call::Refit(body, by)),
        2 => Just(Call::Nothing),
    ]
}

/// The query after a call.
#[derive(Clone, Copy, Debug)]
enum Question {
    Nothing,
    Touching,
    Within(f64),
    Closest,
    Relations,
    Neighbors(f64),
}

fn question() -> impl Strategy<Value = Question> {
    prop_oneof![
        1 => Just(Question::Nothing),
        3 => Just(Question::Touching),
        5 => bound().prop_map(Question::Within),
        1 => Just(Question::Closest),
        1 => Just(Question::Relations),
        1 => bound().prop_map(Question::Neighbors),
    ]
}

#[derive(Clone, Debug)]
struct Body {
    id: BvtBodyId,
    mesh: usize,
    grid: [f64; 3],
    at: [f64; 3],
    /// Displacement of its mesh by refits.
    shift: [f64; 3],
    is_static: bool,
    solid: u32,
    groups: u32,
    mask: u32,
}

impl Body {
    fn tree(&self) -> Box<BvtTree> {
        let mesh = mesh(self.mesh);
        let vertices = mesh.vertices().iter().map(|p| shifted(p, self.shift)).collect();
        tree(&Mesh::from_arrays(vertices, mesh.triangles().to_vec()).unwrap(), VolumeKind::Obb)
    }
}

fn shifted(p: &Point3<f32>, by: [f64; 3]) -> Point3<f32> {
    Point3::new(p.x + by[0] as f32, p.y + by[1] as f32, p.z + by[2] as f32)
}

struct World {
    scene: Box<BvtScene>,
    bodies: Vec<Body>,
    ignored: HashSet<[BvtBodyId; 2]>,
    compares_static: bool,
}

unsafe extern "C" fn keep<T: Copy>(user: *mut c_void, item: *const T) -> i32 {
    // SAFETY: that is what it is called with.
    unsafe { (*user.cast::<Vec<T>>()).push(*item) };
    0
}

/// Returns all items that a function passes to its callback.
fn all<T: Copy>(ask: impl FnOnce(*mut c_void) -> BvtStatus) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    assert_eq!(ask((&raw mut found).cast()), BvtStatus::BVT_OK);
    found
}

fn pair([a, b]: [BvtBodyId; 2]) -> BvtBodyPair {
    BvtBodyPair { a, b }
}

/// Returns a scene's answer to a question, as pairs of ids mapped by `name` and numbers.
fn answer(scene: &BvtScene, question: Question, name: impl Fn(BvtBodyId) -> BvtBodyId) -> Vec<([BvtBodyId; 2], f64)> {
    let named = |pair: BvtBodyPair| [name(pair.a), name(pair.b)];
    let scene = Some(scene);
    match question {
        Question::Nothing => Vec::new(),
        Question::Touching => {
            // SAFETY: the callback takes such a vector, here and below.
            let found = all::<BvtBodyPair>(|user| unsafe {
                bvt_scene_for_each_intersecting_pair(scene, Some(keep::<BvtBodyPair>), user)
            });
            found.into_iter().map(|pair| (named(pair), 0.0)).collect()
        }
        Question::Within(clearance) => {
            let found = all::<BvtNearPair>(|user| unsafe {
                bvt_scene_for_each_pair_within(scene, clearance, Some(keep::<BvtNearPair>), user)
            });
            found.into_iter().map(|near| (named(near.bodies), near.distance)).collect()
        }
        Question::Closest => {
            let found = written(|out| bvt_scene_closest_pair(scene, out));
            found.into_iter().map(|near: BvtNearPair| (named(near.bodies), near.distance)).collect()
        }
        Question::Relations => {
            let found = all::<BvtRelatedPair>(|user| unsafe {
                bvt_scene_for_each_relation(scene, 0.0, Some(keep::<BvtRelatedPair>), user)
            });
            found.into_iter().map(|related| (named(related.bodies), f64::from(related.relation as u32))).collect()
        }
        Question::Neighbors(reach) => {
            let found = all::<BvtNeighbors>(|user| unsafe {
                bvt_scene_for_each_neighbor_pair(scene, reach, Some(keep::<BvtNeighbors>), user)
            });
            found.into_iter().map(|near| (named(near.bodies), 0.0)).collect()
        }
    }
}

impl World {
    fn new() -> Self {
        let scene = made(|out| bvt_scene_new(0, out));
        Self { scene, bodies: Vec::new(), ignored: HashSet::new(), compares_static: false }
    }

    fn add(&mut self, mesh: usize, at: [f64; 3], is_static: bool, solid: u32) {
        let options = BvtBodyOptions { is_static: is_static.into(), solid, ..BvtBodyOptions::default() };
        let tree = Some(&*trees()[mesh]);
        // SAFETY: the options' size is set.
        let id =
            written(|out| unsafe { bvt_scene_add(Some(&self.scene), tree, Some(&pose(at)), &options, out) }).unwrap();
        assert_eq!(written(|out| bvt_scene_is_solid(Some(&self.scene), id, out)), Some(solid != 0));
        self.bodies.push(Body { id, mesh, grid: at, at, shift: [0.0; 3], is_static, solid, groups: 1, mask: u32::MAX });
    }

    fn put(&mut self, body: usize, at: [f64; 3]) {
        let body = &mut self.bodies[body];
        body.at = at;
        assert_eq!(bvt_scene_set_pose(Some(&self.scene), body.id, Some(&pose(at))), BvtStatus::BVT_OK);
    }

    /// The pairs of bodies that are compared, the lower index first.
    fn compared(&self) -> Vec<[&Body; 2]> {
        let mut bodies: Vec<&Body> = self.bodies.iter().collect();
        bodies.sort_by_key(|body| body.id as u32);
        let mut pairs = Vec::new();
        for (i, &a) in bodies.iter().enumerate() {
            for &b in &bodies[i + 1..] {
                if (self.compares_static || !(a.is_static && b.is_static))
                    && a.groups & b.mask != 0
                    && b.groups & a.mask != 0
                    && !self.ignored.contains(&[a.id, b.id])
                {
                    pairs.push([a, b]);
                }
            }
        }
        pairs
    }

    /// Creates a scene of the same bodies without cached results. Also returns their ids in both scenes.
    fn cold(&self) -> (Box<BvtScene>, Vec<(BvtBodyId, BvtBodyId)>) {
        let scene = made(|out| bvt_scene_new(0, out));
        let mut bodies = self.bodies.clone();
        bodies.sort_by_key(|body| body.id as u32);
        let mut ids = Vec::new();
        for body in &bodies {
            let (is_static, solid) = (body.is_static.into(), body.solid);
            let options = BvtBodyOptions { is_static, solid, ..BvtBodyOptions::default() };
            // SAFETY: the options' size is set.
            let id = written(|out| unsafe {
                bvt_scene_add(Some(&scene), Some(&body.tree()), Some(&pose(body.at)), &options, out)
            });
            ids.push((id.unwrap(), body.id));
            assert_eq!(
                bvt_scene_set_groups(Some(&scene), ids[ids.len() - 1].0, body.groups, body.mask),
                BvtStatus::BVT_OK
            );
        }
        let there = |id: BvtBodyId| ids.iter().find(|(_, here)| *here == id).unwrap().0;
        for &[a, b] in &self.ignored {
            assert_eq!(bvt_scene_set_ignored(Some(&scene), there(a), there(b), true), BvtStatus::BVT_OK);
        }
        bvt_scene_include_static_pairs(Some(&scene), self.compares_static);
        (scene, ids)
    }

    fn call(&mut self, call: &Call) {
        let count = self.bodies.len();
        if count == 0 && !matches!(call, Call::Add { .. }) {
            return;
        }
        let scene = || Some(&*self.scene);
        match *call {
            Call::Add { mesh, at, is_static, solid } if count < 4 => self.add(mesh, at, is_static, solid),
            Call::Add { .. } | Call::Nothing => {}
            Call::Remove(body) => {
                let id = self.bodies[body % count].id;
                assert_eq!(bvt_scene_remove(scene(), id), BvtStatus::BVT_OK);
                assert_eq!(bvt_scene_remove(scene(), id), BvtStatus::BVT_ERROR_NO_SUCH_BODY);
                self.bodies.remove(body % count);
                self.ignored.retain(|pair| !pair.contains(&id));
            }
            Call::Move(body, Step::To(at)) => {
                self.bodies[body % count].grid = at;
                self.put(body % count, at);
            }
            Call::Move(body, Step::Nudged(axis, by)) => {
                self.put(body % count, moved(self.bodies[body % count].grid, axis, by))
            }
            Call::Move(body, Step::FarAndBack(axis, way)) => {
                let at = self.bodies[body % count].at;
                self.put(body % count, moved(at, axis, way));
                self.put(body % count, at);
            }
            Call::Flush(a, b, axis) => {
                let [a, b] = [a % count, b % count];
                let side = |body: usize| HALVES.get(self.bodies[body].mesh).copied().unwrap_or(0.8);
                let (at, sides) = (self.bodies[a].grid, side(a) + side(b));
                self.put(a, at);
                if a != b {
                    self.bodies[b].grid = moved(at, axis, sides);
                    self.put(b, moved(at, axis, sides));
                }
            }
            Call::MoveAll(ref at) => {
                let ids: Vec<BvtBodyId> = self.bodies.iter().map(|body| body.id).collect();
                let poses: Vec<BvtPose> = at.iter().map(|&at| pose(at)).collect();
                // SAFETY: there are as many of both.
                let status = unsafe { bvt_scene_set_poses(scene(), ids.as_ptr(), poses.as_ptr(), count) };
                assert_eq!(status, BvtStatus::BVT_OK);
                self.bodies.iter_mut().zip(at).for_each(|(body, &at)| (body.grid, body.at) = (at, at));
            }
            Call::Groups(body, groups, mask) => {
                let body = &mut self.bodies[body % count];
                (body.groups, body.mask) = (groups, mask);
                assert_eq!(bvt_scene_set_groups(Some(&self.scene), body.id, groups, mask), BvtStatus::BVT_OK);
            }
            Call::Ignore(a, b, ignored) => {
                let mut pair = [a, b].map(|body| self.bodies[body % count].id);
                pair.sort_by_key(|&id| id as u32);
                assert_eq!(bvt_scene_set_ignored(scene(), pair[1], pair[0], ignored), BvtStatus::BVT_OK);
                if ignored {
                    self.ignored.insert(pair)
                } else {
                    self.ignored.remove(&pair)
                };
            }
            Call::CompareStatic(yes) => {
                assert_eq!(bvt_scene_include_static_pairs(scene(), yes), BvtStatus::BVT_OK);
                self.compares_static = yes;
            }
            Call::SetTree(body, mesh) => {
                let body = &mut self.bodies[body % count];
                (body.mesh, body.shift) = (mesh, [0.0; 3]);
                assert_eq!(bvt_scene_set_tree(Some(&self.scene), body.id, Some(&trees()[mesh])), BvtStatus::BVT_OK);
            }
            Call::Refit(body, by) => {
                let body = &mut self.bodies[body % count];
                body.shift = by;
                let mesh = mesh(body.mesh);
                let tree = tree(&mesh, VolumeKind::Obb);
                // SAFETY: null options are the default.
                let deforming =
                    made(|out| unsafe { bvt_deforming_tree_new(Some(&tree), Some(&c_mesh(&mesh)), null(), out) });
                let positions: Vec<Point3<f32>> = mesh.vertices().iter().map(|p| shifted(p, by)).collect();
                // SAFETY: there are as many positions.
                let status = unsafe {
                    let (first, count) = (positions.as_ptr().cast(), positions.len());
                    bvt_scene_refit(
                        Some(&self.scene),
                        body.id,
                        Some(&deforming),
                        first,
                        count,
                        0,
                        BvtScalar::BVT_F32 as u32,
                        None,
                    )
                };
                assert_eq!(status, BvtStatus::BVT_OK);
            }
        }
    }

    fn ask(&self, question: Question) {
        let found = answer(&self.scene, question, |id| id);
        let (scene, ids) = self.cold();
        let cold = answer(&scene, question, |id| ids.iter().find(|(there, _)| *there == id).unwrap().1);
        if !matches!(question, Question::Neighbors(_)) {
            // Boxes that have room to move in may be anywhere in it.
            assert_eq!(found, cold, "{question:?}");
        }
        for [a, b] in self.compared() {
            let (Some(&p), Some(&q)) = (HALVES.get(a.mesh), HALVES.get(b.mesh)) else { continue };
            let middle = std::array::from_fn(|k| (b.at[k] - a.at[k]) + b.shift[k] - a.shift[k]);
            let (surfaces, [a_in_b, b_in_a]) = of_cubes([p, q], middle);
            let is_inside = a_in_b && b.solid != 0 || b_in_a && a.solid != 0;
            let distance = if is_inside { 0.0 } else { surfaces };
            let here = found.iter().find(|(bodies, _)| pair(*bodies) == pair([a.id, b.id])).map(|found| found.1);
            match question {
                Question::Touching => assert_eq!(here.is_some(), distance == 0.0, "{a:?} {b:?}"),
                Question::Within(clearance) => {
                    if (distance - clearance).abs() > 1e-9 * distance || distance == 0.0 {
                        assert_eq!(here.is_some(), distance <= clearance, "{distance} {a:?} {b:?}");
                    }
                    assert!(here.is_none_or(|here| is_close(here, distance)), "{here:?} {distance}");
                }
                Question::Closest => assert!(found[0].1 <= distance * (1.0 + 1e-9), "{found:?} {distance}"),
                Question::Neighbors(reach) => assert!(here.is_some() || surfaces > reach, "{surfaces} {a:?} {b:?}"),
                Question::Nothing | Question::Relations => {}
            }
        }
    }
}

/// Does the work in a pool of the library.
fn in_pool<F: FnOnce() + Send>(threads: usize, work: F) {
    type Outcome = std::thread::Result<()>;
    unsafe extern "C" fn call<F: FnOnce()>(user: *mut c_void) -> i32 {
        // SAFETY: that is what it is called with.
        let (work, outcome) = unsafe { &mut *user.cast::<(Option<F>, Option<Outcome>)>() };
        *outcome = work.take().map(|work| catch_unwind(AssertUnwindSafe(work)));
        0
    }
    let pool = made(|out| bvt_pool_new(threads, out));
    let mut state: (Option<F>, Option<Outcome>) = (Some(work), None);
    // SAFETY: the work is what the function takes, and may go to another thread.
    assert_eq!(unsafe { bvt_pool_run(Some(&pool), Some(call::<F>), (&raw mut state).cast()) }, BvtStatus::BVT_OK);
    if let Some(Err(panic)) = state.1 {
        resume_unwind(panic);
    }
}

proptest! {
    #![proptest_config(config(if cfg!(debug_assertions) { 100 } else { 300 }))]

    #[test]
    fn a_scene(threads in 1..3_usize, calls in prop::collection::vec((call(), question()), 1..60)) {
        in_pool(threads, || {
            let mut world = World::new();
            for (call, question) in &calls {
                world.call(call);
                world.ask(*question);
            }
        });
    }
}

/// A deformation of a mesh.
#[derive(Clone, Debug)]
enum Deformation {
    /// All vertices are scaled, then shifted.
    All(f32, [f64; 3]),
    /// Some vertices are shifted.
    Some(Vec<u32>, [f64; 3]),
    Rebuild,
    /// Invalid vertices or positions, which change nothing.
    Wrong,
}

/// A tree returned after a deformation; the index of another mesh, its position, and the distance at that time.
type Frozen = (Box<BvtTree>, usize, [f64; 3], Option<f64>);

fn deformation() -> impl Strategy<Value = Deformation> {
    prop_oneof![
        2 => (select(vec![0.0_f32, 1e-30, 0.5, 1.0, 2.0, 1e20]), grid()).prop_map(|(scale,
            by)| Deformation::All(scale, by)),
        4 => (prop::collection::vec(0..8_u32, 0..4), grid()).prop_map(|(vertices, by)| Deformation::Some(vertices, by)),
        1 => Just(Deformation::Rebuild),
        1 => Just(Deformation::Wrong),
    ]
}

proptest! {
    #![proptest_config(config(if cfg!(debug_assertions) { 60 } else { 200 }))]

    #[test]
    fn a_deforming_tree(
        number in 0..MESHES,
        kind in select(&VolumeKind::ALL[..]),
        obb_axes in 0..3_u32,
        rebuild_above in select(vec![0.0, 1.0, 1.5]),
        steps in prop::collection::vec((deformation(), 0..MESHES, grid()), 1..20),
    ) {
        let mesh = mesh(number);
        let options = BvtRefitOptions { obb_axes, rebuild_above, ..BvtRefitOptions::default() };
        // SAFETY: the options' size is set.
        let deforming = made(|out| unsafe { bvt_deforming_tree_new(Some(&tree(&mesh, kind)), Some(&c_mesh(&mesh)),
            &options, out) });
        let query = made(|out| bvt_query_new(0, out));
        let distance = |tree: &BvtTree, other: usize, at: [f64; 3]| {
            // SAFETY: null options are the default.
            let found = written(|out| unsafe { bvt_distance(Some(&query), Some(tree), Some(&trees()[other]),
                Some(&pose(at)), null(), out) });
            found.map(|found: BvtClosestPair| found.distance)
        };
        let mut vertices = mesh.vertices().to_vec();
        let mut earlier: Vec<Frozen> = Vec::new();
        for (deformation, other, at) in steps {
            match deformation {
                Deformation::All(scale, by) => {
                    vertices = mesh.vertices().iter().map(|p| shifted(&(p * scale), by)).collect();
                    let (first, count) = (vertices.as_ptr().cast(), vertices.len());
                    // SAFETY: there are as many positions.
                    let status = unsafe { bvt_deforming_tree_refit(Some(&deforming), first, count, 0,
                        BvtScalar::BVT_F32 as u32, None) };
                    prop_assert_eq!(status, BvtStatus::BVT_OK);
                }
                Deformation::Some(moved, by) => {
                    for vertex in moved.iter().map(|&vertex| vertex as usize) {
                        vertices[vertex] = shifted(&mesh.vertices()[vertex], by);
                    }
                    let positions: Vec<Point3<f32>> = moved.iter().map(|&vertex| vertices[vertex as usize]).collect();
                    // SAFETY: there are as many of both.
                    let status = unsafe {
                        bvt_deforming_tree_refit_moved(Some(&deforming), moved.as_ptr(), positions.as_ptr().cast(),
                            moved.len(), None)
                    };
                    prop_assert_eq!(status, BvtStatus::BVT_OK);
                }
                Deformation::Rebuild => prop_assert_eq!(bvt_deforming_tree_rebuild(Some(&deforming)),
                    BvtStatus::BVT_OK),
                Deformation::Wrong => {
                    let nowhere = [f32::NAN; 3];
                    for (vertex, position) in [(0, nowhere), (u32::MAX, [0.0; 3])] {
                        // SAFETY: there is one of both.
                        let status = unsafe { bvt_deforming_tree_refit_moved(Some(&deforming), &vertex,
                            position.as_ptr(), 1, None) };
                        prop_assert_eq!(status, BvtStatus::BVT_ERROR_REFIT);
                    }
                }
            }
            let now = made(|out| bvt_deforming_tree_tree(Some(&deforming), out));
            let fresh = tree(&Mesh::from_arrays(vertices.clone(), mesh.triangles().to_vec()).unwrap(), kind);
            let found = distance(&now, other, at);
            let expected = distance(&fresh, other, at);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                prop_assert!((found == 0.0) == (expected == 0.0) && (found - expected).abs() <= 1e-12 * expected,
                    "{} {}", found, expected);
            }
            earlier.push((now, other, at, found));
            // Trees that were returned earlier have not changed.
            for (tree, other, at, found) in &earlier {
                prop_assert_eq!(distance(tree, *other, *at), *found);
            }
            if earlier.len() == 3 {
                earlier.remove(0);
            }
        }
    }
}

#[test]
fn solids_have_closed_meshes() {
    let lidless = {
        let mesh = cube(4.0, [0.0; 3]);
        tree(&Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles()[2..].to_vec()).unwrap(), VolumeKind::Obb)
    };
    let scene = made(|out| bvt_scene_new(0, out));
    let add = |tree: &BvtTree, solid: u32| {
        let options = BvtBodyOptions { solid, ..BvtBodyOptions::default() };
        let mut body = std::mem::MaybeUninit::uninit();
        // SAFETY: the options' size is set.
        let status =
            unsafe { bvt_scene_add(Some(&scene), Some(tree), Some(&pose([0.0; 3])), &options, Some(&mut body)) };
        // SAFETY: it is written if it says so.
        (status == BvtStatus::BVT_OK).then(|| unsafe { body.assume_init() }).ok_or(status)
    };
    assert_eq!(add(&lidless, 1), Err(BvtStatus::BVT_ERROR_SCENE));
    assert_eq!(add(&lidless, 3), Err(BvtStatus::BVT_ERROR_ARGUMENT));
    let open = add(&lidless, BvtSolid::BVT_SOLID_IF_CLOSED as u32).unwrap();
    let solid = add(&trees()[0], BvtSolid::BVT_SOLID as u32).unwrap();
    let is_solid = |body: BvtBodyId| written(|out| bvt_scene_is_solid(Some(&scene), body, out)).unwrap();
    assert_eq!([open, solid].map(is_solid), [false, true]);
    let closest = || written(|out| bvt_scene_closest_pair(Some(&scene), out)).map(|near: BvtNearPair| near.distance);
    // A small solid touches nothing inside a big surface, but intersects a big solid.
    assert_eq!(closest(), Some(3.0));
    assert_eq!(bvt_scene_set_tree(Some(&scene), solid, Some(&lidless)), BvtStatus::BVT_ERROR_SCENE);
    assert_eq!(bvt_scene_remove(Some(&scene), open), BvtStatus::BVT_OK);
    add(&trees()[1], BvtSolid::BVT_SOLID_IF_CLOSED as u32).unwrap();
    assert_eq!(closest(), Some(0.0));
}
