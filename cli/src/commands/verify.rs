//! `bvtree verify`: checks that cooked files are sound.

use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;
use serde_json::Value;

use crate::error::CliError;
use crate::input;
use crate::output::{Format, Layout, Table};

/// Check the checksums and structure of cooked files, and that every volume encloses its triangles
///
/// Every command that opens a file checks its checksums and structure; only this command and `info --verify` also check
/// the volumes. A file that this program cooked and that has not changed since passes all checks.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Cooked trees, or folders of cooked trees
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format of the rows
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bvtree verify cooked
  bvtree verify cooked/gear.obb.bvt --format json

Text has a row for each file that fails, with the reason; CSV and JSON have a row
for each file. Exits with 2 if any file fails.";

const COLUMNS: [&str; 4] = ["file", "sound", "triangles", "reason"];

pub fn run(args: &VerifyArgs, quiet: bool) -> Result<(), CliError> {
    let mut files = Vec::new();
    for file in &args.files {
        if file.is_dir() {
            files.extend(cooked_below(file)?);
        } else {
            files.push(file.clone());
        }
    }
    let mut table = Table::new(args.format, &COLUMNS, Layout::Columns(&COLUMNS));
    let mut bad = 0;
    for block in files.chunks(256) {
        let results: Vec<_> = block.par_iter().map(|file| verify(file)).collect();
        for (file, result) in block.iter().zip(results) {
            let (triangles, reason) = match result {
                Ok(triangles) => (triangles.into(), Value::Null),
                Err(error) => (Value::Null, error.message().into()),
            };
            bad += usize::from(!reason.is_null());
            if !reason.is_null() || args.format != Format::Text {
                table.row(vec![file.display().to_string().into(), reason.is_null().into(), triangles, reason])?;
            }
        }
        table.flush()?;
    }
    table.finish()?;
    if bad > 0 {
        return Err(CliError::new(format!("{bad} of {} files are not sound", files.len()))
            .hint("cook them again: with --force if the meshes have not changed"));
    }
    if !quiet && args.format == Format::Text {
        eprintln!("{} files are sound", files.len());
    }
    Ok(())
}

fn cooked_below(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut files = input::files_below(folder, |_| true)?;
    let is_cooked = |path: &Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bvt"));
    files.retain(|path| is_cooked(path) && input::is_file_or_lost(path));
    if files.is_empty() {
        return Err(CliError::new(format!("there is no cooked file in the folder {}", folder.display())));
    }
    Ok(files)
}

/// Verifies a cooked file and returns its number of triangles.
fn verify(file: &Path) -> Result<usize, CliError> {
    let tree = input::open_cooked(file)?;
    match tree.validate().first() {
        Some(defect) => Err(CliError::new(format!("{} is not a sound tree: {defect}", file.display()))),
        None => Ok(tree.triangle_count()),
    }
}
