//! Rigid bodies: a link's or an object's parts, with the sphere and the box around each.

use std::sync::Arc;

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::mesh::MeshError;
use bvtree::query::Solid;
use bvtree::shape::{ConvexShape, Obb, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::placement::Placement;

/// The geometry of a part: a mesh or a convex shape.
#[derive(Clone, Debug)]
pub enum Shape {
    Tree { tree: Arc<BvTree>, solid: Solid },
    Convex(Arc<Convex>),
}

/// A convex shape, and simple meshes around and inside it that are tested in less time.
#[derive(Debug)]
pub struct Convex {
    pub shape: ConvexShape,
    /// A box that contains the shape even after its corners were rounded to f32.
    pub around: Arc<BvTree>,
    /// A hexahedron inside the shape; `None` for thin shapes.
    pub inside: Option<Arc<BvTree>>,
}

/// A mesh or a convex shape, enlarged by a radius and placed in a body.
#[derive(Clone, Debug)]
pub struct Part {
    pub shape: Shape,
    /// The part's pose in its body.
    pub pose: Pose,
    /// The radius by which the shape is enlarged: all points within this distance of it belong to the part.
    pub inflation: f64,
    /// The bounds around the part, in its body's frame.
    pub bounds: Bounds,
}

/// A sphere and a box around the same points, with a margin for rounding errors.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub sphere: Sphere,
    pub obb: Obb,
}

/// A bound on the rounding errors of fits, of the axes and of placing a body, relative to the coordinates in the body's
/// frame.
const ROUNDING: f64 = 1e-12;

/// The deviation (the largest entry of `|R^T R - I|`) up to which a matrix counts as a rotation: a product of some
/// rotations in f64.
const ROTATION_DEVIATION: f64 = 1e-14;

/// A bound on the factor by which a matrix of this deviation `d` lengthens or shortens a vector: by Gershgorin, the
/// eigenvalues of `R^T R` are between `1 - 3 d` and `1 + 3 d`.
pub fn stretch(deviation: f64) -> f64 {
    1.0 + 2.0 * deviation
}

/// The box moved by a placement whose matrix has this deviation. A matrix that stretches makes a parallelepiped of the
/// box; the result is then a box around that.
pub fn placed_box(obb: &Obb, place: &Placement, deviation: f64) -> Obb {
    let moved = obb.transformed(&place.rotation, &place.translation);
    if deviation <= ROTATION_DEVIATION {
        return moved;
    }
    let [first, second] = [0, 1].map(|k| moved.axes.column(k).into_owned());
    let first = first.normalize();
    let third = first.cross(&second).normalize();
    let axes = Matrix3::from_columns(&[first, third.cross(&first), third]);
    Obb { axes, half_extents: axes.tr_mul(&moved.axes).abs() * moved.half_extents, ..moved }
}

impl Bounds {
    fn new(sphere: Sphere, obb: Obb, inflation: f64) -> Self {
        let reach = sphere.center.coords.amax().max(obb.center.coords.amax()) + sphere.radius + obb.half_extents.amax();
        let more = inflation + ROUNDING * (reach + inflation);
        let sphere = Sphere { radius: sphere.radius + more, ..sphere };
        Self { sphere, obb: Obb { half_extents: obb.half_extents.add_scalar(more), ..obb } }
    }

    fn of_points(points: &[Point3<f64>], inflation: f64) -> Self {
        if points.is_empty() {
            // A mesh without points touches nothing, so its bounds may be anywhere.
            let obb = Obb { center: Point3::origin(), axes: Matrix3::identity(), half_extents: Vector3::zeros() };
            return Self::new(Sphere { center: Point3::origin(), radius: 0.0 }, obb, inflation);
        }
        Self::new(SphereFit::SmallestSphere.fit(points), ObbFit::BestArea.fit(points), inflation)
    }

    /// The bounds of a tree's mesh, in its own frame.
    pub fn of_tree(tree: &BvTree) -> Self {
        // Only an inconsistent cooked file lacks a triangle; then the corners of the tree's box are taken.
        let vertices = tree.to_mesh().map(|mesh| mesh.vertices().iter().map(|vertex| vertex.cast()).collect());
        let points: Vec<Point3<f64>> = vertices.unwrap_or_else(|_| tree.bounds().corners().to_vec());
        Self::of_points(&points, 0.0)
    }

    /// The bounds of a shape, in its own frame.
    pub fn of_shape(shape: &Shape) -> Self {
        match shape {
            Shape::Tree { tree, .. } => Self::of_tree(tree),
            Shape::Convex(convex) => {
                let (obb, rounding) = (convex.shape.obb(), convex.shape.rounding_radius());
                let core = obb.half_extents.add_scalar(-rounding).norm();
                Self::new(Sphere { center: obb.center, radius: core + rounding }, obb, 0.0)
            }
        }
    }

    /// The bounds where a pose places them, around everything within `inflation`, as it is measured in any frame.
    fn placed(&self, pose: &Pose, inflation: f64) -> Self {
        let place = Placement::from(*pose);
        let (center, radius) = (place.point(&self.sphere.center), self.sphere.radius * stretch(pose.deviation()));
        let inflation = inflation * stretch(4.0 * Pose::MAX_DEVIATION);
        Self::new(Sphere { center, radius }, placed_box(&self.obb, &place, pose.deviation()), inflation)
    }
}

impl Part {
    pub fn new(shape: Shape, pose: Pose, inflation: f64) -> Self {
        let bounds = Bounds::of_shape(&shape);
        Self::with_bounds(shape, bounds, pose, inflation)
    }

    /// A part of a shape whose bounds in its own frame are known.
    pub fn with_bounds(shape: Shape, bounds: Bounds, pose: Pose, inflation: f64) -> Self {
        Self { shape, pose, inflation, bounds: bounds.placed(&pose, inflation) }
    }
}

/// A named rigid body.
#[derive(Debug)]
pub struct Body {
    pub name: String,
    pub parts: Vec<Part>,
    pub bounds: Bounds,
}

impl Body {
    pub fn new(name: String, parts: Vec<Part>) -> Self {
        let bounds = match &parts[..] {
            [part] => part.bounds,
            parts => {
                let corners: Vec<_> = parts.iter().flat_map(|part| part.bounds.obb.corners()).collect();
                Bounds::of_points(&corners, 0.0)
            }
        };
        Self { name, parts, bounds }
    }

    /// Whether the body has no points, so that no distance from it is defined.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(&part.shape, Shape::Tree { tree, .. } if tree.triangle_count() == 0))
    }
}

impl Shape {
    /// Computes the hexahedra around and inside a convex shape.
    ///
    /// # Errors
    /// If a coordinate is beyond f32.
    pub fn convex(shape: ConvexShape) -> Result<Self, MeshError> {
        let obb = shape.obb();
        let corners = obb.corners();
        let largest = corners.iter().map(|corner| corner.coords.amax()).fold(0.0, f64::max);
        // Half a unit in f32's last place, in all three coordinates together, is less than 1.1e-7 of the largest.
        let rounding = 2e-7 * largest + f64::from(f32::MIN_POSITIVE);
        let larger = Obb { half_extents: obb.half_extents.add_scalar(2.0 * rounding), ..obb };
        let around = hexahedron(&larger.corners())?;
        let (center, thinnest) = (shape.center(), obb.half_extents.amin());
        let share = 8.0 * rounding / thinnest;
        // A convex shape contains the hexahedron if it contains its corners. The check is made for corners nearer to
        // the surface than those used, so that no rounding of a pose takes these out.
        let within = |share: f64| {
            corners.map(|corner| center + (shape.support_point(&(corner - center)) - center) * (1.0 - share))
        };
        let is_inside = share < 0.01 && within(0.5 * share).iter().all(|corner| shape.contains(corner));
        let inside = if is_inside { Some(hexahedron(&within(share))?) } else { None };
        Ok(Self::Convex(Arc::new(Convex { shape, around, inside })))
    }
}

/// The tree of a hexahedron, each face as two triangles; its corners are in the order of a box's corners.
fn hexahedron(corners: &[Point3<f64>; 8]) -> Result<Arc<BvTree>, MeshError> {
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<_> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::from_f64_slices(corners, &triangles)?;
    // Twelve triangles are not too many for a tree.
    let tree = BvTree::build(&mesh, &BuildOptions::default()).map_err(|_| MeshError::BeyondF32 { vertex: 0 })?;
    Ok(Arc::new(tree))
}
