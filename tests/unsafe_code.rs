//! Where `unsafe` is: behind the seams that are listed here, and nowhere else.

use std::fs;
use std::path::Path;

/// Sources of the library and of the packages around it.
const FOLDERS: [&str; 6] = ["src", "cli/src", "web/src", "python/src", "capi/src", "examples"];

/// Files and folders that may say `unsafe`: SIMD, mapped files, foreign interfaces.
const SEAMS: [&str; 7] = [
    "src/simd/",
    "src/cook/mmap.rs",
    "cli/src/input.rs",
    "python/src/answer.rs",
    "python/src/arrays.rs",
    "python/src/mesh.rs",
    "python/src/tree.rs",
];
const FOREIGN: &str = "capi/src/";

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.push((name.replace('\\', "/"), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Whether a line has the keyword, in code.
fn says_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut found = code.match_indices("unsafe");
    found.any(|(at, word)| !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word))
}

#[test]
fn the_seams_alone_are_unsafe() {
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut all));
    let allows = |text: &str| text.contains("allow(unsafe_code)");
    let is_unsafe = |text: &str| allows(text) || text.lines().any(says_unsafe);
    let is_seam = |name: &str, seam: &str| name == seam || seam.ends_with('/') && name.starts_with(seam);
    for (name, text) in all.iter().filter(|(name, _)| !name.starts_with(FOREIGN)) {
        let opens = name == "src/lib.rs" && text.matches("allow(unsafe_code)").count() == 1;
        let may = opens && !text.lines().any(says_unsafe) || SEAMS.iter().any(|seam| is_seam(name, seam));
        assert!(may || !is_unsafe(text), "{name} says `unsafe` and is no seam");
    }
    for seam in SEAMS {
        assert!(
            all.iter().any(|(name, text)| is_seam(name, seam) && is_unsafe(text)),
            "{seam} is safe: no seam any more"
        );
    }
}
