//! Single shapes in 3D and 2D, against independent ways to the same answer.

mod cases;
mod closest;
mod convex;
mod convex_depth;
mod convex_measure;
mod convex_pair;
mod kdop;
mod moving;
mod scale;
mod shape2;
mod table;
mod triangle;
mod volumes;
