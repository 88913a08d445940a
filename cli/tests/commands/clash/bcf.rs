//! BCF files, read back.

use std::fs;
use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::json;

use super::scene_files::gltf_text;
use super::{bodies, workplace};
use crate::{Workplace, assert_has, json_lines};

/// The elements of an XML text, with their attributes, in order; fails where it is not well-formed.
fn elements(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut names = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) | Event::Empty(start) => {
                assert!(start.attributes().all(|attribute| attribute.is_ok()));
                names.push(start.name().as_ref().to_owned());
            }
            Event::Eof => return names,
            _ => {}
        }
    }
}

#[test]
fn bcf_has_a_topic_and_a_viewpoint_per_clash() {
    let workplace = workplace();
    let mut plant = json!({"bodies": bodies(), "clearance": 0.25});
    plant["bodies"][0]["name"] = json!("<cube> & \"co\"");
    workplace.write("plant.json", &plant.to_string());
    let json = json_lines(&workplace.answer("clash plant.json -q --format json --bcf clashes.bcf --bcf-topic clash"));
    let bytes = fs::read(workplace.path("clashes.bcf")).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    assert_has(&text("bcf.version"), &["VersionId=\"2.1\""]);
    for row in &json {
        let id = row["id"].as_str().unwrap();
        let markup = text(&format!("{id}/markup.bcf"));
        assert_has(&markup, &[&format!("Topic Guid=\"{id}\""), "TopicStatus=\"Open\""]);
        let order = [
            "Markup",
            "Header",
            "File",
            "Filename",
            "Topic",
            "Title",
            "Priority",
            "Index",
            "Labels",
            "Labels",
            "CreationDate",
            "CreationAuthor",
            "Description",
            "Viewpoints",
            "Viewpoint",
            "Snapshot",
        ];
        assert_eq!(elements(&markup), order);
        let view = text(&format!("{id}/viewpoint.bcfv"));
        let names = elements(&view);
        assert_eq!(names[..3], ["VisualizationInfo", "Components", "Selection"]);
        let camera = names.iter().position(|name| name == "PerspectiveCamera").unwrap();
        assert_eq!(names[camera + 1..camera + 5], ["CameraViewPoint", "X", "Y", "Z"]);
        assert!(view.contains("<FieldOfView>60</FieldOfView>"));
    }
    assert_eq!(zip.len(), 1 + 3 * json.len());
    assert!(json.iter().any(|row| row["a"] == "<cube> & \"co\""));
}

/// In snapshots, the first body is red and the second blue.
#[test]
fn snapshots_show_both_bodies() {
    let workplace = workplace();
    let json = json_lines(&workplace.answer("clash plant.json -q --format json --bcf clashes.bcf --bcf-topic clash"));
    assert!(json.len() > 9);
    let mut zip = zip::ZipArchive::new(Cursor::new(fs::read(workplace.path("clashes.bcf")).unwrap())).unwrap();
    for row in &json {
        let mut file = Vec::new();
        let name = format!("{}/snapshot.png", row["id"].as_str().unwrap());
        zip.by_name(&name).unwrap().read_to_end(&mut file).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (360, 240, png::ColorType::Rgb));
        let count = |is_wanted: fn(u8, u8, u8) -> bool| {
            pixels.chunks(3).filter(|pixel| is_wanted(pixel[0], pixel[1], pixel[2])).count()
        };
        // Where one shines through the other, a pixel is both.
        let reddish = count(|r, g, _| r > g.saturating_add(30));
        let bluish = count(|_, g, b| b > g.saturating_add(30));
        assert!(reddish > 100 && bluish > 100, "{row}: {reddish} red, {bluish} blue");
    }
}

/// Scenes have y up and IFC has z up: without a rotation, viewers would look past the clash. Two files may have the
/// same GlobalIds.
#[test]
fn scenes_are_turned_to_z_up_and_keep_global_ids() {
    let workplace = Workplace::new();
    let ids = ["2O2Fr$t4X7Zf8NOew3FNtn", "1hOSvn6df7F8_7GcBWlRGQ"];
    let nodes = json!([
        {"name": ids[0], "mesh": 0, "translation": [10.0, 3.0, -20.0]},
        {"name": ids[1], "mesh": 0, "translation": [10.25, 3.0, -20.0]},
    ]);
    workplace.write("a.gltf", &gltf_text(&nodes));
    workplace.write("b.gltf", &gltf_text(&nodes));
    let views = |arguments: &str| {
        let rows = json_lines(
            &workplace.answer(&format!("clash {arguments} -q --format json --bcf clashes.bcf --bcf-topic clash")),
        );
        let bytes = fs::read(workplace.path("clashes.bcf")).unwrap();
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let view = |row: &serde_json::Value| {
            let mut text = String::new();
            let name = format!("{}/viewpoint.bcfv", row["id"].as_str().unwrap());
            zip.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        rows.iter().map(view).collect::<Vec<_>>()
    };
    let number = |view: &str, of: &str, axis: &str| -> f64 {
        let from = view.find(&format!("<{of}>")).unwrap();
        let text = view[from..].split(&format!("<{axis}>")).nth(1).unwrap();
        text[..text.find('<').unwrap()].parse().unwrap()
    };
    for (arguments, place) in [("a.gltf", [10.5, 20.5, 3.5]), ("a.gltf --up z", [10.5, 3.5, -19.5])] {
        let view = &views(arguments)[0];
        let [eye, ahead] =
            ["CameraViewPoint", "CameraDirection"].map(|of| ["X", "Y", "Z"].map(|a| number(view, of, a)));
        // The clash is ahead of the eye.
        let to: Vec<f64> = (0..3).map(|k| place[k] - eye[k]).collect();
        let along: f64 = (0..3).map(|k| to[k] * ahead[k]).sum();
        let aside = (0..3).map(|k| (to[k] - along * ahead[k]).powi(2)).sum::<f64>().sqrt();
        assert!(along > 0.0 && aside < 1.0, "{arguments}: {view}");
    }
    let both = views("a.gltf b.gltf");
    assert_eq!(both.len(), 6);
    // Each body is selected and coloured; in views with an obstacle, both are also the only visible bodies.
    let ids = |view: &String| if view.contains("DefaultVisibility=\"false\"") { 6 } else { 4 };
    assert!(both.iter().all(|view| view.matches("IfcGuid=\"").count() == ids(view)), "{both:?}");
    assert!(both.iter().any(|view| ids(view) == 6) && both.iter().any(|view| ids(view) == 4), "{both:?}");
}
