//! How two meshes lie to each other as solids: apart, touching, crossing, or one inside the other.

mod cells;
mod classification;
mod edge_crossing;
mod question;

pub use question::Relation;
