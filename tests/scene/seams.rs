//! Contact manifolds at the seams of static bodies: a level in tiles against the same level as one mesh.

use std::sync::Arc;

use bvtree::scene::{Body, BodyId, BodyManifold, Scene};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Isometry3, Point3, Vector3};

use super::Random;
use crate::oracle::meshes;
use crate::solids::cuboid;

const MARGIN: f64 = 0.06;
/// The cells of a level along each side, of edge length 1, around the origin.
const CELLS: i32 = 6;

type Triangles = Vec<[Point3<f32>; 3]>;

/// The triangles of a height field over some of the cells.
fn field(height: &dyn Fn(i32, i32) -> f32, x: std::ops::Range<i32>, y: std::ops::Range<i32>) -> Triangles {
    let corner = |i: i32, k: i32| {
        Point3::new((i - CELLS / 2) as f32, (k - CELLS / 2) as f32, height(i - CELLS / 2, k - CELLS / 2))
    };
    let cells = x.flat_map(|i| y.clone().map(move |k| (i, k)));
    cells
        .flat_map(|(i, k)| {
            let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Each triangle cut into four, which leaves T-junctions with what is not cut.
fn cut(triangles: &Triangles) -> Triangles {
    let middle = |p: Point3<f32>, q: Point3<f32>| nalgebra::center(&p, &q);
    let four = |&[a, b, c]: &[Point3<f32>; 3]| {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    triangles.iter().flat_map(four).collect()
}

fn tree(mesh: &Mesh) -> Arc<BvTree> {
    Arc::new(BvTree::build(mesh, &BuildOptions::default()).unwrap())
}

/// A level as one mesh, and in tiles that meet at the origin, each in a frame of its own.
struct Levels {
    whole: Scene,
    tiled: Scene,
    tiles: Vec<BodyId>,
    movers: Vec<[BodyId; 2]>,
}

/// Whether a tile of a level is cut finer, and how many of the four there are.
#[derive(Clone, Copy, Debug)]
struct Tiles {
    is_cut: bool,
    count: usize,
    /// How often each is there.
    copies: usize,
}

impl Levels {
    fn new(height: &dyn Fn(i32, i32) -> f32, movers: &[Mesh], Tiles { is_cut, count, copies }: Tiles) -> Self {
        let (mut whole, mut tiled) = (Scene::new(), Scene::new());
        let half = CELLS / 2;
        let corners = [[0, 0], [half, 0], [0, half], [half, half]];
        let parts = corners.map(|[x, y]| field(height, x..x + half, y..y + half));
        let all = meshes::unconnected(&parts[4 - count..].concat());
        whole.add(Body::fixed(tree(&all), Pose::identity())).unwrap();
        let mut tiles = Vec::new();
        for (i, part) in parts.iter().enumerate().skip(4 - count) {
            let part = if is_cut && i == 3 { cut(part) } else { part.clone() };
            let offset = i as f64;
            let pose: Pose =
                Isometry3::new(Vector3::new(0.3, -0.7, 0.1) * offset, Vector3::z() * (0.4 * offset)).into();
            let inverse = pose.inverse();
            let local: Triangles = part.iter().map(|t| t.map(|p| inverse.transform(&p).map(|x| x as f32))).collect();
            let body = Body::fixed(tree(&meshes::unconnected(&local)), pose);
            tiles.extend((0..copies).map(|_| tiled.add(body.clone()).unwrap()));
        }
        let add = |scene: &mut Scene, mesh| scene.add(Body::moving(tree(mesh), Pose::identity())).unwrap();
        let movers = movers.iter().map(|mesh| [add(&mut whole, mesh), add(&mut tiled, mesh)]).collect();
        Self { whole, tiled, tiles, movers }
    }

    /// The manifolds of a mover at a pose, the others being far away: with the whole level, and with the tiles.
    fn place(&mut self, mover: usize, pose: Pose) -> [Vec<BodyManifold>; 2] {
        let far = Pose::from_translation(Vector3::new(0.0, 0.0, 1e4)).unwrap();
        let mut found = [Vec::new(), Vec::new()];
        for (side, scene) in [&mut self.whole, &mut self.tiled].into_iter().enumerate() {
            for (i, ids) in self.movers.iter().enumerate() {
                let away = Pose::from_translation(far.translation() * (i + 1) as f64).unwrap();
                scene.set_pose(ids[side], if i == mover { pose } else { away }).unwrap();
            }
            found[side] = scene.contact_manifolds(MARGIN);
        }
        found
    }
}

/// Flat, a ridge, a gutter and others along the seams, with the seams along their edges.
const HEIGHTS: [fn(i32, i32) -> f32; 5] = [
    |_, _| 0.0,
    |x, _| -0.4 * x.abs() as f32,
    |x, _| 0.4 * x.abs() as f32,
    |x, y| 0.3 * (x.abs() - y.abs()) as f32,
    |x, y| 0.07 * ((x * 7 + y * 5 + 30) % 5) as f32,
];

/// A box, a slim one, and a capsule.
fn movers() -> [Mesh; 3] {
    let capsule = meshes::moved(&meshes::sphere(8, 10, 0.4), |p| Vector3::new(p.x, p.y, p.z + 0.3_f64.copysign(p.z)));
    [cuboid([1.0; 3]), cuboid([0.3, 0.4, 0.8]), capsule]
}

/// The points of manifolds that are not in any of the others with that normal. Normals are means of directions at most
/// 10 degrees from that of the deepest point, which may be another one: they may differ by 20 degrees.
fn strangers(found: &[BodyManifold], known: &[BodyManifold]) -> usize {
    let is_known = |point: Point3<f64>, normal: &Vector3<f64>| {
        known.iter().filter(|other| other.manifold.normal.dot(normal) > 0.93).any(|other| {
            let points: Vec<Point3<f64>> = other.manifold.points.iter().map(|point| point.on_a).collect();
            // Points in a line beyond the deepest, and of more than four, are left out.
            let tolerance = if points.len() < 4 { 0.005 } else { f64::INFINITY };
            let n = points.len();
            let corners = (0..n * n * n).map(|i| [points[i % n], points[i / n % n], points[i / (n * n)]]);
            corners
                .map(|vertices| Triangle { vertices })
                .any(|triangle| (triangle.closest_point(&point) - point).norm() < tolerance)
        })
    };
    let points = found.iter().flat_map(|found| found.manifold.points.iter().map(|p| (p.on_a, &found.manifold.normal)));
    points.filter(|(point, normal)| !is_known(*point, normal)).count()
}

/// The strangers among the tiles' points and among the whole level's, in random poses near the seams.
fn compare(levels: &mut Levels, cases: usize, random: &mut Random) -> [usize; 2] {
    let mut counts = [0, 0];
    let mut touching = 0;
    for case in 0..cases {
        let tilt = if case % 2 == 0 { Vector3::zeros() } else { random.vector(0.3) };
        let place = random.vector(0.7);
        let shift = Vector3::new(place.x, place.y, 0.4 + 0.35 * random.unit());
        let pose = Isometry3::new(shift, tilt + Vector3::z() * (3.0 * random.unit())).into();
        let [whole, tiled] = levels.place(case / 2 % levels.movers.len(), pose);
        touching += usize::from(!whole.is_empty());
        counts[0] += strangers(&tiled, &whole);
        counts[1] += strangers(&whole, &tiled);
    }
    assert!(touching > cases / 10, "{touching} of {cases} touch");
    counts
}

/// Contacts with tiles are those with the level as one mesh, also where a tile is missing and the edges are real.
#[test]
fn tiles_are_one_surface() {
    let (mut random, mut wrong) = (Random(7), Vec::new());
    for (i, height) in HEIGHTS.iter().enumerate() {
        for tiles in
            [(false, 4), (true, 4), (false, 3), (false, 2)].map(|(is_cut, count)| Tiles { is_cut, count, copies: 1 })
        {
            let mut levels = Levels::new(height, &movers(), tiles);
            let strangers = compare(&mut levels, 120, &mut random);
            if strangers != [0, 0] {
                wrong.push((i, tiles, strangers));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What moves, and what the box passes through, continues nothing.
#[test]
fn only_static_bodies_that_are_touched_continue_each_other() {
    let tiles = Tiles { is_cut: false, count: 4, copies: 1 };
    let mut levels = Levels::new(&HEIGHTS[0], &movers(), tiles);
    for tile in &levels.tiles {
        let body = levels.tiled.body(*tile).unwrap().clone();
        levels.tiled.remove(*tile).unwrap();
        levels.tiled.add(Body { is_static: false, groups: 2, mask: 1, ..body }).unwrap();
    }
    let [strange, _] = compare(&mut levels, 120, &mut Random(3));
    assert!(strange > 20, "{strange}");

    // Two tiles are left; the box ignores the others.
    let mut levels = Levels::new(&HEIGHTS[1], &movers(), tiles);
    levels.whole = Levels::new(&HEIGHTS[1], &movers(), Tiles { count: 2, ..tiles }).whole;
    for tile in &levels.tiles[..2] {
        let body = levels.tiled.body(*tile).unwrap().clone();
        levels.tiled.remove(*tile).unwrap();
        levels.tiled.add(Body { groups: 2, mask: 2, ..body }).unwrap();
    }
    assert_eq!(compare(&mut levels, 120, &mut Random(5)), [0, 0]);
}

/// A floor that is there twice ends where it ends.
#[test]
fn tiles_in_one_place_have_the_boundary_of_one() {
    for height in &HEIGHTS[..3] {
        let mut levels = Levels::new(height, &movers(), Tiles { is_cut: false, count: 1, copies: 2 });
        assert_eq!(compare(&mut levels, 120, &mut Random(11)), [0, 0]);
    }
}
