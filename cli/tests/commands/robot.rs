//! `bvtree robot` with an arm whose answers are known: a lift along z and a turn about it, with a cube 0.1 m wide as
//! its hand, 0.5 m from the axis.

use super::{Workplace, assert_has, json_lines, keys_in_order};

const URDF: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="upper"/>
  <link name="hand"><collision>
    <origin xyz="0.5 0 0"/><geometry><mesh filename="package://arm/cube.obj" scale="0.1 0.1 0.1"/></geometry>
  </collision></link>
  <joint name="lift" type="prismatic">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </joint>
  <joint name="turn" type="revolute">
    <parent link="upper"/><child link="hand"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/>
  </joint>
</robot>
"#;

const SRDF: &str = r#"<robot name="arm">
  <group name="arm"><joint name="lift"/><joint name="turn"/></group>
  <group_state name="high" group="arm"><joint name="lift" value="0.45"/></group_state>
</robot>
"#;

/// A unit cube above the hand: it touches the hand's top at a lift of 0.4.
const WORLD: &str = r#"{"bodies": [{"name": "post", "mesh": "cube.obj", "translation": [0, 0, 0.5]}]}"#;

fn workplace() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("arm/urdf/arm.urdf", URDF);
    workplace.write("arm/cube.obj", super::CUBE);
    workplace.write("arm.srdf", SRDF);
    workplace.write("world.json", WORLD);
    workplace.write("rows.csv", "lift,turn\n0,0\n0.45,0\n\n# aside\n0.45,-1.5\n");
    workplace.write("path.csv", "lift,turn\n0,-1.5\n0,0\n1,0\n");
    workplace
}

const ARM: &str = "robot arm/urdf/arm.urdf --world world.json";

#[test]
fn configurations_are_free_or_have_their_pairs() {
    let workplace = workplace();
    let csv = workplace.answer(&format!("{ARM} --configurations rows.csv"));
    assert_eq!(csv, "row,free,a,b\n0,1,,\n1,0,hand,post\n2,1,,\n");
    // Columns in another order, and one of them from a state.
    workplace.write("turned.csv", "# turn, lift\n0,0\n0,0.45\n-1.5,0.45\n");
    assert_eq!(workplace.answer(&format!("{ARM} --configurations turned.csv")), csv);
    workplace.write("turns.csv", "turn\n-1.5\n0\n");
    let state = workplace.answer(&format!("{ARM} --configurations turns.csv --srdf arm.srdf --state arm/high"));
    assert_eq!(state, "row,free,a,b\n0,1,,\n1,0,hand,post\n");
    let json = workplace.answer(&format!("{ARM} --configurations rows.csv --format json"));
    assert_eq!(keys_in_order(json.lines().next().unwrap()).join(","), "row,free,a,b");
    let objects = json_lines(&json);
    assert_eq!((&objects[0]["free"], &objects[1]["b"]), (&true.into(), &"post".into()));
    // Each choice that must not matter.
    for same in ["--threads 1", "--simd off", "--kind sphere", "--open-meshes error", "--cache cache", "--cache cache"]
    {
        assert_eq!(workplace.answer(&format!("{ARM} --configurations rows.csv {same}")), csv, "{same}");
    }
}

#[test]
fn clearance_allowed_pairs_and_the_world_decide() {
    let workplace = workplace();
    let rows = "row,free,a,b\n0,1,,\n1,1,,\n2,1,,\n";
    assert_eq!(workplace.answer("robot arm/urdf/arm.urdf --configurations rows.csv"), rows);
    for allowed in ["hand,post", "post,hand"] {
        assert_eq!(workplace.answer(&format!("{ARM} --configurations rows.csv --allow {allowed}")), rows);
    }
    // The hand of the first row is 0.4 from the base and from the post.
    let near = workplace.answer(&format!("{ARM} --configurations rows.csv --clearance 0.401 --allow base,post"));
    assert_has(&near, &["\n0,0,base,hand\n0,0,hand,post\n"]);
    let links = workplace.answer(&format!("{ARM} --configurations rows.csv --clearance 0.401 --allow base,hand"));
    assert_has(&links, &["\n0,0,base,post\n0,0,hand,post\n"]);
    // A mesh alone is an object with its file's name, and a cooked one too.
    workplace.answer("cook cube.obj -o out -q --kind aabb --origin auto");
    for world in ["cube.obj", "out/cube.aabb.bvt"] {
        let lifted = workplace.answer(&format!("robot arm/urdf/arm.urdf --world {world} --configurations rows.csv"));
        let name = world.trim_start_matches("out/").trim_end_matches(".obj").trim_end_matches(".bvt");
        assert_eq!(lifted.lines().nth(1), Some(format!("0,0,base,{name}").as_str()), "{lifted}");
    }
}

#[test]
fn paths_are_proven_or_sampled() {
    let workplace = workplace();
    let csv = workplace.answer(&format!("{ARM} --path path.csv"));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].join(","), "edge,result,proven,parameter,a,b,distance");
    assert_eq!(lines[1], ["0", "free", "1", "", "", "", ""]);
    assert_eq!((lines[2][..3].join(","), lines[2][4..6].join(",")), ("1,blocked,1".into(), "hand,post".into()));
    let number = |line: usize, field: usize| lines[line][field].parse::<f64>().unwrap();
    // Never late, and within the tolerance.
    assert!(number(2, 3) <= 0.4 + 1e-7 && number(2, 3) > 0.4 - 3e-5, "{csv}");
    assert!(number(2, 6) <= 1e-5, "{csv}");
    let clear = workplace.answer(&format!("{ARM} --path path.csv --clearance 0.05"));
    let parameter: f64 = clear.lines().nth(2).unwrap().split(',').nth(3).unwrap().parse().unwrap();
    assert!(parameter <= 0.35 + 1e-7 && parameter > 0.35 - 3e-5, "{clear}");
    // Eleven configurations on the edge: the fifth touches.
    let sampled = workplace.answer(&format!("{ARM} --path path.csv --steps 11 --clearance 0.001"));
    assert_eq!(sampled.lines().skip(1).collect::<Vec<_>>(), ["0,free,0,,,,", "1,blocked,0,0.4,hand,post,"]);
    // Two samples miss what is between them; the proof doesn't.
    workplace.write("through.csv", "lift,turn\n-1,0\n1.55,0\n");
    let missed = workplace.run(&format!("{ARM} --path through.csv --steps 2"));
    assert_has(&missed.stdout, &["\n0,free,0,"]);
    assert_has(&missed.stderr, &["note: through.csv, line 3: lift is 1.55, beyond its limits -1 and 1"]);
    assert_has(&workplace.answer(&format!("{ARM} --path through.csv -q")), &["\n0,blocked,1,0.549"]);
}

#[test]
fn the_wrong_end_of_an_edge_is_named() {
    let workplace = workplace();
    let free = r#"<joint name="free" type="floating"><parent link="base"/><child link="hand"/></joint>"#;
    let begin = URDF.find("  <link name=\"upper\"/>").unwrap();
    let end = URDF.find("  <link name=\"hand\">").unwrap();
    let joints = URDF.find("  <joint name=\"lift\"").unwrap();
    let urdf = format!("{}{}{free}</robot>", &URDF[..begin], &URDF[end..joints]);
    workplace.write("arm/urdf/free.urdf", &urdf);
    let names = ["trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "rot_w"]
        .map(|name| format!("free/{name}"))
        .join(",");
    for (wrong, line) in [([0, 1, 1], 2), ([1, 0, 1], 3), ([1, 1, 0], 4)] {
        let rows: String = wrong.iter().map(|w| format!("0,0,2,0,0,0,{w}\n")).collect();
        workplace.write("free.csv", &format!("{names}\n{rows}"));
        let outcome = workplace.run("robot arm/urdf/free.urdf --path free.csv");
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert_has(&outcome.stderr, &[&format!("free.csv, line {line}: joint values 3 to 6"), "length zero"]);
    }
}

#[test]
fn verdicts_are_exit_codes_on_request() {
    let workplace = workplace();
    for (question, code) in [
        ("--configurations rows.csv", 0),
        ("--configurations rows.csv --exit-code", 1),
        ("--configurations rows.csv --exit-code --allow hand,post", 0),
        ("--path path.csv", 0),
        ("--path path.csv --exit-code", 1),
        ("--path path.csv --exit-code --allow hand,post", 0),
    ] {
        assert_eq!(workplace.run(&format!("{ARM} {question}")).code, Some(code), "{question}");
    }
    // Nothing says that no configuration at all is free.
    workplace.write("none.csv", "lift,turn\n");
    assert_eq!(workplace.answer(&format!("{ARM} --configurations none.csv")), "row,free,a,b\n");
    let complaint = workplace.complaint(&format!("{ARM} --configurations none.csv --exit-code"));
    assert_has(&complaint, &["--exit-code: there are no configurations"]);
}

#[test]
fn pairs_that_never_collide_are_proven_and_written() {
    let workplace = workplace();
    let outcome = workplace.run(&format!("{ARM} --never-colliding --write-srdf new.srdf"));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), "note: 2 of 3 pairs never collide: proven\n"));
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[..3], ["a,b,certificate,configuration", "base,hand,never,", "base,post,never,"]);
    let configuration = lines[3].strip_prefix("hand,post,meets,").unwrap();
    workplace.write("meets.csv", &format!("lift,turn\n{}\n", configuration.replace(' ', ",")));
    let csv = workplace.answer(&format!("{ARM} --configurations meets.csv"));
    assert_eq!(csv, "row,free,a,b\n0,0,hand,post\n");
    // The world is no part of an SRDF, and links that never meet are not compared with it.
    let again = workplace.answer("robot arm/urdf/arm.urdf --srdf new.srdf --never-colliding -q");
    assert_eq!(again, "a,b,certificate,configuration\n");
    let undecided = workplace.answer(&format!("{ARM} --never-colliding --budget 1 -q"));
    assert_has(&undecided, &["\nbase,hand,unknown,\n"]);
}

#[test]
fn what_is_wrong_is_named_with_its_file_and_line() {
    let workplace = workplace();
    workplace.write("broken.urdf", "<robot>\n<link name='a'/>\n<link name='a'/></robot>");
    workplace.write("numbers.csv", "lift,turn\n0,0\n0,fast\n");
    workplace.write("far.csv", "lift,turn\n0,0\n1e10,0\n");
    workplace.write("arm.stl", "solid a\nendsolid a\n");
    for (arguments, parts) in [
        ("robot broken.urdf --never-colliding", &["cannot read robot: broken.urdf:3: a second link is called `a`"][..]),
        (
            "robot arm/urdf/arm.urdf --configurations numbers.csv",
            &["numbers.csv, line 3, field 2 (turn): expected a finite number, found 'fast'"],
        ),
        ("robot arm/urdf/arm.urdf --path path.csv --steps some", &["--steps", "expected a whole number"]),
        ("robot arm/urdf/arm.urdf --path path.csv --steps 1", &["--steps", "expected a whole number from 2 to 2^40"]),
        (
            "robot arm/urdf/arm.urdf --path path.csv --steps 9223372036854775809",
            &["--steps", "expected a whole number from 2 to 2^40"],
        ),
        ("robot arm/urdf/arm.urdf --path path.csv --world arm.stl", &["arm.stl: the STL file has no faces"]),
        ("robot arm/urdf/arm.urdf --never-colliding --write-srdf arm/urdf/arm.urdf", &["it is an input"]),
        (
            "robot arm/urdf/arm.urdf --world world.json --path path.csv --html world.json",
            &["cannot write to world.json: it is an input"],
        ),
        (
            "robot arm/urdf/arm.urdf --never-colliding --write-srdf new.html --html arm/../new.html",
            &["cannot write to arm/../new.html: another output has the same name"],
        ),
        (
            "robot arm/urdf/arm.urdf --never-colliding --exit-code",
            &["'--never-colliding' cannot be used with '--exit-code'"],
        ),
    ] {
        assert_has(&workplace.complaint(arguments), parts);
    }
    let outcome = workplace.run("robot arm/urdf/arm.urdf --configurations far.csv -q");
    assert_eq!(outcome.code, Some(2));
    assert_has(&outcome.stderr, &["error: far.csv, line 3: joint value 0 of a configuration is not a finite number"]);
    let missing = URDF.replace("arm/cube", "leg/cube");
    workplace.write("missing.urdf", &missing);
    let complaint = workplace.complaint("robot missing.urdf --never-colliding");
    assert_has(&complaint, &["link `hand`: no file for `package://leg/cube.obj`", "hint: --package-dir"]);
}
