//! Issues: clashes that belong together, the same part in two models, and the names of places.

use std::fs;
use std::io::{Cursor, Read};

use serde_json::{Value, json};

use super::body;
use crate::{Workplace, json_lines};

fn typed(name: &str, mesh: &str, at: [f64; 3], kind: &str) -> Value {
    let mut body = body(name, mesh, 0.0, &[]);
    body["translation"] = json!(at);
    body["properties"] = json!({"type": kind, "class": kind, "storey": "Level 1"});
    body
}

/// A wall along x with two groups of ducts through it that are 50 apart, and 8 columns with a beam each.
fn hall() -> Workplace {
    let workplace = super::workplace();
    let mut bodies = Vec::new();
    for (group, x) in [0.0, 50.0].into_iter().enumerate() {
        bodies.push(typed(&format!("wall-{group}"), "cube.obj", [x, 0.0, 0.0], "Wall"));
        for number in 0..3 {
            let at = [x, 0.2 * f64::from(number) - 0.2, 0.1 * f64::from(number)];
            bodies.push(typed(&format!("duct-{group}-{number}"), "bar.obj", at, "Duct"));
        }
    }
    for number in 0..8 {
        let x = 20.0 * f64::from(number);
        bodies.push(typed(&format!("column-{number}"), "cube.obj", [x, 30.0, 0.0], "Column"));
        bodies.push(typed(&format!("beam-{number}"), "cube.obj", [x + 0.9, 30.0, 0.3], "Beam"));
    }
    let axis = |name: &str, ends: [[f64; 2]; 2]| json!({"name": name, "ends": ends});
    let letters = [axis("A", [[0.0, -9.0], [0.0, 9.0]]), axis("B", [[50.0, -9.0], [50.0, 9.0]])];
    let numbers = [axis("1", [[-9.0, 0.0], [9.0, 0.0]]), axis("2", [[-9.0, 30.0], [9.0, 30.0]])];
    let rules = json!([{"between": ["*", "*"], "different": ["type"]}]);
    workplace.write("hall.json", &json!({"bodies": bodies, "rules": rules, "grid": [letters, numbers]}).to_string());
    workplace
}

#[test]
fn clashes_near_each_other_and_repeated_parts_are_one_issue() {
    let workplace = hall();
    let rows = json_lines(&workplace.answer("clash hall.json -q --format json --cell 1"));
    let issues = |kind: &str| {
        let of_kind = rows.iter().filter(|row| row["issue"].as_str().unwrap().contains(kind));
        let mut issues: Vec<(&str, &str)> =
            of_kind.map(|row| (row["issue"].as_str().unwrap(), row["location"].as_str().unwrap())).collect();
        issues.sort_unstable();
        issues
    };
    // Two places, although the ducts of one repeat those of the other: a wall and a duct at other places of it.
    let (a, b) = ("hard clash: Duct x Wall, Level 1, A-1", "hard clash: Duct x Wall, Level 1, B-1");
    assert!(issues("Duct").iter().all(|(issue, _)| *issue == a || *issue == b), "{rows:?}");
    assert_eq!(issues("Duct").len(), 6);
    let beams = issues("Beam");
    assert_eq!(beams.len(), 8);
    assert!(beams.iter().all(|(issue, _)| *issue == "hard clash: Beam x Column, Level 1, A-2"), "{beams:?}");
    assert_eq!((beams[0].1, beams[7].1), ("Level 1, A-2", "Level 1, B-2"));

    let counts = json_lines(&workplace.answer("clash hall.json -q --format json --cell 1 --by issue"));
    let beams = counts.iter().find(|row| row["issue"].as_str().unwrap().contains("Beam")).unwrap();
    assert_eq!((&beams["clashes"], &beams["bodies"], &beams["protruding"]), (&json!(8), &json!(16), &json!(8)));
    assert!((beams["depth"].as_f64().unwrap() - 0.1).abs() < 2e-3, "{beams}");
    assert_eq!(counts.iter().map(|row| row["clashes"].as_u64().unwrap()).sum::<u64>(), rows.len() as u64);
}

#[test]
fn bcf_has_a_topic_per_issue_with_a_viewpoint_per_clash() {
    let workplace = hall();
    let rows = json_lines(&workplace.answer("clash hall.json -q --format json --cell 1 --bcf hall.bcf --unit mm"));
    let mut zip = zip::ZipArchive::new(Cursor::new(fs::read(workplace.path("hall.bcf")).unwrap())).unwrap();
    let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    let mut issues: Vec<&str> = rows.iter().map(|row| row["issue"].as_str().unwrap()).collect();
    issues.sort_unstable();
    issues.dedup();
    let ends = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!([ends("markup.bcf"), ends(".bcfv"), ends(".png")], [issues.len(), rows.len(), rows.len()]);
    let mut text = |name: &str| {
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let markups: Vec<String> =
        names.iter().filter(|name| name.ends_with("markup.bcf")).map(|name| text(name)).collect();
    for row in &rows {
        let markup = markups.iter().find(|markup| markup.contains(row["id"].as_str().unwrap())).unwrap();
        assert!(markup.contains(row["issue"].as_str().unwrap()), "{row}: {markup}");
    }
    // A millimetre is a thousandth of BCF's metre: no camera is farther off than the hall is long.
    for name in names.iter().filter(|name| name.ends_with(".bcfv")) {
        let view = text(name);
        let numbers = ["X", "Y", "Z"].map(|axis| {
            let after = view.split("<CameraViewPoint>").nth(1).unwrap();
            let number = after.split(&format!("<{axis}>")).nth(1).unwrap();
            number[..number.find('<').unwrap()].parse::<f64>().unwrap()
        });
        assert!(numbers.iter().all(|x| x.abs() < 0.2), "{numbers:?}");
    }
}

#[test]
fn the_same_part_in_two_models_is_one_finding_with_the_way_it_moved() {
    let workplace = super::workplace();
    let id = "2O2Fr$t4X7Zf8NOew3FNtn";
    let model = |file: &str, bodies: &[Value]| workplace.write(file, &json!({ "bodies": bodies }).to_string());
    let column = |name: &str, x: f64| typed(name, "cube.obj", [x, 0.0, 0.0], "Column");
    let mut far = column("far-a", 20.0);
    far["properties"]["GlobalId"] = json!(id);
    model("a.json", &[column("one", 0.0), column("neighbour", 1.0), far.clone()]);
    far["name"] = json!("far-b");
    far["translation"] = json!([21.5, 0.0, 0.0]);
    // Of another type, turned, and one that only touches its like.
    let mut turned = column("turned", 5.0);
    turned["mesh"] = json!("bar.obj");
    model("b.json", &[column("two", 0.25), typed("other", "cube.obj", [0.5, 0.0, 0.0], "Beam"), turned, far]);
    // Another export of the first column: rounded otherwise, by less than a thousandth of its size.
    model("c.json", &[column("three", 0.0005)]);
    let copies = json_lines(&workplace.answer("clash a.json c.json -q --format json"));
    let copy = copies.iter().find(|row| row["b"] == "three" && row["a"] == "one").unwrap();
    assert_eq!((&copy["class"], &copy["moved"]), (&json!("duplicate"), &Value::Null));

    let rows = json_lines(&workplace.answer("clash a.json b.json -q --format json --clearance 1"));
    let moved: Vec<_> = rows.iter().filter(|row| row["class"] == "moved").collect();
    let told: Vec<_> = moved.iter().map(|row| (row["a"].as_str().unwrap(), row["b"].as_str().unwrap())).collect();
    assert_eq!(told, [("one", "two"), ("neighbour", "two"), ("far-a", "far-b")], "{rows:?}");
    let ways: Vec<f64> = moved.iter().map(|row| row["moved"].as_f64().unwrap()).collect();
    assert!(ways.iter().zip([0.25, 0.75, 1.5]).all(|(way, is)| (way - is).abs() < 1e-6), "{ways:?}");
    assert_eq!(
        (&moved[0]["issue"], &moved[0]["relation"]),
        (&json!("same part, moved: Column, Level 1"), &json!("crossing"))
    );
    assert!(rows.iter().filter(|row| row["class"] != "moved").all(|row| row["moved"].is_null()));
}
