//! A hall of five hundred parts, with every output.

use std::fs;
use std::io::Cursor;

use serde_json::{Value, json};

use super::{rows, workplace};
use crate::{assert_has, json_lines};

/// Five hundred parts with known clashes: rows of cubes and bars a little apart, except for some.
#[test]
fn five_hundred_parts_are_told_apart() {
    let workplace = workplace();
    let part = |i: usize, [x, y, z]: [f64; 3], mesh: &str| {
        json!({"name": format!("part-{i}"), "mesh": mesh,
        "translation": [x, y, z], "groups": ["all"]})
    };
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
    let report = workplace
        .answer("clash hall.json -q --format csv --glb hall.glb --bcf hall.bcf --bcf-topic clash --html hall.html");
    let found = rows(&report);
    assert_eq!((found.len(), &found), (50, &expected));

    // The model and the exchange file have every part and every clash.
    let gltf = gltf::Gltf::from_slice(&fs::read(workplace.path("hall.glb")).unwrap()).unwrap();
    let names: Vec<_> = gltf.nodes().filter_map(|node| node.name().map(str::to_owned)).collect();
    assert!((0..500).all(|i| names.contains(&format!("part-{i}"))));
    let zip = zip::ZipArchive::new(Cursor::new(fs::read(workplace.path("hall.bcf")).unwrap())).unwrap();
    assert_eq!(zip.len(), 1 + 3 * 50);

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
    let new: Vec<_> = objects.iter().filter(|row| row["change"] == "new").collect();
    assert_eq!((new.len(), &new[0]["a"], &new[0]["b"]), (1, &json!("part-5"), &json!("part-105")));
}
