//! Which triangles intersect: those of two meshes, those of one mesh with each other, and the candidates for it.

mod candidates;
mod intersecting;
mod self_pairs;
