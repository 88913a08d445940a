//! The inputs that fuzzing starts from and those it found: files of `fuzz/corpus` through the same checks and models.

use std::fs;
use std::path::Path;

#[cfg(all(feature = "stl", feature = "ply", feature = "off", feature = "gltf"))]
use bvtree_test_support::checks::mesh_files;
use bvtree_test_support::checks::{cooked_files, questions, triangles};
use bvtree_test_support::model::character::Walk;
use bvtree_test_support::model::deforming::Deformed;
use bvtree_test_support::model::machine::run_bytes;
use bvtree_test_support::model::scene::World;
use bvtree_test_support::model::tracker::Tracked;

fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target}");
}

#[cfg(all(feature = "stl", feature = "ply", feature = "off", feature = "gltf"))]
#[test]
fn mesh_files_are_sound_or_refused() {
    replay("mesh_files", mesh_files::check);
}

#[test]
fn cooked_files_are_sound_or_refused() {
    replay("cooked_files", cooked_files::check);
}

#[test]
fn triangles_are_judged_exactly() {
    replay("triangles", triangles::check);
}

#[test]
fn questions_are_answered_as_all_pairs_do() {
    replay("questions", questions::check);
}

#[test]
fn models_of_what_remembers_hold() {
    replay("trackers", run_bytes::<Tracked>);
    replay("scenes", run_bytes::<World>);
    replay("deforming", run_bytes::<Deformed>);
    replay("characters", run_bytes::<Walk>);
}
