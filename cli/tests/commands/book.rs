//! Commands in the book and on the other pages: those that are shown with output must print it in a copy of `data/`;
//! the others must exist, with all their options.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Workplace;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The pages that users read, with their texts.
fn pages() -> Vec<(String, String)> {
    let folders = ["docs/book/src", "docs", "", "capi", "python", "web"];
    let markdown = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let paths = markdown.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "md"));
    paths.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

/// The fenced blocks of a page, each with its info string.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let (mut found, mut open) = (Vec::new(), None);
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => open = Some((kind, String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, text)), None) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

/// Whether the output is as expected, where `...` matches anything and a run of white space any other.
fn matches(expected: &str, output: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (expected, output) = (words(expected), words(output));
    let mut parts = expected.split("...").map(str::trim);
    let Some(mut rest) = output.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A folder with `data/` in it, and the manifest and the robot of a page that has one.
fn workplace(page: &str) -> Workplace {
    let workplace = Workplace::new();
    for entry in fs::read_dir(root().join("data")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        workplace.write(&format!("data/{name}"), &fs::read_to_string(&path).unwrap());
    }
    for (kind, text) in blocks(page) {
        match kind {
            "json" => workplace.write("own.json", &text),
            "xml" => workplace.write("own.urdf", &text),
            _ => {}
        }
    }
    for (name, mesh) in door_in_its_opening() {
        workplace.write(name, &mesh);
    }
    workplace
}

/// The wall and the door of the page on depths: a frame 0.2 m thick about an opening of 1 by 2 m, which the door fills.
fn door_in_its_opening() -> [(&'static str, String); 2] {
    let [low, high] = [[-0.5, -1.0, -0.1], [0.5, 1.0, 0.1]];
    let corner = |half: [f64; 2], z: f64| format!("v {} {} {z}\n", half[0], half[1]);
    let ring = |x: f64, y: f64, z: f64| [[-x, -y], [x, -y], [x, y], [-x, y]].map(|half| corner(half, z)).concat();
    let door = ring(high[0], high[1], low[2])
        + &ring(high[0], high[1], high[2])
        + "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    // Outer rings below and above, then inner ones: 1 to 4, 5 to 8, 9 to 12, 13 to 16.
    let mut wall =
        ring(1.5, 2.0, low[2]) + &ring(1.5, 2.0, high[2]) + &ring(0.5, 1.0, low[2]) + &ring(0.5, 1.0, high[2]);
    for i in 0..4 {
        let j = (i + 1) % 4;
        wall += &format!("f {} {} {} {}\n", i + 1, j + 1, j + 5, i + 5); // outside
        wall += &format!("f {} {} {} {}\n", j + 9, i + 9, i + 13, j + 13); // inside of the opening
        wall += &format!("f {} {} {} {}\n", j + 1, i + 1, i + 9, j + 9); // below
        wall += &format!("f {} {} {} {}\n", i + 5, j + 5, j + 13, i + 13); // above
    }
    [("wall.obj", wall), ("door.obj", door)]
}

#[test]
fn commands_print_what_the_pages_say() {
    let program = Path::new(env!("CARGO_BIN_EXE_bvtree"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let (mut count, mut wrong) = (0, String::new());
    for (name, page) in pages() {
        let commands: Vec<String> = blocks(&page)
            .into_iter()
            .filter(|(kind, text)| *kind == "text" && text.starts_with("$ "))
            .flat_map(|(_, text)| text.trim_start_matches("$ ").split("\n$ ").map(str::to_owned).collect::<Vec<_>>())
            .collect();
        if commands.is_empty() {
            continue;
        }
        let workplace = workplace(&page);
        for command in commands {
            let (line, expected) = command.split_once('\n').unwrap_or((&command, ""));
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("{line} 2>&1")).current_dir(workplace.path(""));
            let done = shell.env("PATH", &path).env_remove("BVTREE_SIMD").output().unwrap();
            let output = String::from_utf8(done.stdout).unwrap();
            assert!(done.status.success(), "{name}: $ {line}\n{output}");
            if !matches(expected, &output) {
                wrong += &format!("{name}: $ {line}\nprints\n{output}\nand not\n{expected}\n");
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 12, "{count} commands");
}

#[test]
fn commands_without_output_have_their_options() {
    let workplace = Workplace::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for (name, page) in pages() {
        for (_, text) in
            blocks(&page).into_iter().filter(|(kind, _)| kind.starts_with("sh") || kind.starts_with("text"))
        {
            let lines = text.lines().map(|line| line.trim_start_matches("$ ").split(" #").next().unwrap());
            for line in lines.filter(|line| line.starts_with("bvtree ")) {
                let mut words = line.split_whitespace().skip(1).take_while(|word| *word != "|");
                let command = words.next().unwrap();
                if command == "COMMAND" {
                    continue;
                }
                let help =
                    helps.entry(command.to_owned()).or_insert_with(|| workplace.answer(&format!("{command} --help")));
                for option in words.filter(|word| word.starts_with('-') && *word != "-") {
                    let option = option.split('=').next().unwrap();
                    assert!(help.contains(option), "{name}: `{line}`: {command} has no {option}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count} commands");
}
