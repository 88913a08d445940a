//! The pages that the real program writes, in a real browser: no error on the console, and every control does its work,
//! by mouse and by keys. Skipped, with a note, where there is no Chromium.
#![cfg(unix)]

mod chromium;
mod clash_view;
mod clashes;
mod robot;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use chromium::Chromium;

const LAPTOP: [u32; 2] = [1366, 900];
const PHONE: [u32; 2] = [390, 844];

/// The project's own meshes; in debug mode a few small ones.
fn data() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    if cfg!(debug_assertions) {
        return ["nonmanifold", "crate", "chain_link"].map(|name| folder.join(name).with_extension("obj")).into();
    }
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut meshes: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "obj")).collect();
    meshes.sort();
    meshes
}

/// A page that the program writes, and the folder it lies in.
fn page(arguments: &[&str], meshes: &[PathBuf]) -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
    command.args(&arguments[..1]).args(meshes).args(&arguments[1..]).arg(&page);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (page, folder)
}

fn report() -> (PathBuf, TempDir) {
    page(&["compare", "--poses", "2", "--quiet", "--html"], &data())
}

/// The numbers in a column of the table, in the order of its rows, without empty cells.
fn column(browser: &mut Chromium, title: &str) -> Vec<f64> {
    let cells = browser.evaluate(&format!(
        "(() => {{ const heads = [...document.querySelectorAll('thead th')]; \
         const place = heads.findIndex((head) => head.textContent === '{title}'); \
         return [...document.querySelectorAll('tbody tr')].map((row) => row.children[place].textContent); }})()"
    ));
    let cells = cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().replace(',', ""));
    cells.filter(|cell| cell != "–").map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn a_report_works() {
    let Some(mut browser) = Chromium::start() else { return };
    let (report, _folder) = report();
    assert!(fs::metadata(&report).unwrap().len() < 6_000_000, "a heavy page");
    browser.open(&report, LAPTOP);
    let meshes = data().len();

    let count = |browser: &mut Chromium, selector: &str| {
        browser.evaluate(&format!("document.querySelectorAll('{selector}').length")).as_u64().unwrap() as usize
    };
    assert_eq!(count(&mut browser, ".card"), meshes);
    assert_eq!(count(&mut browser, "tbody tr"), meshes * 12);
    assert_eq!(count(&mut browser, "svg.chart"), 4);
    assert!(browser.text("document.querySelector('.card .because').textContent").starts_with("because "));

    sorting_works(&mut browser);
    the_view_works(&mut browser);
    charts_work(&mut browser);
    another_mesh_is_shown(&mut browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());

    for dark in ["Dark", "Light"] {
        assert_eq!(browser.text("document.getElementById('theme').textContent"), dark);
        browser.evaluate("document.getElementById('theme').click()");
    }
    browser.resize(PHONE);
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), PHONE[0]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn sorting_works(browser: &mut Chromium) {
    const TITLE: &str = "Bytes per triangle";
    let head = format!("[...document.querySelectorAll('thead th')].find((head) => head.textContent === '{TITLE}')");
    let unsorted = column(browser, TITLE);
    let is_sorted = |numbers: &[f64]| numbers.is_sorted();
    assert!(!is_sorted(&unsorted), "sorted already: this tests nothing");
    browser.evaluate(&format!("{head}.querySelector('button').click()"));
    let ascending = column(browser, TITLE);
    assert!(is_sorted(&ascending) && ascending.len() == unsorted.len(), "{ascending:?}");
    assert_eq!(browser.text(&format!("{head}.getAttribute('aria-sort')")), "ascending");
    // The other way by key.
    browser.evaluate(&format!("{head}.querySelector('button').focus()"));
    browser.press("Enter");
    let descending = column(browser, TITLE);
    assert!(is_sorted(&descending.iter().copied().rev().collect::<Vec<_>>()), "{descending:?}");
    assert_eq!(browser.text(&format!("{head}.getAttribute('aria-sort')")), "descending");
    // By name, and what has no value last.
    let heads = "[...document.querySelectorAll('thead button')]";
    browser.evaluate(&format!("{heads}.find((head) => head.textContent === 'Outside volume').click()"));
    let cells =
        browser.evaluate("[...document.querySelectorAll('tbody tr')].map((row) => row.children[10].textContent)");
    let cells = cells.as_array().unwrap();
    let first_empty = cells.iter().position(|cell| cell == "–").unwrap();
    assert!(first_empty > 0 && cells[first_empty..].iter().all(|cell| cell == "–"), "{cells:?}");
    browser.evaluate(&format!("{heads}.find((head) => head.textContent === 'Mesh').click()"));
    let names = browser.evaluate("[...document.querySelectorAll('tbody th button')].map((name) => name.textContent)");
    let names: Vec<_> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

/// Level, kind and camera change what is drawn.
fn the_view_works(browser: &mut Chromium) {
    let level = "document.getElementById('level')";
    let drawn = |browser: &mut Chromium| {
        let volumes = browser.text("document.getElementById('view').dataset.volumes");
        let status = browser.text("document.getElementById('status').textContent").replace(',', "");
        assert!(status.starts_with(&format!("{volumes} ")), "{volumes} volumes are drawn, and told of are {status}");
        (volumes, browser.picture("#view"))
    };
    browser.evaluate(&format!("{level}.focus()"));
    browser.press("Home");
    assert_eq!(browser.evaluate(&format!("{level}.valueAsNumber")), 0);
    let (root, root_picture) = drawn(browser);
    assert_eq!(root, "1");
    browser.press("ArrowRight");
    assert_eq!(browser.evaluate(&format!("{level}.valueAsNumber")), 1);
    let (children, children_picture) = drawn(browser);
    assert!((2..=8).contains(&children.parse::<u32>().unwrap()), "{children}");
    assert_ne!(root_picture, children_picture);
    // By mouse: the slider's end, and the button for a level up.
    let [left, top, width, height] = browser.place("#level");
    browser.drag([left + width - 3.0, top + height / 2.0], [left + width - 2.0, top + height / 2.0]);
    let last: u64 = browser.text(&format!("{level}.max")).parse().unwrap();
    assert_eq!(browser.evaluate(&format!("{level}.valueAsNumber")), last);
    browser.evaluate("document.querySelector('.level button').click()");
    assert_eq!(browser.evaluate(&format!("{level}.valueAsNumber")), last - 1);

    let kind = "document.querySelector('[name=kind]:checked')";
    browser.evaluate(&format!("{kind}.focus()"));
    let (mut kinds, mut pictures) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        kinds.push(browser.text(&format!("{kind}.value")));
        pictures.push(drawn(browser).1);
        browser.press("ArrowRight");
    }
    kinds.sort();
    assert_eq!(kinds, ["aabb", "obb", "sphere"]);
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2] && pictures[2] != pictures[0]);

    let (_, before) = drawn(browser);
    browser.evaluate("document.getElementById('view').focus()");
    browser.press("ArrowLeft");
    let (_, turned) = drawn(browser);
    assert_ne!(before, turned);
    let [left, top, width, height] = browser.place("#view");
    let middle = [left + width / 2.0, top + height / 2.0];
    browser.drag(middle, [middle[0] + 60.0, middle[1] + 20.0]);
    let (_, dragged) = drawn(browser);
    assert_ne!(turned, dragged);
    browser.evaluate("document.getElementById('home').click()");
    assert_eq!(drawn(browser).1, before);
}

/// Each chart draws something for every volume kind, and shows figures at the press of arrow keys.
fn charts_work(browser: &mut Chromium) {
    let kinds = browser.evaluate(
        "[...document.querySelectorAll('svg.chart')].map((chart) => \
         new Set([...chart.querySelectorAll('.series:has(.mark)')].map((line) => line.dataset.kind)).size)",
    );
    assert!(kinds.as_array().unwrap().iter().all(|kinds| *kinds == 4), "{kinds}");
    browser.evaluate("document.querySelector('svg.chart').focus()");
    browser.press("ArrowRight");
    let first = browser.text("document.querySelector('.tip:not([hidden])').textContent");
    browser.press("ArrowRight");
    let second = browser.text("document.querySelector('.tip:not([hidden])').textContent");
    assert!(first.contains("level: 0") && second.contains("level: 1"), "{first}, {second}");
    let chart = "document.querySelector('.charts select')";
    let before = browser.text("document.querySelector('svg.chart').innerHTML");
    browser.evaluate(&format!("{chart}.value = 2; {chart}.dispatchEvent(new Event('change'))"));
    assert_ne!(browser.text("document.querySelector('svg.chart').innerHTML"), before);
    // Without one kind.
    let series = "document.querySelectorAll('svg.chart .series').length";
    let all = browser.evaluate(series).as_u64().unwrap();
    browser.evaluate("document.querySelector('.legend input').click()");
    assert!(browser.evaluate(series).as_u64().unwrap() < all);
}

/// A row of the table brings its mesh and tree to the view.
fn another_mesh_is_shown(browser: &mut Chromium) {
    let row = "[...document.querySelectorAll('tbody tr')].at(-1)";
    let wanted = browser.evaluate(&format!("Object.values({{...{row}.dataset}})"));
    let before = browser.picture("#view");
    browser.evaluate(&format!("{row}.querySelector('button').click()"));
    let shown = browser.evaluate(
        "[document.getElementById('mesh').value, document.querySelector('[name=kind]:checked').value, \
         document.querySelector('[name=label]:checked').value]",
    );
    assert_eq!(shown, wanted);
    // A busy machine may take more than a few frames to draw it.
    assert!((0..20).any(|_| browser.picture("#view") != before), "the picture stays");
    let shown_name = browser.text("document.getElementById('charts-mesh').textContent");
    assert_eq!(Value::from(shown_name), wanted[0]);
}

#[test]
fn two_posed_meshes_show_where_they_intersect() {
    let Some(mut browser) = Chromium::start() else { return };
    let gear = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/gear.obj");
    // The highlights' colour, in any light.
    let is_pink = "r > 90 && r > 2 * g && b > g && r > b";
    for (distance, touching) in [("40,0,0", true), ("50,0,0", false)] {
        let (view, _folder) = page(&["view", "--translate", distance, "--quiet", "-o"], &[gear.clone(), gear.clone()]);
        for size in [LAPTOP, PHONE] {
            browser.open(&view, size);
            let summary = browser.text("document.getElementById('summary').textContent");
            assert_eq!(summary.contains("472 pairs of triangles intersect"), touching, "{summary}");
            assert_eq!(summary.contains("No triangles touch"), !touching, "{summary}");
            let picture = browser.picture("#view");
            let pink = browser.count_pixels(&picture, is_pink);
            assert_eq!(pink > 200, touching, "{pink} pixels are highlighted");
            // Volumes are off at first, and nothing about them is ticked.
            let fill = "document.querySelector('[name=faces]')";
            let [ticked, off] = ["checked", "disabled"].map(|state| format!("{fill}.{state}"));
            assert_eq!((browser.evaluate(&ticked), browser.evaluate(&off)), (false.into(), true.into()));
            browser.evaluate("document.querySelector('[name=volumes]').click()");
            assert_eq!((browser.evaluate(&ticked), browser.evaluate(&off)), (true.into(), false.into()));
            assert_ne!(browser.picture("#view"), picture);
            assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), size[0]);
            assert_eq!(browser.complaints(), Vec::<String>::new());
        }
    }
}

#[test]
fn other_volumes_of_a_tree_have_a_table_of_their_own() {
    let Some(mut browser) = Chromium::start() else { return };
    let mesh = [Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/nonmanifold.obj")];
    let arguments = "compare --kind aabb,obb --preset fast --poses 0 --quiet";
    let arguments = |more: &'static str| arguments.split(' ').chain(more.split(' ')).collect::<Vec<_>>();
    let (plain, _folder) = page(&arguments("--html"), &mesh);
    let (report, _other) = page(&arguments("--beside hull,kdop14 --html"), &mesh);
    browser.open(&plain, LAPTOP);
    assert_eq!(browser.evaluate("document.getElementById('beside').hidden"), true);
    browser.open(&report, LAPTOP);
    assert_eq!(browser.evaluate("document.getElementById('beside').hidden"), false);
    let first_column =
        "[...document.querySelectorAll('#beside-table tbody th')].map((cell) => cell.textContent).join()";
    let figure = "document.querySelector('#beside-table tbody tr:nth-child(2) td:nth-child(3)').textContent";
    let mut figures = Vec::new();
    for (option, kind) in ["AABB", "OBB"].into_iter().enumerate() {
        let choose = format!("const tree = document.getElementById('beside-tree'); tree.selectedIndex = {option}; ");
        browser.evaluate(&format!("(() => {{ {choose} tree.dispatchEvent(new Event('change')); }})()"));
        assert_eq!(browser.text(first_column), format!("{kind},Convex hull,14-DOP"));
        figures.push(browser.text(figure));
    }
    assert_ne!(figures[0], figures[1]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn names_with_markup_in_them_are_text() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let name = "<img src=x onerror=alert(1)>&amp;";
    let mesh = folder.path().join(format!("{name}.obj"));
    fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let (report, _folder) = page(&["compare", "--poses", "1", "--quiet", "--html"], &[mesh]);
    browser.open(&report, LAPTOP);
    assert_eq!(browser.text("document.querySelector('.card h3').textContent"), name);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
