//! Manifests in TOML: assets, with options for all of them and for each.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::commands::cook::settings::Settings;
use crate::error::CliError;
use crate::input::read_text;

/// A parsed manifest.
pub struct Manifest {
    /// The output folder.
    pub output: Option<PathBuf>,
    pub entries: Vec<Entry>,
}

/// One or several assets.
pub struct Entry {
    /// A file, a folder or a glob.
    pub input: PathBuf,
    /// The folder for the cooked files, below the output folder.
    pub folder: PathBuf,
    pub settings: Settings,
}

/// The manifest as it is deserialized.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    output: Option<PathBuf>,
    #[serde(default)]
    defaults: Settings,
    /// The assets, which are parsed one by one.
    #[serde(rename = "asset")]
    _assets: Vec<IgnoredAny>,
}

impl Manifest {
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let text = read_text(path, "a manifest")?;
        parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(|Wrong { message, at }| {
            let place = at.map(|at| format!(", line {}", text[..at.min(text.len())].matches('\n').count() + 1));
            let message = message.trim().replace('\n', ", ");
            CliError::new(format!("{}{}: {message}", path.display(), place.unwrap_or_default()))
        })
    }
}

/// An error in a manifest and its byte offset.
struct Wrong {
    message: String,
    at: Option<usize>,
}

fn wrong(message: impl Into<String>, at: usize) -> Wrong {
    Wrong { message: message.into(), at: Some(at) }
}

impl From<toml::de::Error> for Wrong {
    fn from(error: toml::de::Error) -> Self {
        Self { message: error.message().to_owned(), at: error.span().map(|span| span.start) }
    }
}

fn parse(text: &str, folder: &Path) -> Result<Manifest, Wrong> {
    let mut root = DeTable::parse(text)?;
    let File { output, defaults, .. } = File::deserialize(Deserializer::from(root.clone()))?;
    let assets = match root.get_mut().remove("asset").map(Spanned::into_inner) {
        Some(DeValue::Array(assets)) => assets,
        _ => DeArray::new(),
    };
    let entries = assets.into_iter().map(|asset| entry(asset, folder, &defaults)).collect::<Result<_, _>>()?;
    Ok(Manifest { output: output.map(|output| folder.join(output)), entries })
}

/// Parses an asset's table. Values keep their location in the file, so that errors have a line.
fn entry(asset: Spanned<DeValue<'_>>, folder: &Path, defaults: &Settings) -> Result<Entry, Wrong> {
    let span = asset.span();
    let DeValue::Table(mut table) = asset.into_inner() else {
        return Err(wrong("expected the table of an asset", span.start));
    };
    let mut take = |key: &str| match table.remove(key).map(|value| (value.span().start, value.into_inner())) {
        None => Ok(None),
        Some((at, DeValue::String(text))) => Ok(Some((at, PathBuf::from(&*text)))),
        Some((at, other)) => Err(wrong(format!("`{key}`: expected a text, found {}", other.type_str()), at)),
    };
    let (_, input) = take("input")?.ok_or_else(|| wrong("an asset lacks its `input`", span.start))?;
    let (at, below) = take("folder")?.unwrap_or_default();
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !below.components().all(is_below) {
        return Err(wrong("`folder`: expected one below the output", at));
    }
    let settings = Settings::deserialize(ValueDeserializer::from(Spanned::new(span, DeValue::Table(table))))?;
    Ok(Entry { input: folder.join(input), folder: below, settings: settings.over(defaults) })
}
