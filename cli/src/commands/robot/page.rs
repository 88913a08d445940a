//! The page of `bvtree robot --html`: the robot in 3D with a slider for each joint value, next to a list of answers.

use std::collections::HashMap;

use bvtree_robot::{Joint, JointKind};
use serde_json::{Value, json};

use crate::args::Up;
use crate::commands::robot::setup::Setup;
use crate::error::CliError;
use crate::page::ROBOT;
use crate::page::scene::{Limits, Part, pose_rows, scene};

/// The approximate maximum number of triangles drawn for all bodies together, shared equally among the bodies; each may
/// have at least [`LEAST_TRIANGLES`].
const TRIANGLES: usize = 400_000;
const LEAST_TRIANGLES: usize = 500;
/// The maximum number of rows of the list.
const MAX_ROWS: usize = 2_000;

/// A row of the list.
pub struct Row {
    pub title: String,
    pub answer: String,
    pub collides: bool,
    /// The configuration that the row shows; `None` if the row has none.
    pub values: Option<Vec<f64>>,
    /// The pairs of bodies that the row is about, by the bodies' indices.
    pub pairs: Vec<[usize; 2]>,
    /// The configuration's position on the path, in edges from the start: 1.5 is the middle of the second edge. `None`
    /// without a path.
    pub along: Option<f64>,
}

/// The first [`MAX_ROWS`] rows of a page, and the numbers of all rows and of those that collide.
#[derive(Default)]
pub struct Rows {
    kept: Vec<Row>,
    total: usize,
    colliding: usize,
}

impl Rows {
    pub fn add(&mut self, row: Row) {
        self.total += 1;
        self.colliding += usize::from(row.collides);
        if self.kept.len() < MAX_ROWS {
            self.kept.push(row);
        }
    }
}

/// The page. Its summary calls the rows that collide `colliding`, and all rows `all`.
pub fn html(
    setup: &Setup,
    rows: Rows,
    [colliding, all]: [&str; 2],
    path: Option<&[Vec<f64>]>,
) -> Result<String, CliError> {
    let robot = &setup.robot;
    let rest = path.and_then(<[_]>::first).cloned().unwrap_or_else(|| robot.neutral());
    let start = rows.kept.iter().find_map(|row| row.values.clone()).filter(|_| path.is_none()).unwrap_or(rest);
    let shown = rows.kept.iter().filter_map(|row| row.values.as_ref()).chain(path.unwrap_or_default());
    let values = values(setup, &shown.chain([&start]).collect::<Vec<_>>());
    let (bodies, parts) = bodies(setup)?;
    let list: Vec<Value> = rows.kept.iter().map(row).collect();
    let title = if robot.name().is_empty() { "Robot" } else { robot.name() };
    let quaternions = robot.values().iter().enumerate().filter(|(_, name)| name.ends_with("/rot_x"));
    let data = json!({
        "title": title,
        "summary": format!("{colliding}: {} of {} {all}.", rows.colliding, rows.total),
        "unchecked": "These joint values are not in the list, so nothing says whether they collide.",
        "total": rows.total,
        "values": values,
        "quaternions": quaternions.map(|(index, _)| index).collect::<Vec<_>>(),
        "links": robot.links().len(),
        "joints": joints(setup),
        "bodies": bodies,
        "scene": scene(parts, Up::Z),
        "start": start,
        "rows": list,
        "path": path,
    });
    Ok(ROBOT.html(&format!("{title} - bvtree"), &data))
}

fn row(row: &Row) -> Value {
    let Row { title, answer, collides, values, pairs, along } = row;
    json!({"title": title, "answer": answer, "collides": collides, "values": values, "pairs": pairs, "along": along})
}

/// The names, limits and slider ranges of the joint values. A slider's range includes the values of all rows.
fn values(setup: &Setup, rows: &[&Vec<f64>]) -> Vec<Value> {
    let robot = &setup.robot;
    let kind = |name: &str| {
        let joint = robot.joints().iter().find(|joint| joint.name() == name).map(Joint::kind);
        match joint {
            Some(JointKind::Prismatic) => "length",
            Some(_) => "angle",
            None if name.ends_with("/theta") => "angle",
            None if name.contains("/rot_") => "number",
            None => "length",
        }
    };
    let value = |(index, (name, [lower, upper])): (usize, (&String, [f64; 2]))| {
        let kind = kind(name);
        let most = if kind == "angle" { std::f64::consts::PI } else { 1.0 };
        let mut range = [if lower.is_finite() { lower } else { -most }, if upper.is_finite() { upper } else { most }];
        for row in rows {
            range = [range[0].min(row[index]), range[1].max(row[index])];
        }
        let limit = |limit: f64| Some(limit).filter(|limit| limit.is_finite());
        json!({"name": name, "kind": kind, "lower": limit(lower), "upper": limit(upper), "range": range})
    };
    robot.values().iter().zip(robot.limits()).enumerate().map(value).collect()
}

/// The joints, each after its parent joint.
fn joints(setup: &Setup) -> Vec<Value> {
    let robot = &setup.robot;
    let mut below: HashMap<usize, Vec<&Joint>> = HashMap::new();
    let mut is_child = vec![false; robot.links().len()];
    for joint in robot.joints() {
        below.entry(joint.parent()).or_default().push(joint);
        is_child[joint.child()] = true;
    }
    let mut links: Vec<usize> = is_child.iter().position(|is_child| !is_child).into_iter().collect();
    let mut ordered = Vec::new();
    while let Some(link) = links.pop() {
        for joint in below.remove(&link).unwrap_or_default() {
            links.push(joint.child());
            ordered.push(joint);
        }
    }
    let index: HashMap<&str, usize> = robot.values().iter().map(String::as_str).zip(0..).collect();
    let by_name: HashMap<&str, &Joint> = robot.joints().iter().map(|joint| (joint.name(), joint)).collect();
    let value = |joint: &&Joint| {
        let (mut followed, mut scale) = (*joint, [1.0, 0.0]);
        while let Some((mimic, next)) =
            followed.mimic().and_then(|mimic| Some((mimic, *by_name.get(mimic.joint.as_str())?)))
        {
            scale = [scale[0] * mimic.multiplier, scale[0] * mimic.offset + scale[1]];
            followed = next;
        }
        let (kind, parts): (_, &[&str]) = match joint.kind() {
            JointKind::Fixed => ("fixed", &[]),
            JointKind::Revolute => ("revolute", &[""]),
            JointKind::Continuous => ("continuous", &[""]),
            JointKind::Prismatic => ("prismatic", &[""]),
            JointKind::Planar => ("planar", &["/x", "/y", "/theta"]),
            _ => ("floating", &["/trans_x", "/trans_y", "/trans_z", "/rot_x", "/rot_y", "/rot_z", "/rot_w"]),
        };
        let values = parts.iter().filter_map(|part| index.get(format!("{}{part}", followed.name()).as_str()));
        json!({
            "kind": kind,
            "parent": joint.parent(),
            "child": joint.child(),
            "origin": pose_rows(joint.origin()),
            "axis": joint.axis().as_slice(),
            "values": values.collect::<Vec<_>>(),
            "scale": scale,
        })
    };
    ordered.iter().map(value).collect()
}

/// The bodies with geometry: their indices, names and links (`null` for objects of the world), and their meshes.
fn bodies(setup: &Setup) -> Result<(Vec<Value>, Vec<Part>), CliError> {
    let (robot, world) = (&setup.robot, &setup.world);
    let names = setup.names();
    let own = robot.bodies().count();
    let mut found = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let (link, mesh) = if number < own {
            (robot.body_link(number), robot.body_mesh(number))
        } else {
            (None, Some(world.object_mesh(number - own)))
        };
        let mesh = mesh.transpose().map_err(|error| CliError::caused(*name, &error))?;
        found.extend(mesh.filter(|mesh| !mesh.triangles().is_empty()).map(|mesh| (number, *name, link, mesh)));
    }
    let triangles = (TRIANGLES / found.len().max(1)).max(LEAST_TRIANGLES);
    let limits = Limits { triangles, volumes: 0, highlighted: 0, owners: false };
    let (mut bodies, mut parts) = (Vec::new(), Vec::new());
    for (number, name, link, mesh) in found {
        bodies.push(json!({"number": number, "name": name, "link": link, "mesh": parts.len()}));
        parts.push(Part::new("", &mesh, limits));
    }
    Ok((bodies, parts))
}
