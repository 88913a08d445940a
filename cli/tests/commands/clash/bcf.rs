//! BCF files, opened again.

use std::fs;
use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::json;

use super::{bodies, workplace};
use crate::{assert_has, json_lines};

/// The elements of an XML text, with its attributes, in order; fails where it is not well-formed.
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
    let json = json_lines(&workplace.answer("clash plant.json -q --format json --bcf clashes.bcf"));
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
            "Topic",
            "Title",
            "Index",
            "Labels",
            "CreationDate",
            "CreationAuthor",
            "Description",
            "Viewpoints",
            "Viewpoint",
        ];
        assert_eq!(elements(&markup), order);
        let view = text(&format!("{id}/viewpoint.bcfv"));
        let names = elements(&view);
        assert_eq!(names[..3], ["VisualizationInfo", "Components", "Selection"]);
        let camera = names.iter().position(|name| name == "PerspectiveCamera").unwrap();
        assert_eq!(names[camera + 1..camera + 5], ["CameraViewPoint", "X", "Y", "Z"]);
        assert!(view.contains("<FieldOfView>60</FieldOfView>"));
    }
    assert_eq!(zip.len(), 1 + 2 * json.len());
    assert!(json.iter().any(|row| row["a"] == "<cube> & \"co\""));
}
