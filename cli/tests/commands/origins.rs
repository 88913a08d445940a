//! Meshes far from zero that were cooked with `--origin`: queries use the frames of their files, and lose no precision.

use base64::Engine as _;

use super::{CUBE, Workplace, json_lines};

/// The unit cube, moved.
fn cube_at(x: f64, y: f64, z: f64) -> String {
    let line = |line: &str| match line.strip_prefix("v ") {
        Some(numbers) => {
            let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
            format!("v {} {} {}\n", x + numbers[0], y + numbers[1], z + numbers[2])
        }
        None => format!("{line}\n"),
    };
    CUBE.lines().map(line).collect()
}

/// Two unit cubes at a survey's coordinates, a millimetre apart along x. f32 has steps of 3 cm there.
fn surveyed() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("a.obj", &cube_at(500_000.25, 4_600_000.5, 100.0));
    workplace.write("b.obj", &cube_at(500_001.251, 4_600_000.5, 100.25));
    workplace.answer("cook a.obj --origin auto -o cooked -q");
    workplace.answer("cook b.obj --origin 500000,4600000,0 -o cooked -q");
    workplace
}

/// A glTF scene of the unit cube at two nodes below one that stands at a survey's coordinates.
fn surveyed_scene(linear: &str) -> String {
    let numbers = |line: &str| line.split(' ').skip(1).map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
    let points = CUBE.lines().filter(|line| line.starts_with('v')).flat_map(numbers);
    let mut buffer: Vec<u8> = points.flat_map(|x| (x as f32).to_le_bytes()).collect();
    let faces: Vec<_> = CUBE.lines().filter(|line| line.starts_with('f')).map(numbers).collect();
    let corners = faces.iter().flat_map(|f| [f[0], f[1], f[2], f[0], f[2], f[3]]);
    buffer.extend(corners.flat_map(|corner| (corner as u16 - 1).to_le_bytes()));
    let node =
        |name: &str, x: f64| format!("{{\"name\": \"{name}\", \"mesh\": 0, \"matrix\": [{linear}, {x}, 0, 0, 1]}}");
    format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"scene\": 0, \"scenes\": [{{\"nodes\": [0]}}], \"nodes\": \
            [{{\"name\": \"site\", \
         \"translation\": [500000.25, 4600000.5, 100], \"children\": [1, 2]}}, {}, {}], \
         \"meshes\": [{{\"primitives\": [{{\"attributes\": {{\"POSITION\": 0}}, \"indices\": 1}}]}}], \"accessors\": \
         [{{\"bufferView\": 0, \"componentType\": 5126, \"count\": 8, \"type\": \"VEC3\", \"min\": [0, 0, \
             0], \"max\": [1, 1, 1]}}, \
         {{\"bufferView\": 1, \"componentType\": 5123, \"count\": 36, \"type\": \"SCALAR\"}}], \
         \"bufferViews\": [{{\"buffer\": 0, \"byteLength\": 96}}, {{\"buffer\": 0, \"byteOffset\": \
             96, \"byteLength\": 72}}], \
         \"buffers\": [{{\"byteLength\": 168, \"uri\": \"data:application/octet-stream;base64,{}\"}}]}}",
        node("a", 0.0),
        node("b", 2.001),
        base64::engine::general_purpose::STANDARD.encode(buffer)
    )
}

#[test]
fn nodes_far_from_zero_keep_their_millimetres() {
    let workplace = Workplace::new();
    // Rotated; and stretched, which no pose can express.
    for (linear, apart) in
        [("0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0", 1.001), ("2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0", 0.001)]
    {
        workplace.write("scene.gltf", &surveyed_scene(linear));
        let row = json_lines(&workplace.answer("clash scene.gltf -q --clearance 2 --format json"))[0].clone();
        close(&row["distance"], apart);
        workplace.answer("cook scene.gltf --origin auto --by-group -o cooked -q --force");
        let question = "query cooked/scene.site_a.obb.bvt cooked/scene.site_b.obb.bvt --mode distance --format json";
        close(&json_lines(&workplace.answer(question))[0]["distance"], apart);
    }
}

#[test]
fn what_f32_loses_far_from_zero_is_told() {
    let workplace = surveyed();
    let said = "coordinates reach 4600001.5, where f32 has steps of 0.5: cook it with --origin auto";
    for command in ["cook a.obj -o plain", "query a.obj b.obj", "query plain/a.obb.bvt cube.obj"] {
        let outcome = workplace.run(command);
        assert!(outcome.code == Some(0) && outcome.stderr.contains(said), "{outcome:?}");
    }
    let outcome = workplace.run("query cooked/a.obb.bvt cube.obj");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert_eq!(workplace.run("query a.obj b.obj -q").stderr, "");
    workplace.write(
        "far.json",
        "{\"bodies\": [{\"name\": \"a\", \"mesh\": \"a.obj\"}, {\"name\": \"b\", \"mesh\": \"b.obj\"}]}",
    );
    assert!(workplace.run("clash far.json").stderr.contains(&format!("note: body 'a': {said}")));
}

fn close(found: &serde_json::Value, expected: f64) {
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-7, "{found} for {expected}");
}

#[test]
fn distances_far_from_zero_lose_nothing() {
    let workplace = surveyed();
    let question = "query cooked/a.obb.bvt cooked/b.obb.bvt --mode distance --format json";
    let row = &json_lines(&workplace.answer(question))[0];
    close(&row["distance"], 0.001);
    close(&row["ax"], 500_001.25);
    close(&row["bx"], 500_001.251);
    // Moved together, and turned about the sources' zero.
    let moved = &json_lines(&workplace.answer(&format!("{question} --translate -0.001,0,0")))[0];
    assert!(moved["distance"].as_f64().unwrap() < 1e-7);
    let turned = format!("{question} --rotate 0,0,1,90 --translate 5100000,4100000,0");
    let turned = &json_lines(&workplace.answer(&turned))[0];
    // B's cube from (-4600001.5, 500001.251) is at x 499998.5 to 499999.5 then.
    close(&turned["bx"], 499_999.5);
    assert!(workplace.answer("info cooked/a.obb.bvt").contains("500000"));
}

#[test]
fn other_commands_ask_in_the_files_frames_too() {
    let workplace = surveyed();
    let body = |name: &str| format!("{{\"name\": \"{name}\", \"mesh\": \"cooked/{name}.obb.bvt\"}}");
    workplace.write("plant.json", &format!("{{\"bodies\": [{}, {}]}}", body("a"), body("b")));
    let row = &json_lines(&workplace.run("clash plant.json --clearance 0.01 --format json").stdout)[0];
    close(&row["distance"], 0.001);
    close(&row["bx"], 500_001.251);
    workplace.write("rays.csv", "500000.5,4600001,200,0,0,-1\n");
    let row = &json_lines(&workplace.answer("ray cooked/a.obb.bvt --rays rays.csv --format json"))[0];
    close(&row["time"], 99.0);
    workplace.write("points.csv", "500000.5,4600001,102\n");
    let row = &json_lines(&workplace.answer("closest cooked/a.obb.bvt --points points.csv --format json"))[0];
    close(&row["distance"], 1.0);
    close(&row["y"], 4_600_001.0);
    let pose = |x: f64| format!("1,0,0,{x},0,1,0,0,0,0,1,0");
    workplace.write("motions.csv", &format!("in,{},{}\n", pose(1.0), pose(-1.0)));
    let question = "motion cooked/a.obb.bvt cooked/b.obb.bvt --motions motions.csv --accuracy 1e-9 --format json";
    let row = &json_lines(&workplace.answer(question))[0];
    close(&row["time"], 0.5005);
    close(&row["x"], 500_001.25);
}
