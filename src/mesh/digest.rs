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
        update_words(&mut hasher, self.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).map(f32::to_bits));
        update_words(&mut hasher, self.triangles.iter().flatten().copied());
        update_words(&mut hasher, self.polygons.iter().copied());
        for group in &self.groups {
            hasher.update(&group.first_triangle.to_le_bytes());
            hasher.update(&(group.name.len() as u64).to_le_bytes());
            hasher.update(group.name.as_bytes());
        }
        hasher.digest128()
    }
}

/// Hashes the words' little-endian bytes, a block at a time.
fn update_words(hasher: &mut Xxh3, mut words: impl Iterator<Item = u32>) {
    let mut block = [0; 4096];
    loop {
        let mut length = 0;
        for (bytes, word) in block.chunks_exact_mut(4).zip(&mut words) {
            bytes.copy_from_slice(&word.to_le_bytes());
            length += 4;
        }
        if length == 0 {
            return;
        }
        hasher.update(&block[..length]);
    }
}
