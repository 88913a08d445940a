use std::fs;

use super::{Workplace, assert_has, json_lines, keys_in_order};

const HEADER: &str = "row,label,hit,pairs,pairs_checksum,distance";
const POSE_HEADER: &str = "# mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz";

/// splitmix64(0), the first number of the generator with seed 0.
const CHECKSUM_0_0: &str = "16294208416658607535";

/// A pose file of unrotated poses, each a label and a translation.
fn poses(rows: &[(&str, [f64; 3])]) -> String {
    let mut text = format!("{POSE_HEADER}\n");
    for (label, [x, y, z]) in rows {
        text += &format!(",,{label},1,0,0,{x},0,1,0,{y},0,0,1,{z}\n");
    }
    text
}

/// With a pose file of five poses of three labels, of which three are hits when a cube is asked about the square.
fn workplace_with_poses() -> Workplace {
    let workplace = Workplace::new();
    let up = |z| [0.0, 0.0, z];
    let rows = [("in", up(0.5)), ("out", up(1.5)), ("in", up(0.25)), ("touching", up(1.0)), ("out", up(-0.5))];
    workplace.write("poses.csv", &poses(&rows));
    workplace
}

#[test]
fn csv_has_a_row_per_pose_in_the_files_order() {
    let workplace = workplace_with_poses();
    let csv = workplace.answer("query cube.obj square.obj --poses poses.csv");
    let expected = ["0,in,1,,,", "1,out,0,,,", "2,in,1,,,", "3,touching,1,,,", "4,out,0,,,"];
    assert_eq!(csv, format!("{HEADER}\n{}\n", expected.join("\n")));
    assert_eq!(
        workplace.answer("query cube.obj square.obj --poses poses.csv --threads 1 --mode hit --format csv"),
        csv
    );
}

#[test]
fn distance_comes_with_the_closest_points_and_faces() {
    let workplace = Workplace::new();
    workplace.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    workplace.write("point.obj", "v 0.25 0.25 0\nf 1 1 1\n");
    let ask = |arguments: &str| workplace.answer(&format!("query {arguments} --mode distance --translate 0,0,2"));
    let header = format!("{HEADER},ax,ay,az,bx,by,bz,face_a,face_b");
    assert_eq!(ask("flat.obj point.obj"), format!("{header}\n0,,0,,,2.0,0.25,0.25,0.0,0.25,0.25,2.0,0,0\n"));
    let touching = workplace.answer("query flat.obj point.obj --mode distance");
    assert_eq!(touching, format!("{header}\n0,,1,,,0.0,0.25,0.25,0.0,0.25,0.25,0.0,0,0\n"));
}

#[test]
fn threads_change_nothing() {
    let workplace = Workplace::new();
    let rows: Vec<_> = (0..500).map(|i| ("", [0.003 * f64::from(i), 0.001 * f64::from(i % 7), 0.25])).collect();
    workplace.write("poses.csv", &poses(&rows));
    for mode in ["hit", "pairs"] {
        for format in ["csv", "json", "text"] {
            let query = format!("query cube.obj square.obj --poses poses.csv --quiet --mode {mode} --format {format}");
            let one = workplace.answer(&format!("{query} --threads 1"));
            assert!(one.lines().count() >= 500);
            assert_eq!(workplace.answer(&format!("{query} --threads 2")), one);
            assert_eq!(workplace.answer(&query), one);
        }
    }
}

#[test]
fn within_a_tolerance_or_a_lower_bound() {
    let workplace = workplace_with_poses();
    let csv = workplace.answer("query cube.obj square.obj --poses poses.csv --mode within --tolerance 0.5");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), format!("{HEADER},within,lower_bound"));
    // All but the square 0.5 above or below the cube touch it; that far is within the tolerance.
    assert!(rows[1..].iter().all(|row| row[6] == "1" && row[7].is_empty()));
    let hits: Vec<&str> = rows[1..].iter().map(|row| row[2]).collect();
    assert_eq!(hits, ["1", "0", "1", "1", "0"]);
    let csv = workplace.answer("query cube.obj square.obj --poses poses.csv --mode within --tolerance 0.25");
    let row: Vec<&str> = csv.lines().nth(2).unwrap().split(',').collect();
    assert_eq!((row[2], row[6]), ("0", "0"));
    let lower_bound: f64 = row[7].parse().unwrap();
    assert!((0.25..=0.5).contains(&lower_bound));
    assert_has(&workplace.complaint("query cube.obj square.obj --mode within"), &["--tolerance"]);
    assert_has(&workplace.complaint("query cube.obj square.obj --mode within --tolerance=-1"), &["--tolerance"]);
}

#[test]
fn relations_have_names() {
    let workplace = Workplace::new();
    let relation = |arguments: &str| {
        let csv = workplace.answer(&format!("query {arguments} --mode relation"));
        let [header, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
        assert_eq!(header, format!("{HEADER},relation"));
        row.to_owned()
    };
    assert_eq!(relation("cube.obj cube.obj --translate 0.5,0.25,0.125"), "0,,1,,,,crossing");
    assert_eq!(relation("cube.obj cube.obj --translate 1,0,0"), "0,,1,,,,touching");
    assert_eq!(relation("cube.obj cube.obj --translate 3,0,0"), "0,,0,,,,separate");
    let cube = fs::read_to_string(workplace.path("cube.obj")).unwrap();
    let large: Vec<String> = cube
        .lines()
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["v", x, y, z] => {
                let [x, y, z] = [x, y, z].map(|text| 4.0 * text.parse::<f64>().unwrap() - 1.5);
                format!("v {x} {y} {z}")
            }
            _ => line.to_owned(),
        })
        .collect();
    workplace.write("large.obj", &large.join("\n"));
    assert_eq!(relation("cube.obj large.obj"), "0,,0,,,,a_in_b");
    assert_eq!(relation("large.obj cube.obj"), "0,,0,,,,b_in_a");
    let lidless = large[..large.len() - 1].join("\n");
    workplace.write("lidless.obj", &lidless);
    assert_eq!(relation("lidless.obj cube.obj"), "0,,0,,,,undefined");
}

#[test]
fn contacts_have_a_row_each() {
    let workplace = Workplace::new();
    workplace.write("flat.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    workplace.write("upright.obj", "v 1 1 -1\nv 1 1 1\nv 1 -1 0\nf 1 2 3\n");
    let csv = workplace.answer("query flat.obj upright.obj --mode contacts");
    let header = format!("{HEADER},face_a,face_b,nax,nay,naz,nbx,nby,nbz,points");
    let [first, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    assert_eq!(first, header);
    assert!(row.starts_with("0,,1,1,,,0,0,0.0,0.0,1.0,") && row.contains("1.0 1.0 0.0"), "{row}");
    assert_eq!(workplace.answer("query flat.obj upright.obj --mode contacts --translate 9,0,0"), format!("{header}\n"));
}

#[test]
fn a_warm_start_answers_alike() {
    let workplace = workplace_with_poses();
    let cold = workplace.answer("query cube.obj square.obj --poses poses.csv --mode distance");
    assert_eq!(workplace.answer("query cube.obj square.obj --poses poses.csv --mode distance --warm"), cold);
}

#[test]
fn poses_come_from_stdin_too() {
    let workplace = workplace_with_poses();
    let stdin = fs::read_to_string(workplace.path("poses.csv")).unwrap();
    let outcome = workplace.run_with_stdin("query cube.obj square.obj --poses -", &stdin);
    assert_eq!(outcome.stdout, workplace.answer("query cube.obj square.obj --poses poses.csv"));
}

#[test]
fn pairs_are_counted_and_summed_up() {
    let workplace = Workplace::new();
    workplace.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    workplace.write("upright.obj", "v 0.25 0.25 -1\nv 0.25 0.25 1\nv 0.25 -1 0\nf 1 2 3\n");
    let row = |arguments: &str| workplace.answer(arguments).lines().nth(1).unwrap().to_owned();
    assert_eq!(row("query flat.obj upright.obj --mode pairs"), format!("0,,1,1,{CHECKSUM_0_0},"));
    assert_eq!(row("query flat.obj upright.obj --mode pairs --translate 9,0,0"), "0,,0,0,0,");
    // Both triangles of the square touch it along the diagonal: face pairs (0, 0) and (1, 0), then (0, 0) and (0, 1).
    // The summands are splitmix64(2^32) and splitmix64(1), computed elsewhere.
    workplace.write("upright.obj", "v 0.5 0.5 -1\nv 0.5 0.5 1\nv 0.5 -1 0\nf 1 2 3\n");
    let (face_a_1, face_b_1) = (14135772400868000056_u64, 10451216379200822465_u64);
    let sum = |other: u64| CHECKSUM_0_0.parse::<u64>().unwrap().wrapping_add(other);
    assert_eq!(row("query square.obj upright.obj --mode pairs"), format!("0,,1,2,{},", sum(face_a_1)));
    assert_eq!(row("query upright.obj square.obj --mode pairs"), format!("0,,1,2,{},", sum(face_b_1)));
}

#[test]
fn json_has_the_columns_of_csv_as_keys() {
    let workplace = workplace_with_poses();
    let json = workplace.answer("query cube.obj square.obj --poses poses.csv --mode pairs --format json");
    assert_eq!(keys_in_order(json.lines().next().unwrap()).join(","), format!("{HEADER},pairs_checksum_text"));
    let objects = json_lines(&json);
    assert_eq!(objects.len(), 5);
    assert_eq!((&objects[1]["row"], &objects[1]["label"]), (&1.into(), &"out".into()));
    assert_eq!((&objects[1]["hit"], &objects[1]["pairs"]), (&false.into(), &0.into()));
    assert_eq!(objects[2]["hit"], true);
    assert!(objects[2]["pairs"].as_u64().unwrap() > 0);
    assert!(objects[2]["distance"].is_null());
}

#[test]
fn text_is_a_table_with_a_summary_on_stderr() {
    let workplace = workplace_with_poses();
    let outcome = workplace.run("query cube.obj square.obj --poses poses.csv --format text");
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["row", "label", "hit"]);
    assert_eq!(lines[4].split_whitespace().collect::<Vec<_>>(), ["3", "touching", "yes"]);
    assert_eq!(outcome.stderr, "contact at 3 of 5 poses\n");
    assert_eq!(workplace.run("query cube.obj square.obj --poses poses.csv --format text -q").stderr, "");
}

#[test]
fn every_kind_and_every_source_gives_the_same_answers() {
    let workplace = workplace_with_poses();
    workplace.answer("cook cube.obj square.obj -o out --volume all -q");
    let asked = |trees: &str| workplace.answer(&format!("query {trees} --poses poses.csv --mode pairs"));
    let expected = asked("cube.obj square.obj");
    for kind in ["aabb", "obb", "sphere"] {
        assert_eq!(asked(&format!("out/cube.{kind}.bvt out/square.{kind}.bvt")), expected);
        // A mesh is built to match the tree beside it.
        assert_eq!(asked(&format!("cube.obj out/square.{kind}.bvt")), expected);
        assert_eq!(asked(&format!("out/cube.{kind}.bvt square.obj")), expected);
        assert_eq!(asked(&format!("cube.obj square.obj --volume {kind} --split midpoint --leaf 3")), expected);
    }
    for level in ["off", "portable"] {
        assert_eq!(asked(&format!("cube.obj square.obj --simd {level}")), expected);
    }
}

#[test]
fn trees_of_two_kinds_answer_alike() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out --volume all -q");
    let asked = |a: &str, b: &str| workplace.answer(&format!("query out/cube.{a}.bvt out/square.{b}.bvt --mode pairs"));
    assert_eq!(asked("obb", "aabb"), asked("obb", "obb"));
    assert_eq!(asked("sphere", "obb"), asked("obb", "obb"));
}

#[test]
fn trees_of_other_kinds_than_asked_are_refused() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out --volume all -q");
    let complaint = workplace.complaint("query out/cube.obb.bvt square.obj --volume sphere");
    assert_has(&complaint, &["cube.obb.bvt holds a tree of kind obb, not sphere", "hint: "]);
}

#[test]
fn a_mesh_is_asked_about_itself() {
    let workplace = Workplace::new();
    assert_eq!(workplace.answer("query cube.obj cube.obj").lines().nth(1), Some("0,,1,,,"));
    assert_eq!(workplace.answer("query cube.obj cube.obj --translate 1.5,0,0").lines().nth(1), Some("0,,0,,,"));
}

#[test]
fn translation_and_rotation_are_exact_for_quarter_turns() {
    let workplace = Workplace::new();
    let hit = |pose: &str| {
        let csv = workplace.answer(&format!("query cube.obj square.obj {pose}"));
        csv.lines().nth(1).unwrap().split(',').nth(2).unwrap() == "1"
    };
    assert!(hit("--translate 0,0,1"));
    assert!(!hit("--translate 0,0,1.0000000000000002"));
    // Standing up, the square touches the cube's side y = 0 from outside, and not from a hair farther off.
    assert!(hit("--rotate 1,0,0,90"));
    assert!(hit("--rotate 1e300,0,0,450"));
    assert!(!hit("--rotate 1,0,0,90 --translate 0,-1e-300,0"));
    // Turned about z by half, it covers the quarter of negative x and y.
    assert!(hit("--rotate 0,0,1,180 --translate 0,0,0.5"));
    assert!(!hit("--rotate 0,0,1,180 --translate -1e-300,0,0.5"));
    // Turned about z by a quarter, right-handed, it covers negative x.
    assert!(!hit("--rotate 0,0,1,90 --translate -0.5,0.5,0.5"));
    assert!(hit("--rotate 0,0,-1,90 --translate -0.5,0.5,0.5"));
    // A third of a turn about the diagonal takes z = 0 to x = 0.
    assert!(hit("--rotate 1,1,1,120 --translate 0.5,0,0"));
    assert!(!hit("--rotate 1,1,1,120 --translate -0.001,0,0"));
}

#[test]
fn exit_code_tells_of_contact_only_where_asked() {
    let workplace = workplace_with_poses();
    let code = |arguments: &str| workplace.run(&format!("query cube.obj square.obj {arguments}")).code;
    assert_eq!(code("--exit-code"), Some(1));
    assert_eq!(code("--exit-code --translate 9,0,0"), Some(0));
    assert_eq!(code("--exit-code --poses poses.csv"), Some(1));
    assert_eq!(code("--exit-code --poses poses.csv --by-label --repeat 1"), Some(1));
    assert_eq!(code("--poses poses.csv"), Some(0));
}

#[test]
fn by_label_has_a_row_per_label_with_timings() {
    const BY_LABEL_HEADER: &str =
        "label,queries,hits,pairs,distance_sum,micros_per_query,micros_best,volume_tests,triangle_tests";
    let workplace = workplace_with_poses();
    let csv = workplace.answer("query cube.obj square.obj --poses poses.csv --mode pairs --by-label --repeat 4");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], BY_LABEL_HEADER);
    let rows: Vec<Vec<_>> = lines[1..].iter().map(|line| line.split(',').collect()).collect();
    let counts: Vec<_> = rows.iter().map(|row| row[..3].join(",")).collect();
    assert_eq!(counts, ["in,2,2", "out,2,0", "touching,1,1"]);
    let by_pose =
        json_lines(&workplace.answer("query cube.obj square.obj --poses poses.csv --mode pairs --format json"));
    let pairs_in = by_pose[0]["pairs"].as_u64().unwrap() + by_pose[2]["pairs"].as_u64().unwrap();
    assert_eq!(rows[0][3], pairs_in.to_string());
    for row in &rows {
        assert_eq!(row[4], "");
        let [median, best, volume_tests, triangle_tests] = [5, 6, 7, 8].map(|field| row[field].parse::<f64>().unwrap());
        assert!(0.0 < best && best <= median, "{row:?}: a pose's fastest pass takes no longer than the middle one");
        assert!(volume_tests >= 1.0, "{row:?}");
        assert!(triangle_tests >= if row[0] == "out" { 0.0 } else { 1.0 }, "{row:?}");
    }
    let hit = workplace.answer("query cube.obj square.obj --poses poses.csv --by-label --repeat 1");
    assert!(hit.lines().nth(1).unwrap().starts_with("in,2,2,,,"), "{hit}");
    let json = workplace.answer("query cube.obj square.obj --poses poses.csv --by-label --repeat 1 --format json");
    assert_eq!(keys_in_order(json.lines().next().unwrap()).join(","), BY_LABEL_HEADER);
}

#[test]
fn labels_with_quotes_are_quoted_in_csv() {
    let workplace = Workplace::new();
    workplace.write("poses.csv", &poses(&[("5\" off", [0.0; 3])]));
    let csv = workplace.answer("query cube.obj square.obj --poses poses.csv");
    assert_eq!(csv.lines().nth(1), Some("0,\"5\"\" off\",1,,,"));
}

#[test]
fn instructions_are_chosen_by_argument_before_environment() {
    let workplace = Workplace::new();
    let query = "query cube.obj square.obj";
    let complaint = workplace.run_with_env(query, "BVTREE_SIMD", "mmx").complaint();
    assert_has(&complaint, &["environment variable BVTREE_SIMD: ", "'mmx'", "avx2"]);
    for (arguments, variable) in [("", "off"), ("", ""), (" --simd off", "mmx")] {
        let outcome = workplace.run_with_env(&format!("{query}{arguments}"), "BVTREE_SIMD", variable);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let workplace = Workplace::new();
    assert_has(&workplace.complaint("query missing.obj cube.obj"), &["error: cannot read missing.obj: "]);
    assert_has(&workplace.complaint("query cube.obj missing.bvt"), &["error: cannot read missing.bvt: "]);
    assert_has(&workplace.complaint("query cube.obj ."), &["error: cannot read .: ", "hint: "]);
    workplace.write("points.obj", "v 0 0 0\n");
    assert_has(&workplace.complaint("query cube.obj points.obj"), &["points.obj: no faces", "hint: "]);
    workplace.write("nan.obj", "v 0 0 nan\n");
    assert_has(&workplace.complaint("query nan.obj cube.obj"), &["nan.obj: line 1: ", "finite"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_mesh_comes_from_a_pipe_whole() {
    let workplace = Workplace::new();
    let outcome = workplace.run_with_stdin("query cube.obj /dev/stdin --mode pairs", super::SQUARE);
    assert_eq!(outcome.stdout, workplace.answer("query cube.obj square.obj --mode pairs"));
}
