//! Volume, centre of mass and inertia of what a mesh encloses.

use nalgebra::{Matrix3, Point3, Vector3};
use thiserror::Error;

use crate::mesh::Mesh;
use crate::parallel::Sorting;
use crate::probe::Watertightness;

/// Of a solid of density 1. Times a density, the volume is the mass and the inertia that of the mass.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// In cubed units of the mesh.
    pub volume: f64,
    /// The centre of mass.
    pub center: Point3<f64>,
    /// About the centre, along the mesh's axes; symmetric.
    pub inertia: Matrix3<f64>,
}

/// Why a mesh has no mass properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// Some edge has an odd number of triangles.
    #[error("the mesh is not closed")]
    Open,
    /// Triangles' orders of corners disagree along some edge.
    #[error("the mesh is closed, but its triangles' orders of corners disagree")]
    Unoriented,
    /// It encloses nothing, or no more than rounding errors may amount to; or what it encloses cancels.
    #[error("the mesh encloses no volume")]
    NoVolume,
}

impl MassProperties {
    /// The integrals over the solid, as sums over tetrahedra from the middle to each triangle (Tonon, "Explicit exact
    /// formulas for the 3-D tetrahedron inertia tensor in terms of its vertex coordinates", 2004; the same numbers as
    /// Mirtich, "Fast and accurate computation of polyhedral mass properties", 1996).
    ///
    /// Volume is signed by the triangles' orientation. So where the mesh winds around a place twice, as in a shell
    /// inside another one of the same orientation, that place counts twice (for
    /// [`Probe::contains`](crate::Probe::contains) it is just inside); and an inner shell that is turned inside out is
    /// a hollow, for both. A mesh that is inside out as a whole counts as if it were not. The middle is the mesh's own,
    /// so that no digits are lost far from the origin. Takes O(n log n) time.
    ///
    /// # Errors
    /// If the mesh is open, its triangles disagree, or it encloses no volume.
    pub fn of(mesh: &Mesh) -> Result<Self, MassError> {
        match Watertightness::new(mesh.vertices(), mesh.triangles().iter().copied(), Sorting::InPool) {
            Watertightness::Open => return Err(MassError::Open),
            Watertightness::Unoriented => return Err(MassError::Unoriented),
            Watertightness::Oriented => {}
        }
        let bounds = mesh.aabb();
        if bounds.is_empty() {
            return Err(MassError::NoVolume);
        }
        let first = Integrals::about(mesh, &bounds.center()).ok_or(MassError::NoVolume)?;
        // Once more about the centre of mass: nothing is left to be subtracted.
        let center = bounds.center() + first.first_moment / first.volume;
        let Integrals { volume, first_moment, second_moment } =
            Integrals::about(mesh, &center).ok_or(MassError::NoVolume)?;
        let inertia = Matrix3::from_diagonal_element(second_moment.trace()) - second_moment;
        Ok(Self { volume: volume.abs(), center: center + first_moment / volume, inertia: inertia * volume.signum() })
    }
}

/// Over the solid, of 1, of `x`, and of `x x^T`.
struct Integrals {
    volume: f64,
    first_moment: Vector3<f64>,
    second_moment: Matrix3<f64>,
}

impl Integrals {
    /// None if the volume is no more than rounding may make of none.
    fn about(mesh: &Mesh, origin: &Point3<f64>) -> Option<Self> {
        let (mut volume, mut magnitude) = (0.0, 0.0);
        let (mut first_moment, mut second_moment) = (Vector3::zeros(), Matrix3::zeros());
        for face in 0..mesh.triangles().len() as u32 {
            let [a, b, c] = mesh.triangle(face).vertices.map(|vertex| vertex - origin);
            let determinant = a.dot(&b.cross(&c));
            let sum = a + b + c;
            volume += determinant;
            magnitude += a.norm() * b.norm() * c.norm();
            first_moment += sum * determinant;
            second_moment +=
                (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * determinant;
        }
        let certain = volume.abs() > 16.0 * f64::EPSILON * magnitude;
        let [volume, first, second] = [volume / 6.0, 1.0 / 24.0, 1.0 / 120.0];
        certain.then(|| Self { volume, first_moment: first_moment * first, second_moment: second_moment * second })
    }
}
