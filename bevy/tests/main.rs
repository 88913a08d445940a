//! Apps without a window, whose scenes are compared with brute force.

mod assets;
mod bodies;
mod character;
mod gizmos;
mod picking;
mod support;
