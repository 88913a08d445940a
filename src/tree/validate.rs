//! The checks of a tree: its structure when a file is opened, its bounds and its mesh on request. Tests run all of them
//! after every build.
//!
//! The structural check proves all that must hold for a traversal to end, stay inside the arrays and visit every
//! triangle. It takes linear time and no recursion. Nodes are in depth-first order and leaves in the order of their
//! triangles (`FORMAT.md` of `cook` has the rules), so one traversal that expects each node and each leaf right after
//! the previous one proves that there is no cycle, no sharing and nothing left over.

use std::ops::Range;

use nalgebra::Point3;

use super::arrays::{LAST_OF_LEAF, Meta, View};
use super::bvtree::BvTree;
use super::defect::TreeDefect;
use crate::mesh::{Group, Mesh};
use crate::numeric::error_bounds::AXES_DEVIATION_MAX;
use crate::parallel;
use crate::shape::Aabb;
use crate::volume::{self, BoundingVolume, MAX_FIELDS, NodeRef, PADDING, VolumeKind, for_kind};

/// Maximum number of defects that are reported.
const DEFECTS_MAX: usize = 100;

impl BvTree {
    /// Checks the tree and returns its defects, at most the first hundred. There are none in a tree that was built, or
    /// opened from an undamaged file.
    ///
    /// Checks the structure (every volume and every triangle in its place, once; indices in range; numbers finite;
    /// counts as stored) and the bounds: every volume encloses every triangle below it, and the axes of oriented boxes
    /// are perpendicular unit vectors. If the structure has a defect, only its first one is returned. The time is
    /// proportional to the number of triangles times the depth.
    #[must_use]
    pub fn validate(&self) -> Vec<TreeDefect> {
        let (view, meta) = (self.view(), self.meta());
        if let Err(defect) = check_arrays(view, meta, self.groups()) {
            return vec![defect];
        }
        let mut bounds = Bounds { tree: self, view, defects: Vec::new() };
        let walked =
            for_kind!(self.kind(), V => walk(view, meta, |path, triangles| bounds.check_leaf::<V>(path, triangles)));
        walked.map_or_else(|defect| vec![defect], |()| bounds.defects)
    }

    /// Checks the tree like [`BvTree::validate`], and that it holds exactly this mesh: the same triangles with the same
    /// coordinates under the same face numbers, the same polygons and groups, and the mesh's digest if the tree stores
    /// one. The mesh is compared only if the tree has no defect.
    #[must_use]
    pub fn validate_against(&self, mesh: &Mesh) -> Vec<TreeDefect> {
        let mut defects = self.validate();
        if defects.is_empty() {
            defects.extend(self.differences(mesh));
        }
        defects
    }

    /// The differences between the tree, whose structure is valid, and a mesh.
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
        // A refitted tree has no digest.
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
    /// Checks the leaf's triangles against its volume and all volumes above.
    fn check_leaf<V: BoundingVolume>(&mut self, path: &[Step], triangles: Range<usize>) {
        let last_turn = path.iter().rposition(|step| step.lane > 0).unwrap_or(0);
        for (level, step) in path.iter().enumerate() {
            let words = self.words::<V>(step);
            // Axes are checked once per volume: at its first leaf, below which all lanes are 0.
            if level >= last_turn {
                let deviation = V::axes_deviation(&words);
                if deviation > AXES_DEVIATION_MAX {
                    self.report(TreeDefect::Axes { volume: step.volume(), deviation });
                }
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

    fn words<V: BoundingVolume>(&self, step: &Step) -> [u32; MAX_FIELDS] {
        let mut words = [0; MAX_FIELDS];
        for (row, word) in words.iter_mut().enumerate().take(V::FIELDS) {
            *word = self.view.nodes[step.first * V::FIELDS + row * step.stride + step.lane];
        }
        words
    }

    fn report(&mut self, defect: TreeDefect) {
        if self.defects.len() < DEFECTS_MAX {
            self.defects.push(defect);
        }
    }
}

/// Checks the structure: everything except the axes of oriented boxes and that volumes enclose their triangles.
pub(crate) fn check(view: View<'_>, meta: &Meta, groups: &[Group]) -> Result<(), TreeDefect> {
    let (arrays, nodes) = parallel::join(|| check_arrays(view, meta, groups), || walk(view, meta, |_, _| ()));
    arrays.and(nodes)
}

/// A step of the path from the root to a volume: a node, and the lane taken in it.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Index of the first of the node's volumes.
    first: usize,
    /// The number of the node's volumes.
    stride: usize,
    lane: usize,
}

impl Step {
    fn volume(&self) -> usize {
        self.first + self.lane
    }
}

/// Checks all arrays except the nodes, so that [`walk`], its visitors and the fits of volumes stay inside them.
pub(crate) fn check_arrays(view: View<'_>, meta: &Meta, groups: &[Group]) -> Result<(), TreeDefect> {
    let triangles = view.corners.len();
    for (array, length) in [("faces", view.faces.len()), ("polygons", view.polygons.len())] {
        if length != triangles && (array, length) != ("polygons", 0) {
            return Err(TreeDefect::ArrayLength { array, length, triangles });
        }
    }
    if !view.polygons.is_empty() && view.polygons.iter().zip(0..).all(|(&polygon, face)| polygon == face) {
        return Err(TreeDefect::PolygonsOfFaces);
    }
    let (vertices, corners) = parallel::join(|| check_vertices(view, meta), || check_corners(view));
    vertices.and(corners)?;
    check_faces(view.faces)?;
    let ends = groups.iter().skip(1).map(|next| next.first_triangle as usize).chain([triangles]);
    match groups.iter().zip(ends).position(|(group, end)| group.first_triangle as usize >= end) {
        Some(group) => Err(TreeDefect::GroupRange { group }),
        None => Ok(()),
    }
}

/// Checks that vertices are finite, that the bounds are their box, and that the frame fits the bounds.
fn check_vertices(view: View<'_>, meta: &Meta) -> Result<(), TreeDefect> {
    let (mut lower, mut upper) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut bits = 0;
    for vertex in view.vertices {
        for x in 0..3 {
            let coordinate = vertex[x];
            bits |= not_finite_bit(coordinate.to_bits());
            lower[x] = if coordinate < lower[x] { coordinate } else { lower[x] };
            upper[x] = if coordinate > upper[x] { coordinate } else { upper[x] };
        }
    }
    if bits & SIGN != 0 {
        let vertex = view.vertices.iter().position(|v| !v.iter().all(|x| x.is_finite())).unwrap_or(0);
        return Err(TreeDefect::VertexNotFinite { vertex });
    }
    let bounds = Aabb { lower: lower.map(f64::from).into(), upper: upper.map(f64::from).into() };
    if bounds != meta.bounds {
        return Err(TreeDefect::Bounds);
    }
    if meta.frame.is_for(&bounds) { Ok(()) } else { Err(TreeDefect::Frame) }
}

/// Checks that the corners number all vertices by first use: each is a vertex that was used before, or the next one.
fn check_corners(view: View<'_>) -> Result<(), TreeDefect> {
    let vertices = view.vertices.len();
    // The number of vertices used so far, and whether all corners are in order. There is no early exit, and each
    // triangle waits for one maximum only.
    let (used, in_order) = view.corners.iter().fold((0, true), |(used, in_order), &[a, b, c]| {
        let [after_a, after_b, after_c] = [(a & !LAST_OF_LEAF) + 1, b.wrapping_add(1), c.wrapping_add(1)];
        let after_ab = after_a.max(after_b);
        let is_next = |after: u32, used: u32| after.wrapping_sub(1) <= used;
        let is_ordered =
            is_next(after_a, used) & is_next(after_b, used.max(after_a)) & is_next(after_c, used.max(after_ab));
        (used.max(after_ab.max(after_c)), in_order & is_ordered)
    });
    if in_order && used as usize == vertices {
        return Ok(());
    }
    let mut used = 0;
    for (triangle, corners) in view.triangles().enumerate() {
        for index in corners {
            if index as usize >= vertices {
                return Err(TreeDefect::CornerOutOfRange { triangle, index, vertices });
            }
            if index > used {
                return Err(TreeDefect::VertexOrder { triangle, index, used });
            }
            used += u32::from(index == used);
        }
    }
    Err(TreeDefect::UnusedVertices { used: used as usize, vertices })
}

/// Checks that the faces are the numbers from 0 on, each once.
fn check_faces(faces: &[u32]) -> Result<(), TreeDefect> {
    let mut seen = vec![0u64; faces.len().div_ceil(64)];
    for (triangle, &face) in faces.iter().enumerate() {
        if face as usize >= faces.len() {
            return Err(TreeDefect::FaceOutOfRange { triangle, face, faces: faces.len() });
        }
        let (word, bit) = (face as usize / 64, 1 << (face % 64));
        if seen[word] & bit != 0 {
            return Err(TreeDefect::FaceRepeated { triangle, face });
        }
        seen[word] |= bit;
    }
    Ok(())
}

/// Traverses the whole tree in order and checks its nodes; `at_leaf` gets the path to each leaf and its triangles.
fn walk(view: View<'_>, meta: &Meta, mut at_leaf: impl FnMut(&[Step], Range<usize>)) -> Result<(), TreeDefect> {
    let kind = meta.options.kind;
    let fields = volume::fields(kind);
    let volumes = volume_count(view.nodes, fields)?;
    let triangles = view.corners.len();
    let (mut next_volume, mut next_triangle) = (0, 0);
    let (mut leaves, mut leaf_triangles_max, mut levels) = (0, 0, 0);
    let mut path: Vec<Step> = Vec::new();
    if volumes > 0 {
        path.push(Step { first: 0, stride: 1, lane: 0 });
        check_volumes(view.nodes, kind, 0, 1)?;
        next_volume = 1;
    }
    while let Some(step) = path.last_mut() {
        if step.lane == step.stride {
            path.pop();
            if let Some(parent) = path.last_mut() {
                parent.lane += 1;
            }
            continue;
        }
        let volume = step.volume();
        let below = NodeRef::from_word(view.nodes[step.first * fields + (fields - 1) * step.stride + step.lane]);
        if below.is_leaf() {
            let found = below.first_triangle();
            if found != next_triangle || found >= triangles {
                return Err(TreeDefect::LeafStart { volume, found, expected: next_triangle, triangles });
            }
            let Some(count) = view.corners[found..].iter().position(|corners| corners[0] & LAST_OF_LEAF != 0) else {
                return Err(TreeDefect::LeafEnd { volume });
            };
            next_triangle += count + 1;
            leaves += 1;
            leaf_triangles_max = leaf_triangles_max.max(count + 1);
            levels = levels.max(path.len());
            at_leaf(&path, found..next_triangle);
            if let Some(step) = path.last_mut() {
                step.lane += 1;
            }
        } else {
            let (found, children) = (below.first_child(), below.children());
            if found != next_volume || children > volumes - next_volume {
                return Err(TreeDefect::Children { volume, children, found, expected: next_volume, volumes });
            }
            check_volumes(view.nodes, kind, found, children)?;
            next_volume += children;
            // The stored depth is limited, and with it the time of whatever follows the path to each leaf.
            if path.len() > meta.depth as usize {
                return Err(TreeDefect::Count { what: "depth", stored: meta.depth as usize, counted: path.len() });
            }
            path.push(Step { first: found, stride: children, lane: 0 });
        }
    }
    if next_volume != volumes {
        return Err(TreeDefect::VolumesLeftOver { reached: next_volume, volumes });
    }
    if next_triangle != triangles {
        return Err(TreeDefect::TrianglesLeftOver { reached: next_triangle, triangles });
    }
    let depth = levels.saturating_sub(1);
    for (what, stored, counted) in [
        ("number of leaves", meta.leaves, leaves),
        ("greatest number of triangles in a leaf", meta.leaf_triangles_max, leaf_triangles_max),
        ("depth", meta.depth as usize, depth),
    ] {
        if stored != counted {
            return Err(TreeDefect::Count { what, stored, counted });
        }
    }
    // Every level requires a split, and every split adds a leaf.
    let split_depth = meta.split_depth as usize;
    if split_depth < depth || split_depth >= leaves.max(1) || meta.split_depth > meta.options.max_depth {
        return Err(TreeDefect::SplitDepth { split_depth: meta.split_depth });
    }
    Ok(())
}

/// The number of volumes in the nodes; fails unless the nodes are a whole number of volumes and a padding of zeros.
fn volume_count(nodes: &[u32], fields: usize) -> Result<usize, TreeDefect> {
    let used = match nodes.len().checked_sub(PADDING) {
        Some(used) if used % fields == 0 => used,
        _ => return Err(TreeDefect::NodesLength { words: nodes.len() }),
    };
    match nodes[used..].iter().position(|&word| word != 0) {
        Some(word) => Err(TreeDefect::Padding { word: used + word }),
        None => Ok(used / fields),
    }
}

/// Checks that the volumes of a node are finite and have no negative half extent or radius.
fn check_volumes(nodes: &[u32], kind: VolumeKind, first: usize, stride: usize) -> Result<(), TreeDefect> {
    let fields = volume::fields(kind);
    let words = &nodes[first * fields..][..(fields - 1) * stride];
    if words.iter().fold(0, |bits, &word| bits | not_finite_bit(word)) & SIGN != 0 {
        let word = words.iter().position(|&word| not_finite_bit(word) & SIGN != 0).unwrap_or(0);
        return Err(TreeDefect::VolumeNotFinite { volume: first + word % stride });
    }
    let lengths = for_kind!(kind, V => V::LENGTHS);
    let lengths = &words[words.len() - lengths * stride..];
    if lengths.iter().fold(0, |bits, &word| bits | word) & SIGN != 0 {
        let word = lengths.iter().position(|&word| word & SIGN != 0).unwrap_or(0);
        return Err(TreeDefect::NegativeExtent { volume: first + word % stride });
    }
    Ok(())
}

const SIGN: u32 = 1 << 31;

/// A word with the sign bit set if the f32 with these bits is NaN or infinite: the exponent, all ones, carries into it
/// when 1 is added.
#[inline(always)]
fn not_finite_bit(word: u32) -> u32 {
    (word & !SIGN) + (1 << 23)
}
