//! Each mode of `query`, and its own columns.

use std::fs;

use super::{CHECKSUM_0_0, HEADER, workplace_with_poses};
use crate::{Workplace, assert_has};

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

/// The cube moves along the direction until it only touches; the depth is that of this direction, not the least.
#[test]
fn penetration_is_measured_along_a_direction() {
    let workplace = Workplace::new();
    let depth = |direction: &str, pose: &str| {
        let arguments =
            format!("query cube.obj cube.obj --mode penetration --direction {direction} --translate {pose}");
        let csv = workplace.answer(&arguments);
        let [header, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
        assert_eq!(header, format!("{HEADER},penetration"));
        row.rsplit_once(',').unwrap().1.parse::<f64>().unwrap()
    };
    assert!((depth("1,0,0", "0.75,0.25,0.125") - 0.25).abs() < 1e-9);
    assert!((depth("-1,0,0", "0.75,0.25,0.125") - 1.75).abs() < 1e-9);
    assert!((depth("0,0,5", "0.75,0.25,0.125") - 0.875).abs() < 1e-9);
    assert_eq!(depth("0,0,1", "3,0,0"), 0.0);
    assert_has(&workplace.complaint("query cube.obj cube.obj --mode penetration"), &["--direction"]);
    let depth = workplace.complaint("query cube.obj cube.obj --mode depth");
    assert_has(&depth, &["--mode overlap-depth", "--mode penetration-depth", "--mode penetration --direction X,Y,Z"]);
}

/// A cube's corner is inside another cube by 0.125, 0.25 and 0.375 along the axes.
#[test]
fn overlap_depths_are_intervals_around_the_truth() {
    let workplace = Workplace::new();
    let csv = workplace.answer("query cube.obj cube.obj --mode overlap-depth --translate 0.875,0.75,0.625");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "row,label,hit,lower,upper,x,y,z,surface_x,surface_y,surface_z,on");
    let numbers: Vec<f64> = rows[1][3..11].iter().map(|field| field.parse().unwrap()).collect();
    assert!(numbers[0] <= 0.125 && 0.125 <= numbers[1] && numbers[1] - numbers[0] <= 0.01 * numbers[0], "{csv}");
    let way = (0..3).map(|k| (numbers[2 + k] - numbers[5 + k]).powi(2)).sum::<f64>().sqrt();
    assert!((way - numbers[0]).abs() < 1e-9, "{csv}");
    assert_eq!(&rows[1][..3], ["0", "", "1"]);
    // Separate, and touching.
    for (x, hit) in [(3, "0"), (1, "1")] {
        let csv = workplace.answer(&format!("query cube.obj cube.obj --mode overlap-depth --translate {x},0,0"));
        assert_eq!(csv.lines().nth(1).unwrap(), format!("0,,{hit},0.0,0.0,,,,,,,"));
    }
    let narrow = "query cube.obj cube.obj --mode overlap-depth --translate 0.875,0.75,0.625 --relative 0 --budget 10";
    let csv = workplace.answer(narrow);
    let row: Vec<f64> = csv.lines().nth(1).unwrap().split(',').skip(3).take(2).map(|x| x.parse().unwrap()).collect();
    assert!(row[0] <= 0.125 && 0.125 <= row[1] && row[1] - row[0] < 1e-11, "{csv}");
    // A budget beyond what a clock can count is none.
    for mode in ["overlap-depth", "penetration-depth"] {
        let csv =
            workplace.answer(&format!("query cube.obj cube.obj --mode {mode} --translate 0.5,0,0 --budget 1e300"));
        let upper: f64 = csv.lines().nth(1).unwrap().split(',').nth(4).unwrap().parse().unwrap();
        assert!((0.5..0.6).contains(&upper), "{csv}");
    }
    let open = workplace.complaint("query cube.obj square.obj --mode overlap-depth");
    assert_has(&open, &["square.obj", "not closed"]);
}

/// A row per region, and one without a region where nothing overlaps; a Hausdorff distance is an interval as well.
#[test]
fn regions_have_rows() {
    let workplace = Workplace::new();
    let csv = workplace.answer("query cube.obj cube.obj --mode overlap-regions --translate 0.875,0.75,0.625");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0][12..].join(","), "lower_x,lower_y,lower_z,upper_x,upper_y,upper_z");
    let whole = workplace.answer("query cube.obj cube.obj --mode overlap-depth --translate 0.875,0.75,0.625");
    assert_eq!(rows[0][..12].join(","), whole.lines().next().unwrap());
    let bounds: Vec<f64> = rows[1][12..].iter().map(|field| field.parse().unwrap()).collect();
    let size: Vec<f64> = (0..3).map(|k| bounds[3 + k] - bounds[k]).collect();
    assert!(size.iter().zip([0.125, 0.25, 0.375]).all(|(found, truth)| (found - truth).abs() < 1e-9), "{csv}");
    let none = workplace.answer("query cube.obj cube.obj --mode overlap-regions --translate 3,0,0");
    assert_eq!(none.lines().nth(1).unwrap(), format!("0,,0{}", ",".repeat(15)));
    let apart = workplace.answer("query cube.obj square.obj --mode hausdorff-distance --translate 9,0,0");
    let row: Vec<f64> = apart.lines().nth(1).unwrap().split(',').skip(3).take(2).map(|x| x.parse().unwrap()).collect();
    assert!(row[0] > 8.0 && row[1] <= 1.0101 * row[0], "{apart}");
}

/// A cube is freed by a move of 0.125 along x; a cube in the place of another, by its edge length.
#[test]
fn penetration_depths_are_intervals_around_the_truth() {
    let workplace = Workplace::new();
    let row = |x: &str| -> Vec<f64> {
        let csv = workplace.answer(&format!("query cube.obj cube.obj --mode penetration-depth --translate {x}"));
        assert_eq!(csv.lines().next().unwrap(), "row,label,hit,lower,upper,x,y,z");
        csv.lines().nth(1).unwrap().split(',').skip(2).map(|field| field.parse().unwrap()).collect()
    };
    for (at, truth) in [("0.875,0.75,0.625", 0.125), ("0,0,0", 1.0)] {
        let numbers = row(at);
        assert!(numbers[1] <= truth && truth <= numbers[2] && numbers[2] <= 1.0101 * numbers[1], "{numbers:?}");
        let length = numbers[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - numbers[2]).abs() < 1e-12, "{numbers:?}");
    }
    assert_eq!(row("1,0,0"), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(row("3,0,0"), [0.0; 6]);
}

/// A square, which is open, inside a cube; and a cube inside one of four times its size.
#[test]
fn what_is_inside_a_solid_touches_it() {
    let workplace = Workplace::new();
    let big = crate::CUBE.lines().map(|line| match line.strip_prefix("v ") {
        Some(vertex) => vertex
            .split(' ')
            .fold("v".to_owned(), |line, x| format!("{line} {}", 4.0 * x.parse::<f64>().unwrap() - 1.5)),
        None => line.to_owned(),
    });
    let big = big.collect::<Vec<_>>().join("\n");
    workplace.write("big.obj", &big);
    let row = |options: &str| {
        let csv = workplace.answer(&format!("query {options}"));
        csv.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(row("big.obj cube.obj"), "0,,0,,,");
    for solid in ["yes", "if-closed", "yes,no", "if_closed,yes"] {
        assert_eq!(row(&format!("big.obj cube.obj --solid {solid}")), "0,,1,,,", "{solid}");
        assert!(
            row(&format!("big.obj cube.obj --solid {solid} --mode distance")).starts_with("0,,1,,,0.0,"),
            "{solid}"
        );
        assert!(row(&format!("big.obj cube.obj --solid {solid} --mode distance --warm")).starts_with("0,,1,,,0.0,"));
        assert_eq!(row(&format!("big.obj cube.obj --solid {solid} --mode within --tolerance 0")), "0,,1,,,,1,");
    }
    assert_eq!(row("big.obj cube.obj --solid no,yes"), "0,,0,,,");
    assert_eq!(row("big.obj square.obj --translate 0,0,0.25 --solid if-closed"), "0,,1,,,");
    assert_eq!(row("square.obj big.obj --translate 0,0,0.25 --solid if-closed,no"), "0,,0,,,");
    let lidless = crate::CUBE.trim_end().rsplit_once('\n').unwrap().0;
    workplace.write("lidless.obj", lidless);
    assert_eq!(row("lidless.obj lidless.obj --mode relation"), "0,,1,,,,touching");
    workplace.write(
        "small.obj",
        &crate::CUBE
            .lines()
            .map(|line| match line.strip_prefix("v ") {
                Some(vertex) => vertex
                    .split(' ')
                    .fold("v".to_owned(), |line, x| format!("{line} {}", 0.25 * x.parse::<f64>().unwrap() + 0.375)),
                None => line.to_owned(),
            })
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert_eq!(row("lidless.obj small.obj --mode relation"), "0,,0,,,,undefined");
    assert_eq!(row("lidless.obj small.obj --mode relation --solid robust"), "0,,1,,,,b_in_a");
    assert!(row("lidless.obj small.obj --mode overlap-depth --solid robust").starts_with("0,,1,0.4"));
    let numbers = "1,0,0,0,0,1,0,0,0,0,1,0";
    workplace.write("inside.csv", &format!("a,{numbers},{numbers}\n"));
    let motion = workplace.answer("motion big.obj cube.obj --motions inside.csv --accuracy 0 --solid yes");
    assert!(motion.lines().nth(1).unwrap().starts_with("0,a,touching,0.0,0.0,"), "{motion}");
    let motion = workplace.answer("motion big.obj cube.obj --motions inside.csv --accuracy 0");
    assert!(motion.lines().nth(1).unwrap().starts_with("0,a,free,"), "{motion}");
}

/// A square above a cube goes down through its two faces.
#[test]
fn free_intervals_are_the_first_along_a_direction() {
    let workplace = Workplace::new();
    let row = |at: &str| {
        let direction = "--mode free-interval --direction 0,0,-2";
        let csv = workplace.answer(&format!("query cube.obj square.obj {direction} --translate 0.25,0.25,{at}"));
        assert_eq!(csv.lines().next().unwrap(), "row,label,hit,pairs,pairs_checksum,distance,start,end");
        csv.lines().nth(1).unwrap().to_owned()
    };
    let numbers = |row: &str| -> Vec<f64> { row.split(',').skip(6).map(|x| x.parse().unwrap_or(f64::NAN)).collect() };
    let free = row("1.5");
    assert!(free.starts_with("0,,0,,,,0.0,0."), "{free}");
    assert!((numbers(&free)[1] - 0.5).abs() < 1e-12);
    let through = row("0.5");
    assert!(through.starts_with("0,,1,") && (numbers(&through)[0] - 0.5).abs() < 1e-12, "{through}");
    assert_has(&workplace.complaint("query cube.obj cube.obj --mode free-interval"), &["--direction"]);
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
