//! Manifests in TOML: assets, with options for all of them and for each.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::commands::cook::settings::Settings;
use crate::csv_tables::parse_finite;
use crate::error::CliError;
use crate::input::read_text;
use crate::output::object;

/// A parsed manifest.
pub struct Manifest {
    /// The output folder.
    pub output: Option<PathBuf>,
    pub entries: Vec<Entry>,
}

/// An `[[asset]]` of the manifest: one mesh file or several, with their settings.
pub struct Entry {
    /// A file, a folder or a glob.
    pub input: PathBuf,
    /// The folder for the cooked files, below the output folder.
    pub folder: PathBuf,
    pub settings: Settings,
}

impl Manifest {
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let text = read_text(path, "a manifest")?;
        parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(|wrong| wrong.in_file(path, &text))
    }
}

/// An error in a TOML file and its byte offset.
struct Wrong {
    message: String,
    at: Option<usize>,
}

impl Wrong {
    /// The error with the file's name and the line.
    fn in_file(self, path: &Path, text: &str) -> CliError {
        let place = self.at.map(|at| format!(", line {}", text[..at.min(text.len())].matches('\n').count() + 1));
        let message = self.message.trim().replace('\n', ", ");
        CliError::new(format!("{}{}: {message}", path.display(), place.unwrap_or_default()))
    }
}

fn wrong(message: impl Into<String>, at: usize) -> Wrong {
    Wrong { message: message.into(), at: Some(at) }
}

fn unexpected(key: &str, expected: &str, found: &DeValue<'_>, at: usize) -> Wrong {
    wrong(format!("`{key}`: expected {expected}, found {}", found.type_str()), at)
}

impl From<toml::de::Error> for Wrong {
    fn from(error: toml::de::Error) -> Self {
        Self { message: error.message().to_owned(), at: error.span().map(|span| span.start) }
    }
}

fn parse(text: &str, folder: &Path) -> Result<Manifest, Wrong> {
    let (mut output, mut defaults, mut assets) = (None, Settings::default(), None);
    for (key, value) in DeTable::parse(text)?.into_inner() {
        let at = value.span().start;
        match (&**key.get_ref(), value.into_inner()) {
            ("output", DeValue::String(path)) => output = Some(folder.join(&*path)),
            ("defaults", DeValue::Table(table)) => defaults = settings(table)?,
            ("asset", DeValue::Array(array)) => assets = Some(array),
            (name @ "output", other) => return Err(unexpected(name, "text", &other, at)),
            (name @ "defaults", other) => return Err(unexpected(name, "a table", &other, at)),
            (name @ "asset", other) => return Err(unexpected(name, "a list of tables", &other, at)),
            (name, _) => {
                let message = format!("unknown field `{name}`, expected `output`, `defaults` or `asset`");
                return Err(wrong(message, key.span().start));
            }
        }
    }
    let assets = assets.ok_or_else(|| wrong("there is no [[asset]]", text.len()))?;
    let entries = assets.into_iter().map(|asset| entry(asset, folder, &defaults)).collect::<Result<_, _>>()?;
    Ok(Manifest { output, entries })
}

/// Parses an asset's table.
fn entry(asset: Spanned<DeValue<'_>>, folder: &Path, defaults: &Settings) -> Result<Entry, Wrong> {
    let start = asset.span().start;
    let DeValue::Table(mut table) = asset.into_inner() else {
        return Err(wrong("expected the table of an asset", start));
    };
    let mut take = |key: &str| match table.remove(key).map(|value| (value.span().start, value.into_inner())) {
        None => Ok(None),
        Some((at, DeValue::String(text))) => Ok(Some((at, PathBuf::from(&*text)))),
        Some((at, other)) => Err(unexpected(key, "text", &other, at)),
    };
    let (_, input) = take("input")?.ok_or_else(|| wrong("an asset lacks its `input`", start))?;
    let (at, below) = take("folder")?.unwrap_or_default();
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !below.components().all(is_below) {
        return Err(wrong("`folder`: expected a folder below the output", at));
    }
    Ok(Entry { input: folder.join(input), folder: below, settings: settings(table)?.over(defaults) })
}

/// Parses settings one by one, so that an error has the line of its setting. They are deserialized from JSON, whose
/// deserializer the program has anyway.
fn settings(table: DeTable<'_>) -> Result<Settings, Wrong> {
    table.into_iter().try_fold(Settings::default(), |settings, (key, value)| {
        let at = key.span().start;
        let key = key.into_inner();
        let value = json(value.into_inner()).map_err(|found| wrong(format!("`{key}`: {found}"), at))?;
        let one = object([(key, value)]);
        let one: Settings = serde_json::from_value(one.into()).map_err(|error| wrong(error.to_string(), at))?;
        Ok(one.over(&settings))
    })
}

/// The JSON of a TOML value; dates are text. Numbers that JSON lacks are an error, because null would mean that the
/// setting is missing.
fn json(value: DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => text.into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| format!("expected a number of 64 bits, found {}", number.as_str()))?
            .into(),
        DeValue::Float(number) => parse_finite(number.as_str())
            .ok_or_else(|| format!("expected a finite number, found {}", number.as_str()))?
            .into(),
        DeValue::Boolean(yes) => yes.into(),
        DeValue::Datetime(date) => date.to_string().into(),
        DeValue::Array(values) => values.into_iter().map(|value| json(value.into_inner())).collect::<Result<_, _>>()?,
        DeValue::Table(table) => {
            let members = table.into_iter().map(|(key, value)| Ok((key.into_inner(), json(value.into_inner())?)));
            object(members.collect::<Result<Vec<_>, String>>()?).into()
        }
    })
}
