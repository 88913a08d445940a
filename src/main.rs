//! The `bvtree` command-line tool.

fn main() {}
