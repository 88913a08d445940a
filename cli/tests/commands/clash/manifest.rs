//! Manifests that are rejected.

use serde_json::{Value, json};

use super::{HEADER, bodies, workplace};
use crate::assert_has;

#[test]
fn bad_manifests_are_refused_with_the_place() {
    let workplace = workplace();
    workplace.write("empty.obj", "v 0 0 0\n");
    let with = |what: &dyn Fn(&mut Value)| {
        let mut plant = json!({"bodies": bodies()});
        what(&mut plant);
        workplace.write("bad.json", &plant.to_string());
        workplace.complaint("clash bad.json")
    };
    type Change<'a> = &'a dyn Fn(&mut Value);
    let cases: [(Change<'_>, &str); 17] = [
        (&|plant| plant["bodies"][1]["name"] = json!("cube"), "two bodies have the name 'cube'"),
        (&|plant| plant["bodies"][1]["mesh"] = json!("missing.obj"), "missing.obj"),
        (&|plant| plant["bodies"][1]["mesh"] = json!("empty.obj"), "empty.obj"),
        (
            &|plant| plant["bodies"][1]["rotation"] = json!([2, 0, 0, 0, 1, 0, 0, 0, 1]),
            "bodies[1] ('small'): the matrix is not a rotation",
        ),
        (&|plant| plant["bodies"][1]["rotation"] = json!([-1, 0, 0, 0, 1, 0, 0, 0, 1]), "the matrix mirrors"),
        (&|plant| plant["bodies"][1]["rotation"] = json!([1, 0, 0]), "rotation: expected 9 finite numbers"),
        (
            &|plant| plant["bodies"][1]["translation"] = json!(["NaN", 0, 0]),
            "('small'): translation: expected 3 finite numbers",
        ),
        (
            &|plant| plant["bodies"][1]["translation"] = json!([1e31, 0, 0]),
            "body 'small': a world coordinate of the body exceeds 1e30",
        ),
        (&|plant| plant["bodies"][1]["colour"] = json!("red"), "unknown key 'colour'"),
        (&|plant| plant["bodies"][1]["mesh"] = Value::Null, "mesh: expected text"),
        (&|plant| plant["clearance"] = json!(-1), "clearance: expected a finite number, 0 or more"),
        (&|plant| plant["ignore"] = json!([["cube", "tube"]]), "ignore[0]: there is no body 'tube'"),
        (&|plant| plant["rules"] = json!([{"between": ["pipes"]}]), "rules[0]: between: expected two names"),
        (&|plant| plant["grid"] = json!([{"name": "A"}]), "grid[0]: expected a list"),
        (&|plant| plant["grid"] = json!([[{"name": "A", "ends": [[0, 1]]}]]), "grid[0][0]: ends: expected two points"),
        (&|plant| plant["grid"] = json!([[{"ends": [[0, 1], [1, 1]]}]]), "grid[0][0]: it has no 'name'"),
        (&|plant| plant["bodies"] = json!(7), "bodies: expected a list"),
    ];
    for (what, part) in cases {
        assert_has(&with(what), &[part]);
    }
    workplace
        .write("bad.json", "{\"bodies\": [{\"name\": \"a\", \"mesh\": \"cube.obj\", \"translation\": [NaN, 0, 0]}]}");
    assert_has(&workplace.complaint("clash bad.json"), &["bad.json: not a manifest", "hint: a manifest is"]);
    assert_has(&workplace.complaint("clash missing.json"), &["cannot read missing.json"]);
    assert_has(&workplace.complaint("clash cube.obj"), &["cube.obj: not a manifest"]);
    assert_has(&workplace.complaint("clash plant.json --between pipes,walls"), &["there is no group 'walls'"]);
    assert_has(&workplace.complaint("clash plant.json --ignore cube,wall"), &["there is no body 'wall'"]);
    assert_has(&workplace.complaint("clash plant.json --html plant.json"), &["it is an input"]);
    assert_eq!(workplace.run("clash plant.json plant.json").code, Some(2), "names twice over two manifests");
    workplace.write("nobody.json", "{\"bodies\": []}");
    assert_eq!(workplace.run("clash nobody.json --format csv").stdout, format!("{HEADER}\n"));
}
