//! Tests of the package, in one program.

mod arm;
mod cache;
mod certificates;
mod checks;
mod collada;
mod edges;
mod files;
mod hostile;
mod kinematics;
mod paths;
