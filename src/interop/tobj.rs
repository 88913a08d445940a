//! Meshes from models loaded with `tobj` (feature `tobj`).

use tobj::Model;

use crate::mesh::{Group, Mesh, MeshError};

impl Mesh {
    /// Converts models loaded with `tobj` to one mesh, with a group for each model that has faces. Polygons are split
    /// into fans from their first corner; points and lines are ignored.
    ///
    /// The load options `single_index` and `triangulate` do not change the geometry. `tobj` numbers the vertices of
    /// each model separately, so their order differs from that of [`Mesh::load_obj`].
    ///
    /// ```
    /// let (models, _) = tobj::load_obj("data/gear.obj", &tobj::LoadOptions::default())?;
    /// let mesh = bvtree::Mesh::from_tobj(&models)?;
    /// assert_eq!(mesh.triangles().len(), bvtree::Mesh::load_obj("data/gear.obj")?.triangles().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`Mesh::from_arrays`] does, and with [`MeshError::Incomplete`] if the coordinates end within a point,
    /// or the indices end within a face or go on after the last one.
    pub fn from_tobj(models: &[Model]) -> Result<Self, MeshError> {
        let mut vertices = Vec::new();
        let (mut triangles, mut polygons, mut polygon_count) = (Vec::new(), Vec::new(), 0);
        let mut groups = Vec::new();
        for model in models {
            let (points, rest) = model.mesh.positions.as_chunks::<3>();
            if !rest.is_empty() {
                return Err(MeshError::Incomplete { what: "coordinates" });
            }
            let first_triangle = triangles.len() as u32;
            let first_vertex = u32::try_from(vertices.len()).map_err(|_| MeshError::TooMany { what: "vertices" })?;
            vertices.extend(points.iter().map(|point| nalgebra::Point3::from(*point)));
            // Indices that are out of range stay out of range and are rejected.
            let moved = |index: u32| first_vertex.saturating_add(index);
            let mut indices = &model.mesh.indices[..];
            let mut arities = model.mesh.face_arities.iter().map(|&arity| arity as usize);
            let all_triangles = model.mesh.face_arities.is_empty();
            while !indices.is_empty() {
                let arity = if all_triangles { Some(3) } else { arities.next() };
                let polygon = arity.filter(|&arity| arity > 0).and_then(|arity| indices.split_at_checked(arity));
                let (polygon, rest) = polygon.ok_or(MeshError::Incomplete { what: "indices" })?;
                indices = rest;
                let [apex, fan @ ..] = polygon else { continue };
                for edge in fan.windows(2) {
                    triangles.push([*apex, edge[0], edge[1]].map(moved));
                    polygons.push(polygon_count);
                }
                polygon_count += u32::from(polygon.len() > 2);
            }
            if triangles.len() > first_triangle as usize {
                groups.push(Group { name: model.name.clone(), first_triangle, ..Group::default() });
            }
        }
        Self::from_parts(vertices, triangles, polygons, groups)
    }
}
