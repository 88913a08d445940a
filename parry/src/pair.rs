//! A tree and another shape, whichever comes first, and conversions between parry3d's numbers and bvtree's.

use std::cell::RefCell;
use std::ops::ControlFlow;

use bvtree::Probe;
use nalgebra::{Point3, Vector3};
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::query::details::NormalConstraints;
use parry3d::shape::{Shape, Triangle};

use crate::TreeShape;

/// A tree and another shape, posed in the tree's frame.
pub(crate) struct Pair<'a> {
    pub(crate) tree: &'a TreeShape,
    pub(crate) other: &'a dyn Shape,
    /// Maps the other shape's coordinates into the tree's frame.
    pub(crate) pose: Pose,
    /// Whether the tree is the second shape of the query.
    pub(crate) swapped: bool,
}

/// A function that gets the tree and a part of the other shape, the part's pose in that shape, and the normals that the
/// part allows.
type AskPart<'a> = dyn FnMut(Pair<'_>, Option<&Pose>, Option<&dyn NormalConstraints>) + 'a;

impl<'a> Pair<'a> {
    /// The pair of two shapes, if one of them is a tree. If both are trees, the first is `tree` and the second is
    /// `other`.
    pub(crate) fn new(pos12: &Pose, first: &'a dyn Shape, second: &'a dyn Shape) -> Option<Self> {
        if let Some(tree) = first.as_shape() {
            Some(Self { tree, other: second, pose: *pos12, swapped: false })
        } else {
            let tree = second.as_shape()?;
            Some(Self { tree, other: first, pose: pos12.inverse(), swapped: true })
        }
    }

    /// The same tree with a part of the other shape; `pose`, if given, places the part in that shape.
    pub(crate) fn with_part<'b>(&self, pose: Option<&Pose>, part: &'b dyn Shape) -> Pair<'b>
    where
        'a: 'b,
    {
        let pose = pose.map_or(self.pose, |part| self.pose * *part);
        Pair { tree: self.tree, other: part, pose, swapped: self.swapped }
    }

    /// The ids of the other shape's parts, ascending: all of them, or those whose boxes meet `near`, a box in the
    /// tree's frame. The parts of a composite are its sub-shapes, those of a tree its triangles; `None` if the shape is
    /// neither.
    pub(crate) fn parts(&self, near: Option<&Aabb>) -> Option<Vec<u32>> {
        let near = || match near {
            Some(near) => near.transform_by(&self.pose.inverse()),
            None => self.other.compute_local_aabb(),
        };
        if let Some(tree) = self.other.as_shape() {
            return Some(faces_in(tree, &near()));
        }
        let composite = self.other.as_composite_shape()?;
        let mut parts: Vec<u32> = composite.bvh().intersect_aabb(&near()).collect();
        parts.sort_unstable();
        Some(parts)
    }

    /// Calls a function with a part of the other shape.
    pub(crate) fn map_part(&self, part: u32, ask: &mut AskPart<'_>) {
        if let Some(tree) = self.other.as_shape::<TreeShape>() {
            if let Some(triangle) = tree.triangle(part) {
                ask(self.with_part(None, &triangle), None, None);
            }
        } else if let Some(composite) = self.other.as_composite_shape() {
            composite.map_part_at(part, &mut |pose, shape, normals| ask(self.with_part(pose, shape), pose, normals));
        }
    }

    /// The tree's triangles that touch an AABB, in ascending order of their face numbers.
    pub(crate) fn triangles_in(&self, aabb: &Aabb) -> impl Iterator<Item = (u32, Triangle)> + '_ {
        faces_in(self.tree, aabb).into_iter().filter_map(|face| Some((face, self.tree.triangle(face)?)))
    }
}

/// A box of another shape, as it is placed in the tree's frame.
pub(crate) struct PlacedBox {
    center: Vector,
    /// The unit vectors along its edges.
    axes: [Vector; 3],
    half_extents: [f32; 3],
}

impl PlacedBox {
    pub(crate) fn new(pose: &Pose, bounds: &Aabb) -> Self {
        Self {
            center: pose.transform_point(bounds.center()),
            axes: [Vector::X, Vector::Y, Vector::Z].map(|axis| pose.rotation * axis),
            half_extents: bounds.half_extents().to_array(),
        }
    }

    /// Whether the triangle's plane or a side of the box separates the triangle from the box. `normal` is the
    /// triangle's unit normal, which may be far off for a thin triangle.
    pub(crate) fn is_apart_from(&self, triangle: &Triangle, normal: Option<Vector>) -> bool {
        let Self { center, axes, half_extents } = self;
        let corners = triangle.vertices().map(|vertex| vertex - center);
        let is_beyond = |direction: Vector, reach: f32| {
            let [a, b, c] = corners.map(|corner| direction.dot(corner));
            a.min(b).min(c) > reach || a.max(b).max(c) < -reach
        };
        let sides = axes.iter().zip(half_extents);
        let by_plane = |normal: Vector| {
            let reach = sides.clone().map(|(axis, half)| half * normal.dot(*axis).abs()).sum();
            is_beyond(normal, reach)
        };
        normal.is_some_and(by_plane) || sides.clone().any(|(axis, half)| is_beyond(*axis, *half))
    }
}

/// The faces of a tree that touch an AABB, in ascending order.
pub(crate) fn faces_in(tree: &TreeShape, aabb: &Aabb) -> Vec<u32> {
    let mut faces = Vec::new();
    with_probe(|probe| {
        probe.for_each_face_in_aabb(tree.tree(), &(*aabb).into(), |face| {
            faces.push(face);
            ControlFlow::Continue(())
        });
    });
    faces.sort_unstable();
    faces
}

/// Calls a function with this thread's probe, which keeps its memory between queries.
pub(crate) fn with_probe<T>(ask: impl FnOnce(&mut Probe) -> T) -> T {
    thread_local! {
        static PROBE: RefCell<Probe> = RefCell::new(Probe::new());
    }
    PROBE.with(|probe| match probe.try_borrow_mut() {
        Ok(mut probe) => ask(&mut probe),
        // The probe is in use: this is a query within a query.
        Err(_) => ask(&mut Probe::new()),
    })
}

/// A point in f64.
pub(crate) fn widen(point: Vector) -> Point3<f64> {
    Point3::new(point.x, point.y, point.z).cast()
}

/// A vector in f64.
pub(crate) fn widen_vector(vector: Vector) -> Vector3<f64> {
    widen(vector).coords
}

/// A point rounded to f32.
pub(crate) fn narrow(point: &Point3<f64>) -> Vector {
    narrow_vector(&point.coords)
}

/// A vector rounded to f32.
pub(crate) fn narrow_vector(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

#[cfg(test)]
mod tests {
    use parry3d::math::Rotation;

    use super::*;

    /// A box around a point of a triangle is not apart from it, however thin and long the triangle is: the computed
    /// unit normal of a thin triangle may be far off.
    #[test]
    fn a_box_on_a_thin_triangle_is_not_apart_from_it() {
        let mut bits = 7_u64;
        let mut unit = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        let mut off = 0;
        for case in 0..4000 {
            let [along, across, start] = [(); 3].map(|()| Vector::new(unit(), unit(), unit()));
            let (length, width) = ([1000.0, 100.0, 10.0][case % 3], [0.02, 0.001, 5.0][case / 3 % 3]);
            let (a, b) = (start * 50.0, start * 50.0 + along * length);
            let triangle = Triangle::new(a, b, a + (b - a) * 0.9 + across * width);
            let part = [unit().abs(), unit().abs()];
            let part = if part[0] + part[1] > 1.0 { [1.0 - part[0], 1.0 - part[1]] } else { part };
            let center = a + (triangle.b - a) * part[0] + (triangle.c - a) * part[1];
            let pose = Pose::from_parts(center, Rotation::from_scaled_axis(across * 3.0));
            let placed = PlacedBox::new(&pose, &Aabb::from_half_extents(Vector::ZERO, Vector::new(0.2, 0.1, 0.05)));
            let normal = triangle.normal();
            off += usize::from(normal.is_some_and(|normal| normal.dot(triangle.b - a).abs() > 0.5));
            assert!(!placed.is_apart_from(&triangle, normal), "{case}: {triangle:?} at {center}");
        }
        assert!(off > 10, "{off} normals are far off");
    }
}
