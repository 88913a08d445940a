//! Meshes larger than `cook --memory` allows: cooked in tiles, with the same answers.

use std::fs;

use super::{Workplace, assert_has, json_lines};

/// A binary PLY file of a wavy sheet, two triangles for each square.
fn sheet(side: u32) -> Vec<u8> {
    let corners = (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
    let mut file = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        (side + 1) * (side + 1),
        2 * side * side
    )
    .into_bytes();
    for (x, y) in corners {
        let height = (x * x + 3 * y) % 7;
        file.extend([x, y, height].iter().flat_map(|&k| (k as f32).to_le_bytes()));
    }
    for a in (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x)) {
        for corners in [[a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1]] {
            file.push(3);
            file.extend(corners.iter().flat_map(|corner| corner.to_le_bytes()));
        }
    }
    file
}

/// The file of a sheet of 5,000 triangles with another number of faces in its header.
fn with_faces(file: Vec<u8>, faces: usize) -> Vec<u8> {
    let end = file.windows(11).position(|window| window == b"end_header\n").unwrap();
    let (header, data) = file.split_at(end);
    let header = std::str::from_utf8(header).unwrap().replace("face 5000", &format!("face {faces}"));
    [header.as_bytes(), data].concat()
}

/// A workplace with a sheet of 5,000 triangles, for which tiles need at least 172,688 bytes.
fn workplace() -> Workplace {
    let workplace = Workplace::new();
    fs::write(workplace.path("sheet.ply"), sheet(50)).unwrap();
    workplace
}

#[test]
fn a_tree_in_tiles_answers_as_one_in_memory() {
    let workplace = workplace();
    workplace.answer("cook sheet.ply -o whole -q --kind all");
    let cook = "cook sheet.ply -o tiles -q --kind all --memory 200K --format json";
    let rows = json_lines(&workplace.answer(cook));
    assert_eq!(rows.len(), 4);
    let statuses = |arguments: &str| {
        let rows = json_lines(&workplace.answer(arguments));
        rows.iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(cook), ["unchanged"; 4]);
    let again = json_lines(&workplace.answer(cook));
    for (mut row, mut again) in rows.into_iter().zip(again) {
        for key in ["parse_seconds", "build_seconds", "write_seconds", "status"] {
            row[key].take();
            again[key].take();
        }
        assert_eq!(row, again, "the measures are those in the file");
    }
    // The bytes depend on the memory, as long as it makes tiles.
    assert_eq!(statuses(&cook.replace("200K", "300K")), ["cooked"; 4]);
    workplace.answer("verify tiles -q");
    for kind in ["aabb", "obb", "sphere", "kdop"] {
        let [whole, tiles] =
            ["whole", "tiles"].map(|folder| fs::read(workplace.path(&format!("{folder}/sheet.{kind}.bvt"))));
        assert!(whole.unwrap() != tiles.unwrap(), "{kind} is in tiles");
        let answers = |folder: &str, mode: &str| {
            let file = format!("{folder}/sheet.{kind}.bvt");
            workplace.answer(&format!("query {file} {file} --translate 0.3,0.7,40.5 --mode {mode} --format csv"))
        };
        for mode in ["hit", "distance"] {
            assert_eq!(answers("whole", mode), answers("tiles", mode), "{kind} {mode}");
        }
        let pairs = |folder: &str| {
            let file = format!("{folder}/sheet.{kind}.bvt");
            let question = "--translate 40.5,41.5,0.5 --mode pairs --format csv";
            workplace.answer(&format!("query {file} {file} {question}"))
        };
        assert_eq!(pairs("whole"), pairs("tiles"), "{kind}");
    }
    assert_eq!(workplace.visible("tiles").len(), 4);
    assert!(
        !fs::read_dir(workplace.path("tiles"))
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().ends_with(".tmp") })
    );
}

#[test]
fn a_mesh_that_fits_is_cooked_as_a_whole() {
    let workplace = workplace();
    workplace.answer("cook sheet.ply -o whole -q");
    workplace.answer("cook sheet.ply -o roomy -q --memory 1G");
    let [whole, roomy] = ["whole", "roomy"].map(|folder| fs::read(workplace.path(&format!("{folder}/sheet.obb.bvt"))));
    assert!(whole.unwrap() == roomy.unwrap());
}

/// The names of files and the areas of triangles decide what is cooked in tiles, as they do for whole meshes.
#[test]
fn parts_of_a_kit_are_chosen_in_tiles_too() {
    let workplace = workplace();
    // The last face has the same corner twice.
    let flat_face = [&[3_u8][..], &[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]].concat();
    let flat = [with_faces(sheet(50), 5001), flat_face.clone()].concat();
    for name in ["sheet_LOD0.ply", "sheet_LOD1.ply", "UCX_sheet.ply"] {
        fs::write(workplace.path(name), &flat).unwrap();
    }
    let options = "--lod 1 --collision skip --drop-zero-area --skip-groups helper* -q --format json";
    let cook = |more: &str| {
        let inputs = "sheet_LOD0.ply sheet_LOD1.ply UCX_sheet.ply";
        json_lines(&workplace.answer(&format!("cook {inputs} {options} {more}")))
    };
    for row in [cook("-o whole"), cook("-o tiles --memory 300K")].concat() {
        assert_eq!((row["input"].as_str(), row["triangles"].as_u64()), (Some("sheet_LOD1.ply"), Some(5000)));
    }
    let answer = |folder| {
        let tree = format!("{folder}/sheet_LOD1.obb.bvt");
        workplace.answer(&format!("query {tree} {tree} --translate 0.3,0.2,0.1 --mode pairs --format csv"))
    };
    assert_eq!(answer("whole"), answer("tiles"));
    let vertices = with_faces(sheet(50), 1);
    let all_flat = [&vertices[..vertices.len() - 5000 * 13], &flat_face[..]].concat();
    fs::write(workplace.path("flat.ply"), all_flat).unwrap();
    let complaint = workplace.complaint("cook flat.ply -o out -q --format json --drop-zero-area --memory 200K");
    assert_has(&complaint, &["flat.ply: all triangles are left out"]);
}

#[test]
fn what_tiles_cannot_do_is_an_error() {
    let workplace = workplace();
    let complaint = |options: &str| workplace.complaint(&format!("cook sheet.ply -o out -q --format json {options}"));
    assert_has(
        &complaint("--memory 100K"),
        &[
            "cannot cook sheet.ply in tiles",
            "the vertices and one tile take 172688 bytes of memory, more than the 102400 that are allowed",
            "hint: give more --memory",
        ],
    );
    assert_has(
        &complaint("--memory 200K --by-group"),
        &[
            "sheet.ply is larger than --memory allows, and tiles make one tree of all its groups",
            "hint: leave out --by-group or --memory",
        ],
    );
    assert_has(&complaint("--memory 200K --max-triangles 4999"), &["more than 4999 triangles"]);
    assert_has(
        &complaint("--memory 200K --max-depth 0"),
        &["5000 triangles have the same centroid or are at the maximum"],
    );
    let bytes = fs::read(workplace.path("sheet.ply")).unwrap();
    fs::write(workplace.path("sheet.ply"), &bytes[..bytes.len() - 1]).unwrap();
    assert_has(&complaint("--memory 200K"), &["sheet.ply: byte ", "face 4999 of 5000, found the end of the file"]);
    let left = fs::read_dir(workplace.path("out")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| name.to_string_lossy().starts_with(".bvtree-cook")));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    let workplace = Workplace::new();
    fs::write(workplace.path("sheet.ply"), sheet(if cfg!(debug_assertions) { 150 } else { 500 })).unwrap();
    let files = || fs::read_dir(workplace.path("out")).map_or(0, |entries| entries.count());
    for (delay, signal) in [(0, "-INT"), (30, "-TERM")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bvtree"))
            .current_dir(workplace.path(""))
            .args(["cook", "sheet.ply", "--preset", "tight", "--memory", "8M", "-q", "-o", "out"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The cooked file under its temporary name; other temporary files have no names.
        while files() == 0 && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(delay));
        assert_eq!(files(), 1);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "after {delay} ms");
        assert_eq!(files(), 0, "after {delay} ms");
    }
}
