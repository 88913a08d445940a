//! Meshes of height fields.

use nalgebra::Point3;

use super::{Mesh, MeshError};

impl Mesh {
    /// The mesh of a height field: a terrain given by its heights, z, at the points of a grid.
    ///
    /// `heights` are rows of `columns` values each. The points of a row are `spacing[0]` apart along x, and rows are
    /// `spacing[1]` apart along y; the first point is at x = y = 0. Each cell has two triangles, which face up, and is
    /// divided along the diagonal from its first corner. A cell with a corner whose height is NaN is a hole.
    ///
    /// ```
    /// use bvtree::Mesh;
    ///
    /// let ramp = Mesh::from_height_field(&[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], 3, [0.5, 10.0])?;
    /// assert_eq!(ramp.triangles(), [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]);
    /// assert_eq!(ramp.aabb().upper, [1.0, 10.0, 2.0].into());
    /// # Ok::<(), bvtree::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// If the heights are not whole rows, a height is infinite, a spacing is not a finite number above 0, a point is
    /// beyond the range of f32, or there are more than [`Mesh::MAX_COUNT`] points or triangles. The error of a point
    /// has its index in `heights`.
    #[doc(alias = "HeightField")]
    #[doc(alias = "terrain")]
    #[doc(alias = "heightmap")]
    pub fn from_height_field(heights: &[f32], columns: usize, spacing: [f32; 2]) -> Result<Self, MeshError> {
        if let Some(&given) = spacing.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
            return Err(MeshError::Scale { given: f64::from(given) });
        }
        if !heights.is_empty() && (columns == 0 || !heights.len().is_multiple_of(columns)) {
            return Err(MeshError::Rows { heights: heights.len(), columns });
        }
        // The vertices of points that are not NaN.
        let (mut vertices, mut numbers) = (Vec::new(), Vec::with_capacity(heights.len()));
        for (i, &z) in heights.iter().enumerate() {
            numbers.push((!z.is_nan()).then_some(vertices.len() as u32));
            if !z.is_nan() {
                let [x, y] = [i % columns, i / columns];
                let point = Point3::new(x as f32 * spacing[0], y as f32 * spacing[1], z);
                if !point.iter().all(|x| x.is_finite()) {
                    return Err(MeshError::NotFinite { vertex: i });
                }
                vertices.push(point);
            }
        }
        let mut triangles = Vec::new();
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        for row in 1..rows {
            for column in 1..columns {
                let upper = row * columns + column;
                let corners = [upper - columns - 1, upper - columns, upper, upper - 1].map(|i| numbers[i]);
                if let [Some(a), Some(b), Some(c), Some(d)] = corners {
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        Self::from_arrays(vertices, triangles)
    }
}
