use std::fs;
use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

use super::{Workplace, assert_has, json_lines, keys_in_order};

const HEADER: &str = "a,b,relation,pairs,distance,class,depth,depth_is,x,y,z,ax,ay,az,bx,by,bz,cell,id,status,was";

/// A cube of edge length 0.5 in the middle of the unit cube.
const SMALL: &str = "\
v .25 .25 .25\nv .75 .25 .25\nv .75 .75 .25\nv .25 .75 .25\nv .25 .25 .75\nv .75 .25 .75\nv .75 .75 .75\nv .25 .75 .75
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A bar through the unit cube along x.
const BAR: &str = "\
v -1 .4 .4\nv 2 .4 .4\nv 2 .6 .4\nv -1 .6 .4\nv -1 .4 .6\nv 2 .4 .6\nv 2 .6 .6\nv -1 .6 .6
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn body(name: &str, mesh: &str, x: f64, groups: &[&str]) -> Value {
    json!({"name": name, "mesh": mesh, "translation": [x, 0.0, 0.0], "groups": groups})
}

/// A cube and what lies to it in every way.
fn bodies() -> Vec<Value> {
    vec![
        body("cube", "cube.obj", 0.0, &["solid"]),
        body("small", "small.obj", 0.0, &["solid"]),
        body("bar", "bar.obj", 0.0, &["pipes"]),
        body("twin", "cube.obj", 0.0, &["solid"]),
        body("beside", "cube.obj", 0.0, &["solid"]),
        body("near", "cube.obj", 0.0, &["pipes", "solid"]),
        body("far", "cube.obj", 9.0, &[]),
    ]
}

fn workplace() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("small.obj", SMALL);
    workplace.write("bar.obj", BAR);
    let mut bodies = bodies();
    bodies[4]["translation"] = json!([0.0, 1.0, 0.0]);
    bodies[5]["translation"] = json!([0.0, -1.25, 0.0]);
    workplace.write("plant.json", &json!({"bodies": bodies, "clearance": 0.25}).to_string());
    workplace
}

/// Names, relation and class of each row.
fn rows(csv: &str) -> Vec<[String; 4]> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        [fields[0], fields[1], fields[2], fields[5]].map(str::to_owned)
    };
    lines.map(row).collect()
}

fn named(rows: &[[&str; 4]]) -> Vec<[String; 4]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

/// What the plant has to tell.
const PLANT: [[&str; 4]; 11] = [
    ["cube", "small", "b_in_a", "enveloped"],
    ["cube", "bar", "crossing", "piercing"],
    ["cube", "twin", "coincident", "duplicate"],
    ["cube", "beside", "touching", "touching"],
    ["cube", "near", "separate", "too_near"],
    ["small", "bar", "crossing", "piercing"],
    ["small", "twin", "a_in_b", "enveloped"],
    ["small", "beside", "separate", "too_near"],
    ["bar", "twin", "crossing", "piercing"],
    ["twin", "beside", "touching", "touching"],
    ["twin", "near", "separate", "too_near"],
];

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
    assert_eq!(objects[1]["depth_is"], "estimated");
    assert!(near["depth"].is_null());
    let measured = json_lines(&workplace.answer("clash plant.json -q --format json --depths"));
    // Out of the cube the bar has to go to the side, by a cube's half and its own.
    assert_eq!(measured[1]["depth_is"], "measured");
    assert!((measured[1]["depth"].as_f64().unwrap() - 0.6).abs() < 1e-3, "{}", measured[1]);
}

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
fn rows_are_counted_by_body_and_by_place() {
    let workplace = workplace();
    let by_body = workplace.answer("clash plant.json -q --format csv --by body");
    let lines: Vec<_> = by_body.lines().collect();
    assert_eq!(lines[0], "body,clashes,duplicate,enveloped,piercing,protruding,touching,too_near,undefined");
    assert!(lines[1..].contains(&"cube,5,1,1,1,0,1,1,0") && lines.len() == 7, "{lines:?}");
    let by_place = json_lines(&workplace.answer("clash plant.json -q --format json --by place --cell 100"));
    let sum: u64 = by_place.iter().map(|row| row["clashes"].as_u64().unwrap()).sum();
    assert_eq!(sum, 11);
    assert!(by_place.len() == 2 && by_place.iter().any(|row| row["cell"] == "0 -1 0" && row["too_near"] == 2));
}

#[test]
fn a_baseline_tells_new_gone_and_same() {
    let workplace = workplace();
    for format in ["csv", "json"] {
        let before = workplace.answer(&format!("clash plant.json -q --format {format}"));
        workplace.write("before", &before);
        let outcome = workplace.run("clash plant.json --baseline before --format csv --exit-code");
        assert_eq!(outcome.code, Some(0), "nothing is new: {outcome:?}");
        assert_has(&outcome.stderr, &["; 0 new, 11 same, 0 gone"]);

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
        let with = |status: &str| objects.iter().filter(|row| row["status"] == status).count();
        assert_eq!((with("new"), with("same"), with("gone"), objects.len()), (1, 6, 5, 12));
        let new = objects.iter().find(|row| row["status"] == "new").unwrap();
        assert_eq!((&new["a"], &new["b"]), (&json!("far"), &json!("late, \"so\"")));
        let gone = objects.last().unwrap();
        assert!(gone["distance"].is_null() && gone["was"] == "separate", "{gone}");
        // What is told is told again next time.
        workplace.write("next", &outcome.stdout);
        let again = workplace.run("clash after.json --baseline next --exit-code --format csv");
        assert_eq!(again.code, Some(0));
        assert_has(&again.stderr, &["; 0 new, 7 same, 0 gone"]);
        assert_has(&again.stdout, &["\"late, \"\"so\"\"\""]);
        // Ids stay, whatever the order.
        for object in objects.iter().filter(|row| row["status"] == "same") {
            assert!(before.contains(object["id"].as_str().unwrap()));
        }
    }
    assert_eq!(workplace.run("clash plant.json -q --exit-code").code, Some(1));
    workplace.write("no-report", "x,y\n1,2\n");
    assert_has(&workplace.complaint("clash plant.json --baseline no-report"), &["no-report: there is no column 'a'"]);
}

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
    let cases: [(Change<'_>, &str); 14] = [
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
            "body 'small': a body reaches farther than 1e30",
        ),
        (&|plant| plant["bodies"][1]["colour"] = json!("red"), "unknown key 'colour'"),
        (&|plant| plant["bodies"][1]["mesh"] = Value::Null, "mesh: expected text"),
        (&|plant| plant["clearance"] = json!(-1), "clearance: expected a finite number, 0 or more"),
        (&|plant| plant["ignore"] = json!([["cube", "tube"]]), "ignore[0]: there is no body 'tube'"),
        (&|plant| plant["rules"] = json!([{"between": ["pipes"]}]), "rules[0]: between: expected two names"),
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

/// The elements of an XML text, with its attributes, in order; fails where it is not well-formed.
fn elements(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut names = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) | Event::Empty(start) => {
                assert!(start.attributes().all(|attribute| attribute.is_ok()));
                names.push(start.name().as_ref().to_owned());
            }
            Event::Eof => return names,
            _ => {}
        }
    }
}

#[test]
fn bcf_has_a_topic_and_a_viewpoint_per_clash() {
    let workplace = workplace();
    let mut plant = json!({"bodies": bodies(), "clearance": 0.25});
    plant["bodies"][0]["name"] = json!("<cube> & \"co\"");
    workplace.write("plant.json", &plant.to_string());
    let json = json_lines(&workplace.answer("clash plant.json -q --format json --bcf clashes.bcf"));
    let bytes = fs::read(workplace.path("clashes.bcf")).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    assert_has(&text("bcf.version"), &["VersionId=\"2.1\""]);
    for row in &json {
        let id = row["id"].as_str().unwrap();
        let markup = text(&format!("{id}/markup.bcf"));
        assert_has(&markup, &[&format!("Topic Guid=\"{id}\""), "TopicStatus=\"Open\""]);
        let order = [
            "Markup",
            "Topic",
            "Title",
            "Index",
            "Labels",
            "CreationDate",
            "CreationAuthor",
            "Description",
            "Viewpoints",
            "Viewpoint",
        ];
        assert_eq!(elements(&markup), order);
        let view = text(&format!("{id}/viewpoint.bcfv"));
        let names = elements(&view);
        assert_eq!(names[..3], ["VisualizationInfo", "Components", "Selection"]);
        let camera = names.iter().position(|name| name == "PerspectiveCamera").unwrap();
        assert_eq!(names[camera + 1..camera + 5], ["CameraViewPoint", "X", "Y", "Z"]);
        assert!(view.contains("<FieldOfView>60</FieldOfView>"));
    }
    assert_eq!(zip.len(), 1 + 2 * json.len());
    assert!(json.iter().any(|row| row["a"] == "<cube> & \"co\""));
}

#[test]
fn the_model_and_the_page_show_what_clashes() {
    let workplace = workplace();
    workplace.answer("clash plant.json -q --format csv --glb plant.glb --html plant.html");
    let bytes = fs::read(workplace.path("plant.glb")).unwrap();
    let gltf = gltf::Gltf::from_slice(&bytes).unwrap();
    let names: Vec<_> = gltf.nodes().filter_map(|node| node.name().map(str::to_owned)).collect();
    for name in ["cube", "small", "far", "cube x bar", "assembly"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    let material = |name: &str| {
        let node = gltf.nodes().find(|node| node.name() == Some(name)).unwrap();
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        (primitive.material().name().unwrap().to_owned(), primitive.mode())
    };
    assert_eq!(material("cube").0, "clashing");
    assert_eq!(material("far").0, "body");
    assert_eq!(material("cube x bar"), ("contact".to_owned(), gltf::mesh::Mode::LineStrip));
    let blob = gltf.blob.as_deref().unwrap();
    for mesh in gltf.meshes() {
        for primitive in mesh.primitives() {
            assert!(primitive.reader(|_| Some(blob)).read_positions().unwrap().count() > 1);
        }
    }
    let html = fs::read_to_string(workplace.path("plant.html")).unwrap();
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["clashes"].as_array().unwrap().len(), 11);
    assert_eq!(data["bodies"].as_array().unwrap().len(), 7);
    assert_eq!(data["scene"]["parts"].as_array().unwrap().len(), 3, "a mesh is there once");
    assert!(!data["clashes"][1]["curves"].as_array().unwrap().is_empty());

    // What was written is a scene in turn: turned up, about its middle, and with the same clashes.
    let again = rows(&workplace.answer("clash plant.glb -q --format csv --clearance 0.2500001"));
    let pairs: Vec<_> = again.iter().map(|row| (row[0].rsplit('/').next().unwrap(), row[3].as_str())).collect();
    assert_eq!(pairs.iter().filter(|(_, class)| *class == "duplicate").count(), 1, "{again:?}");
    assert_eq!(pairs.iter().filter(|(_, class)| *class == "piercing").count(), 3, "{again:?}");
}

/// A triangle-mesh glTF of two nodes of one tetrahedron, as text, with its buffer inside.
fn gltf_text(nodes: &Value) -> String {
    let points: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let corners: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let mut bytes: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let roots: Vec<usize> = (0..nodes.as_array().unwrap().len()).filter(|&i| nodes[i].get("below").is_none()).collect();
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [{"byteLength": 72, "uri": format!("data:application/octet-stream;base64,{data}")}],
    })
    .to_string()
}

#[test]
fn scenes_place_their_nodes() {
    let workplace = Workplace::new();
    // Far away by f64, scaled, mirrored, and two siblings of one name.
    let nodes = json!([
        {"name": "site", "translation": [500000.125, 4600000.0, 0.0], "children": [1, 2, 3]},
        {"name": "part", "mesh": 0, "below": true},
        {"name": "part", "mesh": 0, "translation": [1.0009765625, 0.0, 0.0], "below": true},
        {"name": "big", "mesh": 0, "scale": [2.0, 2.0, 2.0], "translation": [0.0, 0.0, -2.0009765625], "below": true},
        {"name": "mirrored", "mesh": 0, "scale": [-1.0, 1.0, 1.0], "translation": [499999.0, 4600000.0, 0.0]},
    ]);
    workplace.write("site.gltf", &gltf_text(&nodes));
    let objects = json_lines(&workplace.answer("clash site.gltf -q --format json --clearance 0.002"));
    let told: Vec<_> = objects.iter().map(|row| (row["a"].as_str().unwrap(), row["b"].as_str().unwrap())).collect();
    assert_eq!(told, [("site/part", "site/part#2"), ("site/part", "site/big")]);
    for object in &objects {
        // A millimetre near half a million.
        assert!((object["distance"].as_f64().unwrap() - 0.0009765625).abs() < 1e-9, "{object}");
    }
    let broken = gltf_text(&nodes).replace("\"count\":12", "\"count\":999");
    workplace.write("broken.gltf", &broken);
    assert_eq!(workplace.run("clash broken.gltf").code, Some(2));
    let endless = json!([{"name": "a", "mesh": 0, "children": [1]}, {"name": "b", "children": [0], "below": true}]);
    workplace.write("endless.gltf", &gltf_text(&endless));
    assert_eq!(workplace.run("clash endless.gltf").code, Some(2));
    workplace.write("text.glb", "glTF and more");
    assert_has(&workplace.complaint("clash text.glb"), &["text.glb: its chunks: expected a sound GLB file"]);
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

/// Five hundred parts of which it is known what they do: rows of cubes and bars a little apart, but for some.
#[test]
fn five_hundred_parts_are_told_apart() {
    let workplace = workplace();
    let part = |i: usize, [x, y, z]: [f64; 3], mesh: &str| json!({"name": format!("part-{i}"), "mesh": mesh, "translation": [x, y, z], "groups": ["all"]});
    // Ten by ten by five, with corners of whole numbers and half a unit between them; each tenth has something amiss.
    let mut expected = Vec::new();
    let place = |i: usize| [(i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64].map(|x| 1.5 * x);
    let parts: Vec<Value> = (0..500)
        .map(|i| {
            let [x, y, z] = place(i);
            let (before, this) = (format!("part-{}", i.max(1) - 1), format!("part-{i}"));
            let mut clash = |relation: &str, class: &str| {
                expected.push([&before, &this, relation, class].map(str::to_owned));
            };
            match i % 50 {
                9 => clash("crossing", "protruding"),
                19 => clash("coincident", "duplicate"),
                29 => clash("touching", "touching"),
                39 => clash("b_in_a", "enveloped"),
                49 => clash("separate", "too_near"),
                _ => return part(i, [x, y, z], "cube.obj"),
            }
            match i % 50 {
                9 => part(i, [x - 0.75, y + 0.125, z + 0.125], "cube.obj"),
                19 => part(i, [x - 1.5, y, z], "cube.obj"),
                29 => part(i, [x - 0.5, y, z], "cube.obj"),
                39 => part(i, [x - 1.5, y, z], "small.obj"),
                _ => part(i, [x - 0.4375, y, z], "cube.obj"),
            }
        })
        .collect();
    workplace.write("hall.json", &json!({"bodies": parts, "clearance": 0.125}).to_string());
    let report = workplace.answer("clash hall.json -q --format csv --glb hall.glb --bcf hall.bcf --html hall.html");
    let found = rows(&report);
    assert_eq!((found.len(), &found), (50, &expected));

    // The model and the exchange file have every part and every clash.
    let gltf = gltf::Gltf::from_slice(&fs::read(workplace.path("hall.glb")).unwrap()).unwrap();
    let names: Vec<_> = gltf.nodes().filter_map(|node| node.name().map(str::to_owned)).collect();
    assert!((0..500).all(|i| names.contains(&format!("part-{i}"))));
    let zip = zip::ZipArchive::new(Cursor::new(fs::read(workplace.path("hall.bcf")).unwrap())).unwrap();
    assert_eq!(zip.len(), 1 + 2 * 50);

    // One of each class is mended, and one part comes too near: five are gone, one is new.
    workplace.write("before", &report);
    let mut mended = parts;
    for i in [9, 19, 29, 39, 49] {
        let [x, y, z] = place(i);
        mended[i] = part(i, [x, y, z], "cube.obj");
    }
    let [x, y, z] = place(5);
    mended[5] = part(5, [x, y, z + 0.4375], "cube.obj");
    workplace.write("mended.json", &json!({"bodies": mended, "clearance": 0.125}).to_string());
    let outcome = workplace.run("clash mended.json --baseline before --format json --exit-code");
    assert_eq!(outcome.code, Some(1));
    assert_has(&outcome.stderr, &["; 1 new, 45 same, 5 gone"]);
    let objects = json_lines(&outcome.stdout);
    let new: Vec<_> = objects.iter().filter(|row| row["status"] == "new").collect();
    assert_eq!((new.len(), &new[0]["a"], &new[0]["b"]), (1, &json!("part-5"), &json!("part-105")));
}
