//! The volume around a part of a surface, in the other mesh's frame.

use nalgebra::{Point3, Vector3};

use super::surface::Surface;
use crate::numeric::error_bounds::UNPACKED_VOLUME;
use crate::simd::SimdLevel;
use crate::triangle::Triangle;
use crate::volume::Volume;

/// The volume of a node as a sphere and, except for sphere trees, also as a box.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) center: Point3<f64>,
    /// An upper bound on the distance of the triangles' points from the centre.
    pub(super) radius: f64,
    /// The vectors from the box's centre to the centres of three of its faces.
    to_faces: Option<[Vector3<f64>; 3]>,
    /// The distance up to which points of the triangles may be outside the box.
    margin: f64,
}

impl Extent {
    pub(super) fn new(surface: &Surface<'_>, volume: &Volume) -> Self {
        let radius = volume.radius();
        let margin = UNPACKED_VOLUME * radius + surface.rounding;
        let to_faces = match volume {
            Volume::Obb(obb) => Some([0, 1, 2].map(|k| obb.axes.column(k) * obb.half_extents[k])),
            Volume::Sphere(_) => None,
            Volume::Aabb(_) | Volume::KDop(_) => {
                let half = volume.aabb().half_extents();
                Some([0, 1, 2].map(|k| Vector3::ith(k, half[k])))
            }
        };
        let to_faces = to_faces.map(|vectors| vectors.map(|vector| surface.turn_to_other(&vector)));
        let center = surface.to_other(&volume.center());
        Self { center, radius: radius * surface.stretch + margin, to_faces, margin }
    }

    /// An upper bound on the distance from any point of the volume to a triangle.
    ///
    /// The distance from a triangle is a convex function, so it is greatest at a corner of the box.
    pub(super) fn greatest_distance(&self, level: SimdLevel, near: &Triangle) -> f64 {
        match &self.to_faces {
            Some(to_faces) => near.greatest_distance_in_box_at_most(level, &self.center, to_faces) + self.margin,
            None => near.distance_at_most(&self.center) + self.radius,
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::Mesh;
    use crate::pose::Pose;
    use crate::traversal::PosedTrees;
    use crate::volume::{BoundingVolume, Node, NodeRef, VolumeKind, for_kind};
    use crate::{BuildOptions, BvTree};

    fn points(count: usize) -> impl Strategy<Value = Vec<Point3<f32>>> {
        prop::collection::vec(prop::array::uniform3(-2.0..2.0f32).prop_map(Point3::from), count)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// No point of a triangle below a node is farther from another triangle than the node's extent says, nor
        /// farther from its centre than its radius. The bound is less than that of the sphere.
        #[test]
        fn extents_hold_the_triangles(
            vertices in points(18),
            kind in prop::sample::select(VolumeKind::ALL.to_vec()),
            side in 0..2usize,
            near in points(3),
            turn in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let triangles = (0..6).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::from_arrays(vertices, triangles).unwrap();
            let options = BuildOptions { kind, max_leaf_triangles: 1, ..BuildOptions::default() };
            let tree = BvTree::build(&mesh, &options).unwrap();
            let pose = Pose::new(*Rotation3::new(turn.into()).matrix(), Vector3::new(0.5, -1.0, 0.25)).unwrap();
            let posed = PosedTrees::new([&tree, &tree], &pose);
            let surface = Surface::new([&tree, &tree], &posed, side, &[]);
            let near = Triangle { vertices: std::array::from_fn(|k| near[k].map(f64::from)) };
            let (view, frame) = (surface.view(), tree.meta().frame);
            let root = Node::at(view.nodes, kind, NodeRef::ROOT);
            for lane in 0..NodeRef::ROOT.children() {
                let volume = for_kind!(kind, V => V::unpack(&root.fields(lane), &frame));
                let extent = Extent::new(&surface, &volume);
                let bound = extent.greatest_distance(SimdLevel::detect(), &near);
                prop_assert!(bound <= near.distance_at_most(&extent.center) + extent.radius + 1e-9);
                let child = root.child(lane);
                if !child.is_leaf() {
                    continue;
                }
                for vertex in surface.vertices(child.first_triangle()) {
                    prop_assert!((near.closest_point(&vertex) - vertex).norm() <= bound);
                    prop_assert!((extent.center - vertex).norm() <= extent.radius);
                }
            }
        }
    }
}
