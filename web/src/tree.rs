//! Trees: built, cooked, opened, drawn.

use std::sync::Arc;

use bvtree::{BvTree, Volume};
use js_sys::Float64Array;
use nalgebra::{Matrix3, Point3};
use wasm_bindgen::prelude::*;

use crate::errors::{JsResult, invalid, invalid_file, invalid_mesh};
use crate::mesh::{Mesh, bounds};

/// A bounding-volume tree over the triangles of a mesh. It never changes.
#[wasm_bindgen]
pub struct Tree {
    pub(crate) tree: Arc<BvTree>,
}

#[wasm_bindgen]
impl Tree {
    /// Builds a tree. The kind of volume and the preset change how long building and questions take, never an answer:
    /// `"obb"` is the fastest to ask, `"aabb"` to build, `"sphere"` the smallest; `"fast"`, `"balanced"` and `"tight"`
    /// take longer to build and answer sooner.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "Kind")] kind: Option<String>,
        #[wasm_bindgen(unchecked_optional_param_type = "Preset")] preset: Option<String>,
    ) -> JsResult<Tree> {
        let kind = kind.as_deref().unwrap_or("obb").parse().map_err(invalid)?;
        let preset: bvtree::Preset = preset.as_deref().unwrap_or("balanced").parse().map_err(invalid)?;
        BvTree::build(&mesh.mesh, &preset.options(kind)).map(Self::from).map_err(invalid_mesh)
    }

    /// Opens a cooked tree (`.bvt`). Throws where the bytes are damaged, or no tree's.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8]) -> JsResult<Tree> {
        BvTree::from_bytes(bytes).map(Self::from).map_err(invalid_file)
    }

    /// The cooked tree: the bytes of a `.bvt` file, the same on every machine.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> JsResult<Vec<u8>> {
        let mut bytes = Vec::new();
        self.tree.write_to(&mut bytes).map_err(invalid)?;
        Ok(bytes)
    }

    /// The mesh: the same triangles in the same order, their vertices in the order in which leaves use them.
    #[wasm_bindgen(js_name = toMesh)]
    pub fn to_mesh(&self) -> JsResult<Mesh> {
        self.tree.to_mesh().map(Mesh::from).map_err(invalid_mesh)
    }

    #[wasm_bindgen(getter, unchecked_return_type = "Kind")]
    pub fn kind(&self) -> String {
        self.tree.kind().name().to_owned()
    }

    #[wasm_bindgen(getter, js_name = triangleCount)]
    pub fn triangle_count(&self) -> usize {
        self.tree.triangle_count()
    }

    /// How many volumes are stored, the root's and the leaves' included.
    #[wasm_bindgen(getter, js_name = nodeCount)]
    pub fn node_count(&self) -> usize {
        self.tree.node_count()
    }

    /// Levels of volumes below the root.
    #[wasm_bindgen(getter)]
    pub fn depth(&self) -> u32 {
        self.tree.depth()
    }

    /// Bytes that the tree takes.
    #[wasm_bindgen(getter, js_name = byteLength)]
    pub fn byte_length(&self) -> usize {
        self.tree.section_sizes().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Whether the mesh has an inside: no edge has an odd number of triangles. Found out when first asked.
    #[wasm_bindgen(getter, js_name = isClosed)]
    pub fn is_closed(&self) -> bool {
        self.tree.watertightness().is_closed()
    }

    /// A digest of the mesh that it was built from, 32 hexadecimal digits.
    #[wasm_bindgen(getter, js_name = meshDigest)]
    pub fn mesh_digest(&self) -> String {
        format!("{:032x}", self.tree.mesh_digest())
    }

    /// The lower and the upper corner of the box around the mesh: six numbers.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Float64Array {
        bounds(self.tree.bounds())
    }

    /// The volumes at a level, and the leaves above it, which together cover the mesh; to be drawn. Each is a matrix of
    /// 16 numbers, column by column, that takes the box from -1 to 1 (of spheres the ball of radius 1) to the volume,
    /// as `InstancedMesh` of three.js has it.
    pub fn volumes(&self, level: u32) -> Vec<f32> {
        let nodes = self.tree.nodes().take_while(|node| node.level <= level);
        let cut = nodes.filter(|node| node.level == level || node.is_leaf());
        cut.flat_map(|node| placed(&node.volume)).collect()
    }
}

impl From<BvTree> for Tree {
    fn from(tree: BvTree) -> Self {
        Self { tree: Arc::new(tree) }
    }
}

fn placed(volume: &Volume) -> [f32; 16] {
    let (center, half_axes): (Point3<f64>, Matrix3<f64>) = match volume {
        Volume::Aabb(aabb) => (aabb.center(), Matrix3::from_diagonal(&aabb.half_extents())),
        Volume::Obb(obb) => (obb.center, obb.axes * Matrix3::from_diagonal(&obb.half_extents)),
        // Drawn as its box.
        Volume::KDop(kdop) => (kdop.center(), Matrix3::from_diagonal(&kdop.aabb().half_extents())),
        Volume::Sphere(sphere) => (sphere.center, Matrix3::from_diagonal_element(sphere.radius)),
    };
    let mut matrix = half_axes.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&center.coords);
    matrix.cast::<f32>().as_slice().try_into().unwrap_or_default()
}
