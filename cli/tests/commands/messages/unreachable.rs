//! Errors that no case can bring about, each with the reason.

use super::sources::Text;

/// Texts as in the sources, by reason.
const UNREACHABLE: &[(&str, &[&str])] = &[
    (
        "of the library's functions that the program does not call, or with what it does not hand over",
        &[
            "vertex {vertex} has a coordinate beyond the range of f32",
            "face {face} refers to vertex {index}, but there are {vertices} vertices, counted from 0",
            "the number of {what} does not fit whole points or faces",
            "expected rows of {columns} heights, found {heights} heights",
            "expected a polygon number for each of {triangles} triangles, found {polygons}",
            "{} files are not supported by this build: enable the feature `{format}` of bvtree",
            "expected a finite scale above 0, found {given}",
            "max_leaf_triangles is 0: a leaf holds at least one triangle",
            "the tree of tile {number} has other {what} than the tile: build it from the tile, with this version",
            "the buffer does not begin at a multiple of {alignment} bytes",
            "the matrix is not affine: its last row is not 0, 0, 0, 1",
            "a pose entry is not finite",
            "a quaternion or an axis of length zero is no rotation",
            "the tree has {tree} triangles, the mesh {mesh}",
            "face {face} has other coordinates than in the mesh",
            "face {face} comes from another polygon than in the mesh",
            "the tree's groups are not the mesh's",
            "the stored digest is not the mesh's",
            "the layers of the tree are already set",
            "{source}: not JSON",
        ],
    ),
    (
        "only with gigabytes",
        &[
            "more than {} {what}",
            "the tree would have {volumes} volumes: at most {limit} can be numbered; allow more triangles per leaf",
            "the model would be larger than 4 GiB, which .glb can't hold",
            "cannot build a tree of {}",
        ],
    ),
    (
        "of forged files, whose checksums are right: tests/cook has each in the library",
        &[
            "nodes of {words} words are not a whole number of volumes and the padding",
            "padding word {word} after the nodes is not zero",
            "{length} {array} for {triangles} triangles",
            "leaf triangle {triangle} refers to vertex {index}, but there are {vertices} vertices",
            "leaf triangle {triangle} refers to vertex {index}, expected one of the first {used} or the next",
            "the triangles use {used} of {vertices} vertices",
            "the polygons are the faces, which is stored as no polygons at all",
            "leaf triangle {triangle} is face {face}, but there are {faces} faces",
            "leaf triangle {triangle} is face {face}, as is one before it",
            "group {group} is empty, out of order or out of range",
            "the volumes' frame has no power of two as unit, or does not fit the bounds",
            "volume {volume} has its {children} children at {found}, expected at {expected} of {volumes}",
            "leaf volume {volume} begins at triangle {found}, expected {expected} of {triangles}",
            "leaf volume {volume} has no last triangle",
            "{reached} of {volumes} volumes belong to the tree",
            "{reached} of {triangles} triangles belong to a leaf",
            "volume {volume} is not finite",
            "volume {volume} has a negative half extent or radius",
            "the stored {what} is {stored}, the tree's is {counted}",
            "a depth of {split_depth} splits is impossible for this tree",
            "volume {volume} has axes that differ from a rotation by {deviation:e}",
        ],
    ),
    (
        "where the system fails, not the user: threads, signals, memory, a folder that goes while it is read",
        &[
            "cannot start threads",
            "cannot handle interrupts",
            "cannot read the folder {}",
            "cannot write the manual",
            "cannot measure a tree",
            "cannot write BCF",
            "ignored bodies",
            "cannot read triangles",
            "cannot write the model",
            "this CPU has no {level}",
        ],
    ),
    ("with an environment variable: in query/ beside this", &["environment variable {VARIABLE}: {error}"]),
];

pub fn is_listed(text: &str) -> bool {
    UNREACHABLE.iter().any(|(_, texts)| texts.contains(&text))
}

/// Asserts that each text is still in the sources; one that is not must be removed here.
pub fn assert_all_exist(all: &[Text]) {
    for text in UNREACHABLE.iter().flat_map(|(_, texts)| *texts) {
        assert!(all.iter().any(|known| known.whole == *text), "not in the sources: {text}");
    }
}
