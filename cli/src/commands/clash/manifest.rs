//! JSON manifests of assemblies: meshes with their poses and properties, and rules.

use std::path::{Path, PathBuf};

use bvtree::Pose;
use bvtree_clash::value::At;
use bvtree_clash::{Assembly, Axis, Part, Properties, rules};
use nalgebra::{Matrix3, Point2, Point3, Vector3};
use serde_json::Value;

use crate::error::CliError;
use crate::input::Meshes;
use crate::input::read_text;

const KEYS: [&str; 6] = ["bodies", "ignore", "clearance", "groups", "rules", "grid"];
const AXIS_KEYS: [&str; 2] = ["name", "ends"];
const BODY_KEYS: [&str; 6] = ["name", "mesh", "rotation", "translation", "groups", "properties"];

/// A body as the manifest describes it.
struct Entry {
    name: String,
    mesh: PathBuf,
    pose: Pose,
    groups: Vec<String>,
    properties: Properties,
}

/// The property `file` of the bodies of a manifest or a scene: the name of that file without its folder.
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
        return Err(root.error("a glTF scene is read from a file named .gltf or .glb").into());
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
    for (number, family) in root.get("grid").map_or(Ok(Vec::new()), |grid| grid.items())?.iter().enumerate() {
        let axes = family.items()?.iter().map(axis).collect::<Result<Vec<_>, _>>()?;
        match assembly.grid.families.get_mut(number) {
            Some(family) => family.extend(axes),
            None => assembly.grid.families.push(axes),
        }
    }
    rules::add(&root, assembly)?;
    if let Some(clearance) = root.get("clearance") {
        let clearance = clearance.length()?;
        assembly.clearance = Some(assembly.clearance.map_or(clearance, |known| known.max(clearance)));
    }
    Ok(())
}

fn axis(axis: &At<'_>) -> Result<Axis, CliError> {
    axis.object(&AXIS_KEYS)?;
    let need = |key: &str| axis.get(key).ok_or_else(|| axis.error(format!("it has no '{key}'")));
    let ends = need("ends")?;
    let points: Vec<[f64; 2]> = ends.items()?.iter().map(|end| end.numbers::<2>()).collect::<Result<_, _>>()?;
    let points: [[f64; 2]; 2] = points.try_into().map_err(|_| ends.error("expected two points"))?;
    Ok(Axis { name: need("name")?.filled()?.to_owned(), ends: points.map(Point2::from) })
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
