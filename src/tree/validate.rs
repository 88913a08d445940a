//! The validator: structure, bounds, and agreement with the source mesh. Tests run it after every build.

use std::ops::Range;

use nalgebra::{Matrix3, Point3};

use crate::mesh::Mesh;
use crate::volume::{MAX_FIELDS, PackedAabb, PackedObb, PackedSphere, PackedVolume};
use crate::volume::{Volume, VolumeKind};

use super::bvtree::BvTree;
use super::defect::TreeDefect;
use super::structure::{self, Step};
use super::view::View;

/// The most defects that are listed.
const DEFECTS_MAX: usize = 100;

/// How far the axes of an oriented box may be from a rotation: more than rounding them to f32 does (2.4e-7), and still
/// within the margin of volume tests.
const AXES_DEVIATION_MAX: f64 = 5e-7;

impl BvTree {
    /// What is wrong with the tree, at most the first hundred defects; nothing, for any tree that was built or opened
    /// here.
    ///
    /// Checks the structure (every volume and every triangle in its place, once; indices in range; numbers finite;
    /// counts as stored) and the bounds: every volume encloses every triangle below it. Time grows with the triangles
    /// times the depth.
    #[must_use]
    pub fn validate(&self) -> Vec<TreeDefect> {
        let (view, meta) = (self.view(), self.meta());
        if let Err(defect) = structure::check_arrays(view, meta, self.groups()) {
            return vec![defect];
        }
        match self.kind() {
            VolumeKind::Aabb => self.walk_bounds::<PackedAabb>(),
            VolumeKind::Obb => self.walk_bounds::<PackedObb>(),
            VolumeKind::Sphere => self.walk_bounds::<PackedSphere>(),
        }
    }

    /// As [`BvTree::validate`]; and whether the tree holds exactly this mesh: the same triangles with the same
    /// coordinates under the same face numbers, the same polygons and groups.
    #[must_use]
    pub fn validate_against(&self, mesh: &Mesh) -> Vec<TreeDefect> {
        let mut defects = self.validate();
        if defects.is_empty() {
            defects.extend(self.differences(mesh));
        }
        defects
    }

    fn walk_bounds<V: PackedVolume>(&self) -> Vec<TreeDefect> {
        let mut bounds = Bounds { tree: self, view: self.view(), defects: Vec::new() };
        match structure::walk(self.view(), self.meta(), |path, triangles| bounds.check_leaf::<V>(path, triangles)) {
            Err(defect) => vec![defect],
            Ok(()) => bounds.defects,
        }
    }

    /// For a tree whose structure is sound.
    fn differences(&self, mesh: &Mesh) -> Vec<TreeDefect> {
        let view = self.view();
        let (tree, mesh_triangles) = (self.triangle_count(), mesh.triangles().len());
        if tree != mesh_triangles {
            return vec![TreeDefect::MeshTriangles { tree, mesh: mesh_triangles }];
        }
        let bits = |vertex: &Point3<f32>| [vertex.x, vertex.y, vertex.z].map(f32::to_bits);
        let moved = (0..tree).filter(|&leaf_index| {
            let in_mesh =
                mesh.triangles()[view.faces[leaf_index] as usize].map(|index| bits(&mesh.vertices()[index as usize]));
            view.triangle(leaf_index).map(bits) != in_mesh
        });
        let moved = moved.map(|leaf_index| TreeDefect::MeshCoordinates { face: view.faces[leaf_index] });
        let polygons = (0..tree as u32).filter(|&face| self.polygon(face) != mesh.polygon(face));
        let polygons = polygons.map(|face| TreeDefect::MeshPolygon { face });
        let groups = (self.groups() != mesh.groups()).then_some(TreeDefect::MeshGroups);
        // A refitted tree has none.
        let is_other = self.mesh_digest() != 0 && self.mesh_digest() != mesh.digest();
        let digest = is_other.then_some(TreeDefect::MeshDigest);
        moved.chain(polygons).chain(groups).chain(digest).take(DEFECTS_MAX).collect()
    }
}

/// Compares volumes with the triangles below them.
struct Bounds<'a> {
    tree: &'a BvTree,
    view: View<'a>,
    defects: Vec<TreeDefect>,
}

impl Bounds<'_> {
    /// Checks the leaf's triangles against its volume and all above it.
    fn check_leaf<V: PackedVolume>(&mut self, path: &[Step], triangles: Range<usize>) {
        for (step, below) in path.iter().zip((0..path.len()).rev()) {
            let words = self.words::<V>(step);
            // Once per volume: at its first leaf.
            if path[path.len() - below..].iter().all(|step| step.lane == 0) {
                self.check_axes(step.volume(), &V::unpack(&words));
            }
            for leaf_index in triangles.clone() {
                let enclosed = self
                    .view
                    .triangle(leaf_index)
                    .iter()
                    .all(|vertex| V::encloses(&words, &self.tree.meta().frame.to_local(&vertex.cast())));
                if !enclosed {
                    self.report(TreeDefect::NotEnclosed { volume: step.volume(), face: self.view.faces[leaf_index] });
                }
            }
        }
    }

    fn words<V: PackedVolume>(&self, step: &Step) -> [u32; MAX_FIELDS] {
        let mut words = [0; MAX_FIELDS];
        for (row, word) in words.iter_mut().enumerate().take(V::FIELDS) {
            *word = self.view.nodes[step.first * V::FIELDS + row * step.stride + step.lane];
        }
        words
    }

    fn check_axes(&mut self, volume: usize, unpacked: &Volume) {
        if let Volume::Obb(obb) = unpacked {
            let deviation = (obb.axes.transpose() * obb.axes - Matrix3::identity()).amax();
            if deviation > AXES_DEVIATION_MAX {
                self.report(TreeDefect::Axes { volume, deviation });
            }
        }
    }

    fn report(&mut self, defect: TreeDefect) {
        if self.defects.len() < DEFECTS_MAX {
            self.defects.push(defect);
        }
    }
}
