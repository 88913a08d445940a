//! What is new, gone and the same since an earlier report.

use std::fs;

use serde_json::{Value, json};

use super::{body, workplace};
use crate::{assert_has, json_lines};

#[test]
fn a_baseline_tells_new_gone_and_same() {
    let workplace = workplace();
    for format in ["csv", "spreadsheet", "json"] {
        let before = workplace.answer(&format!("clash plant.json -q --format {format}"));
        workplace.write("before", &before);
        let outcome = workplace.run("clash plant.json --baseline before --format csv --exit-code");
        assert_eq!(outcome.code, Some(0), "nothing is new: {outcome:?}");
        assert_has(&outcome.stderr, &["; 0 new, 11 same, 0 gone"]);
        workplace.answer("clash plant.json -q --baseline before --html page.html");
        let page = fs::read_to_string(workplace.path("page.html")).unwrap();
        assert_eq!(page.matches("\"change\":\"same\"").count(), 11);

        // The twin is gone, another one has come, and the manifest is in another order.
        let mut plant: Value =
            serde_json::from_str(&fs::read_to_string(workplace.path("plant.json")).unwrap()).unwrap();
        let bodies = plant["bodies"].as_array_mut().unwrap();
        bodies.remove(3);
        bodies.reverse();
        bodies.push(body("late, \"so\"", "small.obj", 9.0, &[]));
        workplace.write("after.json", &plant.to_string());
        let outcome = workplace.run("clash after.json --baseline before --format json --exit-code");
        assert_eq!(outcome.code, Some(1));
        assert_has(&outcome.stderr, &["7 clashes", "; 1 new, 6 same, 5 gone"]);
        let objects = json_lines(&outcome.stdout);
        let with = |status: &str| objects.iter().filter(|row| row["change"] == status).count();
        assert_eq!((with("new"), with("same"), with("gone"), objects.len()), (1, 6, 5, 12));
        let new = objects.iter().find(|row| row["change"] == "new").unwrap();
        assert_eq!((&new["a"], &new["b"]), (&json!("far"), &json!("late, \"so\"")));
        let gone = objects.last().unwrap();
        assert!(gone["distance"].is_null() && gone["was"] == "separate", "{gone}");
        // This report is the next baseline; its clashes are the same.
        workplace.write("next", &outcome.stdout);
        let again = workplace.run("clash after.json --baseline next --exit-code --format csv");
        assert_eq!(again.code, Some(0));
        assert_has(&again.stderr, &["; 0 new, 7 same, 0 gone"]);
        assert_has(&again.stdout, &["\"late, \"\"so\"\"\""]);
        // Ids don't depend on the order of bodies, and `was` is the earlier relation in today's order.
        let same = objects.iter().filter(|row| row["change"] == "same");
        assert!(same.clone().any(|row| row["relation"] == "a_in_b"));
        for object in same {
            assert!(before.contains(object["id"].as_str().unwrap()));
            assert_eq!(object["was"], object["relation"]);
        }
    }
    assert_eq!(workplace.run("clash plant.json -q --exit-code").code, Some(1));
    workplace.write("no-report", "x,y\n1,2\n");
    assert_has(&workplace.complaint("clash plant.json --baseline no-report"), &["no-report: there is no column 'a'"]);
}

/// Two open meshes, whose overlap has no depth, from one report to the next.
#[test]
fn open_meshes_that_collide_since_are_worse() {
    let workplace = workplace();
    workplace.write("wall.obj", "v .5 .2 -.5\nv .5 .8 -.5\nv .5 .8 .5\nv .5 .2 .5\nf 1 2 3 4\n");
    let places = [("apart", 0.6), ("touching", 0.5), ("crossing", 0.1), ("deeper", 0.0)];
    for (name, z) in places {
        let mut wall = body("wall", "wall.obj", 0.0, &[]);
        wall["translation"][2] = z.into();
        let bodies = json!({"bodies": [body("square", "square.obj", 0.0, &[]), wall], "clearance": 0.2});
        workplace.write(&format!("{name}.json"), &bodies.to_string());
        let report = workplace.answer(&format!("clash {name}.json -q --format json"));
        assert_eq!(report.lines().count(), 1, "{name}");
        workplace.write(name, &report);
    }
    for (before, rank) in [("apart", 0), ("touching", 1), ("crossing", 2), ("deeper", 2)] {
        for (now, other) in [("apart", 0), ("touching", 1), ("crossing", 2), ("deeper", 2)] {
            let outcome = workplace.run(&format!("clash {now}.json -q --baseline {before} --exit-code --format json"));
            let change = ["better", "same", "worse"][usize::from(other >= rank) + usize::from(other > rank)];
            assert_eq!(json_lines(&outcome.stdout)[0]["change"], change, "{before} {now}");
            assert_eq!(outcome.code, Some(i32::from(change == "worse")), "{before} {now}");
        }
    }
}

#[test]
fn a_spreadsheets_report_is_a_baseline_too() {
    let workplace = workplace();
    let names = ["=pump", "'=pump", "-valve", "wall"];
    let bodies = names.map(|name| body(name, "cube.obj", 0.0, &[]));
    workplace.write("names.json", &json!({"bodies": bodies}).to_string());
    for format in ["csv", "spreadsheet"] {
        let before = workplace.answer(&format!("clash names.json -q --format {format}"));
        workplace.write("before", &before);
        let outcome = workplace.run("clash names.json --baseline before --format csv --exit-code");
        assert_eq!(outcome.code, Some(0), "nothing is new: {outcome:?}");
        assert_has(&outcome.stderr, &["; 0 new, 6 same, 0 gone"]);
        let is_safe = before.lines().skip(1).all(|line| !line.starts_with(['=', '-']) && !line.contains(",-valve"));
        assert_eq!(is_safe, format == "spreadsheet", "{before}");
    }
}
