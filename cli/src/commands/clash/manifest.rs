//! JSON manifests of assemblies: meshes with their poses and properties, and rules.

use std::path::{Path, PathBuf};

use bvtree::Pose;
use nalgebra::{Matrix3, Point3, Vector3};
use serde_json::{Map, Value};

use crate::commands::clash::assembly::{Assembly, Meshes, Part, Properties};
use crate::commands::clash::rules;
use crate::error::CliError;
use crate::input::read_text;

const KEYS: [&str; 5] = ["bodies", "ignore", "clearance", "groups", "rules"];
const BODY_KEYS: [&str; 6] = ["name", "mesh", "rotation", "translation", "groups", "properties"];

/// A value in a manifest or a file of rules, with its location.
pub struct At<'a> {
    pub value: &'a Value,
    pub place: String,
}

/// A body as the manifest describes it.
struct Entry {
    name: String,
    mesh: PathBuf,
    pose: Pose,
    groups: Vec<String>,
    properties: Properties,
}

/// The property `file` of the bodies of a manifest or a scene.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Adds a manifest's bodies and rules to the assembly.
pub fn read(path: &Path, meshes: &mut Meshes, assembly: &mut Assembly) -> Result<(), CliError> {
    let text = read_text(path, "a manifest")?;
    let root: Value = serde_json::from_slice(text.as_bytes())
        .map_err(|error| CliError::caused(format!("{}: not a manifest", path.display()), &error).hint(FORM))?;
    let root = At { value: &root, place: path.display().to_string() };
    if root.get("asset").is_some() && root.get("bodies").is_none() {
        return Err(root.error("a glTF scene is read from a file named .gltf or .glb"));
    }
    root.object(&KEYS)?;
    let file = file_name(path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let bodies = root.get("bodies").ok_or_else(|| root.error("there are no 'bodies'").hint(FORM))?;
    let entries = bodies.items()?.iter().map(|body| entry(body, folder, &file)).collect::<Result<Vec<_>, _>>()?;
    let paths: Vec<&Path> = entries.iter().map(|entry| entry.mesh.as_path()).collect();
    meshes.load(&paths)?;
    for entry in entries {
        let groups = entry.groups.iter().map(|name| assembly.group(name)).collect();
        let tree = meshes.tree(&entry.mesh)?;
        // Poses are in the frame of the mesh's source.
        let pose = entry.pose.with_origins(&Point3::origin(), &tree.origin());
        assembly.add(Part { name: entry.name, tree, pose, groups, properties: entry.properties })?;
    }
    for pair in root.get("ignore").map_or(Ok(Vec::new()), |ignored| ignored.items())? {
        let names = pair.pair()?;
        let [a, b] = names
            .each_ref()
            .map(|name| assembly.place(name).ok_or_else(|| pair.error(format!("there is no body '{name}'"))));
        assembly.ignore(a?, b?);
    }
    rules::add(&root, assembly)?;
    if let Some(clearance) = root.get("clearance") {
        let clearance = clearance.length()?;
        assembly.clearance = Some(assembly.clearance.map_or(clearance, |known| known.max(clearance)));
    }
    Ok(())
}

const FORM: &str = "a manifest is a glTF or GLB scene, or JSON: {\"bodies\": \
    [{\"name\": \"pump-1\", \"mesh\": \"pump.obj\", \
    \"rotation\": [9 numbers], \"translation\": [3 numbers], \"groups\": [\"pipes\"]}], \"ignore\": \
        [[\"pump-1\", \"pump-2\"]], \
    \"clearance\": 0.01}";

fn entry(body: &At<'_>, folder: &Path, file: &str) -> Result<Entry, CliError> {
    body.object(&BODY_KEYS)?;
    let need = |key: &str| body.get(key).ok_or_else(|| body.error(format!("it has no '{key}'")));
    let name = need("name")?.filled()?.to_owned();
    let body = At { value: body.value, place: format!("{} ('{name}')", body.place) };
    let mesh = folder.join(body.get("mesh").ok_or_else(|| body.error("it has no 'mesh'"))?.filled()?);
    let rotation = match body.get("rotation") {
        Some(rotation) => Matrix3::from_row_slice(&rotation.numbers::<9>()?),
        None => Matrix3::identity(),
    };
    let translation = match body.get("translation") {
        Some(translation) => Vector3::from(translation.numbers::<3>()?),
        None => Vector3::zeros(),
    };
    let pose = Pose::new(rotation, translation).map_err(|error| body.error(error.to_string()))?;
    let groups = body.get("groups").map_or(Ok(Vec::new()), |groups| groups.items())?;
    let groups = groups.iter().map(|group| group.text().map(str::to_owned)).collect::<Result<_, _>>()?;
    let mut properties = body.get("properties").map_or(Ok(Properties::new()), |properties| properties.texts())?;
    properties.entry("file".to_owned()).or_insert_with(|| file.to_owned());
    Ok(Entry { name, mesh, pose, groups, properties })
}

impl<'a> At<'a> {
    pub fn error(&self, what: impl std::fmt::Display) -> CliError {
        CliError::new(format!("{}: {what}", self.place))
    }

    /// The value as an object that has no keys other than these.
    pub fn object(&self, keys: &[&str]) -> Result<&'a Map<String, Value>, CliError> {
        let object = self.value.as_object().ok_or_else(|| self.error("expected an object"))?;
        match object.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => {
                Err(self.error(format!("unknown key '{key}'")).hint(format!("known keys: {}", keys.join(", "))))
            }
            None => Ok(object),
        }
    }

    pub fn get(&self, key: &str) -> Option<At<'a>> {
        Some(At { value: self.value.get(key)?, place: format!("{}: {key}", self.place) })
    }

    pub fn items(&self) -> Result<Vec<At<'a>>, CliError> {
        let items = self.value.as_array().ok_or_else(|| self.error("expected a list"))?;
        Ok(items.iter().enumerate().map(|(i, value)| At { value, place: format!("{}[{i}]", self.place) }).collect())
    }

    pub fn text(&self) -> Result<&'a str, CliError> {
        self.value.as_str().ok_or_else(|| self.error("expected text"))
    }

    /// The value as non-empty text.
    fn filled(&self) -> Result<&'a str, CliError> {
        let text = self.text()?;
        if text.is_empty() { Err(self.error("expected text that is not empty")) } else { Ok(text) }
    }

    /// The value as an object of texts.
    pub fn texts(&self) -> Result<Properties, CliError> {
        let object = self.value.as_object().ok_or_else(|| self.error("expected an object"))?;
        let text = |(key, value): (&String, &Value)| match value.as_str() {
            Some(text) => Ok((key.clone(), text.to_owned())),
            None => Err(self.error(format!("{key}: expected text"))),
        };
        object.iter().map(text).collect()
    }

    /// The value as a list of texts; a text is a list of one.
    pub fn text_or_texts(&self) -> Result<Vec<&'a str>, CliError> {
        if let Some(text) = self.value.as_str() {
            return Ok(vec![text]);
        }
        self.value
            .as_array()
            .and_then(|items| items.iter().map(Value::as_str).collect())
            .ok_or_else(|| self.error("expected text or a list of texts"))
    }

    pub fn pair(&self) -> Result<[String; 2], CliError> {
        let texts = self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect::<Result<Vec<_>, _>>()?;
        texts.try_into().map_err(|_| self.error("expected two names"))
    }

    fn numbers<const N: usize>(&self) -> Result<[f64; N], CliError> {
        let wrong = || self.error(format!("expected {N} finite numbers"));
        let numbers: Option<Vec<f64>> = self.value.as_array().ok_or_else(wrong)?.iter().map(Value::as_f64).collect();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|x| x.is_finite())).ok_or_else(wrong)?;
        numbers.try_into().map_err(|_| wrong())
    }

    pub fn length(&self) -> Result<f64, CliError> {
        let length = self.value.as_f64().filter(|x| x.is_finite() && *x >= 0.0);
        length.ok_or_else(|| self.error("expected a finite number, 0 or more"))
    }

    pub fn yes_or_no(&self) -> Result<bool, CliError> {
        self.value.as_bool().ok_or_else(|| self.error("expected true or false"))
    }
}
