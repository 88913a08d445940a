//! Characters in a world of tiles, which come and go while they walk, beside the same level cooked whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, BodyId, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Isometry3, Point3, Vector3};

const STEP: f64 = 1.0 / 60.0;
const TILE: f64 = 4.0;
const LENGTH: usize = 28;
/// The walls are at both y, and the seams between the tiles along x at y = 0.
const WALL: f64 = 3.0;

type Triangles = Vec<[Point3<f64>; 3]>;

/// The height of the floor: flat, a slope of 1 in 4, flat, stairs of 0.25 by 0.5, flat.
fn height(x: f64) -> f64 {
    0.25 * (x - 4.0).clamp(0.0, 8.0) + 0.25 * (((x - 16.0) * 2.0).floor() + 1.0).clamp(0.0, 16.0)
}

/// Floor and walls in cells of half a metre, whose coordinates f32 has.
fn level() -> Triangles {
    let mut triangles = Triangles::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| {
        let [a, b, c, d] = [a, b, c, d].map(Point3::from);
        triangles.extend([[a, b, c], [a, c, d]]);
    };
    for x in (0..2 * LENGTH).map(|i| 0.5 * i as f64) {
        // Treads are level; the floor to the right of a riser counts.
        let (low, high) = (height(x), height((x + 0.5).next_down()));
        let high = if (4.0..12.0).contains(&x) { height(x + 0.5) } else { high };
        let before = if x == 0.0 { low } else { height(x.next_down()) };
        for y in (-6..6).map(|k| 0.5 * f64::from(k)) {
            quad([[x, y, low], [x + 0.5, y, high], [x + 0.5, y + 0.5, high], [x, y + 0.5, low]]);
            if low > before + 0.1 {
                quad([[x, y, before], [x, y, low], [x, y + 0.5, low], [x, y + 0.5, before]]);
            }
        }
        for y in [-WALL, WALL] {
            quad([[x, y, -1.0], [x + 0.5, y, -1.0], [x + 0.5, y, 9.0], [x, y, 9.0]]);
        }
    }
    triangles
}

fn tree(triangles: &Triangles) -> Arc<BvTree> {
    let corners = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let vertices = triangles.iter().flatten().map(|corner| corner.cast()).collect();
    Arc::new(BvTree::build(&Mesh::from_arrays(vertices, corners).unwrap(), &BuildOptions::default()).unwrap())
}

/// The tiles by their index, cooked in frames of their own, and those of them that are in the scene.
struct Tiles {
    bodies: BTreeMap<[i32; 2], Body>,
    loaded: BTreeMap<[i32; 2], BodyId>,
    loads: usize,
    unloads: usize,
}

impl Tiles {
    /// `is_turned`: in frames in which the vertices are rounded.
    fn new(is_turned: bool) -> Self {
        let mut parts = BTreeMap::<[i32; 2], Triangles>::new();
        for triangle in level() {
            let middle = triangle.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / 3.0;
            parts.entry([middle.x, middle.y].map(|x| (x / TILE).floor() as i32)).or_default().push(triangle);
        }
        let bodies = parts.into_iter().map(|(index, triangles)| {
            let [x, y] = index.map(f64::from);
            let turn = if is_turned { Vector3::new(0.3, -0.7, 0.2 * x + y) } else { Vector3::zeros() };
            let pose: Pose = Isometry3::new(Vector3::new(x, y, 0.0) * TILE, turn).into();
            let inverse = pose.inverse();
            let local = triangles.iter().map(|t| t.map(|corner| inverse.transform(&corner.cast()))).collect();
            (index, Body::fixed(tree(&local), pose))
        });
        Self { bodies: bodies.collect(), loaded: BTreeMap::new(), loads: 0, unloads: 0 }
    }

    /// Loads the tiles within 1.5 m of a point and unloads those beyond 2.5 m.
    fn follow(&mut self, scene: &mut Scene, feet: &Point3<f64>) {
        for (index, body) in &self.bodies {
            let off = [0, 1].map(|k| {
                let low = f64::from(index[k]) * TILE;
                (low - feet[k]).max(feet[k] - low - TILE).max(0.0)
            });
            let distance = off[0].hypot(off[1]);
            if distance < 1.5 && !self.loaded.contains_key(index) {
                self.loaded.insert(*index, scene.add(body.clone()).unwrap());
                self.loads += 1;
            } else if distance > 2.5
                && let Some(id) = self.loaded.remove(index)
            {
                scene.remove(id).unwrap();
                self.unloads += 1;
            }
        }
    }
}

/// Walks there and back; returns how far apart the two characters ever were.
fn walk(is_turned: bool, start: Point3<f64>, intent: impl Fn(usize, f64) -> Intent) -> f64 {
    let mut whole = Scene::new();
    whole.add(Body::fixed(tree(&level()), Pose::identity())).unwrap();
    let (mut tiled, mut tiles) = (Scene::new(), Tiles::new(is_turned));
    let mut characters = [(); 2].map(|()| Character::new(&CharacterOptions::default(), start).unwrap());
    let (mut apart, mut forward, mut turns) = (0.0_f64, 1.0, 0);
    for i in 0..2_000 {
        tiles.follow(&mut tiled, &characters[1].feet());
        let wish = intent(i, forward);
        for (character, scene) in characters.iter_mut().zip([&whole, &tiled]) {
            let outcome = character.step(&Surroundings::new(scene), &wish, STEP).unwrap();
            assert!(!outcome.is_crushed, "step {i}");
        }
        let [feet, other] = [0, 1].map(|k| characters[k].feet());
        apart = apart.max((feet - other).norm());
        assert!(other.z > height(other.x) - 0.26 && other.y.abs() < WALL, "step {i}: {other}");
        let grounds = [0, 1].map(|k| characters[k].ground().is_some());
        assert_eq!(grounds[0], grounds[1], "step {i}: {feet} and {other}");
        if feet.x > 26.0 && forward > 0.0 || feet.x < 2.0 && forward < 0.0 {
            forward = -forward;
            turns += 1;
        }
        if turns == 2 {
            assert!(tiles.loads > 8 && tiles.unloads > 8, "{} and {}", tiles.loads, tiles.unloads);
            return apart;
        }
    }
    panic!("it hangs at {} and {}", characters[0].feet(), characters[1].feet());
}

/// Straight on, along the seam and beside it; along both walls; and to and fro with jumps.
#[test]
fn tiles_are_walked_on_as_the_level_is() {
    // Within a millimetre where vertices are rounded.
    for (is_turned, tolerance) in [(false, 1e-9), (true, 1e-3)] {
        let walking = |x: f64, y: f64, jump: f64| Intent { walk: Vector3::new(x, y, 0.0), jump };
        for y in [0.0, 0.05, -1.3] {
            let apart = walk(is_turned, Point3::new(2.5, y, 0.05), |_, forward| walking(4.0 * forward, 0.0, 0.0));
            assert!(apart < tolerance, "{y}, {is_turned}: {apart}");
        }
        for side in [-1.0, 1.0] {
            let start = Point3::new(2.5, 2.0 * side, 0.05);
            let apart = walk(is_turned, start, |_, forward| walking(3.0 * forward, 2.0 * side, 0.0));
            assert!(apart < tolerance, "{side}, {is_turned}: {apart}");
        }
        let apart = walk(is_turned, Point3::new(2.5, 0.4, 0.05), |i, forward| {
            let aside = 4.0 * (0.05 * i as f64).sin();
            walking(3.0 * forward, aside, if i % 70 == 0 { 4.0 } else { 0.0 })
        });
        assert!(apart < tolerance, "{is_turned}: {apart}");
    }
}

/// On the flat it advances by what it wants in each step, along a seam and over it.
#[test]
fn no_seam_slows_it_down() {
    let (mut scene, mut tiles) = (Scene::new(), Tiles::new(true));
    for way in [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.6, 0.5, 0.0)] {
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(13.0, -0.5, 2.05)).unwrap();
        for i in 0..60 {
            let from = character.feet();
            tiles.follow(&mut scene, &from);
            let intent = Intent { walk: if i < 10 { Vector3::zeros() } else { way * 2.0 }, jump: 0.0 };
            character.step(&Surroundings::new(&scene), &intent, STEP).unwrap();
            let moved = character.feet() - from;
            assert!(i < 10 || (moved - intent.walk * STEP).norm() < 1e-5, "step {i}: {moved}");
        }
    }
}
