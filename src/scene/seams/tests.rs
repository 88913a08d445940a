//! Contact manifolds at the seams of static bodies: a level in tiles against the same level as one mesh.

use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::probe::Probe;
use crate::query::ManifoldPoint;
use crate::scene::{Body, BodyId, BodyManifold, Scene};
use crate::triangle::Triangle;
use crate::{BuildOptions, BvTree, Mesh, Pose};

/// The SplitMix64 sequence.
struct Random(u64);

impl Random {
    /// A uniform number from 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self, half_size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| (2.0 * self.unit() - 1.0) * half_size)
    }
}

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

/// The triangles as a mesh without shared vertices.
fn unconnected(triangles: &Triangles) -> Mesh {
    let corners = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_arrays(triangles.concat(), corners).unwrap()
}

fn cuboid([x, y, z]: [f32; 3]) -> Mesh {
    let corner =
        |i: u8| Point3::from([(1, x), (2, y), (4, z)].map(|(bit, l)| if i & bit == 0 { -0.5 * l } else { 0.5 * l }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_arrays((0..8).map(corner).collect(), faces).unwrap()
}

/// A capsule of radius 0.4 whose axis is 0.6 long, in rings of ten vertices.
fn capsule() -> Mesh {
    let ring = |k: u8| {
        let (sin, cos) = (f32::from(k) * std::f32::consts::FRAC_PI_8).sin_cos();
        let turn = |i: u8| (f32::from(i) * std::f32::consts::TAU / 10.0).sin_cos();
        (0..10)
            .map(move |i| Point3::new(0.4 * sin * turn(i).1, 0.4 * sin * turn(i).0, 0.4 * cos + 0.3_f32.copysign(cos)))
    };
    let poles = [Point3::new(0.0, 0.0, 0.7), Point3::new(0.0, 0.0, -0.7)];
    let vertices = poles.into_iter().chain((1..8).flat_map(ring)).collect();
    let at = |ring: u32, i: u32| 2 + (ring - 1) * 10 + i % 10;
    let mut faces = Vec::new();
    for i in 0..10 {
        faces.extend([[0, at(1, i), at(1, i + 1)], [1, at(7, i + 1), at(7, i)]]);
        for k in 1..7 {
            let [p, q, r, s] = [at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)];
            faces.extend([[p, q, r], [p, r, s]]);
        }
    }
    Mesh::from_arrays(vertices, faces).unwrap()
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
    is_cut: bool,
}

/// Which tiles a level has: `count` of four, the last of them cut finer if `is_cut`.
#[derive(Clone, Copy, Debug)]
struct Tiles {
    is_cut: bool,
    count: usize,
    /// The number of copies of each tile.
    copies: usize,
}

impl Levels {
    fn new(height: &dyn Fn(i32, i32) -> f32, movers: &[Mesh], Tiles { is_cut, count, copies }: Tiles) -> Self {
        let (mut whole, mut tiled) = (Scene::new(), Scene::new());
        let half = CELLS / 2;
        let corners = [[0, 0], [half, 0], [0, half], [half, half]];
        let parts = corners.map(|[x, y]| field(height, x..x + half, y..y + half));
        let all = unconnected(&parts[4 - count..].concat());
        whole.add(Body::fixed(tree(&all), Pose::identity())).unwrap();
        let mut tiles = Vec::new();
        for (i, part) in parts.iter().enumerate().skip(4 - count) {
            let part = if is_cut && i == 3 { cut(part) } else { part.clone() };
            let offset = i as f64;
            let pose: Pose =
                Isometry3::new(Vector3::new(0.3, -0.7, 0.1) * offset, Vector3::z() * (0.4 * offset)).into();
            let inverse = pose.inverse();
            let local: Triangles = part.iter().map(|t| t.map(|p| inverse.transform(&p).map(|x| x as f32))).collect();
            let body = Body::fixed(tree(&unconnected(&local)), pose);
            tiles.extend((0..copies).map(|_| tiled.add(body.clone()).unwrap()));
        }
        let add = |scene: &mut Scene, mesh| scene.add(Body::moving(tree(mesh), Pose::identity())).unwrap();
        let movers = movers.iter().map(|mesh| [add(&mut whole, mesh), add(&mut tiled, mesh)]).collect();
        Self { whole, tiled, tiles, movers, is_cut }
    }

    /// The contacts of a mover at a pose, the others being far away: with the whole level, and with the tiles.
    fn place(&mut self, mover: usize, pose: Pose) -> [Vec<Contact>; 2] {
        let far = Pose::from_translation(Vector3::new(0.0, 0.0, 1e4)).unwrap();
        let mut found = [Vec::new(), Vec::new()];
        for (side, scene) in [&mut self.whole, &mut self.tiled].into_iter().enumerate() {
            for (i, ids) in self.movers.iter().enumerate() {
                let away = Pose::from_translation(far.translation() * (i + 1) as f64).unwrap();
                scene.set_pose(ids[side], if i == mover { pose } else { away }).unwrap();
            }
            found[side] = contacts(scene);
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
    [cuboid([1.0; 3]), cuboid([0.3, 0.4, 0.8]), capsule()]
}

/// A point of contact, before up to four are chosen for a manifold, in the world.
#[derive(Clone, Copy, Debug)]
struct Contact {
    point: ManifoldPoint,
    /// The unit vector from the level to the mover; where the points nearly coincide, the normal of their manifold.
    direction: Vector3<f64>,
    /// The least cosine of directions that agree with this one.
    least_cosine: f64,
}

/// All contact points of a scene.
fn contacts(scene: &mut Scene) -> Vec<Contact> {
    let mut found = Vec::new();
    scene.for_each_manifold_of(
        MARGIN,
        |points, _, _| points.to_vec(),
        |BodyManifold { manifold, .. }| {
            found.extend(manifold.points.iter().map(|&point| {
                // Normals are means of directions at most 10 degrees from that of the deepest point.
                let (direction, least_cosine) = match point.depth.abs() {
                    depth if depth < 1e-3 => (manifold.normal, 0.93),
                    _ => ((point.on_a - point.on_b) / point.depth, 1.0 - 1e-6),
                };
                Contact { point, direction, least_cosine }
            }));
            ControlFlow::Continue(())
        },
    );
    found
}

/// How far contacts with tiles may be off, whose vertices are rounded to f32 in frames of their own.
const TOLERANCE: f64 = 1e-4;

/// The number of contacts in `found` that are not among the `known` ones. If triangles were cut, edges have vertices
/// between the known points, with the direction of the other body's face, where crossings have their own.
fn strangers(found: &[Contact], known: &[Contact], is_cut: bool) -> usize {
    let is_known = |contact: &Contact| {
        let at_most = if is_cut { 0.984 } else { 1.0 };
        let points: Vec<Point3<f64>> = known
            .iter()
            .filter(|other| {
                let least_cosine = contact.least_cosine.min(other.least_cosine).min(at_most);
                other.direction.dot(&contact.direction) >= least_cosine
            })
            .map(|other| other.point.on_a)
            .collect();
        let is_at =
            |triangle: Triangle| (triangle.closest_point(&contact.point.on_a) - contact.point.on_a).norm() < TOLERANCE;
        let n = points.len();
        if is_cut {
            (0..n * n).any(|i| is_at(Triangle { vertices: [points[i % n], points[i / n], points[i / n]] }))
        } else {
            points.iter().any(|&p| is_at(Triangle { vertices: [p; 3] }))
        }
    };
    found.iter().filter(|contact| !is_known(contact)).count()
}

/// The numbers of [`strangers`] among the tiles' points and among the whole level's, in random poses near the seams.
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
        counts[0] += strangers(&tiled, &whole, levels.is_cut);
        counts[1] += strangers(&whole, &tiled, levels.is_cut);
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
            let strangers = compare(&mut levels, 400, &mut random);
            if strangers != [0, 0] {
                wrong.push((i, tiles, strangers));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A body that moves, or that the box passes through, continues no other body.
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

/// Two copies of a floor in one place have the boundary of one floor.
#[test]
fn tiles_in_one_place_have_the_boundary_of_one() {
    for height in &HEIGHTS[..3] {
        let mut levels = Levels::new(height, &movers(), Tiles { is_cut: false, count: 1, copies: 2 });
        assert_eq!(compare(&mut levels, 120, &mut Random(11)), [0, 0]);
    }
}

/// A tile may be off the others by the rounding of coordinates in its own frame, also beside a much smaller one.
#[test]
fn a_small_tile_continues_one_that_is_rounded_coarsely() {
    // Two triangles from a place along x on, 2 wide.
    let tile = |from: f32| {
        let corner = |x: f32, y: f32| Point3::new(from + x, y, 0.0);
        let [a, b, c, d] = [corner(0.0, -1.0), corner(2.0, -1.0), corner(2.0, 1.0), corner(0.0, 1.0)];
        tree(&unconnected(&vec![[a, b, c], [a, c, d]]))
    };
    let far = 1_000_000.0;
    for (gap, continues) in [(0.05, true), (-0.05, true), (2.0, false)] {
        let mut scene = Scene::new();
        let pose = Pose::from_translation(Vector3::new(gap - far, 0.0, 0.0)).unwrap();
        let small = scene.add(Body::fixed(tile(-2.0), Pose::identity())).unwrap();
        let coarse = scene.add(Body::fixed(tile(far as f32), pose)).unwrap();
        let mover = scene.add(Body::moving(tree(&cuboid([1.0; 3])), Pose::identity())).unwrap();
        for (body, place) in [(small, 0.0), (coarse, gap)] {
            let pair = scene.body_pair([body.index, mover.index]);
            let parts = pair.parts().pair([0; 2]);
            let point = parts.frame().inverse().transform_point(&Point3::new(place, 0.0, 0.0));
            let (found, tolerance) = pair.seam_triangles(&parts, &mut Probe::new(), 0, &point);
            assert_eq!(!found.is_empty(), continues, "{gap}, tolerance {tolerance}");
        }
    }
}
