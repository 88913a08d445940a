//! The surface of one mesh in the frame of the other mesh, which it may reach into.

use std::ops::Range;

use nalgebra::{Matrix3, Point3, Vector3};

use super::hull::common_segment;
use crate::numeric::error_bounds::{depth_rounding, stretch};
use crate::pose::Pose;
use crate::shape::Aabb;
use crate::traversal::PosedTrees;
use crate::tree::{BvTree, View};
use crate::triangle::{CommonPoints, Triangle};

/// The surface of one mesh, and the other mesh, from which the distances of the surface's points are measured. Points
/// are in the other mesh's frame, so that its triangles are used as they are stored.
pub(super) struct Surface<'a> {
    pub(super) tree: &'a BvTree,
    pub(super) other: &'a BvTree,
    posed: &'a PosedTrees<'a>,
    pub(super) side: usize,
    /// The inverse of the pose's rotation.
    back: Matrix3<f64>,
    /// A bound on the rounding error of a distance between a point of the surface and the other mesh.
    pub(super) rounding: f64,
    /// The factor by which the pose may lengthen or shorten a vector.
    pub(super) stretch: f64,
    /// Pairs of triangles that intersect, the surface's first, by leaf indices; sorted.
    pub(super) contacts: Vec<[u32; 2]>,
}

impl<'a> Surface<'a> {
    /// The surface of A (`side` 0) or B (1); `contacts` are all intersecting pairs of triangles, A's first.
    pub(super) fn new(trees: [&'a BvTree; 2], posed: &'a PosedTrees<'a>, side: usize, contacts: &[[u32; 2]]) -> Self {
        let mut contacts: Vec<_> = contacts.iter().map(|pair| [pair[side], pair[1 - side]]).collect();
        // One comparison is faster than two.
        contacts.sort_unstable_by_key(|&[own, other]| u64::from(own) << 32 | u64::from(other));
        let extent = |bounds: &Aabb| bounds.lower.coords.amax().max(bounds.upper.coords.amax());
        let coordinates: f64 = trees.iter().filter(|tree| tree.triangle_count() > 0).map(|t| extent(t.bounds())).sum();
        Self {
            tree: trees[side],
            other: trees[1 - side],
            posed,
            side,
            back: posed.b_to_a.inverse_rotation(),
            rounding: depth_rounding(coordinates + posed.b_to_a.translation().amax()),
            stretch: stretch(posed.b_to_a.deviation()),
            contacts,
        }
    }

    pub(super) fn view(&self) -> View<'a> {
        self.posed.views[self.side]
    }

    /// The pose of B after a move in A's frame.
    pub(super) fn pose_moved(&self, by: &Vector3<f64>) -> Pose {
        Pose::unchecked(*self.posed.b_to_a.rotation(), self.posed.b_to_a.translation() + by)
    }

    /// The distance up to which points count as the same.
    pub(super) fn closeness(&self) -> f64 {
        4.0 * self.rounding
    }

    /// Maps a point from the surface's own frame to the other mesh's frame.
    pub(super) fn to_other(&self, point: &Point3<f64>) -> Point3<f64> {
        match self.side {
            0 => self.posed.b_to_a.inverse_transform(&self.back, point),
            _ => self.posed.b_to_a.transform_point(point),
        }
    }

    /// Whether all points of a box in the surface's own frame are certainly within a box in the other mesh's frame.
    pub(super) fn is_box_within(&self, own: &Aabb, bounds: &Aabb) -> bool {
        let rotation = if self.side == 0 { &self.back } else { self.posed.b_to_a.rotation() };
        let (center, half) = (self.to_other(&own.center()), rotation.abs() * own.half_extents());
        let half = half.add_scalar(self.rounding);
        bounds.contains(&(center - half)) && bounds.contains(&(center + half))
    }

    /// Maps a vector from the surface's own frame to the other mesh's frame.
    pub(super) fn turn_to_other(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        match self.side {
            0 => self.back * vector,
            _ => self.posed.b_to_a.rotation() * vector,
        }
    }

    /// The vertices of a triangle of the surface, by its leaf index.
    pub(super) fn vertices(&self, leaf: usize) -> [Point3<f64>; 3] {
        let vertices = self.posed.triangle(self.side, leaf).vertices;
        // The vertices of B are posed already.
        if self.side == 1 { vertices } else { vertices.map(|vertex| self.to_other(&vertex)) }
    }

    /// A vertex of a triangle of the surface.
    pub(super) fn vertex(&self, leaf: usize, corner: usize) -> Point3<f64> {
        self.to_other(&self.view().triangle(leaf)[corner].map(f64::from))
    }

    /// The vertices of a triangle of the surface in A's frame.
    pub(super) fn vertices_in_a(&self, leaf: usize) -> [Point3<f64>; 3] {
        self.posed.triangle(self.side, leaf).vertices
    }

    /// An upper bound on the distances of a triangle's points from the other surface, which the triangle meets: its
    /// longest edge.
    pub(super) fn reach(&self, leaf: usize) -> f64 {
        let [a, b, c] = self.view().triangle(leaf).map(|vertex| vertex.map(f64::from));
        let longest_sq = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
        longest_sq.sqrt() * self.stretch + self.rounding
    }

    /// The triangles of the surface that have contacts, in order.
    pub(super) fn touched(&self) -> Vec<u32> {
        let mut touched: Vec<u32> = self.contacts.iter().map(|pair| pair[0]).collect();
        touched.dedup();
        touched
    }

    /// The contacts of a triangle of the surface.
    pub(super) fn contacts_of(&self, leaf: usize) -> Range<u32> {
        let start = self.contacts.partition_point(|pair| (pair[0] as usize) < leaf);
        let count = self.contacts[start..].partition_point(|pair| pair[0] as usize == leaf);
        start as u32..(start + count) as u32
    }

    /// The points of a triangle of the surface, by their indices in the tree's [`PointTriangles`].
    pub(super) fn points(&self, leaf: usize) -> [usize; 3] {
        self.tree.point_triangles().points(leaf)
    }

    /// The segment in which the triangles of a contact meet, in the frame of the other mesh; see [`common_segment`].
    pub(super) fn common_segment(&self, contact: u32) -> Option<[Point3<f64>; 2]> {
        let [own, other] = self.contacts[contact as usize].map(|leaf| leaf as usize);
        // The triangles meet exactly as they are posed, in A's frame.
        let triangles = [self.posed.triangle(self.side, own), self.posed.triangle(1 - self.side, other)];
        let ends = common_segment(&triangles, self.rounding)?;
        Some(if self.side == 1 { ends } else { ends.map(|end| self.to_other(&end)) })
    }

    /// The points in which the triangles of a contact of A's surface meet, in A's frame.
    pub(super) fn common_points(&self, contact: u32) -> CommonPoints {
        let [a, b] = self.contacts[contact as usize].map(|leaf| leaf as usize);
        let [a, b] = self.posed.pair(a, b);
        a.intersection(&b)
    }

    /// The index in `contacts` of a pair of triangles, given with the other surface's triangle first.
    pub(super) fn number_of(&self, [other, own]: [u32; 2]) -> u32 {
        self.contacts.partition_point(|pair| *pair < [own, other]) as u32
    }

    /// The other mesh's triangle of a contact.
    pub(super) fn contact(&self, contact: u32) -> Triangle {
        self.other_triangle(self.contacts[contact as usize][1] as usize)
    }

    /// A triangle of the other mesh, by its leaf index.
    pub(super) fn other_triangle(&self, leaf: usize) -> Triangle {
        Triangle { vertices: self.posed.views[1 - self.side].triangle(leaf).map(|vertex| vertex.map(f64::from)) }
    }
}
