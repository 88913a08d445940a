//! How answers name two triangles.

/// Two triangles, one of each mesh, by their indices in the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FacePair {
    /// Triangle of mesh A.
    pub face_a: u32,
    /// Triangle of mesh B.
    pub face_b: u32,
}
