//! Trees as shapes of parry3d and rapier3d, compared with brute force and with parry3d's own `TriMesh`.

mod dispatcher;
mod manifolds;
mod rest;
mod shape;
mod support;
mod tiles;
