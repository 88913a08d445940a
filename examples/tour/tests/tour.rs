//! What the book says that the tour prints is what the tour prints.

use std::path::Path;
use std::process::Command;

#[test]
fn the_tour_prints_what_the_book_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/book/src/install.md")).unwrap();
    let (_, part) = page.split_once("```text\nQuery: ").unwrap();
    let (part, _) = part.split_once("\n```").unwrap();
    let tour = Command::new(env!("CARGO_BIN_EXE_bvtree-tour")).current_dir(root).output().unwrap();
    let printed = String::from_utf8(tour.stdout).unwrap();
    assert!(tour.status.success() && printed.contains(&format!("\nQuery: {part}\n")), "{printed}");
}
