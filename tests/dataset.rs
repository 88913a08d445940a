//! The program's answers on real meshes against the truth: every pose file and every kind of tree in release, some of them in debug.
#![cfg(feature = "cli")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Meshes of the pose files; the names alone don't tell where the first mesh's ends.
const PAIRS: [[&str; 2]; 9] = [
    ["spot", "spot"],
    ["fcl-env", "fcl-rob"],
    ["cow", "teapot"],
    ["armadillo", "armadillo"],
    ["beetle-alt", "beetle-alt"],
    ["fandisk", "fandisk"],
    ["stanford-bunny", "stanford-bunny"],
    ["suzanne", "homer"],
    ["truck", "cheburashka"],
];

/// The dataset's folder, where there is one.
fn dataset() -> Option<PathBuf> {
    let folder = match std::env::var_os("BVTREE_DATASET") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/dataset"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no dataset at {}", folder.display());
    None
}

fn bvtree() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bvtree"))
}

/// The fields that the truth gives: row, label, hit, pairs, pairs_checksum.
fn judged(csv: &str) -> Vec<String> {
    csv.lines().map(|line| line.split(',').take(5).collect::<Vec<_>>().join(",")).collect()
}

fn check(dataset: &Path, cooked: &Path, [a, b]: [&str; 2], kind: &str) {
    let mut cook = bvtree();
    cook.arg("cook");
    for mesh in if a == b { vec![a] } else { vec![a, b] } {
        cook.arg(dataset.join(format!("meshes/{mesh}.obj")));
    }
    cook.args(["--quiet", "--volume", kind, "--output"]).arg(cooked).assert().success();

    let answer = bvtree()
        .arg("query")
        .args([a, b].map(|mesh| cooked.join(format!("{mesh}.{kind}.bvt"))))
        .arg("--poses")
        .arg(dataset.join(format!("poses/{a}-{b}.csv")))
        .args(["--mode", "pairs", "--format", "csv"])
        .assert()
        .success();
    let answer = judged(&String::from_utf8(answer.get_output().stdout.clone()).unwrap());
    let truth = judged(&fs::read_to_string(dataset.join(format!("truth/{a}-{b}.csv"))).unwrap());
    assert_eq!(truth.len(), 201);
    for (answer, truth) in answer.iter().zip(&truth) {
        assert_eq!(answer, truth, "{a}-{b}, {kind}");
    }
    assert_eq!(answer.len(), truth.len());
}

#[test]
fn pairs_equal_the_truth() {
    let Some(dataset) = dataset() else { return };
    let cooked = tempfile::tempdir().unwrap();
    for (i, kind) in ["aabb", "obb", "sphere"].into_iter().enumerate() {
        let pairs = if cfg!(debug_assertions) { &PAIRS[i..=i] } else { &PAIRS[..] };
        for &pair in pairs {
            check(&dataset, cooked.path(), pair, kind);
        }
    }
}
