//! The plan of a run: the files that inputs name, the recipe of each, and where its cooked files go.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::atomic_write;
use crate::commands::cook::args::CookArgs;
use crate::commands::cook::manifest::Manifest;
use crate::commands::cook::settings::{Recipe, Settings};
use crate::error::CliError;
use crate::input::{find_meshes, is_stdin};

/// A mesh file and the files cooked from it.
#[derive(Debug)]
pub struct Asset {
    pub input: PathBuf,
    /// The path of the cooked files below the output folder, separated by `/`, without `.KIND.bvt`. It is unique among
    /// the assets that are cooked.
    pub name: String,
    pub recipe: Recipe,
    /// The size of the input in bytes; 0 if unknown.
    pub bytes: u64,
    /// Another input that would be cooked to the same files; neither of the two is cooked.
    pub conflict: Option<PathBuf>,
}

pub struct Plan {
    /// The output folder.
    pub output: PathBuf,
    pub assets: Vec<Asset>,
    /// The inputs of the assets that are cooked as a whole, by the names of the assets.
    whole: HashMap<String, PathBuf>,
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
            return Err(CliError::new("cook writes files and cannot write to stdout (-)").hint("give a folder"));
        }
        let beside_rows = args.runs.report.iter().chain(&args.runs.depfile);
        beside_rows.into_iter().try_for_each(|path| atomic_write::refuse_stdout(path))?;
        let mut assets = Vec::new();
        for input in &args.inputs {
            add(&mut assets, input, Path::new(""), given.clone())?;
        }
        for entry in entries {
            add(&mut assets, &entry.input, &entry.folder, given.clone().over(&entry.settings))?;
        }
        let found = assets.len();
        let mut are_chosen = chosen(&assets).into_iter();
        assets.retain(|_| are_chosen.next().unwrap_or(true));
        if found > 0 && assets.is_empty() {
            let message = format!("by their names, all {found} meshes are left out");
            return Err(CliError::new(message).hint("leave out --lod or --collision"));
        }
        find_conflicts(&mut assets)?;
        let are_whole = assets.iter().filter(|asset| !asset.recipe.by_group);
        let whole = are_whole.map(|asset| (asset.name.clone(), asset.input.clone())).collect();
        Ok(Self { output, assets, whole })
    }

    /// The error for an asset if the files of one of its groups, without `.KIND.bvt`, would have the name of another
    /// asset.
    pub fn conflict_of_group(&self, asset: &Asset, name: &str) -> Option<CliError> {
        self.whole.get(name).map(|other| conflict(&asset.input, other, name))
    }
}

fn add(assets: &mut Vec<Asset>, input: &Path, folder: &Path, settings: Settings) -> Result<(), CliError> {
    for found in find_meshes(input)? {
        let name = if is_stdin(&found.path) {
            "stdin".into()
        } else {
            let keeps = settings.keep_extensions.unwrap_or(false);
            let name = if keeps { found.path.file_name() } else { found.path.file_stem() };
            name.ok_or_else(|| CliError::new(format!("{} is not a file", found.path.display())))?.to_string_lossy()
        };
        let path = folder.join(&found.below).join(&*name);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).filter(|part| part != ".").collect();
        let bytes = fs::metadata(&found.path).map_or(0, |metadata| metadata.len());
        let recipe = settings.clone().recipe();
        assets.push(Asset { name: parts.join("/"), input: found.path, recipe, bytes, conflict: None });
    }
    Ok(())
}

/// Whether each asset is cooked, according to the level of detail and the mark of collision meshes in its file's name.
fn chosen(assets: &[Asset]) -> Vec<bool> {
    let mut kits: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, asset) in assets.iter().enumerate().filter(|(_, asset)| !is_stdin(&asset.input)) {
        kits.entry(asset.recipe.parts.text()).or_default().push(number);
    }
    let mut chosen = vec![true; assets.len()];
    for kit in kits.into_values() {
        let paths: Vec<_> = kit.iter().map(|&number| &*assets[number].input).collect();
        for (number, is_chosen) in kit.iter().zip(assets[kit[0]].recipe.parts.choose_files(&paths)) {
            chosen[*number] = is_chosen;
        }
    }
    chosen
}

impl Asset {
    /// The error for an asset that can't be cooked because of a conflict.
    pub fn conflict(&self) -> Option<CliError> {
        self.conflict.as_ref().map(|other| conflict(&self.input, other, &self.name))
    }
}

fn conflict(input: &Path, other: &Path, name: &str) -> CliError {
    let apart = if input.extension() == other.extension() { "rename one" } else { "give --keep-extensions" };
    CliError::new(format!("{}: {} would also be cooked to {name}.KIND.bvt", input.display(), other.display()))
        .hint(format!("{apart}, or cook them into different folders"))
}

/// Marks assets that would be cooked to the same files; an error if one file is given twice.
fn find_conflicts(assets: &mut [Asset]) -> Result<(), CliError> {
    let mut firsts: HashMap<String, usize> = HashMap::new();
    for number in 0..assets.len() {
        let first = *firsts.entry(assets[number].name.clone()).or_insert(number);
        if first == number {
            continue;
        }
        let [one, other] = [first, number].map(|number| assets[number].input.clone());
        if fs::canonicalize(&one).is_ok_and(|path| fs::canonicalize(&other).is_ok_and(|same| same == path)) {
            let (one, other) = (one.display(), other.display());
            return Err(CliError::new(format!("{one} is given twice: as {one} and as {other}")));
        }
        assets[first].conflict.get_or_insert(other);
        assets[number].conflict = Some(one);
    }
    Ok(())
}
