//! Fuzz target for the texts that the program reads: poses, points, manifests of `cook` and `clash`, and texts that are
//! read as statuses, BCF markup, rules and baselines. Each is read, or rejected with a one-line message. The first byte
//! picks the kind of text.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use bvtree_clash::{Assembly, bcf, rules};
use clap::Parser;

use crate::commands::clash::baseline::Baseline;
use crate::commands::clash::baseline::Statuses;
use crate::commands::clash::manifest;
use crate::commands::cook::manifest::Manifest;
use crate::csv_tables::read_numbers;
use crate::error::CliError;
use crate::input::Meshes;
use crate::input::TreeArgs;
use crate::poses::Poses;

#[derive(Parser)]
struct Trees {
    #[command(flatten)]
    args: TreeArgs,
}

/// A temporary folder that holds a mesh for manifests to name.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("bvtree-texts-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a mesh");
    folder
});

pub fn check(data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else { return };
    let path = FOLDER.join("text");
    fs::write(&path, text).expect("a file");
    let outcome = match choice % 5 {
        0 => Poses::read(&path).map(|poses| {
            assert!(poses.rows.iter().all(|row| row.label < poses.labels.len() && row.pose.deviation() <= 1e-4));
            poses.warnings([&path, &path]).iter().for_each(|note| assert!(!note.is_empty()));
        }),
        1 => read_numbers(&path, "points", &["x", "y", "z"])
            .map(|points| assert!(points.iter().flatten().all(|x| x.is_finite()))),
        2 => Manifest::read(&path).map(|manifest| {
            for entry in manifest.entries {
                assert!(!entry.settings.recipe().trees.is_empty() && entry.folder.is_relative());
            }
        }),
        3 => clash(&path),
        _ => {
            is_told(Statuses::read([path.as_path()]).map(drop));
            is_told(bcf::decisions(&String::from_utf8_lossy(text)).map(drop).map_err(CliError::new));
            let text = String::from_utf8_lossy(text);
            is_told(rules::add_toml(&text, "rules.toml", &mut Assembly::default()).map_err(CliError::from));
            Baseline::read(&path).map(|baseline| assert!(baseline.gone().len() <= text.len()))
        }
    };
    is_told(outcome);
}

fn is_told(outcome: Result<(), CliError>) {
    if let Err(error) = outcome {
        let message = error.message();
        assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
    }
}

fn clash(path: &std::path::Path) -> Result<(), CliError> {
    let Trees { args } = Trees::parse_from(["bvtree"]);
    let (mut meshes, mut assembly) = (Meshes::new(&args), Assembly::default());
    manifest::read(path, &mut meshes, &mut assembly)?;
    let count = assembly.parts.len();
    assert!(assembly.ignored.iter().all(|&[a, b]| a <= b && b < count));
    assert!(assembly.clearance.is_none_or(|clearance| clearance.is_finite() && clearance >= 0.0));
    Ok(())
}

#[cfg(test)]
#[test]
fn texts_are_read_or_refused() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/texts");
    let mut count = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0);
    fs::remove_dir_all(&*FOLDER).unwrap();
}
