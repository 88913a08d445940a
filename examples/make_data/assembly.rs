//! An assembly of the meshes as a manifest for `bvtree clash`: gears in a row on bolts, with deliberate mistakes.

/// A quarter turn about x, and a rotation about z whose entries are exact decimals.
const QUARTER: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0];
const THREE_FOUR_FIVE: [f64; 9] = [0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0];

struct Body {
    name: String,
    mesh: &'static str,
    group: &'static str,
    rotation: Option<[f64; 9]>,
    translation: [f64; 3],
}

/// The manifest's text.
pub fn manifest() -> String {
    let body = |name: String, mesh, group, translation| Body { name, mesh, group, rotation: None, translation };
    let mut bodies = Vec::new();
    for i in 0..6 {
        let x = 50.0 * f64::from(i);
        bodies.push(body(format!("gear-{i}"), "gear", "gears", [x, 0.0, 0.0]));
        bodies.push(body(format!("bolt-{i}"), "bolt", "bolts", [x, 0.0, -20.0]));
    }
    // Too near to its neighbour; written twice; and upright where it should lie.
    bodies[6].translation[0] = 145.0;
    bodies.push(body("gear-5-again".into(), "gear", "gears", [250.0, 0.0, 0.0]));
    let upright = body("gear-upright".into(), "gear", "gears", [25.0, 0.0, 20.0]);
    bodies.push(Body { rotation: Some(QUARTER), ..upright });
    for i in 0..4 {
        let hook = body(format!("link-{i}"), "chain_link", "chain", [60.0 * f64::from(i), 120.0, 0.0]);
        bodies.push(Body { rotation: (i % 2 == 1).then_some(THREE_FOUR_FIVE), ..hook });
    }
    bodies.push(body("teapot".into(), "teapot", "kitchen", [300.0, 150.0, 0.0]));

    let rows: Vec<String> = bodies.iter().map(row).collect();
    let ignored: Vec<String> = (0..6).map(|i| format!("[\"gear-{i}\", \"bolt-{i}\"]")).collect();
    format!(
        "{{\n  \"bodies\": [\n{}\n  ],\n  \"ignore\": [{}],\n  \"clearance\": 1.5\n}}\n",
        rows.join(",\n"),
        ignored.join(", ")
    )
}

fn row(body: &Body) -> String {
    let Body { name, mesh, group, rotation, translation } = body;
    let turn = rotation.map_or(String::new(), |numbers| format!(" \"rotation\": {numbers:?},"));
    format!(
        "    {{\"name\": \"{name}\", \"mesh\": \"{mesh}.obj\",{turn} \"translation\": {translation:?}, \"groups\": \
            [\"{group}\"]}}"
    )
}
