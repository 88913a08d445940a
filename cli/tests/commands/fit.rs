use bvtree::fit::{ObbFit, SphereFit};

use super::{Workplace, assert_has, json_lines, keys_in_order};

#[test]
fn every_fit_has_a_row() {
    let workplace = Workplace::new();
    let csv = workplace.answer("fit cube.obj square.obj --format csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("mesh,fit,volume,surface_area,radius,seconds"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let names: Vec<String> = ["aabb".to_owned()]
        .into_iter()
        .chain(ObbFit::ALL.iter().map(|fit| format!("obb-{fit}")))
        .chain(SphereFit::ALL.iter().map(|fit| format!("sphere-{fit}")))
        .collect();
    assert_eq!(rows.len(), 2 * names.len());
    for (rows, (mesh, box_size, radius)) in
        rows.chunks(names.len()).zip([("cube", [1.0, 6.0], 0.75f64.sqrt()), ("square", [0.0, 2.0], 0.5f64.sqrt())])
    {
        assert_eq!(rows.iter().map(|row| row[1]).collect::<Vec<_>>(), names);
        for row in rows {
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            assert_eq!(row[0], mesh);
            assert!(number(5) >= 0.0);
            if row[1].starts_with("sphere") {
                assert!((number(4) - radius).abs() < 1e-6, "{row:?}");
                assert!((number(3) - 4.0 * std::f64::consts::PI * radius * radius).abs() < 1e-5, "{row:?}");
            } else {
                assert_eq!(row[4], "", "boxes have no radius");
                assert!((number(2) - box_size[0]).abs() < 1e-6 && (number(3) - box_size[1]).abs() < 1e-5, "{row:?}");
            }
        }
    }
}

#[test]
fn json_has_the_same_columns_and_text_is_aligned() {
    let workplace = Workplace::new();
    let json = workplace.answer("fit cube.obj --format json");
    let first = json.lines().next().unwrap();
    assert_eq!(keys_in_order(first), ["mesh", "fit", "volume", "surface_area", "radius", "seconds"]);
    let objects = json_lines(&json);
    assert!(objects[0]["radius"].is_null() && objects.last().unwrap()["radius"].is_f64());
    assert_has(&workplace.answer("fit cube.obj"), &["surface area", "obb-minimum-volume", "sphere-smallest-sphere"]);
}

#[test]
fn what_cannot_be_fitted_is_told_and_the_rest_goes_on() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    assert_has(&workplace.complaint("fit out/cube.obb.bvt"), &["is a cooked tree", "cooked from"]);
    let outcome = workplace.run("fit none.obj cube.obj --format csv");
    assert_eq!(outcome.code, Some(2));
    assert_has(&outcome.stderr, &["none.obj"]);
    assert_eq!(outcome.stdout.lines().count(), 1 + 17 + 1);
}
