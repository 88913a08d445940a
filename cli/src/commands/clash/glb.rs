//! The assembly as a 3D model: clashing bodies coloured, the others grey, and the curves along which surfaces cross.

use std::collections::HashMap;
use std::sync::Arc;

use bvtree_clash::{Assembly, Clash, Part};
use nalgebra::{Point3, Vector3};
use serde_json::{Value, json};

use crate::args::Up;
use crate::error::CliError;
use crate::glb_writer::{Arrays, material, scene};
use crate::solids::{Rgb, hues};

const GREY: Rgb = [0.72, 0.74, 0.78];
const CURVES: Rgb = [0.96, 0.1, 0.42];
/// The opacities of bodies that don't clash and of those that do.
const OPACITIES: [f64; 2] = [0.15, 0.6];
/// The number of colours for clashing bodies.
const COLOURS: usize = 12;
const LINE_STRIP: u32 = 3;

/// A model under construction. Its first material is for bodies that don't clash, its last for curves.
#[derive(Default)]
struct Model {
    arrays: Arrays,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// The position and index accessors of each tree, by its address.
    accessors: HashMap<usize, [usize; 2]>,
    /// The index of the glTF mesh for a tree, given by its address, with a material.
    known: HashMap<(usize, usize), usize>,
}

pub fn file(assembly: &Assembly, clashes: &[Clash], up: Up) -> Result<Vec<u8>, CliError> {
    let bounds = assembly.bounds();
    let origin = if bounds.is_empty() { Vector3::zeros() } else { bounds.center().coords };
    let mut clashing: Vec<usize> = clashes.iter().flat_map(|clash| clash.parts).collect();
    clashing.sort_unstable();
    clashing.dedup();
    let mut model = Model::default();
    for (place, part) in assembly.parts.iter().enumerate() {
        let colour = clashing.binary_search(&place).map_or(0, |number| 1 + number % COLOURS);
        model.add_body(part, colour, &origin)?;
    }
    for clash in clashes {
        let names = clash.parts.map(|part| assembly.parts[part].name.as_str());
        model.add_curves(clash, names, &origin);
    }
    let mut materials = vec![material("body", GREY, OPACITIES[0])];
    materials.extend(hues::<COLOURS>().map(|colour| material("clashing", colour, OPACITIES[1])));
    materials.push(material("contact", CURVES, 1.0));

    let children: Vec<usize> = (0..model.nodes.len()).collect();
    // Viewers compute in f32, so the assembly is moved to the origin.
    let root = json!({"name": "assembly", "children": children, "extras": {"origin": origin.as_slice()}});
    let Model { arrays, meshes, nodes, .. } = model;
    scene(arrays, meshes, nodes, materials, root, up == Up::Z)
}

impl Model {
    fn add_body(&mut self, part: &Part, colour: usize, origin: &Vector3<f64>) -> Result<(), CliError> {
        if part.tree.triangle_count() == 0 {
            return Ok(());
        }
        let tree = Arc::as_ptr(&part.tree) as usize;
        let [positions, indices] = match self.accessors.get(&tree) {
            Some(known) => *known,
            None => {
                let mesh = part.tree.to_mesh();
                let mesh = mesh.map_err(|error| CliError::caused(format!("body '{}'", part.name), &error))?;
                let made =
                    [self.arrays.positions(mesh.vertices().iter().copied()), self.arrays.indices(mesh.triangles())];
                self.accessors.insert(tree, made);
                made
            }
        };
        let meshes = &mut self.meshes;
        let mesh = *self.known.entry((tree, colour)).or_insert_with(|| {
            let primitive = json!({"attributes": {"POSITION": positions}, "indices": indices, "material": colour});
            meshes.push(json!({"primitives": [primitive]}));
            meshes.len() - 1
        });
        let (rotation, translation) = (part.pose.rotation(), part.pose.translation() - origin);
        let mut matrix: Vec<f64> = Vec::with_capacity(16);
        for column in rotation.column_iter() {
            matrix.extend(column.iter());
            matrix.push(0.0);
        }
        matrix.extend(translation.iter());
        matrix.push(1.0);
        self.nodes.push(json!({"name": part.name, "mesh": mesh, "matrix": matrix}));
        Ok(())
    }

    fn add_curves(&mut self, clash: &Clash, names: [&str; 2], origin: &Vector3<f64>) {
        let mut primitives = Vec::new();
        for curve in clash.curves.iter().filter(|curve| curve.len() > 1) {
            let points: Vec<Point3<f32>> = curve.iter().map(|point| (point - origin).cast()).collect();
            let positions = self.arrays.positions(points.into_iter());
            primitives
                .push(json!({"attributes": {"POSITION": positions}, "mode": LINE_STRIP, "material": COLOURS + 1}));
        }
        if !primitives.is_empty() {
            self.nodes.push(json!({"name": format!("{} x {}", names[0], names[1]), "mesh": self.meshes.len()}));
            self.meshes.push(json!({"primitives": primitives}));
        }
    }
}
