//! Volume, centre of mass and inertia of the solid that a mesh encloses, and of convex shapes.

use nalgebra::{Matrix3, Point3, Vector3};
use thiserror::Error;

use crate::mesh::Mesh;
use crate::numeric::error_bounds::volume_error;
use crate::probe::Watertightness;
use crate::shape::{ConvexShape, Moments};

/// The mass properties of a solid of density 1. Multiplied by another density, the volume is the body's mass, and the
/// inertia is the body's inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// The volume, in cubed units of the mesh or shape.
    pub volume: f64,
    /// The centre of mass.
    pub center: Point3<f64>,
    /// The inertia about the centre, along the axes of the mesh's or shape's frame; symmetric.
    pub inertia: Matrix3<f64>,
}

/// The reason why a mesh or a shape has no mass properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// Some edge has an odd number of triangles.
    #[error("the mesh is not closed")]
    Open,
    /// Triangles' windings disagree along some edge.
    #[error("the mesh is closed, but its triangles' orders of corners disagree")]
    Unoriented,
    /// The volume is zero, or no greater than the bound on its rounding error.
    #[error("there is no volume inside")]
    NoVolume,
}

impl MassProperties {
    /// The mass properties of the solid that a closed mesh encloses, as sums over the tetrahedra from its centre to
    /// each triangle (Tonon, "Explicit exact formulas for the 3-D tetrahedron inertia tensor in terms of its vertex
    /// coordinates", 2004; equal to Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996).
    ///
    /// Volume is signed by the triangles' orientation. A region that the mesh winds around twice, such as a shell
    /// inside another of the same orientation, counts twice (for [`Probe::contains`](crate::Probe::contains) it is
    /// simply inside); an inverted inner shell is a hollow for both. A wholly inverted mesh counts as if it were not
    /// inverted. Sums are about the mesh's own centre, so that no digits are lost far from the origin. Takes O(n log n)
    /// time.
    ///
    /// # Errors
    /// If the mesh is open, its windings disagree, or it encloses no volume.
    pub fn of(mesh: &Mesh) -> Result<Self, MassError> {
        match mesh.watertightness() {
            Watertightness::Open => return Err(MassError::Open),
            Watertightness::Unoriented => return Err(MassError::Unoriented),
            Watertightness::Oriented => {}
        }
        let bounds = mesh.aabb();
        if bounds.is_empty() {
            return Err(MassError::NoVolume);
        }
        Self::about_center(bounds.center(), |origin| moments_of_mesh(mesh, origin)).ok_or(MassError::NoVolume)
    }

    /// The mass properties of a convex shape in its own frame, in closed form, including what [`ConvexShape::rounded`]
    /// added to it. For a mesh, use [`MassProperties::of`].
    ///
    /// ```
    /// use bvtree::response::MassProperties;
    /// use bvtree::shape::ConvexShape;
    ///
    /// let ball = MassProperties::of_shape(&ConvexShape::sphere(2.0)?)?;
    /// assert!((ball.inertia[(0, 0)] - 0.4 * ball.volume * 4.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the shape is flat, and not rounded.
    pub fn of_shape(shape: &ConvexShape) -> Result<Self, MassError> {
        let moments = |origin: &Point3<f64>| Some(shape.moments_about(origin)).filter(|moments| moments.volume > 0.0);
        Self::about_center(shape.center(), moments).ok_or(MassError::NoVolume)
    }

    /// The mass properties, from a function that gives a solid's moments about a point; `middle` should be near the
    /// solid's middle.
    fn about_center(middle: Point3<f64>, moments: impl Fn(&Point3<f64>) -> Option<Moments>) -> Option<Self> {
        let Moments { volume, first, .. } = moments(&middle)?;
        // The second pass about the centre of mass avoids subtracting large moments.
        let center = middle + first / volume;
        let Moments { volume, first, second } = moments(&center)?;
        let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
        Some(Self { volume: volume.abs(), center: center + first / volume, inertia: inertia * volume.signum() })
    }
}

/// Integrates over the solid that a mesh encloses; `None` if the volume does not exceed the bound on its rounding
/// error.
fn moments_of_mesh(mesh: &Mesh, origin: &Point3<f64>) -> Option<Moments> {
    let (mut moments, mut magnitude, mut lengths) = (Moments::default(), 0.0, 0.0);
    for triangle in mesh.iter() {
        let corners = triangle.vertices.map(|vertex| vertex - origin);
        magnitude += moments.add_tetrahedron(corners).abs();
        lengths += corners.iter().map(Vector3::norm).product::<f64>();
    }
    let error = volume_error(mesh.triangles().len(), lengths, magnitude) / 6.0;
    (moments.volume.abs() > error).then_some(moments)
}
