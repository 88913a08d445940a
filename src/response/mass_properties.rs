//! Volume, centre of mass and inertia of the solid that a mesh encloses.

use nalgebra::{Matrix3, Point3, Vector3};
use thiserror::Error;

use crate::mesh::Mesh;
use crate::numeric::error_bounds::volume_error;
use crate::probe::Watertightness;

/// The mass properties of a solid of density 1. Multiplied by a density, volume and inertia are those of the mass.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// The volume, in cubed units of the mesh.
    pub volume: f64,
    /// The centre of mass.
    pub center: Point3<f64>,
    /// The inertia about the centre, along the mesh's axes; symmetric.
    pub inertia: Matrix3<f64>,
}

/// The reason why a mesh has no mass properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// Some edge has an odd number of triangles.
    #[error("the mesh is not closed")]
    Open,
    /// Triangles' windings disagree along some edge.
    #[error("the mesh is closed, but its triangles' orders of corners disagree")]
    Unoriented,
    /// The volume is zero or within its rounding error.
    #[error("the mesh encloses no volume")]
    NoVolume,
}

impl MassProperties {
    /// Computes the integrals over the solid as sums over tetrahedra from the centre to each triangle (Tonon, "Explicit
    /// exact formulas for the 3-D tetrahedron inertia tensor in terms of its vertex coordinates", 2004; equal to
    /// Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996).
    ///
    /// Volume is signed by the triangles' orientation. A region that the mesh winds around twice, such as a shell
    /// inside another of the same orientation, counts twice (for [`Probe::contains`](crate::Probe::contains) it is
    /// simply inside); an inverted inner shell is a hollow for both. A wholly inverted mesh counts as if it were not.
    /// Sums are about the mesh's own centre, so that no digits are lost far from the origin. Takes O(n log n) time.
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
        let first = Integrals::about(mesh, &bounds.center()).ok_or(MassError::NoVolume)?;
        // The second pass about the centre of mass avoids subtracting large moments.
        let center = bounds.center() + first.first_moment / first.volume;
        let Integrals { volume, first_moment, second_moment } =
            Integrals::about(mesh, &center).ok_or(MassError::NoVolume)?;
        let inertia = Matrix3::from_diagonal_element(second_moment.trace()) - second_moment;
        Ok(Self { volume: volume.abs(), center: center + first_moment / volume, inertia: inertia * volume.signum() })
    }
}

/// Integrals over the solid of 1, `x` and `x x^T`.
struct Integrals {
    volume: f64,
    first_moment: Vector3<f64>,
    second_moment: Matrix3<f64>,
}

impl Integrals {
    /// Integrates about an origin; `None` if the volume is within its rounding error.
    fn about(mesh: &Mesh, origin: &Point3<f64>) -> Option<Self> {
        let (mut volume, mut magnitude, mut lengths) = (0.0, 0.0, 0.0);
        let (mut first_moment, mut second_moment) = (Vector3::zeros(), Matrix3::zeros());
        for triangle in mesh.iter() {
            let [a, b, c] = triangle.vertices.map(|vertex| vertex - origin);
            let determinant = a.dot(&b.cross(&c));
            let sum = a + b + c;
            volume += determinant;
            magnitude += determinant.abs();
            lengths += a.norm() * b.norm() * c.norm();
            first_moment += sum * determinant;
            second_moment +=
                (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * determinant;
        }
        let certain = volume.abs() > volume_error(mesh.triangles().len(), lengths, magnitude);
        let [volume, first, second] = [volume / 6.0, 1.0 / 24.0, 1.0 / 120.0];
        certain.then(|| Self { volume, first_moment: first_moment * first, second_moment: second_moment * second })
    }
}
