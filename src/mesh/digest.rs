//! A hash by which a cooked file recognises the mesh it was made from.

use nalgebra::Point3;
use xxhash_rust::xxh3::Xxh3;

use super::Mesh;

impl Mesh {
    /// XXH3-128 (seed 0) of all that the mesh holds; equal meshes have equal digests on every machine.
    ///
    /// Hashed in this order, all little-endian: the numbers of vertices, triangles, polygon numbers and groups as u64;
    /// the vertices' x, y, z as f32; the triangles' indices as u32; the polygon numbers as u32 (none when every polygon
    /// is a triangle); the origin's x, y, z as f64, unless it is zero; and for each group its first triangle as u32,
    /// its name's length in bytes as u64, its name in UTF-8.
    pub fn digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        for count in [self.vertices.len(), self.triangles.len(), self.polygons.len(), self.groups.len()] {
            hasher.update(&(count as u64).to_le_bytes());
        }
        update_words(&mut hasher, bytemuck::cast_slice(&self.vertices));
        update_words(&mut hasher, self.triangles.as_flattened());
        update_words(&mut hasher, &self.polygons);
        if self.origin != Point3::origin() {
            self.origin.iter().for_each(|x| hasher.update(&x.to_le_bytes()));
        }
        for group in &self.groups {
            hasher.update(&group.first_triangle.to_le_bytes());
            hasher.update(&(group.name.len() as u64).to_le_bytes());
            hasher.update(group.name.as_bytes());
        }
        hasher.digest128()
    }

    /// XXH3-128 (seed 0) of the triangles alone: the nine coordinates of each, in the order of the faces, as
    /// little-endian f32 with -0 as 0. Meshes of different formats that hold the same triangles have the same, however
    /// their vertices are shared and whatever their groups are called.
    pub fn geometry_digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        let mut words = Vec::with_capacity(9 * 1024);
        for triangles in self.triangles.chunks(1024) {
            words.clear();
            for &corner in triangles.as_flattened() {
                let vertex = self.vertices[corner as usize];
                words.extend([vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits()));
            }
            update_words(&mut hasher, &words);
        }
        hasher.digest128()
    }
}

/// Hashes the words' little-endian bytes.
fn update_words(hasher: &mut Xxh3, words: &[u32]) {
    if cfg!(target_endian = "little") {
        hasher.update(bytemuck::cast_slice(words));
    } else {
        words.iter().for_each(|word| hasher.update(&word.to_le_bytes()));
    }
}
