//! Disks that are full or read-only, in a mount namespace of the test's own. `cli/tests/disks.sh` has more of them.

use std::fs;
use std::ops::Range;
use std::process::Command;

use super::{Workplace, assert_has};
use bvtree_test_support::dataset_folder::skipped;

/// Cooks `in` onto a disk of its own that is mounted with the options `$2`, prints what happened, makes the disk large
/// and writable, and cooks again.
const SCRIPT: &str = r#"
set -u
mount -t tmpfs -o "$2" tmpfs out
"$1" cook in -o out --kind all -q
echo "first: $?, $(find out -name '*.bvt' | wc -l) files"
[ "$(find out -name '*.bvt' | wc -l)" -eq 0 ] || "$1" verify out -q > verified || cat verified
mount -o remount,rw,size=100M out
# Temporary files are abandoned when they are older than two seconds.
sleep 2.5
rm -f out/1.obb.bvt
"$1" cook in -o out --kind all -q > again || cat again
echo "again: $?, $(find out -name '*.bvt' | wc -l) files, $(find out -name '*.tmp' | wc -l) temporary"
"$1" verify out -q > verified && "$1" cook in -o out --kind all -q --check && echo sound
"#;

fn grid(side: usize) -> String {
    let corners = (0..=side).flat_map(|y| (0..=side).map(move |x| format!("v {x} {y} {}\n", (x * y) % 3)));
    let corner = move |x: usize, y: usize| y * (side + 1) + x + 1;
    let face =
        move |x, y| format!("f {} {} {} {}\n", corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1));
    corners.chain((0..side).flat_map(|y| (0..side).map(move |x| face(x, y)))).collect()
}

/// Asserts that on a disk with these mount options `some` files are cooked, and the rest fails for this reason.
fn refuses(options: &str, reason: &str, some: Range<usize>) {
    let has_namespaces = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).output();
    if !has_namespaces.is_ok_and(|output| output.status.success()) {
        skipped("namespaces", "unshare makes no mount namespaces here");
        return;
    }
    let workplace = Workplace::new();
    (1..=6).for_each(|number| workplace.write(&format!("in/{number}.obj"), &grid(10 + number)));
    fs::create_dir(workplace.path("out")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]);
    command.args([env!("CARGO_BIN_EXE_bvtree"), options]).current_dir(workplace.path(""));
    let output = command.output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let mut told = stdout.lines().skip_while(|line| !line.starts_with("first: "));
    let whole = told.next().and_then(|line| line.strip_prefix("first: 2, ")?.strip_suffix(" files"));
    let whole: usize = whole.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{stdout}{stderr}"));
    assert!(some.contains(&whole), "{stdout}{stderr}");
    assert_has(&stderr, &["error: cannot write the tree to out/", reason]);
    // Nothing in between: all that had a name was sound, and the rest was finished.
    assert_eq!(told.collect::<Vec<_>>(), ["again: 0, 24 files, 0 temporary", "sound"], "{stderr}");
}

#[test]
fn a_full_disk_is_told_and_finished_later() {
    refuses("size=4k", "No space left on device", 0..1);
}

#[test]
fn a_disk_that_fills_up_keeps_what_was_whole() {
    refuses("size=300k", "No space left on device", 1..24);
}

#[test]
fn a_disk_that_is_read_only_is_told_and_cooked_onto_later() {
    refuses("ro", "Read-only file system", 0..1);
}
