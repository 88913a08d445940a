//! Poses, from files and from `--translate` and `--rotate`.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use bvtree::Pose;
use bvtree::mesh::MeshFormat;
use bvtree::pose::{PoseError, unit_vector};
use clap::Args;
use nalgebra::{Matrix3, UnitVector3, Vector3};
use thiserror::Error;

use crate::atomic_write;
use crate::csv_tables::csv_field;
use crate::csv_tables::{for_each_row, parse_finite};
use crate::error::CliError;

/// The fields of a row, as the header line names them.
const FIELDS: [&str; 15] =
    ["mesh_a", "mesh_b", "label", "r00", "r01", "r02", "tx", "r10", "r11", "r12", "ty", "r20", "r21", "r22", "tz"];
const LABEL: usize = 2;
/// The number of fields before the numbers of the pose: two mesh names and the label.
const NAMES: usize = 3;

/// One pose of B in A's frame.
#[derive(Clone, Copy, Debug, Args)]
pub struct PoseArgs {
    /// Position of B's origin in A's frame
    #[arg(long, value_name = "X,Y,Z", requires = "b", allow_hyphen_values = true, value_parser = parse_translation)]
    translate: Option<Vector3<f64>>,
    /// Rotation of B about its origin (right-handed), applied before the translation. A rotation about a coordinate
    /// axis preserves that axis exactly, and quarter turns are exact, so that flush faces stay flush
    #[arg(long, value_name = "AXIS_X,AXIS_Y,AXIS_Z,DEGREES", requires = "b", allow_hyphen_values = true,
        value_parser = parse_rotation)]
    rotate: Option<Matrix3<f64>>,
}

impl PoseArgs {
    /// The pose that the arguments give; the identity without arguments.
    pub fn pose(&self) -> Result<Pose, CliError> {
        let rotation = self.rotate.unwrap_or(Matrix3::identity());
        let translation = self.translate.unwrap_or(Vector3::zeros());
        let pose = Pose::new(rotation, translation).map_err(PoseProblem::from).and_then(near);
        pose.map_err(|error| CliError::caused("--rotate and --translate", &error))
    }
}

/// Labelled poses of B in A's frame, in the order of the file.
#[derive(Debug, Default)]
pub struct Poses {
    /// The distinct labels, in order of first appearance.
    pub labels: Vec<String>,
    pub rows: Vec<PoseRow>,
    /// The distinct pairs of mesh names, in order of first appearance.
    names: Vec<[String; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub struct PoseRow {
    /// The index in [`Poses::labels`].
    pub label: usize,
    /// The index in `Poses::names`.
    names: usize,
    pub pose: Pose,
}

impl Poses {
    /// One pose, labelled with the empty string.
    pub fn single(pose: Pose) -> Self {
        let rows = vec![PoseRow { label: 0, names: 0, pose }];
        Self { labels: vec![String::new()], rows, names: vec![Default::default()] }
    }

    /// Reads a pose file, or stdin if the path is `-`. Lines that are blank or start with `#` are ignored.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let mut poses = Self::default();
        let (mut labels, mut names) = (HashMap::new(), HashMap::new());
        for_each_row(path, "poses", &FIELDS, |row| {
            let pose = pose_of(row.numbers(NAMES)?).map_err(|error| {
                CliError::new(format!("{}: {error}", row.place()))
                    .hint("fields 4 to 15 are the rows of the matrix [R | t] that takes B's points into A's frame")
            })?;
            let label = index_of(row.fields[LABEL].to_owned(), &mut poses.labels, &mut labels);
            let names = index_of([0, 1].map(|k| row.fields[k].to_owned()), &mut poses.names, &mut names);
            poses.rows.push(PoseRow { label, names, pose });
            Ok(())
        })?;
        Ok(poses)
    }
}

/// The index of an item among the distinct items so far; a new item is added to them.
fn index_of<T: Clone + Eq + Hash>(item: T, items: &mut Vec<T>, indices: &mut HashMap<T, usize>) -> usize {
    *indices.entry(item).or_insert_with_key(|item| {
        items.push(item.clone());
        items.len() - 1
    })
}

impl Poses {
    /// The names in the file that refer to the given mesh, from the rows that name the same mesh twice: the mesh's
    /// path, if a row has it; otherwise a trailing part of the path, a longer path that ends with it, or the file's
    /// name without folder and extension. The empty name refers to any mesh.
    pub fn names_of(&self, mesh: &Path) -> Vec<&str> {
        let stem = stem(mesh);
        let is_path = |name: &str| Path::new(name) == mesh;
        let is_like = |name: &str| mesh.ends_with(name) || Path::new(name).ends_with(mesh) || name == stem;
        let both = || self.names.iter().filter(|[a, b]| a == b).map(|[a, _]| a.as_str());
        let has_path = both().any(is_path);
        both().filter(|name| name.is_empty() || if has_path { is_path(name) } else { is_like(name) }).collect()
    }

    /// The labels and poses of the rows that name the same mesh twice, by one of `names`.
    pub fn with_names(&self, names: &[&str]) -> impl Iterator<Item = (&str, Pose)> {
        let has_name = |row: &&PoseRow| {
            let [a, b] = &self.names[row.names];
            a == b && names.contains(&a.as_str())
        };
        self.rows.iter().filter(has_name).map(|row| (self.labels[row.label].as_str(), row.pose))
    }

    /// The warnings about the poses, given the files of A and B.
    pub fn warnings(&self, paths: [&Path; 2]) -> Vec<String> {
        let mut notes = Vec::new();
        let stems = paths.map(stem);
        let mut names = self.rows.iter().map(|row| &self.names[row.names]).enumerate();
        if let Some((row, [a, b])) = names.find(|(_, names)| names.iter().any(|name| !name.is_empty())) {
            let is_other = |name: &str, stem: &str| !name.is_empty() && stem_of(name) != stem;
            if is_other(a, &stems[0]) || is_other(b, &stems[1]) {
                notes.push(format!("row {row} is of {a} and {b}; it is asked of {} and {}", stems[0], stems[1]));
            }
        }
        let deviation = self.rows.iter().map(|row| row.pose.deviation()).fold(0.0, f64::max);
        if deviation > SURPRISING_DEVIATION {
            let count = self.rows.iter().filter(|row| row.pose.deviation() > SURPRISING_DEVIATION).count();
            notes.push(format!(
                "{count} matrices shear or scale a little: R^T R differs from the identity by up to {deviation:.1e}"
            ));
        }
        notes
    }
}

/// The text of a pose file under construction, in the format that [`Poses::read`] reads.
#[derive(Debug)]
pub struct PoseFile(String);

impl PoseFile {
    pub fn new() -> Self {
        Self(format!("# {}\n", FIELDS.join(",")))
    }

    /// Adds a pose of a mesh against a copy of itself.
    pub fn add(&mut self, mesh: &str, label: &str, pose: &Pose) {
        let (r, t) = (pose.rotation(), pose.translation());
        let rows = [0, 1, 2].map(|i| format!("{},{},{},{}", r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]));
        let [mesh, label] = [mesh, label].map(|text| csv_field(&text.into()));
        // A line that starts with `#` is skipped. A field that was quoted already starts with a quote.
        let first = if mesh.trim_start().starts_with('#') { format!("\"{mesh}\"") } else { mesh.clone() };
        self.0 += &format!("{first},{mesh},{label},{}\n", rows.join(","));
    }

    pub fn write(&self, path: &Path) -> Result<(), CliError> {
        atomic_write::write(path, "poses", self.0.as_bytes())
    }
}

/// The deviation from a rotation above which a note is given; matrices written with seven digits stay below it.
const SURPRISING_DEVIATION: f64 = 2e-6;

/// The name of a mesh file, cooked or not, without folder, extension and kind.
fn stem(path: &Path) -> String {
    stem_of(&path.file_name().unwrap_or_default().to_string_lossy()).to_owned()
}

fn stem_of(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match name.strip_suffix(".bvt") {
        Some(cooked) => cooked.rsplit_once('.').map_or(cooked, |(stem, _)| stem),
        None => {
            let is_mesh = |extension: &str| MeshFormat::with_extension(&extension.to_ascii_lowercase()).is_some();
            name.rsplit_once('.').filter(|(_, extension)| is_mesh(extension)).map_or(name, |(stem, _)| stem)
        }
    }
}

/// The largest coordinate of a translation; larger ones overflow in products of distances.
const MAX_COORDINATE: f64 = 1e60;

/// The pose, or an error if its translation is too large to compute distances.
fn near(pose: Pose) -> Result<Pose, PoseProblem> {
    if pose.translation().amax() > MAX_COORDINATE { Err(PoseProblem::TooFar) } else { Ok(pose) }
}

/// The reason why numbers are not a valid pose.
#[derive(Debug, Error)]
pub enum PoseProblem {
    #[error(transparent)]
    Pose(#[from] PoseError),
    #[error("a translation is beyond {MAX_COORDINATE:e}: distances so large can't be told")]
    TooFar,
}

/// The pose that the rows of `[R | t]` give.
pub fn pose_of(numbers: [f64; 12]) -> Result<Pose, PoseProblem> {
    let [r00, r01, r02, tx, r10, r11, r12, ty, r20, r21, r22, tz] = numbers;
    let rotation = Matrix3::new(r00, r01, r02, r10, r11, r12, r20, r21, r22);
    near(Pose::new(rotation, Vector3::new(tx, ty, tz))?)
}

/// Parses an argument `X,Y,Z` as a direction, of any nonzero length.
pub fn parse_direction(text: &str) -> Result<UnitVector3<f64>, String> {
    unit_vector(&parse_translation(text)?).ok_or_else(|| "0,0,0 is no direction".to_owned())
}

/// Parses an argument `X,Y,Z`.
fn parse_translation(text: &str) -> Result<Vector3<f64>, String> {
    parse_numbers(text, "X,Y,Z").map(Vector3::from)
}

/// Parses an argument `AXIS_X,AXIS_Y,AXIS_Z,DEGREES`: a right-handed rotation about the axis.
fn parse_rotation(text: &str) -> Result<Matrix3<f64>, String> {
    let [x, y, z, degrees] = parse_numbers(text, "AXIS_X,AXIS_Y,AXIS_Z,DEGREES")?;
    // Whole turns are removed in degrees, where that is exact.
    let part = degrees % 360.0;
    let angle = if part.abs() > 180.0 { part - 360.0_f64.copysign(part) } else { part }.to_radians();
    let pose = Pose::from_axis_angle(&Vector3::new(x, y, z), angle, Vector3::zeros());
    Ok(*pose.map_err(|_| "the axis has no direction")?.rotation())
}

/// Parses an argument that is a finite number, 0 or more.
pub fn parse_tolerance(text: &str) -> Result<f64, String> {
    parse_finite(text).filter(|&x| x >= 0.0).ok_or_else(|| "expected a finite number, 0 or more".into())
}

fn parse_numbers<const N: usize>(text: &str, form: &str) -> Result<[f64; N], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(parse_finite).collect();
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| format!("expected {form}, {N} finite numbers"))
}
