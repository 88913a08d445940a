//! The surface of a mesh around its vertices and edges: whether it ends there in a direction.

use std::collections::HashMap;
use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use crate::numeric::error_bounds::FLAT_ANGLE;
use crate::triangle::{EdgeKey, PointKey, Triangle, edge_key, point_key};

/// The vertices around each vertex and beside each edge of a mesh's triangles near the other mesh, in A's frame. All
/// triangles at a point that is near are near, so none is missing there.
pub(super) struct Surroundings {
    around: HashMap<PointKey, Vec<Point3<f64>>>,
    beside: HashMap<EdgeKey, SmallVec<[Point3<f64>; 2]>>,
}

impl Surroundings {
    /// The surroundings by the triangles near the other side, each once.
    pub(super) fn new(triangles: impl IntoIterator<Item = Triangle>) -> Self {
        let mut surroundings = Self { around: HashMap::new(), beside: HashMap::new() };
        for Triangle { vertices: [a, b, c] } in triangles {
            for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
                surroundings.around.entry(point_key(&p)).or_default().extend([q, r]);
                surroundings.beside.entry(edge_key(&[p, q])).or_default().push(r);
            }
        }
        surroundings
    }

    /// The height of the surface at a vertex, or at an edge, along a direction; `None` elsewhere.
    pub(super) fn height(&self, corners: &[Point3<f64>], direction: &Vector3<f64>) -> Option<Height> {
        match *corners {
            [vertex] => Some(height(&vertex, self.around.get(&point_key(&vertex))?, direction)),
            [p, q] => Some(height(&p, self.beside.get(&edge_key(&[p, q]))?, direction)),
            _ => None,
        }
    }

    /// The directions from a vertex, or from a point of an edge, into the surface, if the mesh ends there; `None` inside
    /// it.
    pub(super) fn boundary(&self, corners: &[Point3<f64>], normal: &Vector3<f64>) -> Option<Sectors> {
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

/// The sectors of a triangle around a point of it. The point may be off the triangle by the tolerance: then its corners
/// say little, but the directions of its edges do.
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

/// The height of some points above one point, along a direction.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Height {
    /// No point is above it, and one or more are below.
    Below,
    Flat,
    /// One or more points are above it.
    Above,
}

fn height(from: &Point3<f64>, points: &[Point3<f64>], direction: &Vector3<f64>) -> Height {
    height_along(points.iter().map(|point| point - from), direction)
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

/// Whether a vertex with these vertices around it is on the rim of an open mesh: inside, each of them is in two
/// triangles at the vertex.
fn is_rim(around: &[Point3<f64>]) -> bool {
    let mut keys: Vec<PointKey> = around.iter().map(point_key).collect();
    keys.sort_unstable();
    keys.chunk_by(|p, q| p == q).any(|same| same.len() % 2 == 1)
}
