//! Manifests in TOML: assets, with options for all of them and for each.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::settings::Settings;
use crate::error::CliError;
use crate::input::read_text;

/// What a manifest says.
pub struct Manifest {
    /// Where cooked files go.
    pub output: Option<PathBuf>,
    pub entries: Vec<Entry>,
}

/// One or several assets.
pub struct Entry {
    /// A file, a folder or a glob.
    pub input: PathBuf,
    /// Below the output.
    pub folder: PathBuf,
    pub settings: Settings,
}

/// As it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    output: Option<PathBuf>,
    #[serde(default)]
    defaults: Settings,
    asset: Vec<toml::Spanned<Table>>,
}

impl Manifest {
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let text = read_text(path, "a manifest")?;
        let wrong = |message: &str, at: Option<usize>| {
            let place = at.map(|at| format!(", line {}", text[..at.min(text.len())].matches('\n').count() + 1));
            let message = message.trim().replace('\n', ", ");
            CliError::new(format!("{}{}: {message}", path.display(), place.unwrap_or_default()))
        };
        let file: File =
            toml::from_str(&text).map_err(|error| wrong(error.message(), error.span().map(|span| span.start)))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut entries = Vec::new();
        for asset in file.asset {
            let at = Some(asset.span().start);
            let mut table = asset.into_inner();
            let mut take = |key: &str| match table.remove(key) {
                None => Ok(None),
                Some(Value::String(text)) => Ok(Some(text)),
                Some(other) => Err(wrong(&format!("`{key}`: expected a text, found {}", other.type_str()), at)),
            };
            let input = take("input")?.ok_or_else(|| wrong("an asset lacks its `input`", at))?;
            let below = PathBuf::from(take("folder")?.unwrap_or_default());
            let is_below = |part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir);
            if !below.components().all(is_below) {
                return Err(wrong("`folder`: expected one below the output", at));
            }
            let settings: Settings = Value::Table(table).try_into().map_err(|error| wrong(error.message(), at))?;
            let settings = settings.over(&file.defaults);
            entries.push(Entry { input: folder.join(input), folder: below, settings });
        }
        Ok(Self { output: file.output.map(|output| folder.join(output)), entries })
    }
}
