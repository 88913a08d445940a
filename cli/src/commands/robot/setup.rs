//! The robot, what stands around it, and configurations from a CSV file whose columns have the names of the robot's
//! joint values.

use std::path::Path;

use bvtree::{Pose, SimdLevel};
use bvtree_clash::{Assembly, Part, Properties};
use bvtree_robot::{Checker, Robot, RobotError, RobotOptions, World};
use nalgebra::Point3;

use crate::args::NamePair;
use crate::commands::clash::add_manifest;
use crate::commands::robot::{OpenMeshes, RobotArgs};
use crate::csv_tables::{NumberTable, read_table};
use crate::error::{CliError, note};
use crate::input::Meshes;
use crate::input::is_mesh;

pub struct Setup {
    pub robot: Robot,
    pub world: World,
    /// The pairs that are compared, by index in [`Setup::names`].
    pub pairs: Vec<[usize; 2]>,
    simd: SimdLevel,
}

impl Setup {
    pub fn open(args: &RobotArgs) -> Result<Self, CliError> {
        let simd = args.answers.simd()?;
        let open_meshes = match args.open_meshes {
            OpenMeshes::Solid => bvtree_robot::OpenMeshes::Solid,
            OpenMeshes::Surface => bvtree_robot::OpenMeshes::Surface,
            OpenMeshes::Hull => bvtree_robot::OpenMeshes::Hull,
            OpenMeshes::Error => bvtree_robot::OpenMeshes::Refuse,
        };
        let (package_dirs, cache) = (args.package_dir.clone(), args.cache.clone());
        let options =
            RobotOptions { package_dirs, open_meshes, cache, build: args.trees.options(), ..RobotOptions::default() };
        let robot = Robot::open(&args.urdf, args.srdf.as_deref(), &options);
        let mut robot = robot.map_err(|error| match error {
            RobotError::NotFound { .. } => {
                CliError::caused("cannot read robot", &error).hint("--package-dir gives the folders of packages")
            }
            error => CliError::caused("cannot read robot", &error),
        })?;
        let mut world = world(args)?;
        for NamePair([a, b]) in &args.allow {
            let allowed = world.allow_in(&mut robot, a, b);
            allowed.map_err(|error| CliError::caused("--allow", &error))?;
        }
        let pairs = Checker::new(&robot, &world).pairs().collect();
        Ok(Self { robot, world, pairs, simd })
    }

    /// A checker for one thread.
    pub fn checker(&self) -> Checker {
        Checker::with_simd(&self.robot, &self.world, self.simd)
    }

    /// The names of all bodies.
    pub fn names(&self) -> Vec<&str> {
        self.robot.bodies().chain(self.world.names()).collect()
    }
}

fn world(args: &RobotArgs) -> Result<World, CliError> {
    let (mut assembly, mut meshes) = (Assembly::default(), Meshes::new(&args.trees));
    for path in &args.world {
        let is_scene = path
            .extension()
            .is_some_and(|extension| ["glb", "gltf"].iter().any(|scene| extension.eq_ignore_ascii_case(scene)));
        let is_cooked = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bvt"));
        if is_cooked || !is_scene && is_mesh(path) {
            assembly.add(object(path, &mut meshes)?)?;
        } else {
            add_manifest(path, &mut meshes, &mut assembly, 0.0)?;
        }
    }
    let mut world = World::new();
    for part in &assembly.parts {
        let added = world.add_tree(&part.name, part.tree.clone(), &part.pose, false);
        added.map_err(|error| CliError::caused(&part.name, &error))?;
    }
    Ok(world)
}

/// An object of the world from a mesh or cooked tree, named after its file.
fn object(path: &Path, meshes: &mut Meshes<'_>) -> Result<Part, CliError> {
    let tree = meshes.tree(path)?;
    let pose = Pose::identity().with_origins(&Point3::origin(), &tree.origin());
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Part { name, tree, pose, groups: Vec::new(), properties: Properties::new() })
}

pub struct Configurations {
    /// Each row's values, in the robot's order.
    pub values: Vec<Vec<f64>>,
    /// Each row's file and line number.
    pub places: Vec<String>,
    /// The file and line number of the header.
    pub header: String,
}

impl Setup {
    pub fn configurations(&self, path: &Path, args: &RobotArgs, quiet: bool) -> Result<Configurations, CliError> {
        let names = self.robot.values();
        let NumberTable { names: columns, header, rows, places } = read_table(path, "configurations")?;
        let known = || format!("joint values of this robot: {}", names.join(", "));
        let mut indices = Vec::new();
        for column in &columns {
            let index = names.iter().position(|name| name == column);
            let index = index.ok_or_else(|| {
                CliError::new(format!("{header}: this robot has no joint value '{column}'")).hint(known())
            })?;
            if indices.contains(&index) {
                return Err(CliError::new(format!("{header}: two columns have the name '{column}'")));
            }
            indices.push(index);
        }
        let rest = self.rest(args)?;
        if let Some(missing) = (0..names.len()).find(|index| rest.is_none() && !indices.contains(index)) {
            let message = format!("{header}: there is no column for the joint value '{}'", names[missing]);
            return Err(CliError::new(message).hint("--state gives values to joints without a column"));
        }
        let rest = rest.unwrap_or_else(|| self.robot.neutral());
        let whole = |row: &Vec<f64>| {
            let mut values = rest.clone();
            indices.iter().zip(row).for_each(|(&index, value)| values[index] = *value);
            values
        };
        let values: Vec<Vec<f64>> = rows.iter().map(whole).collect();
        if !quiet {
            self.note_limits(&values, &places);
        }
        Ok(Configurations { values, places, header })
    }

    /// The configuration that `--state` names; `None` without it.
    fn rest(&self, args: &RobotArgs) -> Result<Option<Vec<f64>>, CliError> {
        let Some(name) = &args.state else { return Ok(None) };
        let (group, state) = name
            .split_once('/')
            .ok_or_else(|| CliError::new("--state: expected GROUP/STATE, two names of the SRDF"))?;
        let rest = self.robot.state(group, state, &self.robot.neutral());
        rest.map(Some).map_err(|error| CliError::caused("--state", &error))
    }

    /// Prints a note about the first value beyond its joint's limits.
    fn note_limits(&self, rows: &[Vec<f64>], places: &[String]) {
        let limits = self.robot.limits();
        let beyond =
            |row: &Vec<f64>| row.iter().zip(&limits).position(|(value, [lower, upper])| value < lower || value > upper);
        let mut found = rows.iter().zip(places).filter_map(|(row, place)| Some((beyond(row)?, row, place)));
        if let Some((value, row, place)) = found.next() {
            let [lower, upper] = limits[value];
            let others = match found.count() {
                0 => String::new(),
                more => format!("; so are values of {more} more rows"),
            };
            let name = &self.robot.values()[value];
            note(format!("{place}: {name} is {}, beyond its limits {lower} and {upper}{others}", row[value]));
        }
    }
}
