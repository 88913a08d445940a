//! Other libraries' programs, of `benches/peers`, which read meshes and cases from files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of `target/peers`, or where the variable says; `None`, told on stderr, if it is not built.
pub fn program(name: &str, variable: &str) -> Option<PathBuf> {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers").join(name);
    let path = std::env::var_os(variable).map_or_else(built, PathBuf::from);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("not beside {name}: no {}", path.display());
    None
}

/// The time in microseconds and the answer of each of the program's lines.
pub fn rows(program: &Path, arguments: &[&OsStr]) -> Vec<[f64; 2]> {
    let done = Command::new(program).args(arguments).output().expect("a program of another library");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let number = |word: &str| word.parse::<f64>().expect("a number of another library's program");
    let row = |line: &str| line.split_once(' ').map(|(time, answer)| [number(time), number(answer)]);
    String::from_utf8(done.stdout).expect("text").lines().filter_map(row).collect()
}
