//! Behaviour that once misled people: answers that were none, names that did not fit, numbers that readers round.

use super::{Workplace, assert_has, json_lines};

const IDENTITY: &str = "1,0,0,0,0,1,0,0,0,0,1,0";

#[test]
fn a_translation_beyond_all_distances_is_refused() {
    let workplace = Workplace::new();
    for mode in ["hit", "distance", "pairs"] {
        let complaint = workplace.complaint(&format!("query cube.obj cube.obj --translate 1e300,0,0 --mode {mode}"));
        assert_has(&complaint, &["--translate: a translation is beyond 1e60"]);
    }
    workplace.write("far.csv", "#\n,,far,1,0,0,0,0,1,0,0,0,0,1,-2e60\n");
    assert_has(
        &workplace.complaint("query cube.obj cube.obj --poses far.csv"),
        &["far.csv, line 2: a translation is beyond"],
    );
    let far =
        json_lines(&workplace.answer("query cube.obj cube.obj --translate 1e59,0,0 --mode distance --format json"));
    assert_eq!(far[0]["distance"], 1e59);
}

#[test]
fn poses_of_other_meshes_are_noted() {
    let workplace = Workplace::new();
    let notes = |names: &str, question: &str| {
        workplace.write("poses.csv", &format!("# poses\n{names},l,{IDENTITY}\n"));
        let outcome = workplace.run(&format!("query {question} --poses poses.csv --format csv"));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        outcome.stderr
    };
    let note = "note: poses.csv: row 0 is of square and cube; it is asked of cube and square";
    assert_has(&notes("square,cube", "cube.obj square.obj"), &[note]);
    assert_eq!(notes("square,cube", "cube.obj square.obj -q"), "");
    workplace.answer("cook cube.obj -o cooked -q");
    for names in ["cube,square", "cube.obj,meshes/square.stl", ",", "cube.obb.bvt,"] {
        assert_eq!(notes(names, "cooked/cube.obb.bvt square.obj"), "", "{names}");
    }
}

#[test]
fn matrices_that_shear_a_little_are_noted_and_more_is_refused() {
    let workplace = Workplace::new();
    let run = |shear: &str| {
        workplace.write("poses.csv", &format!("#\n,,l,1,{shear},0,0,0,1,0,0,0,0,1,0\n,,l,{IDENTITY}\n"));
        workplace.run("query cube.obj square.obj --poses poses.csv --format csv")
    };
    assert_has(&run("1e-5").stderr, &["note: poses.csv: 1 matrices shear or scale a little", "up to 1.0e-5"]);
    assert_eq!(run("1e-7").stderr, "");
    assert_eq!(run("1e-3").code, Some(2));
    assert_has(&workplace.answer("query --help"), &["by more than 1e-4"]);
}

#[test]
fn no_poses_are_no_answer() {
    let workplace = Workplace::new();
    workplace.write("none.csv", "# poses\n");
    let complaint = workplace.complaint("query cube.obj cube.obj --poses none.csv --exit-code");
    assert_has(&complaint, &["--exit-code: there are no poses", "hint: "]);
    assert_eq!(workplace.run("query cube.obj cube.obj --poses none.csv -q").code, Some(0));
}

#[test]
fn quoted_fields_are_read_as_they_are_written() {
    let workplace = Workplace::new();
    workplace.write("poses.csv", &format!("#\n\"\",\"\",\"a, \"\"b\"\"\",{IDENTITY}\n"));
    let answer = workplace.answer("query cube.obj square.obj --poses poses.csv --format csv");
    assert_has(&answer, &["\n0,\"a, \"\"b\"\"\",1,"]);
    workplace.write("poses.csv", &format!("#\n,,\"open,{IDENTITY}\n"));
    let complaint = workplace.complaint("query cube.obj square.obj --poses poses.csv");
    assert_has(&complaint, &["poses.csv, line 2: a quoted field does not end on its line"]);
}

#[test]
fn a_negative_tolerance_is_told_as_what_it_is() {
    let workplace = Workplace::new();
    for command in [
        "query cube.obj cube.obj --mode within --tolerance -1",
        "clash a.json --clearance -1",
        "motion cube.obj cube.obj --motions m.csv --accuracy -1e-3",
    ] {
        assert_has(&workplace.complaint(command), &["expected a finite number, 0 or more"]);
    }
}

#[test]
fn checksums_are_texts_too_in_json() {
    let workplace = Workplace::new();
    let rows = json_lines(&workplace.answer("query cube.obj cube.obj --mode pairs --format json"));
    let (number, text) = (&rows[0]["pairs_checksum"], &rows[0]["pairs_checksum_text"]);
    assert!(number.as_u64().unwrap() > 1 << 53, "{number}");
    assert_eq!(text.as_str().unwrap(), number.to_string());
    let rows = json_lines(&workplace.answer("self cube.obj --format json"));
    assert_eq!(rows[0]["pairs_checksum_text"], rows[0]["pairs_checksum"].to_string());
    assert!(
        json_lines(&workplace.answer("query cube.obj cube.obj --format json"))[0].get("pairs_checksum_text").is_none()
    );
}

#[test]
fn contacts_come_sorted_and_as_the_library_gives_them() {
    let workplace = Workplace::new();
    let question = "query cube.obj cube.obj --translate 0.5,0.25,0.125 --mode contacts --format json";
    let rows = json_lines(&workplace.answer(question));
    let faces: Vec<_> =
        rows.iter().map(|row| (row["face_a"].as_u64().unwrap(), row["face_b"].as_u64().unwrap())).collect();
    assert!(faces.is_sorted() && faces.len() > 10, "{faces:?}");
    let path = workplace.path("cube.obj");
    let tree = bvtree::BvTree::build(&bvtree::Mesh::open(path).unwrap(), &bvtree::BuildOptions::default()).unwrap();
    let pose = bvtree::Pose::new(nalgebra::Matrix3::identity(), nalgebra::Vector3::new(0.5, 0.25, 0.125)).unwrap();
    let contacts = bvtree::Query::new().contacts(&tree, &tree, &pose);
    assert_eq!(contacts.len(), rows.len());
    for (contact, row) in contacts.iter().zip(&rows) {
        let points: Vec<f64> = contact.points.iter().flat_map(|point| [point.x, point.y, point.z]).collect();
        assert_eq!(row["points"], serde_json::json!(points));
        assert_eq!(row["nax"].as_f64(), Some(contact.normals[0].x));
        assert_eq!(row["pairs"], rows.len());
    }
}
