//! What fuzzing starts from and what it found, replayed: files of `fuzz/corpus` through the checks of `fuzz/checks`.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/checks/cooked_files.rs"]
mod cooked_files;
#[path = "../../fuzz/checks/grid.rs"]
mod grid;
#[path = "../../fuzz/checks/mesh_files.rs"]
mod mesh_files;
#[path = "../../fuzz/checks/questions.rs"]
mod questions;
#[path = "../../fuzz/checks/scenes.rs"]
mod scenes;
#[path = "../../fuzz/checks/triangles.rs"]
mod triangles;

fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target}");
}

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
fn scenes_answer_as_all_pairs_do_while_bodies_move_and_deform() {
    replay("scenes", scenes::check);
}
