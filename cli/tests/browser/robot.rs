//! The page of `bvtree robot`: links are where the library places them, and a row of the list shows its configuration.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use bvtree_robot::{Robot, RobotOptions};
use serde_json::Value;
use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::{LAPTOP, PHONE};

/// A turn and a bend, as in the book; a finger that follows the bend, a sledge, a wheel in a plane across, and a free
/// ball at the end.
const URDF: &str = r#"<robot name="arm &lt;1&gt;">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.5 0.1 0.1"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.08 0.08"/></geometry></collision></link>
  <link name="finger"><collision><geometry><capsule radius="0.02" length="0.1"/></geometry></collision></link>
  <link name="sledge"/><link name="wheel"/>
  <link name="ball"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="turn" type="revolute"><origin xyz="0 0 0.3"/><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3"/></joint>
  <joint name="bend" type="revolute"><origin xyz="0.6 0 0"/><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5"/></joint>
  <joint name="close" type="revolute"><origin xyz="0.5 0 0" rpy="0.4 0.5 0.6"/><parent link="fore"/>
    <child link="finger"/><axis xyz="1 1 0"/><mimic joint="bend" multiplier="-0.5" offset="0.2"/></joint>
  <joint name="slide" type="prismatic"><origin xyz="0 0 0.1" rpy="1 2 3"/><parent link="finger"/><child link="sledge"/>
    <axis xyz="0 1 2"/><limit lower="-1" upper="1"/></joint>
  <joint name="roll" type="planar"><origin xyz="0.2 0 0"/><parent link="sledge"/><child link="wheel"/>
    <axis xyz="1 2 -2"/></joint>
  <joint name="loose" type="floating"><origin rpy="0 0 1"/><parent link="wheel"/><child link="ball"/></joint>
</robot>"#;

const HEAD: &str = "turn,bend,slide,roll/x,roll/y,roll/theta,loose/trans_x,loose/trans_y,loose/trans_z,loose/rot_x,\
    loose/rot_y,loose/rot_z,loose/rot_w";
const ROWS: [[f64; 13]; 3] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0],
    [0.8, 0.0, 0.2, 0.1, -0.3, 0.7, 0.5, 2.0, 0.3, 0.5, -0.2, 0.1, 0.8],
    [-1.0, 1.2, -0.4, -0.2, 0.4, -2.0, 0.1, -2.0, 0.6, -0.1, 0.3, 0.9, 1.1],
];

/// The page that the program writes with these arguments, and the folder it lies in.
fn page(arguments: &[&str]) -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("arm.urdf"), URDF).unwrap();
    let crate_mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/crate.obj");
    fs::copy(crate_mesh, at("crate.obj")).unwrap();
    let world = r#"{"bodies": [{"name": "crate", "mesh": "crate.obj", "translation": [1.0, 1.0, 0.3]}]}"#;
    fs::write(at("world.json"), world).unwrap();
    let line = |row: &[f64; 13]| row.map(|value| value.to_string()).join(",") + "\n";
    fs::write(at("rows.csv"), format!("{HEAD}\n{}", ROWS.iter().map(line).collect::<String>())).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
    command.args(["robot", "arm.urdf", "--world", "world.json", "--quiet", "--html", "page.html"]).args(arguments);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (at("page.html"), folder)
}

fn rows(browser: &mut Chromium) -> Vec<String> {
    let rows = browser.evaluate("[...document.querySelectorAll('#rows button')].map((row) => row.textContent)");
    rows.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
}

const PICKED: &str = "document.getElementById('view').dataset.picked";
const TOLD: &str = "document.getElementById('told').textContent";

fn click(browser: &mut Chromium, row: usize) {
    browser.evaluate(&format!("document.querySelectorAll('#rows button')[{row}].click()"));
}

#[test]
fn a_row_shows_its_configuration() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder) = page(&["--configurations", "rows.csv"]);
    browser.open(&page, LAPTOP);
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "arm <1>");
    assert_eq!(browser.text("document.getElementById('summary').textContent"), "Colliding: 1 of 3 configurations.");
    assert_eq!(rows(&mut browser), ["Row 0free", "Row 11 pair collides", "Row 2free"]);
    // The first that collides is shown: bodies 2 and 5 of those with geometry.
    assert_eq!(
        (browser.text(PICKED), browser.text(TOLD)),
        ("2 5".into(), "Row 1: 1 pair collidesfore and crate".into())
    );
    let colliding = browser.picture("#view");

    let robot = Robot::parse(URDF, None, "".as_ref(), &RobotOptions::default()).unwrap();
    for (number, row) in ROWS.iter().enumerate() {
        click(&mut browser, number);
        let placed = browser.text("document.getElementById('view').dataset.placed");
        let placed: Vec<f64> = placed.split(' ').map(|number| number.parse().unwrap()).collect();
        let pose = robot.place(row).unwrap().pop().unwrap();
        let expected = (0..3)
            .flat_map(|k| pose.rotation().row(k).iter().copied().chain([pose.translation()[k]]).collect::<Vec<_>>());
        let apart = placed.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(placed.len() == 12 && apart < 1e-12, "row {number}: {apart}");
        let shown =
            browser.evaluate("[...document.querySelectorAll('#sliders input')].map((slider) => slider.valueAsNumber)");
        let shown: Vec<f64> = shown.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        // Sliders have steps.
        assert!(shown.len() == 13 && shown.iter().zip(row).all(|(a, b)| (a - b).abs() < 0.01), "{shown:?}");
    }
    assert_ne!(browser.picture("#view"), colliding);

    // What a slider shows was not checked.
    click(&mut browser, 1);
    browser.evaluate("document.getElementById('value0').focus()");
    browser.press("Home");
    assert!(browser.text(TOLD).contains("not in the list") && browser.text(PICKED).is_empty());
    assert_eq!(browser.text("document.querySelector('#sliders output').textContent"), "-3.000 rad · -171.9°");
    browser.evaluate("document.getElementById('only').click()");
    assert_eq!(rows(&mut browser), ["Row 11 pair collides"]);
    browser.evaluate("document.getElementById('rest').click()");
    assert_eq!(browser.evaluate("document.getElementById('value0').valueAsNumber"), 0);

    for dark in ["Dark", "Light"] {
        assert_eq!(browser.text("document.getElementById('theme').textContent"), dark);
        browser.evaluate("document.getElementById('theme').click()");
    }
    browser.resize(PHONE);
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), PHONE[0]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_path_and_pairs_are_shown() {
    let Some(mut browser) = Chromium::start() else { return };
    let (path, _folder) = page(&["--path", "rows.csv"]);
    browser.open(&path, LAPTOP);
    let listed = rows(&mut browser);
    assert!(listed[0].starts_with("Edge 0blocked at 0.") && listed[1] == "Edge 1blocked at 0.0000", "{listed:?}");
    let along = "document.getElementById('along')";
    let parameter = browser.evaluate(&format!("{along}.valueAsNumber")).as_f64().unwrap();
    assert!((0.1..1.0).contains(&parameter), "{parameter}");
    browser.evaluate(&format!("{along}.focus()"));
    browser.press("End");
    let turn = browser.evaluate("document.getElementById('value0').valueAsNumber").as_f64().unwrap();
    assert!((turn + 1.0).abs() < 0.01, "{turn}");
    assert!(browser.text("document.querySelector('#path output').textContent").starts_with("edge 1, 1.000: blocked"));

    let (pairs, _folder) = page(&["--never-colliding", "--budget", "100"]);
    browser.open(&pairs, LAPTOP);
    let listed = rows(&mut browser);
    assert!(listed.iter().any(|row| row == "upper and fingernever collide: proven"), "{listed:?}");
    assert!(listed.iter().any(|row| row.ends_with("collide here")), "{listed:?}");
    assert_eq!(browser.evaluate("document.querySelectorAll('#rows [aria-pressed=true]').length"), Value::from(1));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
