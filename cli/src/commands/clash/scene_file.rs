//! glTF and GLB scenes: each node with a mesh is a body, named by its path.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bvtree::mesh::{MeshInstance, MeshInstances};
use bvtree::{BvTree, Mesh, Pose};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::commands::clash::assembly::{Assembly, Meshes, Part, Properties};
use crate::commands::clash::manifest::file_name;
use crate::error::CliError;

/// Whether a manifest's name is that of a glTF scene.
pub fn is_scene(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("glb") || extension.eq_ignore_ascii_case("gltf"))
}

/// Trees by mesh index and by the bits of the stretch applied to its vertices; `None` for a mesh without triangles.
type Trees = HashMap<(usize, [u64; 9]), Option<Arc<BvTree>>>;

/// Adds the bodies of a scene.
pub fn read(path: &Path, meshes: &Meshes<'_>, assembly: &mut Assembly) -> Result<(), CliError> {
    let scene = MeshInstances::open(path).map_err(|error| CliError::caused("cannot read scene", &error))?;
    let mut trees = Trees::new();
    for instance in &scene.instances {
        let failed = |error: &dyn std::error::Error| {
            CliError::caused(format!("{}: node '{}'", path.display(), instance.name), error)
        };
        let linear: Matrix3<f64> = instance.to_world.fixed_view::<3, 3>(0, 0).into_owned();
        let (rotation, stretch) = rotation_and_stretch(&linear);
        let translation = instance.to_world.fixed_view::<3, 1>(0, 3).into_owned();
        let pose = Pose::new(rotation, translation).map_err(|error| failed(&error))?;
        let key = (instance.mesh, std::array::from_fn(|i| stretch[i].to_bits()));
        let tree = match trees.get(&key) {
            Some(tree) => tree.clone(),
            None => trees.entry(key).insert_entry(tree(&scene, instance, &stretch, meshes, failed)?).get().clone(),
        };
        let Some(tree) = tree else { continue };
        // Other scenes may have a node of this path too.
        let unique = (1..).map(|n| if n == 1 { instance.name.clone() } else { format!("{}#{n}", instance.name) });
        let name = unique.into_iter().find(|name| !assembly.has(name)).unwrap_or_default();
        let properties = Properties::from([("file".to_owned(), file_name(path))]);
        assembly.add(Part { name, tree, pose, groups: Vec::new(), properties })?;
    }
    Ok(())
}

/// The tree of a mesh stretched by a matrix; `None` if the mesh has no triangles.
fn tree(
    scene: &MeshInstances,
    instance: &MeshInstance,
    stretch: &Matrix3<f64>,
    meshes: &Meshes<'_>,
    failed: impl Fn(&dyn std::error::Error) -> CliError,
) -> Result<Option<Arc<BvTree>>, CliError> {
    let mesh = &scene.meshes[instance.mesh];
    if mesh.triangles().is_empty() {
        return Ok(None);
    }
    let vertices = mesh.vertices().iter().map(|vertex| (stretch * vertex.cast::<f64>()).cast::<f32>());
    // A mirrored mesh keeps its outside outside.
    let mirrors = stretch.determinant() < 0.0;
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| if mirrors { [a, c, b] } else { [a, b, c] });
    let stretched = Mesh::from_arrays(vertices.collect(), triangles.collect()).map_err(|error| failed(&error))?;
    meshes.args.build(&stretched).map(|tree| Some(Arc::new(tree))).map_err(|error| failed(&error))
}

/// A rotation, and the remaining factor, which is applied first. A matrix that is a rotation is kept unchanged. A
/// uniformly scaled one is replaced by the rotation nearest to it, so that rotations about an axis preserve that axis
/// in spite of the division.
fn rotation_and_stretch(linear: &Matrix3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let is_rotation = |matrix: &Matrix3<f64>| {
        (matrix.tr_mul(matrix) - Matrix3::identity()).amax() < 1e-6 && matrix.determinant() > 0.0
    };
    if is_rotation(linear) {
        return (*linear, Matrix3::identity());
    }
    let scale = linear.determinant().cbrt();
    if scale > 0.0 && scale.is_finite() {
        let rotation = linear / scale;
        if is_rotation(&rotation) {
            let quaternion = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
            let rotation =
                Pose::from_quaternion(&quaternion, Vector3::zeros()).map_or(rotation, |pose| *pose.rotation());
            // One number for all instances that are scaled alike.
            return (rotation, Matrix3::from_diagonal_element(f64::from(scale as f32)));
        }
    }
    (Matrix3::identity(), *linear)
}
