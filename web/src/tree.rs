//! Trees: building, cooking, opening and drawing them.

use std::fmt::Display;
use std::sync::Arc;

use bvtree::tree::Layers;
use bvtree::{BvTree, Preset, Volume, VolumeKind};
use js_sys::Float64Array;
use nalgebra::{Matrix3, Point3};
use wasm_bindgen::prelude::*;

use crate::answers;
use crate::arguments::{name, whole_numbers};
use crate::errors::{JsResult, invalid, invalid_file, invalid_mesh};
use crate::mesh::{Mesh, bounds};

/// An immutable bounding-volume tree over the triangles of a mesh.
#[wasm_bindgen]
pub struct Tree {
    pub(crate) tree: Arc<BvTree>,
}

#[wasm_bindgen]
impl Tree {
    /// Builds a tree. The kind of volume and the preset affect speed and size, never results. Kinds are `"obb"`
    /// (fastest to query, the default), `"aabb"` (fastest to build), `"sphere"` (smallest) and `"kdop"` (18-direction
    /// k-DOPs). Presets are `"fast"`, `"balanced"` (the default) and `"tight"`, from the fastest build to the fastest
    /// queries.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "Kind")] kind: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Preset")] preset: &JsValue,
    ) -> JsResult<Tree> {
        let kind = name(kind, "kind")?.unwrap_or(VolumeKind::Obb);
        let preset = name(preset, "preset")?.unwrap_or(Preset::Balanced);
        BvTree::build(&mesh.mesh, &preset.options(kind)).map(Self::from).map_err(invalid_mesh)
    }

    /// Opens a cooked tree (`.bvt`). Throws if the bytes are damaged or not a cooked tree.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8]) -> JsResult<Tree> {
        BvTree::from_bytes(bytes).map(Self::from).map_err(invalid_file)
    }

    /// Returns the cooked tree: the bytes of a `.bvt` file, the same on every machine. If `compact` is true, they take
    /// about 10 bytes per triangle instead of 40 to 70, and opening them takes about half the time of a build.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self, compact: Option<bool>) -> JsResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let written = match compact {
            Some(true) => self.tree.write_compact_to(&mut bytes),
            _ => self.tree.write_to(&mut bytes),
        };
        written.map_err(invalid)?;
        Ok(bytes)
    }

    /// Returns the mesh: the same triangles in the same order, with vertices in the order in which leaves use them.
    #[wasm_bindgen(js_name = toMesh)]
    pub fn to_mesh(&self) -> JsResult<Mesh> {
        self.tree.to_mesh().map(Mesh::from).map_err(invalid_mesh)
    }

    /// The kind of volume.
    #[wasm_bindgen(getter, unchecked_return_type = "Kind")]
    pub fn kind(&self) -> String {
        self.tree.kind().name().to_owned()
    }

    /// Number of triangles of the mesh.
    #[wasm_bindgen(getter, js_name = triangleCount)]
    pub fn triangle_count(&self) -> usize {
        self.tree.triangle_count()
    }

    /// Number of stored volumes, including the root's and the leaves'.
    #[wasm_bindgen(getter, js_name = nodeCount)]
    pub fn node_count(&self) -> usize {
        self.tree.node_count()
    }

    /// Number of levels of volumes below the root.
    #[wasm_bindgen(getter)]
    pub fn depth(&self) -> u32 {
        self.tree.depth()
    }

    /// Size of the tree in bytes.
    #[wasm_bindgen(getter, js_name = byteLength)]
    pub fn byte_length(&self) -> usize {
        self.tree.section_sizes().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Whether the mesh is closed (watertight), so that it has an inside: no edge has an odd number of triangles. The
    /// first access takes longer.
    #[wasm_bindgen(getter, js_name = isClosed)]
    pub fn is_closed(&self) -> bool {
        self.tree.watertightness().is_closed()
    }

    /// Digest of the mesh that the tree was built from, as 32 hexadecimal digits.
    #[wasm_bindgen(getter, js_name = meshDigest)]
    pub fn mesh_digest(&self) -> String {
        format!("{:032x}", self.tree.mesh_digest())
    }

    /// The lower and the upper corner of the box around the mesh: six numbers, infinite for an empty mesh.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Float64Array {
        bounds(self.tree.bounds())
    }

    /// Returns the name of a triangle's group in the source file, such as an object or a material, given its face
    /// number as in results; `undefined` if it has none, or if there is no such triangle.
    #[wasm_bindgen(js_name = groupOf)]
    pub fn group_of(&self, face: u32) -> Option<String> {
        self.tree.group_of(face).map(|group| group.name.clone())
    }

    /// Returns the distinct names of the groups in the order of their first faces, and the index of each triangle's
    /// name; triangles before the first group have an empty name.
    #[wasm_bindgen(js_name = groupIds, unchecked_return_type = "GroupIds")]
    pub fn group_ids(&self) -> JsValue {
        answers::group_ids(self.tree.group_ids())
    }

    /// Returns the distinct materials in the order of their first faces, and the index of each triangle's; there is one
    /// material without a name unless the mesh was read with `groupBy: "both"`.
    #[wasm_bindgen(js_name = materialIds, unchecked_return_type = "GroupIds")]
    pub fn material_ids(&self) -> JsValue {
        answers::group_ids(self.tree.material_ids())
    }

    /// Assigns layers, as bits, to all triangles in the order of faces; this can be done only once. Queries with a mask
    /// (`Probe.setMask`, `Query.setMasks`, those of scenes and characters) leave out triangles whose layers have no bit
    /// in common with the mask. `oneSided` is 1 for triangles that such queries pass from behind, and 0 for others; the
    /// front is the side from which corners run counterclockwise.
    #[wasm_bindgen(js_name = setLayers)]
    pub fn set_layers(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Uint32Array")] layers: &JsValue,
        #[wasm_bindgen(js_name = oneSided)] one_sided: Option<Vec<u8>>,
    ) -> JsResult<()> {
        // JavaScript's bitwise operators have signed results.
        let wrong = |number: &dyn Display| invalid(format_args!("layers: {number} is not 32 bits"));
        let layers = whole_numbers(layers, i64::from(i32::MIN)..=i64::from(u32::MAX), wrong)?;
        let (count, one_sided) = (self.tree.triangle_count(), one_sided.unwrap_or_default());
        if layers.len() != count || !(one_sided.is_empty() || one_sided.len() == count) {
            return Err(invalid(format_args!("expected as many layers as triangles: {count}")));
        }
        let set = self.tree.set_layers(|face| {
            let face = face as usize;
            Layers { bits: layers[face], is_one_sided: one_sided.get(face).is_some_and(|&side| side != 0) }
        });
        set.map_err(invalid)
    }

    /// Returns the volumes at a level and the leaves above it, which together cover the mesh, for drawing. Each is a
    /// column-major matrix of 16 numbers that maps the box from -1 to 1 (for spheres the unit sphere) to the volume, as
    /// `InstancedMesh` of three.js expects. A k-DOP is drawn as its box.
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
        // A k-DOP is drawn as its AABB.
        Volume::KDop(kdop) => (kdop.center(), Matrix3::from_diagonal(&kdop.aabb().half_extents())),
        Volume::Sphere(sphere) => (sphere.center, Matrix3::from_diagonal_element(sphere.radius)),
    };
    let mut matrix = half_axes.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&center.coords);
    matrix.cast::<f32>().as_slice().try_into().unwrap_or_default()
}
