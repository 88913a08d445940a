//! The program's answers on real meshes against the truth: every pose file and every kind of tree in release, some of
//! them in debug.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use bvtree_test_support::dataset_folder::dataset;

/// The two meshes of each pose file, since a file's name alone doesn't tell where the first mesh's name ends.
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

fn bvtree() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bvtree"))
}

/// The fields that the truth gives: row, label, hit, pairs, pairs_checksum.
fn judged(csv: &str) -> Vec<String> {
    csv.lines().map(|line| line.split(',').take(5).collect::<Vec<_>>().join(",")).collect()
}

/// The program's answer and the truth, as CSV.
fn answer_and_truth(dataset: &Path, cooked: &Path, [a, b]: [&str; 2], kind: &str, mode: &str) -> [String; 2] {
    let mut cook = bvtree();
    cook.arg("cook");
    for mesh in if a == b { vec![a] } else { vec![a, b] } {
        cook.arg(dataset.join(format!("meshes/{mesh}.obj")));
    }
    cook.args(["--quiet", "--kind", kind, "--output"]).arg(cooked).assert().success();

    let answer = bvtree()
        .arg("query")
        .args([a, b].map(|mesh| cooked.join(format!("{mesh}.{kind}.bvt"))))
        .arg("--poses")
        .arg(dataset.join(format!("poses/{a}-{b}.csv")))
        .args(["--mode", mode, "--format", "csv"])
        .assert()
        .success();
    let answer = String::from_utf8(answer.get_output().stdout.clone()).unwrap();
    let truth = fs::read_to_string(dataset.join(format!("truth/{a}-{b}.csv"))).unwrap();
    assert_eq!((answer.lines().count(), truth.lines().count()), (201, 201));
    [answer, truth]
}

/// Calls `check` with the answers of a mode and the truth for every kind of tree.
fn compare(mode: &str, check: impl Fn(&str, &str, &str)) {
    let Some(dataset) = dataset() else { return };
    let cooked = tempfile::tempdir().unwrap();
    for (i, kind) in ["aabb", "obb", "sphere"].into_iter().enumerate() {
        let pairs = if cfg!(debug_assertions) { &PAIRS[i..=i] } else { &PAIRS[..] };
        for &pair in pairs {
            let [answer, truth] = answer_and_truth(&dataset, cooked.path(), pair, kind, mode);
            check(&answer, &truth, &format!("{pair:?}, {kind}"));
        }
    }
}

#[test]
fn pairs_equal_the_truth() {
    compare("pairs", |answer, truth, what| {
        for (answer, truth) in judged(answer).iter().zip(judged(truth)) {
            assert_eq!(*answer, truth, "{what}");
        }
    });
}

#[test]
fn distances_equal_the_truth() {
    compare("distance", |answer, truth, what| {
        for (answer, truth) in answer.lines().zip(truth.lines()).skip(1) {
            let [row, hit, distance] = [0, 2, 5].map(|column| answer.split(',').nth(column).unwrap());
            let [true_row, true_hit, true_distance] = [0, 2, 5].map(|column| truth.split(',').nth(column).unwrap());
            assert_eq!((row, hit), (true_row, true_hit), "{what}");
            let [distance, true_distance]: [f64; 2] = [distance, true_distance].map(|text| text.parse().unwrap());
            let error = (distance - true_distance).abs();
            let is_right = if hit == "1" { distance == 0.0 } else { error <= 1e-9 * true_distance };
            assert!(is_right, "{what}, row {row}: {distance} instead of {true_distance}");
        }
    });
}
