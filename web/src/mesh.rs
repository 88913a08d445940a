//! Meshes, from arrays and files.

use std::fmt::Display;
use std::path::Path;

use bvtree::mesh::{MeshError, ReadOptions};
use js_sys::{Float64Array, Object};
use nalgebra::Point3;
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{name, text, whole_numbers};
use crate::errors::{JsResult, invalid_mesh};

#[wasm_bindgen]
extern "C" {
    /// Options for reading a mesh file; all are optional.
    pub type GivenOptions;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn up(this: &GivenOptions) -> JsResult<JsValue>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn scale(this: &GivenOptions) -> JsResult<Option<f64>>;
    #[wasm_bindgen(method, getter, structural, catch)]
    fn weld(this: &GivenOptions) -> JsResult<Option<bool>>;
    #[wasm_bindgen(method, getter, structural, catch, js_name = groupBy)]
    fn group_by(this: &GivenOptions) -> JsResult<JsValue>;
}

/// An immutable triangle mesh. Holes, zero-area triangles and self-intersections are allowed.
#[wasm_bindgen]
pub struct Mesh {
    pub(crate) mesh: bvtree::Mesh,
}

#[wasm_bindgen]
impl Mesh {
    /// Creates a mesh from coordinates, three for each vertex, which are rounded to f32, and vertex indices, three for
    /// each triangle. Without indices, every three consecutive vertices are a triangle. Throws if an array's length is
    /// not a multiple of three, a coordinate is not finite, or an index is not a whole number or out of range.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] positions: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "Numbers")] indices: Option<Object>,
    ) -> JsResult<Mesh> {
        let (vertices, []) = positions.as_chunks::<3>() else {
            return Err(invalid_mesh(format!("{} coordinates are not three for each vertex", positions.len())));
        };
        let vertices = vertices.iter().map(|&vertex| Point3::from(vertex)).collect::<Vec<_>>();
        let triangles = match indices {
            Some(indices) => triangles(&vertex_indices(&indices)?)?.to_vec(),
            None => triangles(&(0..vertices.len() as u32).collect::<Vec<_>>())?.to_vec(),
        };
        bvtree::Mesh::from_arrays(vertices, triangles).map(Self::from).map_err(|error| match error {
            // Numbers beyond the range of f32 arrive as infinite ones.
            MeshError::NotFinite { .. } => invalid_mesh(format_args!("{error} in f32")),
            error => invalid_mesh(error),
        })
    }

    /// Reads a mesh from a file's bytes: OBJ, STL, PLY, OFF, or glTF with embedded buffers. The content or the name
    /// determines the format.
    pub fn read(
        bytes: &[u8],
        #[wasm_bindgen(unchecked_optional_param_type = "string")] name: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "ReadOptions")] options: Option<GivenOptions>,
    ) -> JsResult<Mesh> {
        let options = options.map(|given| read_options(&given)).transpose()?.unwrap_or_default();
        let name = text(name, "name")?.unwrap_or_default();
        let import = bvtree::Mesh::read_with(bytes, Path::new(&name), &options);
        import.map(|import| Self::from(import.mesh)).map_err(|error| named(&name, &error))
    }

    /// Returns a copy of the coordinates, three for each vertex.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Vec<f32> {
        self.mesh.vertices().iter().flat_map(|&vertex| <[f32; 3]>::from(vertex)).collect()
    }

    /// Returns a copy of the indices, three for each triangle.
    #[wasm_bindgen(getter)]
    pub fn indices(&self) -> Vec<u32> {
        self.mesh.triangles().as_flattened().to_vec()
    }

    #[wasm_bindgen(getter, js_name = triangleCount)]
    pub fn triangle_count(&self) -> usize {
        self.mesh.triangles().len()
    }

    #[wasm_bindgen(getter, js_name = vertexCount)]
    pub fn vertex_count(&self) -> usize {
        self.mesh.vertices().len()
    }

    /// The lower and the upper corner of the box around all triangles: six numbers, infinite for a mesh without
    /// triangles.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Float64Array {
        bounds(&self.mesh.aabb())
    }

    /// Counts the mesh's parts and defects.
    #[wasm_bindgen(unchecked_return_type = "MeshReport")]
    pub fn report(&self) -> JsValue {
        answers::mesh_report(&self.mesh.report())
    }
}

impl From<bvtree::Mesh> for Mesh {
    fn from(mesh: bvtree::Mesh) -> Self {
        Self { mesh }
    }
}

fn read_options(given: &GivenOptions) -> JsResult<ReadOptions> {
    Ok(ReadOptions {
        up: name(&given.up()?, "up")?,
        scale: given.scale()?.unwrap_or(1.0),
        weld: given.weld()?,
        group_by: name(&given.group_by()?, "groupBy")?.unwrap_or_default(),
        ..ReadOptions::default()
    })
}

fn vertex_indices(array: &Object) -> JsResult<Vec<u32>> {
    let wrong = |number: &dyn Display| invalid_mesh(format_args!("{number} is no index of a vertex"));
    whole_numbers(array, 0..=i64::from(u32::MAX), wrong)
}

fn triangles(indices: &[u32]) -> JsResult<&[[u32; 3]]> {
    match indices.as_chunks() {
        (triangles, []) => Ok(triangles),
        _ => Err(invalid_mesh(format!("{} vertices are not three for each triangle", indices.len()))),
    }
}

fn named(name: &str, error: &MeshError) -> JsValue {
    match name {
        "" => invalid_mesh(error),
        name => invalid_mesh(format!("{name}: {error}")),
    }
}

pub(crate) fn bounds(aabb: &bvtree::shape::Aabb) -> Float64Array {
    let corners = [aabb.lower, aabb.upper].map(<[f64; 3]>::from);
    Float64Array::from(corners.as_flattened())
}
