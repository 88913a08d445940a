//! `docs/promises.md` lists every promise with the tests that hold it. Each of those tests exists, and every promise of
//! `README.md` is listed. Reads text alone.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a file has a test of this name, by the rules of its language.
fn has_test(file: &str, text: &str, name: &str) -> bool {
    match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        // The attribute stands right before the function, or other attributes stand between them.
        Some("rs") => text.split("#[test]").skip(1).any(|rest| {
            let code = rest.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("#["));
            let function = code.and_then(|line| line.strip_prefix("fn ")).and_then(|line| line.strip_prefix(name));
            function.is_some_and(|rest| rest.starts_with('('))
        }),
        Some("py") => text.contains(&format!("\ndef {name}(")),
        Some("mjs") => text.contains(&format!("\ntest(\"{name}\"")),
        _ => false,
    }
}

#[test]
fn every_promise_has_tests_that_exist() {
    let page = read("docs/promises.md");
    let (promises, _) = page.split_once("\n## Figures\n").unwrap();
    let mut count = 0;
    for row in promises.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Promise")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [promise, held_by] = cells[..] else { continue };
        let (mut file, mut text, mut found) = ("", String::new(), 0);
        for word in quoted(held_by) {
            if Path::new(env!("CARGO_MANIFEST_DIR")).join(word).is_file() {
                (file, text) = (word, read(word));
                // A program of examples or of CI is a check by itself.
                found += usize::from(file.ends_with(".c") || file.starts_with(".ci/") || file.ends_with(".sh"));
            } else {
                assert!(has_test(file, &text, word), "docs/promises.md: {file:?} has no test `{word}`");
                found += 1;
            }
        }
        assert!(found > 0, "docs/promises.md: nothing holds {promise}");
        count += 1;
    }
    assert!(count > 30, "{count} promises");
}

#[test]
fn the_readme_promises_nothing_else() {
    let (readme, page) = (read("README.md"), read("docs/promises.md"));
    let (_, guaranteed) = readme.split_once("## What is guaranteed").unwrap();
    let (guaranteed, _) = guaranteed.split_once("\n## ").unwrap();
    let titles: Vec<&str> = guaranteed
        .lines()
        .filter_map(|line| line.strip_prefix("* **")?.split_once("**"))
        .map(|(title, _)| title)
        .collect();
    assert!(titles.len() > 4);
    for title in titles {
        let heading = format!("\n## {}\n", title.trim_end_matches('.'));
        assert!(page.contains(&heading), "docs/promises.md has no section `{title}` of README.md");
    }
}
