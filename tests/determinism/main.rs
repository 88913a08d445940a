//! The same bytes and the same answers, to the last bit, on every machine: digests of both, as `golden.txt` has them,
//! whatever the architecture, the level of instructions, the number of threads and the build profile.
//!
//! It reads no files and needs no arguments, so that it also runs as WebAssembly. Where the figures are meant to
//! change, `BVTREE_WRITE_GOLDEN=1 cargo test -p bvtree-determinism` writes them anew.

mod answers;
mod bodies;
mod cooked;
mod digest;
mod meshes;
mod without_clock;

use std::collections::BTreeMap;

use digest::Digest;

/// A line for each digest: its name and its value.
const GOLDEN: &str = include_str!("golden.txt");

/// Checks digests of one family of names, all that there are of it.
fn check(family: &str, digests: Vec<(String, Digest)>) {
    let found: BTreeMap<String, String> = digests
        .into_iter()
        .map(|(name, digest)| (format!("{family}/{name}"), format!("{:016x}", digest.value())))
        .collect();
    if std::env::var_os("BVTREE_WRITE_GOLDEN").is_some() {
        return write(family, &found);
    }
    let golden: BTreeMap<String, String> = GOLDEN
        .lines()
        .filter(|line| line.starts_with(&format!("{family}/")))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(found, golden);
}

/// Replaces the lines of a family.
fn write(family: &str, found: &BTreeMap<String, String>) {
    static FILE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = FILE.lock();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let others = text.lines().filter(|line| !line.starts_with(&format!("{family}/"))).map(str::to_owned);
    let mut lines: Vec<String> = others.chain(found.iter().map(|(name, value)| format!("{name} {value}"))).collect();
    lines.sort();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}
