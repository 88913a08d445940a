//! The page: the assembly in 3D next to a list of its clashes.

use std::collections::HashMap;
use std::sync::Arc;

use bvtree_clash::{Assembly, Change, Clash, Issues, clash_id};
use serde_json::{Value, json};

use crate::args::Up;
use crate::commands::clash::report::Summary;
use crate::error::CliError;
use crate::page::CLASH;
use crate::page::scene::{Limits, Part, pose_rows, scene};

/// The approximate number of triangles drawn for all bodies together. The limit for a mesh is at least
/// [`LEAST_TRIANGLES`].
const TRIANGLES: usize = 400_000;
const LEAST_TRIANGLES: usize = 100;
/// The maximum number of points of contact curves on the page.
const CURVE_POINTS: usize = 100_000;

/// What the page and the BCF file need besides the clashes.
pub struct About<'a> {
    pub summary: &'a Summary,
    pub issues: &'a Issues,
    pub up: Up,
    /// The length of the assembly's unit in metres.
    pub metres: f64,
}

pub fn html(assembly: &Assembly, clashes: &[Clash], about: &About<'_>) -> Result<String, CliError> {
    let About { summary, issues, up, metres } = *about;
    let triangles = (TRIANGLES / assembly.parts.len().max(1)).max(LEAST_TRIANGLES);
    let limits = Limits { triangles, volumes: 0, highlighted: 0, owners: false };
    let mut known: HashMap<usize, usize> = HashMap::new();
    let (mut meshes, mut bodies) = (Vec::new(), Vec::new());
    for part in &assembly.parts {
        let tree = Arc::as_ptr(&part.tree) as usize;
        let mesh = match known.get(&tree) {
            Some(&mesh) => mesh,
            None => {
                let mesh = part.tree.to_mesh();
                let mesh = mesh.map_err(|error| CliError::caused(format!("body '{}'", part.name), &error))?;
                meshes.push(Part::new("", &mesh, limits));
                known.insert(tree, meshes.len() - 1);
                meshes.len() - 1
            }
        };
        let body =
            json!({"name": part.title(), "mesh": mesh, "pose": pose_rows(&part.pose), "globalId": part.global_id()});
        bodies.push(body);
    }
    let mut points_left = CURVE_POINTS;
    let identities = assembly.identities();
    let clash_values: Vec<Value> =
        clashes.iter().map(|clash| value(assembly, &identities, issues, clash, &mut points_left)).collect();
    let title = "Clashes";
    let data = json!({
        "title": title,
        "summary": format!("{} in {} bodies.", summary.text(), assembly.parts.len()),
        "total": summary.clashes,
        "metres": metres,
        "scene": scene(meshes, up),
        "bodies": bodies,
        "clashes": clash_values,
    });
    Ok(CLASH.html(&format!("{title} - bvtree"), &data))
}

fn value(assembly: &Assembly, identities: &[String], issues: &Issues, clash: &Clash, points_left: &mut usize) -> Value {
    let sizes = clash.parts.map(|part| assembly.parts[part].tree.bounds().half_extents().norm());
    // The smaller body fills the view, unless it is tiny compared with the other.
    let size = sizes[0].min(sizes[1]).max(0.02 * sizes[0].max(sizes[1]));
    let mut curves = Vec::new();
    for curve in &clash.curves {
        if curve.len() > *points_left {
            break;
        }
        *points_left -= curve.len();
        curves.push(curve.iter().map(|point| json!([point.x, point.y, point.z])).collect::<Value>());
    }
    let parts = clash.parts.map(|part| &assembly.parts[part]);
    // What both bodies have in common is there once. A body without a value has an empty text beside the other's value.
    let properties = |key: &str| {
        let values = parts.map(|part| part.property(key).unwrap_or_default());
        match values {
            ["", ""] => Vec::new(),
            [a, b] if a == b => vec![a],
            values => values.to_vec(),
        }
    };
    let decision = clash.decision.as_ref();
    json!({
        "id": clash_id(clash.parts.map(|part| identities[part].as_str()), ""),
        "bodies": clash.parts,
        "relation": clash.relation.name(),
        "kind": clash.class.name(),
        "issue": issues.all()[clash.issue].title,
        "rule": assembly.rule_name(clash.rule),
        "distance": clash.distance,
        "pairs": clash.pairs,
        "depth": clash.depth,
        "penetration": clash.penetration,
        "moved": clash.moved,
        "change": clash.change.map(Change::name),
        "location": assembly.location(clash.parts, &clash.place),
        "place": clash.place.coords.as_slice(),
        "size": size,
        "curves": curves,
        "storeys": properties("storey"),
        "files": properties("file"),
        "classes": properties("class"),
        "status": decision.map(|decision| decision.status.name()),
        "author": decision.map(|decision| &*decision.author),
        "reason": decision.map(|decision| &*decision.reason),
    })
}
