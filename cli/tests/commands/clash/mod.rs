//! Clashes of an assembly: a plant of seven bodies, with every relation in it.

mod baseline;
mod bcf;
mod five_hundred;
mod issues;
mod manifest;
mod pictures;
mod report;
mod rules;
pub mod scene_files;
mod status;

use serde_json::{Value, json};

use crate::Workplace;

const HEADER: &str = "a,b,relation,pairs,distance,class,depth,penetration,moved,x,y,z,ax,ay,az,bx,by,bz,cell,location,\
                      id,change,was,rule,issue,status,author,reason";

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

/// A cube, and bodies in every relation to it.
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

/// The clashes that the plant's report must have.
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
