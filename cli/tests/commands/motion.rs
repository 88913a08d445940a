use super::{Workplace, assert_has, json_lines, keys_in_order};

const HEADER: &str = "row,label,result,time,distance,x,y,z,nx,ny,nz,face_a,face_b";
const EYE: [&str; 3] = ["1,0,0", "0,1,0", "0,0,1"];

/// A row of unrotated poses.
fn row(label: &str, from: [f64; 3], to: [f64; 3]) -> String {
    let pose = |t: [f64; 3]| EYE.iter().zip(t).map(|(r, t)| format!("{r},{t}")).collect::<Vec<_>>().join(",");
    format!("{label},{},{}\n", pose(from), pose(to))
}

fn workplace() -> Workplace {
    let workplace = Workplace::new();
    let rows = [
        row("onto", [0.25, 0.25, 3.0], [0.25, 0.25, -1.0]),
        row("past", [2.5, 0.0, 3.0], [2.5, 0.0, -3.0]),
        row("in", [0.0, 0.0, 0.5], [0.0, 0.0, 9.0]),
    ];
    workplace.write("motions.csv", &format!("# label, start, end\n{}", rows.concat()));
    workplace
}

#[test]
fn a_row_per_motion() {
    let workplace = workplace();
    let csv = workplace.answer("motion cube.obj square.obj --motions motions.csv --accuracy 1e-6");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (4, HEADER, "1,past,free,,,,,,,,,,"));
    let json = workplace.answer("motion cube.obj square.obj --motions motions.csv --accuracy 1e-6 --format json");
    assert_eq!(keys_in_order(json.lines().next().unwrap()).join(","), HEADER);
    let objects = json_lines(&json);
    let number = |key: &str| objects[0][key].as_f64().unwrap();
    assert_eq!((&objects[0]["result"], &objects[2]["result"]), (&"impact".into(), &"touching".into()));
    assert!(number("time") <= 0.5 && number("time") > 0.5 - 1e-6 && number("distance") <= 1e-6);
    assert!((number("z") - 1.0).abs() < 1e-6 && (number("nz") - 1.0).abs() < 1e-6);
    assert_eq!(objects[2]["time"], 0.0);
    // The former name of the option.
    assert_eq!(workplace.answer("motion cube.obj square.obj --motions motions.csv --tolerance 1e-6"), csv);
    for kind in ["aabb", "sphere"] {
        let other = workplace
            .answer(&format!("motion cube.obj square.obj --motions motions.csv --accuracy 1e-6 --kind {kind}"));
        assert_eq!(other.lines().nth(2), csv.lines().nth(2));
    }
}

#[test]
fn bad_motions_are_named() {
    let workplace = workplace();
    workplace.write("short.csv", "a,1,0,0,0\n");
    let complaint = workplace.complaint("motion cube.obj square.obj --motions short.csv --accuracy 0");
    assert_has(&complaint, &["short.csv, line 1", "expected 25 fields, found 5", "hint: a row is label,from_r00,"]);
    workplace.write("text.csv", &row("a", [0.0; 3], [f64::NAN, 0.0, 0.0]));
    let complaint = workplace.complaint("motion cube.obj square.obj --motions text.csv --accuracy 0");
    assert_has(&complaint, &["text.csv, line 1, field 17 (to_tx): expected a finite number, found 'NaN'"]);
    let outcome = workplace.run("motion cube.obj square.obj --motions motions.csv --accuracy -1");
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn separation_is_a_mode() {
    let workplace = workplace();
    let row = |arguments: &str| {
        let csv = workplace.answer(&format!("query cube.obj square.obj --mode penetration {arguments}"));
        assert_eq!(csv.lines().next(), Some("row,label,hit,pairs,pairs_checksum,distance,penetration"));
        let fields: Vec<_> = csv.lines().nth(1).unwrap().split(',').map(str::to_owned).collect();
        (fields[2].clone(), fields[6].parse::<f64>().unwrap())
    };
    let (hit, up) = row("--translate 0.25,0.25,0.25 --direction 0,0,4");
    assert!(hit == "1" && (up - 0.75).abs() < 1e-12, "{up}");
    let (_, aside) = row("--translate 0.25,0.25,0.25 --direction -1,0,0");
    assert!((aside - 1.25).abs() < 1e-12, "{aside}");
    assert_eq!(row("--translate 0,0,2 --direction 0,0,-1"), ("0".into(), 0.0));
    assert_eq!(workplace.run("query cube.obj square.obj --mode penetration").code, Some(2));
    assert_eq!(workplace.run("query cube.obj square.obj --mode penetration --direction 0,0,0").code, Some(2));
}
