//! Rows, and their counts.

use serde_json::{Value, json};

use super::{HEADER, PLANT, body, named, rows, workplace};
use crate::{Workplace, assert_has, json_lines, keys_in_order};

#[test]
fn every_relation_has_its_row() {
    let workplace = workplace();
    let outcome = workplace.run("clash plant.json --format csv");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(rows(&outcome.stdout), named(&PLANT));
    assert_eq!(outcome.stderr, "11 clashes: 1 duplicate, 2 enveloped, 3 piercing, 2 touching, 3 too near\n");
    let first: Vec<&str> = outcome.stdout.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(first[..5], ["cube", "small", "b_in_a", "0", "0.25"]);
    for threads in 1..4 {
        assert_eq!(workplace.answer(&format!("clash plant.json -q --format csv --threads {threads}")), outcome.stdout);
    }
    let json = workplace.answer("clash plant.json -q --format json");
    assert_eq!(keys_in_order(json.lines().next().unwrap()).join(","), HEADER);
    let objects = json_lines(&json);
    let near = &objects[4];
    assert_eq!((&near["distance"], &near["pairs"], &near["y"]), (&json!(0.25), &json!(0), &json!(-0.125)));
    // The bar's middle is half a cube inside, less its own half width.
    let depth = objects[1]["depth"].as_f64().unwrap();
    assert!((0.4..=0.51).contains(&depth), "{depth}");
    assert!(near["depth"].is_null() && objects[1]["penetration"].is_null());
    let moved = json_lines(&workplace.answer("clash plant.json -q --format json --penetration"));
    // To leave the cube, the bar must move sideways by half the cube's width and half its own.
    assert!((moved[1]["penetration"].as_f64().unwrap() - 0.6).abs() < 1e-3, "{}", moved[1]);
    assert_eq!(moved[1]["depth"], objects[1]["depth"]);
}

#[test]
fn rows_are_counted_by_body_and_by_place() {
    let workplace = workplace();
    let by_body = workplace.answer("clash plant.json -q --format csv --by body");
    let lines: Vec<_> = by_body.lines().collect();
    assert_eq!(lines[0], "body,clashes,duplicate,moved,enveloped,piercing,protruding,touching,too_near,undefined");
    assert!(lines[1..].contains(&"cube,5,1,0,1,1,0,1,1,0") && lines.len() == 7, "{lines:?}");
    let by_place = json_lines(&workplace.answer("clash plant.json -q --format json --by place --cell 100"));
    let sum: u64 = by_place.iter().map(|row| row["clashes"].as_u64().unwrap()).sum();
    assert_eq!(sum, 11);
    assert!(by_place.len() == 2 && by_place.iter().any(|row| row["cell"] == "0 -1 0" && row["too_near"] == 2));
}

#[test]
fn many_bodies_in_one_place_are_told_until_the_limit() {
    let workplace = Workplace::new();
    let bodies: Vec<Value> = (0..3000).map(|i| body(&format!("b{i}"), "square.obj", 0.0, &[])).collect();
    workplace.write("pile.json", &json!({"bodies": bodies}).to_string());
    let outcome = workplace.run("clash pile.json --limit 50 --format csv");
    assert_eq!(outcome.code, Some(0));
    let rows = rows(&outcome.stdout);
    assert_eq!((rows.len(), &rows[49]), (50, &["b0", "b50", "coincident", "duplicate"].map(str::to_owned)));
    assert_has(&outcome.stderr, &["50 clashes", "note: the search ended at --limit 50: there are more"]);
}

#[test]
fn clashes_of_two_types_on_a_storey_are_one_issue() {
    let workplace = workplace();
    let types = ["Wall 200", "Door", "Pipe 50", "Wall 200", "Wall 200", "Pipe 50", ""];
    let mut bodies = super::bodies();
    for (body, name) in bodies.iter_mut().zip(types) {
        body["properties"] = json!({"type": name, "storey": if name == "Door" { "Level 2" } else { "Level 1" }});
    }
    workplace.write("typed.json", &json!({"bodies": bodies}).to_string());
    let rows = json_lines(&workplace.answer("clash typed.json -q --format json"));
    let piercing = rows.iter().filter(|row| row["issue"] == "hard clash: Pipe 50 x Wall 200, Level 1");
    let depths: Vec<f64> = piercing.map(|row| row["depth"].as_f64().unwrap()).collect();
    let issues = json_lines(&workplace.answer("clash typed.json -q --format json --by issue"));
    let issue = issues.iter().find(|row| row["issue"] == "hard clash: Pipe 50 x Wall 200, Level 1").unwrap();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    assert!(depths.len() > 1);
    assert_eq!((&issue["clashes"], &issue["depth"]), (&json!(depths.len()), &json!(deepest)));
    assert!(issues.iter().any(|row| row["issue"] == "hard clash: Door x Pipe 50, Level 1 / Level 2"));
    let sum: u64 = issues.iter().map(|row| row["clashes"].as_u64().unwrap()).sum();
    assert_eq!(sum, rows.len() as u64);
    // Without types, bodies are grouped by their groups, or by names without numbers.
    let rows = json_lines(&workplace.answer("clash plant.json -q --format json"));
    assert_eq!(rows[1]["issue"], "hard clash: pipes x solid");
}
