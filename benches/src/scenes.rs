//! Two meshes and labelled poses of the second: made here for `data/`, read from the dataset where it is found.

use std::path::Path;

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Matrix3, Vector3};

use super::meshes::{data_mesh, dataset, dataset_mesh};
use super::random::Random;

/// Two meshes and where the second stands.
pub struct Scene {
    pub name: String,
    pub a: Mesh,
    pub b: Mesh,
    pub poses: Vec<LabelledPose>,
}

impl Scene {
    /// The different labels, by first appearance.
    pub fn labels(&self) -> Vec<&str> {
        let mut labels = Vec::new();
        for pose in &self.poses {
            if !labels.contains(&pose.label.as_str()) {
                labels.push(pose.label.as_str());
            }
        }
        labels
    }
}

pub struct LabelledPose {
    pub label: String,
    pub b_to_a: Pose,
}

/// Mesh pairs of `data/` that differ in shape and in size.
const DATA_PAIRS: [[&str; 2]; 5] = [
    ["gear", "gear"],
    ["character", "sword"],
    ["chain_link", "chain_link"],
    ["spring", "torus_knot"],
    ["terrain", "crate"],
];

/// Poses of each label in scenes of `data/`.
const POSES_PER_LABEL: usize = 20;

/// Scenes of `data/`: `apart` by 1% of the larger box's diagonal, and pushed in as far (`contact`).
pub fn data_scenes() -> Vec<Scene> {
    DATA_PAIRS.iter().map(|&[a, b]| posed(format!("{a}-{b}"), data_mesh(a), data_mesh(b))).collect()
}

/// The dataset's scenes; none where there is no dataset.
pub fn dataset_scenes() -> Vec<Scene> {
    let Some(dataset) = dataset() else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(dataset.join("poses"))
        .expect("the dataset has poses")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files.iter().map(|file| read_scene(&dataset, file)).collect()
}

fn read_scene(dataset: &Path, file: &Path) -> Scene {
    let text = std::fs::read_to_string(file).expect("a readable pose file");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split(',').collect())
        .collect();
    let [a, b] = [0, 1].map(|side| dataset_mesh(dataset, rows[0][side]));
    let poses = rows.iter().map(|row| labelled_pose(row)).collect();
    let name = file.file_stem().expect("a file name").to_string_lossy().into_owned();
    Scene { name, a, b, poses }
}

fn labelled_pose(row: &[&str]) -> LabelledPose {
    let number = |i: usize| row[3 + i].parse::<f64>().expect("a number in a pose file");
    let rotation = Matrix3::from_fn(|i, j| number(4 * i + j));
    let translation = Vector3::from_fn(|i, _| number(4 * i + 3));
    LabelledPose {
        label: row[2].to_owned(),
        b_to_a: Pose::new(rotation, translation).expect("a rotation in a pose file"),
    }
}

/// A scene of two labels: random rotations, B pushed towards A's centre from a random side until they touch, then 1%
/// back (`apart`) or forth (`contact`).
pub fn posed(name: String, a: Mesh, b: Mesh) -> Scene {
    let [tree_a, tree_b] = [&a, &b].map(|mesh| BvTree::build(mesh, &BuildOptions::default()).expect("valid options"));
    let mut query = Query::new();
    let mut random = Random(0);
    let mut poses = Vec::new();
    let reach = a.aabb().half_extents().norm() + b.aabb().half_extents().norm();
    let margin = 0.02 * a.aabb().half_extents().norm().max(b.aabb().half_extents().norm());
    while poses.len() < 2 * POSES_PER_LABEL {
        let rotation = random.rotation();
        let direction = random.rotation() * Vector3::x();
        let at = |distance: f64| {
            let translation = a.aabb().center() + direction * distance - rotation * b.aabb().center();
            Pose::new(rotation, translation).expect("a rotation")
        };
        let mut touch = |distance: f64| query.intersects(&tree_a, &tree_b, &at(distance));
        // Some directions lead through a hole: take another.
        let Some(step) = (0..100).find(|&step| touch(reach * (1.0 - f64::from(step) / 100.0))) else { continue };
        let mut inside = reach * (1.0 - f64::from(step) / 100.0);
        let mut outside = inside + reach / 100.0;
        for _ in 0..30 {
            let middle = (inside + outside) / 2.0;
            *(if touch(middle) { &mut inside } else { &mut outside }) = middle;
        }
        poses.push(LabelledPose { label: "apart".into(), b_to_a: at(outside + margin) });
        poses.push(LabelledPose { label: "contact".into(), b_to_a: at(inside - margin) });
    }
    Scene { name, a, b, poses }
}
