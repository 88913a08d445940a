//! The robot and what stands around it.

use std::path::Path;

use bvtree::{Pose, SimdLevel};
use bvtree_clash::{Assembly, Part, Properties};
use bvtree_robot::{Checker, Robot, RobotError, RobotOptions, World};
use nalgebra::Point3;

use crate::args::NamePair;
use crate::commands::clash::add_manifest;
use crate::commands::clash::meshes::Meshes;
use crate::commands::robot::{OpenMeshes, RobotArgs};
use crate::error::CliError;
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

/// A mesh or cooked tree, named as its file.
fn object(path: &Path, meshes: &mut Meshes<'_>) -> Result<Part, CliError> {
    let tree = meshes.tree(path)?;
    let pose = Pose::identity().with_origins(&Point3::origin(), &tree.origin());
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Part { name, tree, pose, groups: Vec::new(), properties: Properties::new() })
}
