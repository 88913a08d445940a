//! `bvtree compare`, from files to tables.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const KEYS: &str = "mesh,path,volume,nodes_of,preset,level,error,label,volumes,volumes_lower,volume_ratio,\
    mesh_volume_ratio,outside_ratio,outside_standard_error,area_ratio,hausdorff_max,hausdorff_max_lower,hausdorff_mean,\
    hausdorff_mean_lower,hausdorff_cut_short,sibling_overlap,sah_cost,line_tests,line_tests_standard_error,\
    epo,epo_standard_error,epo_reached,epo_reached_standard_error,lcv,\
    lcv_standard_error,lcv_reached,lcv_reached_standard_error,\
    queries,hits,volume_tests,volume_tests_standard_error,volume_tests_ratio,volume_tests_ratio_standard_error,\
    triangle_tests,triangle_tests_standard_error,triangle_tests_ratio,triangle_tests_ratio_standard_error,\
    micros_per_query,micros_per_query_lower,micros_per_query_upper,micros_ratio,micros_ratio_standard_error,\
    triangles,nodes,depth,leaf_triangles,leaf_fill,bytes,\
    bytes_per_triangle,build_seconds,error_slope,error_slope_standard_error,error_slope_missing,\
    volume_test_nanos,triangle_test_nanos,mesh_area,mesh_diameter,hull_volume,mesh_volume,version,\
    commit,date,cpu,simd,seed,samples,options,mesh_digest";

/// A folder with a cube, a bumpy sheet and a flat sheet.
struct Meshes {
    folder: TempDir,
}

impl Meshes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut cube = String::new();
        for i in 0..8 {
            writeln!(cube, "v {} {} {}", i & 1, i >> 1 & 1, i >> 2).unwrap();
        }
        cube.push_str("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
        fs::write(folder.path().join("cube.obj"), cube).unwrap();
        fs::write(folder.path().join("bumps.obj"), sheet(|i| (i * 7 % 11) as f64 * 0.1)).unwrap();
        fs::write(folder.path().join("flat.obj"), sheet(|_| 0.0)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn compare(&self, arguments: &str) -> Output {
        bvtree(self.folder.path(), &format!("compare {arguments}"))
    }
}

/// A sheet of 12 x 12 squares with the given heights of its vertices.
fn sheet(height: impl Fn(usize) -> f64) -> String {
    let mut obj = String::new();
    for i in 0..13 * 13 {
        writeln!(obj, "v {} {} {}", i % 13, i / 13, height(i)).unwrap();
    }
    for (x, y) in (0..12 * 12).map(|i| (i % 12, i / 12)) {
        let corner = y * 13 + x + 1;
        writeln!(obj, "f {} {} {} {}", corner, corner + 1, corner + 14, corner + 13).unwrap();
    }
    obj
}

fn bvtree(folder: &Path, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_bvtree");
    Command::new(program).args(arguments.split_whitespace()).current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A row's fields, by key.
type Row = Vec<(String, String)>;

/// Rows of CSV without quotes, by key.
fn rows(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(KEYS));
    lines.map(|line| KEYS.split(',').map(str::to_owned).zip(line.split(',').map(str::to_owned)).collect()).collect()
}

fn get<'a>(row: &'a [(String, String)], key: &str) -> &'a str {
    row.iter().find_map(|(name, value)| (name == key).then_some(value.as_str())).unwrap()
}

fn number(row: &[(String, String)], key: &str) -> f64 {
    get(row, key).parse().unwrap_or_else(|_| panic!("{key} is '{}'", get(row, key)))
}

/// Rows of one tree.
fn by_tree(rows: &[Row]) -> Vec<&[Row]> {
    rows.chunk_by(|a, b| ["mesh", "volume", "preset"].iter().all(|key| get(a, key) == get(b, key))).collect()
}

#[test]
fn csv_has_rows_for_levels_errors_and_labels_and_one_for_all() {
    let meshes = Meshes::new();
    let rows = rows(&stdout(&meshes.compare("cube.obj bumps.obj --format csv --poses 3 --separations 0.1,-0.01")));
    let trees = by_tree(&rows);
    let names: Vec<_> = trees.iter().map(|tree| ["mesh", "volume", "preset"].map(|key| get(&tree[0], key))).collect();
    let expected = ["cube", "bumps"].map(|mesh| ["aabb", "obb", "sphere", "kdop"].map(|kind| [mesh, kind, "balanced"]));
    assert_eq!(names, expected.concat());
    for tree in trees {
        let of = |key: &str| tree.iter().filter(|row| !get(row, key).is_empty()).collect::<Vec<_>>();
        let (levels, errors, labels) = (of("level"), of("error"), of("label"));
        assert_eq!(levels.len() + errors.len() + labels.len(), tree.len());
        let [levels @ .., all] = &levels[..] else { panic!("no rows") };
        assert_eq!(get(all, "level"), "all");
        assert_eq!(levels.len() as f64, number(all, "depth") + 1.0);
        for (level, row) in levels.iter().enumerate() {
            assert_eq!(number(row, "level"), level as f64);
            assert_eq!(get(row, "nodes"), "");
            assert!((0.0..=1.0).contains(&number(row, "hausdorff_max")));
            assert!(number(row, "hausdorff_mean") <= number(row, "hausdorff_max"));
            for key in ["hausdorff_max", "hausdorff_mean"] {
                let (upper, lower) = (number(row, key), number(row, &format!("{key}_lower")));
                assert!(lower <= upper && upper <= lower + 0.01 * lower + 0.003, "{key}: {lower} to {upper}");
            }
        }
        assert_eq!(number(all, "volumes"), number(all, "nodes"));
        assert_eq!(number(all, "bytes") / number(all, "triangles"), number(all, "bytes_per_triangle"));
        assert_eq!(number(all, "queries"), 6.0);
        assert!(number(all, "volume_tests") > 1.0 && number(all, "micros_per_query") > 0.0);
        assert!(number(levels[0], "volume_ratio") > 1.0 - 1e-5);

        assert_eq!(labels.iter().map(|row| get(row, "label")).collect::<Vec<_>>(), ["sep=0.1", "pen=0.01"]);
        for key in ["volume_tests", "triangle_tests", "micros_per_query"] {
            let mean = labels.iter().map(|row| number(row, key)).sum::<f64>() / 2.0;
            assert!((mean - number(all, key)).abs() < 1e-9 * mean, "{key}: {mean} and {}", get(all, key));
        }
        assert_eq!((number(labels[0], "hits"), number(labels[1], "hits")), (0.0, 3.0));
        assert!(errors.windows(2).all(|pair| number(pair[0], "error") > number(pair[1], "error")));
        for key in ["volumes", "volumes_lower"] {
            assert!(errors.iter().is_sorted_by_key(|row| get(row, key).parse().unwrap_or(usize::MAX)));
        }
    }
    // The cube is its own box: 12 triangles under one volume, in which its middle is farthest from them.
    let root = &rows[0];
    for key in ["volume_ratio", "mesh_volume_ratio", "area_ratio"] {
        assert!((number(root, key) - 1.0).abs() < 1e-5, "{key}");
    }
    assert!((number(root, "sah_cost") - 12.0).abs() < 1e-9);
    assert!(number(root, "outside_ratio") < 1e-3);
    let to_the_middle = 0.5 / 3f64.sqrt();
    assert!(
        number(root, "hausdorff_max_lower") <= to_the_middle && to_the_middle <= number(root, "hausdorff_max") + 1e-6
    );
}

#[test]
fn volumes_that_no_tree_stores_are_measured_beside() {
    let meshes = Meshes::new();
    let arguments = "cube.obj bumps.obj --kind obb,kdop --poses 1 --beside kdop18,hull";
    let rows = rows(&stdout(&meshes.compare(&format!("{arguments} --format csv"))));
    let trees = by_tree(&rows);
    let names: Vec<_> = trees.iter().map(|tree| ["mesh", "nodes_of", "volume"].map(|key| get(&tree[0], key))).collect();
    let expected = ["cube", "bumps"]
        .map(|mesh| ["obb", "kdop"].map(|tree| [tree, "kdop18", "hull"].map(|volume| [mesh, tree, volume])).concat());
    assert_eq!(names, expected.concat());
    for volumes in trees.chunks(3) {
        let [stored, kdop18, hull] = volumes.iter().map(|rows| rows.last().unwrap()).collect::<Vec<_>>()[..] else {
            panic!("no rows")
        };
        for key in ["volumes", "triangles", "nodes", "depth", "seed", "mesh_digest", "options"] {
            assert!([kdop18, hull].iter().all(|row| get(row, key) == get(stored, key)), "{key}");
        }
        for key in ["volume_tests", "queries", "bytes", "build_seconds", "volume_test_nanos"] {
            assert!([kdop18, hull].iter().all(|row| get(row, key).is_empty()), "{key}");
        }
        let figure = |row: &Row, key: &str| number(row, key);
        assert!(figure(hull, "volume_ratio") <= figure(stored, "volume_ratio") * 1.00001);
        assert!(figure(hull, "volume_ratio") <= figure(kdop18, "volume_ratio") * 1.00001);
        if get(stored, "nodes_of") == "kdop" {
            for key in ["volume_ratio", "area_ratio", "sah_cost"] {
                assert!((figure(kdop18, key) / figure(stored, key) - 1.0).abs() < 1e-5, "{key}");
            }
        }
    }
    let json = stdout(&meshes.compare(&format!("{arguments} --format json")));
    assert_eq!(json.lines().count(), 4);
    for tree in json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let beside = tree["beside"].as_array().unwrap();
        assert_eq!(
            beside.iter().map(|volumes| volumes["volume"].as_str().unwrap()).collect::<Vec<_>>(),
            ["kdop18", "hull"]
        );
        assert!(
            beside
                .iter()
                .all(|volumes| volumes["levels"].as_array().unwrap().len() == tree["levels"].as_array().unwrap().len())
        );
        assert!(
            beside.iter().all(|volumes| volumes["all"]["hausdorff_mean"].is_number() && volumes["errors"].is_array())
        );
    }
    let text = stdout(&meshes.compare(arguments));
    assert_eq!(text.matches("at the nodes of the obb tree").count(), 2, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120 && line.trim_end() == line), "{text}");
    let refused = meshes.compare("cube.obj --beside kdop19");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("kdop26"));
}

#[test]
fn presets_are_compared() {
    let meshes = Meshes::new();
    let names = |arguments: &str| -> Vec<String> {
        let rows = rows(&stdout(&meshes.compare(&format!("bumps.obj --format csv --poses 1 {arguments}"))));
        by_tree(&rows).iter().map(|tree| ["volume", "preset"].map(|key| get(&tree[0], key)).join(" ")).collect()
    };
    assert_eq!(names("--kind obb,aabb --preset tight,fast"), ["obb tight", "aabb tight", "obb fast", "aabb fast"]);
    assert_eq!(names("--kind obb --preset all"), ["obb fast", "obb balanced", "obb tight"]);
    assert_eq!(names("--kind obb"), ["obb balanced"]);
    assert_eq!(names("--kind obb --leaf 7"), ["obb custom"]);
    // Build options override each preset, as they do in `cook`.
    assert_eq!(names("--kind obb --preset fast,tight --leaf 3"), ["obb fast", "obb tight"]);
    let leaf = |options: &str| {
        let csv = stdout(&meshes.compare(&format!("bumps.obj --format csv --poses 0 --kind obb {options}")));
        number(rows(&csv).last().unwrap(), "leaf_triangles")
    };
    assert!(leaf("--preset tight --leaf 1") < leaf("--preset tight"));
    for bad in ["--preset slow", "--preset fast --leaf 0", "--preset fast --obbtree-rules"] {
        assert_eq!(meshes.compare(&format!("bumps.obj {bad}")).status.code(), Some(2), "{bad}");
    }
    let text = stdout(&meshes.compare("bumps.obj cube.obj --preset all --levels 1 --poses 1"));
    for preset in ["fast", "balanced", "tight"] {
        assert_eq!(text.lines().filter(|line| line.starts_with(&format!("preset {preset} "))).count(), 2, "{text}");
    }
    let has_one_star = |line: &str| {
        text.lines().filter(|at| at.starts_with(line)).map(|at| at.matches('*').count()).sum::<usize>() == 2
    };
    assert!(has_one_star("sibling overlap") && has_one_star("bytes per triangle"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120 && line.trim_end() == line), "{text}");
}

#[test]
fn poses_are_saved_as_query_reads_them() {
    let meshes = Meshes::new();
    let options = "--kind obb --poses 3 --seed 5 --format csv --save-poses poses.csv";
    let rows = rows(&stdout(&meshes.compare(&format!("bumps.obj {options}"))));
    let counts = rows.iter().filter(|row| !get(row, "label").is_empty()).map(|row| number(row, "triangle_tests"));
    assert_eq!(counts.count(), 4);
    let hits = number(rows.last().unwrap(), "hits");
    let query = stdout(&bvtree(meshes.folder.path(), "query bumps.obj bumps.obj --poses poses.csv"));
    let answers: Vec<Vec<&str>> = query.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(answers.len(), 12);
    let labels: Vec<&str> = answers.iter().map(|row| row[1]).collect();
    assert_eq!((labels[0], labels[3], labels[11]), ("sep=0.05", "sep=0.01", "pen=0.01"));
    assert_eq!(answers.iter().filter(|row| row[2] == "1").count() as f64, hits);
    // The same bytes for any kind, and all meshes in one file.
    let first = fs::read(meshes.path("poses.csv")).unwrap();
    stdout(&meshes.compare(&format!("bumps.obj cube.obj {options} --kind sphere").replace("--kind obb ", "")));
    let both = fs::read(meshes.path("poses.csv")).unwrap();
    assert!(both.starts_with(&first) && both.len() > first.len() * 3 / 2);
    // Poses that are read back give the same counts and are saved as the same bytes, whatever the seed.
    let table = |options: &str| {
        let csv = stdout(&meshes.compare(&format!("bumps.obj cube.obj --kind obb --format csv {options}")));
        let count = |row: &Row| {
            ["label", "queries", "hits", "volume_tests", "triangle_tests"].map(|key| get(row, key).to_owned())
        };
        self::rows(&csv).iter().map(count).collect::<Vec<_>>()
    };
    let again = table("--load-poses poses.csv --seed 7 --save-poses again.csv");
    assert_eq!(again, table("--poses 3 --seed 5"));
    assert_eq!(fs::read(meshes.path("again.csv")).unwrap(), both);
    // Meshes of one name have poses of their own, by their paths; a name alone is refused for both.
    fs::create_dir(meshes.path("other")).unwrap();
    fs::copy(meshes.path("cube.obj"), meshes.path("other/bumps.obj")).unwrap();
    let both =
        |options: &str| without_timings(&stdout(&meshes.compare(&format!("bumps.obj other/bumps.obj {options}"))));
    let saved = both(options);
    assert_eq!(saved, both("--kind obb --seed 5 --format csv --load-poses poses.csv"));
    let error = |arguments: &str| String::from_utf8(meshes.compare(arguments).stderr).unwrap();
    let several = error("bumps.obj other/bumps.obj --load-poses again.csv");
    assert!(several.contains("poses of bumps, which is the name of several"), "{several}");
    let neither = error("cube.obj --load-poses poses.csv");
    assert!(neither.contains("no pose of cube against itself"), "{neither}");
    let refused = meshes.compare("bumps.obj --poses 1 --save-poses bumps.obj");
    assert_eq!(refused.status.code(), Some(2));
}

/// Each mesh of a page has the labels of its own poses.
#[test]
fn the_page_has_each_meshs_separations() {
    let meshes = Meshes::new();
    let pose = "1,0,0,0,0,1,0,0,0,0,1,0.1";
    let rows = [("cube", "near"), ("cube", "far"), ("flat", "only")];
    let rows: String = rows.iter().map(|(mesh, label)| format!("{mesh},{mesh},{label},{pose}\n")).collect();
    fs::write(meshes.path("poses.csv"), rows).unwrap();
    let options = "--kind aabb --preset fast --samples 100 --load-poses poses.csv --html page.html";
    stdout(&meshes.compare(&format!("cube.obj flat.obj {options}")));
    let page = fs::read_to_string(meshes.path("page.html")).unwrap();
    assert!(page.contains(r#""separations":["near","far"]"#) && page.contains(r#""separations":["only"]"#));
    assert!(page.contains("up to 2 poses"));
}

#[test]
fn folders_and_globs_are_compared() {
    let meshes = Meshes::new();
    fs::create_dir_all(meshes.path("below/deeper")).unwrap();
    fs::copy(meshes.path("cube.obj"), meshes.path("below/box.obj")).unwrap();
    fs::copy(meshes.path("flat.obj"), meshes.path("below/deeper/flat.obj")).unwrap();
    let names = |input: &str| {
        let csv = stdout(&meshes.compare(&format!("{input} --kind aabb --poses 0 --format csv")));
        by_tree(&rows(&csv)).iter().map(|tree| get(&tree[0], "mesh").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("below"), ["box", "flat"]);
    assert_eq!(names("below/*.obj"), ["box"]);
    // Equal names are told apart by their paths.
    fs::copy(meshes.path("bumps.obj"), meshes.path("below/deeper/box.obj")).unwrap();
    let text = stdout(&meshes.compare("below --kind aabb --poses 0 --levels 0"));
    let [box_path, other] =
        ["below/box.obj", "below/deeper/box.obj"].map(|path| path.replace('/', std::path::MAIN_SEPARATOR_STR));
    for start in [
        format!("{box_path}: 12 "),
        format!("{other}: "),
        "flat: ".to_owned(),
        format!("{box_path} "),
        format!("{other} "),
    ] {
        assert_eq!(text.lines().filter(|line| line.starts_with(&start)).count(), 1, "{start}: {text}");
    }
    fs::create_dir(meshes.path("empty")).unwrap();
    let refused = meshes.compare("empty");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there is no mesh in the folder empty"));
}

#[test]
fn bytes_are_those_of_the_cooked_file() {
    let meshes = Meshes::new();
    let rows = rows(&stdout(&meshes.compare("bumps.obj --kind obb --poses 0 --format csv")));
    stdout(&bvtree(meshes.folder.path(), "cook bumps.obj -o cooked --kind obb"));
    let cooked = fs::metadata(meshes.path("cooked/bumps.obb.bvt")).unwrap().len();
    assert_eq!(number(rows.last().unwrap(), "bytes"), cooked as f64);
    let refused = meshes.compare("cooked/bumps.obb.bvt");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cooked"));
}

/// Everything but the timings and the date.
fn without_timings(csv: &str) -> Vec<Row> {
    let timings = ["build_seconds", "volume_test_nanos", "triangle_test_nanos", "date"];
    let is_timing = |key: &str| key.starts_with("micros_") || timings.contains(&key);
    rows(csv).into_iter().map(|row| row.into_iter().filter(|(key, _)| !is_timing(key)).collect()).collect()
}

#[test]
fn figures_depend_on_the_seed_but_not_on_the_threads() {
    let meshes = Meshes::new();
    let run = |options: &str| without_timings(&stdout(&meshes.compare(&format!("bumps.obj --format csv {options}"))));
    let one_thread = run("--seed 5 --threads 1");
    assert_eq!(one_thread, run("--seed 5 --threads 2"));
    assert_ne!(one_thread, run("--seed 6"));
}

#[test]
fn json_says_what_csv_says() {
    let meshes = Meshes::new();
    let arguments = "cube.obj flat.obj --kind sphere,obb --poses 2 --separations 0.01,-0.02 --format";
    let mut csv = without_timings(&stdout(&meshes.compare(&format!("{arguments} csv")))).into_iter();
    let json = stdout(&meshes.compare(&format!("{arguments} json")));
    let agree = |row: &[(String, String)], objects: &[&Value]| {
        for (key, text) in row {
            let value = objects.iter().find_map(|object| object.get(key)).unwrap_or(&Value::Null);
            let agrees = match value {
                Value::Null => text.is_empty(),
                Value::String(string) => text == string,
                // serde_json reads some numbers off by a unit in the last place.
                other => {
                    let (csv, json) = (text.parse::<f64>().unwrap(), other.as_f64().unwrap());
                    (csv - json).abs() <= 1e-15 * csv.abs()
                }
            };
            assert!(agrees, "{key}: {text} and {value}");
        }
    };
    let mut trees = 0;
    for line in json.lines() {
        let tree: Value = serde_json::from_str(line).unwrap();
        let names = serde_json::json!({
            "mesh": tree["mesh"], "path": tree["path"], "volume": tree["volume"], "preset": tree["preset"],
            "nodes_of": tree["volume"],
        });
        for part in ["levels", "errors", "separations"] {
            for row in tree[part].as_array().unwrap() {
                agree(&csv.next().unwrap(), &[&names, row]);
            }
        }
        agree(&csv.next().unwrap(), &[&names, &tree, &tree["all"]]);
        trees += 1;
    }
    assert_eq!((trees, csv.next()), (4, None));
}

#[test]
fn what_has_no_meaning_is_empty() {
    let meshes = Meshes::new();
    let rows = rows(&stdout(&meshes.compare("flat.obj --format csv --poses 0")));
    for row in &rows {
        let empty = [
            "volume_ratio",
            "mesh_volume_ratio",
            "outside_ratio",
            "sibling_overlap",
            "volume_tests",
            "triangle_tests",
            "micros_per_query",
            "volume_test_nanos",
            "hull_volume",
        ];
        for key in empty {
            assert_eq!(get(row, key), "", "{key}");
        }
        assert!(get(row, "level").is_empty() || number(row, "area_ratio") >= 1.0);
    }
}

#[test]
fn text_says_which_kind_is_tightest() {
    let meshes = Meshes::new();
    let output = meshes.compare("cube.obj flat.obj");
    let text = stdout(&output);
    assert!(output.stderr.is_empty());
    assert!(text.starts_with("cube: 12 triangles, 100 poses of which 25 touch\n"), "{text}");
    assert!(text.contains("\nTightest by volume: aabb"), "{text}");
    assert!(text.contains("\nflat: 288 triangles"), "{text}");
    assert!(text.contains("\nTightest by area: "), "{text}");
    assert!(text.contains("\nmesh  tightest  "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120 && line.trim_end() == line), "{text}");
    let levels = |arguments: &str| {
        let text = stdout(&meshes.compare(arguments));
        text.lines().filter(|line| line.starts_with("    ") && line.trim_start().starts_with(char::is_numeric)).count()
    };
    // Three tables of two levels each.
    assert_eq!(levels("bumps.obj --levels 2"), 6);
    assert_eq!(levels("bumps.obj --levels 0"), 0);
    assert_eq!(levels("bumps.obj --levels"), levels("bumps.obj"));
    assert!(levels("bumps.obj") > 6);
}

#[test]
fn a_bad_mesh_does_not_stop_the_others() {
    let meshes = Meshes::new();
    fs::write(meshes.path("broken.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    let output = meshes.compare("broken.obj missing.obj cube.obj --format csv --kind aabb");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("broken.obj") && errors.contains("missing.obj"), "{errors}");
    assert!(rows(&String::from_utf8(output.stdout).unwrap()).iter().all(|row| get(row, "mesh") == "cube"));
    for bad in ["cube.obj --separations nan", "cube.obj --separations 1e9", "cube.obj --kind cone", ""] {
        assert_eq!(meshes.compare(bad).status.code(), Some(2), "{bad}");
    }
}
