use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bvtree::{BuildOptions, BvTree, Mesh, Preset, Volume, VolumeKind};
use nalgebra::{Matrix3, Point3, Quaternion, UnitQuaternion};
use serde_json::Value;

use super::{Workplace, assert_has};

/// The data in a page.
fn data(workplace: &Workplace, page: &str) -> Value {
    let html = fs::read_to_string(workplace.path(page)).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    let without_namespace = html.replace("http://www.w3.org/2000/svg", "");
    for elsewhere in ["http:", "https:", "src=\"", "url("] {
        assert!(!without_namespace.contains(elsewhere), "{elsewhere}");
    }
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn bytes(base64: &Value) -> Vec<u8> {
    STANDARD.decode(base64.as_str().unwrap()).unwrap()
}

/// 16-bit numbers as fractions of 1.
fn fractions(base64: &Value) -> Vec<f64> {
    bytes(base64).chunks(2).map(|pair| f64::from(u16::from_le_bytes([pair[0], pair[1]])) / 65535.0).collect()
}

fn indices(value: &Value) -> Vec<u32> {
    let bytes = bytes(&value["data"]);
    match value["wide"].as_bool().unwrap() {
        true => bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        false => bytes.chunks(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect(),
    }
}

/// The cube in which coordinates are encoded.
struct Frame {
    origin: [f64; 3],
    size: f64,
}

impl Frame {
    fn of(part: &Value) -> Self {
        let origin = [0, 1, 2].map(|k| part["frame"]["origin"][k].as_f64().unwrap());
        Self { origin, size: part["frame"]["size"].as_f64().unwrap() }
    }

    fn point(&self, words: &[f64]) -> Point3<f64> {
        Point3::from([0, 1, 2].map(|k| self.origin[k] + words[k] * self.size))
    }

    /// The largest distance by which rounding to 16 bits moves a point.
    fn rounding(&self) -> f64 {
        2.0 * self.size / 65535.0
    }
}

fn gear(workplace: &Workplace) -> Mesh {
    let gear = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/gear.obj");
    fs::copy(gear, workplace.path("gear.obj")).unwrap();
    Mesh::load_obj(gear).unwrap()
}

#[test]
fn the_page_holds_the_mesh_and_the_volumes() {
    let workplace = Workplace::new();
    let mesh = gear(&workplace);
    let outcome = workplace.run("view gear.obj -o gear.html");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert_has(&outcome.stderr, &["wrote gear.html: ", " kB"]);
    let data = data(&workplace, "gear.html");
    let part = &data["scene"]["parts"][0];
    let frame = Frame::of(part);

    let positions: Vec<_> = fractions(&part["positions"]).chunks(3).map(|words| frame.point(words)).collect();
    let corners = indices(&part["indices"]);
    assert_eq!(corners.len(), 3 * mesh.triangles().len());
    for (face, corners) in (0..).zip(corners.chunks(3)) {
        for (vertex, &corner) in mesh.triangle(face).vertices.iter().zip(corners) {
            assert!((positions[corner as usize] - vertex).norm() < frame.rounding());
        }
    }
    let kinds: Vec<_> = part["trees"].as_array().unwrap().iter().map(|tree| tree["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["aabb", "obb", "sphere", "kdop"]);
    for (kind, tree) in VolumeKind::ALL.into_iter().zip(part["trees"].as_array().unwrap()) {
        let expected = BvTree::build(&mesh, &Preset::Balanced.options(kind)).unwrap();
        assert_is_drawn(&expected, tree, &frame);
    }
}

/// Asserts that the page has all volumes with their parents, and for each triangle a leaf that holds it.
fn assert_is_drawn(expected: &BvTree, tree: &Value, frame: &Frame) {
    let nodes = expected.nodes().collect::<Vec<_>>();
    let words = fractions(&tree["volumes"]);
    let each = words.len() / nodes.len();
    let (parents, children) = (indices(&tree["parents"]), bytes(&tree["children"]));
    assert_eq!((parents.len(), children.len(), words.len()), (nodes.len(), nodes.len(), nodes.len() * each));
    let near = |a: f64, b: f64| (a - b).abs() < frame.rounding();
    for ((node, words), (&parent, &count)) in nodes.iter().zip(words.chunks(each)).zip(parents.iter().zip(&children)) {
        assert_eq!((node.parent.unwrap_or(0), node.children), (parent as usize, usize::from(count)));
        let center = frame.point(words);
        let extents = [3, 4, 5].map(|k| words.get(k).map_or(0.0, |x| x * frame.size));
        match node.volume {
            Volume::Sphere(sphere) => {
                assert!((center - sphere.center).norm() < frame.rounding() && near(extents[0], sphere.radius));
            }
            // A k-DOP is drawn as its box.
            Volume::Aabb(_) | Volume::KDop(_) => {
                let aabb = node.volume.aabb();
                assert!((center - aabb.center()).norm() < frame.rounding());
                assert!((0..3).all(|k| near(extents[k], aabb.half_extents()[k])));
            }
            Volume::Obb(obb) => {
                let [x, y, z, w] = [6, 7, 8, 9].map(|k| 2.0 * words[k] - 1.0);
                let axes = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)).to_rotation_matrix();
                // Up to the side that an axis points to.
                let turn: Matrix3<f64> = axes.matrix().transpose() * obb.axes;
                assert!((0..3).all(|k| turn[(k, k)].abs() > 1.0 - 1e-6), "{turn}");
                assert!((center - obb.center).norm() < frame.rounding());
                assert!((0..3).all(|k| near(extents[k], obb.half_extents[k])));
            }
        }
    }
    let owners = indices(&tree["owners"]);
    for (number, node) in nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
        for &face in &expected.faces()[node.first_triangle..][..node.triangles] {
            assert_eq!(owners[face as usize], number as u32);
        }
    }
}

#[test]
fn two_meshes_stand_at_their_pose_and_show_what_intersects() {
    let workplace = Workplace::new();
    let mesh = gear(&workplace);
    workplace.answer("cook gear.obj -o . --kind sphere -q");
    workplace.write("poses.csv", "# poses\na,b,l,1,0,0,99,0,1,0,0,0,0,1,0\na,b,l,1,0,0,40,0,1,0,0,0,0,1,0\n");
    let cases = [
        ("view gear.obj gear.obj --translate 40,0,0", 4),
        ("view gear.obj gear.obj --poses poses.csv --row 1 --kind obb,aabb", 2),
        ("view gear.sphere.bvt gear.obj --translate 40,0,0", 1),
        ("view gear.obj gear.sphere.bvt --translate 40,0,0", 1),
    ];
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let pose = bvtree::Pose::new(Matrix3::identity(), [40.0, 0.0, 0.0].into()).unwrap();
    let mut faces: Vec<u32> =
        bvtree::Query::new().intersecting_pairs(&tree, &tree, &pose).iter().map(|pair| pair.face_a).collect();
    faces.dedup();
    for (arguments, kinds) in cases {
        workplace.answer(&format!("{arguments} -q -o gears.html"));
        let data = data(&workplace, "gears.html");
        assert_eq!(data["title"], "gear and gear");
        assert_eq!(data["summary"][0][0], "472 pairs of triangles intersect");
        let [a, b] = [0, 1].map(|part| &data["scene"]["parts"][part]);
        assert!(a["pose"].is_null());
        let pose: Vec<_> = b["pose"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
        assert_eq!(pose, [1.0, 0.0, 0.0, 40.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        for part in [a, b] {
            assert_eq!(part["trees"].as_array().unwrap().len(), kinds);
        }
        assert_eq!(a["highlights"], faces.len());
        let frame = Frame::of(a);
        let corners = fractions(&a["highlighted"]);
        let expected = faces.iter().flat_map(|&face| mesh.triangle(face).vertices);
        assert_eq!(corners.len(), 9 * faces.len());
        for (words, vertex) in corners.chunks(3).zip(expected) {
            assert!((frame.point(words) - vertex).norm() < frame.rounding());
        }
    }
    workplace.answer("view gear.obj gear.obj --translate 50,0,0 -q -o gears.html");
    assert_eq!(data(&workplace, "gears.html")["summary"][0][0], "No triangles touch: ");
    workplace.answer("view cube.obj square.obj --translate 0,0,-0.00001234 -q -o near.html");
    assert_eq!(data(&workplace, "near.html")["summary"][1][0], "1.2340e-5 apart");
}

#[test]
fn what_can_not_be_viewed_is_said_and_leaves_no_file() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o . --kind all -q");
    workplace.write("poses.csv", "# poses\na,b,l,1,0,0,9,0,1,0,0,0,0,1,0\n");
    let nothing = BvTree::build(&Mesh::from_arrays(Vec::new(), Vec::new()).unwrap(), &BuildOptions::default()).unwrap();
    nothing.save(workplace.path("nothing.bvt")).unwrap();
    let cases = [
        ("view nothing.bvt -o new.html", "nothing.bvt has no triangles: there is nothing to view"),
        ("export nothing.bvt -o new.glb", "nothing.bvt has no triangles: there is nothing to export"),
        ("view cube.obj", "--output"),
        ("view cube.obj -o cube.obj", "cannot write to cube.obj: it is an input"),
        ("view cube.obj square.obj --poses poses.csv -o poses.csv", "cannot write to poses.csv: it is an input"),
        ("compare cube.obj --load-poses poses.csv --save-poses poses.csv", "cannot write to poses.csv: it is an input"),
        ("view cube.obj -o missing/new.html", "cannot write to missing/new.html: there is no such folder"),
        ("view missing.obj -o new.html", "cannot read missing.obj"),
        ("view cube.obj --translate 1,0,0 -o new.html", "<B>"),
        ("view cube.obj square.obj --poses poses.csv --row 1 -o new.html", "has no row 1: there are 1 poses"),
        ("view cube.obj square.obj --poses poses.csv --rotate 0,0,1,9 -o new.html", "cannot be used with"),
        ("view cube.obb.bvt cube.aabb.bvt -o new.html", "different kinds"),
        ("view cube.obb.bvt --kind sphere -o new.html", "holds a tree of kind obb, not sphere"),
        ("view cube.obb.bvt --kind all -o new.html", "it has one kind of volume"),
    ];
    for (arguments, part) in cases {
        assert_has(&workplace.complaint(arguments), &[part]);
    }
    assert!(!workplace.path("new.html").exists());
}

#[test]
fn a_report_is_written_beside_the_other_formats() {
    let workplace = Workplace::new();
    let outcome = workplace.run("compare cube.obj square.obj --poses 1 --format csv --html report.html");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_has(&outcome.stdout, &["cube,cube.obj,aabb,aabb,fast", "square,square.obj,sphere,sphere,tight"]);
    let presets = "note: the report compares all presets: fast, balanced and tight; choose with --preset\n";
    assert_has(&outcome.stderr, &[presets, "wrote report.html: "]);
    let page = data(&workplace, "report.html");
    assert_has(page["setup"].as_str().unwrap(), &["24 trees, built with the presets fast, balanced, tight. "]);
    let meshes = page["meshes"].as_array().unwrap();
    assert_eq!(meshes.iter().map(|mesh| &mesh["name"]).collect::<Vec<_>>(), ["cube", "square"]);
    for mesh in meshes {
        assert_eq!(mesh["rows"].as_array().unwrap().len(), 12);
        assert_eq!(mesh["scene"]["parts"][0]["trees"].as_array().unwrap().len(), 12);
        assert!(mesh["verdict"]["because"].as_str().unwrap().len() > 20);
        assert!(!mesh["verdict"]["use"].is_null());
    }
    // Build options, or presets, as they are asked for; two meshes of one name are told apart.
    workplace.write("other/cube.obj", super::CUBE);
    let outcome = workplace.run("compare cube.obj other/cube.obj --poses 0 --leaf 3 --kind obb --html report.html -q");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let page = data(&workplace, "report.html");
    assert_eq!([0, 1].map(|mesh| &page["meshes"][mesh]["name"]), ["cube", "cube (2)"]);
    assert_eq!(page["meshes"][1]["rows"][0]["preset"], "custom");
    assert_has(page["setup"].as_str().unwrap(), &["2 trees, built with custom build options. "]);
    assert_has(page["meshes"][0]["verdict"]["because"].as_str().unwrap(), &["no queries were measured"]);
}

#[test]
fn a_report_is_of_the_meshes_that_could_be_read() {
    let workplace = Workplace::new();
    let outcome = workplace.run("compare missing.obj cube.obj --poses 0 --levels 0 --html report.html");
    assert_eq!(outcome.code, Some(2));
    assert_has(&outcome.stderr, &["error: cannot read missing.obj", "wrote report.html"]);
    assert_eq!(data(&workplace, "report.html")["meshes"].as_array().unwrap().len(), 1);
    let outcome = workplace.run("compare missing.obj --html none.html");
    assert_eq!(outcome.code, Some(2));
    assert!(!workplace.path("none.html").exists());
    assert_has(
        &workplace.complaint("compare cube.obj --html missing/report.html"),
        &["cannot write to missing/report.html: there is no such folder"],
    );
    assert_has(&workplace.complaint("compare cube.obj --html cube.obj"), &["cube.obj: it is an input"]);
}

#[test]
fn gltf_stands_upright_and_others_as_they_are_told() {
    let workplace = Workplace::new();
    assert_eq!(workplace.run("export cube.obj --up y --depth 0 -o cube.glb -q").code, Some(0));
    let page = |arguments: &str| {
        assert_eq!(workplace.run(&format!("view {arguments} -o page.html -q")).code, Some(0), "{arguments}");
        std::fs::read_to_string(workplace.path("page.html")).unwrap()
    };
    for (arguments, up) in [("cube.obj", "z"), ("cube.glb", "y"), ("cube.glb --up z", "z"), ("cube.obj --up y", "y")] {
        assert!(page(arguments).contains(&format!("\"up\":\"{up}\"")), "{arguments}");
    }
}
