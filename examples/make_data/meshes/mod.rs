//! The meshes, one file each, and the few techniques they are made with: [`loft`], [`sweep`], [`blobs`], [`noise`].

mod blobs;
mod loft;
mod noise;
mod obj;
mod surface;
mod sweep;

mod bolt;
mod chain_link;
mod character;
mod gear;
mod nonmanifold;
mod open_bowl;
mod spring;
mod sword;
mod teapot;
mod terrain;
mod torus_knot;
mod wooden_crate;

use obj::Obj;

/// A file's name, without its extension, and what makes its contents.
type NamedMesh = (&'static str, fn() -> Obj);

/// All of them, by name.
pub const ALL: [NamedMesh; 12] = [
    ("bolt", bolt::bolt),
    ("chain_link", chain_link::chain_link),
    ("character", character::character),
    ("crate", wooden_crate::wooden_crate),
    ("gear", gear::gear),
    ("nonmanifold", nonmanifold::nonmanifold),
    ("open_bowl", open_bowl::open_bowl),
    ("spring", spring::spring),
    ("sword", sword::sword),
    ("teapot", teapot::teapot),
    ("terrain", terrain::terrain),
    ("torus_knot", torus_knot::torus_knot),
];
