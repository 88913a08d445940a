//! Trees as shapes of parry3d and rapier3d, beside brute force and parry3d's own `TriMesh`.

mod dispatcher;
mod manifolds;
mod rest;
mod shape;
mod support;
mod tiles;
