//! `docs/questions.md` and its other pages list every question with its name in all languages. Each name exists; the
//! names of a row consist of the same words; and no question of `CLASSES`, no free function of Python and C and no
//! subcommand of the command line is missing. Reads text alone; no binding is built.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LANGUAGES: [&str; 6] = ["Rust", "Python", "C", "C++", "JavaScript", "command line"];

/// The pages of the table, in docs/.
const PAGES: [&str; 3] = ["questions.md", "shape-questions.md", "robot-questions.md"];

/// Classes whose functions must all be in the table.
const CLASSES: [&str; 5] = ["Query", "Probe", "Scene", "DistanceTracker", "DeformingTree"];

/// Functions of those classes that ask nothing about meshes: makers, settings, and what an object is made of.
const NOT_QUESTIONS: &str = "new with_simd with_options make of stats volume_tests triangle_tests interrupt_when \
    set_solids solids set_mask mask set_masks masks certainty take_interrupted \
    add add_all remove set_pose set_poses set_groups set_ignored set_pair_filter set_tree set_shape set_compound \
    add_shape add_compound include_static_pairs body set_geometry bodies len count free version is_empty is_solid \
    pose size options tree mesh closest_point_within";

/// Beginnings of C's functions that make, free and describe objects.
const C_OBJECTS: [&str; 17] = [
    "abi_version",
    "character_",
    "compound_",
    "convex_shape_",
    "deforming_tree_",
    "distance_tracker_",
    "format_version",
    "last_error",
    "mesh_",
    "pool_",
    "pose_",
    "probe_",
    "query_",
    "robot_",
    "simd_",
    "status_name",
    "tree_",
];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of all files below a folder whose names end so.
fn texts(folder: &str, ending: &str) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.to_string_lossy().ends_with(ending) => found.push(read(&path)),
                false => {}
            }
        }
    }
    found
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// `pub fn` by the type or, of free functions, by nothing; if asked for with names for JavaScript, where the name of a
/// class stands for its constructor.
fn rust_functions(folder: &str, separator: &str, javascript: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in texts(folder, ".rs") {
        let (mut class, mut renamed) = (String::new(), None);
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("impl ").filter(|rest| !rest.contains(" for ")) {
                class = format!("{}{separator}", identifier(rest));
                if javascript {
                    names.insert(identifier(rest).to_owned());
                }
            } else if line == "}" {
                class.clear();
            }
            let code = line.trim_start();
            let depth = line.len() - code.len();
            if javascript && code.starts_with("#[wasm_bindgen(") && depth <= 4 {
                renamed = code.split_once("js_name = ").map(|(_, name)| identifier(name).to_owned());
            }
            let function =
                ["pub fn ", "pub const fn ", "pub unsafe fn "].iter().find_map(|start| code.strip_prefix(start));
            if let Some(function) = function
                && depth <= 4
            {
                let name = renamed.take().unwrap_or_else(|| identifier(function).to_owned());
                names.insert(format!("{class}{name}"));
            }
        }
    }
    names
}

/// Functions and methods; the name of a class stands for its constructor.
fn python_functions() -> BTreeSet<String> {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("python/bvtree/_bvtree.pyi"));
    let (mut names, mut class) = (BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("class ") {
            class = format!("{}.", identifier(rest));
            names.insert(identifier(rest).to_owned());
        } else if let Some(rest) = line.strip_prefix("def ") {
            names.insert(identifier(rest).to_owned());
        } else if let Some(rest) = line.strip_prefix("    def ") {
            names.insert(format!("{class}{}", identifier(rest)));
        }
    }
    names
}

fn c_functions() -> BTreeSet<String> {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("capi/include/bvtree.h"));
    let declarations = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    let calls = declarations.filter_map(|line| line.split_once('(')).map(|(before, _)| before);
    let names = calls.filter_map(|before| before.rsplit([' ', '*']).next());
    names.filter(|name| name.starts_with("bvt_")).map(str::to_owned).collect()
}

fn cpp_functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in texts("capi/include/bvtree", ".hpp") {
        let mut scope = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("class ") {
                scope = format!("{}::", identifier(rest));
            } else if line == "namespace many {" {
                scope = "many::".to_owned();
            } else if line == "};" || line.starts_with("} // namespace") {
                scope.clear();
            }
            let indented = line.starts_with("    ") && !line.starts_with("     ");
            let declares = line.starts_with("inline ") || indented && line.contains("Result<");
            if let Some((before, _)) = line.split_once('(').filter(|_| declares) {
                let name = before.rsplit([' ', '*']).next().unwrap_or_default();
                names.insert(format!("{scope}{name}"));
            }
        }
    }
    names
}

/// All subcommands; `query` by its modes.
fn command_line() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let main = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/src/lib.rs"));
    let (_, commands) = main.split_once("enum Command {\n").expect("cli/src/lib.rs has the subcommands");
    let mut renamed = None;
    for line in commands.split("\n}").next().unwrap_or_default().lines().map(str::trim) {
        if let Some((_, name)) = line.split_once("name = \"") {
            renamed = name.split('"').next().map(str::to_owned);
        } else if line.starts_with(char::is_uppercase) {
            names.insert(renamed.take().unwrap_or_else(|| words(identifier(line)).join("-")));
        }
    }
    assert!(names.remove("query"), "{names:?}");
    for text in texts("cli/src", ".rs") {
        let Some((_, modes)) = text.split_once("pub enum Mode {\n") else { continue };
        if !modes.contains("Distance") {
            continue;
        }
        let modes = modes.split("\n}").next().unwrap_or_default().lines().map(str::trim);
        for mode in modes.filter(|line| line.starts_with(char::is_uppercase)) {
            names.insert(format!("query --mode {}", words(identifier(mode)).join("-")));
        }
    }
    names
}

/// The words of a name in any case.
fn words(name: &str) -> Vec<String> {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake.split(['_', '-']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a name that say what is asked: without its class, plurals, and what says how answers are given.
fn topic(name: &str) -> BTreeSet<String> {
    let name = name.rsplit([':', '.', ' ']).next().unwrap_or_default();
    let mut name = name;
    for prefix in [
        "bvt_scene_",
        "bvt_distance_tracker_",
        "bvt_deforming_tree_",
        "bvt_mesh_",
        "bvt_tree_",
        "bvt_character_",
        "bvt_robot_",
        "bvt_query_",
        "bvt_probe_",
        "bvt_convex_shape_",
        "bvt_",
    ] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    let fillers = ["for", "each", "all", "first", "many", "with", "pose"];
    let singular = |word: String| match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if word == "patches" => "patch".to_owned(),
        None => word.strip_suffix('s').unwrap_or(&word).to_owned(),
    };
    words(name).into_iter().filter(|word| !fillers.contains(&word.as_str())).map(singular).collect()
}

/// The names in backticks.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_question_has_one_name_in_all_languages() {
    let mut rust = rust_functions("src", "::", false);
    rust.extend(rust_functions("robot/src", "::", false));
    rust.insert("metrics".to_owned());
    for module in ["query", "query::many", "probe"] {
        let folder = format!("src/{}", module.replace("::", "/"));
        rust.extend(rust_functions(&folder, "::", false).iter().map(|name| format!("{module}::{name}")));
    }
    let javascript = rust_functions("web/src", ".", true);
    let interfaces = [rust, python_functions(), c_functions(), cpp_functions(), javascript, command_line()];
    let pages = PAGES.map(|page| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page)));

    let mut listed: [BTreeSet<&str>; 6] = Default::default();
    let mut wrong = Vec::new();
    // The table of shapes has Rust's names.
    let (of_shapes, sections): (Vec<&str>, Vec<&str>) =
        pages.iter().flat_map(|page| page.split("\n## ")).partition(|section| section.starts_with("Shapes\n"));
    assert_eq!(of_shapes.len(), 1);
    for name in of_shapes.iter().flat_map(|section| names(section)).filter(|name| name.contains("::")) {
        if !interfaces[0].contains(name) {
            wrong.push(format!("shapes: Rust has no {name}"));
        }
    }
    let lines = sections.iter().flat_map(|section| section.lines());
    for row in lines.filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [question, languages @ .., note] = &cells[..] else { continue };
        assert_eq!(languages.len(), LANGUAGES.len(), "{row}");
        let mut topics = BTreeSet::new();
        for (language, cell) in languages.iter().enumerate() {
            for name in names(cell) {
                if !interfaces[language].contains(name) {
                    wrong.push(format!("{question}: {} has no {name}", LANGUAGES[language]));
                }
                topics.insert(topic(name));
                listed[language].insert(name);
            }
        }
        if (topics.len() > 1) != note.starts_with("Names differ: ") {
            wrong.push(format!("{question}: the names have the words {topics:?}, and the note is {note:?}"));
        }
    }
    let not_questions: BTreeSet<&str> = NOT_QUESTIONS.split_whitespace().collect();
    for (language, names) in interfaces.iter().enumerate() {
        for name in names {
            let (class, function) = name.rsplit_once([':', '.']).unwrap_or(("", name));
            let function = words(function).join("_");
            let is_question = match LANGUAGES[language] {
                "C" => {
                    let function = name.trim_start_matches("bvt_").trim_start_matches("scene_");
                    !not_questions.contains(function) && !C_OBJECTS.iter().any(|object| function.starts_with(object))
                }
                "command line" => true,
                "Python" if class.is_empty() => {
                    !function.starts_with("pose_") && !name.starts_with('_') && !name.starts_with(char::is_uppercase)
                }
                _ => CLASSES.contains(&class.trim_end_matches(':')),
            };
            let is_private = function.is_empty() || name.contains('_') && name.contains("__");
            if is_question
                && !is_private
                && !not_questions.contains(function.as_str())
                && !listed[language].contains(name.as_str())
            {
                wrong.push(format!("{} has {name}, which the pages of docs/questions.md lack", LANGUAGES[language]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
