//! Answers that name groups: objects, materials, nodes.

use serde_json::{Value, json};

use super::{CUBE, SQUARE, Workplace, json_lines};

/// The cube with its bottom, its top and its sides as groups.
fn grouped() -> Workplace {
    let workplace = Workplace::new();
    let mut faces = 0;
    let line = |line: &str| {
        faces += u32::from(line.starts_with('f'));
        let name = ["bottom", "top, lid", "sides"].get(faces.wrapping_sub(1) as usize).copied();
        match name.filter(|_| line.starts_with('f')) {
            Some(name) => format!("g {name}\nusemtl {}\n{line}\n", ["steel", "glass", "steel"][faces as usize - 1]),
            None => format!("{line}\n"),
        }
    };
    workplace.write("parts.obj", &CUBE.lines().map(line).collect::<String>());
    workplace
}

#[test]
fn pairs_come_by_groups() {
    let workplace = grouped();
    let question = "query parts.obj square.obj --translate 0.5,0.5,0 --mode pairs --format";
    let whole = &json_lines(&workplace.answer(&format!("{question} json")))[0];
    let rows = json_lines(&workplace.answer(&format!("{question} json --groups")));
    let names: Vec<_> = rows.iter().map(|row| row["group_a"].as_str().unwrap()).collect();
    assert_eq!(names, ["bottom", "sides"]);
    assert!(rows.iter().all(|row| row["group_b"].is_null() && row["hit"] == true));
    let sum = |key: &str| rows.iter().fold(0_u64, |sum, row| sum.wrapping_add(row[key].as_u64().unwrap()));
    assert_eq!(Some(sum("pairs")), whole["pairs"].as_u64());
    assert_eq!(Some(sum("pairs_checksum")), whole["pairs_checksum"].as_u64());
    let csv = workplace.answer(&format!("{question} csv --groups"));
    assert!(csv.starts_with("row,label,hit,pairs,pairs_checksum,distance,group_a,group_b\n0,,1,"), "{csv}");
    let apart = workplace.answer("query parts.obj square.obj --translate 5,0,0 --mode pairs --format csv --groups");
    assert!(apart.ends_with("\n0,,0,0,0,,,\n"), "{apart}");
}

#[test]
fn closest_triangles_contacts_and_hits_have_groups() {
    let workplace = grouped();
    let row = |question: &str| json_lines(&workplace.answer(&format!("{question} --groups --format json")))[0].clone();
    let distance = row("query parts.obj square.obj --translate 0.25,0.25,3 --mode distance");
    assert_eq!((&distance["distance"], &distance["group_a"]), (&2.0.into(), &"top, lid".into()));
    let contact = row("query square.obj parts.obj --translate 0,0,-1 --mode contacts");
    assert_eq!(contact["group_b"], "top, lid");
    workplace.write("rays.csv", "0.3,0.2,5,0,0,-1\n9,9,9,0,0,1\n");
    let rays = json_lines(&workplace.answer("ray parts.obj --rays rays.csv --groups --format json"));
    assert_eq!((&rays[0]["group"], rays[1]["group"].is_null()), (&"top, lid".into(), true));
    workplace.write("points.csv", "0.3,0.2,-5\n");
    assert_eq!(row("closest parts.obj --points points.csv")["group"], "bottom");
    // Without the option there is no column for groups.
    assert!(workplace.answer("ray parts.obj --rays rays.csv --format csv").starts_with("row,hit,time,face\n"));
}

#[test]
fn materials_and_self_pairs_have_groups_too() {
    let workplace = grouped();
    workplace.answer("cook parts.obj --group-by material -o cooked -q");
    let question = "query cooked/parts.obb.bvt square.obj --translate 0.5,0.5,0 --mode pairs --groups --format json";
    assert_eq!(json_lines(&workplace.answer(question))[0]["group_a"], "steel");
    // A triangle that sticks out of a side.
    let parts = std::fs::read_to_string(workplace.path("parts.obj")).unwrap();
    workplace.write("two.obj", &(parts + "v 0.5 0.5 0.5\nv 2 0.5 0.5\nv 2 0.6 0.5\ng other\nf -3 -2 -1\n"));
    let rows = json_lines(&workplace.answer("self two.obj --groups --format json"));
    assert!(rows.iter().all(|row| row["group_b"] == "sides" && row["group_a"] == "other"), "{rows:?}");
    let whole = json_lines(&workplace.answer("self two.obj --format json"));
    assert_eq!(whole[0]["pairs"], rows[0]["pairs"]);
    let clean = json_lines(&workplace.answer("self parts.obj --groups --format json"));
    assert_eq!((clean.len(), &clean[0]["pairs"]), (1, &0.into()));
}

/// The bottom and the sides are of steel.
#[test]
fn materials_are_named_beside_objects() {
    let workplace = grouped();
    workplace.answer("cook parts.obj --group-by both -o cooked -q");
    for parts in ["parts.obj", "cooked/parts.obb.bvt"] {
        let rows = |question: &str, names: &str| {
            json_lines(&workplace.answer(&format!("{question} --groups={names} --format json")))
        };
        let pairs = format!("query {parts} square.obj --translate 0.5,0.5,0 --mode pairs");
        let by_material = rows(&pairs, "material");
        let sum = |key: &str| rows(&pairs, "object").iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
        assert_eq!(by_material.len(), 1);
        assert_eq!(
            (&by_material[0]["group_a"], by_material[0]["pairs"].as_u64()),
            (&"steel".into(), Some(sum("pairs")))
        );
        assert!(by_material[0]["group_b"].is_null());
        let distance = format!("query {parts} square.obj --translate 0.25,0.25,3 --mode distance");
        assert_eq!(rows(&distance, "material")[0]["group_a"], "glass");
        assert_eq!(rows(&distance, "object")[0]["group_a"], "top, lid");
        let contacts = format!("query square.obj {parts} --translate 0,0,-1 --mode contacts");
        assert_eq!(rows(&contacts, "material")[0]["group_b"], "glass");
        workplace.write("rays.csv", "0.3,0.2,5,0,0,-1\n9,9,9,0,0,1\n");
        let rays = rows(&format!("ray {parts} --rays rays.csv"), "material");
        assert_eq!((&rays[0]["group"], rays[1]["group"].is_null()), (&"glass".into(), true));
        let pose = |z: f64| format!("1,0,0,0.25,0,1,0,0.25,0,0,1,{z}");
        workplace.write("motions.csv", &format!("drop,{},{}\n", pose(3.0), pose(0.5)));
        let motion = rows(&format!("motion {parts} square.obj --motions motions.csv --accuracy 1e-6"), "material");
        assert_eq!(motion[0]["group_a"], "glass");
        let body = |name: &str, mesh: &str, z: f64| json!({"name": name, "mesh": mesh, "translation": [0.0, 0.0, z]});
        workplace
            .write("plant.json", &json!({"bodies": [body("a", parts, 0.0), body("b", "square.obj", 1.0)]}).to_string());
        let clashes = rows("clash plant.json -q", "material");
        assert_eq!((&clashes[0]["group_a"], clashes[0]["group_b"].is_null()), (&"glass".into(), true));
    }
    let info = &json_lines(&workplace.answer("info cooked/parts.obb.bvt --format json"))[0];
    assert_eq!((&info["group_names"], &info["materials"]), (&3.into(), &2.into()));
    // Pairs of triangles of one material.
    let rows = json_lines(&workplace.answer("self parts.obj --groups=material --format json"));
    assert_eq!(rows[0]["pairs"], 0);
    workplace.answer("cook parts.obj -o plain -q");
    for question in ["query plain/parts.obb.bvt square.obj --mode pairs", "self plain/parts.obb.bvt --format json"] {
        let complaint = workplace.complaint(&format!("{question} --groups=material"));
        assert!(complaint.contains("--groups=material: no triangle has a material beside its group"), "{complaint}");
        assert!(complaint.contains("hint: cook meshes with --group-by both"), "{complaint}");
    }
}

#[test]
fn motions_name_the_groups_that_meet_first() {
    let workplace = grouped();
    workplace.write("small.obj", &SQUARE.replace('1', "0.5").replace("f 0.5 2 3 4", "o tile\nf 1 2 3 4"));
    let pose = |z: f64| format!("1,0,0,0.25,0,1,0,0.25,0,0,1,{z}");
    workplace.write("motions.csv", &format!("drop,{},{}\nrise,{},{}\n", pose(3.0), pose(0.5), pose(3.0), pose(4.0)));
    let question = "motion parts.obj small.obj --motions motions.csv --accuracy 1e-6 --format";
    let rows = json_lines(&workplace.answer(&format!("{question} json --groups")));
    assert_eq!((&rows[0]["group_a"], &rows[0]["group_b"]), (&"top, lid".into(), &"tile".into()));
    assert_eq!((&rows[1]["result"], &rows[1]["group_a"]), (&"free".into(), &Value::Null));
    let csv = workplace.answer(&format!("{question} csv --groups"));
    assert!(csv.lines().next().unwrap().ends_with(",face_a,face_b,group_a,group_b"), "{csv}");
    assert!(csv.lines().nth(1).unwrap().ends_with(",\"top, lid\",tile"), "{csv}");
    assert!(workplace.answer(&format!("{question} csv")).lines().next().unwrap().ends_with(",face_a,face_b"));
}

#[test]
fn clashes_name_the_groups_at_their_places() {
    let workplace = grouped();
    workplace.write("small.obj", &SQUARE.replace('1', "0.5").replace("f 0.5 2 3 4", "o tile\nf 1 2 3 4"));
    let body = |name: &str, mesh: &str, z: f64| {
        let from = if mesh == "small.obj" { 0.25 } else { 0.0 };
        json!({"name": name, "mesh": mesh, "translation": [from, from, z]})
    };
    let bodies = [
        body("box", "parts.obj", 0.0),
        body("on", "small.obj", 1.0),
        body("below", "small.obj", -0.125),
        body("twin", "parts.obj", 0.0),
    ];
    let bodies = json!({"bodies": bodies, "ignore": [["on", "twin"], ["below", "twin"]], "clearance": 0.25});
    workplace.write("plant.json", &bodies.to_string());
    let question = "clash plant.json -q --format";
    let rows = json_lines(&workplace.answer(&format!("{question} json --groups")));
    let found: Vec<_> = rows.iter().map(|row| ["class", "group_a", "group_b"].map(|key| row[key].as_str())).collect();
    assert_eq!(
        found,
        [
            [Some("touching"), Some("top, lid"), Some("tile")],
            [Some("too_near"), Some("bottom"), Some("tile")],
            [Some("duplicate"), None, None],
        ]
    );
    let csv = workplace.answer(&format!("{question} csv --groups"));
    assert!(
        csv.lines().next().unwrap().ends_with(",id,change,was,rule,issue,status,author,reason,group_a,group_b"),
        "{csv}"
    );
    // A report with groups is a baseline like any other; what is gone has none.
    workplace.write("before.csv", &csv);
    let still = json_lines(&workplace.answer(&format!("{question} json --groups --baseline before.csv --clearance 0")));
    let last = still.last().unwrap();
    assert_eq!((&last["change"], &last["group_a"], still.len()), (&"gone".into(), &Value::Null, 3));
}

#[test]
fn modes_without_triangles_know_no_groups() {
    let complaint = grouped().complaint("query parts.obj square.obj --mode hit --groups");
    assert!(complaint.contains("--groups: this mode does not report triangles"), "{complaint}");
}
