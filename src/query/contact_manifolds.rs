//! Contact manifolds: the points at which a solver holds two bodies apart.
//!
//! Contacts are those of polyhedra (Baraff, "Fast contact force computation for nonpenetrating rigid bodies", 1994): a
//! vertex against a face, or two edges that cross; and, across a gap, the vertices or edges that are closest. Each has
//! a direction, and counts only if both surfaces end there in that direction, which their other triangles at the vertex
//! or edge tell: edges inside a flat or hollow surface give none.

use std::collections::{HashMap, HashSet};
use std::f64::consts::PI;
use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use super::Query;
use crate::mesh::DisjointSets;
use crate::numeric::error_bounds::{FLAT_ANGLE, SAME_DIRECTION};
use crate::pose::Pose;
use crate::traversal::{FacePair, PosedTrees};
use crate::tree::BvTree;
use crate::triangle::{ClosestPoints, EdgeKey, PointKey, Triangle, edge_key, point_key};

/// A contact manifold: points of one contact region with about the same normal.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactManifold {
    /// The unit normal from A to B, in A's frame: the mean of the points' directions, which differ by at most 10
    /// degrees from that of the deepest.
    pub normal: Vector3<f64>,
    /// One to four points, the deepest first. Of those that are equally deep, to a ten-thousandth of the margin, it is
    /// the outermost.
    pub points: Vec<ManifoldPoint>,
}

/// A point of a [`ContactManifold`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// The point of A's surface, in A's frame.
    pub on_a: Point3<f64>,
    /// The point of B's surface, in A's frame.
    pub on_b: Point3<f64>,
    /// How deep the point of B is below A's surface, in A's unit; negative across a gap.
    pub depth: f64,
    /// Triangles that contain the points. Where several do, it is any of them.
    pub faces: FacePair,
    /// Names the vertices, edges or faces that touch, by their coordinates in the meshes: equal from frame to frame
    /// while the same ones touch, to carry impulses over.
    pub id: u64,
}

impl Query {
    /// The contact manifolds of two meshes: up to four points with a common normal for each region of contact, as a
    /// solver of rigid bodies needs them. Sorted by depth, the deepest first.
    ///
    /// Contacts are found up to a depth of `margin` and across a gap of up to `margin`, in A's unit; none if it is
    /// negative or NaN. Choose it larger than bodies sink in or approach each other in a time step, and smaller than
    /// their thickness. Triangles face outward by the right-hand rule. Triangles without area have no direction and
    /// give no contact of a face.
    #[doc(alias = "contact manifold")]
    #[doc(alias = "manifold")]
    pub fn contact_manifolds(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, margin: f64) -> Vec<ContactManifold> {
        self.contact_manifolds_among([a, b], b_to_a, margin, [false; 2], &mut |_, _| (Neighbors::new(), 0.0), spread)
    }

    /// [`Query::contact_manifolds`] of meshes whose surfaces other meshes may continue, on the sides told: `neighbors`
    /// returns the triangles of such meshes that pass through a point of a side's boundary, in A's frame, and their
    /// tolerance. `choose` returns the points of a manifold that are kept: [`spread`], except in tests.
    pub(crate) fn contact_manifolds_among(
        &mut self,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        margin: f64,
        may_continue: [bool; 2],
        neighbors: FindNeighbors<'_>,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut near: Vec<([usize; 2], ClosestPoints)> = Vec::new();
        self.stats = self.for_each_leaf_pair_within(&trees, margin, &mut |leaves, closest| {
            near.push((leaves, *closest));
            ControlFlow::Continue(())
        });
        near.sort_unstable_by_key(|([a, b], _)| trees.faces(*a, *b));
        let leaves: Vec<[usize; 2]> = near.iter().map(|(leaves, _)| *leaves).collect();
        let surroundings = [0, 1].map(|side| Surroundings::new(&trees, side, &leaves));
        let (found, known) = (Vec::new(), HashSet::new());
        let mut candidates = Candidates { surroundings, may_continue, neighbors, margin, found, known };
        let regions = regions(&leaves);
        for ((leaves, closest), region) in near.iter().zip(regions) {
            candidates.add(&trees, *leaves, closest, region);
        }
        candidates.into_manifolds(choose)
    }
}

/// The region of each pair of triangles: pairs that share a triangle are in the same.
fn regions(pairs: &[[usize; 2]]) -> Vec<u32> {
    let mut sets = DisjointSets::sharing(pairs.iter().map(|[a, b]| [(0, *a), (1, *b)]));
    (0..pairs.len() as u32).map(|i| sets.find(i)).collect()
}

/// The vertices around each vertex and beside each edge of a mesh's triangles near the other mesh, in A's frame. All
/// triangles at a point that is near are near, so none is missing there.
struct Surroundings {
    around: HashMap<PointKey, Vec<Point3<f64>>>,
    beside: HashMap<EdgeKey, SmallVec<[Point3<f64>; 2]>>,
}

impl Surroundings {
    fn new(trees: &PosedTrees<'_>, side: usize, pairs: &[[usize; 2]]) -> Self {
        let mut surroundings = Self { around: HashMap::new(), beside: HashMap::new() };
        let mut leaves: Vec<usize> = pairs.iter().map(|leaves| leaves[side]).collect();
        leaves.sort_unstable();
        leaves.dedup();
        for leaf in leaves {
            let [a, b, c] = trees.triangle(side, leaf).vertices;
            for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
                surroundings.around.entry(point_key(&p)).or_default().extend([q, r]);
                surroundings.beside.entry(edge_key(&[p, q])).or_default().push(r);
            }
        }
        surroundings
    }

    /// The height of the surface at a vertex, or at an edge, along a direction; `None` elsewhere.
    fn height(&self, corners: &[Point3<f64>], direction: &Vector3<f64>) -> Option<Height> {
        match *corners {
            [vertex] => Some(height(&vertex, self.around.get(&point_key(&vertex))?, direction)),
            [p, q] => Some(height(&p, self.beside.get(&edge_key(&[p, q]))?, direction)),
            _ => None,
        }
    }

    /// The directions from a vertex, or from a point of an edge, into the surface, if the mesh ends there; `None` inside
    /// it.
    fn boundary(&self, corners: &[Point3<f64>], normal: &Vector3<f64>) -> Option<Sectors> {
        let mut sectors = Sectors::new(normal);
        match *corners {
            [vertex] => {
                let around = self.around.get(&point_key(&vertex)).filter(|around| is_rim(around))?;
                around.chunks_exact(2).for_each(|pair| sectors.add(pair[0] - vertex, pair[1] - vertex));
            }
            [p, q] => {
                let [r] = self.beside.get(&edge_key(&[p, q]))?[..] else { return None };
                half_plane(p, q, r).into_iter().for_each(|[from, to]| sectors.add(from, to));
            }
            _ => return None,
        }
        Some(sectors)
    }
}

/// Sectors of a plane around a point, as their first angle and their extent, in radians.
struct Sectors {
    axes: [Vector3<f64>; 2],
    all: SmallVec<[[f64; 2]; 8]>,
}

impl Sectors {
    /// Gaps up to this angle, in radians, are rounding.
    const NO_GAP: f64 = 0.001;

    fn new(normal: &Vector3<f64>) -> Self {
        let other = if normal.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() };
        let axis = normal.cross(&other).normalize();
        Self { axes: [axis, normal.cross(&axis)], all: SmallVec::new() }
    }

    /// Adds the sector between two directions that are less than a half turn apart.
    fn add(&mut self, from: Vector3<f64>, to: Vector3<f64>) {
        let [from, to] = [from, to].map(|way| self.axes[1].dot(&way).atan2(self.axes[0].dot(&way)));
        let turn = (to - from).rem_euclid(2.0 * PI);
        self.all.push(if turn < PI {
            [from.rem_euclid(2.0 * PI), turn]
        } else {
            [to.rem_euclid(2.0 * PI), 2.0 * PI - turn]
        });
    }

    /// Whether the sectors together are the whole plane. They may overlap: a surface may be there twice.
    fn are_whole(mut self) -> bool {
        self.all.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let Some(&[first, _]) = self.all.first() else { return false };
        let mut reached = first;
        for [start, extent] in self.all {
            if start > reached + Self::NO_GAP {
                return false;
            }
            reached = reached.max(start + extent);
        }
        reached >= first + 2.0 * PI - Self::NO_GAP
    }
}

/// The two sectors on the side of an edge on which a third point is, seen from a point of the edge.
fn half_plane(p: Point3<f64>, q: Point3<f64>, r: Point3<f64>) -> [[Vector3<f64>; 2]; 2] {
    [[q - p, r - p], [r - p, p - q]]
}

/// Triangles of other meshes that pass through a point of a mesh's boundary, up to a tolerance.
pub(crate) type Neighbors = SmallVec<[Triangle; 4]>;

/// Returns the [`Neighbors`] of a side's mesh at a point, all in A's frame, and their tolerance.
pub(crate) type FindNeighbors<'a> = &'a mut dyn FnMut(usize, &Point3<f64>) -> (Neighbors, f64);

/// Chooses of a manifold's points, the deepest first, for its normal and the margin.
pub(crate) type ChoosePoints = fn(&[ManifoldPoint], &Vector3<f64>, f64) -> Vec<ManifoldPoint>;

/// The sectors of a triangle around a point of it. The point may be off the triangle by the tolerance: then its corners
/// say little, but the directions of its edges do.
fn sectors_at(triangle: &Triangle, point: &Point3<f64>, tolerance: f64) -> SmallVec<[[Vector3<f64>; 2]; 3]> {
    let [a, b, c] = triangle.vertices;
    let corners = [[a, b, c], [b, c, a], [c, a, b]];
    let is_at = |[p, _, _]: &[Point3<f64>; 3]| (p - point).norm() <= tolerance;
    let is_on = |[p, q, _]: &[Point3<f64>; 3]| (q - p).cross(&(point - p)).norm() <= tolerance * (q - p).norm();
    if let Some([p, q, r]) = corners.into_iter().find(is_at) {
        SmallVec::from_slice(&[[q - p, r - p]])
    } else if let Some([p, q, r]) = corners.into_iter().find(is_on) {
        SmallVec::from_slice(&half_plane(p, q, r))
    } else {
        let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        SmallVec::from_slice(&corners.map(|[p, q, _]| [p - middle, q - middle]))
    }
}

/// The height of some points above one point, along a direction.
#[derive(Clone, Copy, PartialEq)]
enum Height {
    /// No point is above it, and one or more are below.
    Below,
    Flat,
    /// One or more points are above it.
    Above,
}

fn height(from: &Point3<f64>, points: &[Point3<f64>], direction: &Vector3<f64>) -> Height {
    height_along(points.iter().map(|point| point - from), direction)
}

fn height_along(offsets: impl IntoIterator<Item = Vector3<f64>>, direction: &Vector3<f64>) -> Height {
    let mut height = Height::Flat;
    for offset in offsets {
        let (rise, flat) = (offset.dot(direction), FLAT_ANGLE * offset.norm());
        if rise > flat {
            return Height::Above;
        }
        if rise < -flat {
            height = Height::Below;
        }
    }
    height
}

/// Whether a vertex with these vertices around it is on the rim of an open mesh: inside, each of them is in two
/// triangles at the vertex.
fn is_rim(around: &[Point3<f64>]) -> bool {
    let mut keys: Vec<PointKey> = around.iter().map(point_key).collect();
    keys.sort_unstable();
    keys.chunk_by(|p, q| p == q).any(|same| same.len() % 2 == 1)
}

struct Candidate {
    point: ManifoldPoint,
    /// The unit direction from A to B.
    direction: Vector3<f64>,
    region: u32,
}

struct Candidates<'a> {
    surroundings: [Surroundings; 2],
    /// The sides whose surfaces other meshes may continue.
    may_continue: [bool; 2],
    neighbors: FindNeighbors<'a>,
    margin: f64,
    found: Vec<Candidate>,
    known: HashSet<u64>,
}

impl Candidates<'_> {
    /// Whether a side's surface ends in a direction at a vertex, or at a point of an edge, which is not in a flat part
    /// of it. At the boundary of its mesh, other meshes may continue it.
    fn ends_at(&mut self, side: usize, corners: &[Point3<f64>], point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        let Some(mut height) = self.surroundings[side].height(corners, direction) else { return false };
        if height == Height::Above || height == Height::Below && !self.may_continue[side] {
            return height == Height::Below;
        }
        let Some(mut sectors) = self.surroundings[side].boundary(corners, direction) else {
            return height == Height::Below;
        };
        let (neighbors, tolerance) = (self.neighbors)(side, point);
        for triangle in &neighbors {
            let more = sectors_at(triangle, point, tolerance);
            match height_along(more.iter().flatten().copied(), direction) {
                Height::Above => return false,
                Height::Below => height = Height::Below,
                Height::Flat => more.into_iter().for_each(|[from, to]| sectors.add(from, to)),
            }
        }
        height == Height::Below || neighbors.is_empty() || !sectors.are_whole()
    }

    /// [`Candidates::ends_at`], or in the triangle's own direction if that is about the same: a face that is nearly
    /// parallel to another touches it with all its corners.
    fn ends_near(
        &mut self,
        side: usize,
        corners: &[Point3<f64>],
        point: &Point3<f64>,
        direction: &Vector3<f64>,
        own: &Vector3<f64>,
    ) -> bool {
        self.ends_at(side, corners, point, direction)
            || own.dot(direction) >= SAME_NORMAL && self.ends_at(side, corners, point, own)
    }

    /// Adds the contacts of a pair of triangles.
    fn add(&mut self, trees: &PosedTrees<'_>, leaves: [usize; 2], closest: &ClosestPoints, region: u32) {
        let triangles = trees.pair(leaves[0], leaves[1]);
        let faces = trees.faces(leaves[0], leaves[1]);
        let add = |all: &mut Self, corners: [&[usize]; 2], on: [Point3<f64>; 2], direction, depth| {
            let id = id(trees, leaves, corners);
            if all.known.insert(id) {
                let point = ManifoldPoint { on_a: on[0], on_b: on[1], depth, faces, id };
                all.found.push(Candidate { point, direction, region });
            }
        };
        let normals = triangles.map(|triangle| triangle.scaled_normal().try_normalize(0.0));
        let own = normals.map(Option::unwrap_or_default);
        for face in 0..2 {
            let [plane, other] = [&triangles[face], &triangles[1 - face]];
            let Some(normal) = normals[face] else { continue };
            for (i, vertex) in other.vertices.iter().enumerate() {
                let gap = (vertex - plane.vertices[0]).dot(&normal);
                let foot = vertex - normal * gap;
                if gap.abs() <= self.margin
                    && is_over(plane, &normal, &foot)
                    && self.ends_near(1 - face, &[*vertex], vertex, &-normal, &own[1 - face])
                {
                    let all: &[usize] = &[0, 1, 2];
                    match face {
                        0 => add(self, [all, &[i]], [foot, *vertex], normal, -gap),
                        _ => add(self, [&[i], all], [*vertex, foot], -normal, -gap),
                    }
                }
            }
        }
        let edges = triangles.map(|triangle| triangle.edges());
        for (i, edge_a) in edges[0].iter().enumerate() {
            for (k, edge_b) in edges[1].iter().enumerate() {
                let Some((on, line)) = crossing(edge_a, edge_b) else { continue };
                let gap = (on[1] - on[0]).dot(&line);
                // Sheets may end in both directions: then the gap decides.
                let line = if gap < 0.0 { -line } else { line };
                for (direction, gap) in [(line, gap.abs()), (-line, -gap.abs())] {
                    if gap.abs() <= self.margin
                        && self.ends_near(0, edge_a, &on[0], &direction, &own[0])
                        && self.ends_near(1, edge_b, &on[1], &-direction, &own[1])
                    {
                        add(self, [&[i, (i + 1) % 3], &[k, (k + 1) % 3]], on, direction, -gap);
                        break;
                    }
                }
            }
        }
        let on = [closest.on_a, closest.on_b];
        if let Some(direction) = (on[1] - on[0]).try_normalize(0.0) {
            let corners = [0, 1].map(|side| corners_at(&triangles[side], &on[side]));
            let mut ends = |side: usize, direction: Vector3<f64>| {
                let points: SmallVec<[Point3<f64>; 2]> =
                    corners[side].iter().map(|&corner| triangles[side].vertices[corner]).collect();
                self.ends_at(side, &points, &on[side], &direction)
            };
            if ends(0, direction) && ends(1, -direction) {
                add(self, [&corners[0], &corners[1]], on, direction, -closest.distance_sq.sqrt());
            }
        }
    }

    /// Groups the contacts of each region by direction.
    fn into_manifolds(mut self, choose: ChoosePoints) -> Vec<ContactManifold> {
        self.found.sort_unstable_by(|p, q| q.point.depth.total_cmp(&p.point.depth).then(p.point.id.cmp(&q.point.id)));
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        for candidate in self.found {
            let fits = |group: &Vec<Candidate>| {
                group[0].region == candidate.region && group[0].direction.dot(&candidate.direction) >= SAME_NORMAL
            };
            match groups.iter_mut().find(|group| fits(group)) {
                Some(group) => group.push(candidate),
                None => groups.push(vec![candidate]),
            }
        }
        groups.iter().map(|group| manifold(group, self.margin, choose)).collect()
    }
}

/// Normals at most 10 degrees apart count as the same: the cosine of that angle.
const SAME_NORMAL: f64 = 0.984_807_753;

fn manifold(group: &[Candidate], margin: f64, choose: ChoosePoints) -> ContactManifold {
    let sum: Vector3<f64> = group.iter().map(|candidate| candidate.direction).sum();
    let normal = sum.normalize();
    let points: Vec<ManifoldPoint> = group.iter().map(|candidate| candidate.point).collect();
    ContactManifold { normal, points: choose(&points, &normal, margin) }
}

/// The part of the margin by which depths may differ that count as equal.
const SAME_DEPTH: f64 = 1e-4;

/// Up to four of the points: the outermost of the deepest, the one farthest from it, and those that span the largest
/// area with them along the normal.
pub(crate) fn spread(points: &[ManifoldPoint], normal: &Vector3<f64>, margin: f64) -> Vec<ManifoldPoint> {
    let at = |i: usize| points[i].on_a;
    let farthest = |score: &dyn Fn(usize) -> f64| {
        let scores = (0..points.len()).map(|i| (score(i), i));
        scores.max_by(|p, q| p.0.total_cmp(&q.0).then(q.1.cmp(&p.1))).unwrap_or_default()
    };
    let area = |p: usize, q: usize, r: usize| (at(q) - at(p)).cross(&(at(r) - at(p))).dot(normal);
    let mean = points.iter().map(|point| point.on_a.coords).sum::<Vector3<f64>>() / points.len() as f64;
    let is_deep = |i: usize| points[i].depth >= points[0].depth - SAME_DEPTH * margin;
    let (_, first) = farthest(&|i| if is_deep(i) { (at(i).coords - mean).norm_squared() } else { -1.0 });
    let (length_sq, second) = farthest(&|i| (at(i) - at(first)).norm_squared());
    let least = FLAT_ANGLE * length_sq;
    let (size, third) = farthest(&|i| area(first, second, i).abs());
    let mut chosen = vec![first];
    if length_sq > 0.0 {
        chosen.push(second);
    }
    if size > least {
        chosen.push(third);
        // Anticlockwise about the normal, so that what is outside has a negative area with an edge.
        let corners = if area(first, second, third) > 0.0 { [first, second, third] } else { [first, third, second] };
        let outside = |i: usize| {
            let areas = [[0, 1], [1, 2], [2, 0]].map(|[p, q]| -area(corners[p], corners[q], i));
            areas.into_iter().fold(0.0, f64::max)
        };
        let (size, fourth) = farthest(&outside);
        if size > least {
            chosen.push(fourth);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|i| points[i]).collect()
}

/// Whether a point of a triangle's plane is in the triangle, up to rounding.
fn is_over(triangle: &Triangle, normal: &Vector3<f64>, point: &Point3<f64>) -> bool {
    triangle.edges().iter().all(|[p, q]| {
        let along = q - p;
        along.cross(&(point - p)).dot(normal) >= -SAME_DIRECTION * along.norm_squared()
    })
}

/// The points of two edges where their lines are closest, and the unit direction across both. `None` if that is beyond
/// an end, or the edges are parallel.
fn crossing([p, q]: &[Point3<f64>; 2], [r, s]: &[Point3<f64>; 2]) -> Option<([Point3<f64>; 2], Vector3<f64>)> {
    let (along_a, along_b, between) = (q - p, s - r, r - p);
    let across = along_a.cross(&along_b);
    let size_sq = across.norm_squared();
    if size_sq <= (FLAT_ANGLE * FLAT_ANGLE) * along_a.norm_squared() * along_b.norm_squared() {
        return None;
    }
    let part_a = between.cross(&along_b).dot(&across) / size_sq;
    let part_b = between.cross(&along_a).dot(&across) / size_sq;
    let is_part = |part: f64| (0.0..=1.0).contains(&part);
    (is_part(part_a) && is_part(part_b))
        .then(|| ([p + along_a * part_a, r + along_b * part_b], across / size_sq.sqrt()))
}

/// The corners of the vertex or edge of a triangle that a point is on; all three if it is on neither.
fn corners_at(triangle: &Triangle, point: &Point3<f64>) -> SmallVec<[usize; 3]> {
    let is_same = |p: &Point3<f64>, size: f64| (p - point).norm() <= SAME_DIRECTION * size;
    let size = triangle.edges().iter().map(|[p, q]| (q - p).norm()).fold(0.0, f64::max);
    if let Some(vertex) = (0..3).find(|&i| is_same(&triangle.vertices[i], size)) {
        return SmallVec::from_slice(&[vertex]);
    }
    for (i, [p, q]) in triangle.edges().iter().enumerate() {
        let along = q - p;
        let part = (point - p).dot(&along) / along.norm_squared();
        if is_same(&(p + along * part), size) {
            return SmallVec::from_slice(&[i, (i + 1) % 3]);
        }
    }
    SmallVec::from_slice(&[0, 1, 2])
}

/// A number for the vertices, edges or faces of a contact, by the coordinates of their corners in the meshes.
fn id(trees: &PosedTrees<'_>, leaves: [usize; 2], corners: [&[usize]; 2]) -> u64 {
    let mut bytes: SmallVec<[u8; 80]> = SmallVec::new();
    for side in 0..2 {
        let vertices = trees.views[side].triangle(leaves[side]);
        let mut own: SmallVec<[[u32; 3]; 3]> =
            corners[side].iter().map(|&i| std::array::from_fn(|k| (vertices[i][k] + 0.0).to_bits())).collect();
        own.sort_unstable();
        bytes.push(own.len() as u8);
        own.iter().flatten().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    }
    xxh3_64(&bytes)
}
