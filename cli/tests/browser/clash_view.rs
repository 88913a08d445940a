//! The view of the page of `bvtree clash`: other bodies, the section box, measuring, marks and pictures.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::clashes::{PICKED, click, data_of, set};
use crate::{LAPTOP, PHONE};

const IS_RED: &str = "r > 90 && r > 1.8 * g && r > 1.6 * b";
const IS_BLUE: &str = "b > 90 && b > 1.8 * r && b > 1.3 * g";
/// A condition on pixels: the tan of bodies that clash or the grey of the others, in any light.
const IS_OTHER: &str = "r > 60 && r < 215 && Math.abs(r - g) < 12 && Math.abs(g - b) < 22";

/// Boxes by their lower and upper corners: a slab of 2 m by 3 m, a column through it, and a block beside them.
const BOXES: [[[f64; 3]; 2]; 3] =
    [[[0.0, 0.0, 0.0], [2.0, 3.0, 0.2]], [[0.5, 0.5, -2.0], [1.0, 1.0, 2.0]], [[-9.0, -9.0, 0.0], [-6.0, -3.0, 4.0]]];

fn obj([lower, upper]: [[f64; 3]; 2]) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| if corner >> k & 1 == 0 { lower[k] } else { upper[k] });
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for quad in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        writeln!(text, "f {} {} {} {}", quad[0], quad[1], quad[2], quad[3]).unwrap();
    }
    text
}

/// The page of the three boxes and its data.
fn page() -> (PathBuf, TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut bodies = Vec::new();
    for (number, corners) in BOXES.into_iter().enumerate() {
        let mesh = format!("box-{number}.obj");
        fs::write(folder.path().join(&mesh), obj(corners)).unwrap();
        bodies.push(json!({"name": format!("box-{number}"), "mesh": mesh}));
    }
    let manifest = folder.path().join("boxes.json");
    fs::write(&manifest, json!({"bodies": bodies}).to_string()).unwrap();
    let path = folder.path().join("boxes.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
    command.args(["clash", "--quiet", "--up", "z", "--html"]).arg(&path).arg(manifest);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let data = data_of(&fs::read_to_string(&path).unwrap());
    (path, folder, data)
}

/// The pixel at which the view shows a point after it has flown to a clash: the camera looks in the home direction,
/// from 3.2 times the clash's size away.
fn seen(browser: &mut Chromium, clash: &Value, point: [f64; 3]) -> [f64; 2] {
    const FIELD_OF_VIEW: f64 = 0.72;
    let (yaw, pitch) = (-0.9f64, 0.5f64);
    let back = [pitch.cos() * yaw.cos(), pitch.cos() * yaw.sin(), pitch.sin()];
    let right = [-yaw.sin(), yaw.cos(), 0.0];
    let up = [-pitch.sin() * yaw.cos(), -pitch.sin() * yaw.sin(), pitch.cos()];
    let away = 3.2 * clash["size"].as_f64().unwrap();
    let from_eye = [0, 1, 2].map(|k| point[k] - clash["place"][k].as_f64().unwrap() - away * back[k]);
    let along = |axis: [f64; 3]| (0..3).map(|k| axis[k] * from_eye[k]).sum::<f64>();
    let [left, top, width, height] = browser.place("#view");
    let scale = height / 2.0 / (FIELD_OF_VIEW / 2.0).tan() / -along(back);
    // Whole pixels: others turn the camera a little, since a press is rounded and a move is not.
    [left + width / 2.0 + scale * along(right), top + height / 2.0 - scale * along(up)].map(f64::round)
}

fn count(browser: &mut Chromium, condition: &str) -> u64 {
    let picture = browser.picture("#view");
    browser.count_pixels(&picture, condition)
}

#[test]
fn other_bodies_are_hidden_and_a_section_box_cuts() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.media("screen");
    let (page, _folder, data) = page();
    assert_eq!(data["clashes"].as_array().unwrap().len(), 1);
    for size in [LAPTOP, PHONE] {
        browser.open(&page, size);
        assert_eq!(browser.evaluate("document.getElementById('section').disabled"), true);
        assert!(count(&mut browser, IS_OTHER) > 300);
        click(&mut browser, "#rows .group");
        assert_eq!(browser.text(PICKED), "0 1");
        // From here the third box is seen as a whole.
        browser.evaluate("document.getElementById('view').focus()");
        browser.press("Home");
        // Hide the controls that cover the view.
        browser.evaluate("for (const id of ['told', 'home']) document.getElementById(id).style.visibility = 'hidden'");
        let [solid, ghost, hidden] = ["solid", "clear", "none"].map(|look| {
            click(&mut browser, &format!("[name=others][value={look}]"));
            (count(&mut browser, IS_OTHER), browser.picture("#view"))
        });
        assert!(solid.0 > 10 * hidden.0.max(1), "{} and {}", solid.0, hidden.0);
        assert!(ghost.1 != hidden.1 && ghost.1 != solid.1);

        click(&mut browser, "#rows .row");
        let whole = [IS_RED, IS_BLUE].map(|colour| count(&mut browser, colour));
        click(&mut browser, "#section");
        set(&mut browser, "section-size", "0");
        let large = [IS_RED, IS_BLUE].map(|colour| count(&mut browser, colour));
        set(&mut browser, "section-size", "-2");
        let small = [IS_RED, IS_BLUE].map(|colour| count(&mut browser, colour));
        assert!(large[0] < whole[0] && small[0] < large[0] / 4, "{whole:?} {large:?} {small:?}");
        assert!(small.iter().sum::<u64>() > 0);
        let edge = data["clashes"][0]["size"].as_f64().unwrap() / 2.0;
        let told = browser.text("document.querySelector('.section output').textContent").replace(',', "");
        assert_eq!(told, format!("{:.0} mm", edge * 1000.0));
        click(&mut browser, "#section");
        assert_eq!([IS_RED, IS_BLUE].map(|colour| count(&mut browser, colour)), whole);
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn two_clicks_measure_and_a_picture_is_saved() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.media("screen");
    let (page, _folder, data) = page();
    let clash = &data["clashes"][0];
    browser.open(&page, LAPTOP);
    click(&mut browser, "#rows .group");
    click(&mut browser, "#section");
    set(&mut browser, "section-size", "3");
    click(&mut browser, "#measure");
    let measured = "document.getElementById('measured').textContent";
    assert_eq!(browser.text(measured), "Click two points.");
    // Corners of the slab, hit a little inside of its top, and the distance that is known.
    const CORNERS: [[f64; 3]; 3] = [[0.0, 0.0, 0.2], [2.0, 0.0, 0.2], [0.0, 3.0, 0.2]];
    for (near, far, text) in [(0, 1, "2,000 mm"), (0, 2, "3,000 mm"), (1, 2, "3,606 mm")] {
        for [x, y, z] in [CORNERS[near], CORNERS[far]] {
            let inside = [x + 0.02 * (1.0 - x), y + 0.02 * (1.5 - y), z];
            let place = seen(&mut browser, clash, inside);
            browser.drag(place, place);
        }
        assert_eq!(browser.text(measured), text);
    }
    click(&mut browser, "[name=unit][value=m]");
    assert_eq!(browser.text(measured), "3.606 m");
    // Nothing is there.
    let [left, top, width, height] = browser.place("#view");
    browser.drag([left + width - 9.0, top + height - 9.0], [left + width - 9.0, top + height - 9.0]);
    assert_eq!(browser.text(measured), "3.606 m");
    browser.press("Escape");
    assert_eq!(browser.text(measured), "");
    assert_eq!(browser.text(PICKED), "0 1");

    let photo = browser.evaluate(
        "new Promise((done) => { URL.createObjectURL = (blob) => { done(createImageBitmap(blob)); return '#'; }; \
         document.getElementById('photo').click(); }).then(({ width, height }) => { \
         const view = document.getElementById('view'); return [width === view.width, height === view.height]; })",
    );
    assert_eq!(photo, json!([true, true]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn marks_of_clashes_are_seen_and_clicked() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, _) = page();
    browser.open(&page, LAPTOP);
    // The only pixels of this colour are those of the mark.
    let is_mark = "r > 150 && g < 110 && b > 70 && r > 1.5 * b";
    let marks = |browser: &mut Chromium| {
        let found = browser.evaluate(
            "(() => { const sheet = document.querySelector('.overlay'); \
             const context = new OffscreenCanvas(sheet.width, sheet.height).getContext('2d'); \
             context.drawImage(sheet, 0, 0); \
             const { data, width } = context.getImageData(0, 0, sheet.width, sheet.height); const found = []; \
             for (let i = 3; i < data.length; i += 4) if (data[i] > 100) found.push([(i >> 2) % width, \
             Math.floor((i >> 2) / width)]); return found; })()",
        );
        let at: Vec<[f64; 2]> =
            found.as_array().unwrap().iter().map(|at| [0, 1].map(|k| at[k].as_f64().unwrap())).collect();
        at
    };
    assert!(count(&mut browser, is_mark) > 10);
    let found = marks(&mut browser);
    assert!((10..200).contains(&found.len()), "{}", found.len());
    let [left, top, ..] = browser.place("#view");
    let middle = found[found.len() / 2];
    let place = [left + middle[0], top + middle[1]];
    browser.drag(place, place);
    assert_eq!(browser.text(PICKED), "0 1");
    // A filter that nothing passes leaves no mark.
    browser.press("Escape");
    set(&mut browser, "search", "nothing");
    browser.resize(LAPTOP);
    assert_eq!(marks(&mut browser).len(), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
