//! Welding: vertices whose coordinates are equal bit for bit become one.

use std::hash::{BuildHasher, RandomState};

use nalgebra::Point3;

/// A hash table of vertices: only their indices are stored, because a large mesh has many.
#[derive(Default)]
pub(super) struct Welding {
    /// Indices of vertices, each in the first slot from its hash on that was free when the vertex was added; the other
    /// slots are [`FREE`]. The length is a power of two.
    table: Vec<u32>,
    /// Chosen at random, so that no file can be made to give many vertices one hash. Results do not depend on the
    /// choice.
    hasher: RandomState,
}

const FREE: u32 = u32::MAX;

/// Least length of the table.
const LEAST: usize = 1 << 6;

impl Welding {
    /// The index of the vertex whose coordinates are the same bit for bit. If there is none, returns the number of
    /// vertices, and the caller must append the vertex.
    pub(super) fn index_of(&mut self, vertex: &Point3<f32>, vertices: &[Point3<f32>]) -> u32 {
        // At most three quarters are in use.
        if 4 * (vertices.len() + 1) > 3 * self.table.len() {
            self.grow(vertices);
        }
        let place = self.place_of(vertex, vertices);
        if self.table[place] == FREE {
            self.table[place] = vertices.len() as u32;
        }
        self.table[place]
    }

    fn grow(&mut self, vertices: &[Point3<f32>]) {
        let length = (2 * self.table.len()).max(LEAST);
        // The new table is made from the vertices, so that there is only one at a time.
        self.table = Vec::new();
        self.table.resize(length, FREE);
        for (index, vertex) in vertices.iter().enumerate() {
            let place = self.place_of(vertex, vertices);
            self.table[place] = index as u32;
        }
    }

    /// The slot of the vertex in the table; the slot is free if the vertex is new.
    fn place_of(&self, vertex: &Point3<f32>, vertices: &[Point3<f32>]) -> usize {
        let (bits, last) = (bits(vertex), self.table.len() - 1);
        let mut place = self.hasher.hash_one(bits) as usize & last;
        loop {
            match self.table[place] {
                FREE => return place,
                index if bits == self::bits(&vertices[index as usize]) => return place,
                _ => place = (place + 1) & last,
            }
        }
    }
}

fn bits(vertex: &Point3<f32>) -> [u32; 3] {
    [vertex.x, vertex.y, vertex.z].map(f32::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::tests::Random;

    #[test]
    fn each_vertex_has_the_index_of_the_first_like_it() {
        let mut random = Random(3);
        let (mut welding, mut vertices) = (Welding::default(), Vec::new());
        for i in 0..3000 {
            let coordinate = |k: usize| [0.0, -0.0, 1.0, 2.5, f32::MIN_POSITIVE, 3.0 + i as f32 / 256.0][k];
            let vertex = Point3::from([0; 3].map(|_| coordinate(random.below(6))));
            let expected = vertices.iter().position(|other| bits(other) == bits(&vertex)).unwrap_or(vertices.len());
            assert_eq!(welding.index_of(&vertex, &vertices), expected as u32);
            if expected == vertices.len() {
                vertices.push(vertex);
            }
        }
        assert!((500..3000).contains(&vertices.len()), "{}", vertices.len());
    }
}
