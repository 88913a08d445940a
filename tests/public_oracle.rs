//! The public oracle, `oracle/`: every question has its stored answer, whatever kind of tree is asked. The answers come
//! from rational arithmetic in Python, which shares nothing with the library.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bvtree::query::{DepthOptions, TimeOfImpact};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::oracle::queried_pairs;

type Row = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle")
}

/// The rows of a table; no field is quoted.
fn table(name: &str) -> Vec<Row> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    rows.lines()
        .map(|row| {
            assert_eq!(row.split(',').count(), head.split(',').count(), "{row}");
            head.split(',').map(str::to_owned).zip(row.split(',').map(str::to_owned)).collect()
        })
        .collect()
}

fn pose(case: &Row, start: &str) -> Pose {
    let number = |name: String| -> f64 { case[&(start.to_owned() + &name)].parse().unwrap() };
    let rotation = Matrix3::from_fn(|row, column| number(format!("r{row}{column}")));
    Pose::new(rotation, Vector3::from_fn(|k, _| number(format!("t{}", ["x", "y", "z"][k])))).unwrap()
}

/// The lower and the upper bound of a true number.
fn bounds(answer: &str) -> [f64; 2] {
    let numbers: Vec<f64> = answer.split(' ').map(|word| word.parse().unwrap()).collect();
    [numbers[0], *numbers.last().unwrap()]
}

/// Whether the interval from `lower` to `upper` holds the truth, up to the row's tolerance.
fn holds(truth: &Row, [lower, upper]: [f64; 2]) -> bool {
    let [true_lower, true_upper] = bounds(&truth["answer"]);
    let tolerance: f64 = truth["tolerance"].parse().unwrap();
    lower - tolerance <= true_upper && true_lower <= upper + tolerance
}

/// What the library answers, if that is not the truth.
fn wrong(truth: &Row, case: &Row, [a, b]: [&BvTree; 2], query: &mut Query) -> Option<String> {
    let b_to_a = pose(case, "");
    let differs = |answered: String| (answered != truth["answer"]).then_some(answered);
    match truth["question"].as_str() {
        "hit" => differs(u8::from(query.intersects(a, b, &b_to_a)).to_string()),
        "pairs" => {
            let pairs = queried_pairs(query, a, b, &b_to_a);
            let pairs: Vec<_> = pairs.iter().map(|pair| format!("{}-{}", pair.face_a, pair.face_b)).collect();
            differs(pairs.join(" "))
        }
        "distance" => {
            let distance = query.distance(a, b, &b_to_a).unwrap().distance;
            // Zero is exact.
            let zero = (distance == 0.0) == (bounds(&truth["answer"]) == [0.0; 2]);
            (!zero || !holds(truth, [distance; 2])).then(|| distance.to_string())
        }
        "relation" => differs(query.relation(a, b, &b_to_a).to_string()),
        "depth" => {
            let found = query.penetration_depth(a, b, &b_to_a, &DepthOptions::default()).unwrap();
            let tolerance: f64 = truth["tolerance"].parse().unwrap();
            let narrow = found.upper - found.lower <= 0.02 * found.lower + tolerance;
            (!narrow || !holds(truth, [found.lower, found.upper])).then(|| format!("{found:?}"))
        }
        "impact" => match query.time_of_impact(a, b, &Motion::new(b_to_a, pose(case, "end_")), 0.0).unwrap() {
            TimeOfImpact::NoImpact => differs("none".to_owned()),
            TimeOfImpact::Impact(contact) | TimeOfImpact::Touching(contact) => {
                (truth["answer"] == "none" || !holds(truth, [contact.time; 2])).then(|| contact.time.to_string())
            }
        },
        question => panic!("a question without a test: {question}"),
    }
}

fn every_answer_is_right(kind: VolumeKind) {
    let options = BuildOptions { kind, ..Default::default() };
    let cases: BTreeMap<String, Row> = table("cases.csv").into_iter().map(|row| (row["case"].clone(), row)).collect();
    let mut trees = BTreeMap::new();
    for name in cases.values().flat_map(|case| [&case["mesh_a"], &case["mesh_b"]]) {
        trees.entry(name.clone()).or_insert_with(|| {
            let mesh = Mesh::load_obj(folder().join("meshes").join(format!("{name}.obj"))).unwrap();
            BvTree::build(&mesh, &options).unwrap()
        });
    }
    let mut truth = table("truth.csv");
    assert!(truth.len() > 3000);
    // Depths take longest.
    truth.retain(|row| kind == VolumeKind::Obb || row["question"] != "depth");
    let wrong: Vec<String> = truth
        .par_iter()
        .filter_map(|truth| {
            let case = &cases[&truth["case"]];
            let pair = [&trees[&case["mesh_a"]], &trees[&case["mesh_b"]]];
            let answered = wrong(truth, case, pair, &mut Query::new())?;
            Some(format!("{} {}: {} expected, {answered} answered", truth["case"], truth["question"], truth["answer"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), truth.len(), wrong.join("\n"));
}

#[test]
fn obb_trees_answer_rightly() {
    every_answer_is_right(VolumeKind::Obb);
}

#[test]
fn aabb_trees_answer_rightly() {
    every_answer_is_right(VolumeKind::Aabb);
}

#[test]
fn sphere_trees_answer_rightly() {
    every_answer_is_right(VolumeKind::Sphere);
}

#[test]
fn kdop_trees_answer_rightly() {
    every_answer_is_right(VolumeKind::KDop);
}
