//! `include/bvtree.h` is up to date with the sources.

use std::path::Path;

/// Handles of scenes and of objects for one thread at a time: the header takes pointers to them without `const`.
const CHANGING: [&str; 7] =
    ["BvtQuery", "BvtProbe", "BvtDistanceTracker", "BvtDeformingTree", "BvtCharacter", "BvtRobot", "BvtScene"];

fn made() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut header = Vec::new();
    cbindgen::Builder::new().with_crate(folder).with_config(config).generate().unwrap().write(&mut header);
    let header = String::from_utf8(header).unwrap();
    let header = CHANGING.iter().fold(header, |header, handle| {
        header.replace(&format!("const struct {handle} *"), &format!("struct {handle} *"))
    });
    let lines = header.replace("# Safety", "Preconditions:").lines().map(plain_array).collect::<Vec<_>>();
    lines.join("\n") + "\n"
}

/// Rewrites `const double (*point)[3]` as `const double point[3]`, to which C passes an array without `&`.
fn plain_array(line: &str) -> String {
    let Some((before, after)) = line.split_once("const double (*").or_else(|| line.split_once("const float (*")) else {
        return line.to_owned();
    };
    let number = if line.contains("const double (*") { "const double " } else { "const float " };
    // Another array may follow in the line.
    before.to_owned() + number + &plain_array(&after.replacen(")[", "[", 1))
}

#[test]
fn the_header_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/bvtree.h");
    let made = made();
    if std::env::var_os("BVTREE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = committed.lines().zip(made.lines()).position(|(committed, made)| committed != made);
    assert!(
        committed == made,
        "include/bvtree.h is out of date (line {:?}): BVTREE_WRITE_HEADER=1 cargo test -p bvtree-capi --test header",
        differ.map(|line| line + 1)
    );
}

#[test]
fn the_header_tells_this_version() {
    let version = [bvtree_capi::BVT_VERSION_MAJOR, bvtree_capi::BVT_VERSION_MINOR, bvtree_capi::BVT_VERSION_PATCH];
    assert_eq!(version.map(|number| number.to_string()).join("."), env!("CARGO_PKG_VERSION"));
}
