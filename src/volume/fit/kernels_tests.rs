use super::*;
use nalgebra::Point3;

#[test]
fn one_pass_finds_what_several_find() {
    let coordinate = |i: usize| ((i * i * 7919) % 1013) as f32 / 1013.0 - 0.3;
    // Odd and even numbers of corners and of pairs of them; more than a block.
    for triangles in [1, 2, 3, 4, 5, 8, 9, 2 * BLOCK + 3] {
        let vertex = |i: usize| [coordinate(3 * i), coordinate(5 * i + 1), coordinate(7 * i + 2)].into();
        let corners = |i: usize| [3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2];
        let vertices: Vec<Point3<f32>> = (0..3 * triangles).map(vertex).collect();
        let primitives = primitives::gather(&vertices, &(0..triangles).map(corners).collect::<Vec<_>>());
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let (ranges, found) = bounds_and_mean(level, &primitives);
            let Ranges { lower, upper } = bounds(level, &primitives);
            assert_eq!((ranges.lower, ranges.upper), (lower, upper));
            let sums = corner_sums(&primitives);
            assert!((0..3).all(|k| (found[k] - sums[k] / (3 * triangles) as f64).abs() < 1e-12));
        }
    }
}

fn corner_sums(primitives: &[Primitive]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for primitive in primitives {
        for (sum, x) in sums.iter_mut().zip(primitive.corner_sum()) {
            *sum += x;
        }
    }
    sums
}
