//! The pages of the documentation: each piece of code is run or quoted from what is run, names of other languages
//! exist, and pages are short. Reads text alone. Commands are run by `cli/tests/commands/book.rs`, the tour by
//! `examples/tour/tests/tour.rs`, Python's examples by
//! `python/tests/test_docs.py`, JavaScript's by `web/test/readme.test.mjs`, and links checked by `docs/book/build
//! --check`.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files in a folder whose names end so.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let paths = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending))).collect()
}

/// All that such files say.
fn texts(folders: &[&str], endings: &[&str]) -> String {
    folders.iter().flat_map(|folder| files(folder, endings)).map(|path| read(path) + "\n").collect()
}

fn pages() -> Vec<PathBuf> {
    ["docs/book/src", "docs", "", "capi", "python", "web"].iter().flat_map(|folder| files(folder, &[".md"])).collect()
}

/// The fenced blocks of a page, each with what stands behind the fence.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let fenced: Vec<&str> = page.split("\n```").collect();
    let inside = fenced.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    inside.map(|(kind, text)| (kind, text.to_owned())).collect()
}

/// The lines that say something, without indentation and the marks of doc comments.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.trim_start_matches("//!").trim_start_matches("///").trim())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Whether the lines of `block` stand one after the other in `text`.
fn is_quoted(block: &str, text: &str) -> bool {
    let (block, text) = (lines(block), lines(text));
    text.windows(block.len()).any(|window| window == block)
}

#[test]
fn no_page_has_marks_of_a_conflict() {
    let others = ["bevy", "robot", "clash", "parry", "viewer", "benches", "fuzz", "study", "src/cook"];
    let others = others.iter().flat_map(|folder| files(folder, &[".md"]));
    for page in pages().into_iter().chain(others) {
        let marked = |line: &str| ["<<<<<<<", ">>>>>>>"].iter().any(|mark| line.starts_with(mark));
        assert!(!read(&page).lines().any(marked), "{}", page.display());
    }
}

#[test]
fn code_is_run_or_quoted() {
    let c = texts(&["capi/examples"], &[".c", ".cpp"]);
    let rust = texts(&["src/interop", "examples", "bevy/examples", "parry/src"], &[".rs"]);
    let python = texts(&["python/examples"], &[".py"]);
    let doctests = read("src/lib.rs");
    let mut count = 0;
    for path in pages() {
        let (page, name) = (read(&path), path.strip_prefix(root()).unwrap().display().to_string());
        for (kind, block) in blocks(&page) {
            let is_checked = match kind {
                // Run or looked up by the tests named above; `external` needs files that are not in the repository.
                "sh" | "text" | "text,external" => true,
                "python" => {
                    let is_run = name.starts_with("docs/book/src/") || name == "python/README.md";
                    block.contains(">>> ") && is_run || is_quoted(&block, &python)
                }
                "js" => name == "web/README.md" || is_quoted(&block, &read("web/README.md")),
                "rust" => doctests.contains(&format!("include_str!(\"../{name}\")")),
                "rust,ignore" => block.contains("{{#include ../../../examples/") || is_quoted(&block, &rust),
                "c" | "cpp" => is_quoted(&block, &c),
                "json" | "toml" | "csv" | "xml" | "cmake" => true,
                _ => false,
            };
            assert!(is_checked, "{name}: nothing runs this block of {kind:?}:\n{block}");
            count += 1;
        }
    }
    assert!(count > 40, "{count} blocks");
}

/// Whether bvtree has this name, in the language that it is written for.
fn exists(name: &str, page: &str) -> bool {
    let (class, member) = name.rsplit_once("::").or_else(|| name.rsplit_once('.')).unwrap_or(("", name));
    let class = class.rsplit("::").next().unwrap();
    if member.starts_with("bvt_") || member.starts_with("Bvt") {
        return read("capi/include/bvtree.h").contains(member);
    }
    match page {
        "from-parry.md" => {
            let api = read("docs/public-api.txt");
            api.contains(&format!("{class}::{member}:")) || api.contains(&format!("::{member}::"))
        }
        "from-trimesh.md" => {
            let api = texts(&["python/bvtree", "python/bvtree/trimesh"], &[".pyi", ".py"]);
            api.contains(&format!("def {member}(")) || api.contains(&format!("class {member}"))
        }
        "from-three-mesh-bvh.md" => {
            let api = texts(&["web/src", "web/npm"], &[".rs", ".d.ts"]);
            ["js_name = ", "pub fn ", "function ", "pub struct "]
                .iter()
                .any(|start| api.contains(&format!("{start}{member}")))
        }
        _ => {
            let api = texts(&["capi/include/bvtree"], &[".hpp"]) + &texts(&["python/bvtree"], &[".pyi"]);
            let has_class = class.is_empty() || api.contains(&format!("class {class} "));
            has_class && (api.contains(&format!(" {member}(")) || api.contains(&format!("class {member}")))
        }
    }
}

#[test]
fn names_of_tables_from_other_libraries_exist() {
    let mut count = 0;
    for path in files("docs/book/src", &[".md"]) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("from-") {
            continue;
        }
        for row in read(&path).lines().filter(|line| line.starts_with("| ")) {
            for word in row.split(" | ").skip(1).flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
                // Options of the program have dashes.
                assert!(exists(word, &name), "{name}: bvtree has no `{word}`");
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} names");
}

#[test]
fn pages_are_short() {
    for path in pages() {
        // The changelog grows.
        let limit = match path.strip_prefix(root()).unwrap().to_str().unwrap() {
            "CHANGELOG.md" => continue,
            "README.md" => 150,
            _ => 200,
        };
        let count = read(&path).lines().count();
        assert!(count <= limit, "{} has {count} lines", path.display());
    }
}
