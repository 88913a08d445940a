//! The real program, driven from end to end: answers, exit codes, messages, and what goes to stdout and what to stderr.

#[cfg(unix)]
mod book;
mod clash;
mod compare;
mod cook;
mod cook_inputs;
mod cook_runs;
mod cook_tiles;
mod dataset;
mod export;
mod fit;
mod formats;
#[cfg(target_os = "linux")]
mod full_disks;
mod groups;
mod info;
#[cfg(target_os = "linux")]
mod messages;
mod misleading;
mod motion;
mod odd_files;
mod origins;
mod poses;
mod probe;
mod process;
mod query;
mod robot;
mod self_pairs;
mod usage;
mod verify;
mod view;

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A folder of one test's own, in which the program runs.
pub(crate) struct Workplace {
    folder: TempDir,
}

/// The exit code and output of a run of the program.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A unit square in the plane z = 0, as one polygon.
pub(crate) const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// A unit cube with outward faces.
pub(crate) const CUBE: &str = "\
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

impl Workplace {
    /// A new folder with `square.obj` and `cube.obj` in it.
    pub(crate) fn new() -> Self {
        let workplace = Self { folder: tempfile::tempdir().unwrap() };
        workplace.write("square.obj", SQUARE);
        workplace.write("cube.obj", CUBE);
        workplace
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    /// The names of everything in a folder, sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    /// The names of everything in a folder except hidden files, sorted.
    pub(crate) fn visible(&self, folder: &str) -> Vec<String> {
        self.names(folder).into_iter().filter(|name| !name.starts_with('.')).collect()
    }

    /// Runs `bvtree` with arguments that have no spaces in them.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        Self::outcome(self.command(arguments))
    }

    pub(crate) fn run_with_stdin(&self, arguments: &str, stdin: &str) -> Outcome {
        let mut command = self.command(arguments);
        command.write_stdin(stdin);
        Self::outcome(command)
    }

    pub(crate) fn run_with_env(&self, arguments: &str, name: &str, value: &str) -> Outcome {
        let mut command = self.command(arguments);
        command.env(name, value);
        Self::outcome(command)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
        command.current_dir(self.folder.path()).env_remove("BVTREE_SIMD").args(arguments.split_whitespace());
        command
    }

    fn outcome(mut command: Command) -> Outcome {
        let output = command.output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The stdout of a run that must succeed with nothing on stderr.
    pub(crate) fn answer(&self, arguments: &str) -> String {
        let outcome = self.run(arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments}");
        outcome.stdout
    }

    /// The stderr of a run that must fail with exit code 2 and nothing on stdout.
    pub(crate) fn complaint(&self, arguments: &str) -> String {
        self.run(arguments).complaint()
    }
}

impl Outcome {
    /// The stderr of this run, which must have failed with exit code 2 and nothing on stdout.
    pub(crate) fn complaint(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        self.stderr
    }
}

/// Asserts that a text contains all the parts.
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
}

/// The objects of JSON output, one per line.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The keys of an object's line, in the order they are written in.
pub(crate) fn keys_in_order(line: &str) -> Vec<String> {
    line.split(['{', ','])
        .filter_map(|part| part.strip_prefix('"')?.split_once("\":").map(|(key, _)| key.into()))
        .collect()
}
