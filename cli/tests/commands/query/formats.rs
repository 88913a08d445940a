//! CSV, JSON and text, a row for each pose or each label.

use super::{HEADER, poses, workplace_with_poses};
use crate::{Workplace, assert_has, json_lines, keys_in_order};

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
fn no_text_of_a_spreadsheet_is_a_formula() {
    let workplace = Workplace::new();
    let labels = ["=1+1", "+a", "-b", "@c", "'=d", "plain", "a-b", "\u{ff1d}e"];
    let row = |label: &str| format!(",,{label},1,0,0,0.25,0,1,0,0,0,0,1,0\n");
    workplace.write("poses.csv", &("#\n".to_owned() + &labels.map(row).concat()));
    let first = |csv: &str, column: usize| -> Vec<String> {
        csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect()
    };
    let query = "query cube.obj square.obj --poses poses.csv";
    let safe = ["'=1+1", "'+a", "'-b", "'@c", "''=d", "plain", "a-b", "'\u{ff1d}e"];
    // Plain CSV leaves text unchanged.
    assert_eq!(first(&workplace.answer(&format!("{query} --format csv")), 1), labels);
    // Numbers are not protected like text.
    let far = workplace.answer("query square.obj square.obj --mode distance --translate -3,0,0 --format spreadsheet");
    assert_has(&far, &[HEADER, "\n0,,0,,,2.0,0.0,", ",-2.0,"]);
    assert_eq!(first(&workplace.answer(&format!("{query} --format spreadsheet")), 1), safe);
    let by_label = workplace.answer(&format!("{query} --by-label --repeat 1 --format spreadsheet"));
    assert_eq!(first(&by_label, 0), safe);
    let contacts = workplace.answer(&format!("{query} --mode contacts --format spreadsheet"));
    assert!(first(&contacts, 1).iter().all(|label| safe.contains(&label.as_str())) && contacts.lines().count() > 8);
    // Names of files and groups, in every other command.
    workplace.write("-=.obj", &format!("g =g\n{}", crate::CUBE));
    for (command, cell) in [
        ("cook ./-=.obj -o=-out --by-group", "'-out/-=._g.obb.bvt"),
        ("info -- -=.obj", "'-=.obj"),
        ("self -- -=.obj", "'-=.obj"),
        ("fit -- -=.obj", "'-="),
        ("compare --poses 0 --kind aabb -- -=.obj", "'-="),
        ("verify -- -out", "'-out/"),
        ("motion cube.obj cube.obj --tolerance 0 --motions motions.csv", "'=m"),
    ] {
        workplace.write("motions.csv", "=m,1,0,0,3,0,1,0,0,0,0,1,0,1,0,0,4,0,1,0,0,0,0,1,0\n");
        let (before, after) = command.split_at(command.find(' ').unwrap());
        let outcome = workplace.run(&format!("{before} --format spreadsheet -q{after}"));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
        let cells: Vec<&str> = outcome.stdout.lines().flat_map(|line| line.split(',')).collect();
        assert!(cells.iter().any(|there| there.starts_with(cell)), "{command}: {}", outcome.stdout);
        assert!(!cells.iter().any(|cell| is_formula(cell)), "{command}: {}", outcome.stdout);
    }
}
