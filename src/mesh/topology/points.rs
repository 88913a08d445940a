//! Vertices at equal coordinates.

use nalgebra::Point3;

use crate::parallel::Sorting;

/// Numbers the different points among the vertices: each vertex's point, and how many there are.
pub(crate) fn distinct_points(vertices: &[Point3<f32>], sorting: Sorting) -> (Vec<u32>, usize) {
    // Adding +0.0 turns -0.0 into it; other values are equal exactly where their bits are.
    let key = |vertex: u32| {
        let v = &vertices[vertex as usize];
        [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    sorting.sort_unstable_by_key(&mut order, |&vertex| key(vertex));

    let mut points = vec![0; vertices.len()];
    let mut count = 0;
    for equal in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &vertex in equal {
            points[vertex as usize] = count;
        }
        count += 1;
    }
    (points, count as usize)
}
