//! Contacts of pairs of triangles, and the manifolds that they form.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use super::surface::is_beside;
use super::surroundings::{Height, Neighbors, Surroundings, height_along, sectors_at};
use super::{ContactManifold, ManifoldPoint};
use crate::numeric::error_bounds::{FLAT_ANGLE, SAME_DIRECTION};
use crate::shape::{ContactCore, ShapeContact};
use crate::traversal::FacePair;
use crate::triangle::{ClosestPoints, Triangle};

/// Returns the [`Neighbors`] of a mesh (0 for A, 1 for B) at a point, all in A's frame, and their tolerance.
pub(crate) type FindNeighbors<'a> = &'a mut dyn FnMut(usize, &Point3<f64>) -> (Neighbors, f64);

/// Chooses which of a manifold's points to keep, given the points (the deepest first), the normal and the margin.
pub(crate) type ChoosePoints = fn(&[ManifoldPoint], &Vector3<f64>, f64) -> Vec<ManifoldPoint>;

/// Two triangles that are near each other, one of A and one of B, in A's frame.
pub(super) struct NearPair {
    pub(super) triangles: [Triangle; 2],
    /// The names of the triangles' corners, which stay the same from one time step to the next.
    pub(super) names: [[CornerName; 3]; 2],
    /// The indices of the triangles in the [`Surroundings`] of A and of B.
    pub(super) numbers: [usize; 2],
    /// The indices of the triangles' corners in the [`Surroundings`] of A and of B.
    pub(super) corners: [[u32; 3]; 2],
    /// The triangles' unit normals; zero without an area.
    pub(super) normals: [Vector3<f64>; 2],
    pub(super) faces: FacePair,
    pub(super) closest: ClosestPoints,
    /// The index of the region of contact.
    pub(super) region: u32,
}

/// The name of a corner: three numbers that stay the same from one time step to the next.
pub(super) type CornerName = [u32; 3];

/// The names of corners of a mesh: their coordinates in the mesh's own frame, which no pose changes.
pub(super) fn mesh_names<const N: usize>(vertices: [&Point3<f32>; N]) -> [CornerName; N] {
    vertices.map(|vertex| [0, 1, 2].map(|k| (vertex[k] + 0.0).to_bits()))
}

/// One of the two surfaces in contact: the surroundings of its vertices or its convex core, which determine where it
/// ends.
pub(super) enum Side<'a> {
    Mesh(Surroundings),
    /// The core of a convex shape.
    Convex(&'a ContactCore),
}

/// A contact of two features, one of A and one of B.
pub(super) struct Contact {
    pub(super) id: u64,
    /// The points on the triangles or cores of A and B.
    pub(super) on: [Point3<f64>; 2],
    /// The unit direction from A to B.
    pub(super) direction: Vector3<f64>,
    /// The gap between the triangles or cores along `direction`.
    pub(super) gap: f64,
    pub(super) faces: FacePair,
    pub(super) region: u32,
}

struct Candidate {
    point: ManifoldPoint,
    /// The unit direction from A to B.
    direction: Vector3<f64>,
    region: u32,
}

pub(super) struct Candidates<'a> {
    pub(super) sides: [Side<'a>; 2],
    /// The distances of the surfaces from the triangles or cores: the rounding radii of convex shapes, 0 for meshes.
    pub(super) radii: [f64; 2],
    /// Whether other meshes may continue the surface of A, and that of B.
    pub(super) may_continue: [bool; 2],
    pub(super) neighbors: FindNeighbors<'a>,
    pub(super) margin: f64,
    pub(super) found: Found,
}

/// The contacts so far, and their ids.
#[derive(Default)]
pub(super) struct Found {
    all: Vec<Candidate>,
    known: HashSet<u64, BuildHasherDefault<IdHasher>>,
}

/// A hasher that leaves ids as they are, since they are hashes already.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Candidates<'_> {
    /// Whether the surface of a side (0 for A, 1 for B) ends in a direction at a vertex, or at a point of an edge: no
    /// triangle there rises in that direction, and the point is not inside a flat part of the surface. Other meshes may
    /// continue the surface at the boundary of the side's mesh.
    pub(super) fn ends_at(
        &mut self,
        side: usize,
        corners: &[u32],
        point: &Point3<f64>,
        direction: &Vector3<f64>,
    ) -> bool {
        let surroundings = match &self.sides[side] {
            Side::Mesh(surroundings) => surroundings,
            Side::Convex(core) => return core.ends_at(corners, direction),
        };
        let Some(mut height) = surroundings.height(corners, direction) else { return false };
        if height == Height::Above || height == Height::Below && !self.may_continue[side] {
            return height == Height::Below;
        }
        let Some(mut sectors) = surroundings.boundary(corners, direction) else {
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

    /// Whether a side's surface ends, as in [`Candidates::ends_at`], in a direction, or along a normal within 10
    /// degrees of the direction: that of `triangle` or, without it, of any triangle at the vertex or edge. Thus a face
    /// that is nearly parallel to another touches it with all its corners. A convex core, which may have no faces, is
    /// tilted by up to the same angle instead.
    pub(super) fn ends_near(
        &mut self,
        side: usize,
        corners: &[u32],
        triangle: Option<usize>,
        point: &Point3<f64>,
        direction: &Vector3<f64>,
    ) -> bool {
        if let Side::Convex(core) = &self.sides[side] {
            return core.ends_near(corners, direction, SAME_NORMAL);
        }
        if self.ends_at(side, corners, point, direction) {
            return true;
        }
        let Side::Mesh(surroundings) = &self.sides[side] else { return false };
        let is_alike = |own: &Vector3<f64>| own.dot(direction) >= SAME_NORMAL;
        let alike: SmallVec<[Vector3<f64>; 8]> = match triangle {
            Some(triangle) => std::iter::once(surroundings.normal(triangle)).filter(is_alike).collect(),
            None => surroundings.normals_at(corners).filter(is_alike).collect(),
        };
        alike.iter().any(|own| self.ends_at(side, corners, point, own))
    }

    /// Whether a gap between triangles or cores is that of a contact: whether it is within the margin once the rounding
    /// radii are subtracted.
    pub(super) fn is_near(&self, gap: f64) -> bool {
        (gap - self.radii[0] - self.radii[1]).abs() <= self.margin
    }

    /// Adds a contact unless it is known.
    pub(super) fn push(&mut self, contact: &Contact) {
        let Contact { id, on, direction, gap, faces, region } = *contact;
        if self.found.known.insert(id) {
            let [on_a, on_b] = [on[0] + direction * self.radii[0], on[1] - direction * self.radii[1]];
            let point = ManifoldPoint { on_a, on_b, depth: self.radii[0] + self.radii[1] - gap, faces, id };
            self.found.all.push(Candidate { point, direction, region });
        }
    }

    /// Adds the contacts of a pair of triangles.
    pub(super) fn add(&mut self, pair: &NearPair) {
        let NearPair { triangles, numbers, normals, faces, closest, region, .. } = pair;
        let add = |all: &mut Self, corners: [&[usize]; 2], on: [Point3<f64>; 2], direction: Vector3<f64>, gap: f64| {
            let names = [0, 1].map(|side| corners[side].iter().map(|&i| pair.names[side][i]).collect());
            all.push(&Contact { id: id(names), on, direction, gap, faces: *faces, region: *region });
        };
        let at = |side: usize, i: usize| pair.corners[side][i];
        for face in 0..2 {
            let [plane, other] = [&triangles[face], &triangles[1 - face]];
            let (normal, number) = (normals[face], Some(numbers[1 - face]));
            if normal == Vector3::zeros() {
                continue;
            }
            for (i, vertex) in other.vertices.iter().enumerate() {
                let gap = (vertex - plane.vertices[0]).dot(&normal);
                let foot = vertex - normal * gap;
                if self.is_near(gap)
                    && plane.edges().iter().all(|edge| is_beside(*edge, &normal, &foot))
                    && self.ends_near(1 - face, &[at(1 - face, i)], number, vertex, &-normal)
                {
                    let all: &[usize] = &[0, 1, 2];
                    match face {
                        0 => add(self, [all, &[i]], [foot, *vertex], normal, gap),
                        _ => add(self, [&[i], all], [*vertex, foot], -normal, gap),
                    }
                }
            }
        }
        let edges = triangles.map(|triangle| triangle.edges());
        let ends = |side: usize, i: usize| [at(side, i), at(side, (i + 1) % 3)];
        for (i, edge_a) in edges[0].iter().enumerate() {
            for (k, edge_b) in edges[1].iter().enumerate() {
                let Some((on, line)) = crossing(edge_a, edge_b) else { continue };
                let gap = (on[1] - on[0]).dot(&line);
                // Sheets may end in both directions: then the gap decides.
                let line = if gap < 0.0 { -line } else { line };
                for (direction, gap) in [(line, gap.abs()), (-line, -gap.abs())] {
                    if self.is_near(gap)
                        && self.ends_near(0, &ends(0, i), Some(numbers[0]), &on[0], &direction)
                        && self.ends_near(1, &ends(1, k), Some(numbers[1]), &on[1], &-direction)
                    {
                        add(self, [&[i, (i + 1) % 3], &[k, (k + 1) % 3]], on, direction, gap);
                        break;
                    }
                }
            }
        }
        let on = [closest.on_a, closest.on_b];
        if let Some(direction) = (on[1] - on[0]).try_normalize(0.0) {
            let distance = closest.distance_sq.sqrt();
            let is_near = self.is_near(distance);
            let corners = [0, 1].map(|side| corners_at(&triangles[side], &on[side], distance));
            let mut ends = |side: usize, direction: Vector3<f64>| {
                let corners: SmallVec<[u32; 3]> = corners[side].iter().map(|&i| at(side, i)).collect();
                self.ends_at(side, &corners, &on[side], &direction)
            };
            if is_near && ends(0, direction) && ends(1, -direction) {
                add(self, [&corners[0], &corners[1]], on, direction, distance);
            }
        }
    }

    /// Adds the contact of a convex shape where it is nearest or deepest, unless a known contact is as deep in about
    /// the same direction. Polygons that stand for discs, or sizes as small as rounding, can hide it from the other
    /// tests.
    pub(super) fn ensure(&mut self, contact: &ShapeContact, faces: FacePair) {
        let ShapeContact { distance, on_a, on_b, normal } = *contact;
        let depth = -distance;
        let is_there = |known: &Candidate| {
            known.point.depth >= depth - SAME_DEPTH * self.margin && known.direction.dot(&normal) >= SAME_NORMAL
        };
        if !self.found.all.iter().any(is_there) {
            let id = xxh3_64(&faces.face_a.to_le_bytes());
            let point = ManifoldPoint { on_a, on_b, depth, faces, id };
            self.found.all.push(Candidate { point, direction: normal, region: 0 });
        }
    }

    /// Groups the contacts of each region by direction.
    pub(super) fn into_manifolds(self, choose: ChoosePoints) -> Vec<ContactManifold> {
        let mut found = self.found.all;
        found.sort_unstable_by(|p, q| q.point.depth.total_cmp(&p.point.depth).then(p.point.id.cmp(&q.point.id)));
        // The direction and region of the deepest contact of each group.
        let mut deepest: Vec<(Vector3<f64>, u32)> = Vec::new();
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        for candidate in found {
            let fits = |(direction, region): &(Vector3<f64>, u32)| {
                direction.dot(&candidate.direction) >= SAME_NORMAL && *region == candidate.region
            };
            match deepest.iter().position(fits) {
                Some(group) => groups[group].push(candidate),
                None => {
                    deepest.push((candidate.direction, candidate.region));
                    groups.push(vec![candidate]);
                }
            }
        }
        groups.iter().map(|group| manifold(group, self.margin, choose)).collect()
    }
}

/// The cosine of 10 degrees: normals at most that far apart count as the same.
const SAME_NORMAL: f64 = 0.984_807_753;

/// The sine of 10 degrees, the angle of [`SAME_NORMAL`], rounded up.
pub(super) const MAX_SLOPE: f64 = 0.173_648_2;

fn manifold(group: &[Candidate], margin: f64, choose: ChoosePoints) -> ContactManifold {
    let sum: Vector3<f64> = group.iter().map(|candidate| candidate.direction).sum();
    let normal = sum.normalize();
    let points: Vec<ManifoldPoint> = group.iter().map(|candidate| candidate.point).collect();
    ContactManifold { normal, points: choose(&points, &normal, margin) }
}

/// Depths that differ by at most this fraction of the margin count as equal.
const SAME_DEPTH: f64 = 1e-4;

/// Up to four of the points: the outermost of the deepest; the one farthest from it; and two that span the largest
/// areas with these, seen along the normal.
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

/// The points of two edges where their lines are closest, and the unit direction perpendicular to both edges. `None` if
/// one of these points is not on its edge, or the edges are nearly parallel.
pub(super) fn crossing(
    [p, q]: &[Point3<f64>; 2],
    [r, s]: &[Point3<f64>; 2],
) -> Option<([Point3<f64>; 2], Vector3<f64>)> {
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

/// The corners of the vertex or edge of a triangle on which a point lies; all three if it lies on neither. The point is
/// the closest one to another point, at `distance`.
fn corners_at(triangle: &Triangle, point: &Point3<f64>, distance: f64) -> SmallVec<[usize; 3]> {
    let is_same = |p: &Point3<f64>, size: f64| (p - point).norm() <= SAME_DIRECTION * size;
    let size = triangle.edges().iter().map(|[p, q]| (q - p).norm()).fold(distance, f64::max);
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

/// The id of a contact: a hash of the names of the corners of its vertices, edges or faces.
pub(super) fn id(names: [SmallVec<[CornerName; 3]>; 2]) -> u64 {
    let mut bytes: SmallVec<[u8; 80]> = SmallVec::new();
    for mut names in names {
        names.sort_unstable();
        bytes.push(names.len() as u8);
        names.iter().flatten().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    }
    xxh3_64(&bytes)
}
