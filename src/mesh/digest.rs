//! A hash by which a cooked file recognises the mesh it was made from.

use xxhash_rust::xxh3::Xxh3;

use super::Mesh;

impl Mesh {
    /// XXH3-128 (seed 0) of all that the mesh holds; equal meshes have equal digests on every machine.
    ///
    /// Hashed in this order, all little-endian: the numbers of vertices, triangles, polygon numbers and groups as u64;
    /// the vertices' x, y, z as f32; the triangles' indices as u32; the polygon numbers as u32 (none when every
    /// polygon is a triangle); and for each group its first triangle as u32, its name's length in bytes as u64, its name
    /// in UTF-8.
    pub fn digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        for count in [self.vertices.len(), self.triangles.len(), self.polygons.len(), self.groups.len()] {
            hasher.update(&(count as u64).to_le_bytes());
        }
        update_words(&mut hasher, bytemuck::cast_slice(&self.vertices));
        update_words(&mut hasher, self.triangles.as_flattened());
        update_words(&mut hasher, &self.polygons);
        for group in &self.groups {
            hasher.update(&group.first_triangle.to_le_bytes());
            hasher.update(&(group.name.len() as u64).to_le_bytes());
            hasher.update(group.name.as_bytes());
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
