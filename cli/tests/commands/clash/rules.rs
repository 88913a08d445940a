//! Which bodies are compared, and what counts as a clash.

use std::fs;

use serde_json::{Value, json};

use super::{PLANT, body, named, rows, workplace};
use crate::{CUBE, assert_has, json_lines};

#[test]
fn rules_say_who_is_compared_and_what_counts() {
    let workplace = workplace();
    let csv = |arguments: &str| rows(&workplace.answer(&format!("clash plant.json -q --format csv {arguments}")));
    let without = |classes: &[&str]| -> Vec<_> {
        named(&PLANT).into_iter().filter(|row| !classes.contains(&row[3].as_str())).collect()
    };
    assert_eq!(csv("--allow-touching"), without(&["touching"]));
    assert_eq!(csv("--clearance 0.2"), without(&["too_near"]));
    assert_eq!(csv("--limit 3"), named(&PLANT[..3]));
    let of_bar: Vec<_> = named(&PLANT).into_iter().filter(|row| row.contains(&"bar".to_owned())).collect();
    assert_eq!(csv("--between pipes,solid --clearance 0"), of_bar);
    assert_eq!(csv("--between pipes,* --clearance 0"), of_bar);
    assert_eq!(csv("--ignore cube,small --ignore twin,cube"), [&named(&PLANT[1..2])[..], &named(&PLANT[3..])].concat());
    // The small cube is half a cube away from being free of the bar.
    let touching = csv("--tolerance 0.36");
    assert_eq!(touching[5], ["small", "bar", "touching", "touching"].map(str::to_owned));
    assert_eq!(touching[1][2], "crossing");
    assert!(!csv("--tolerance 0.36 --allow-touching").contains(&touching[5]));

    let mut plant: Value = serde_json::from_str(&fs::read_to_string(workplace.path("plant.json")).unwrap()).unwrap();
    plant["ignore"] = json!([["cube", "twin"]]);
    plant["rules"] = json!([
        {"between": ["pipes", "pipes"], "ignore": true},
        {"between": ["pipes", "*"], "clearance": 0},
        {"between": ["solid", "solid"], "touching": true},
    ]);
    workplace.write("rules.json", &plant.to_string());
    let found = rows(&workplace.answer("clash rules.json -q --format csv"));
    let expected = [PLANT[0], PLANT[1], PLANT[5], PLANT[6], PLANT[7], PLANT[8]];
    assert_eq!(found, named(&expected));
}

#[test]
fn a_file_of_rules_selects_by_globs_and_conditions() {
    let workplace = workplace();
    let mut plant: Value = serde_json::from_str(&fs::read_to_string(workplace.path("plant.json")).unwrap()).unwrap();
    for (body, (class, host)) in plant["bodies"].as_array_mut().unwrap().iter_mut().zip([
        ("IfcWall", ""),
        ("IfcDoor", "cube"),
        ("IfcPipeSegment", ""),
        ("IfcWall", ""),
        ("IfcWall", ""),
        ("IfcPipeFitting", ""),
        ("IfcWall", ""),
    ]) {
        body["properties"] = json!({"class": class, "host": host});
    }
    workplace.write("plant.json", &plant.to_string());
    let found = |rules: &str| {
        workplace.write("rules.toml", rules);
        let outcome = workplace.run("clash plant.json --rules rules.toml --format json -q");
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let rows = json_lines(&outcome.stdout);
        rows.iter().map(|row| ["a", "b", "class", "rule"].map(|key| row[key].as_str().unwrap().to_owned())).collect()
    };
    let all = "[[rules]]\nbetween = [\"*\", \"*\"]\n";
    let rows: Vec<[String; 4]> = found(all);
    assert_eq!((rows.len(), rows[0].join(" ").as_str()), (PLANT.len(), "cube small enveloped 1"));
    let expected = |rows: &[[&str; 4]]| -> Vec<[String; 4]> { named(rows) };
    let rows = found(
        "clearance = 0.1\n\
         [groups]\nwater = { class = \"ifcpipe*\", body = \"!bar\" }\n\
         walls = { class = [\"IfcWall\"], body = [\"c*\", \"be?ide\"] }\n\
         [[rules]]\nname = \"doors\"\nbetween = [\"*\", \"*\"]\nhosted = true\nignore = true\n\
         [[rules]]\nname = \"pipes\"\nbetween = [\"walls\", \"water\"]\nclearance = 0.25\n\
         [[rules]]\nname = \"twins\"\nbetween = [\"walls\", \"*\"]\n\
         same = \"class\"\nreport = [\"duplicate\", \"touching\"]\n\
         [[rules]]\nname = \"others\"\nbetween = [\"walls\", \"*\"]\n\
         different = [\"class\", \"host\"]\nreport = \"hard\"\n",
    );
    let few = [
        ["cube", "twin", "duplicate", "twins"],
        ["cube", "beside", "touching", "twins"],
        ["cube", "near", "too_near", "pipes"],
        ["twin", "beside", "touching", "twins"],
    ];
    assert_eq!(rows, expected(&few));
    // Rules of the file come first, and those of the manifest after them.
    plant["rules"] = json!([{"between": ["*", "*"], "name": "rest", "report": ["clearance"]}]);
    workplace.write("plant.json", &plant.to_string());
    let rows =
        found("[[rules]]\nname = \"first\"\nbetween = [\"*\", \"*\"]\nsame = [\"class\"]\nreport = \"duplicate\"\n");
    let few = [
        ["cube", "twin", "duplicate", "first"],
        ["cube", "near", "too_near", "rest"],
        ["small", "beside", "too_near", "rest"],
        ["twin", "near", "too_near", "rest"],
    ];
    assert_eq!(rows, expected(&few));
}

/// A cube inside an open box, 0.25 from its walls: nobody can tell whether it clashes.
#[test]
fn undefined_pairs_are_reported_if_asked_for() {
    let workplace = workplace();
    let open: String = CUBE.lines().take(CUBE.lines().count() - 1).map(|line| format!("{line}\n")).collect();
    workplace.write("open.obj", &open);
    let bodies = json!({"bodies": [body("box", "open.obj", 0.0, &[]), body("small", "small.obj", 0.0, &[])]});
    workplace.write("open.json", &bodies.to_string());
    let outcome = workplace.run("clash open.json --format csv");
    assert_eq!(rows(&outcome.stdout).len(), 0);
    assert_has(&outcome.stderr, &["0 clashes\n", "1 more pairs are undefined", "--undefined reports them"]);
    assert_eq!(rows(&workplace.answer("clash open.json -q --format csv --undefined"))[0][3], "undefined");
    // By its distance it is too near, whatever is inside.
    assert_eq!(rows(&workplace.answer("clash open.json -q --format csv --clearance 0.3"))[0][3], "too_near");
    let rule = "[[rules]]\nbetween = [\"*\", \"*\"]\n";
    workplace.write("all.toml", rule);
    assert_eq!(rows(&workplace.answer("clash open.json -q --format csv --rules all.toml")).len(), 0);
    workplace.write("asked.toml", &format!("{rule}report = \"undefined\"\n"));
    assert_eq!(rows(&workplace.answer("clash open.json -q --format csv --rules asked.toml"))[0][3], "undefined");
}
