//! The surface of a mesh around its vertices and edges: whether it ends there in a direction.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use crate::numeric::error_bounds::FLAT_ANGLE;
use crate::triangle::{Triangle, point_key};

/// The triangles of a mesh that are near the other surface, in A's frame, and which of them meet at each vertex. Where
/// a vertex is near the other surface, so are all triangles at that vertex, and none of them is missing.
#[derive(Default)]
pub(super) struct Surroundings {
    /// The vertices, each once.
    points: Vec<Point3<f64>>,
    /// The last corner at each vertex.
    last: Vec<u32>,
    /// The corners, three for each triangle.
    corners: Vec<Corner>,
    /// The unit normal of each triangle; zero without an area.
    normals: Vec<Vector3<f64>>,
}

/// A corner of a triangle.
struct Corner {
    vertex: u32,
    /// The corner recorded before this one at the same vertex, if any.
    before: Option<u32>,
}

/// An edge of a mesh's triangles.
pub(super) struct MeshEdge {
    pub(super) ends: [u32; 2],
    /// The last triangle at the edge.
    last: Beside,
    /// The triangle before `last` at the edge, if any.
    before: Option<Beside>,
}

impl MeshEdge {
    /// A triangle at the edge.
    pub(super) fn triangle(&self) -> usize {
        self.last.triangle
    }

    /// The third vertices of two triangles at the edge; the edge's first end for the second if there is only one
    /// triangle.
    pub(super) fn thirds(&self) -> [u32; 2] {
        [self.last.third, self.before.map_or(self.ends[0], |before| before.third)]
    }
}

/// A triangle at an edge, and its third vertex.
#[derive(Clone, Copy, Default)]
struct Beside {
    triangle: usize,
    third: u32,
}

/// A side of a triangle, as seen from the end with the lower index.
#[derive(Clone, Copy, Default)]
struct Side {
    other: u32,
    beside: Beside,
}

/// The sine of the angle by which triangles at an edge have to rise to form a hollow, so large that the tolerance for
/// flat surfaces, [`FLAT_ANGLE`], is small beside it even in slivers.
const HOLLOW: f64 = 100.0 * FLAT_ANGLE;

/// A triangle at a vertex.
pub(super) struct AtVertex {
    /// The index of the triangle.
    pub(super) triangle: usize,
    /// The triangle's other vertices, in order.
    others: [u32; 2],
}

impl AtVertex {
    /// The vertex after this one in the triangle.
    pub(super) fn next(&self) -> u32 {
        self.others[0]
    }
}

impl Surroundings {
    /// The surroundings that the triangles near the other surface form, each given once.
    pub(super) fn new(triangles: impl ExactSizeIterator<Item = Triangle> + Clone) -> Self {
        let normals = triangles.clone().map(|triangle| triangle.unit_normal()).collect();
        Self::with_normals(triangles, normals)
    }

    /// [`Surroundings::new`] of triangles whose unit normals are known; zero without an area.
    pub(super) fn with_normals(triangles: impl ExactSizeIterator<Item = Triangle>, normals: Vec<Vector3<f64>>) -> Self {
        Self { normals, ..Self::without_normals(triangles) }
    }

    /// [`Surroundings::new`] without the normals, for callers that need none.
    pub(super) fn without_normals(triangles: impl ExactSizeIterator<Item = Triangle>) -> Self {
        let mut new = Self { corners: Vec::with_capacity(3 * triangles.len()), ..Self::default() };
        let mut known = PointTable::new(3 * triangles.len());
        for triangle in triangles {
            for point in &triangle.vertices {
                let corner = new.corners.len() as u32;
                let vertex = known.find_or_add(&mut new.points, point);
                let before = new.last.get_mut(vertex as usize).map(|last| std::mem::replace(last, corner));
                if before.is_none() {
                    new.last.push(corner);
                }
                new.corners.push(Corner { vertex, before });
            }
        }
        new
    }

    /// The vertices, each once.
    pub(super) fn points(&self) -> &[Point3<f64>] {
        &self.points
    }

    /// The vertices of a triangle.
    pub(super) fn corners(&self, triangle: usize) -> [u32; 3] {
        [0, 1, 2].map(|k| self.corners[3 * triangle + k].vertex)
    }

    /// The triangles at a vertex.
    pub(super) fn at(&self, vertex: u32) -> impl Iterator<Item = AtVertex> {
        let mut next = self.last.get(vertex as usize).copied();
        std::iter::from_fn(move || {
            let corner = next? as usize;
            next = self.corners[corner].before;
            let triangle = corner / 3;
            let [a, b, c] = self.corners(triangle);
            Some(AtVertex { triangle, others: [[b, c], [c, a], [a, b]][corner % 3] })
        })
    }

    /// Two vertices in an order that depends only on their coordinates.
    pub(super) fn sorted(&self, ends: [u32; 2]) -> [u32; 2] {
        let [p, q] = ends.map(|end| self.points[end as usize]);
        if p.coords.as_slice() <= q.coords.as_slice() { ends } else { [ends[1], ends[0]] }
    }

    /// The edges, each once. The order of an edge's ends depends only on their coordinates.
    pub(super) fn edges(&self) -> Vec<MeshEdge> {
        // The sides of the triangles by the lower of their vertices.
        let sides = |triangle: usize| {
            let [a, b, c] = self.corners(triangle);
            let side =
                |[p, q, third]: [u32; 3]| (p.min(q), Side { other: p.max(q), beside: Beside { triangle, third } });
            [[a, b, c], [b, c, a], [c, a, b]].map(side)
        };
        let mut starts = vec![0_u32; self.points.len() + 1];
        for triangle in 0..self.corners.len() / 3 {
            sides(triangle).iter().for_each(|(lower, _)| starts[*lower as usize] += 1);
        }
        let mut count = 0;
        starts.iter_mut().for_each(|start| count += std::mem::replace(start, count));
        let mut all = vec![Side::default(); count as usize];
        // The last triangles first.
        for triangle in (0..self.corners.len() / 3).rev() {
            for (lower, side) in sides(triangle) {
                let at = &mut starts[lower as usize];
                all[*at as usize] = side;
                *at += 1;
            }
        }
        let mut edges = Vec::with_capacity(self.corners.len() / 2 + 1);
        let mut start = 0;
        for (vertex, &end) in (0_u32..).zip(&starts[..self.points.len()]) {
            let first_edge = edges.len();
            for &Side { other, beside } in &all[start..end as usize] {
                if other == vertex {
                    continue;
                }
                let is_same = |edge: &&mut MeshEdge| edge.ends.contains(&other);
                if let Some(known) = edges[first_edge..].iter_mut().find(is_same) {
                    known.before.get_or_insert(beside);
                    continue;
                }
                edges.push(MeshEdge { ends: self.sorted([vertex, other]), last: beside, before: None });
            }
            start = end as usize;
        }
        edges
    }

    /// Whether an edge is in a hollow in front of a point, so that the surface ends there in no direction, except in
    /// those along which the point's height above the edge is less than the least height of contacts.
    ///
    /// Both triangles at the edge rise above the plane of the other one by more than [`HOLLOW`], and the directions
    /// across the edge in which neither rises are those between the opposites of their normals, up to the tolerance for
    /// flat surfaces. The point is in front of both planes, and lowest along such a direction at one of the two ends.
    pub(super) fn is_hollow(&self, edge: &MeshEdge, point: &Point3<f64>, least_height: f64) -> bool {
        let Some(before) = edge.before else { return false };
        let start = self.points[edge.ends[0] as usize];
        let sides = [edge.last, before];
        let [r, s] = sides.map(|side| self.points[side.third as usize] - start);
        let ([m, n], offset) = (sides.map(|side| self.normals[side.triangle]), point - start);
        let height = m.dot(&offset).min(n.dot(&offset));
        let room = height + least_height;
        let rises = |offset: &Vector3<f64>, normal: &Vector3<f64>| {
            let rise = offset.dot(normal);
            rise > 0.0 && rise * rise >= HOLLOW * HOLLOW * offset.norm_squared()
        };
        height > 0.0
            && room > 0.0
            && room * room > (2.0 * HOLLOW * HOLLOW) * offset.norm_squared()
            && rises(&s, &m)
            && rises(&r, &n)
    }

    /// The unit normal of a triangle; zero without an area.
    pub(super) fn normal(&self, triangle: usize) -> Vector3<f64> {
        self.normals[triangle]
    }

    /// The normals of the triangles at a vertex, or at an edge.
    pub(super) fn normals_at(&self, corners: &[u32]) -> impl Iterator<Item = Vector3<f64>> {
        let is_at_edge = |at: &AtVertex| corners.get(1).is_none_or(|other| at.others.contains(other));
        let at = corners.first().into_iter().flat_map(|vertex| self.at(*vertex)).filter(is_at_edge);
        at.map(|at| self.normals[at.triangle])
    }

    /// The third vertices of the triangles at an edge.
    fn beside(&self, [p, q]: [u32; 2]) -> impl Iterator<Item = u32> {
        let third = move |[r, s]: [u32; 2]| if r == q { Some(s) } else { (s == q).then_some(r) };
        self.at(p).filter_map(move |at| third(at.others))
    }

    /// The height of the surface at a vertex, or at an edge, along a direction; `None` elsewhere.
    pub(super) fn height(&self, corners: &[u32], direction: &Vector3<f64>) -> Option<Height> {
        let point = |vertex: u32| self.points[vertex as usize];
        let offset = |from: u32| move |to: u32| point(to) - point(from);
        match *corners {
            [vertex] => Some(height_along(self.at(vertex).flat_map(|at| at.others).map(offset(vertex)), direction)),
            [p, q] => Some(height_along(self.beside([p, q]).map(offset(p)), direction)),
            _ => None,
        }
    }

    /// The directions from a vertex, or from a point of an edge, into the surface, if the mesh ends there; `None`
    /// inside the surface.
    pub(super) fn boundary(&self, corners: &[u32], normal: &Vector3<f64>) -> Option<Sectors> {
        let point = |vertex: u32| self.points[vertex as usize];
        let mut sectors = Sectors::new(normal);
        match *corners {
            [vertex] => {
                let around: SmallVec<[[u32; 2]; 8]> = self.at(vertex).map(|at| at.others).collect();
                is_rim(&around).then_some(())?;
                around.iter().for_each(|[q, r]| sectors.add(point(*q) - point(vertex), point(*r) - point(vertex)));
            }
            [p, q] => {
                let mut beside = self.beside([p, q]);
                let (Some(r), None) = (beside.next(), beside.next()) else { return None };
                half_plane(point(p), point(q), point(r)).into_iter().for_each(|[from, to]| sectors.add(from, to));
            }
            _ => return None,
        }
        Some(sectors)
    }
}

/// Sectors of a plane around a point, as their first angle and their extent, in radians.
pub(super) struct Sectors {
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
    pub(super) fn add(&mut self, from: Vector3<f64>, to: Vector3<f64>) {
        let [from, to] = [from, to].map(|way| self.axes[1].dot(&way).atan2(self.axes[0].dot(&way)));
        let turn = (to - from).rem_euclid(2.0 * PI);
        self.all.push(if turn < PI {
            [from.rem_euclid(2.0 * PI), turn]
        } else {
            [to.rem_euclid(2.0 * PI), 2.0 * PI - turn]
        });
    }

    /// Whether the sectors together are the whole plane. They may overlap: a surface may be there twice.
    pub(super) fn are_whole(mut self) -> bool {
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

/// The sectors of a triangle around a point of it. If the point is off the triangle by up to the tolerance, the
/// directions to the triangle's corners are inaccurate, but those of its edges are not.
pub(super) fn sectors_at(triangle: &Triangle, point: &Point3<f64>, tolerance: f64) -> SmallVec<[[Vector3<f64>; 2]; 3]> {
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

/// Whether any of some points is above a given point along a direction or, if none is, whether any is below it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Height {
    /// No point is above the given point, and one or more are below.
    Below,
    Flat,
    /// One or more points are above the given point.
    Above,
}

pub(super) fn height_along(offsets: impl IntoIterator<Item = Vector3<f64>>, direction: &Vector3<f64>) -> Height {
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

/// Whether a vertex is on the boundary of an open mesh, given the other vertices of the triangles around it. At a
/// vertex inside the surface, each of them is in two triangles.
fn is_rim(around: &[[u32; 2]]) -> bool {
    let mut others: SmallVec<[u32; 16]> = around.iter().flatten().copied().collect();
    others.sort_unstable();
    others.chunk_by(|p, q| p == q).any(|same| same.len() % 2 == 1)
}

/// The indices of points by their coordinates: a hash table with open addressing (Knuth, The Art of Computer
/// Programming 3, section 6.4) that is never more than half full.
struct PointTable {
    /// The indices of points, or [`FREE`]. The number of slots is a power of two.
    slots: Vec<u32>,
    shift: u32,
}

/// The content of an unused slot.
const FREE: u32 = u32::MAX;

impl PointTable {
    /// A table for up to this many points.
    fn new(points: usize) -> Self {
        let slots = (2 * points).next_power_of_two().max(2);
        Self { slots: vec![FREE; slots], shift: 64 - slots.ilog2() }
    }

    /// The index of a point, which is added if it is new.
    fn find_or_add(&mut self, points: &mut Vec<Point3<f64>>, point: &Point3<f64>) -> u32 {
        let [x, y, z] = point_key(point);
        let hash = x
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
            .wrapping_add(z.wrapping_mul(0x1656_67b1_9e37_79f9));
        let mut slot = (hash >> self.shift) as usize;
        loop {
            match self.slots[slot] {
                FREE => {
                    let new = points.len() as u32;
                    points.push(*point);
                    self.slots[slot] = new;
                    return new;
                }
                known if points[known as usize] == *point => return known,
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }
}
