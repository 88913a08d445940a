//! What is to be cooked: every asset with its recipe, and where its files go.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::args::CookArgs;
use super::inputs;
use super::manifest::Manifest;
use super::settings::{Recipe, Settings};
use crate::error::CliError;
use crate::stdin::is_stdin;

/// A mesh file and what is made of it.
#[derive(Debug)]
pub struct Asset {
    pub input: PathBuf,
    /// Of the cooked files below the output folder, with `/` between: folder and name without `.KIND.bvt`. No other asset has it.
    pub name: String,
    pub recipe: Recipe,
    /// Of the input; 0 if that is not known.
    pub bytes: u64,
}

pub struct Plan {
    /// Where cooked files go.
    pub output: PathBuf,
    pub assets: Vec<Asset>,
}

impl Plan {
    pub fn new(args: &CookArgs) -> Result<Self, CliError> {
        let given = args.settings();
        let manifest = args.manifest.as_deref().map(Manifest::read).transpose()?;
        let (output, entries) = manifest.map_or((None, Vec::new()), |manifest| (manifest.output, manifest.entries));
        let output = args.output.clone().or(output).ok_or_else(|| {
            CliError::new("the manifest names no output folder").hint("add output = \"DIR\" to it, or give --output")
        })?;
        if is_stdin(&output) {
            return Err(CliError::new("cook writes files, not to stdout: - is no folder").hint("give a folder"));
        }
        let mut assets = Vec::new();
        for input in &args.inputs {
            add(&mut assets, input, Path::new(""), given.clone())?;
        }
        for entry in entries {
            add(&mut assets, &entry.input, &entry.folder, given.clone().over(&entry.settings))?;
        }
        check_names(&assets)?;
        Ok(Self { output, assets })
    }
}

fn add(assets: &mut Vec<Asset>, input: &Path, folder: &Path, settings: Settings) -> Result<(), CliError> {
    for found in inputs::find(input)? {
        let stem = if is_stdin(&found.path) {
            "stdin".into()
        } else {
            let stem = found.path.file_stem();
            stem.ok_or_else(|| CliError::new(format!("{} is no file", found.path.display())))?.to_string_lossy()
        };
        let path = folder.join(&found.below).join(&*stem);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).filter(|part| part != ".").collect();
        let bytes = fs::metadata(&found.path).map_or(0, |metadata| metadata.len());
        assets.push(Asset { name: parts.join("/"), input: found.path, recipe: settings.clone().recipe(), bytes });
    }
    Ok(())
}

/// No two assets may go into the same files.
fn check_names(assets: &[Asset]) -> Result<(), CliError> {
    let mut firsts: HashMap<&str, &Path> = HashMap::new();
    for asset in assets {
        if let Some(first) = firsts.insert(&asset.name, &asset.input) {
            let real = |path: &Path| fs::canonicalize(path).ok();
            let is_same = real(first).is_some_and(|path| real(&asset.input) == Some(path));
            let (first, second) = (first.display(), asset.input.display());
            if is_same {
                return Err(CliError::new(format!("{first} is given twice: as {first} and as {second}")));
            }
            let message = format!("{first} and {second} would both be cooked to {}.KIND.bvt", asset.name);
            return Err(CliError::new(message).hint("rename one, or cook them into different folders"));
        }
    }
    Ok(())
}
