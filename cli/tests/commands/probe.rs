//! `ray` and `closest`.

use serde_json::{Value, json};

use super::{CUBE, Workplace, assert_has, json_lines, keys_in_order};

#[test]
fn rays_hit_first_faces() {
    let workplace = Workplace::new();
    // Rays from above, at half the speed, into an edge of two triangles, past the cube, and away from it.
    workplace.write(
        "rays.csv",
        "# ox,oy,oz,dx,dy,dz\n0.75,0.25,3,0,0,-1\n0.75,0.25,3,0,0,-0.5\n\n\
         -2,0.5,0.5,4,0,0\n5,5,5,0,0,1\n0.5,0.5,2,0,0,1\n",
    );
    for kind in ["aabb", "obb", "sphere"] {
        let answer = workplace.answer(&format!("ray cube.obj --rays rays.csv --kind {kind}"));
        assert_eq!(answer, "row,hit,time,face\n0,1,2.0,2\n1,1,4.0,2\n2,1,0.5,10\n3,0,,\n4,0,,\n");
    }
    let limited = workplace.answer("ray cube.obj --rays rays.csv --max-time 2 --format json");
    assert_eq!(keys_in_order(limited.lines().next().unwrap()), ["row", "hit", "time", "face"]);
    let rows = json_lines(&limited);
    assert_eq!(rows[0], json!({"row": 0, "hit": true, "time": 2.0, "face": 2}));
    assert_eq!(rows[1], json!({"row": 1, "hit": false, "time": null, "face": null}));
}

#[test]
fn closest_points_and_sides() {
    let workplace = Workplace::new();
    workplace.run("cook cube.obj -o . --kind sphere");
    let points = "0.5,0.25,0.75\n0.75,0.25,3\n1,1,1\n";
    let outcome = workplace.run_with_stdin("closest cube.sphere.bvt --points -", points);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "row,distance,x,y,z,face,inside");
    assert!(lines[1].starts_with("0,0.25,") && lines[1].ends_with(",1"));
    assert_eq!(lines[2], "1,2.0,0.75,0.25,1.0,2,0");
    assert!(lines[3].starts_with("2,0.0,1.0,1.0,1.0,") && lines[3].ends_with(",1"));

    // A square has no inside.
    let open = workplace.run_with_stdin("closest square.obj --points - --format json", points);
    assert_eq!(json_lines(&open.stdout).iter().map(|row| &row["inside"]).collect::<Vec<_>>(), [&Value::Null; 3]);

    // A cube without its last face, from the middle and from outside.
    workplace.write("lidless.obj", CUBE.strip_suffix("f 4 1 5 8\n").unwrap());
    let winding = workplace.run_with_stdin("closest lidless.obj --points - --winding", "0.5,0.5,0.5\n0.5,0.5,3\n");
    let inside: Vec<_> = winding.stdout.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(inside, ["1", "0"]);
}

#[test]
fn bad_rows_are_named() {
    let workplace = Workplace::new();
    workplace.write("short.csv", "# rays\n1,2,3\n");
    workplace.write("header.csv", "x,y,z\n1,2,3\n");
    workplace.write("text.csv", "1,2,3\n1,2,many\n");
    let complaint = workplace.complaint("ray cube.obj --rays short.csv");
    assert_has(&complaint, &["short.csv, line 2: expected 6 fields, found 3", "ox,oy,oz,dx,dy,dz"]);
    let complaint = workplace.complaint("closest cube.obj --points header.csv");
    assert_has(&complaint, &["header.csv, line 1, field 1 (x)", "a header line starts with '#'"]);
    let complaint = workplace.complaint("closest cube.obj --points text.csv");
    assert_has(&complaint, &["text.csv, line 2, field 3 (z): expected a finite number, found 'many'"]);
    assert_has(&workplace.complaint("closest cube.obj --points nowhere.csv"), &["cannot read points from nowhere.csv"]);
    assert_has(&workplace.complaint("ray cube.obj --rays short.csv --max-time -1"), &["--max-time"]);
    for zero in ["0,0,0,0,0,0", "1,2,3,0,-0,0e5"] {
        let rays = format!("# rays\n0,0,0,1,0,0\n\n{zero}\n0,0,0,1,0,0\n");
        let complaint = workplace.run_with_stdin("ray cube.obj --rays -", &rays).complaint();
        assert_has(&complaint, &["stdin, line 4: the direction is 0,0,0", "hint: fields 4 to 6"]);
    }
    for number in ["inf", "nan", "-1e999"] {
        let complaint = workplace.run_with_stdin("ray cube.obj --rays -", &format!("0,0,0,0,0,{number}\n")).complaint();
        assert_has(&complaint, &["stdin, line 1, field 6 (dz): expected a finite number"]);
    }
    // Short, but not so short that the time is beyond f64.
    let answer = workplace.run_with_stdin("ray cube.obj --rays -", "0.25,0.5,-1,0,0,1e-307\n");
    assert_has(&answer.stdout, &["row,hit,time,face\n0,1,"]);
}
