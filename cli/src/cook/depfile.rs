//! Rules for make and ninja: which files each cooked file depends on.

use std::path::Path;

use super::plan::Plan;
use super::up_to_date::Records;
use crate::error::CliError;
use crate::whole_file;

/// Writes a rule for each asset that is cooked.
pub fn write(path: &Path, plan: &Plan, known: &Records, manifest: Option<&Path>) -> Result<(), CliError> {
    let mut text = String::new();
    for asset in &plan.assets {
        let Some(record) = known.by_asset.get(&asset.name) else { continue };
        let outputs: Result<Vec<_>, _> =
            record.outputs.iter().map(|output| escaped(&plan.output.join(&output.path))).collect();
        let inputs = [asset.input.as_path()].into_iter().chain(record.files.iter().map(|file| file.as_path()));
        let inputs: Result<Vec<_>, _> = inputs.chain(manifest).map(escaped).collect();
        text += &format!("{}: {}\n", outputs?.join(" "), inputs?.join(" "));
    }
    whole_file::write(path, "the dependencies", text.as_bytes())
}

/// As both programs read names; no line break is among them.
fn escaped(path: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' | ':' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            '\n' | '\r' => {
                let message =
                    format!("{} has a line break in its name, which make and ninja can't read", path.display());
                return Err(CliError::new(message).hint("rename it, or leave out --depfile"));
            }
            _ => text.push(c),
        }
    }
    Ok(text)
}
