//! What fuzzing starts from and what it found, replayed: files of `fuzz/corpus` through the checks of `fuzz/checks` and
//! the models of `tests/model`.

use std::fs;
use std::path::Path;

use crate::model::character::Walk;
use crate::model::deforming::Deformed;
use crate::model::machine::run_bytes;
use crate::model::scene::World;
use crate::model::tracker::Tracked;

#[path = "../../fuzz/checks/cooked_files.rs"]
mod cooked_files;
#[path = "../../fuzz/checks/grid.rs"]
mod grid;
#[cfg(all(feature = "stl", feature = "ply", feature = "off", feature = "gltf"))]
#[path = "../../fuzz/checks/mesh_files.rs"]
mod mesh_files;
#[path = "../../fuzz/checks/questions.rs"]
mod questions;
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
