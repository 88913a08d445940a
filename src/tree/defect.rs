//! What can be wrong with a tree.

use thiserror::Error;

/// Something wrong with a tree: found in a damaged file, or by [`BvTree::validate`](crate::BvTree::validate).
///
/// Volumes are counted in the order in which they are stored, leaf triangles in leaf order, faces as in the mesh, all
/// from 0.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TreeDefect {
    /// The nodes are not a whole number of volumes and eight words of padding.
    #[error("nodes of {words} words are not a whole number of volumes and the padding")]
    NodesLength {
        /// Length of the nodes in words of 4 bytes.
        words: usize,
    },
    /// A word after the last volume is not zero.
    #[error("padding word {word} after the nodes is not zero")]
    Padding {
        /// The word of the nodes.
        word: usize,
    },
    /// An array is not as long as the number of triangles requires.
    #[error("{length} {array} for {triangles} triangles")]
    ArrayLength {
        /// `"faces"` or `"polygons"`.
        array: &'static str,
        /// Its length.
        length: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    VertexNotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle refers to a vertex that is not there.
    #[error("leaf triangle {triangle} refers to vertex {index}, but there are {vertices} vertices")]
    CornerOutOfRange {
        /// The triangle in leaf order.
        triangle: usize,
        /// Its index that is out of range.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A face number is out of range.
    #[error("leaf triangle {triangle} is face {face}, but there are {faces} faces")]
    FaceOutOfRange {
        /// The triangle in leaf order.
        triangle: usize,
        /// Its face number.
        face: u32,
        /// Number of faces.
        faces: usize,
    },
    /// Two triangles have the same face number.
    #[error("leaf triangle {triangle} is face {face}, as is one before it")]
    FaceRepeated {
        /// The later triangle in leaf order.
        triangle: usize,
        /// The face number.
        face: u32,
    },
    /// A run of triangles does not end after its first triangle.
    #[error("group {group} is empty, out of order or out of range")]
    GroupRange {
        /// The run.
        group: usize,
    },
    /// The stored box is not the box of the vertices.
    #[error("the stored bounds are not the box of the vertices")]
    Bounds,
    /// The volumes' frame has a wrong origin or unit.
    #[error(
        "the volumes' frame has no power of two as unit, or the bounds reach farther than one unit from its origin"
    )]
    Frame,
    /// A volume's children are not where the order of nodes has them: right after all nodes before them.
    #[error("volume {volume} has its {children} children at {found}, expected at {expected} of {volumes}")]
    Children {
        /// The parent.
        volume: usize,
        /// How many children it claims.
        children: usize,
        /// Where it claims them.
        found: usize,
        /// Where they belong.
        expected: usize,
        /// Number of volumes.
        volumes: usize,
    },
    /// A leaf's triangles are not those that follow the leaf before it.
    #[error("leaf volume {volume} begins at triangle {found}, expected {expected} of {triangles}")]
    LeafStart {
        /// The leaf.
        volume: usize,
        /// First triangle that it claims.
        found: usize,
        /// First triangle that no leaf before it has.
        expected: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// No triangle is marked as a leaf's last.
    #[error("leaf volume {volume} has no last triangle")]
    LeafEnd {
        /// The leaf.
        volume: usize,
    },
    /// Volumes are left over that no node holds.
    #[error("{reached} of {volumes} volumes belong to the tree")]
    VolumesLeftOver {
        /// Volumes below the root.
        reached: usize,
        /// Number of volumes.
        volumes: usize,
    },
    /// Triangles are left over that no leaf holds.
    #[error("{reached} of {triangles} triangles belong to a leaf")]
    TrianglesLeftOver {
        /// Triangles in leaves.
        reached: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A volume has a number that is NaN or infinite.
    #[error("volume {volume} is not finite")]
    VolumeNotFinite {
        /// The volume.
        volume: usize,
    },
    /// A volume has a negative half extent or radius.
    #[error("volume {volume} has a negative half extent or radius")]
    NegativeExtent {
        /// The volume.
        volume: usize,
    },
    /// A stored count is not what the tree has.
    #[error("the stored {what} is {stored}, the tree's is {counted}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// As stored.
        stored: usize,
        /// As counted.
        counted: usize,
    },
    /// The depth in binary splits contradicts the depth in levels, the number of leaves or the build options.
    #[error("a depth of {split_depth} splits is impossible for this tree")]
    SplitDepth {
        /// As stored.
        split_depth: u32,
    },
    /// A volume does not contain a triangle below it.
    #[error("volume {volume} does not enclose face {face} below it")]
    NotEnclosed {
        /// The volume.
        volume: usize,
        /// The triangle.
        face: u32,
    },
    /// An oriented box's axes are too far from perpendicular unit vectors.
    #[error("volume {volume} has axes that differ from a rotation by {deviation:e}")]
    Axes {
        /// The volume.
        volume: usize,
        /// Largest entry of `|A^T A - I|`.
        deviation: f64,
    },
    /// The mesh has another number of triangles.
    #[error("the tree has {tree} triangles, the mesh {mesh}")]
    MeshTriangles {
        /// Triangles of the tree.
        tree: usize,
        /// Triangles of the mesh.
        mesh: usize,
    },
    /// A triangle has other coordinates in the mesh.
    #[error("face {face} has other coordinates than in the mesh")]
    MeshCoordinates {
        /// The triangle.
        face: u32,
    },
    /// A triangle comes from another polygon in the mesh.
    #[error("face {face} comes from another polygon than in the mesh")]
    MeshPolygon {
        /// The triangle.
        face: u32,
    },
    /// The mesh has other groups.
    #[error("the tree's groups are not the mesh's")]
    MeshGroups,
    /// The stored digest is not the mesh's.
    #[error("the stored digest is not the mesh's")]
    MeshDigest,
}
