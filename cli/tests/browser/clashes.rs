//! The page of `bvtree clash`: its table, its links, its files and its view.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::{LAPTOP, PHONE};

const BEGIN: &str = "id=\"data\">";
const END: &str = "</script>";
const COUNT: &str = "document.getElementById('count').textContent";
/// Evaluates to the fragment of the address, which names a clash, after the moment that it takes to change.
const HASH: &str = "new Promise((done) => setTimeout(() => done(location.hash), 300))";
pub const PICKED: &str = "document.getElementById('view').dataset.picked";

/// The page of the project's assembly.
fn assembly_page() -> &'static str {
    static HTML: OnceLock<String> = OnceLock::new();
    HTML.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clashes.html");
        let assembly = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/assembly.json");
        let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
        command.args(["clash", "--quiet", "--html"]).arg(&path).arg(assembly);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(&path).unwrap()
    })
}

/// The page of the project's assembly with its data changed by `change`, and the data.
fn page(change: impl FnOnce(&mut Value)) -> (PathBuf, TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clashes.html");
    let html = assembly_page();
    let (before, rest) = html.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut data = data_of(html);
    change(&mut data);
    fs::write(&path, format!("{before}{BEGIN}{data}{END}{after}")).unwrap();
    (path, folder, data)
}

/// The data in a page.
pub fn data_of(html: &str) -> Value {
    let (data, _) = html.split_once(BEGIN).unwrap().1.split_once(END).unwrap();
    serde_json::from_str(data).unwrap()
}

/// Changes a page's data to two trades, two storeys and everything else that a table may have, in millimetres.
fn a_building(data: &mut Value) {
    data["metres"] = 0.001.into();
    data["bodies"][0]["name"] = "=gear, 0".into();
    for (number, clash) in data["clashes"].as_array_mut().unwrap().iter_mut().enumerate() {
        clash["files"] = if number % 2 == 0 { json!(["Steel.ifc", "Ducts.ifc"]) } else { json!(["Steel.ifc"]) };
        clash["classes"] = if number < 3 { json!(["IfcBeam"]) } else { json!(["IfcBeam", "IfcWall"]) };
        clash["storeys"] = if number < 2 { json!(["Level 1"]) } else { json!(["Level 1", "Level 2"]) };
        clash["location"] = format!("Level 1, B-{}", 10 - number).into();
        clash["change"] = ["new", "same", "worse", "better"][number % 4].into();
        clash["rule"] = ["hard", "near"][usize::from(number == 4)].into();
        if number == 2 {
            clash["status"] = "approved".into();
            clash["reason"] = "-agreed".into();
        }
    }
}

/// The ids of the clashes that the table shows, from top to bottom.
fn rows(browser: &mut Chromium) -> Vec<String> {
    let found = browser.evaluate(
        "[...document.querySelectorAll('#rows .row')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex) \
         .map((row) => row.dataset.key)",
    );
    found.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

fn ids<'a>(clashes: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    clashes.into_iter().map(|clash| clash["id"].as_str().unwrap().to_owned()).collect()
}

pub fn set(browser: &mut Chromium, id: &str, value: &str) {
    browser.evaluate(&format!(
        "(() => {{ const input = document.getElementById('{id}'); input.value = '{value}'; \
         input.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    ));
}

pub fn click(browser: &mut Chromium, selector: &str) {
    browser.evaluate(&format!("document.querySelector('{selector}').click()"));
}

/// The depth of an overlap, 0 for a contact, and the negative distance of bodies apart.
fn severity(clash: &Value) -> f64 {
    clash["depth"].as_f64().unwrap_or(-clash["distance"].as_f64().unwrap())
}

fn deepest_first(data: &Value) -> Vec<&Value> {
    let mut clashes: Vec<_> = data["clashes"].as_array().unwrap().iter().collect();
    clashes.sort_by(|a, b| severity(b).total_cmp(&severity(a)));
    clashes
}

#[test]
fn clashes_are_grouped_by_issue_and_groups_fold() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(a_building);
    let sorted = deepest_first(&data);
    for size in [LAPTOP, PHONE] {
        browser.open(&page, size);
        let titles = browser.evaluate(
            "[...document.querySelectorAll('#rows .group')].map((group) => [group.dataset.key, \
             group.querySelector('.tally').textContent, group.ariaExpanded])",
        );
        let mut expected: Vec<(&str, usize)> = Vec::new();
        for clash in &sorted {
            let issue = clash["issue"].as_str().unwrap();
            match expected.iter_mut().find(|(title, _)| *title == issue) {
                Some((_, count)) => *count += 1,
                None => expected.push((issue, 1)),
            }
        }
        let expected: Value =
            expected.iter().map(|(title, count)| json!([title, count.to_string(), "false"])).collect();
        assert_eq!(titles, expected);
        assert_eq!(rows(&mut browser), Vec::<String>::new());

        click(&mut browser, "#rows .group");
        let own: Vec<&Value> = sorted.iter().copied().filter(|clash| clash["issue"] == sorted[0]["issue"]).collect();
        assert_eq!(rows(&mut browser), ids(own));
        assert_eq!(browser.text(HASH), format!("#{}", sorted[0]["id"].as_str().unwrap()));
        let bodies = [0, 1].map(|k| sorted[0]["bodies"][k].to_string()).join(" ");
        assert_eq!(browser.text(PICKED), bodies);
        assert!(browser.text("document.getElementById('told').textContent").contains("2.2 mm deep"));
        click(&mut browser, "#rows .group");
        assert_eq!(rows(&mut browser), Vec::<String>::new());
        click(&mut browser, "#grouping");
        assert_eq!(rows(&mut browser), ids(sorted.iter().copied()));
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), size[0]);
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn clashes_are_filtered_and_sorted() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(a_building);
    let sorted = deepest_first(&data);
    browser.open(&page, LAPTOP);
    click(&mut browser, "#grouping");
    type Test = fn(&Value) -> bool;
    let has = |list: &Value, text: &str| list.as_array().unwrap().iter().any(|value| value == text);
    let facets: [(&str, &str, Test); 9] = [
        ("type", "hard clash", |clash| clash["kind"] == "piercing"),
        ("type", "clearance", |clash| clash["kind"] == "too_near"),
        ("rule", "near", |clash| clash["rule"] == "near"),
        ("trade", "Ducts", |clash| clash["files"][1] == "Ducts.ifc"),
        ("trade", "Ducts × Steel", |clash| clash["files"].as_array().unwrap().len() == 2),
        ("class", "Wall", |clash| clash["classes"][1] == "IfcWall"),
        ("storey", "Level 2", |clash| clash["storeys"][1] == "Level 2"),
        ("status", "approved", |clash| clash["status"] == "approved"),
        ("change", "worse", |clash| clash["change"] == "worse"),
    ];
    assert!(has(&data["clashes"][0]["files"], "Ducts.ifc"));
    for (facet, value, test) in facets {
        set(&mut browser, facet, value);
        let expected = ids(sorted.iter().copied().filter(|clash| test(clash)));
        assert!(!expected.is_empty() && expected.len() < sorted.len(), "{facet} tests nothing");
        assert_eq!(rows(&mut browser), expected, "{facet} {value}");
        assert!(browser.text(COUNT).starts_with(&format!("{} of {} clashes", expected.len(), sorted.len())));
        click(&mut browser, "#unfilter");
        assert_eq!(rows(&mut browser).len(), sorted.len());
    }
    // Filters add up.
    set(&mut browser, "status", "open");
    set(&mut browser, "search", "Gear b-7");
    let open = sorted.iter().copied().filter(|clash| clash["status"].is_null());
    assert_eq!(rows(&mut browser), ids(open.filter(|clash| clash["location"] == "Level 1, B-7")));
    assert_eq!(rows(&mut browser).len(), 1);
    set(&mut browser, "status", "approved");
    assert_eq!(rows(&mut browser), Vec::<String>::new());
    click(&mut browser, "#unfilter");

    let sort_by = |browser: &mut Chromium, title: &str| {
        browser.evaluate(&format!(
            "[...document.querySelectorAll('#heads button')].find((head) => head.textContent === '{title}').click()"
        ));
        rows(browser)
    };
    // Two clashes may be equally deep.
    let severity_of = |id: &String| severity(sorted.iter().find(|clash| clash["id"] == id.as_str()).unwrap());
    let backwards: Vec<f64> = sort_by(&mut browser, "Depth").iter().map(severity_of).collect();
    assert_eq!(backwards, sorted.iter().rev().map(|clash| severity(clash)).collect::<Vec<_>>());
    for (title, key) in [("Change", "change"), ("Storey", "location"), ("Rule", "rule"), ("Body", "")] {
        let own = |id: &String| {
            let clash = sorted.iter().find(|clash| clash["id"] == id.as_str()).unwrap();
            let text = if key.is_empty() {
                data["bodies"][clash["bodies"][0].as_u64().unwrap() as usize]["name"].as_str().unwrap()
            } else {
                clash[key].as_str().unwrap()
            };
            // Numbers in names are ordered as numbers; punctuation comes first.
            text.replace("B-10", "B-A")
        };
        let forth: Vec<String> = sort_by(&mut browser, title).iter().map(own).collect();
        assert!(forth.is_sorted() && forth.len() == sorted.len(), "{title}: {forth:?}");
        let back: Vec<String> = sort_by(&mut browser, title).iter().map(own).collect();
        assert!(back.iter().rev().is_sorted(), "{title}: {back:?}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn lengths_are_shown_in_the_unit_that_was_chosen() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(a_building);
    browser.open(&page, LAPTOP);
    click(&mut browser, "#grouping");
    let depths = "[...document.querySelectorAll('#rows .depth > span:first-child')].map((cell) => cell.textContent)";
    assert_eq!(browser.evaluate(depths)[0], "2.2 mm");
    set(&mut browser, "least", "2");
    let deep = data["clashes"].as_array().unwrap().iter().filter(|clash| severity(clash) >= 2.0).count();
    assert_eq!(rows(&mut browser).len(), deep);
    click(&mut browser, "[name=unit][value=m]");
    assert_eq!(browser.evaluate(depths)[0], "0.002 m");
    assert_eq!(browser.text("document.getElementById('least').value"), "0.002");
    click(&mut browser, "#rows .row");
    assert_eq!(rows(&mut browser).len(), deep);
    // The choice is remembered.
    browser.open(&page, LAPTOP);
    assert!(browser.text("document.querySelector('#rows .worst').textContent").ends_with(" m"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn keys_and_links_lead_to_clashes() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(a_building);
    let sorted = ids(deepest_first(&data));
    browser.media("screen");
    browser.open(&page, LAPTOP);
    click(&mut browser, "#grouping");
    browser.evaluate("document.getElementById('rows').focus()");
    for (key, place) in [("ArrowDown", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 6), ("Home", 0)]
    {
        browser.press(key);
        assert_eq!(browser.text(HASH), format!("#{}", sorted[place]));
        assert_eq!(browser.text("document.querySelector('[aria-selected=true]').dataset.key"), sorted[place]);
    }
    let flown = browser.picture("#view");
    browser.evaluate("document.getElementById('view').focus()");
    for _ in 0..4 {
        browser.press("ArrowLeft");
    }
    browser.press("Escape");
    assert_eq!(browser.text(PICKED), "");
    assert_eq!(browser.text(HASH), "");
    assert_eq!(browser.evaluate("document.querySelector('[aria-selected=true]')"), Value::Null);
    browser.evaluate("document.getElementById('rows').focus()");
    browser.press("ArrowDown");
    assert_eq!(browser.picture("#view"), flown);
    // Enter flies back after the reader has moved on.
    click(&mut browser, "#view");
    browser.evaluate("document.getElementById('view').focus()");
    browser.press("Home");
    assert_ne!(browser.picture("#view"), flown);
    browser.evaluate("document.getElementById('rows').focus()");
    browser.press("Enter");
    assert_eq!(browser.picture("#view"), flown);

    // A link opens its clash even if the filters hide it, and a folded group.
    click(&mut browser, "#grouping");
    set(&mut browser, "search", "no such body");
    assert_eq!(rows(&mut browser), Vec::<String>::new());
    browser.evaluate(&format!("location.hash = '#{}'", sorted[3]));
    browser.resize(LAPTOP);
    assert_eq!(browser.text("document.querySelector('[aria-selected=true]').dataset.key"), sorted[3]);
    assert_eq!(browser.text("document.getElementById('search').value"), "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_is_filtered_is_saved_and_printed() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(a_building);
    browser.open(&page, LAPTOP);
    set(&mut browser, "type", "hard clash");
    set(&mut browser, "class", "Beam");
    set(&mut browser, "storey", "Level 1");
    set(&mut browser, "least", "1.97");
    let expected: Vec<&Value> = deepest_first(&data).into_iter().filter(|clash| severity(clash) >= 1.97).collect();
    let saved = browser.text(
        "(() => { let saved; URL.createObjectURL = (blob) => { saved = blob; return '#'; }; \
         document.getElementById('export').click(); return saved.text(); })()",
    );
    let mut reader = csv::Reader::from_reader(saved.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let column = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let saved_ids: Vec<String> = records.iter().map(|record| record[column("id")].to_owned()).collect();
    assert_eq!(saved_ids, ids(expected.iter().copied()));
    for (record, clash) in records.iter().zip(&expected) {
        assert_eq!(record[column("depth")].parse::<f64>().unwrap(), clash["depth"].as_f64().unwrap());
        assert_eq!(&record[column("change")], clash["change"].as_str().unwrap());
        // A spreadsheet reads names and reasons as text.
        let is_first = clash["bodies"][0] == 0;
        assert_eq!(&record[column("a")] == "'=gear, 0", is_first);
        assert_eq!(&record[column("reason")] == "'-agreed", !clash["reason"].is_null());
    }
    assert!(records.iter().any(|record| record[column("a")].starts_with('\'')));
    assert!(records.iter().any(|record| record[column("reason")].starts_with('\'')));

    browser.media("print");
    browser.evaluate("dispatchEvent(new Event('beforeprint'))");
    let lines = "document.querySelectorAll('#paper tbody tr:has(td)').length";
    assert_eq!(browser.evaluate(lines), expected.len());
    let seen = ["#paper", "#summary", ".columns", "#export", "#theme"]
        .map(|selector| browser.evaluate(&format!("document.querySelector('{selector}').checkVisibility()")) == true);
    assert_eq!(seen, [true, true, false, false, false]);
    browser.evaluate("document.getElementById('theme').click()");
    let ground = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.text(ground), "rgb(255, 255, 255)");
    browser.evaluate("dispatchEvent(new Event('afterprint'))");
    browser.media("screen");
    assert_eq!(browser.evaluate(lines), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn long_tables_draw_only_the_rows_that_are_seen() {
    let Some(mut browser) = Chromium::start() else { return };
    let (page, _folder, data) = page(|data| {
        let clashes = data["clashes"].as_array().unwrap().clone();
        let repeated = (0..3000).map(|number| {
            let mut clash = clashes[number % clashes.len()].clone();
            clash["id"] = format!("id-{number:04}").into();
            clash["depth"] = f64::from(3000 - number as u32).into();
            clash
        });
        data["clashes"] = repeated.collect();
    });
    browser.open(&page, LAPTOP);
    click(&mut browser, "#grouping");
    assert_eq!(rows(&mut browser)[0], "id-0000");
    browser.evaluate("document.getElementById('rows').scrollTop = 1e9");
    browser.resize(LAPTOP);
    let last = rows(&mut browser);
    assert!(last.len() < 60, "{} rows are in the document", last.len());
    assert_eq!(last.last().unwrap(), data["clashes"][2999]["id"].as_str().unwrap());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
