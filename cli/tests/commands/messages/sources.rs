//! The texts of errors in the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The text of an error, with placeholders for values.
#[derive(Debug)]
pub struct Text {
    pub file: String,
    pub whole: String,
    /// The longest part without placeholders.
    pub longest: String,
}

/// The source code before the text of an error that the program can print.
const BEGINNINGS: [&str; 9] = [
    "#[error(",
    "CliError::new(",
    "CliError::caused(",
    "ClashError::new(",
    "ClashError::caused(",
    ".error(",
    "wrong(",
    "let message = ",
    "refused(",
];

/// Sources whose errors reach users: all of the program, and of the library what it calls with users' input.
const FOLDERS: [&str; 6] = ["cli/src", "clash/src", "src/mesh", "src/cook", "src/builder", "src/tree"];
const FILES: [&str; 1] = ["src/pose/mod.rs"];

pub fn texts() -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files: Vec<PathBuf> = FILES.iter().map(|file| root.join(file)).collect();
    FOLDERS.iter().for_each(|folder| sources_below(&root.join(folder), &mut files));
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        // Without the module's tests.
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        for beginning in BEGINNINGS {
            for (at, _) in source.match_indices(beginning) {
                let whole = literal(&source[at + beginning.len()..]);
                texts.extend(whole.map(|whole| Text { file: name.clone(), longest: longest(&whole), whole }));
            }
        }
    }
    texts
}

fn sources_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The string literal that comes next, if one does.
fn literal(rest: &str) -> Option<String> {
    let mut rest = rest.trim_start();
    for before in ["&", "format!(", "\n"] {
        rest = rest.strip_prefix(before).unwrap_or(rest).trim_start();
    }
    let rest = rest.strip_prefix('"')?;
    let mut text = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => match letters.next()? {
                // The rest of the line and the indentation of the next.
                '\n' => letters = letters.as_str().trim_start().chars(),
                other => text.push(other),
            },
            letter => text.push(letter),
        }
    }
}

fn longest(text: &str) -> String {
    let parts = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    parts.max_by_key(|part| part.len()).unwrap_or_default().trim().to_owned()
}
