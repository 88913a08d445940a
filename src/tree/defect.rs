//! Defects of a tree.

use thiserror::Error;

/// A defect of a tree, found in a damaged file or by [`BvTree::validate`](crate::BvTree::validate).
///
/// All indices start at 0: volumes in the order in which they are stored, leaf triangles in leaf order, faces as in the
/// mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TreeDefect {
    /// The nodes are not a whole number of volumes followed by eight words of padding.
    #[error("nodes of {words} words are not a whole number of volumes and the padding")]
    NodesLength {
        /// Length of the nodes in words of 4 bytes.
        words: usize,
    },
    /// A word after the last volume is not zero.
    #[error("padding word {word} after the nodes is not zero")]
    Padding {
        /// Index of the word in the nodes.
        word: usize,
    },
    /// An array is not as long as the number of triangles requires.
    #[error("{length} {array} for {triangles} triangles")]
    ArrayLength {
        /// `"faces"` or `"polygons"`.
        array: &'static str,
        /// Length of the array.
        length: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    VertexNotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("leaf triangle {triangle} refers to vertex {index}, but there are {vertices} vertices")]
    CornerOutOfRange {
        /// Index of the triangle in leaf order.
        triangle: usize,
        /// The vertex index that is out of range.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A triangle refers to a vertex before the one that comes next in the order of first use.
    #[error("leaf triangle {triangle} refers to vertex {index}, expected one of the first {used} or the next")]
    VertexOrder {
        /// Index of the triangle in leaf order.
        triangle: usize,
        /// The vertex index.
        index: u32,
        /// Number of vertices that were used before.
        used: u32,
    },
    /// No triangle refers to the last vertices.
    #[error("the triangles use {used} of {vertices} vertices")]
    UnusedVertices {
        /// Number of vertices that triangles use.
        used: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The polygons are stored, although every face is its own polygon.
    #[error("the polygons are the faces, which is stored as no polygons at all")]
    PolygonsOfFaces,
    /// A face number is out of range.
    #[error("leaf triangle {triangle} is face {face}, but there are {faces} faces")]
    FaceOutOfRange {
        /// Index of the triangle in leaf order.
        triangle: usize,
        /// The face number that is out of range.
        face: u32,
        /// Number of faces.
        faces: usize,
    },
    /// Two triangles have the same face number.
    #[error("leaf triangle {triangle} is face {face}, as is one before it")]
    FaceRepeated {
        /// Index of the later triangle in leaf order.
        triangle: usize,
        /// The face number that occurs twice.
        face: u32,
    },
    /// A group's run of triangles is empty, out of order or out of range.
    #[error("group {group} is empty, out of order or out of range")]
    GroupRange {
        /// Index of the group.
        group: usize,
    },
    /// The stored box is not the box of the vertices.
    #[error("the stored bounds are not the box of the vertices")]
    Bounds,
    /// The volumes' frame has a wrong origin or unit.
    #[error("the volumes' frame has no power of two as unit, or does not fit the bounds")]
    Frame,
    /// A volume's children do not come right after all preceding nodes, as the order of nodes requires, or they reach
    /// past the last volume.
    #[error("volume {volume} has its {children} children at {found}, expected at {expected} of {volumes}")]
    Children {
        /// Index of the parent volume.
        volume: usize,
        /// Number of children according to the volume's reference to them.
        children: usize,
        /// Index of the first child according to the volume's reference.
        found: usize,
        /// Expected index of the first child.
        expected: usize,
        /// Number of volumes.
        volumes: usize,
    },
    /// A leaf's triangles do not follow those of the leaf before it, or they begin past the last triangle.
    #[error("leaf volume {volume} begins at triangle {found}, expected {expected} of {triangles}")]
    LeafStart {
        /// Index of the leaf's volume.
        volume: usize,
        /// Index of the first triangle according to the volume's reference.
        found: usize,
        /// Expected index of the first triangle.
        expected: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// From a leaf's first triangle on, none is marked as the last one of a leaf.
    #[error("leaf volume {volume} has no last triangle")]
    LeafEnd {
        /// Index of the leaf's volume.
        volume: usize,
    },
    /// Some volumes belong to no node of the tree.
    #[error("{reached} of {volumes} volumes belong to the tree")]
    VolumesLeftOver {
        /// Number of volumes that belong to the tree, the root included.
        reached: usize,
        /// Number of volumes.
        volumes: usize,
    },
    /// Some triangles belong to no leaf.
    #[error("{reached} of {triangles} triangles belong to a leaf")]
    TrianglesLeftOver {
        /// Number of triangles in leaves.
        reached: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A volume contains a number that is NaN or infinite.
    #[error("volume {volume} is not finite")]
    VolumeNotFinite {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume has a negative half extent or radius.
    #[error("volume {volume} has a negative half extent or radius")]
    NegativeExtent {
        /// Index of the volume.
        volume: usize,
    },
    /// A stored count differs from the tree's.
    #[error("the stored {what} is {stored}, the tree's is {counted}")]
    Count {
        /// The counted quantity.
        what: &'static str,
        /// The stored count.
        stored: usize,
        /// The actual count.
        counted: usize,
    },
    /// The depth in binary splits contradicts the depth in levels, the number of leaves or the build options.
    #[error("a depth of {split_depth} splits is impossible for this tree")]
    SplitDepth {
        /// The stored depth in binary splits.
        split_depth: u32,
    },
    /// A volume does not contain a triangle below it.
    #[error("volume {volume} does not enclose face {face} below it")]
    NotEnclosed {
        /// Index of the volume.
        volume: usize,
        /// The triangle's face number.
        face: u32,
    },
    /// An oriented box's axes are too far from perpendicular unit vectors.
    #[error("volume {volume} has axes that differ from a rotation by {deviation:e}")]
    Axes {
        /// Index of the volume.
        volume: usize,
        /// Largest entry of `|A^T A - I|`.
        deviation: f64,
    },
    /// The mesh has a different number of triangles than the tree.
    #[error("the tree has {tree} triangles, the mesh {mesh}")]
    MeshTriangles {
        /// Number of triangles of the tree.
        tree: usize,
        /// Number of triangles of the mesh.
        mesh: usize,
    },
    /// A triangle has different coordinates in the mesh.
    #[error("face {face} has other coordinates than in the mesh")]
    MeshCoordinates {
        /// The triangle's face number.
        face: u32,
    },
    /// A triangle comes from a different polygon in the mesh.
    #[error("face {face} comes from another polygon than in the mesh")]
    MeshPolygon {
        /// The triangle's face number.
        face: u32,
    },
    /// The mesh has different groups.
    #[error("the tree's groups are not the mesh's")]
    MeshGroups,
    /// The stored digest is not the mesh's.
    #[error("the stored digest is not the mesh's")]
    MeshDigest,
}
