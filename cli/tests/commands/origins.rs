//! Meshes far from zero that were cooked with `--origin`: asked in the frames of their files, and nothing is lost.

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

/// Two unit cubes a survey's coordinates away, a millimetre apart along x. f32 has steps of 3 cm there.
fn surveyed() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("a.obj", &cube_at(500_000.25, 4_600_000.5, 100.0));
    workplace.write("b.obj", &cube_at(500_001.251, 4_600_000.5, 100.25));
    workplace.answer("cook a.obj --origin auto -o cooked -q");
    workplace.answer("cook b.obj --origin 500000,4600000,0 -o cooked -q");
    workplace
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
    let question = "motion cooked/a.obb.bvt cooked/b.obb.bvt --motions motions.csv --tolerance 1e-9 --format json";
    let row = &json_lines(&workplace.answer(question))[0];
    close(&row["time"], 0.5005);
    close(&row["x"], 500_001.25);
}
