use super::{SQUARE, Workplace, assert_has, json_lines, keys_in_order};

const HEADER: &str = "mesh,triangles,pairs,pairs_checksum";

/// Two triangles that cross.
const CROSS: &str = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\nf 1 2 3\nf 4 5 6\n";

/// splitmix64(1), computed elsewhere: the faces are 0 and 1.
const CHECKSUM_0_1: u64 = 10451216379200822465;

#[test]
fn csv_has_a_row_per_mesh() {
    let workplace = Workplace::new();
    workplace.write("cross.obj", CROSS);
    // Twice the same two triangles: each meets its copy, and those that share the diagonal are beside each other.
    workplace.write("double.obj", &format!("{SQUARE}f 1 2 3 4\n"));
    let csv = workplace.answer("self cube.obj cross.obj double.obj");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[..3], [HEADER, "cube.obj,12,0,0", &format!("cross.obj,2,1,{CHECKSUM_0_1}")]);
    assert!(lines[3].starts_with("double.obj,4,2,"), "{}", lines[3]);
    assert_eq!(lines.len(), 4);
}

#[test]
fn every_kind_and_every_source_gives_the_same_answer() {
    let workplace = Workplace::new();
    workplace.write("cross.obj", CROSS);
    workplace.answer("cook cross.obj -o out --kind all -q");
    for kind in ["aabb", "obb", "sphere"] {
        let csv = workplace.answer(&format!("self out/cross.{kind}.bvt"));
        assert_eq!(csv, format!("{HEADER}\nout/cross.{kind}.bvt,2,1,{CHECKSUM_0_1}\n"));
        let csv = workplace.answer(&format!("self cross.obj --kind {kind} --leaf 2 --simd off"));
        assert_eq!(csv, format!("{HEADER}\ncross.obj,2,1,{CHECKSUM_0_1}\n"));
    }
}

#[test]
fn very_many_pairs_are_announced() {
    let workplace = Workplace::new();
    // Equal triangles, with about half the square of their number of pairs.
    workplace.write("pile.obj", &("v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned() + &"f 1 2 3\n".repeat(4474)));
    let note = "note: pile.obj: 10000000 pairs so far; this may take long (see --limit)\n";
    for groups in ["", " --groups"] {
        let outcome = workplace.run(&format!("self pile.obj{groups}"));
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), note));
        assert_has(&outcome.stdout, &["\npile.obj,4474,10006101,"]);
    }
    assert_eq!(workplace.run("self pile.obj -q").stderr, "");
    let outcome = workplace.run("self pile.obj --limit 100");
    assert_eq!(outcome.stderr, "note: pile.obj: stopped at the limit\n");
}

#[test]
fn json_and_text_have_the_columns_of_csv() {
    let workplace = Workplace::new();
    workplace.write("cross.obj", CROSS);
    let json = workplace.answer("self cross.obj --format json");
    assert_eq!(keys_in_order(json.trim_end()).join(","), format!("{HEADER},pairs_checksum_text"));
    assert_eq!(json_lines(&json)[0]["pairs_checksum"], CHECKSUM_0_1);
    let text = workplace.answer("self cross.obj --format text");
    let words: Vec<_> = text.split_whitespace().collect();
    assert_eq!(words[..4], ["mesh", "triangles", "pairs", "pairs"]);
    assert_eq!(words[5..8], ["cross.obj", "2", "1"]);
}

#[test]
fn meshes_that_cannot_be_read_are_named_and_the_others_answered() {
    let workplace = Workplace::new();
    let outcome = workplace.run("self missing.obj cube.obj");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), &*format!("{HEADER}\ncube.obj,12,0,0\n")));
    assert_has(&outcome.stderr, &["error: cannot read missing.obj: "]);
}

#[test]
fn a_limit_ends_the_count() {
    let workplace = Workplace::new();
    workplace.write("double.obj", &format!("{SQUARE}f 1 2 3 4\n"));
    let all = workplace.answer("self double.obj");
    assert_eq!(workplace.answer("self double.obj --limit 2"), all, "two pairs are not more than two");
    let outcome = workplace.run("self double.obj --limit 1");
    assert_eq!((outcome.code, outcome.stdout), (Some(0), format!("{HEADER}\ndouble.obj,4,1,\n")));
    assert_has(&outcome.stderr, &["note: double.obj: stopped at the limit"]);
    // Five thousand million pairs.
    workplace.write("same.obj", &format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", "f 1 2 3\n".repeat(100_000)));
    assert!(workplace.answer("self same.obj --limit 1000 -q").ends_with("same.obj,100000,1000,\n"));
}
