//! glTF and GLB scenes: each node with a mesh is a body, named by its path; its extras are the body's properties.
//! World coordinates can be rounded, so that noise of an export does not become an overlap.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bvtree::mesh::{MeshInstance, MeshInstances};
use bvtree::shape::Aabb;
use bvtree::{BvTree, Mesh, Pose};
use bvtree_clash::{Assembly, Part};
use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::commands::clash::manifest::file_name;
use crate::error::CliError;
use crate::input::Meshes;

/// Whether a manifest's name is that of a glTF scene.
pub fn is_scene(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("glb") || extension.eq_ignore_ascii_case("gltf"))
}

/// Trees by mesh index and by the bits of the matrix that tells which instances share a tree; `None` for a mesh without
/// triangles.
type Trees = HashMap<(usize, [u64; 9]), Option<Arc<BvTree>>>;

/// Adds the bodies of a scene, with world coordinates rounded to multiples of `snap` unless it is 0.
pub fn read(path: &Path, meshes: &Meshes<'_>, assembly: &mut Assembly, snap: f64) -> Result<(), CliError> {
    let scene = MeshInstances::open(path).map_err(|error| CliError::caused("cannot read scene", &error))?;
    let mut trees = Trees::new();
    for instance in &scene.instances {
        let failed = |error: &dyn std::error::Error| {
            CliError::caused(format!("{}: node '{}'", path.display(), instance.name), error)
        };
        let (tree, pose) = if snap > 0.0 {
            snapped_tree(&scene, instance, snap, meshes, failed)?
        } else {
            let linear: Matrix3<f64> = instance.to_world.fixed_view::<3, 3>(0, 0).into_owned();
            let (rotation, stretch, shared) = rotation_and_stretch(&linear);
            let translation = instance.to_world.fixed_view::<3, 1>(0, 3).into_owned();
            let pose = Pose::new(rotation, translation).map_err(|error| failed(&error))?;
            let key = (instance.mesh, std::array::from_fn(|i| shared[i].to_bits()));
            let tree = match trees.get(&key) {
                Some(tree) => tree.clone(),
                None => trees.entry(key).insert_entry(tree(&scene, instance, &stretch, meshes, failed)?).get().clone(),
            };
            (tree, pose)
        };
        let Some(tree) = tree else { continue };
        // Other scenes may have a node of this path too.
        let unique = (1..).map(|n| if n == 1 { instance.name.clone() } else { format!("{}#{n}", instance.name) });
        let name = unique.into_iter().find(|name| !assembly.has(name)).unwrap_or_default();
        let mut properties = instance.extras.clone();
        properties.entry("file".to_owned()).or_insert_with(|| file_name(path));
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
    let vertices = mesh.vertices().iter().map(|vertex| (stretch * vertex.cast::<f64>()).cast::<f32>());
    built(vertices.collect(), mesh.triangles(), stretch.determinant() < 0.0, meshes, failed)
}

/// The tree of a placed mesh with its world coordinates rounded, and the pose of the tree in the world.
fn snapped_tree(
    scene: &MeshInstances,
    instance: &MeshInstance,
    step: f64,
    meshes: &Meshes<'_>,
    failed: impl Fn(&dyn std::error::Error) -> CliError,
) -> Result<(Option<Arc<BvTree>>, Pose), CliError> {
    let mesh = &scene.meshes[instance.mesh];
    let world = mesh.vertices().iter().map(|vertex| instance.to_world.transform_point(&vertex.cast::<f64>()));
    let (vertices, origin) = snapped(&world.collect::<Vec<_>>(), step);
    let pose = Pose::from_translation(origin).map_err(|error| failed(&error))?;
    // Vertices that snap to the same point leave triangles that have lost a side.
    let has_sides = |&&[a, b, c]: &&[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|vertex| vertices[vertex as usize]);
        a != b && b != c && c != a
    };
    let triangles: Vec<[u32; 3]> = mesh.triangles().iter().filter(has_sides).copied().collect();
    let mirrors = instance.to_world.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
    Ok((built(vertices, &triangles, mirrors, meshes, failed)?, pose))
}

fn built(
    vertices: Vec<Point3<f32>>,
    triangles: &[[u32; 3]],
    mirrors: bool,
    meshes: &Meshes<'_>,
    failed: impl Fn(&dyn std::error::Error) -> CliError,
) -> Result<Option<Arc<BvTree>>, CliError> {
    if triangles.is_empty() {
        return Ok(None);
    }
    // Mirroring would turn the mesh inside out.
    let triangles = triangles.iter().map(|&[a, b, c]| if mirrors { [a, c, b] } else { [a, b, c] });
    let mesh = Mesh::from_arrays(vertices, triangles.collect()).map_err(|error| failed(&error))?;
    meshes.args.build(&mesh).map(|tree| Some(Arc::new(tree))).map_err(|error| failed(&error))
}

/// Splits a matrix into a rotation and the remaining factor, which is applied first. A rotation matrix is kept
/// unchanged. A uniformly scaled rotation is divided by its scale and made a rotation again via a quaternion, so that
/// rotations about an axis preserve that axis despite the division's rounding. For any other matrix, the rotation is
/// the identity. The third matrix is the key by which instances share a tree: the factor, but a uniform scale is
/// rounded to f32, because two instances with the same scale may get it with other rounding.
fn rotation_and_stretch(linear: &Matrix3<f64>) -> (Matrix3<f64>, Matrix3<f64>, Matrix3<f64>) {
    let is_rotation = |matrix: &Matrix3<f64>| {
        (matrix.tr_mul(matrix) - Matrix3::identity()).amax() < 1e-6 && matrix.determinant() > 0.0
    };
    if is_rotation(linear) {
        return (*linear, Matrix3::identity(), Matrix3::identity());
    }
    let scale = linear.determinant().cbrt();
    if scale > 0.0 && scale.is_finite() {
        let rotation = linear / scale;
        if is_rotation(&rotation) {
            let quaternion = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
            let rotation =
                Pose::from_quaternion(&quaternion, Vector3::zeros()).map_or(rotation, |pose| *pose.rotation());
            let [stretch, shared] = [scale, f64::from(scale as f32)].map(Matrix3::from_diagonal_element);
            return (rotation, stretch, shared);
        }
    }
    (Matrix3::identity(), *linear, *linear)
}

/// World coordinates rounded to multiples of a positive step, as vertices and the origin to add to them.
///
/// Faces of two bodies that are less than half a step apart mostly become coplanar, and then touch exactly. For this,
/// the multiples are rounded once more, to multiples of a power of two that is at most a sixteenth of the step. f32
/// holds such vertices exactly up to 16 million times this power from the origin (64 m for a step of 0.1 mm).
/// `bvtree.buildings` in Python rounds in the same way.
pub fn snapped(world: &[Point3<f64>], step: f64) -> (Vec<Point3<f32>>, Vector3<f64>) {
    // A positive number whose mantissa bits are cleared is a power of two.
    let fine = f64::from_bits((step / 16.0).to_bits() & f64::INFINITY.to_bits());
    let rounded = |x: f64, to: f64| (x / to).round_ties_even() * to;
    let world: Vec<Point3<f64>> = world.iter().map(|point| point.map(|x| rounded(rounded(x, step), fine))).collect();
    let middle = if world.is_empty() { Point3::origin() } else { Aabb::from_points(&world).center() };
    let origin = middle.coords.map(|x| rounded(x, fine));
    (world.iter().map(|point| (point - origin).cast()).collect(), origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_far_from_the_origin_fall_onto_each_other() {
        let far = Vector3::new(121_687.0, 487_316.0, 2.0);
        let world = |noise: f64| [0.0, 1.0 / 3.0, 7.0].map(|x| Point3::from(far + Vector3::repeat(x + noise)));
        let places = |noise: f64| {
            let (vertices, origin) = snapped(&world(noise), 1e-4);
            vertices.iter().map(|vertex| vertex.cast::<f64>() + origin).collect::<Vec<_>>()
        };
        assert_eq!(places(0.0), places(4e-6));
        for (place, exact) in places(0.0).iter().zip(world(0.0)) {
            assert!((place - exact).amax() < 0.6e-4);
        }
    }
}
