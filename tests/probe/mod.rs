//! Questions about one tree, against brute force, integer arithmetic and parry3d: every kind of tree and every
//! instruction set.

mod bullets;
mod capsules;
mod casts;
mod exact;
mod insides;
mod meshes;
mod points;
mod rays;
mod swept;
mod volumes;
