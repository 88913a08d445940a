//! Meshes from what `tobj` has loaded (feature `tobj`).

use tobj::Model;

use crate::mesh::{Group, Mesh, MeshError};

impl Mesh {
    /// The mesh of models loaded with `tobj`, one after the other: a group for each model that has faces, with its
    /// name. Polygons are cut into fans from their first corner; points and lines are left out.
    ///
    /// Load with `single_index` off or on, with `triangulate` or without: neither changes the geometry. `tobj` numbers
    /// the vertices of each model by itself, so that they are not in the file's order, as those of [`Mesh::load_obj`]
    /// are.
    ///
    /// ```
    /// let (models, _) = tobj::load_obj("data/gear.obj", &tobj::LoadOptions::default())?;
    /// let mesh = bvtree::Mesh::from_tobj(&models)?;
    /// assert_eq!(mesh.triangles().len(), bvtree::Mesh::load_obj("data/gear.obj")?.triangles().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Mesh::from_arrays`]; and if coordinates do not come in threes or indices not as the faces' numbers of corners require
    /// ([`MeshError::Incomplete`]).
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
            // An index that is out of range stays so, and is refused.
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
                groups.push(Group { name: model.name.clone(), first_triangle });
            }
        }
        Self::from_parts(vertices, triangles, polygons, groups)
    }
}
