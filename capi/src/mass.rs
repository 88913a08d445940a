//! Mass, centre of mass and inertia.

use std::mem::MaybeUninit;

use bvtree::response::MassProperties;

use crate::ffi::{given, out};
use crate::mesh::BvtMesh;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::BvtStatus;

/// Mass properties of a solid of density 1. Multiply volume and inertia by a density to get its mass and moments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtMassProperties {
    /// Enclosed volume, in cubed units of the mesh.
    pub volume: f64,
    /// The centre of mass.
    pub center: [f64; 3],
    /// Inertia tensor about the centre of mass, along the mesh's axes, row by row; symmetric.
    pub inertia: [f64; 9],
}

impl From<MassProperties> for BvtMassProperties {
    fn from(mass: MassProperties) -> Self {
        let mut inertia = [0.0; 9];
        inertia.copy_from_slice(mass.inertia.transpose().as_slice());
        Self { volume: mass.volume, center: mass.center.into(), inertia }
    }
}

/// Computes the mass properties of a closed mesh.
///
/// Errors: `BVT_ERROR_MASS` if the mesh is open, its triangles disagree, or it encloses no volume.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_mass_properties(
    mesh: Option<&BvtMesh>,
    mass: Option<&mut MaybeUninit<BvtMassProperties>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mesh, out) = (given(mesh, "mesh")?, out(mass, "mass")?);
        out.write(MassProperties::of(&mesh.mesh)?.into());
        DONE
    })
}
